/* SPDX-License-Identifier: Apache-2.0 */
/* controller/hypernode_controller.c - counts the nodes of HyperNodes, when they or the nodes change. A change of
 * nodes concerns all of them. */
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/informer.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/hypernode_lifecycle.h"
#include "loop/loop.h"
#include "model/core/meta.h"

#include "base/banned.h"

/* What counts of a node. */
struct node {
	struct json_doc *doc; /* its name and labels */
	uint64_t labels;      /* their hash */
};

struct hypernode_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* hyper nodes */
	struct map *nodes;                     /* name: struct node */
};

static void hypernode_changed(void *arg, struct str namespace, struct str name, struct json object,
			      bool gone)
{
	struct hypernode_controller *self = arg;

	(void)namespace;
	(void)object;
	if (gone)
		worker_forget(self->worker, name);
	else
		worker_wake(self->worker, name);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void wake_all(struct hypernode_controller *self)
{
	struct json_doc *doc;
	size_t at = 0;

	while ((doc = cache_next(self->caches[PLAN_HYPERNODE], &at)))
		worker_wake(self->worker, meta_name(json_doc_root(doc)));
}

static struct str name_of(const struct node *node)
{
	return meta_name(json_doc_root(node->doc));
}

static void node_free(struct node *node)
{
	if (!node)
		return;
	json_doc_unref(node->doc);
	mem_free(node);
}

/* What a node reports of itself all the time changes nothing here: only names and labels do. */
static void node_seen(void *arg, const struct informer_object *object)
{
	struct hypernode_controller *self = arg;
	struct json labels = json_get(json_get(json_doc_root(object->doc), "metadata"), "labels");
	struct node *node = map_get(self->nodes, object->name);
	struct json root;
	struct json meta;

	if (node && node->labels == json_hash(labels, 0))
		return;
	node = mem_new(struct node);
	node->labels = json_hash(labels, 0);
	node->doc = json_doc_new();
	root = json_new_obj(node->doc);
	json_doc_set_root(node->doc, root);
	meta = json_ensure_obj(node->doc, root, "metadata");
	json_set_str(node->doc, meta, "name", object->name);
	if (!json_is_absent(labels))
		json_set(node->doc, meta, STR("labels"), json_new_copy(node->doc, labels));
	node_free(map_put(self->nodes, name_of(node), node));
	wake_all(self);
}

static void node_gone(void *arg, const struct informer_object *object)
{
	struct hypernode_controller *self = arg;

	node_free(map_remove(self->nodes, object->name));
	wake_all(self);
}

/* --- looking --------------------------------------------------------------------------------- */

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct hypernode_controller *self = arg;
	struct json_doc *doc = cache_get(self->caches[PLAN_HYPERNODE], STR(""), key);
	VEC(struct json) nodes = {0};
	size_t at = 0;
	void *node;
	int result;

	if (!doc)
		return 0;
	while (map_next(self->nodes, &at, NULL, &node))
		vec_push(&nodes, json_doc_root(((struct node *)node)->doc));
	result = hypernode_step(json_doc_root(doc), nodes.ptr, nodes.len, plan, err);
	vec_done(&nodes);
	return result;
}

static void *hypernode_new(struct controller_base *base)
{
	struct hypernode_controller *self = mem_new(struct hypernode_controller);

	self->base = base;
	self->caches[PLAN_HYPERNODE] =
		cache_new(NULL, &(struct cache_events){.changed = hypernode_changed, .arg = self});
	self->nodes = map_new(loop_random_u64(base->loop));
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_HYPERNODES,
							   .caches = self->caches});
	cache_listen(self->caches[PLAN_HYPERNODE], controller_informer(base, RESOURCE_HYPERNODES));
	informer_listen(controller_informer(base, RESOURCE_NODES),
			&(struct informer_events){
				.added = node_seen, .updated = node_seen, .deleted = node_gone},
			self);
	return self;
}

static void hypernode_ready(void *arg)
{
	worker_start(((struct hypernode_controller *)arg)->worker);
}

static void hypernode_free(void *arg)
{
	struct hypernode_controller *self = arg;
	size_t at = 0;
	void *node;

	worker_free(self->worker);
	cache_free(self->caches[PLAN_HYPERNODE]);
	while (map_next(self->nodes, &at, NULL, &node))
		node_free(node);
	map_free(self->nodes);
	mem_free(self);
}

const struct controller controller_hypernode = {
	.name = "hyperNode-controller",
	.new = hypernode_new,
	.ready = hypernode_ready,
	.free = hypernode_free,
};
