/* SPDX-License-Identifier: Apache-2.0 */
/* controller/queue_controller.c - the queue controller: lifecycle/queue_lifecycle.h for each queue that something happened
 * to. It also makes the queues that everything begins with, root and default.
 *
 * Of podgroups only their queue and phase are kept, since there may be many; the counts by phase are
 * reported as metrics. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/informer.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/queue_lifecycle.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/volcano/podgroup.h"

#include "base/banned.h"

/* Groups of a queue by phase. */
struct queue_groups {
	char *name;
	size_t total;
	size_t by_phase[PODGROUP_PHASE_COUNT];
};

/* A group that is known. */
struct group {
	char *key;
	struct queue_groups *queue;
	enum podgroup_phase phase;
};

struct queue_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* queues, commands */
	struct map *groups;                    /* key: struct group */
	struct map *queues;                    /* name: struct queue_groups */
	VEC(struct client_request *) requests; /* that make the first queues */
};

/* --- podgroups ------------------------------------------------------------------------------- */

static struct queue_groups *groups_of(struct queue_controller *self, struct str queue)
{
	struct queue_groups *groups = map_get(self->queues, queue);

	if (groups)
		return groups;
	groups = mem_new(struct queue_groups);
	groups->name = str_dup(queue);
	(void)map_put(self->queues, str_of(groups->name, queue.len), groups);
	return groups;
}

static enum podgroup_phase phase_of(struct json group)
{
	struct str phase = json_str(json_get(json_get(group, "status"), "phase"));

	for (int i = 0; i < PODGROUP_PHASE_COUNT; i++)
		if (str_is(phase, podgroup_phase_names[i]))
			return (enum podgroup_phase)i;
	return PODGROUP_PHASE_NONE;
}

static void count(struct group *group, int by)
{
	group->queue->total += (size_t)by;
	group->queue->by_phase[group->phase] += (size_t)by;
}

static void group_seen(void *arg, const struct informer_object *object)
{
	struct queue_controller *self = arg;
	struct json root = json_doc_root(object->doc);
	struct str queue = json_str(json_get(json_get(root, "spec"), "queue"));
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s", STR_ARG(object->namespace), STR_ARG(object->name));
	struct group *group = map_get(self->groups, str_from(key));

	if (group) {
		count(group, -1);
		if (str_is(queue, group->queue->name)) {
			group->phase = phase_of(root);
			count(group, 1);
			return; /* as many as before */
		}
		worker_wake(self->worker, str_from(group->queue->name));
	} else {
		group = mem_new(struct group);
		group->key = TAKE(key);
		(void)map_put(self->groups, str_from(group->key), group);
	}
	group->queue = groups_of(self, queue);
	group->phase = phase_of(root);
	count(group, 1);
	worker_wake(self->worker, queue);
}

static void group_gone(void *arg, const struct informer_object *object)
{
	struct queue_controller *self = arg;
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s", STR_ARG(object->namespace), STR_ARG(object->name));
	struct group *group = map_remove(self->groups, str_from(key));

	if (!group)
		return;
	count(group, -1);
	worker_wake(self->worker, str_from(group->queue->name));
	mem_free(group->key);
	mem_free(group);
}

/* --- queues and commands --------------------------------------------------------------------- */

static struct str parent_of(struct json queue)
{
	return json_str(json_get(json_get(queue, "spec"), "parent"));
}

/* What is allocated changes all the time, and does not matter here. */
static bool queue_matters(struct json old, struct json object)
{
	static const char *const pairs[][2] = {{"metadata", "annotations"},
					       {"metadata", "deletionTimestamp"},
					       {"metadata", "uid"},
					       {"spec", "parent"},
					       {"status", "state"}};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (!json_eq(json_get(json_get(old, pairs[i][0]), pairs[i][1]),
			     json_get(json_get(object, pairs[i][0]), pairs[i][1])))
			return true;
	return false;
}

