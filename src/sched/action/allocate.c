/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/allocate.c - place waiting tasks (scheduler specification, 5.2).
 *
 * Queue by queue and job by job: a job first gets exactly its minimum, all of it or nothing, then one
 * task a turn. What a queue may not hold as its own is left for a second round, in which capacity that
 * no other job has a better right to is lent, so that no job waits while capacity is idle for its share to grow
 * (part 11).
 *
 * A job has one attempt: its sub-groups that have something to place, each with its tasks in order. A
 * job without sub-group policies has one sub-group, and the same code serves both. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sched/action/action_rows.h"
#include "sched/action/allocate_internal.h"
#include "sched/cluster/hypernodes.h"
#include "sched/device/cards.h"
#include "sched/place/domain_search.h"
#include "sched/place/finder.h"
#include "sched/place/job_group.h"
#include "sched/place/reservation.h"
#include "sched/report/refusal.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* --- attempts ---------------------------------------------------------------------------------- */

static struct attempt_sub *sub_of(struct attempt *attempt, struct session *ssn, struct sub_job *sub)
{
	struct attempt_sub *part;

	if (sub->place < attempt->subs.len && attempt->subs.ptr[sub->place]->sub == sub)
		return attempt->subs.ptr[sub->place];
	part = mem_new(struct attempt_sub);
	part->sub = sub;
	part->came = sub->place = attempt->subs.len;
	pq_init(&part->tasks, ssn, pq_tasks);
	vec_push(&attempt->subs, part);
	return part;
}

static void attempt_free(struct attempt *attempt)
{
	for (size_t i = 0; i < attempt->subs.len; i++) {
		pq_done(&attempt->subs.ptr[i]->tasks);
		vec_done(&attempt->subs.ptr[i]->failed);
		mem_free(attempt->subs.ptr[i]);
	}
	vec_done(&attempt->subs);
	pq_done(&attempt->waiting);
	mem_free(attempt);
}

/* Those that a policy's minimum needs come first, then the order of the hooks. */
static int pq_subs(const struct session *ssn, const void *left, const void *right)
{
	const struct attempt_sub *a = left, *b = right;

	if (a->required != b->required)
		return a->required ? -1 : 1;
	return hook_sub_job_order(ssn, a->sub, b->sub);
}

static int compare_subs(const void *left, const void *right, void *ssn)
{
	const struct attempt_sub *const *a = left, *const *b = right;
	int order = pq_subs(ssn, *a, *b);

	return order ? order : (*a)->came < (*b)->came ? -1 : (*a)->came > (*b)->came;
}

static void sort_subs(struct session *ssn, struct attempt *attempt)
{
	if (attempt->subs.len > 1)
		qsort_r(attempt->subs.ptr, attempt->subs.len, sizeof(struct attempt_sub *),
			compare_subs, ssn);
}

static void order_subs(struct session *ssn, struct attempt *attempt)
{
	struct job *job = attempt->job;

	job_rate_subs(job);
	sort_subs(ssn, attempt);
	for (size_t p = 0; p < job->policy_count; p++) {
		int32_t have = 0;

		LIST_EACH(&job->subs, struct sub_job, link, sub)
			have += sub->policy == &job->policies[p] && hook_sub_ready(ssn, sub);
		for (size_t i = 0; i < attempt->subs.len; i++) {
			struct attempt_sub *part = attempt->subs.ptr[i];

			if (part->sub->policy != &job->policies[p] ||
			    hook_sub_ready(ssn, part->sub))
				continue;
			part->required = have < job->policies[p].min_groups;
			have += part->required;
		}
	}
	pq_init(&attempt->waiting, ssn, pq_subs);
	for (size_t i = 0; i < attempt->subs.len; i++)
		pq_push(&attempt->waiting, attempt->subs.ptr[i]);
}

/* A task that only Volcano's own gate keeps back joins, to have it taken away. */
static bool takes_part(const struct session *ssn, const struct task *task)
{
	return task->ours && !task->class->empty &&
	       (!task->gated || (ssn->options.queue_gates && task->queue_gate));
}

static void add_task(struct attempt_sub *part, struct task *task)
{
	bool alike = !part->tasks.len || part->class == task->class;

	part->class = alike && !task->gated && !task->reserved_node ? task->class : NULL;
	pq_push(&part->tasks, task);
}

