/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/capacity.c - queues with amounts of their own: guarantee, deserved, capability; flat,
 * or as a tree (scheduler specification, 6.6).
 *
 * What a queue may hold at most (its limit) is its capability within what the queue above leaves when
 * the others have their guarantees; what it deserves is what it may take back from others. Both hold
 * for the session; what queues hold is in the model, of a queue and of everything below it.
 *
 * A queue whose place in the tree is not known, or a job in a queue that has children, waits alone:
 * the others go on (upstream stops all of them). A closed queue stops everything below it. */
#include "base/mem.h"
#include "base/vec.h"
#include "sched/evict/eviction_estimate.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/queue_share.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct quota {
	const struct queue_info *queue; /* NULL: there is none of this number */
	struct resources deserved;
	struct resources capability; /* with what it inherits */
	struct resources limit;
	struct resources guarantees; /* of those right below it */
};

enum { LEVELS_MAX = 64 };

struct capacity {
	VEC(struct quota) quotas;             /* by queue id */
	VEC(const struct queue_info *) order; /* a queue after the one above it */
	struct resources guarantees;          /* of all, where there is no tree */
	int64_t level;                        /* ancestorReclaimLevel */
};

static bool is_tree(const struct plugin *p)
{
	return plugin_is_on(p, SWITCH_HIERARCHY);
}

static struct quota *quota_of(const struct plugin *p, const struct queue_info *queue)
{
	const struct capacity *capacity = p->state;

	return queue && queue->id < capacity->quotas.len &&
			       capacity->quotas.ptr[queue->id].queue == queue
		       ? &capacity->quotas.ptr[queue->id]
		       : NULL;
}

/* The queue above whose amounts count; NULL for a root, and in flat mode. */
static const struct queue_info *above(const struct plugin *p, const struct queue_info *queue)
{
	return is_tree(p) ? queue->parent : NULL;
}

/* --- amounts --------------------------------------------------------------------------------- */

/* What it declares, and where it says nothing what the queue above has: at the top of a tree that is as much
 * as any job wants, of all that there is in the cluster. */
static void set_capability(struct quota *quota, const struct quota *parent,
			   const struct resources *total)
{
	dim_set inherited = resources_dims(parent ? &parent->capability : total);

	const struct resources *own = &quota->queue->capability;

	resources_clear(&quota->capability);
	if (quota->queue->has_capability)
		resources_copy(&quota->capability, own);
	for (int dim = DIM_CPU; dim <= DIM_MEMORY; dim++)
		if (resources_get(&quota->capability, dim) <= 0)
			resources_set(&quota->capability, dim,
				      parent ? resources_get(&parent->capability, dim)
					     : RESOURCES_INFINITE);
	for (dim_set rest = inherited; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (dim > DIM_MEMORY && !resources_has(&quota->capability, dim))
			resources_set(&quota->capability, dim,
				      parent ? resources_get(&parent->capability, dim)
					     : RESOURCES_INFINITE);
	}
}

/* What the others right below the same queue are guaranteed is not for it; nor, without a tree, what
 * all others are. */
static void set_limit(struct plugin *p, struct quota *quota, const struct quota *up)
{
	const struct capacity *capacity = p->state;

	if (is_tree(p) && !up) {
		resources_copy(&quota->limit, &quota->capability);
		return;
	}
	resources_exceeded(up ? &up->limit : &p->ssn->cluster->total,
			   up ? &up->guarantees : &capacity->guarantees, &quota->limit);
	resources_add(&quota->limit, &quota->queue->guarantee);
	resources_lower_to(&quota->limit, &quota->capability, ABSENT_INFINITE);
}

