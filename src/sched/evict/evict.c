/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/evict.c - see the header.
 *
 * A task looks for a node: one with capacity, now or soon, costs no job anything. Else each node is tried:
 * its tasks that may go, the least valuable first, until the task fits; then those that need not have
 * gone stay. The node whose plan costs least is taken. When the gang has its minimum, the statement is
 * played again without each victim in turn, the most valuable first: what a later task made needless
 * is spared. So no victim of a committed set could have stayed.
 *
 * What must stay true: guards are asked about each victim on the model as it stands; a statement that
 * is not committed leaves no trace; sparing a victim never needs another one to go. */
#include "sched/evict/evict.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sched/cluster/hypernodes.h"
#include "sched/evict/evict_internal.h"
#include "sched/evict/eviction_estimate.h"
#include "sched/place/domain_search.h"
#include "sched/place/finder.h"
#include "sched/session/job_queue_iter.h"
#include "sched/session/rows.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* Plans for tasks of one class, a node each, as a heap with the cheapest on top. They are of the time at
 * which they were made; only the top is made again before it is taken. */
struct market {
	const struct class *class;
	VEC(struct plan) plans;
	size_t made; /* the same for the look at all nodes */
};

/* A task for which no node was found; a task like it need not look. */
struct failed_search {
	const struct class *class;
	const struct queue_info *queue;
	int32_t job_priority;
};
struct failed_searches {
	VEC(struct failed_search) list;
};

/* --- where ----------------------------------------------------------------------------------- */

struct node_set search_set(const struct search *s)
{
	if (!s->in || !s->in->parent)
		return (struct node_set){0};
	return (struct node_set){
		.name = s->in->name, .slots = s->in->slots.ptr, .len = s->in->slots.len};
}

bool search_has_node(const struct search *s, const struct node_info *node)
{
	return node && (!s->in || domain_has_node(s->in, node->slot));
}

/* --- placing --------------------------------------------------------------------------------- */

static bool place(struct search *s, struct task *task, struct node_info *node, bool evicting)
{
	if (statement_pipeline(s->st, task, node, evicting) < 0)
		return false;
	vec_push(&s->placements,
		 (struct placement){.task = task,
				    .node = node,
				    .least = evicting ? ALLOWANCE_OWN : ALLOWANCE_BORROW});
	return true;
}

/* Capacity that is on its way costs no job anything. The finder knows all of it but slots of pods: those it
 * counts as they are now. */
static bool place_soon(struct search *s, struct task *task)
{
	const struct cluster *cluster = s->ssn->cluster;

	for (uint32_t i = 0; cluster->moving && i < cluster->nodes.len; i++) {
		struct node_info *node = cluster->nodes.ptr[i];

		if (columns_get(&cluster->columns, CAPACITY_IDLE, DIM_PODS, i) > 0 ||
		    !search_has_node(s, node) || !search_fits(s, task, node, ALLOWANCE_BORROW))
			continue;
		s->waits = true;
		return place(s, task, node, false);
	}
	return false;
}

/* Pods are being evicted from the node that is reserved for it: evicting more would be too much. */
static bool is_reserved(const struct search *s, const struct task *task)
{
	const struct cluster *cluster = s->ssn->cluster;
	const struct node_info *node;

	if (!task->nominated)
		return false;
	node = cluster_find_node(cluster, symbols_text(cluster->symbols, task->nominated));
	if (!node)
		return false;
	LIST_EACH(&node->tasks, struct task, node_link, other)
		if (other->status == TASK_RELEASING && other->leaving)
			return true;
	return false;
}

/* --- markets --------------------------------------------------------------------------------- */

static bool goes_before(const struct search *s, const struct plan *a, const struct plan *b)
{
	int order = plan_compare(s, a, b);

	return order ? order < 0 : a->node->slot < b->node->slot;
}

static void sift_down(const struct search *s, struct market *market, size_t at)
{
	struct plan *plans = market->plans.ptr;
	struct plan moving = plans[at];

	for (size_t child; (child = 2 * at + 1) < market->plans.len; at = child) {
		if (child + 1 < market->plans.len &&
		    goes_before(s, &plans[child + 1], &plans[child]))
			child++;
		if (!goes_before(s, &plans[child], &moving))
			break;
		plans[at] = plans[child];
	}
	plans[at] = moving;
}

