/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster_queue.c - queues and their tree (scheduler specification, 1.21 and 6.6.2).
 *
 * Whenever a queue comes, goes or gets another parent, the tree is linked again and the sums of every
 * queue are made from its jobs: that is rare, and so it is simple. */
#include "base/arena.h"
#include "base/mem.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/report/object_warnings.h"

#include "base/banned.h"

#define ROOT "root"

int queue_order(const struct queue_info *a, const struct queue_info *b)
{
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	if (a->arrival != b->arrival)
		return a->arrival < b->arrival ? -1 : 1;
	return str_cmp(a->text, b->text);
}

bool queue_is_below(const struct queue_info *queue, const struct queue_info *other)
{
	while (queue && queue != other)
		queue = queue->parent;
	return queue;
}

/* --- the tree -------------------------------------------------------------------------------- */

static void set_parent(struct cluster *cluster, struct queue_info *queue)
{
	struct str name = queue->view->spec.parent;

	queue->parent = NULL;
	queue->broken = false;
	if (str_is(queue->text, ROOT))
		return;
	queue->parent = cluster_find_queue(cluster, name.len ? name : STR(ROOT));
	queue->broken = !queue->parent && name.len && !str_is(name, ROOT);
}

/* A queue among its own ancestors stands alone, and so does everything below it. */
static void cut_rings(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		struct queue_info *queue = cluster->queue_by_id.ptr[i];
		size_t steps = 0;

		for (struct queue_info *q = queue; q; q = q->parent)
			if (steps++ > cluster->queue_by_id.len) {
				queue->broken = true;
				break;
			}
	}
	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		struct queue_info *queue = cluster->queue_by_id.ptr[i];

		if (queue && queue->broken)
			queue->parent = NULL;
	}
}

static void relink(struct cluster *cluster)
{
	struct queue_info *queue;

	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		queue = cluster->queue_by_id.ptr[i];
		if (!queue)
			continue;
		list_init(&queue->children);
		list_init(&queue->sibling);
		resources_clear(&queue->allocated);
		resources_clear(&queue->pending);
		resources_clear(&queue->inqueue);
		resources_clear(&queue->elastic);
		set_parent(cluster, queue);
	}
	cut_rings(cluster);
	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		queue = cluster->queue_by_id.ptr[i];
		if (!queue)
			continue;
		if (queue->parent)
			list_push(&queue->parent->children, &queue->sibling);
		LIST_EACH(&queue->jobs, struct job, queue_link, job) {
			ledger_add_to_queue(queue, job, 1);
			cluster_touch_job(cluster, job);
		}
	}
}

/* --- queues ---------------------------------------------------------------------------------- */

void cluster_free_queue(struct cluster *cluster, struct queue_info *queue)
{
	map_remove(cluster->queues, queue->text);
	ids_drop(&cluster->queue_by_id, &cluster->queue_unused, queue->id);
	resources_done(&queue->capability);
	resources_done(&queue->deserved);
	resources_done(&queue->guarantee);
	resources_done(&queue->allocated);
	resources_done(&queue->pipelined);
	resources_done(&queue->pending);
	resources_done(&queue->inqueue);
	resources_done(&queue->elastic);
	arena_free(queue->arena);
	json_doc_unref(queue->doc);
	symbols_drop(cluster->symbols, queue->name);
	mem_free(queue);
}

static struct queue_info *queue_new(struct cluster *cluster, struct str name)
{
	struct queue_info *queue = mem_new(struct queue_info);

	queue->arrival = ++cluster->arrivals;
	queue->name = symbols_take(cluster->symbols, name);
	queue->text = symbols_text(cluster->symbols, queue->name);
	queue->id = ids_take(&cluster->queue_by_id, &cluster->queue_unused, queue);
	list_init(&queue->jobs);
	list_init(&queue->children);
	list_init(&queue->sibling);
	map_put(cluster->queues, queue->text, queue);
	return queue;
}

/* Jobs that were waiting for a queue of this name. */
static void adopt(struct cluster *cluster, struct queue_info *queue)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->jobs, &at, NULL, &value)) {
		struct job *job = value;

		if (job->grouped && !job->queue && job->queue_name == queue->name)
			ledger_move_job(cluster, job, queue);
	}
}

