/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/ledger.c - see the header.
 *
 * A move is a lift out of all sums followed by a put into them; each is the other's inverse, term by
 * term. What a status means for a node:
 *
 *	Pipelined		future - request
 *	Releasing		used + request, releasing + request: idle goes down, future does not
 *	other placed ones	used + request
 *
 * A task counts for affinities on its node as long as its pod is there: also while it is being
 * deleted, but not when a statement tries what would be without it. */
#include "sched/cluster/ledger.h"

#include <assert.h>

#include "sched/cluster/cluster.h"
#include "sched/device/cards.h"
#include "sched/place/affinity_index.h"

#include "base/banned.h"

void ledger_note_change(struct cluster *cluster, struct node_info *node)
{
	cluster->change_ring[cluster->changes % CHANGE_RING] = node->slot;
	node->changed = ++cluster->changes;
}

static void count(int64_t *sum, int64_t amount)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)amount);
}

static void capacity_add(struct cluster *cluster, const struct task *task, int sign)
{
	const struct class *class = task->class;
	const struct node_info *node = task->node;
	struct columns *cols = &cluster->columns;
	uint32_t slot = node->slot;
	bool pipelined = task->status == TASK_PIPELINED;
	bool releasing = task->status == TASK_RELEASING;

	/* Modulo 2^64, as resources_count(): a lift undoes a put, however large the amounts are. */
	for (dim_set rest = class->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t amount = class->request.at[dim] * sign;

		if ((size_t)dim >= cols->dims)
			continue;
		if (pipelined) {
			count(&cols->at[CAPACITY_FUTURE][dim][slot], -amount);
			continue;
		}
		count(&cols->at[CAPACITY_USED][dim][slot], amount);
		count(&cols->at[CAPACITY_IDLE][dim][slot], -amount);
		if (releasing)
			count(&cols->at[CAPACITY_RELEASING][dim][slot], amount);
		else
			count(&cols->at[CAPACITY_FUTURE][dim][slot], -amount);
	}
}

static bool counts_for_affinity(const struct task *task)
{
	return task->status != TASK_RELEASING || task->leaving;
}

static void node_add(struct cluster *cluster, struct task *task, int sign)
{
	struct node_info *node = task->node;

	capacity_add(cluster, task, sign);
	if (task_is(task, TASK_BIT(TASK_PIPELINED) | TASK_BIT(TASK_RELEASING)))
		cluster->moving += (size_t)sign;
	if (task->status != TASK_PIPELINED) {
		node->task_count += (uint32_t)sign;
		if (node->there) {
			resources_count(&cluster->used, &task->class->request, sign);
		}
	}
	if (task->class->terms->port_count)
		node->port_tasks += (uint32_t)sign;
	if (task->devices)
		cards_count(cluster, task, sign);
	if (counts_for_affinity(task)) {
		affinity_count(cluster->affinity, task, sign);
		count(&cluster->columns.nonzero[DIM_CPU][node->slot],
		      sign * task->class->nonzero_cpu);
		count(&cluster->columns.nonzero[DIM_MEMORY][node->slot],
		      sign * task->class->nonzero_memory);
	}
	ledger_note_change(cluster, node);
}

static void tally_add(struct tally *tally, const struct task *task, int sign)
{
	tally->count[task->status] += (uint32_t)sign;
	tally->total += (uint32_t)sign;
	if (task->status == TASK_PENDING && task->class->empty)
		tally->waiting_empty += (uint32_t)sign;
}

/* What a job holds and wants, in it and in its queue up to the root. */
static void sums_add(const struct cluster *cluster, struct job *job, const struct task *task,
		     int sign)
{
	bool allocated = task_is(task, TASKS_ALLOCATED);

	if (task->status == TASK_PIPELINED)
		for (struct queue_info *q = job->queue; q; q = q->parent)
			cards_charge(cluster, task, &q->pipelined, sign);
	if (!allocated && task->status != TASK_PENDING)
		return;
	cards_charge(cluster, task, allocated ? &job->allocated : &job->pending, sign);
	for (struct queue_info *q = job->queue; q; q = q->parent) {
		cards_charge(cluster, task, allocated ? &q->allocated : &q->pending, sign);
		q->touched |= allocated;
	}
}

static void job_add(const struct cluster *cluster, struct task *task, int sign)
{
	struct job *job = task->job;
	struct role *role = job_find_role(job, task->role);

	tally_add(&job->tally, task, sign);
	if (role)
		tally_add(&role->tally, task, sign);
	tally_add(&task->sub->tally, task, sign);
	sums_add(cluster, job, task, sign);
	if (sign > 0)
		list_push(&job->tasks[task->status], &task->job_link);
	else
		list_remove(&task->job_link);
}