static void drop_top(const struct search *s, struct market *market)
{
	struct plan last = market->plans.ptr[--market->plans.len];

	vec_done(market->plans.len ? &market->plans.ptr[0].victims : &last.victims);
	if (!market->plans.len)
		return;
	market->plans.ptr[0] = last;
	sift_down(s, market, 0);
}

static void market_done(struct market *market)
{
	for (size_t i = 0; i < market->plans.len; i++)
		vec_done(&market->plans.ptr[i].victims);
	vec_done(&market->plans);
}

/* What the plugins that score say of the nodes: of two that cost the same, the task gets the better. */
static void score_plans(const struct search *s, const struct task *task, struct market *market)
{
	struct rows rows = {.score_count = 0};
	VEC(struct node_info *) nodes = {0};
	VEC(double) scores = {0};

	if (market->plans.len < 2)
		return;
	for (size_t i = 0; i < market->plans.len; i++) {
		vec_push(&nodes, market->plans.ptr[i].node);
		vec_push(&scores, 0);
	}
	rows_find(s->ssn, task, &rows);
	rows_score(&rows, task, nodes.ptr, nodes.len, scores.ptr);
	for (size_t i = 0; i < scores.len; i++)
		market->plans.ptr[i].score = scores.ptr[i];
	vec_done(&nodes);
	vec_done(&scores);
}

/* A look at all nodes. */
static void open_market(struct search *s, struct task *task, struct market *market)
{
	const struct cluster *cluster = s->ssn->cluster;

	market_done(market);
	market->made = s->placements.len;
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		struct plan plan = {.made = market->made};

		if (search_has_node(s, cluster->nodes.ptr[i]) &&
		    plan_make(s, task, cluster->nodes.ptr[i], &plan))
			vec_push(&market->plans, plan);
		else
			vec_done(&plan.victims);
	}
	score_plans(s, task, market);
	for (size_t i = market->plans.len / 2; i-- > 0;)
		sift_down(s, market, i);
}

static struct market *market_for(struct search *s, struct task *task)
{
	struct market *market;

	for (size_t i = 0; i < s->markets.len; i++)
		if (s->markets.ptr[i].class == task->class)
			return &s->markets.ptr[i];
	market = vec_add(&s->markets);
	market->class = task->class;
	open_market(s, task, market);
	return market;
}

/* The cheapest plan as of now, or NULL. Places taken since make plans dearer, if anything: so the plan that is
 * on top when it has been made again is the cheapest. If that is not so (pods that spread, or
 * keep near each other), all nodes are looked at again before none is found. */
static struct plan *cheapest(struct search *s, struct task *task)
{
	struct market *market = market_for(s, task);

	for (;;) {
		struct plan *top = market->plans.ptr;

		if (!market->plans.len) {
			if (market->made == s->placements.len)
				return NULL;
			open_market(s, task, market);
		} else if (top->made == s->placements.len) {
			return top;
		} else if (plan_make(s, task, top->node, top)) {
			top->made = s->placements.len;
			sift_down(s, market, 0);
		} else {
			drop_top(s, market);
		}
	}
}

static bool place_by_evicting(struct search *s, struct task *task)
{
	const struct evict_ask ask = {.kind = s->rules->kind, .job = s->job, .task = task};
	size_t mark = statement_mark(s->st);
	const struct plan *best = cheapest(s, task);

	if (!best)
		return false;
	for (size_t i = 0; i < best->victims.len; i++)
		statement_evict(s->st, best->victims.ptr[i], s->rules->word, s->job);
	if (!place(s, task, best->node, true)) {
		statement_undo_to(s->st, mark, false);
		return false;
	}
	if (!gangs_evict_rests(s, &ask, &best->victims)) {
		statement_undo_to(s->st, mark, false);
		s->placements.len--;
		return false;
	}
	for (size_t i = 0; i < best->victims.len; i++)
		search_insert(s, &s->victims, best->victims.ptr[i]);
	return true;
}

bool search_place(struct search *s, struct task *task)
{
	const struct node_set set = search_set(s);
	struct choice choice;

	if (task->never_preempts || hook_pre_filter(s->ssn, task) ||
	    (s->rules->across_queues && !hook_preemptive(s->ssn, s->job->queue, &task, 1)))
		return false;
	if (hook_allocatable(s->ssn, s->job->queue, task, NULL) != ALLOWANCE_NONE &&
	    finder_choose(s->ssn, task, &set, &choice, NULL)) {
		s->waits |= !choice.idle;
		return place(s, task, choice.node, false);
	}
	return place_soon(s, task) || (!is_reserved(s, task) && place_by_evicting(s, task));
}

