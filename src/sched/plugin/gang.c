/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/gang.c - all or nothing: minimums of jobs, roles and sub-groups (scheduler
 * specification, 6.1). The rules that count are in sched/cluster/job.c. */
#include "sched/cluster/job.h"
#include "sched/plugin/plugin_rows.h"

#include "base/banned.h"

/* A role that has too few pods to begin with. */
static struct reason role_reason(const struct job *job)
{
	for (size_t i = 0; i < job->roles.len; i++) {
		const struct role *role = &job->roles.ptr[i];
		uint32_t valid = tally_of(&role->tally, TASKS_VALID);

		if ((int64_t)valid < role->min)
			return (struct reason){.code = REASON_ROLE_TASKS,
					       .dim = DIM_NONE,
					       .subject = role->name,
					       .have = valid,
					       .limit = role->min};
	}
	return (struct reason){.code = REASON_ROLE_TASKS, .dim = DIM_NONE};
}

static bool gang_valid(const struct plugin *p, const struct job *job, struct reason *why)
{
	uint32_t valid = tally_of(&job->tally, TASKS_VALID);

	(void)p;
	*why = (struct reason){.code = REASON_NONE, .dim = DIM_NONE};
	if (!job_roles_are_valid(job))
		*why = role_reason(job);
	else if (!job_groups_are_valid(job))
		why->code = REASON_SUB_GROUPS;
	else if ((int64_t)valid < job->min_available)
		*why = (struct reason){.code = REASON_TASKS,
				       .dim = DIM_NONE,
				       .have = valid,
				       .limit = job->min_available};
	return why->code == REASON_NONE;
}

static bool gang_ready(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)p;
	(void)why;
	return job_is_ready(job);
}

static bool gang_starving(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)p;
	(void)why;
	return job_is_starving(job);
}

static bool gang_sub_ready(const struct plugin *p, const struct sub_job *sub)
{
	(void)p;
	return sub_job_is_ready(sub);
}

static enum vote gang_pipelined(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)p;
	if (job_is_pipelined(job))
		return VOTE_PERMIT;
	*why = (struct reason){.code = REASON_GANG,
			       .dim = DIM_NONE,
			       .have = job_ready_count(job),
			       .limit = job->min_available};
	return VOTE_REJECT;
}

static enum vote gang_sub_pipelined(const struct plugin *p, const struct sub_job *sub)
{
	(void)p;
	return sub_job_is_pipelined(sub) ? VOTE_PERMIT : VOTE_REJECT;
}

/* A gang that has lost a pod holds capacity for nothing until it is whole again: no job goes before it. */
enum completeness { BROKEN, INCOMPLETE, COMPLETE };

static enum completeness completeness_of(const struct job *job)
{
	if (job_count_is_ready(job))
		return COMPLETE;
	return tally_of(&job->tally, TASKS_ALLOCATED) ? BROKEN : INCOMPLETE;
}

static int gang_job_order(const struct plugin *p, const struct job *a, const struct job *b)
{
	(void)p;
	return (int)completeness_of(a) - (int)completeness_of(b);
}

static int gang_sub_job_order(const struct plugin *p, const struct sub_job *a,
			      const struct sub_job *b)
{
	(void)p;
	return (int)sub_job_is_ready(a) - (int)sub_job_is_ready(b);
}

/* Only what a job has beyond its minimum. */
static bool gang_evictable(const struct plugin *p, const struct evict_ask *ask,
			   const struct task *victim)
{
	(void)p;
	(void)ask;
	return victim->job && (int64_t)job_ready_count(victim->job) > victim->job->min_available;
}

const struct plugin_type gang_plugin = {
	.name = "gang",
	.alike = true,
	.job_order = gang_job_order,
	.sub_job_order = gang_sub_job_order,
	.job_test = {[JOB_VALID] = gang_valid,
		     [JOB_READY] = gang_ready,
		     [JOB_STARVING] = gang_starving},
	.sub_test = {[SUB_READY] = gang_sub_ready},
	.job_vote = {[JOB_PIPELINED] = gang_pipelined},
	.sub_vote = {[SUB_PIPELINED] = gang_sub_pipelined},
	.evictable = {[EVICT_PREEMPT] = gang_evictable, [EVICT_RECLAIM] = gang_evictable},
};