static int read_limits(struct cluster *cluster, const struct queue *view,
		       struct resources limits[3], struct err *err)
{
	const struct resource_list *lists[] = {&view->spec.capability, &view->spec.deserved,
					       &view->spec.guarantee.resource};
	static const char *const names[] = {"spec.capability", "spec.deserved",
					    "spec.guarantee.resource"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (resources_add_list(&limits[i], cluster->dims, DIMS_ADD, lists[i], err) < 0)
			return err_wrap(err, "%s", names[i]);
	return 0;
}

static void set_fields(struct queue_info *queue, const struct queue *view,
		       const struct resources limits[3])
{
	resources_copy(&queue->capability, &limits[0]);
	resources_copy(&queue->deserved, &limits[1]);
	resources_copy(&queue->guarantee, &limits[2]);
	queue->has_capability = view->spec.capability.len > 0;
	queue->weight = view->spec.weight;
	queue->priority = view->spec.priority;
	queue->reclaimable = !view->spec.reclaimable.set || view->spec.reclaimable.value;
	queue->open = view->status.state == QUEUE_OPEN;
	queue->created = view->meta.creation_timestamp;
	queue->view = view;
}

/* Its jobs may have other reasons now, and those of others may get more or less. */
static void touch_all(struct cluster *cluster, struct queue_info *queue)
{
	LIST_EACH(&queue->jobs, struct job, queue_link, job)
		cluster_touch_job(cluster, job);
	cluster_unblock(cluster);
}

/* What scheduling goes by: whatever else is written into its status is not of it. */
static bool is_same(const struct queue_info *queue, const struct queue *view, struct json_doc *doc)
{
	struct json now = json_doc_root(doc), before;

	if (!queue->view || queue->open != (view->status.state == QUEUE_OPEN))
		return false;
	before = json_doc_root(queue->doc);
	return json_eq(json_get(now, "spec"), json_get(before, "spec")) &&
	       json_eq(json_get(json_get(now, "metadata"), "annotations"),
		       json_get(json_get(before, "metadata"), "annotations"));
}

int cluster_apply_queue(struct cluster *cluster, struct json_doc *doc, struct err *err)
{
	struct arena *arena = arena_new(0);
	struct queue *view = arena_new_of(arena, struct queue);
	struct resources limits[3] = {RESOURCES_INIT, RESOURCES_INIT, RESOURCES_INIT};
	struct queue_info *queue;
	bool fresh, same;
	int failed = type_decode(&queue_type, json_doc_root(doc), arena, view, err) < 0 ||
		     read_limits(cluster, view, limits, err) < 0;

	if (!failed) {
		cluster_grow_columns(cluster);
		queue = cluster_find_queue(cluster, view->meta.name);
		fresh = !queue;
		if (fresh)
			queue = queue_new(cluster, view->meta.name);
		fresh |= !queue->view || !str_eq(queue->view->spec.parent, view->spec.parent);
		same = !fresh && is_same(queue, view, doc);
		arena_free(queue->arena);
		json_doc_unref(queue->doc);
		queue->arena = arena;
		queue->doc = json_doc_ref(doc);
		set_fields(queue, view, limits);
		object_warnings_check(
			cluster->warnings, WARNING_QUEUE, queue->text,
			json_get(json_get(json_doc_root(doc), "metadata"), "annotations"),
			JSON_NONE);
		if (fresh) {
			relink(cluster);
			adopt(cluster, queue);
		}
		if (!same)
			touch_all(cluster, queue);
	} else {
		arena_free(arena);
	}
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		resources_done(&limits[i]);
	return failed ? -1 : 0;
}

void cluster_remove_queue(struct cluster *cluster, struct str key)
{
	struct queue_info *queue = cluster_find_queue(cluster, key);

	if (!queue)
		return;
	object_warnings_forget(cluster->warnings, WARNING_QUEUE, queue->text);
	LIST_EACH(&queue->jobs, struct job, queue_link, job)
		ledger_move_job(cluster, job, NULL);
	cluster_free_queue(cluster, queue);
	relink(cluster);
}
