/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/session_hooks.c - the rule of each shape, once; see sched/plugin/plugin.h. */
#include "sched/session/session_hooks.h"

#include <stddef.h>

#include "base/macro.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define HOOK_AT(member) offsetof(struct plugin_type, member)
/* A new hook of a known shape is a row here, its place in the enum, and its caller. */
const struct hook_row hook_rows[HOOK_COUNT] = {
	[HOOK_JOB_ORDER] = {"JobOrder", SWITCH_JOB_ORDER, HOOK_AT(job_order)},
	[HOOK_QUEUE_ORDER] = {"QueueOrder", SWITCH_QUEUE_ORDER, HOOK_AT(queue_order)},
	[HOOK_TASK_ORDER] = {"TaskOrder", SWITCH_TASK_ORDER, HOOK_AT(task_order)},
	[HOOK_SUB_JOB_ORDER] = {"SubJobOrder", SWITCH_SUB_JOB_ORDER, HOOK_AT(sub_job_order)},
	[HOOK_VICTIM_QUEUE_ORDER] = {"VictimQueueOrder", SWITCH_ALWAYS,
				     HOOK_AT(victim_queue_order)},
	[HOOK_JOB_VALID] = {"JobValid", SWITCH_ALWAYS, HOOK_AT(job_test[JOB_VALID])},
	[HOOK_JOB_READY] = {"JobReady", SWITCH_JOB_READY, HOOK_AT(job_test[JOB_READY])},
	[HOOK_JOB_STARVING] = {"JobStarving", SWITCH_JOB_STARVING, HOOK_AT(job_test[JOB_STARVING])},
	[HOOK_SUB_READY] = {"SubJobReady", SWITCH_SUB_JOB_READY, HOOK_AT(sub_test[SUB_READY])},
	[HOOK_OVERUSED] = {"Overused", SWITCH_OVERUSED, HOOK_AT(overused)},
	[HOOK_PREEMPTIVE] = {"Preemptive", SWITCH_PREEMPTIVE, HOOK_AT(preemptive)},
	[HOOK_ALLOCATABLE] = {"Allocatable", SWITCH_ALLOCATABLE, HOOK_AT(allocatable)},
	[HOOK_JOB_ENQUEUEABLE] = {"JobEnqueueable", SWITCH_JOB_ENQUEUED,
				  HOOK_AT(job_vote[JOB_ENQUEUEABLE])},
	[HOOK_JOB_PIPELINED] = {"JobPipelined", SWITCH_JOB_PIPELINED,
				HOOK_AT(job_vote[JOB_PIPELINED])},
	[HOOK_SUB_PIPELINED] = {"SubJobPipelined", SWITCH_SUB_JOB_PIPELINED,
				HOOK_AT(sub_vote[SUB_PIPELINED])},
	[HOOK_EVICT_PREEMPT] = {"Preemptable", SWITCH_PREEMPTABLE,
				HOOK_AT(evictable[EVICT_PREEMPT])},
	[HOOK_EVICT_RECLAIM] = {"Reclaimable", SWITCH_RECLAIMABLE,
				HOOK_AT(evictable[EVICT_RECLAIM])},
	[HOOK_EVICT_GANG_PREEMPT] = {"UnifiedEvictable", SWITCH_ALWAYS,
				     HOOK_AT(evictable[EVICT_GANG_PREEMPT])},
	[HOOK_EVICT_GANG_RECLAIM] = {"UnifiedEvictable", SWITCH_ALWAYS,
				     HOOK_AT(evictable[EVICT_GANG_RECLAIM])},
	[HOOK_PRE_FILTER] = {"PrePredicate", SWITCH_PREDICATE, HOOK_AT(pre_filter)},
	[HOOK_DOMAIN_LIMIT] = {"HyperNodeGradient", SWITCH_HYPERNODE_GRADIENT,
			       HOOK_AT(domain_limit)},
	[HOOK_DOMAIN_SCORE] = {"HyperNodeOrder", SWITCH_HYPERNODE_ORDER, HOOK_AT(domain_score)},
	[HOOK_VICTIMS] = {"VictimTasks", SWITCH_VICTIM, HOOK_AT(victims)},
	[HOOK_JOB_ENQUEUED] = {"JobEnqueued", SWITCH_JOB_ENQUEUED, HOOK_AT(job_enqueued)},
	[HOOK_PLACED] = {"AllocateFunc", SWITCH_ALWAYS, HOOK_AT(placed)},
	[HOOK_UNPLACED] = {"DeallocateFunc", SWITCH_ALWAYS, HOOK_AT(unplaced)},
};
#undef HOOK_AT

static const struct hook_list *list_of(const struct session *ssn, enum hook hook)
{
	return &ssn->config->hooks[hook];
}

/* Walk the plugins that have a hook: EACH_PLUGIN (ssn, HOOK_OVERUSED, p) ... */
#define EACH_PLUGIN(ssn, hook, p)                               \
	for (size_t i_ = 0; i_ < list_of(ssn, hook)->len; i_++) \
		for (const struct plugin *p = list_of(ssn, hook)->ptr[i_]; p; p = NULL)