static struct attempt *attempt_new(struct session *ssn, struct job *job)
{
	struct attempt *attempt = mem_new(struct attempt);

	attempt->job = job;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (takes_part(ssn, task))
			add_task(sub_of(attempt, ssn, task->sub), task);
	LIST_EACH(&job->tasks[TASK_PIPELINED], struct task, job_link, held)
		if (reservation_has(job, held))
			add_task(sub_of(attempt, ssn, held->sub), held);
	if (job->policy_count)
		order_subs(ssn, attempt);
	return attempt;
}

static bool has_tasks(const struct attempt *attempt)
{
	if (attempt->job->policy_count)
		return attempt->waiting.len > 0;
	return attempt->subs.len && attempt->subs.ptr[0]->tasks.len;
}

/* --- one task -------------------------------------------------------------------------------- */

static bool has_failed(void *arg, uint32_t role)
{
	const struct attempt_sub *part = arg;

	for (size_t i = 0; i < part->failed.len; i++)
		if (part->failed.ptr[i] == role)
			return true;
	return false;
}

static const struct fit *whole_fit(struct session *ssn, const char *text)
{
	struct fit *fit = arena_zalloc(ssn->arena, sizeof(*fit));

	fit->whole = text;
	return fit;
}

/* What is wrong before any node is looked at counts as wrong with each of them. */
static const struct fit *fit_everywhere(struct session *ssn, const char *text,
					const struct node_set *set)
{
	struct fit *fit = arena_zalloc(ssn->arena, sizeof(*fit) + sizeof(fit->at[0]));

	fit->nodes = (uint32_t)(set->slots ? set->len : ssn->cluster->node_count);
	fit->len = 1;
	fit->at[0] = (struct fit_count){
		.code = FIT_OTHER, .detail = session_text(ssn, text), .count = fit->nodes};
	return fit;
}

/* The node that an earlier cycle freed capacity on, if it is still good. */
static bool choose_nominated(const struct allocation *a, const struct task *task,
			     struct choice *ret)
{
	struct session *ssn = a->ssn;
	struct node_info *node;

	if (!task->nominated && !task->reserved_node)
		return false;
	node = task->reserved_node
		       ? reservation_node(ssn, task)
		       : cluster_find_node(ssn->cluster,
					   symbols_text(ssn->cluster->symbols, task->nominated));
	if (!node || (a->in && !domain_has_node(a->in, node->slot)) ||
	    finder_test(ssn, task, node, CAPACITY_FUTURE))
		return false;
	ret->node = node;
	ret->idle = cluster_fits(ssn->cluster, CAPACITY_IDLE, node->slot, task->class) &&
		    cards_are_free(ssn->cluster, task, node);
	return true;
}

static bool choose(struct allocation *a, struct task *task, struct choice *ret,
		   const struct fit **ret_fit)
{
	if (choose_nominated(a, task, ret))
		return true;
	return a->descent ? descent_choose(a->descent, task, ret, ret_fit)
			  : finder_choose(a->ssn, task, &a->set, ret, ret_fit);
}

/* --- Volcano's own gate ---------------------------------------------------------------------- */

static void reserve(struct allocation *a, const struct task *task)
{
	while (a->reserved.len <= task->job->queue->id)
		(void)vec_add(&a->reserved);
	resources_add(&a->reserved.ptr[task->job->queue->id], class_charge(task->class));
}

static void reserve_all(struct allocation *a, const struct job *job)
{
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (!task->gated && task->queue_gate_wish)
			reserve(a, task);
}

/* Could the queue take it in addition to what is reserved? Asked with reservations counted as in use. */
static bool fits_reserved(struct allocation *a, const struct task *task)
{
	struct queue_info *queue = task->job->queue;
	struct reason why = {.dim = DIM_NONE};
	bool fits;

	if (queue->id >= a->reserved.len)
		return hook_allocatable(a->ssn, queue, task, &why) != ALLOWANCE_NONE;
	for (struct queue_info *q = queue; q; q = q->parent)
		resources_count(&q->allocated, &a->reserved.ptr[queue->id], 1);
	fits = hook_allocatable(a->ssn, queue, task, &why) != ALLOWANCE_NONE;
	for (struct queue_info *q = queue; q; q = q->parent)
		resources_count(&q->allocated, &a->reserved.ptr[queue->id], -1);
	return fits;
}