static void set_quota(struct plugin *p, struct quota *quota)
{
	const struct quota *up = quota_of(p, above(p, quota->queue));
	const struct list *children = &quota->queue->children;

	resources_clear(&quota->guarantees);
	for (const struct list *link = children->next; link != children; link = link->next)
		resources_add(&quota->guarantees,
			      &container_of(link, struct queue_info, sibling)->guarantee);
	set_capability(quota, up, &p->ssn->cluster->total);
	resources_clear(&quota->limit);
	set_limit(p, quota, up);
	resources_copy(&quota->deserved, &quota->queue->deserved);
	if (!is_tree(p))
		resources_lower_to(&quota->deserved, &quota->limit, ABSENT_INFINITE);
	resources_max_with(&quota->deserved, &quota->queue->guarantee);
}

/* Parents before their children: those without first, then those whose parent is in. */
static void set_order(struct plugin *p)
{
	struct capacity *capacity = p->state;
	const struct cluster *cluster = p->ssn->cluster;
	size_t at = 0;

	capacity->order.len = 0;
	for (size_t i = 0; i < cluster->queue_by_id.len; i++)
		if (cluster->queue_by_id.ptr[i] && !above(p, cluster->queue_by_id.ptr[i]))
			vec_push(&capacity->order, cluster->queue_by_id.ptr[i]);
	for (; is_tree(p) && at < capacity->order.len; at++) {
		const struct list *children = &capacity->order.ptr[at]->children;

		for (struct list *link = children->next; link != children; link = link->next)
			vec_push(&capacity->order, container_of(link, struct queue_info, sibling));
	}
}

static void capacity_open(struct plugin *p)
{
	struct capacity *capacity = p->state;

	if (cluster_is_idle(p->ssn->cluster))
		return;
	while (capacity->quotas.len < p->ssn->cluster->queue_by_id.len)
		(void)vec_add(&capacity->quotas);
	for (size_t i = 0; i < capacity->quotas.len; i++)
		capacity->quotas.ptr[i].queue = NULL;
	set_order(p);
	resources_clear(&capacity->guarantees);
	for (size_t i = 0; i < capacity->order.len; i++)
		resources_add(&capacity->guarantees, &capacity->order.ptr[i]->guarantee);
	for (size_t i = 0; i < capacity->order.len; i++) {
		struct quota *quota = &capacity->quotas.ptr[capacity->order.ptr[i]->id];

		quota->queue = capacity->order.ptr[i];
		set_quota(p, quota);
	}
}

static void note_devices(struct plugin_args *args, const char *name)
{
	if (args_bool(args, name, false))
		vec_push(&args->notes,
			 mem_printf("argument %s: devices of resource claims are not counted yet",
				    name));
}

static int capacity_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct capacity *capacity = mem_new(struct capacity);

	(void)err;
	note_devices(args, "capacity.DynamicResourceAllocationEnable");
	note_devices(args, "capacity.DRAConsumableCapacityEnable");
	capacity->level = args_int(args, "ancestorReclaimLevel", 0);
	if (capacity->level > LEVELS_MAX) /* no tree is that deep */
		capacity->level = LEVELS_MAX;
	p->state = capacity;
	return 0;
}

static void capacity_free(struct plugin *p)
{
	struct capacity *capacity = p->state;

	for (size_t i = 0; capacity && i < capacity->quotas.len; i++) {
		resources_done(&capacity->quotas.ptr[i].deserved);
		resources_done(&capacity->quotas.ptr[i].capability);
		resources_done(&capacity->quotas.ptr[i].limit);
		resources_done(&capacity->quotas.ptr[i].guarantees);
	}
	if (capacity) {
		vec_done(&capacity->quotas);
		vec_done(&capacity->order);
		resources_done(&capacity->guarantees);
	}
	mem_free(capacity);
}

/* --- order ----------------------------------------------------------------------------------- */

static bool deserves_nothing(const struct quota *quota)
{
	return resources_is_empty(&quota->deserved);
}

/* What a queue holds: with all below it, in a tree. */
static const struct resources *held_by(const struct plugin *p, const struct queue_info *queue,
				       struct resources *scratch)
{
	return queue_sum(queue, QUEUE_ALLOCATED, is_tree(p), scratch);
}

