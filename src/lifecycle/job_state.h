/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_state.h - the state machine of a Job as a table: in which phase which action does
 * what.
 *
 * `job_rules_print()` prints it; what the evaluations say is in job_evaluate(). */
#ifndef LIFECYCLE_JOB_STATE_H
#define LIFECYCLE_JOB_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/volcano/command.h"
#include "model/volcano/vcjob.h"

enum job_reaction {
	JOB_REACT_SYNC,   /* create what is missing, count, evaluate */
	JOB_REACT_KILL,   /* kill the whole job: a new version; pods and objects are deleted */
	JOB_REACT_TARGET, /* kill the target of the event: a task, a pod, a partition */
	JOB_REACT_STAY,   /* the current kill goes on, or is complete */
	JOB_REACT_COUNT
};

struct job_rule {
	enum vcjob_phase phase;
	enum bus_action action; /* BUS_ACTION_COUNT: any other */
	enum job_reaction reaction;
	bool retry;            /* counts as a retry */
	enum vcjob_phase next; /* recorded with it; VCJOB_PHASE_NONE: by evaluation */
};
extern const struct job_rule job_rules[];
extern const size_t job_rule_count;

/* Never NULL. */
const struct job_rule *job_rule_find(enum vcjob_phase phase, enum bus_action action);
/* Prints the table, one line per rule. */
void job_rules_print(struct buf *to);

/* Pods by phase; terminating pods count only as terminating. */
struct job_count {
	int32_t pending;
	int32_t running;
	int32_t succeeded;
	int32_t failed;
	int32_t unknown;
	int32_t terminating;
};

/* The input of an evaluation. */
struct job_facts {
	const struct vcjob *job;
	const struct job_count *all;
	const struct job_count *tasks; /* one per task of the spec */
	bool killed;                   /* all targets of the kill have ended */
};

/* The next phase by these facts, or the same one. */
enum vcjob_phase job_evaluate(enum vcjob_phase phase, const struct job_facts *facts);

/* Does the job create pods in this phase? */
static inline bool job_phase_is_live(enum vcjob_phase phase)
{
	return phase == VCJOB_PENDING || phase == VCJOB_RUNNING;
}

int64_t job_replicas(const struct vcjob_spec *spec);

#endif
