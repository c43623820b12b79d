/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster_check.c - what must hold in the model between two events, by counting everything again; and
 * what the model weighs. */
#include "base/mem.h"
#include "sched/cluster/cluster.h"
#include "sched/cluster/hypernodes.h"
#include "sched/device/cards.h"
#include "sched/place/affinity_index.h"
#include "sched/place/numa.h"

#include "base/banned.h"

/* --- what must hold -------------------------------------------------------------------------- */

static char *check_node_dim(const struct cluster *cluster, const struct node_info *node, int dim)
{
	const struct columns *cols = &cluster->columns;
	int64_t used = 0, releasing = 0, pipelined = 0;
	int64_t allocatable = columns_get(cols, CAPACITY_ALLOCATABLE, dim, node->slot);

	LIST_EACH(&node->tasks, struct task, node_link, task) {
		int64_t amount = resources_get(&task->class->request, dim);

		if (task->status == TASK_PIPELINED)
			pipelined += amount;
		else
			used += amount;
		if (task->status == TASK_RELEASING)
			releasing += amount;
	}
	if (columns_get(cols, CAPACITY_USED, dim, node->slot) == used &&
	    columns_get(cols, CAPACITY_RELEASING, dim, node->slot) == releasing &&
	    columns_get(cols, CAPACITY_IDLE, dim, node->slot) == allocatable - used &&
	    columns_get(cols, CAPACITY_FUTURE, dim, node->slot) ==
		    allocatable - used + releasing - pipelined)
		return NULL;
	return mem_printf("node %.*s: capacity of %.*s is not what its tasks leave",
			  STR_ARG(node->text), STR_ARG(dims_name(cluster->dims, dim)));
}

/* What scores are made of. */
static char *check_node_scores(const struct cluster *cluster, const struct node_info *node)
{
	const struct columns *cols = &cluster->columns;
	int64_t cpu = 0, memory = 0;

	LIST_EACH(&node->tasks, struct task, node_link, task) {
		if (task->status == TASK_RELEASING && !task->leaving)
			continue;
		cpu += task->class->nonzero_cpu;
		memory += task->class->nonzero_memory;
	}
	if (cols->nonzero[DIM_CPU][node->slot] != cpu ||
	    cols->nonzero[DIM_MEMORY][node->slot] != memory)
		return mem_printf("node %.*s: what it is scored by is not what its tasks ask for",
				  STR_ARG(node->text));
	return NULL;
}

static char *check_hollow(const struct cluster *cluster)
{
	const struct columns *cols = &cluster->columns;
	size_t hollow = 0;

	for (size_t i = 0; i < cluster->nodes.len; i++)
		hollow += cluster->nodes.ptr[i] && cluster->nodes.ptr[i]->there &&
			  (cols->at[CAPACITY_ALLOCATABLE][DIM_CPU][i] <= 0 ||
			   cols->at[CAPACITY_ALLOCATABLE][DIM_MEMORY][i] <= 0);
	if (hollow == cols->hollow)
		return NULL;
	return mem_printf("%zu nodes have no cpu or no memory, not %zu", hollow, cols->hollow);
}

static char *check_node(const struct cluster *cluster, const struct node_info *node)
{
	uint32_t count = 0;

	if (cluster->nodes.ptr[node->slot] != node)
		return mem_printf("node %.*s: is not in its slot", STR_ARG(node->text));
	LIST_EACH(&node->tasks, struct task, node_link, task) {
		if (task->node != node || !task_is(task, TASKS_PLACED))
			return mem_printf("node %.*s: holds %s, which is not on it",
					  STR_ARG(node->text), task->text);
		count += task->status != TASK_PIPELINED;
	}
	if (count != node->task_count)
		return mem_printf("node %.*s: counts %u tasks, holds %u", STR_ARG(node->text),
				  node->task_count, count);
	for (size_t dim = 0; dim < cluster->columns.dims; dim++) {
		char *wrong = check_node_dim(cluster, node, (int)dim);

		if (wrong)
			return wrong;
	}
	return check_node_scores(cluster, node);
}

static bool same(const struct resources *a, const struct resources *b)
{
	for (uint32_t i = 0; i < a->len || i < b->len; i++)
		if (resources_get(a, (int)i) != resources_get(b, (int)i))
			return false;
	return true;
}

static char *check_job(const struct cluster *cluster, const struct job *job)
{
	AUTO(resources_done) struct resources allocated = RESOURCES_INIT;
	AUTO(resources_done) struct resources pending = RESOURCES_INIT;
	uint32_t total = 0;

	for (int s = 0; s < TASK_STATUS_COUNT; s++) {
		uint32_t count = 0;

		LIST_EACH(&job->tasks[s], struct task, job_link, task) {
			if (task->status != s || task->job != job)
				return mem_printf("job %s: %s is in the wrong list", job->key,
						  task->text);
			if (TASK_BIT(s) & TASKS_ALLOCATED)
				cards_charge(cluster, task, &allocated, 1);
			if (s == TASK_PENDING)
				cards_charge(cluster, task, &pending, 1);
			count++;
		}
		if (count != job->tally.count[s])
			return mem_printf("job %s: counts %u tasks as %s, has %u", job->key,
					  job->tally.count[s], task_status_names[s], count);
		total += count;
	}
	if (total != job->tally.total)
		return mem_printf("job %s: counts %u tasks, has %u", job->key, job->tally.total,
				  total);
	if (!same(&allocated, &job->allocated) || !same(&pending, &job->pending))
		return mem_printf("job %s: its sums are not those of its tasks", job->key);
	return NULL;
}