/* --- order ----------------------------------------------------------------------------------- */

int hook_job_compare(const struct session *ssn, const struct job *a, const struct job *b)
{
	EACH_PLUGIN(ssn, HOOK_JOB_ORDER, p) {
		int order = p->type->job_order(p, a, b);

		if (order)
			return order;
	}
	return 0;
}

int hook_job_order(const struct session *ssn, const struct job *a, const struct job *b)
{
	int order = hook_job_compare(ssn, a, b);

	return order ? order : job_order(a, b);
}

int hook_queue_order(const struct session *ssn, const struct queue_info *a,
		     const struct queue_info *b)
{
	EACH_PLUGIN(ssn, HOOK_QUEUE_ORDER, p) {
		int order = p->type->queue_order(p, a, b);

		if (order)
			return order;
	}
	return queue_order(a, b);
}

int hook_task_order(const struct session *ssn, const struct task *a, const struct task *b)
{
	EACH_PLUGIN(ssn, HOOK_TASK_ORDER, p) {
		int order = p->type->task_order(p, a, b);

		if (order)
			return order;
	}
	return task_order(a, b);
}

int hook_sub_job_order(const struct session *ssn, const struct sub_job *a, const struct sub_job *b)
{
	EACH_PLUGIN(ssn, HOOK_SUB_JOB_ORDER, p) {
		int order = p->type->sub_job_order(p, a, b);

		if (order)
			return order;
	}
	return sub_job_order(a, b);
}

int hook_victim_queue_order(const struct session *ssn, const struct queue_info *a,
			    const struct queue_info *b, const struct queue_info *of)
{
	EACH_PLUGIN(ssn, HOOK_VICTIM_QUEUE_ORDER, p) {
		int order = p->type->victim_queue_order(p, a, b, of);

		if (order)
			return order;
	}
	return hook_queue_order(ssn, b, a);
}

int hook_victim_order(const struct session *ssn, const struct task *a, const struct task *b,
		      const struct job *for_job)
{
	const struct queue_info *qa = a->job ? a->job->queue : NULL;
	const struct queue_info *qb = b->job ? b->job->queue : NULL;
	int order;

	if (a->job == b->job)
		return hook_task_order(ssn, b, a);
	if (!a->job || !b->job)
		return a->job ? 1 : -1;
	if (qa != qb && qa && qb && for_job && for_job->queue)
		return hook_victim_queue_order(ssn, qa, qb, for_job->queue);
	order = hook_job_compare(ssn, b->job, a->job);
	return order ? order : hook_task_order(ssn, b, a);
}

/* --- test ------------------------------------------------------------------------------------ */

/* All of the first tier that has an opinion; no opinion at all: no. */
static bool is_starving(const struct session *ssn, const struct job *job)
{
	const struct hook_list *list = list_of(ssn, HOOK_JOB_STARVING);

	for (size_t i = 0; i < list->len && list->ptr[i]->tier == list->ptr[0]->tier; i++)
		if (!list->ptr[i]->type->job_test[JOB_STARVING](list->ptr[i], job, NULL))
			return false;
	return list->len > 0;
}

bool hook_job_test(const struct session *ssn, enum job_test which, const struct job *job,
		   struct reason *why)
{
	struct reason none = {.dim = DIM_NONE};

	if (which == JOB_STARVING)
		return is_starving(ssn, job);
	if (why)
		*why = none;
	EACH_PLUGIN(ssn, which == JOB_VALID ? HOOK_JOB_VALID : HOOK_JOB_READY, p)
		if (!p->type->job_test[which](p, job, why ? why : &none))
			return false;
	return true;
}

bool hook_sub_ready(const struct session *ssn, const struct sub_job *sub)
{
	if (!sub->job->policy_count)
		return hook_job_test(ssn, JOB_READY, sub->job, NULL);
	EACH_PLUGIN(ssn, HOOK_SUB_READY, p)
		if (!p->type->sub_test[SUB_READY](p, sub))
			return false;
	return true;
}

bool hook_overused(const struct session *ssn, const struct queue_info *queue)
{
	EACH_PLUGIN(ssn, HOOK_OVERUSED, p)
		if (p->type->overused(p, queue))
			return true;
	return false;
}

bool hook_preemptive(const struct session *ssn, const struct queue_info *queue,
		     struct task *const *tasks, size_t count)
{
	EACH_PLUGIN(ssn, HOOK_PREEMPTIVE, p)
		if (!p->type->preemptive(p, queue, tasks, count))
			return false;
	return true;
}

enum allowance hook_allocatable(const struct session *ssn, const struct queue_info *queue,
				const struct task *task, struct reason *why)
{
	enum allowance least = ALLOWANCE_OWN;
	struct reason own = {.dim = DIM_NONE};

	EACH_PLUGIN(ssn, HOOK_ALLOCATABLE, p) {
		enum allowance allowance = p->type->allocatable(p, queue, task, &own);

		if (allowance >= least)
			continue;
		least = allowance;
		if (why)
			*why = own;
	}
	return least;
}