/* Of what it deserves; a queue that deserves nothing has all of it. */
static double share_of(const struct plugin *p, const struct queue_info *queue)
{
	const struct quota *quota = quota_of(p, queue);
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT;

	if (!quota || deserves_nothing(quota))
		return 1;
	return queue_share(held_by(p, queue, &scratch), &quota->deserved);
}

static int order_by_share(const struct plugin *p, const struct queue_info *a,
			  const struct queue_info *b)
{
	const struct quota *left = quota_of(p, a);
	const struct quota *right = quota_of(p, b);
	double x = share_of(p, a);
	double y = share_of(p, b);

	if (x < y || x > y)
		return x < y ? -1 : 1;
	if (!left || !right || deserves_nothing(left) == deserves_nothing(right))
		return 0;
	return deserves_nothing(right) ? -1 : 1;
}

static size_t depth_of(const struct queue_info *queue)
{
	size_t depth = 0;

	while ((queue = queue->parent))
		depth++;
	return depth;
}

/* The two ancestors (or the queues themselves) right below the deepest one that both have. */
static void find_fork(const struct queue_info **a, const struct queue_info **b)
{
	size_t left = depth_of(*a);
	size_t right = depth_of(*b);

	for (; left > right; left--)
		*a = (*a)->parent;
	for (; right > left; right--)
		*b = (*b)->parent;
	while (*a != *b && (*a)->parent != (*b)->parent) {
		*a = (*a)->parent;
		*b = (*b)->parent;
	}
}

static int capacity_queue_order(const struct plugin *p, const struct queue_info *a,
				const struct queue_info *b)
{
	bool left = list_is_empty(&a->children);
	bool right = list_is_empty(&b->children);

	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (is_tree(p) && left != right)
		return left ? -1 : 1;
	if (is_tree(p) && left)
		find_fork(&a, &b);
	return a == b ? 0 : order_by_share(p, a, b);
}

/* How deep is the deepest queue that is above both? */
static size_t common_depth(const struct queue_info *a, const struct queue_info *b)
{
	find_fork(&a, &b);
	return a == b ? depth_of(a) + 1 : depth_of(a);
}

static int capacity_victim_order(const struct plugin *p, const struct queue_info *a,
				 const struct queue_info *b, const struct queue_info *of)
{
	size_t left, right;

	if (!is_tree(p))
		return 0;
	left = common_depth(a, of);
	right = common_depth(b, of);
	return (left < right) - (left > right);
}

/* --- limits ---------------------------------------------------------------------------------- */

/* May anything be in it at all? */
static bool is_usable(const struct plugin *p, const struct queue_info *queue, struct reason *why)
{
	enum reason_code code = REASON_NONE;

	if (is_tree(p) && queue->broken)
		code = REASON_QUEUE_BROKEN;
	else if (is_tree(p) && !list_is_empty(&queue->children))
		code = REASON_QUEUE_NOT_LEAF;
	for (const struct queue_info *q = queue; q && code == REASON_NONE; q = above(p, q))
		if (!q->open && (q == queue || q->parent))
			code = REASON_QUEUE_CLOSED;
	if (code == REASON_NONE)
		return true;
	*why = queue_reason(code, queue);
	return false;
}

static bool has_capability(const struct queue_info *queue, int dim)
{
	return queue->has_capability && resources_has(&queue->capability, dim);
}

/* Is there capacity for `more` in the queue itself? To admit a job, what was reserved when others were admitted counts as
 * well, and what they hold beyond their minimum does not. */
static bool has_capacity(const struct plugin *p, const struct queue_info *queue,
			 const struct resources *more, bool enqueue, struct reason *why)
{
	const struct quota *quota = quota_of(p, queue);
	AUTO(resources_done) struct resources sum = RESOURCES_INIT, scratch = RESOURCES_INIT;
	const struct resources *held;
	dim_set over;

	if (!quota)
		return true;
	held = held_by(p, queue, &scratch);
	resources_copy(&sum, held);
	queue_sum_add(queue, QUEUE_PIPELINED, is_tree(p), 1, &sum);
	resources_add(&sum, more);
	if (enqueue) {
		queue_sum_add(queue, QUEUE_INQUEUE, is_tree(p), 1, &sum);
		queue_sum_add(queue, QUEUE_ELASTIC, is_tree(p), -1, &sum);
	}
	over = resources_over_limit(&sum, &quota->limit, more);
	if (!over)
		return true;
	*why = queue_reason_over(REASON_QUEUE_CAPABILITY, queue,
				 &(struct queue_excess){held, more, &sum, &quota->limit, over});
	queue_reason_whose(why, p->ssn->cluster, queue, is_tree(p));
	return false;
}

