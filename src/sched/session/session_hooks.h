/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/session_hooks.h - asking the plugins: one function a shape, which is where its rule is.
 *
 * The list of plugins that have a hook and whose switch is on is made when a configuration is loaded,
 * so that asking costs nothing for the others. The rules are in sched/plugin/plugin.h. */
#ifndef SCHED_SESSION_HOOKS_H
#define SCHED_SESSION_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/plugin/plugin.h"

/* Each hook of the table, by the lists that a configuration makes. */
enum hook {
	HOOK_JOB_ORDER,
	HOOK_QUEUE_ORDER,
	HOOK_TASK_ORDER,
	HOOK_SUB_JOB_ORDER,
	HOOK_VICTIM_QUEUE_ORDER,
	HOOK_JOB_VALID,
	HOOK_JOB_READY,
	HOOK_JOB_STARVING,
	HOOK_SUB_READY,
	HOOK_OVERUSED,
	HOOK_PREEMPTIVE,
	HOOK_ALLOCATABLE,
	HOOK_JOB_ENQUEUEABLE,
	HOOK_JOB_PIPELINED,
	HOOK_SUB_PIPELINED,
	HOOK_EVICT_PREEMPT,
	HOOK_EVICT_RECLAIM,
	HOOK_EVICT_GANG_PREEMPT,
	HOOK_EVICT_GANG_RECLAIM,
	HOOK_PRE_FILTER,
	HOOK_DOMAIN_LIMIT,
	HOOK_DOMAIN_SCORE,
	HOOK_VICTIMS,
	HOOK_JOB_ENQUEUED,
	HOOK_PLACED,
	HOOK_UNPLACED,
	HOOK_COUNT
};
struct hook_row {
	const char *name;
	enum plugin_switch which;
	size_t offset; /* of the function in struct plugin_type */
};
extern const struct hook_row hook_rows[HOOK_COUNT];

struct hook_list {
	const struct plugin **ptr;
	size_t len;
	size_t size;
};

/* --- order: below 0, 0 or above; never 0 for two different things ----------------------------- */
int hook_job_order(const struct session *ssn, const struct job *a, const struct job *b);
/* What the plugins alone say. */
int hook_job_compare(const struct session *ssn, const struct job *a, const struct job *b);
int hook_queue_order(const struct session *ssn, const struct queue_info *a,
		     const struct queue_info *b);
int hook_task_order(const struct session *ssn, const struct task *a, const struct task *b);
int hook_sub_job_order(const struct session *ssn, const struct sub_job *a, const struct sub_job *b);
int hook_victim_queue_order(const struct session *ssn, const struct queue_info *a,
			    const struct queue_info *b, const struct queue_info *of);
/* Whose eviction is tried first, for a job (which may be NULL). */
int hook_victim_order(const struct session *ssn, const struct task *a, const struct task *b,
		      const struct job *for_job);

/* --- test, vote; `why` may be NULL ------------------------------------------------------------ */
bool hook_job_test(const struct session *ssn, enum job_test which, const struct job *job,
		   struct reason *why);
bool hook_job_vote(const struct session *ssn, enum job_vote which, const struct job *job,
		   struct reason *why);
/* Of jobs without sub-group policies the job itself is asked about. */
bool hook_sub_ready(const struct session *ssn, const struct sub_job *sub);
bool hook_sub_pipelined(const struct session *ssn, const struct sub_job *sub);
bool hook_overused(const struct session *ssn, const struct queue_info *queue);
bool hook_preemptive(const struct session *ssn, const struct queue_info *queue,
		     struct task *const *tasks, size_t count);
enum allowance hook_allocatable(const struct session *ssn, const struct queue_info *queue,
				const struct task *task, struct reason *why);

/* --- guard ------------------------------------------------------------------------------------ */
/* Evictable by status, by its own wish (preemptable), and by every plugin; if none decides, no pod is. */
bool hook_evictable(const struct session *ssn, const struct evict_ask *ask,
		    const struct task *victim);

/* --- filter: before any node; NULL is fine, else why not ---------------------------------------- */
const char *hook_pre_filter(const struct session *ssn, const struct task *task);

/* --- domains of the network --------------------------------------------------------------------- */
/* The highest tier that a topology allows. */
int64_t hook_domain_limit(const struct session *ssn, const struct network_topology *topology);
double hook_domain_score(const struct session *ssn, const struct domain *domain,
			 const struct resources *request);

/* --- pick, note --------------------------------------------------------------------------------- */
void hook_victims(const struct session *ssn, struct task_list *to);
void hook_job_enqueued(const struct session *ssn, struct job *job);
/* Notifies the plugins, and takes it back if one refuses: then -1. */
int hook_placed(const struct session *ssn, struct task *task);
void hook_unplaced(const struct session *ssn, struct task *task);

#endif
