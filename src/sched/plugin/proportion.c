/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/proportion.c - a share of the cluster for each queue, by weight (scheduler
 * specification, 6.5).
 *
 * When a session opens, what is there is divided like water: each queue gets by its weight until it
 * has what it asks for or may have; what it does not need goes to the others. What queues hold is in
 * the model and always current; `deserved` holds for the session. */
#include "base/mem.h"
#include "base/vec.h"
#include "sched/evict/eviction_estimate.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/queue_share.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct share {
	const struct queue_info *queue; /* NULL: has no jobs in this session */
	struct resources deserved;
	struct resources limit; /* the real capability */
	struct resources request;
	bool met;
};

struct proportion {
	VEC(struct share) shares; /* by queue id */
};

/* --- dividing -------------------------------------------------------------------------------- */

static void sum_guarantees(const struct cluster *cluster, struct resources *ret)
{
	for (size_t i = 0; i < cluster->queue_by_id.len; i++)
		if (cluster->queue_by_id.ptr[i])
			resources_add(ret, &cluster->queue_by_id.ptr[i]->guarantee);
}

/* The cluster without what others are guaranteed, lowered to the queue's capability. */
static void set_limit(struct share *share, const struct cluster *cluster,
		      const struct resources *guarantees)
{
	AUTO(resources_done) struct resources capability = RESOURCES_INIT;

	resources_exceeded(&cluster->total, guarantees, &share->limit);
	resources_add(&share->limit, &share->queue->guarantee);
	if (!share->queue->has_capability)
		return;
	resources_copy(&capability, &share->queue->capability);
	for (int dim = DIM_CPU; dim <= DIM_MEMORY; dim++)
		if (resources_get(&capability, dim) <= 0)
			resources_set(&capability, dim, RESOURCES_INFINITE);
	resources_lower_to(&share->limit, &capability, ABSENT_INFINITE);
}

/* There is no tree: a queue is what its own jobs hold and want. */
static void add_sum(const struct queue_info *queue, enum queue_sum which, struct resources *to)
{
	queue_sum_add(queue, which, false, 1, to);
}

static const struct resources *held_by(const struct queue_info *queue, struct resources *scratch)
{
	return queue_sum(queue, QUEUE_ALLOCATED, false, scratch);
}

static void set_shares(struct proportion *pr, const struct cluster *cluster)
{
	AUTO(resources_done) struct resources guarantees = RESOURCES_INIT;

	sum_guarantees(cluster, &guarantees);
	while (pr->shares.len < cluster->queue_by_id.len)
		(void)vec_add(&pr->shares);
	for (size_t i = 0; i < pr->shares.len; i++) {
		struct share *share = &pr->shares.ptr[i];
		const struct queue_info *queue =
			i < cluster->queue_by_id.len ? cluster->queue_by_id.ptr[i] : NULL;

		share->queue = queue && queue->job_count ? queue : NULL;
		share->met = false;
		if (!share->queue)
			continue;
		resources_clear(&share->deserved);
		resources_clear(&share->request);
		add_sum(queue, QUEUE_ALLOCATED, &share->request);
		add_sum(queue, QUEUE_PENDING, &share->request);
		set_limit(share, cluster, &guarantees);
	}
}

static int64_t open_weight(const struct proportion *pr)
{
	int64_t weight = 0;

	for (size_t i = 0; i < pr->shares.len; i++)
		if (pr->shares.ptr[i].queue && !pr->shares.ptr[i].met)
			weight += pr->shares.ptr[i].queue->weight;
	return weight;
}

/* One queue's part of what remains in this round; adds what it took and gave to the sums. */
static void pour(struct share *share, const struct resources *remaining, int64_t weight,
		 struct resources *taken, struct resources *given)
{
	AUTO(resources_done) struct resources old = RESOURCES_INIT;
	AUTO(resources_done) struct resources part = RESOURCES_INIT;
	AUTO(resources_done) struct resources more = RESOURCES_INIT;
	AUTO(resources_done) struct resources less = RESOURCES_INIT;