/* The same for the queue and all above it. If a limit is that of a queue above, the numbers are those of
 * that queue. */
static bool has_capacity_above(const struct plugin *p, const struct queue_info *queue,
			       const struct resources *more, bool enqueue, struct reason *why)
{
	bool has = true;

	for (const struct queue_info *q = queue; q; q = above(p, q)) {
		if (has_capacity(p, q, more, enqueue, why))
			continue;
		has = false;
		if (why->code != REASON_QUEUE_CAPABILITY || has_capability(q, why->dim))
			break;
	}
	return has;
}

static enum allowance capacity_allocatable(const struct plugin *p, const struct queue_info *queue,
					   const struct task *task, struct reason *why)
{
	if (!is_usable(p, queue, why) ||
	    !has_capacity_above(p, queue, class_charge(task->class), false, why))
		return ALLOWANCE_NONE;
	return ALLOWANCE_OWN;
}

static enum vote capacity_enqueueable(const struct plugin *p, const struct job *job,
				      struct reason *why)
{
	if (!is_usable(p, job->queue, why))
		return VOTE_REJECT;
	if (!job->has_min_resources ||
	    has_capacity_above(p, job->queue, &job->min_resources, true, why) ||
	    eviction_estimate_preempt(p->ssn, job))
		return VOTE_PERMIT;
	return VOTE_REJECT;
}

/* --- taking back ----------------------------------------------------------------------------- */

/* Does it stay within what it deserves in at least one dimension that is asked for? */
static bool is_deserved(const struct plugin *p, const struct queue_info *queue,
			const struct resources *more)
{
	const struct quota *quota = quota_of(p, queue);
	AUTO(resources_done) struct resources sum = RESOURCES_INIT;

	if (!quota)
		return false;
	queue_sum_add(queue, QUEUE_ALLOCATED, is_tree(p), 1, &sum);
	queue_sum_add(queue, QUEUE_PIPELINED, is_tree(p), 1, &sum);
	resources_add(&sum, more);
	return resources_within(&sum, &quota->deserved, more, true);
}

/* The queue so many levels above; NULL where there is none, or only the root. */
static const struct queue_info *ancestor(const struct queue_info *queue, int64_t level)
{
	while (queue && level-- > 0)
		queue = queue->parent;
	return queue && queue->parent ? queue : NULL;
}

/* The queues above are not asked: when one of them is full, those below it give its capacity to each other.
 * Whether it suffices is asked after a victim was evicted. */
static bool capacity_preemptive(const struct plugin *p, const struct queue_info *queue,
				struct task *const *tasks, size_t count)
{
	const struct capacity *capacity = p->state;
	AUTO(resources_done) struct resources sum = RESOURCES_INIT;
	struct reason why;

	for (size_t i = 0; i < count; i++)
		resources_add(&sum, class_charge(tasks[i]->class));
	if (!is_usable(p, queue, &why) || !has_capacity(p, queue, &sum, false, &why))
		return false;
	if (is_deserved(p, queue, &sum))
		return true;
	for (int64_t level = 1; is_tree(p) && level <= capacity->level; level++) {
		const struct queue_info *up = ancestor(queue, level);

		if (up && is_deserved(p, up, &sum))
			return true;
	}
	return false;
}

/* Has the victim nothing of what its queue deserves? Then any queue may take it. */
static bool is_stray(const struct quota *quota, const struct task *victim)
{
	return !resources_common(class_charge(victim->class), &quota->deserved, false);
}

