/* SPDX-License-Identifier: Apache-2.0 */
/* controller/hypernode_controller.c - counts the nodes of HyperNodes, when they or the nodes change, and reports those
 * whose place in the tree is not sound. A change of nodes concerns all of them; one of a HyperNode itself, its members,
 * and those that were not sound. What finds HyperNodes is hypernode_discoverer.c. */
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/informer.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/hypernode_discoverer.h"
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
	struct hypernode_parents *parents;     /* NULL: HyperNodes have changed */
	struct map *unsound;                   /* name: a copy of it */
	struct discoverer *discoverer;
};

/* A status that is written changes nothing here. */
static bool matters(struct json old, struct json object)
{
	return !json_eq(json_get(old, "spec"), json_get(object, "spec")) ||
	       !json_eq(json_get(json_get(old, "metadata"), "labels"),
			json_get(json_get(object, "metadata"), "labels"));
}

static void set_sound(struct hypernode_controller *self, struct str name, bool sound)
{
	if (sound) {
		mem_free(map_remove(self->unsound, name));
	} else if (!map_get(self->unsound, name)) {
		char *copy = str_dup(name);

		(void)map_put(self->unsound, str_from(copy), copy);
	}
}

static void wake_members(struct hypernode_controller *self, struct json object)
{
	struct json_iter it = json_iter(json_get(json_get(object, "spec"), "members"));
	size_t at = 0;
	struct str name;
	void *copy;

	while (json_next(&it)) {
		struct json exact = json_get(json_get(it.value, "selector"), "exactMatch");

		if (str_is(json_str(json_get(it.value, "type")), "HyperNode"))
			worker_wake(self->worker, json_str(json_get(exact, "name")));
	}
	while (map_next(self->unsound, &at, &name, &copy))
		worker_wake(self->worker, name);
}

static void hypernode_changed(void *arg, struct str namespace, struct str name, struct json object,
			      bool gone)
{
	struct hypernode_controller *self = arg;

	(void)namespace;
	hypernode_parents_free(self->parents);
	self->parents = NULL;
	wake_members(self, object);
	if (gone) {
		set_sound(self, name, true);
		worker_forget(self->worker, name);
	} else {
		worker_wake(self->worker, name);
	}
	discoverer_touch(self->discoverer);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void wake_all(struct hypernode_controller *self)
{
	struct json_doc *doc;
	size_t at = 0;

	while ((doc = cache_next(self->caches[PLAN_HYPERNODE], &at)))
		worker_wake(self->worker, meta_name(json_doc_root(doc)));
	discoverer_touch(self->discoverer);
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

/* All nodes, for mem_free(). */
static struct json *list_nodes(void *arg, size_t *ret_count)
{
	struct hypernode_controller *self = arg;
	struct json *nodes = mem_calloc(map_len(self->nodes) + 1, sizeof(*nodes));
	size_t at = 0, count = 0;
	void *node;

	while (map_next(self->nodes, &at, NULL, &node))
		nodes[count++] = json_doc_root(((struct node *)node)->doc);
	*ret_count = count;
	return nodes;
}

static const struct hypernode_parents *parents_of(struct hypernode_controller *self)
{
	VEC(struct json) all = {0};
	struct json_doc *doc;
	size_t at = 0;

	if (self->parents)
		return self->parents;
	while ((doc = cache_next(self->caches[PLAN_HYPERNODE], &at)))
		vec_push(&all, json_doc_root(doc));
	self->parents = hypernode_parents_new(all.ptr, all.len);
	vec_done(&all);
	return self->parents;
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct hypernode_controller *self = arg;
	struct json_doc *doc = cache_get(self->caches[PLAN_HYPERNODE], STR(""), key);
	AUTO(mem_free) struct json *nodes = NULL;
	size_t count;

	if (!doc)
		return 0;
	nodes = list_nodes(self, &count);
	if (hypernode_step(json_doc_root(doc), nodes, count, plan, err) < 0)
		return -1;
	set_sound(self, key,
		  hypernode_check(json_doc_root(doc), parents_of(self), loop_now(self->base->loop),
				  plan));
	return 0;
}

static void *hypernode_new(struct controller_base *base)
{
	struct hypernode_controller *self = mem_new(struct hypernode_controller);

	self->base = base;
	self->caches[PLAN_HYPERNODE] = cache_new(
		NULL, &(struct cache_events){
			      .changed = hypernode_changed, .matters = matters, .arg = self});
	self->nodes = map_new(loop_random_u64(base->loop));
	self->unsound = map_new(loop_random_u64(base->loop));
	self->discoverer = discoverer_new(base, self->caches, list_nodes, self);
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
	struct hypernode_controller *self = arg;

	worker_start(self->worker);
	discoverer_start(self->discoverer);
}

static void hypernode_free(void *arg)
{
	struct hypernode_controller *self = arg;
	size_t at = 0;
	void *node;

	discoverer_free(self->discoverer);
	worker_free(self->worker);
	cache_free(self->caches[PLAN_HYPERNODE]);
	while (map_next(self->nodes, &at, NULL, &node))
		node_free(node);
	map_free(self->nodes);
	at = 0;
	while (map_next(self->unsound, &at, NULL, &node))
		mem_free(node);
	map_free(self->unsound);
	hypernode_parents_free(self->parents);
	mem_free(self);
}

const struct controller controller_hypernode = {
	.name = "hyperNode-controller",
	.new = hypernode_new,
	.ready = hypernode_ready,
	.free = hypernode_free,
};