void ledger_lift(struct cluster *cluster, struct task *task)
{
	if (task->job)
		job_add(cluster, task, -1);
	if (task->node) {
		node_add(cluster, task, -1);
		list_remove(&task->node_link);
	}
}

void ledger_put(struct cluster *cluster, struct task *task)
{
	if (task->job)
		job_add(cluster, task, 1);
	if (task->node) {
		list_push(&task->node->tasks, &task->node_link);
		node_add(cluster, task, 1);
	}
}

void ledger_move(struct cluster *cluster, struct task *task, enum task_status status,
		 struct node_info *node)
{
	assert(!node == !(TASK_BIT(status) & TASKS_PLACED));
	ledger_lift(cluster, task);
	task->status = (uint8_t)status;
	task->node = node;
	ledger_put(cluster, task);
}

void ledger_set_leaving(struct cluster *cluster, struct task *task, bool leaving)
{
	if (task->leaving == leaving)
		return;
	ledger_lift(cluster, task);
	task->leaving = leaving;
	ledger_put(cluster, task);
}

/* All that a job counts for in a queue and its ancestors. */
void ledger_add_to_queue(struct queue_info *queue, const struct job *job, int sign)
{
	for (struct queue_info *q = queue; q; q = q->parent) {
		resources_count(&q->allocated, &job->allocated, sign);
		q->touched = true;
		resources_count(&q->pending, &job->pending, sign);
		resources_count(&q->inqueue, &job->inqueue, sign);
		resources_count(&q->elastic, &job->elastic, sign);
	}
}

void ledger_move_job(struct cluster *cluster, struct job *job, struct queue_info *to)
{
	if (job->queue) {
		ledger_add_to_queue(job->queue, job, -1);
		job->queue->job_count--;
		list_remove(&job->queue_link);
		cluster->moves++; /* others of that queue may have what it had */
	}
	job->queue = to;
	if (to) {
		ledger_add_to_queue(to, job, 1);
		to->job_count++;
		list_push(&to->jobs, &job->queue_link);
	}
	cluster_touch_job(cluster, job);
}

/* Taken off what a job is counted for: requests of tasks that are gated, but by Volcano's own gate. */
static void deduct_gated(const struct job *job, struct resources *from)
{
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		if (!task->gated || task->queue_gate)
			continue;
		for (dim_set rest = task->class->dims; rest; rest &= rest - 1) {
			int dim = __builtin_ctzll(rest);
			int64_t left = resources_get(from, dim) -
				       resources_get(&task->class->request, dim);

			if (resources_has(from, dim) && resources_get(from, dim) > 0)
				resources_set(from, dim, left > 0 ? left : 0);
		}
	}
}

/* The part of minResources that is not allocated, dimension by dimension. */
static void set_rest(struct resources *rest, const struct job *job)
{
	resources_copy(rest, &job->min_resources);
	for (dim_set dims = resources_dims(rest); dims; dims &= dims - 1) {
		int dim = __builtin_ctzll(dims);
		int64_t left = resources_get(rest, dim) - resources_get(&job->allocated, dim);

		resources_set(rest, dim, left > 0 ? left : 0);
	}
}

void ledger_count_job(struct cluster *cluster, struct job *job)
{
	bool admitted = job->grouped && job->has_min_resources && job->phase == PODGROUP_INQUEUE &&
			!job->pods_rejected;
	bool runs = job->grouped && job->has_min_resources && job->phase == PODGROUP_RUNNING &&
		    (int64_t)tally_of(&job->tally, TASKS_ALLOCATED) >= job->min_available;

	for (struct queue_info *q = job->queue; q; q = q->parent) {
		resources_count(&q->inqueue, &job->inqueue, -1);
		resources_count(&q->elastic, &job->elastic, -1);
	}
	resources_count(&cluster->inqueue_whole, &job->inqueue_whole, -1);
	if (admitted != list_is_linked(&job->admitted_link)) {
		if (admitted)
			list_push(&cluster->admitted, &job->admitted_link);
		else
			list_remove(&job->admitted_link);
	}
	resources_clear(&job->inqueue);
	resources_clear(&job->inqueue_whole);
	resources_clear(&job->elastic);
	if (admitted || runs) {
		set_rest(&job->inqueue, job);
		deduct_gated(job, &job->inqueue);
		resources_copy(&job->inqueue_whole, admitted ? &job->min_resources : &job->inqueue);
		if (admitted)
			deduct_gated(job, &job->inqueue_whole);
	}
	if (job->grouped && tally_of(&job->tally, TASKS_ALLOCATED))
		resources_exceeded(&job->allocated, &job->min_resources, &job->elastic);
	for (struct queue_info *q = job->queue; q; q = q->parent) {
		resources_count(&q->inqueue, &job->inqueue, 1);
		resources_count(&q->elastic, &job->elastic, 1);
	}
	resources_count(&cluster->inqueue_whole, &job->inqueue_whole, 1);
}