/* --- the statement --------------------------------------------------------------------------- */

/* Once more from the beginning, without one of the victims or all of a job (NULL: with all). */
static bool replay(struct search *s, const struct task *without, const struct job *spared)
{
	statement_undo_to(s->st, 0, false);
	for (size_t i = 0; i < s->victims.len; i++)
		if (s->victims.ptr[i] != without && s->victims.ptr[i]->job != spared)
			statement_evict(s->st, s->victims.ptr[i], s->rules->word, s->job);
	for (size_t i = 0; i < s->rests.len; i++)
		if (s->rests.ptr[i]->job != spared)
			statement_evict(s->st, s->rests.ptr[i], s->rules->word, s->job);
	for (size_t i = 0; i < s->placements.len; i++) {
		const struct placement *at = &s->placements.ptr[i];

		if (!search_fits(s, at->task, at->node, at->least) ||
		    statement_pipeline(s->st, at->task, at->node, true) < 0)
			return false;
	}
	return true;
}

static void remove_job(struct task_list *list, const struct job *job)
{
	for (size_t i = list->len; i-- > 0;)
		if (list->ptr[i]->job == job)
			vec_remove(list, i);
}

/* Is there another of its job after it, or is it not the place where a victim that was there can be? */
static bool is_to_stay(const struct search *s, size_t at)
{
	const struct task *victim = s->victims.ptr[at];

	if (!cluster_fits(s->ssn->cluster, CAPACITY_FUTURE, victim->node->slot, victim->class))
		return true;
	for (size_t i = at + 1; gangs_are_broken(s, victim->job) && i < s->victims.len; i++)
		if (s->victims.ptr[i]->job == victim->job)
			return true;
	return false;
}

/* Spare victims that need not go, gangs that are broken as a whole. False: it does not work in one go; then
 * nothing is to be committed. */
static bool reduce(struct search *s)
{
	for (size_t i = s->victims.len; i-- > 0;) {
		const struct task *victim = s->victims.ptr[i];
		const struct job *gang = gangs_are_broken(s, victim->job) ? victim->job : NULL;

		if (is_to_stay(s, i))
			continue;
		if (!replay(s, victim, gang)) {
			if (!replay(s, NULL, NULL))
				return false;
		} else if (gang) {
			remove_job(&s->victims, gang);
			remove_job(&s->rests, gang);
			i = i < s->victims.len ? i : s->victims.len;
		} else {
			vec_remove(&s->victims, i);
		}
	}
	return true;
}

static void queue_tasks(struct session *ssn, struct job *job, struct pq *to)
{
	pq_init(to, ssn, pq_tasks);
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (session_is_waiting(ssn, task))
			pq_push(to, task);
}

bool search_needs_more(const struct search *s)
{
	return hook_job_test(s->ssn, JOB_STARVING, s->job, NULL) ||
	       !hook_job_vote(s->ssn, JOB_PIPELINED, s->job, NULL);
}

/* Topology-aware preemption looks only at nodes with victims. */
static void drop_uncontested(struct search *s)
{
	for (size_t i = s->placements.len; i-- > 0;)
		if (s->placements.ptr[i].least != ALLOWANCE_OWN)
			vec_remove(&s->placements, i);
}

/* The next node, from a slot on, on which a task has a place and there is a victim. */
static struct node_info *find_contested(const struct search *s, struct task *task, size_t *from)
{
	const struct cluster *cluster = s->ssn->cluster;

	for (; *from < cluster->nodes.len; (*from)++) {
		struct node_info *node = cluster->nodes.ptr[*from];

		if (!search_has_node(s, node) || !search_has_place(s, task, node))
			continue;
		LIST_EACH(&node->tasks, struct task, node_link, victim)
			if (search_is_candidate(s, task, victim))
				return node;
	}
	return NULL;
}

void search_drop_plans(struct search *s)
{
	for (size_t i = 0; i < s->markets.len; i++)
		market_done(&s->markets.ptr[i]);
	vec_clear(&s->markets);
	if (s->gangs)
		map_clear(s->gangs);
}

static void forget(struct search *s)
{
	search_drop_plans(s);
	vec_clear(&s->placements);
	vec_clear(&s->victims);
}

static bool is_all_by_eviction(const struct search *s)
{
	for (size_t i = 0; i < s->placements.len; i++)
		if (s->placements.ptr[i].least != ALLOWANCE_OWN)
			return false;
	return s->placements.len > 0;
}

