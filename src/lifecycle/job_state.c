/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_state.c - the state machine of a Job.
 *
 * The rules say what an action does in a phase. If a rule names no next phase, or if there is no
 * action, the evaluation of the phase finds the next phase from the counts.
 *
 * In upstream a restarting job cannot be aborted, terminated or completed; here it can. A restart
 * or a resumption of a part that is already restarting has no effect. */
#include "lifecycle/job_state.h"

#include "base/macro.h"

#include "base/banned.h"

#define ANY_OTHER BUS_ACTION_COUNT
#define BY_EVALUATION VCJOB_PHASE_NONE

const struct job_rule job_rules[] = {
	{VCJOB_PENDING, BUS_RESTART_JOB, JOB_REACT_KILL, true, VCJOB_RESTARTING},
	{VCJOB_PENDING, BUS_RESTART_TASK, JOB_REACT_TARGET, true, VCJOB_RESTARTING},
	{VCJOB_PENDING, BUS_RESTART_POD, JOB_REACT_TARGET, true, VCJOB_RESTARTING},
	{VCJOB_PENDING, BUS_RESTART_PARTITION, JOB_REACT_TARGET, true, VCJOB_RESTARTING},
	{VCJOB_PENDING, BUS_ABORT_JOB, JOB_REACT_KILL, false, VCJOB_ABORTING},
	{VCJOB_PENDING, BUS_COMPLETE_JOB, JOB_REACT_KILL, false, VCJOB_COMPLETING},
	{VCJOB_PENDING, BUS_TERMINATE_JOB, JOB_REACT_KILL, false, VCJOB_TERMINATING},
	{VCJOB_PENDING, ANY_OTHER, JOB_REACT_SYNC, false, BY_EVALUATION},

	{VCJOB_RUNNING, BUS_RESTART_JOB, JOB_REACT_KILL, true, VCJOB_RESTARTING},
	{VCJOB_RUNNING, BUS_RESTART_TASK, JOB_REACT_TARGET, true, VCJOB_RESTARTING},
	{VCJOB_RUNNING, BUS_RESTART_POD, JOB_REACT_TARGET, true, VCJOB_RESTARTING},
	{VCJOB_RUNNING, BUS_RESTART_PARTITION, JOB_REACT_TARGET, true, VCJOB_RESTARTING},
	{VCJOB_RUNNING, BUS_ABORT_JOB, JOB_REACT_KILL, false, VCJOB_ABORTING},
	{VCJOB_RUNNING, BUS_COMPLETE_JOB, JOB_REACT_KILL, false, VCJOB_COMPLETING},
	{VCJOB_RUNNING, BUS_TERMINATE_JOB, JOB_REACT_KILL, false, VCJOB_TERMINATING},
	{VCJOB_RUNNING, ANY_OTHER, JOB_REACT_SYNC, false, BY_EVALUATION},

	{VCJOB_RESTARTING, BUS_RESTART_TASK, JOB_REACT_TARGET, false, VCJOB_RESTARTING},
	{VCJOB_RESTARTING, BUS_RESTART_POD, JOB_REACT_TARGET, false, VCJOB_RESTARTING},
	{VCJOB_RESTARTING, BUS_RESTART_PARTITION, JOB_REACT_TARGET, false, VCJOB_RESTARTING},
	{VCJOB_RESTARTING, BUS_ABORT_JOB, JOB_REACT_KILL, false, VCJOB_ABORTING},
	{VCJOB_RESTARTING, BUS_COMPLETE_JOB, JOB_REACT_KILL, false, VCJOB_COMPLETING},
	{VCJOB_RESTARTING, BUS_TERMINATE_JOB, JOB_REACT_KILL, false, VCJOB_TERMINATING},
	{VCJOB_RESTARTING, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},

	{VCJOB_ABORTING, BUS_RESUME_JOB, JOB_REACT_KILL, true, VCJOB_RESTARTING},
	{VCJOB_ABORTING, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},
	{VCJOB_ABORTED, BUS_RESUME_JOB, JOB_REACT_KILL, true, VCJOB_RESTARTING},
	{VCJOB_ABORTED, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},

	{VCJOB_COMPLETING, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},
	{VCJOB_COMPLETED, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},
	{VCJOB_TERMINATING, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},
	{VCJOB_TERMINATED, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},
	{VCJOB_FAILED, ANY_OTHER, JOB_REACT_STAY, false, BY_EVALUATION},
};
const size_t job_rule_count = ARRAY_LEN(job_rules);

static const char *const reaction_names[JOB_REACT_COUNT] = {
	[JOB_REACT_SYNC] = "sync",
	[JOB_REACT_KILL] = "kill the job",
	[JOB_REACT_TARGET] = "kill the target",
	[JOB_REACT_STAY] = "go on",
};