static void open_gate(struct allocation *a, struct task *task)
{
	if (!task->queue_gate_wish || a->lending || !fits_reserved(a, task))
		return;
	reserve(a, task);
	decisions_add(a->ssn, DECIDE_UNGATE)->task = task;
}

/* --- placing --------------------------------------------------------------------------------- */

enum step { STEP_PLACED, STEP_SKIPPED, STEP_FAILED, STEP_REFUSED /* by its queue */ };

/* Without nodes nothing is tried, and so nothing reported of any. */
static void note_fit(struct session *ssn, struct task *task, const struct fit *fit)
{
	if (ssn->cluster->node_count)
		session_note(ssn, task)->fit = fit;
}

static enum step fail(const struct allocation *a, struct attempt_sub *part, struct task *task,
		      const struct fit *fit)
{
	struct reason why = {.code = REASON_NODES,
			     .dim = DIM_NONE,
			     .subject = task->job->roles.len > 1 ? task->role : SYMBOL_NONE,
			     .fit = fit};

	/* Where capacity is lent, that there is none is not why it waits. */
	if (!a->lending) {
		note_fit(a->ssn, task, fit);
		refusal_add(a->ssn, task, &why);
	}
	if (!has_failed(part, task->role))
		vec_push(&part->failed, task->role);
	return STEP_FAILED;
}

/* May its queue hold it, in this round? */
static bool is_allowed(struct allocation *a, struct attempt *attempt, struct task *task)
{
	struct reason why = {.dim = DIM_NONE};
	enum allowance allowance = hook_allocatable(a->ssn, task->job->queue, task, &why);

	if (allowance == ALLOWANCE_OWN ||
	    (allowance == ALLOWANCE_BORROW && (a->lending || task->reserved_node)))
		return true;
	if (allowance == ALLOWANCE_BORROW)
		attempt->blocked = true;
	refusal_add(a->ssn, task, &why);
	return false;
}

static enum step place_task(struct allocation *a, struct attempt *attempt, struct attempt_sub *part,
			    struct statement *st, struct task *task)
{
	struct session *ssn = a->ssn;
	const struct fit *fit = NULL;
	struct choice choice;
	const char *wrong;

	if (!is_allowed(a, attempt, task))
		return STEP_REFUSED;
	if (task->gated) {
		open_gate(a, task);
		return STEP_SKIPPED;
	}
	if (task->role && has_failed(part, task->role)) {
		const struct fit *fit_of_role = whole_fit(
			ssn,
			arena_printf(ssn->arena,
				     "Task %.*s with role spec %.*s has already predicated "
				     "failed, skip",
				     STR_ARG(task_name(task)),
				     STR_ARG(symbols_text(ssn->cluster->symbols, task->role))));

		if (!a->lending)
			note_fit(ssn, task, fit_of_role);
		return STEP_SKIPPED;
	}
	wrong = hook_pre_filter(ssn, task);
	if (wrong)
		return fail(a, part, task, fit_everywhere(ssn, wrong, &a->set));
	if (!choose(a, task, &choice, &fit))
		return fail(a, part, task, fit);
	if ((choice.idle ? statement_allocate(st, task, choice.node)
			 : statement_pipeline(st, task, choice.node, false)) < 0)
		return STEP_SKIPPED;
	if (a->descent)
		descent_add(a->descent, choice.node->slot);
	return STEP_PLACED;
}

/* --- one job --------------------------------------------------------------------------------- */

/* How many of these tasks fit, those of one class alone: no search could place more of them. If tasks
 * are alike it does not matter which node each takes, so the count does not depend on the choice. */