/* A place next to a victim, idle or else by taking. */
static bool place_contested(struct search *s, struct task *task, size_t *from)
{
	struct node_info *node;

	if (task->never_preempts || hook_pre_filter(s->ssn, task) ||
	    !hook_preemptive(s->ssn, s->job->queue, &task, 1))
		return false;
	node = find_contested(s, task, from);
	if (node)
		return place(s, task, node, false);
	*from = 0; /* a victim may leave more than it takes */
	return place_by_evicting(s, task);
}

/* Upstream's reclaim looks only at nodes with victims, takes capacity that is idle there
 * without asking whether the queue may hold it, and reports it. Here tasks are reported the same way; nothing is
 * held. */
static void report_reclaim(struct search *s)
{
	AUTO(pq_done) struct pq tasks;
	struct task *task;
	const struct node_set set = search_set(s);
	struct choice choice;
	size_t from = 0;
	bool whole;

	queue_tasks(s->ssn, s->job, &tasks);
	if (is_all_by_eviction(s)) {
		(void)replay(s, NULL, NULL);
		return;
	}
	task = pq_pop(&tasks);
	if (!task || hook_pre_filter(s->ssn, task) ||
	    (!s->placements.len && !finder_choose(s->ssn, task, &set, &choice, NULL)))
		return; /* nothing is idle, nor can be made so */
	forget(s);
	for (; task && search_needs_more(s); task = pq_pop(&tasks))
		(void)place_contested(s, task, &from);
	whole = hook_job_vote(s->ssn, JOB_PIPELINED, s->job, NULL) && !s->victims.len;
	statement_undo_to(s->st, 0, true);
	for (size_t i = 0; i < s->placements.len; i++)
		session_note(s->ssn, s->placements.ptr[i].task)->undone_held |= whole;
}

/* The search has failed. Its tasks are reported what places they had in it, where that says something: of
 * a whole gang if it was in reach. */
static void leave(struct search *s)
{
	if (s->rules->kind == EVICT_PREEMPT && !s->rules->needs_victims) {
		statement_discard(s->st);
		return;
	}
	statement_undo_to(s->st, 0, false);
	if (s->rules->silent) {
		statement_discard(s->st);
		return;
	}
	if (s->rules->kind == EVICT_RECLAIM) {
		report_reclaim(s);
	} else {
		if (!search_is_about_gangs(s))
			drop_uncontested(s);
		if (s->placements.len && (!search_is_about_gangs(s) || gangs_in_reach(s)))
			(void)replay(s, NULL, NULL);
	}
	statement_discard(s->st);
}

static void search_done(struct search *s)
{
	vec_done(&s->placements);
	vec_done(&s->victims);
	vec_done(&s->rests);
	vec_done(&s->candidates);
	search_drop_plans(s);
	vec_done(&s->markets);
	map_free(s->gangs);
}

/* Commit what frees capacity; what needs none is left to allocate, or kept while it is being released. */
static bool conclude(struct search *s, bool good)
{
	good = good && s->placements.len > 0 && reduce(s);
	if (good && s->victims.len) {
		statement_commit(s->st);
	} else if (good && s->waits) {
		statement_keep(s->st);
	} else if (good) { /* nothing was in the way */
		statement_undo_to(s->st, 0, false);
		statement_discard(s->st);
		good = false;
	} else {
		leave(s);
	}
	search_done(s);
	return good;
}

/* Only jobs that hold nothing are compared: what a job holds may matter to a guard. */
static bool has_failed_before(const struct failed_searches *earlier, const struct job *job,
			      const struct task *task)
{
	for (size_t i = 0; i < earlier->list.len; i++) {
		const struct failed_search *other = &earlier->list.ptr[i];

		if (other->class == task->class && other->queue == job->queue &&
		    job->priority <= other->job_priority)
			return resources_is_empty(&job->allocated);
	}
	return false;
}

static void note_failure(struct failed_searches *earlier, const struct search *s,
			 const struct task *task)
{
	if (statement_is_empty(s->st) && !task->nominated && resources_is_empty(&s->job->allocated))
		vec_push(&earlier->list, (struct failed_search){.class = task->class,
								.queue = s->job->queue,
								.job_priority = s->job->priority});
}