	resources_copy(&old, &share->deserved);
	resources_copy(&part, remaining);
	resources_multiply(&part, (double)share->queue->weight / (double)weight);
	resources_add(&share->deserved, &part);
	resources_lower_to(&share->deserved, &share->limit, ABSENT_INFINITE);
	resources_lower_to(&share->deserved, &share->request, ABSENT_ZERO);
	resources_max_with(&share->deserved, &share->queue->guarantee);
	share->met = resources_less_equal(&share->request, &share->deserved, ABSENT_ZERO) ||
		     resources_equal(&share->deserved, &old);
	resources_diff(&share->deserved, &old, ABSENT_ZERO, &more, &less);
	resources_add(taken, &more);
	resources_add(given, &less);
}

static void divide(struct proportion *pr, const struct cluster *cluster)
{
	AUTO(resources_done) struct resources remaining = RESOURCES_INIT;
	AUTO(resources_done) struct resources before = RESOURCES_INIT;

	resources_copy(&remaining, &cluster->total);
	for (int64_t weight; (weight = open_weight(pr)) > 0;) {
		AUTO(resources_done) struct resources taken = RESOURCES_INIT;
		AUTO(resources_done) struct resources given = RESOURCES_INIT;
		AUTO(resources_done) struct resources sum = RESOURCES_INIT;

		for (size_t i = 0; i < pr->shares.len; i++)
			if (pr->shares.ptr[i].queue && !pr->shares.ptr[i].met)
				pour(&pr->shares.ptr[i], &remaining, weight, &taken, &given);
		resources_copy(&before, &remaining);
		resources_copy(&sum, &remaining);
		resources_add(&sum, &given);
		resources_exceeded(&sum, &taken, &remaining);
		if (resources_is_empty(&remaining) || resources_equal(&remaining, &before))
			break;
	}
}

/* --- life ------------------------------------------------------------------------------------ */

static int proportion_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	(void)args;
	(void)err;
	p->state = mem_new(struct proportion);
	return 0;
}

static void proportion_free(struct plugin *p)
{
	struct proportion *pr = p->state;

	for (size_t i = 0; pr && i < pr->shares.len; i++) {
		resources_done(&pr->shares.ptr[i].deserved);
		resources_done(&pr->shares.ptr[i].limit);
		resources_done(&pr->shares.ptr[i].request);
	}
	if (pr)
		vec_done(&pr->shares);
	mem_free(pr);
}

static void proportion_open(struct plugin *p)
{
	/* Nothing waits: no job will ask. */
	if (cluster_is_idle(p->ssn->cluster))
		return;
	set_shares(p->state, p->ssn->cluster);
	divide(p->state, p->ssn->cluster);
}

static const struct share *share_of(const struct plugin *p, const struct queue_info *queue)
{
	const struct proportion *pr = p->state;

	return queue->id < pr->shares.len && pr->shares.ptr[queue->id].queue
		       ? &pr->shares.ptr[queue->id]
		       : NULL;
}

/* --- hooks ----------------------------------------------------------------------------------- */

static double dominant(const struct plugin *p, const struct queue_info *queue)
{
	const struct share *share = share_of(p, queue);
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT;

	return share ? queue_share(held_by(queue, &scratch), &share->deserved) : 0;
}

static int proportion_queue_order(const struct plugin *p, const struct queue_info *a,
				  const struct queue_info *b)
{
	double left, right;

	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	left = dominant(p, a);
	right = dominant(p, b);
	return (left > right) - (left < right);
}

static bool proportion_overused(const struct plugin *p, const struct queue_info *queue)
{
	const struct share *share = share_of(p, queue);
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT;

	return share &&
	       resources_less_equal(&share->deserved, held_by(queue, &scratch), ABSENT_ZERO);
}

/* May the queue hold `more` in addition to what it has? */
static enum allowance allow(const struct plugin *p, const struct queue_info *queue,
			    const struct resources *more, struct reason *why)
{
	const struct share *share = share_of(p, queue);
	AUTO(resources_done) struct resources sum = RESOURCES_INIT, scratch = RESOURCES_INIT;
	const struct resources *held;
	dim_set over;

	if (!queue->open) {
		*why = queue_reason(REASON_QUEUE_CLOSED, queue);
		return ALLOWANCE_NONE;
	}
	if (!share)
		return ALLOWANCE_OWN;
	held = held_by(queue, &scratch);
	resources_copy(&sum, held);
	add_sum(queue, QUEUE_PIPELINED, &sum);
	resources_add(&sum, more);
	over = resources_over_limit(&sum, &share->limit, more);
	if (over) {
		*why = queue_reason_over(
			REASON_QUEUE_CAPABILITY, queue,
			&(struct queue_excess){held, more, &sum, &share->limit, over});
		queue_reason_whose(why, p->ssn->cluster, queue, false);
		return ALLOWANCE_NONE;
	}
	over = resources_over_limit(&sum, &share->deserved, more);
	if (!over)
		return ALLOWANCE_OWN;
	*why = queue_reason_over(REASON_QUEUE_SHARE, queue,
				 &(struct queue_excess){held, more, &sum, &share->deserved, over});
	return ALLOWANCE_BORROW;
}