static int64_t count_alone(struct session *ssn, struct task *const *tasks, size_t len,
			   const struct class *class)
{
	static const struct node_set all_nodes = {0};
	struct statement *st = statement_new(ssn);
	int64_t count = 0;

	for (size_t i = 0; i < len; i++) {
		struct choice choice;

		if (tasks[i]->class != class)
			continue;
		if (!finder_choose(ssn, tasks[i], &all_nodes, &choice, NULL) ||
		    (choice.idle ? statement_allocate(st, tasks[i], choice.node)
				 : statement_pipeline(st, tasks[i], choice.node, false)) < 0)
			break;
		count++;
	}
	statement_undo_to(st, 0, false);
	statement_discard(st);
	return count;
}

/* Some of a gang had places, and then one of it found none. Where its tasks are of several classes another
 * choice for the first might have done: then it must not be blocked, since choices change when others are
 * placed. Not so where there is too little for them even if each class had it alone. */
static void note_other_choice(struct session *ssn, struct job *job)
{
	VEC(struct task *) tasks = {0};
	int64_t most = job_ready_count(job);
	bool mixed = false;

	if (!ssn->config->blocks || job->other_choice_session == ssn->id)
		return;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (session_is_waiting(ssn, task)) {
			mixed |= tasks.len && task->class != tasks.ptr[0]->class;
			vec_push(&tasks, task);
		}
	for (size_t i = 0; mixed && i < tasks.len; i++) {
		size_t first = 0;

		while (tasks.ptr[first]->class != tasks.ptr[i]->class)
			first++;
		if (first == i)
			most += count_alone(ssn, tasks.ptr, tasks.len, tasks.ptr[i]->class);
	}
	if (mixed && most >= job->min_available)
		job->other_choice_session = ssn->id;
	vec_done(&tasks);
}

bool allocate_sub(struct allocation *a, struct attempt *attempt, struct attempt_sub *part,
		  struct statement *st)
{
	size_t mark = statement_mark(st);
	struct task *task;

	while ((task = pq_pop(&part->tasks))) {
		enum step step = place_task(a, attempt, part, st, task);

		if (step == STEP_FAILED && !job_goes_on(attempt->job, part->sub, has_failed, part))
			break;
		if (step == STEP_PLACED && hook_sub_ready(a->ssn, part->sub))
			return true;
		if (step == STEP_REFUSED && part->class)
			part->tasks.len = 0; /* so would be the others, which are like it */
	}
	if (statement_mark(st) > mark && hook_sub_pipelined(a->ssn, part->sub))
		return true;
	attempt->torn |= part->failed.len && !statement_is_empty(st);
	statement_undo_to(st, mark, !a->lending);
	return false;
}

void allocate_forget(struct session *ssn, struct job *job, const struct sub_job *sub)
{
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if ((!sub || task->sub == sub) && session_find_note(ssn, task)->fit)
			session_note(ssn, task)->fit = NULL;
}

/* Sub-group by sub-group, each to its minimum and then task by task, until the job has what it needs. One that
 * does not fit is not tried again. */
void allocate_groups(struct allocation *a, struct attempt *attempt, struct statement *st)
{
	struct attempt_sub *part;

	if (!a->lending && !attempt->clean)
		allocate_forget(a->ssn, attempt->job, NULL);
	attempt->clean = true;
	while ((part = pq_pop(&attempt->waiting))) {
		if (part->failed.len && !a->lending)
			allocate_forget(a->ssn, attempt->job, part->sub);
		part->failed.len = 0;
		if (!(a->in ? allocate_sub_in_domains(a, attempt, part, st)
			    : allocate_sub(a, attempt, part, st))) {
			attempt->clean = false;
			continue;
		}
		attempt->clean = attempt->clean && !part->failed.len;
		if (part->tasks.len)
			pq_push(&attempt->waiting, part);
		if (hook_job_test(a->ssn, JOB_READY, attempt->job, NULL))
			break;
	}
}

/* Members that ask for nothing count as ready while they wait. Are there enough others? */
static bool is_whole(const struct session *ssn, const struct job *job)
{
	return !ssn->config->hooks[HOOK_JOB_READY].len ||
	       (int64_t)job_ready_count(job) >= job->min_available;
}