/* On any node. */
static void evict_anywhere(struct search *s, struct failed_searches *earlier)
{
	const struct class *failed = NULL;
	AUTO(pq_done) struct pq tasks;
	struct task *task;

	queue_tasks(s->ssn, s->job, &tasks);
	while (search_needs_more(s) && (task = pq_pop(&tasks))) {
		if (task->never_preempts || task->class == failed ||
		    has_failed_before(earlier, s->job, task) || search_place(s, task))
			continue;
		failed = task->class;
		note_failure(earlier, s, task);
	}
}

static void evict_for(struct session *ssn, const struct evict_rules *rules, struct job *job,
		      struct failed_searches *earlier)
{
	struct search s = {.ssn = ssn, .rules = rules, .job = job, .st = statement_new(ssn)};

	if (domain_search_applies(ssn, job))
		evict_in_domains(&s);
	else
		evict_anywhere(&s, earlier);
	/* What has changed may help the others. */
	if (conclude(&s, hook_job_vote(ssn, JOB_PIPELINED, job, NULL)))
		vec_clear(&earlier->list);
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* A task that has a place that costs no job anything, in a job that is not whole by it. */
struct held {
	struct task *task;
	struct statement *st; /* NULL: it has none */
	bool whole;           /* the job would be */
};

/* One task of a job, from its own tasks. False: there is no place for it, or the job is whole without a victim
 * having to go. */
static bool place_within(struct session *ssn, const struct evict_rules *rules, struct task *task,
			 struct held *ret)
{
	struct search s = {.ssn = ssn,
			   .rules = rules,
			   .job = task->job,
			   .within = true,
			   .st = statement_new(ssn)};
	bool placed = (!domain_search_applies(ssn, task->job) || evict_find_domain(&s)) &&
		      search_place(&s, task);

	*ret = (struct held){.task = task};
	ret->whole = placed && hook_job_vote(ssn, JOB_PIPELINED, task->job, NULL);
	if (!placed || ret->whole || s.victims.len || rules->needs_victims)
		return conclude(&s, ret->whole);
	ret->st = s.st;
	search_done(&s);
	return true;
}

/* Upstream's preempt lets tasks hold idle capacity to the end of its session though their gang cannot be whole,
 * and reports that. Here it is only reported: the capacity is for any job that can use it. */
void evict_within(struct session *ssn, const struct evict_rules *rules, struct job *job)
{
	AUTO(pq_done) struct pq tasks;
	VEC(struct held) held = {0};
	struct task *task;
	bool good = true, whole = false;

	queue_tasks(ssn, job, &tasks);
	while (good && (task = pq_pop(&tasks))) {
		struct held next;

		good = place_within(ssn, rules, task, &next);
		whole |= next.whole;
		if (next.st)
			vec_push(&held, next);
	}
	for (size_t i = held.len; i-- > 0;) {
		statement_undo_to(held.ptr[i].st, 0, !whole);
		statement_discard(held.ptr[i].st);
		session_note(ssn, held.ptr[i].task)->undone_held = !whole;
	}
	vec_done(&held);
}

/* What is known of the network cannot be used: what was freed might be of no use. */
static bool has_no_domains(const struct session *ssn, const struct job *job)
{
	return ssn->cluster->hypernodes->broken && domain_search_applies(ssn, job);
}

bool evict_is_starving(struct session *ssn, struct job *job)
{
	return session_has_job(ssn, job) && !job_is_pending(job) &&
	       job->tally.count[TASK_PENDING] > 0 && !has_no_domains(ssn, job) &&
	       hook_job_test(ssn, JOB_VALID, job, NULL) &&
	       hook_job_test(ssn, JOB_STARVING, job, NULL);
}

void evict_round(struct session *ssn, const struct evict_rules *rules)
{
	AUTO(job_queue_iter_done) struct job_queue_iter iter;
	struct failed_searches earlier = {0};
	struct queue_info *queue;

	job_queue_iter_init(&iter, ssn);
	if (rules->across_queues && !eviction_estimate_needs_shares(ssn))
		return;
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
		if (evict_is_starving(ssn, job))
			job_queue_iter_add(&iter, job);
	while ((queue = job_queue_iter_next_queue(&iter))) {
		struct job *job;

		if (rules->across_queues && hook_overused(ssn, queue))
			continue;
		job = job_queue_iter_next_job(&iter, queue);
		if (!job)
			continue;
		evict_for(ssn, rules, job, &earlier);
		job_queue_iter_return_queue(&iter, queue);
	}
	vec_done(&earlier.list);
}