static void queue_changed(void *arg, struct str namespace, struct str name, struct json object,
			  bool gone)
{
	struct queue_controller *self = arg;
	struct json_doc *doc;
	size_t at = 0;

	(void)namespace;
	(void)object;
	worker_wake(self->worker, name);
	while ((doc = cache_group_next(self->caches[PLAN_QUEUE], name, &at)))
		worker_wake_object(self->worker, str_none(), meta_name(json_doc_root(doc)));
	if (gone)
		worker_forget(self->worker, name);
}

/* A state that was written here concerns the children as one that was heard of does. */
static void queue_written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	if (write->kind == PLAN_QUEUE && doc)
		queue_changed(arg, STR(""), write->name, json_doc_root(doc), false);
}

static void group_queue(struct json queue, struct buf *to)
{
	buf_put_str(to, parent_of(queue));
}

static bool is_for_queue(struct json command)
{
	struct json target = json_get(command, "target");

	return str_is(json_str(json_get(target, "kind")), "Queue") &&
	       str_starts(json_str(json_get(target, "apiVersion")), STR("scheduling.volcano.sh/"));
}

static struct str target_of(struct json command)
{
	return json_str(json_get(json_get(command, "target"), "name"));
}

static void group_command(struct json command, struct buf *to)
{
	buf_put_str(to, target_of(command));
}

static void command_changed(void *arg, struct str namespace, struct str name, struct json object,
			    bool gone)
{
	struct queue_controller *self = arg;

	(void)namespace;
	(void)name;
	if (!gone)
		worker_wake(self->worker, target_of(object));
}

static int by_age(const void *a, const void *b)
{
	struct json left = json_get(*(const struct json *)a, "metadata");
	struct json right = json_get(*(const struct json *)b, "metadata");
	int order = str_cmp(json_str(json_get(left, "creationTimestamp")),
			    json_str(json_get(right, "creationTimestamp")));

	return order ? order
		     : str_cmp(json_str(json_get(left, "name")), json_str(json_get(right, "name")));
}

/* --- looking --------------------------------------------------------------------------------- */

static struct json lookup(const struct queue_controller *self, struct str name)
{
	struct json_doc *doc = name.len ? cache_get(self->caches[PLAN_QUEUE], STR(""), name) : NULL;

	return doc ? json_doc_root(doc) : JSON_NONE;
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct queue_controller *self = arg;
	const struct queue_groups *groups = map_get(self->queues, key);
	struct queue_world world = {.queue = lookup(self, key)};
	VEC(struct json) commands = {0};
	struct json_doc *doc;
	size_t at = 0;
	int result;

	world.parent = lookup(self, parent_of(world.queue));
	world.groups = groups ? groups->total : 0;
	while ((doc = cache_group_next(self->caches[PLAN_COMMAND], key, &at)))
		vec_push(&commands, json_doc_root(doc));
	if (commands.len > 1)
		qsort(commands.ptr, commands.len, sizeof(*commands.ptr), by_age);
	world.commands = commands.ptr;
	world.command_count = commands.len;
	result = queue_step(&world, plan, err);
	vec_done(&commands);
	return result;
}

/* --- the first queues ------------------------------------------------------------------------ */

static void ignore(void *arg, const struct client_result *result)
{
	struct client_request **request = arg;

	(void)result; /* it is there, or the next start creates it */
	*request = NULL;
}

static void make_queue(struct queue_controller *self, const char *name, bool reclaimable)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json root;

	if (!json_is_absent(lookup(self, str_from(name))))
		return;
	doc = json_doc_new();
	root = json_new_obj(doc);
	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", str_from(plan_kinds[PLAN_QUEUE].api_version));
	json_set_str(doc, root, "kind", str_from(plan_kinds[PLAN_QUEUE].kind));
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "name", str_from(name));
	json_set_int(doc, json_ensure_obj(doc, root, "spec"), "weight", 1);
	json_set_bool(doc, json_get(root, "spec"), "reclaimable", reclaimable);
	vec_reserve(&self->requests, 2); /* their addresses are lent */
	vec_push(&self->requests, NULL);
	self->requests.ptr[self->requests.len - 1] =
		client_create(self->base->client, &resources[RESOURCE_QUEUES], doc, ignore,
			      &self->requests.ptr[self->requests.len - 1]);
}

