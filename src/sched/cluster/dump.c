/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/dump.c - see the header. Made by walking the model, never by asking a plugin: what is wrong
 * there must not keep it from being seen. */
#include "sched/cluster/dump.h"

#include "base/macro.h"
#include "base/time.h"
#include "sched/cluster/cluster.h"
#include "sched/session/config.h"

#include "base/banned.h"

static void set_amounts(const struct cluster *cluster, struct json_doc *doc, struct json object,
			const char *key, const struct resources *r)
{
	struct json amounts = resources_encode(r, cluster->dims, doc);

	if (json_len(amounts))
		json_set(doc, object, str_from(key), amounts);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void set_capacity(const struct cluster *cluster, const struct node_info *node,
			 struct json_doc *doc, struct json object)
{
	static const char *const names[CAPACITY_COUNT] = {
		[CAPACITY_ALLOCATABLE] = "allocatable", [CAPACITY_IDLE] = "idle",
		[CAPACITY_FUTURE] = "futureIdle",       [CAPACITY_USED] = "used",
		[CAPACITY_RELEASING] = "releasing",
	};

	for (int capacity = 0; capacity < CAPACITY_COUNT; capacity++) {
		AUTO(resources_done) struct resources r = RESOURCES_INIT;

		cluster_capacity(cluster, (enum capacity_kind)capacity, node, &r);
		set_amounts(cluster, doc, object, names[capacity], &r);
	}
}

struct json dump_node(const struct cluster *cluster, const struct node_info *node,
		      struct json_doc *doc)
{
	struct json object = json_new_obj(doc);
	struct json labels = json_new_obj(doc);
	struct json pods = json_new_arr(doc);

	json_set_bool(doc, object, "ready", node->there);
	set_capacity(cluster, node, doc, object);
	for (uint32_t i = 0; node->labels && i < node->labels->len; i++)
		json_set(doc, labels, symbols_text(cluster->symbols, node->labels->at[i].key),
			 json_new_str(doc,
				      symbols_text(cluster->symbols, node->labels->at[i].value)));
	json_set(doc, object, STR("labels"), labels);
	LIST_EACH(&node->tasks, struct task, node_link, task)
		json_append(doc, pods, json_new_str(doc, task_key(task)));
	json_set(doc, object, STR("pods"), pods);
	return object;
}

/* --- queues ---------------------------------------------------------------------------------- */

struct json dump_queue(const struct cluster *cluster, const struct queue_info *queue,
		       struct json_doc *doc)
{
	struct json object = json_new_obj(doc);

	if (queue->parent)
		json_set_str(doc, object, "parent", queue->parent->text);
	json_set_bool(doc, object, "open", queue->open);
	if (queue->broken)
		json_set_bool(doc, object, "broken", true);
	json_set_int(doc, object, "weight", queue->weight);
	json_set_int(doc, object, "priority", queue->priority);
	json_set_int(doc, object, "jobs", queue->job_count);
	set_amounts(cluster, doc, object, "capability", &queue->capability);
	set_amounts(cluster, doc, object, "deserved", &queue->deserved);
	set_amounts(cluster, doc, object, "guarantee", &queue->guarantee);
	set_amounts(cluster, doc, object, "allocated", &queue->allocated);
	set_amounts(cluster, doc, object, "pending", &queue->pending);
	set_amounts(cluster, doc, object, "inqueue", &queue->inqueue);
	set_amounts(cluster, doc, object, "elastic", &queue->elastic);
	return object;
}

/* --- jobs ------------------------------------------------------------------------------------ */

static struct json dump_task(const struct cluster *cluster, const struct task *task,
			     struct json_doc *doc)
{
	struct json object = json_new_obj(doc);

	json_set_str(doc, object, "name", task_name(task));
	json_set_str(doc, object, "status", str_from(task_status_names[task->status]));
	if (task->node)
		json_set_str(doc, object, "node", task->node->text);
	if (task->nominated)
		json_set_str(doc, object, "nominatedNode",
			     symbols_text(cluster->symbols, task->nominated));
	if (task->reserved_node)
		json_set_str(doc, object, "reservedNode",
			     symbols_text(cluster->symbols, task->reserved_node));
	if (task->role)
		json_set_str(doc, object, "role", symbols_text(cluster->symbols, task->role));
	json_set_int(doc, object, "priority", task->priority);
	if (task->gated)
		json_set_bool(doc, object, "gated", true);
	set_amounts(cluster, doc, object, "request", &task->class->request);
	return object;
}

struct json dump_job(const struct cluster *cluster, const struct job *job, struct json_doc *doc)
{
	struct json object = json_new_obj(doc);
	struct json tasks = json_new_arr(doc);
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, object, "queue", symbols_text(cluster->symbols, job->queue_name));
	if (!job->queue)
		json_set_bool(doc, object, "queueIsMissing", true);
	if (job->grouped) {
		json_set_str(doc, object, "phase", str_from(podgroup_phase_names[job->phase]));
		json_set_str(doc, object, "created", str_from(time_print(job->created, text)));
	}
	json_set_int(doc, object, "minAvailable", job->min_available);
	json_set_int(doc, object, "priority", job->priority);
	set_amounts(cluster, doc, object, "minResources", &job->min_resources);
	set_amounts(cluster, doc, object, "allocated", &job->allocated);
	set_amounts(cluster, doc, object, "pending", &job->pending);
	if (job->why)
		json_set_str(doc, object, "waitsFor", str_from(job->why));
	for (int status = 0; status < TASK_STATUS_COUNT; status++)
		LIST_EACH(&job->tasks[status], struct task, job_link, task)
			json_append(doc, tasks, dump_task(cluster, task, doc));
	json_set(doc, object, STR("tasks"), tasks);
	return object;
}

/* --- all of it ------------------------------------------------------------------------------- */

static struct json section(struct json_doc *doc, const char *name)
{
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	return json_ensure_obj(doc, root, name);
}

static void put(const struct json_doc *doc, struct buf *to)
{
	json_print(json_doc_root(doc), JSON_COMPACT, to);
	buf_putc(to, '\n');
}

void dump_print(const struct cluster *cluster, const struct config *config, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *settings = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *nodes = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *queues = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *jobs = json_doc_new();
	struct json of;
	size_t at = 0;
	void *value;

	(void)section(settings, "configuration");
	json_set(settings, json_doc_root(settings), STR("configuration"),
		 json_new_copy(settings, json_doc_root(config->doc)));
	put(settings, to);
	of = section(nodes, "nodes");
	for (size_t i = 0; i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i])
			json_add(nodes, of, cluster->nodes.ptr[i]->text,
				 dump_node(cluster, cluster->nodes.ptr[i], nodes));
	put(nodes, to);
	of = section(queues, "queues");
	for (size_t i = 0; i < cluster->queue_by_id.len; i++)
		if (cluster->queue_by_id.ptr[i])
			json_add(queues, of, cluster->queue_by_id.ptr[i]->text,
				 dump_queue(cluster, cluster->queue_by_id.ptr[i], queues));
	put(queues, to);
	of = section(jobs, "jobs");
	while (map_next(cluster->jobs, &at, NULL, &value))
		json_add(jobs, of, job_key(value), dump_job(cluster, value, jobs));
	put(jobs, to);
}