static void add_below(const struct cluster *cluster, const struct queue_info *queue,
		      struct resources *allocated, struct resources *pending,
		      struct resources *pipelined)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->jobs, &at, NULL, &value)) {
		const struct job *job = value;

		if (!job->queue || !queue_is_below(job->queue, queue))
			continue;
		resources_add(allocated, &job->allocated);
		resources_add(pending, &job->pending);
		LIST_EACH(&job->tasks[TASK_PIPELINED], struct task, job_link, task)
			cards_charge(cluster, task, pipelined, 1);
	}
}

static char *check_queue(const struct cluster *cluster, const struct queue_info *queue)
{
	AUTO(resources_done) struct resources allocated = RESOURCES_INIT;
	AUTO(resources_done) struct resources pending = RESOURCES_INIT;
	AUTO(resources_done) struct resources pipelined = RESOURCES_INIT;

	add_below(cluster, queue, &allocated, &pending, &pipelined);
	if (!same(&pipelined, &queue->pipelined) || !same(&allocated, &queue->allocated) ||
	    !same(&pending, &queue->pending))
		return mem_printf("queue %.*s: its sums are not those of its jobs",
				  STR_ARG(queue->text));
	return NULL;
}

static char *check_totals(const struct cluster *cluster)
{
	for (size_t dim = 0; dim < cluster->columns.dims; dim++) {
		int64_t total = 0, used = 0;

		for (size_t i = 0; i < cluster->nodes.len; i++) {
			const struct node_info *node = cluster->nodes.ptr[i];

			if (!node || !node->there)
				continue;
			total += cluster->columns.at[CAPACITY_ALLOCATABLE][dim][i];
			used += cluster->columns.at[CAPACITY_USED][dim][i];
		}
		if (total != resources_get(&cluster->total, (int)dim) ||
		    used != resources_get(&cluster->used, (int)dim))
			return mem_printf("the cluster's sums of %.*s are not those of its nodes",
					  STR_ARG(dims_name(cluster->dims, (int)dim)));
	}
	return NULL;
}

char *cluster_check(const struct cluster *cluster)
{
	char *wrong = check_totals(cluster);
	size_t at = 0;
	void *value;

	for (size_t i = 0; !wrong && i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i])
			wrong = check_node(cluster, cluster->nodes.ptr[i]);
	for (size_t i = 0; !wrong && i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i])
			wrong = cards_check(cluster, cluster->nodes.ptr[i]);
	while (!wrong && map_next(cluster->jobs, &at, NULL, &value))
		wrong = check_job(cluster, value);
	at = 0;
	while (!wrong && map_next(cluster->queues, &at, NULL, &value))
		wrong = check_queue(cluster, value);
	at = 0;
	while (!wrong && map_next(cluster->tasks, &at, NULL, &value)) {
		const uint32_t lost = TASK_BIT(TASK_RELEASING) | TASK_BIT(TASK_UNKNOWN);
		const struct task *task = value;

		if (task->node ? !task_is(task, TASKS_PLACED) : task_is(task, TASKS_PLACED & ~lost))
			wrong = mem_printf("task %s: %s %s a node", task->text,
					   task_status_names[task->status],
					   task->node ? "with" : "without");
	}
	if (!wrong)
		wrong = check_hollow(cluster);
	if (!wrong)
		wrong = hypernodes_check(cluster->hypernodes);
	if (!wrong)
		wrong = numa_check(cluster);
	return wrong ? wrong : affinity_check(cluster->affinity);
}

/* --- what it weighs -------------------------------------------------------------------------- */

enum { PIECE = 16, MAP_ENTRY = 48 }; /* what malloc and a map add to each object, about */

static size_t terms_bytes(const struct terms *terms)
{
	return sizeof(*terms) + 2 * terms->key.len + json_doc_bytes(terms->doc) + MAP_ENTRY;
}

struct cluster_bytes cluster_bytes(const struct cluster *cluster)
{
	struct cluster_bytes bytes = {0};
	size_t at = 0;
	void *value;

	while (map_next(cluster->tasks, &at, NULL, &value)) {
		const struct task *task = value;

		bytes.tasks +=
			sizeof(*task) + task->key_len + task->uid_len + 2 + PIECE + MAP_ENTRY;
		bytes.tasks +=
			(sizeof(*task->labels) + task->labels->len * sizeof(task->labels->at[0]) +
			 PIECE + MAP_ENTRY) /
			task->labels->refs;
	}
	for (size_t i = 0; i < cluster->class_by_id.len; i++) {
		const struct class *class = cluster->class_by_id.ptr[i];

		if (class)
			bytes.tasks += sizeof(*class) + class->key.len + MAP_ENTRY +
				       class->request.len * sizeof(int64_t);
	}
	for (size_t i = 0; i < cluster->terms_by_id.len; i++)
		if (cluster->terms_by_id.ptr[i])
			bytes.tasks += terms_bytes(cluster->terms_by_id.ptr[i]);
	bytes.nodes =
		CAPACITY_COUNT * cluster->columns.dims * cluster->columns.size * sizeof(int64_t);
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];

		if (node)
			bytes.nodes += sizeof(*node) + PIECE + MAP_ENTRY +
				       node->image_count * sizeof(*node->images) +
				       node->labels->len * sizeof(node->labels->at[0]);
	}
	for (size_t i = 0; i < cluster->profile_by_id.len; i++) {
		const struct profile *profile = cluster->profile_by_id.ptr[i];

		if (profile)
			bytes.nodes += sizeof(*profile) + 2 * profile->key.len +
				       json_doc_bytes(profile->doc) + MAP_ENTRY;
	}
	bytes.tasks += symbols_bytes(cluster->symbols);
	bytes.jobs = map_len(cluster->jobs) * (sizeof(struct job) + MAP_ENTRY);
	return bytes;
}