const struct job_rule *job_rule_find(enum vcjob_phase phase, enum bus_action action)
{
	const struct job_rule *any = &job_rules[0];

	if (phase == VCJOB_PHASE_NONE)
		phase = VCJOB_PENDING;
	for (size_t i = 0; i < job_rule_count; i++) {
		if (job_rules[i].phase != phase)
			continue;
		if (job_rules[i].action == action)
			return &job_rules[i];
		any = &job_rules[i]; /* the last rule of a phase */
	}
	return any;
}

void job_rules_print(struct buf *to)
{
	for (size_t i = 0; i < job_rule_count; i++) {
		const struct job_rule *rule = &job_rules[i];
		bool other = rule->action == ANY_OTHER;

		buf_printf(to, "%-12s %-17s %-16s %-6s %s\n", vcjob_phase_names[rule->phase],
			   other ? "any other" : bus_action_names[rule->action],
			   reaction_names[rule->reaction], rule->retry ? "retry" : "-",
			   rule->next == BY_EVALUATION ? "by evaluation"
						       : vcjob_phase_names[rule->next]);
	}
}

int64_t job_replicas(const struct vcjob_spec *spec)
{
	int64_t sum = 0;

	for (size_t i = 0; i < spec->tasks.len; i++)
		sum += spec->tasks.ptr[i].replicas;
	return sum;
}

static enum vcjob_phase evaluate_pending(const struct job_facts *facts)
{
	const struct job_count *all = facts->all;
	int64_t there = (int64_t)all->running + all->succeeded + all->failed;

	return facts->job->spec.min_available <= there ? VCJOB_RUNNING : VCJOB_PENDING;
}

/* The final phase when everything has ended. */
static enum vcjob_phase evaluate_end(const struct job_facts *facts)
{
	const struct vcjob_spec *spec = &facts->job->spec;
	int64_t sum = 0;

	for (size_t i = 0; i < spec->tasks.len; i++)
		sum += spec->tasks.ptr[i].min_available.set ? spec->tasks.ptr[i].min_available.value
							    : spec->tasks.ptr[i].replicas;
	for (size_t i = 0; spec->min_available >= sum && i < spec->tasks.len; i++) {
		const struct job_count *count = &facts->tasks[i];
		bool counted = count->pending + count->running + count->succeeded + count->failed +
				       count->unknown >
			       0;

		if (spec->tasks.ptr[i].min_available.set && counted &&
		    count->succeeded < spec->tasks.ptr[i].min_available.value)
			return VCJOB_FAILED;
	}
	if (spec->min_success.set && facts->all->succeeded < spec->min_success.value)
		return VCJOB_FAILED;
	return facts->all->succeeded >= spec->min_available ? VCJOB_COMPLETED : VCJOB_FAILED;
}

static enum vcjob_phase evaluate_running(const struct job_facts *facts)
{
	const struct vcjob_spec *spec = &facts->job->spec;
	const struct job_count *all = facts->all;
	int64_t replicas = job_replicas(spec);

	if (replicas == 0)
		return VCJOB_RUNNING;
	if (spec->min_success.set && all->succeeded >= spec->min_success.value)
		return VCJOB_COMPLETED;
	if ((int64_t)all->succeeded + all->failed == replicas)
		return evaluate_end(facts);
	return all->pending > replicas - spec->min_available ? VCJOB_PENDING : VCJOB_RUNNING;
}

static enum vcjob_phase evaluate_restarting(const struct job_facts *facts)
{
	const struct vcjob *job = facts->job;

	if (job->status.retry_count >= job->spec.max_retry)
		return VCJOB_FAILED;
	if (facts->killed &&
	    job_replicas(&job->spec) - facts->all->terminating >= job->status.min_available)
		return VCJOB_PENDING;
	return VCJOB_RESTARTING;
}

enum vcjob_phase job_evaluate(enum vcjob_phase phase, const struct job_facts *facts)
{
	switch (phase) {
	case VCJOB_PENDING:
		return evaluate_pending(facts);
	case VCJOB_RUNNING:
		return evaluate_running(facts);
	case VCJOB_RESTARTING:
		return evaluate_restarting(facts);
	case VCJOB_ABORTING:
		return facts->killed ? VCJOB_ABORTED : phase;
	case VCJOB_COMPLETING:
		return facts->killed ? VCJOB_COMPLETED : phase;
	case VCJOB_TERMINATING:
		return facts->killed ? VCJOB_TERMINATED : phase;
	default:
		return phase;
	}
}