static enum allowance proportion_allocatable(const struct plugin *p, const struct queue_info *queue,
					     const struct task *task, struct reason *why)
{
	return allow(p, queue, class_charge(task->class), why);
}

static bool proportion_preemptive(const struct plugin *p, const struct queue_info *queue,
				  struct task *const *tasks, size_t count)
{
	AUTO(resources_done) struct resources sum = RESOURCES_INIT;
	struct reason why;

	for (size_t i = 0; i < count; i++)
		resources_add(&sum, class_charge(tasks[i]->class));
	return allow(p, queue, &sum, &why) == ALLOWANCE_OWN;
}

/* Only from a queue that holds more than it deserves. */
static bool keeps_guarantee(const struct queue_info *queue, const struct task *victim)
{
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT, left = RESOURCES_INIT;

	resources_copy(&left, held_by(queue, &scratch));
	resources_sub(&left, class_charge(victim->class));
	return resources_less_equal(&queue->guarantee, &left, ABSENT_ZERO);
}

static bool proportion_evictable(const struct plugin *p, const struct evict_ask *ask,
				 const struct task *victim)
{
	const struct queue_info *queue = victim->job ? victim->job->queue : NULL;
	const struct share *share = queue ? share_of(p, queue) : NULL;
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT;

	if (!share)
		return false;
	if (ask->rest)
		return keeps_guarantee(queue, victim);
	return !resources_less_equal(held_by(queue, &scratch), &share->deserved, ABSENT_ZERO);
}

static enum vote proportion_enqueueable(const struct plugin *p, const struct job *job,
					struct reason *why)
{
	const struct queue_info *queue = job->queue;
	const struct share *share = share_of(p, queue);
	AUTO(resources_done) struct resources sum = RESOURCES_INIT, scratch = RESOURCES_INIT;
	const struct resources *held;
	dim_set over;

	if (!queue->open) {
		*why = queue_reason(REASON_QUEUE_CLOSED, queue);
		return VOTE_REJECT;
	}
	if (!job->has_min_resources || !share)
		return VOTE_PERMIT;
	held = held_by(queue, &scratch);
	resources_copy(&sum, &job->min_resources);
	resources_add(&sum, held);
	add_sum(queue, QUEUE_INQUEUE, &sum);
	queue_sum_add(queue, QUEUE_ELASTIC, false, -1, &sum);
	over = resources_over_limit(&sum, &share->limit, &job->min_resources);
	if (!over || eviction_estimate_preempt(p->ssn, job))
		return VOTE_PERMIT;
	*why = queue_reason_over(
		REASON_QUEUE_CAPABILITY, queue,
		&(struct queue_excess){held, &job->min_resources, &sum, &share->limit, over});
	queue_reason_whose(why, p->ssn->cluster, queue, false);
	return VOTE_REJECT;
}

static void proportion_report(const struct plugin *p, const struct queue_info *queue,
			      struct queue_report *to)
{
	const struct share *share = share_of(p, queue);

	if (!share || share->queue != queue)
		return;
	to->deserved = &share->deserved;
	to->limit = &share->limit;
}

const struct plugin_type proportion_plugin = {
	.report = proportion_report,
	.name = "proportion",
	.alike = true,
	.new = proportion_new,
	.free = proportion_free,
	.open = proportion_open,
	.queue_order = proportion_queue_order,
	.overused = proportion_overused,
	.allocatable = proportion_allocatable,
	.preemptive = proportion_preemptive,
	.job_vote = {[JOB_ENQUEUEABLE] = proportion_enqueueable},
	.evictable = {[EVICT_RECLAIM] = proportion_evictable,
		      [EVICT_GANG_RECLAIM] = proportion_evictable},
};