/* As many members that ask for nothing as the minimum needs. */
static bool add_empty(const struct allocation *a, const struct job *job, struct statement *st)
{
	size_t mark = statement_mark(st);
	AUTO(pq_done) struct pq tasks = {0};
	struct task *task;

	pq_init(&tasks, a->ssn, pq_tasks);
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, waiting)
		if (session_is_waiting(a->ssn, waiting) && waiting->class->empty)
			pq_push(&tasks, waiting);
	while (!is_whole(a->ssn, job) && (task = pq_pop(&tasks))) {
		const struct fit *fit = NULL;
		struct choice choice;

		if (hook_pre_filter(a->ssn, task) ||
		    !finder_choose(a->ssn, task, &a->set, &choice, &fit) ||
		    statement_allocate(st, task, choice.node) < 0)
			session_note(a->ssn, task)->fit = fit;
	}
	if (is_whole(a->ssn, job))
		return true;
	statement_undo_to(st, mark, !a->lending);
	return false;
}

static void place_turn(struct allocation *a, struct attempt *attempt, struct statement *st)
{
	if (domain_search_applies(a->ssn, attempt->job))
		allocate_in_domains(a, attempt, st);
	else if (attempt->job->policy_count)
		allocate_groups(a, attempt, st);
	else
		(void)allocate_sub(a, attempt, attempt->subs.ptr[0], st);
}

/* Before a gang is bound, its minimum has places: with members that ask for nothing, where these find some
 * and backfill is there to place the rest of them; else with more of the others (part 11). */
static bool make_whole(struct allocation *a, struct attempt *attempt, struct statement *st)
{
	bool fills = a->ssn->config->fills;
	size_t mark;

	while (!is_whole(a->ssn, attempt->job)) {
		attempt->clean = false; /* members that ask for nothing may find no node either */
		if (fills && add_empty(a, attempt->job, st))
			break;
		mark = statement_mark(st);
		if (has_tasks(attempt))
			place_turn(a, attempt, st);
		if (statement_mark(st) == mark)
			return !fills && add_empty(a, attempt->job, st);
	}
	return true;
}

static bool place_free_job(struct allocation *a, struct attempt *attempt)
{
	struct statement *st = statement_new(a->ssn);

	place_turn(a, attempt, st);
	if (statement_is_empty(st)) {
		statement_discard(st);
		return false;
	}
	if (hook_job_test(a->ssn, JOB_READY, attempt->job, NULL)) {
		if (!make_whole(a, attempt, st)) {
			statement_undo_to(st, 0, !a->lending);
			statement_discard(st);
			return false;
		}
		statement_commit(st);
		return true;
	}
	if (hook_job_vote(a->ssn, JOB_PIPELINED, attempt->job, NULL)) {
		statement_keep(st);
		return false;
	}
	statement_undo_to(st, 0, !a->lending);
	statement_discard(st);
	return false;
}

/* One turn of a job: its minimum, or one task more. Capacity that is kept for it is let go for that. */
static bool place_job(struct allocation *a, struct attempt *attempt)
{
	bool placed;

	reservation_suspend(a->ssn, attempt->job);
	placed = place_free_job(a, attempt);
	a->in = NULL;
	a->set = (struct node_set){0};
	if (!placed && attempt->torn)
		note_other_choice(a->ssn, attempt->job);
	attempt->torn = false;
	if (!placed)
		reservation_resume(a->ssn, attempt->job);
	return placed;
}

/* --- all jobs -------------------------------------------------------------------------------- */

static bool is_wanted(struct session *ssn, struct job *job)
{
	struct reason why = {.dim = DIM_NONE};

	if (!session_has_job(ssn, job))
		return false;
	if (job_is_pending(job)) {
		if (ssn->config->enqueues)
			return false;
		cluster_set_phase(ssn->cluster, job, PODGROUP_INQUEUE);
	}
	if (!job->tally.count[TASK_PENDING] && !job->reservation)
		return false;
	if (hook_job_test(ssn, JOB_VALID, job, &why))
		return true;
	session_refuse(ssn, job, &why);
	return false;
}

static void add_job(struct allocation *a, struct job *job)
{
	struct attempt *attempt;

	if (!is_wanted(a->ssn, job))
		return;
	attempt = attempt_new(a->ssn, job);
	if (!has_tasks(attempt)) {
		attempt_free(attempt);
		return;
	}
	if (job->extra)
		allocate_check_topology(a, job);
	if (!a->ssn->domain_sums && domain_search_applies(a->ssn, job))
		domain_search_note_sums(a->ssn);
	if (a->ssn->options.queue_gates)
		reserve_all(a, job);
	vec_push(&a->attempts, attempt);
	map_put(a->by_job, job_key(job), attempt);
	job_queue_iter_add(&a->iter, job);
}