/* --- vote ------------------------------------------------------------------------------------ */

/* Has the tier of plugin `i` ended with it? */
static bool ends_tier(const struct hook_list *list, size_t i)
{
	return i + 1 == list->len || list->ptr[i + 1]->tier != list->ptr[i]->tier;
}

bool hook_job_vote(const struct session *ssn, enum job_vote which, const struct job *job,
		   struct reason *why)
{
	const struct hook_list *list =
		list_of(ssn, which == JOB_ENQUEUEABLE ? HOOK_JOB_ENQUEUEABLE : HOOK_JOB_PIPELINED);
	struct reason own = {.dim = DIM_NONE};
	bool permitted = false;

	for (size_t i = 0; i < list->len; i++) {
		enum vote vote = list->ptr[i]->type->job_vote[which](list->ptr[i], job, &own);

		if (vote == VOTE_REJECT) {
			if (why)
				*why = own;
			return false;
		}
		permitted |= vote == VOTE_PERMIT;
		if (permitted && ends_tier(list, i))
			return true;
	}
	return true;
}

bool hook_sub_pipelined(const struct session *ssn, const struct sub_job *sub)
{
	const struct hook_list *list = list_of(ssn, HOOK_SUB_PIPELINED);
	bool permitted = false;

	if (!sub->job->policy_count)
		return hook_job_vote(ssn, JOB_PIPELINED, sub->job, NULL);
	for (size_t i = 0; i < list->len; i++) {
		enum vote vote = list->ptr[i]->type->sub_vote[SUB_PIPELINED](list->ptr[i], sub);

		if (vote == VOTE_REJECT)
			return false;
		permitted |= vote == VOTE_PERMIT;
		if (permitted && ends_tier(list, i))
			return true;
	}
	return true;
}

/* --- guard, filter --------------------------------------------------------------------------- */

bool hook_evictable(const struct session *ssn, const struct evict_ask *ask,
		    const struct task *victim)
{
	enum hook hook = (enum hook)(HOOK_EVICT_PREEMPT + (int)ask->kind);

	if (!task_is(victim, TASKS_EVICTABLE) || !victim->preemptable ||
	    !ssn->config->hooks[hook].len)
		return false;
	EACH_PLUGIN(ssn, hook, p)
		if (!p->type->evictable[ask->kind](p, ask, victim))
			return false;
	return true;
}

const char *hook_pre_filter(const struct session *ssn, const struct task *task)
{
	if (ssn->cluster->look)
		ssn->cluster->look(ssn->cluster->look_arg, task);
	EACH_PLUGIN(ssn, HOOK_PRE_FILTER, p) {
		const char *why = p->type->pre_filter(p, task);

		if (why)
			return why;
	}
	return NULL;
}

/* --- domains of the network ------------------------------------------------------------------ */

int64_t hook_domain_limit(const struct session *ssn, const struct network_topology *topology)
{
	int64_t least = INT64_MAX;

	EACH_PLUGIN(ssn, HOOK_DOMAIN_LIMIT, p) {
		int64_t limit = p->type->domain_limit(p, topology);

		least = limit < least ? limit : least;
	}
	return least;
}

double hook_domain_score(const struct session *ssn, const struct domain *domain,
			 const struct resources *request)
{
	double sum = 0;

	EACH_PLUGIN(ssn, HOOK_DOMAIN_SCORE, p)
		sum += p->type->domain_score(p, domain, request);
	return sum;
}

/* --- pick, note ------------------------------------------------------------------------------ */

void hook_victims(const struct session *ssn, struct task_list *to)
{
	const struct hook_list *list = list_of(ssn, HOOK_VICTIMS);

	for (size_t i = 0; i < list->len; i++) {
		list->ptr[i]->type->victims(list->ptr[i], to);
		if (to->len && ends_tier(list, i))
			return;
	}
}

void hook_job_enqueued(const struct session *ssn, struct job *job)
{
	EACH_PLUGIN(ssn, HOOK_JOB_ENQUEUED, p)
		p->type->job_enqueued(p, job);
}

int hook_placed(const struct session *ssn, struct task *task)
{
	const struct hook_list *list = list_of(ssn, HOOK_PLACED);

	for (size_t i = 0; i < list->len; i++) {
		if (list->ptr[i]->type->placed(list->ptr[i], task) == 0)
			continue;
		while (i-- > 0)
			if (list->ptr[i]->type->unplaced)
				list->ptr[i]->type->unplaced(list->ptr[i], task);
		return -1;
	}
	return 0;
}

void hook_unplaced(const struct session *ssn, struct task *task)
{
	const struct hook_list *list = list_of(ssn, HOOK_UNPLACED);

	for (size_t i = list->len; i-- > 0;)
		list->ptr[i]->type->unplaced(list->ptr[i], task);
}