/* --- life ------------------------------------------------------------------------------------ */

static void *queue_new(struct controller_base *base)
{
	struct queue_controller *self = mem_new(struct queue_controller);

	self->base = base;
	self->groups = map_new(loop_random_u64(base->loop));
	self->queues = map_new(loop_random_u64(base->loop));
	self->caches[PLAN_QUEUE] = cache_new(NULL, &(struct cache_events){.changed = queue_changed,
									  .matters = queue_matters,
									  .arg = self});
	self->caches[PLAN_COMMAND] = cache_new(
		is_for_queue, &(struct cache_events){.changed = command_changed, .arg = self});
	cache_group_by(self->caches[PLAN_QUEUE], group_queue);
	cache_group_by(self->caches[PLAN_COMMAND], group_command);
	self->worker = worker_new(&(struct worker_options){
		.base = base,
		.reconcile = reconcile,
		.arg = self,
		.of = RESOURCE_QUEUES,
		.caches = self->caches,
		.written = queue_written,
	});
	cache_listen(self->caches[PLAN_QUEUE], controller_informer(base, RESOURCE_QUEUES));
	cache_listen(self->caches[PLAN_COMMAND], controller_informer(base, RESOURCE_COMMANDS));
	informer_listen(controller_informer(base, RESOURCE_PODGROUPS),
			&(struct informer_events){
				.added = group_seen, .updated = group_seen, .deleted = group_gone},
			self);
	return self;
}

static void queue_ready(void *arg)
{
	struct queue_controller *self = arg;

	worker_start(self->worker);
	make_queue(self, "root", false);
	make_queue(self, "default", true);
}

static void queue_free(void *arg)
{
	struct queue_controller *self = arg;
	size_t at = 0;
	void *value;

	for (size_t i = 0; i < self->requests.len; i++)
		if (self->requests.ptr[i])
			client_cancel(self->requests.ptr[i]);
	vec_done(&self->requests);
	worker_free(self->worker);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	while (map_next(self->groups, &at, NULL, &value)) {
		mem_free(((struct group *)value)->key);
		mem_free(value);
	}
	at = 0;
	while (map_next(self->queues, &at, NULL, &value)) {
		mem_free(((struct queue_groups *)value)->name);
		mem_free(value);
	}
	map_free(self->groups);
	map_free(self->queues);
	mem_free(self);
}

static void queue_print_metrics(const void *arg, struct buf *to)
{
	static const struct {
		enum podgroup_phase phase;
		const char *name;
	} rows[] = {
		{PODGROUP_PENDING, "pending"},     {PODGROUP_RUNNING, "running"},
		{PODGROUP_UNKNOWN, "unknown"},     {PODGROUP_INQUEUE, "inqueue"},
		{PODGROUP_COMPLETED, "completed"},
	};
	const struct queue_controller *self = arg;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t at = 0;
		void *value;

		buf_printf(to, "# TYPE volcano_queue_pod_group_%s_count gauge\n", rows[i].name);
		while (map_next(self->queues, &at, NULL, &value)) {
			const struct queue_groups *groups = value;

			buf_printf(to, "volcano_queue_pod_group_%s_count{queue_name=\"%s\"} %zu\n",
				   rows[i].name, groups->name, groups->by_phase[rows[i].phase]);
		}
	}
}

const struct controller controller_queue = {
	.name = "queue-controller",
	.new = queue_new,
	.ready = queue_ready,
	.free = queue_free,
	.print_metrics = queue_print_metrics,
};