static void collect(struct allocation *a)
{
	struct job *first;
	size_t at = 0;

	LIST_EACH(&a->ssn->cluster->active, struct job, active_link, job)
		add_job(a, job);
	while ((first = job_groups_next(a->ssn, JOB_GROUP_PLACE, &at)))
		add_job(a, first);
}

/* It has what it needs. Does a job like it wait? */
static void follow(struct allocation *a, struct attempt *attempt)
{
	struct job *next = attempt->followed ? NULL : job_group_follow(a->ssn, attempt->job);

	attempt->followed = true;
	if (next)
		add_job(a, next);
}

/* Its queue holds as much as it may hold as its own. */
static void block(struct allocation *a, struct job *job)
{
	struct attempt *attempt = map_get(a->by_job, job_key(job));
	const struct pq *tasks = &attempt->subs.ptr[0]->tasks;
	struct reason why = {.dim = DIM_NONE};

	attempt->blocked = true;
	if (tasks->len &&
	    hook_allocatable(a->ssn, job->queue, tasks->ptr[0], &why) != ALLOWANCE_OWN)
		session_refuse(a->ssn, job, &why);
}

/* One of its tasks found no node; the others have turns of their own where each is complete by itself. */
static bool has_more(const struct allocation *a, const struct attempt *attempt)
{
	return !attempt->job->policy_count && has_tasks(attempt) &&
	       hook_job_test(a->ssn, JOB_READY, attempt->job, NULL);
}

static void go_round(struct allocation *a)
{
	struct queue_info *queue;

	while ((queue = job_queue_iter_next_queue(&a->iter))) {
		struct job *job;
		struct attempt *attempt;

		if (!a->lending && hook_overused(a->ssn, queue)) {
			while ((job = job_queue_iter_next_job(&a->iter, queue)))
				block(a, job);
			continue;
		}
		job = job_queue_iter_next_job(&a->iter, queue);
		if (!job)
			continue;
		attempt = map_get(a->by_job, job_key(job));
		if (place_job(a, attempt)) {
			if (has_tasks(attempt))
				job_queue_iter_return_job(&a->iter, job);
			follow(a, attempt);
		} else if (has_more(a, attempt)) {
			job_queue_iter_return_job(&a->iter, job);
		}
		job_queue_iter_return_queue(&a->iter, queue);
	}
}

/* What was left over: jobs that only their queue's share kept back, with all their tasks again. */
static void lend(struct allocation *a)
{
	a->lending = true;
	job_queue_iter_done(&a->iter);
	job_queue_iter_init(&a->iter, a->ssn);
	for (size_t i = 0; i < a->attempts.len; i++) {
		struct attempt *old = a->attempts.ptr[i];

		if (!old->blocked)
			continue;
		a->attempts.ptr[i] = attempt_new(a->ssn, old->job);
		a->attempts.ptr[i]->followed = old->followed;
		map_put(a->by_job, job_key(old->job), a->attempts.ptr[i]);
		attempt_free(old);
		if (has_tasks(a->attempts.ptr[i]))
			job_queue_iter_add(&a->iter, a->attempts.ptr[i]->job);
	}
	go_round(a);
}

static void allocate_run(struct session *ssn, struct json arguments)
{
	struct allocation a = {.ssn = ssn};

	(void)arguments;
	job_queue_iter_init(&a.iter, ssn);
	a.by_job = map_new(0);
	collect(&a);
	go_round(&a);
	lend(&a);
	job_queue_iter_done(&a.iter);
	for (size_t i = 0; i < a.attempts.len; i++)
		attempt_free(a.attempts.ptr[i]);
	vec_done(&a.attempts);
	for (size_t i = 0; i < a.reserved.len; i++)
		resources_done(&a.reserved.ptr[i]);
	vec_done(&a.reserved);
	map_free(a.by_job);
}

const struct action_type allocate_action = {.name = "allocate", .run = allocate_run};