/* Does the queue hold more than it deserves of what the victim has and a job asks for? Resources
 * that the queue says nothing about do not count. */
static bool is_excess(const struct plugin *p, const struct queue_info *queue,
		      const struct task *victim, const struct resources *asked)
{
	const struct quota *quota = quota_of(p, queue);
	const struct resources *held = class_charge(victim->class);
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT;

	if (!quota)
		return false;
	return is_stray(quota, victim) ||
	       (resources_above(held_by(p, queue, &scratch), &quota->deserved, held, true) &
		resources_common(held, asked, true));
}

/* With levels of ancestors: each of the victim's that is not the asker's as well must hold too
 * much. */
static bool ancestors_agree(const struct plugin *p, const struct queue_info *from,
			    const struct queue_info *asker, const struct task *victim,
			    const struct resources *asked)
{
	const struct capacity *capacity = p->state;

	for (int64_t level = 1; is_tree(p) && level <= capacity->level; level++) {
		const struct queue_info *up = ancestor(from, level);

		if (up && up != ancestor(asker, level) && !is_excess(p, up, victim, asked))
			return false;
	}
	return true;
}

/* When the parents' amounts count, two queues below one of them that deserve nothing of what is asked
 * for have nothing to take from each other. */
static bool are_equals(const struct plugin *p, const struct queue_info *asker,
		       const struct queue_info *other, const struct resources *asked)
{
	const struct capacity *capacity = p->state;
	const struct quota *quota = quota_of(p, asker);

	if (!is_tree(p) || !quota || resources_common(asked, &quota->deserved, true))
		return false;
	for (int64_t a = 1; a <= capacity->level; a++)
		for (int64_t b = 1; b <= capacity->level; b++)
			if (ancestor(asker, a) && ancestor(asker, a) == ancestor(other, b))
				return true;
	return false;
}

static bool keeps_guarantee(const struct plugin *p, const struct queue_info *queue,
			    const struct task *victim)
{
	AUTO(resources_done) struct resources left = RESOURCES_INIT;

	queue_sum_add(queue, QUEUE_ALLOCATED, is_tree(p), 1, &left);
	resources_sub(&left, class_charge(victim->class));
	return resources_less_equal(&queue->guarantee, &left, ABSENT_ZERO);
}

static bool capacity_evictable(const struct plugin *p, const struct evict_ask *ask,
			       const struct task *victim)
{
	const struct queue_info *queue = victim->job ? victim->job->queue : NULL;
	const struct resources *asked =
		ask->task ? class_charge(ask->task->class) : &ask->job->pending;

	if (!queue || !ask->job->queue || !keeps_guarantee(p, queue, victim))
		return false;
	if (ask->rest)
		return true;
	if (!resources_common(class_charge(victim->class), asked, true) ||
	    !is_excess(p, queue, victim, asked))
		return false;
	if (is_stray(quota_of(p, queue), victim) && are_equals(p, ask->job->queue, queue, asked))
		return false;
	return ancestors_agree(p, queue, ask->job->queue, victim, asked);
}

static void capacity_report(const struct plugin *p, const struct queue_info *queue,
			    struct queue_report *to)
{
	const struct quota *quota = quota_of(p, queue);

	if (!quota)
		return;
	to->deserved = &quota->deserved;
	to->capability = &quota->capability;
	to->limit = &quota->limit;
}

const struct plugin_type capacity_plugin = {
	.report = capacity_report,
	.name = "capacity",
	.alike = true,
	.new = capacity_new,
	.free = capacity_free,
	.open = capacity_open,
	.queue_order = capacity_queue_order,
	.victim_queue_order = capacity_victim_order,
	.allocatable = capacity_allocatable,
	.preemptive = capacity_preemptive,
	.job_vote = {[JOB_ENQUEUEABLE] = capacity_enqueueable},
	.evictable =
		{[EVICT_RECLAIM] = capacity_evictable, [EVICT_GANG_RECLAIM] = capacity_evictable},
};
