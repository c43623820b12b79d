/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/evict_plan.c - what one task on one node would cost, and which of two such plans costs less.
 *
 * Candidates of the node go in the statement, the least valuable first, until the task fits; then those that
 * did not have to go stay. The trial is undone: a plan is a list. */
#include "sched/evict/evict_internal.h"
#include "sched/place/finder.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* --- victims --------------------------------------------------------------------------------- */

bool search_is_candidate(const struct search *s, const struct task *task, const struct task *victim)
{
	const struct job *job = victim->job;

	if (!task_is(victim, TASKS_EVICTABLE) || !victim->preemptable || !job || !job->grouped ||
	    !job->queue || (task->class->empty && !victim->class->empty))
		return false;
	if (s->within)
		return job == s->job;
	if (job == s->job || (job->queue != s->job->queue) != s->rules->across_queues)
		return false;
	if (search_is_about_gangs(s) && job->preemptable.set && !job->preemptable.value)
		return false;
	if (s->rules->kind == EVICT_GANG_PREEMPT && job->priority >= s->job->priority)
		return false;
	return !s->rules->across_queues ||
	       (job->queue->reclaimable && victim->status == TASK_RUNNING);
}

/* Between queues it is no matter of priority which gang of a queue goes. */
static bool loss_goes_first(const struct search *s)
{
	return s->rules->kind == EVICT_GANG_RECLAIM;
}

/* Below 0: `a` goes first. Where gangs may be broken, the tasks of one follow each other, and the
 * smaller gang is the smaller loss. */
static int order_victims(const struct search *s, const struct task *a, const struct task *b)
{
	uint32_t left, right;
	int order;

	if (!search_is_about_gangs(s) || a->job == b->job || a->job->queue != b->job->queue)
		return hook_victim_order(s->ssn, a, b, s->job);
	left = job_ready_count(a->job);
	right = job_ready_count(b->job);
	order = hook_job_compare(s->ssn, b->job, a->job);
	if (order && !(s->breaking && loss_goes_first(s) && left != right))
		return order;
	if (left != right)
		return left < right ? -1 : 1;
	return job_order(b->job, a->job);
}

void search_insert(const struct search *s, struct task_list *list, struct task *task)
{
	vec_push(list, task);
	for (size_t i = list->len - 1; i > 0 && order_victims(s, list->ptr[i - 1], task) > 0; i--) {
		list->ptr[i] = list->ptr[i - 1];
		list->ptr[i - 1] = task;
	}
}

/* --- one node -------------------------------------------------------------------------------- */

int64_t search_capacity(const struct search *s, const struct node_info *node, int dim)
{
	return columns_get(&s->ssn->cluster->columns, CAPACITY_FUTURE, dim, node->slot);
}

/* The filter of pod counts knows only of now. */
bool search_has_place(const struct search *s, struct task *task, struct node_info *node)
{
	verdict v = finder_test(s->ssn, task, node, CAPACITY_FUTURE);

	return !(verdict_codes(v) & ~verdict_codes(VERDICT(FIT_POD_COUNT))) &&
	       search_capacity(s, node, DIM_PODS) > 0;
}

/* ... and may its queue hold it? Who evicts has to stay within his share: what is lent goes to others first,
 * and all evictions would be useless. */
bool search_fits(const struct search *s, struct task *task, struct node_info *node,
		 enum allowance least)
{
	return search_has_place(s, task, node) &&
	       hook_allocatable(s->ssn, s->job->queue, task, NULL) >= least;
}

/* What a task takes of a dimension: of pods, one. */
static int64_t amount(const struct task *task, int dim)
{
	return dim == DIM_PODS ? 1 : resources_get(&task->class->request, dim);
}

/* The dimensions that a task lacks on a node, if a pod there (may be NULL) were to stay. */
static dim_set lacks_with(const struct search *s, const struct task *task,
			  const struct node_info *node, const struct task *stays)
{
	dim_set ret = 0;

	for (dim_set rest = resources_dims(&task->class->request) | DIM_BIT(DIM_PODS); rest;
	     rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (search_capacity(s, node, dim) - (stays ? amount(stays, dim) : 0) <
		    amount(task, dim))
			ret |= DIM_BIT(dim);
	}
	return ret;
}

static dim_set lacks(const struct search *s, const struct task *task, const struct node_info *node)
{
	return lacks_with(s, task, node, NULL);
}

static bool has_some(const struct task *victim, dim_set dims)
{
	for (dim_set rest = dims; rest; rest &= rest - 1)
		if (amount(victim, __builtin_ctzll(rest)) > 0)
			return true;
	return false;
}

/* The candidates of a node, in the order in which they go; false if all of them would not do. */
static bool collect_candidates(struct search *s, struct task *task, struct node_info *node)
{
	dim_set lacking = lacks(s, task, node);

	vec_clear(&s->candidates);
	LIST_EACH(&node->tasks, struct task, node_link, victim)
		if (search_is_candidate(s, task, victim))
			search_insert(s, &s->candidates, victim);
	for (dim_set rest = lacking; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t capacity = search_capacity(s, node, dim);

		for (size_t i = 0; i < s->candidates.len; i++)
			capacity += amount(s->candidates.ptr[i], dim);
		if (capacity < amount(task, dim))
			return false;
	}
	return s->candidates.len > 0;
}

/* Candidates go until the task fits. With `whole`, also those whose gang cannot do without them. */
static bool evict_candidates(struct search *s, const struct evict_ask *ask, struct plan *plan,
			     bool whole)
{
	struct task *task = ask->task;

	for (size_t i = 0; i < s->candidates.len; i++) {
		struct task *victim = s->candidates.ptr[i];
		dim_set lacking = lacks(s, task, plan->node);

		if (!task_is(victim, TASKS_EVICTABLE) || (lacking && !has_some(victim, lacking)) ||
		    gangs_keep(s, victim, whole) || !gangs_may_go(s, ask, &plan->victims, victim))
			continue;
		plan->broken += search_is_about_gangs(s) && !job_can_spare(victim);
		statement_evict(s->st, victim, s->rules->word, s->job);
		search_insert(s, &plan->victims, victim);
		if (!lacks(s, task, plan->node) && search_fits(s, task, plan->node, ALLOWANCE_OWN))
			return true;
	}
	/* The queue may be in the way still, and the rests of the gangs hold something of it. */
	return whole && !lacks(s, task, plan->node) && gangs_evict_rests(s, ask, &plan->victims) &&
	       search_fits(s, task, plan->node, ALLOWANCE_OWN);
}

/* Those that did not have to go stay, the most valuable first. */
static void spare_needless(struct search *s, struct task *task, struct plan *plan)
{
	for (size_t i = plan->victims.len; i-- > 0 && plan->victims.len > 1;) {
		struct task *victim = plan->victims.ptr[i];

		if (lacks_with(s, task, plan->node, victim))
			continue;
		(void)statement_spare(s->st, victim);
		if (search_fits(s, task, plan->node, ALLOWANCE_OWN))
			vec_remove(&plan->victims, i);
		else
			statement_evict(s->st, victim, s->rules->word, s->job);
	}
}

/* What would it cost here? The model is as before. */
bool plan_make(struct search *s, struct task *task, struct node_info *node, struct plan *plan)
{
	const struct evict_ask ask = {.kind = s->rules->kind, .job = s->job, .task = task};
	size_t mark = statement_mark(s->st), rests = s->rests.len;
	bool found;

	plan->node = node;
	plan->broken = 0;
	vec_clear(&plan->victims);
	if (verdict_is_final(finder_test(s->ssn, task, node, CAPACITY_COUNT)) ||
	    !collect_candidates(s, task, node))
		return false;
	found = evict_candidates(s, &ask, plan, false);
	if (!found && s->rules->whole_gangs) {
		statement_undo_to(s->st, mark, false);
		vec_clear(&plan->victims);
		s->breaking = true;
		found = collect_candidates(s, task, node);
		gangs_judge(s, &ask);
		found = found && (evict_candidates(s, &ask, plan, false) ||
				  evict_candidates(s, &ask, plan, true));
	}
	if (found)
		spare_needless(s, task, plan);
	plan->lost = gangs_count_lost(s, &plan->victims);
	statement_undo_to(s->st, mark, false);
	s->rests.len = rests;
	s->breaking = false;
	return found;
}

/* --- comparing ------------------------------------------------------------------------------- */

static int64_t youngest(const struct task_list *list)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < list->len; i++)
		if (list->ptr[i]->created < least)
			least = list->ptr[i]->created;
	return least;
}

/* Below 0: `a` costs less. Whom it hurts at worst counts first, then how many, then how much work is
 * lost; then what the task likes better, and the order of nodes. */
int plan_compare(const struct search *s, const struct plan *a, const struct plan *b)
{
	const struct task *x = a->victims.ptr[a->victims.len - 1];
	const struct task *y = b->victims.ptr[b->victims.len - 1];
	int order = 0;

	if (a->broken != b->broken)
		return a->broken < b->broken ? -1 : 1;
	if (x->job->queue != y->job->queue)
		order = hook_victim_queue_order(s->ssn, x->job->queue, y->job->queue,
						s->job->queue);
	else if (loss_goes_first(s) && a->broken && a->lost != b->lost)
		order = a->lost < b->lost ? -1 : 1;
	else if (x->job != y->job)
		order = hook_job_compare(s->ssn, y->job, x->job);
	if (order)
		return order;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	if (a->lost != b->lost)
		return a->lost < b->lost ? -1 : 1;
	if (youngest(&a->victims) != youngest(&b->victims))
		return youngest(&a->victims) > youngest(&b->victims) ? -1 : 1;
	if (a->score < b->score || a->score > b->score)
		return a->score > b->score ? -1 : 1;
	return 0;
}
