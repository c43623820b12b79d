/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_owners.c - owner clean-up: deletes objects whose owners were
 * deleted.
 *
 * The graph has an edge for each owner reference, from the uid of the owner to the key of the
 * dependent, fed by the changes of all kinds, custom ones included. A change puts on the list only
 * those whose fate it may decide, so that removing an owner costs as much as it has dependents:
 *
 *	an owner was deleted		its dependents, and owners that wait for it
 *	an owner starts to wait		its dependents (foreground), or it itself (orphan)
 *	references have changed		the dependent; owners that it no longer blocks
 *
 * What happens to an object on the list is decided by the current objects (check()), as in
 * Kubernetes' garbage collector: an owner is solid, was deleted (also: another object has its name
 * now), or waits for its dependents. One solid owner is enough to keep a dependent. The store is
 * always complete, so no virtual nodes are needed for owners that were not observed. An owner of a
 * kind that is not served proves nothing: the dependent stays until the kind is known. */
#include <string.h>

#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define FINALIZER_FOREGROUND "foregroundDeletion"
#define FINALIZER_ORPHAN "orphan"

/* One end of the edges, under a name of its own. */
struct end {
	struct list edges;
	struct str name; /* uid of an owner, key of a dependent */
	bool gone;       /* an owner whose end we have seen: a uid never comes back */
	char text[];
};

struct edge {
	struct list of_owner;
	struct list of_dependent;
	struct end *owner;
	struct end *dependent;
	bool blocks; /* the owner, when it waits for its dependents */
};

struct owners {
	struct api *api;
	struct todo *todo;
	struct map *owners;     /* uid -> struct end */
	struct map *dependents; /* key -> struct end */
	VEC(char *) unresolved; /* keys whose owner's kind is not served */
	uint64_t generation;    /* of the kinds, when that was so */
};

/* --- the graph --- */

static struct end *end_get(struct map *ends, struct str name)
{
	struct end *end = map_get(ends, name);

	if (end)
		return end;
	end = mem_zalloc(sizeof(*end) + name.len + 1);
	if (name.len)
		memcpy(end->text, name.ptr, name.len);
	end->name = str_of(end->text, name.len);
	list_init(&end->edges);
	map_put(ends, end->name, end);
	return end;
}

static void end_release(struct map *ends, struct end *end)
{
	if (!list_is_empty(&end->edges))
		return;
	map_remove(ends, end->name);
	mem_free(end);
}

static void edge_free(struct owners *self, struct edge *edge)
{
	list_remove(&edge->of_owner);
	list_remove(&edge->of_dependent);
	end_release(self->owners, edge->owner);
	end_release(self->dependents, edge->dependent);
	mem_free(edge);
}

static void edge_add(struct owners *self, struct str key, struct json reference)
{
	struct edge *edge = mem_new(struct edge);

	edge->owner = end_get(self->owners, json_str(json_get(reference, "uid")));
	edge->dependent = end_get(self->dependents, key);
	edge->blocks = json_bool(json_get(reference, "blockOwnerDeletion"));
	list_push(&edge->owner->edges, &edge->of_owner);
	list_push(&edge->dependent->edges, &edge->of_dependent);
}

static void drop_edges(struct owners *self, struct str key)
{
	struct end *end = map_get(self->dependents, key);
	struct list *link = end ? list_first(&end->edges) : NULL;

	while (link) {
		struct edge *edge = container_of(link, struct edge, of_dependent);

		/* with the last edge the end is freed */
		link = link->next == &end->edges ? NULL : link->next;
		edge_free(self, edge);
	}
}

static bool has_dependents(const struct owners *self, struct str uid)
{
	return map_get(self->owners, uid) != NULL;
}

/* --- objects --- */

static struct json references(struct json object)
{
	return json_get(json_get(object, "metadata"), "ownerReferences");
}

static bool is_going(struct json object)
{
	return !json_is_absent(json_get(json_get(object, "metadata"), "deletionTimestamp"));
}

static bool has_finalizer(struct json object, const char *name)
{
	return json_has_str(json_get(json_get(object, "metadata"), "finalizers"), str_from(name));
}

/* Is it deleted after its dependents? */
static bool is_waiting(struct json object)
{
	return is_going(object) && has_finalizer(object, FINALIZER_FOREGROUND);
}

static bool is_orphaning(struct json object)
{
	return is_going(object) && has_finalizer(object, FINALIZER_ORPHAN);
}

/* A cheap way to know that an object does not mention something. */
static bool mentions(const struct object *object, const char *word)
{
	return object && memmem(object->text.ptr, object->text.len, word, strlen(word));
}

/* The text of an object's references, as it stands. */
static struct str references_text(const struct object *object)
{
	static const char head[] = "\"ownerReferences\":[";
	const char *start = memmem(object->text.ptr, object->text.len, head, sizeof(head) - 1);
	size_t left = start ? object->text.len - (size_t)(start - object->text.ptr) : 0;
	const char *end = start ? memchr(start, ']', left) : NULL;

	return end ? str_of(start, (size_t)(end - start)) : str_none();
}

/* Nothing is parsed for the many changes that leave them alone. */
static bool are_references_kept(const struct change *change)
{
	return change->old && str_eq(references_text(change->object), references_text(change->old));
}

/* The key of the owner, in the arena; none if its kind is not served. */
static struct str owner_key(struct owners *self, struct arena *arena, struct json reference,
			    struct str namespace)
{
	const struct kind *kind =
		kinds_find_kind(api_kinds(self->api), json_str(json_get(reference, "apiVersion")),
				json_str(json_get(reference, "kind")));

	if (!kind)
		return str_none();
	return api_key(arena, kind, kind->namespaced ? namespace : str_none(),
		       json_str(json_get(reference, "name")));
}

static struct json_doc *read_newest(struct owners *self, struct str key)
{
	struct object *object = store_newest(api_store(self->api), key);

	return object ? decoded_get(self->api->decoded, object) : NULL;
}

/* --- changes --- */

/* Does the owner certainly exist, so that no further check is needed? */
static bool is_plainly_there(struct owners *self, struct json reference, struct str namespace)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str key = owner_key(self, arena, reference, namespace);
	struct object *owner = key.len ? store_newest(api_store(self->api), key) : NULL;

	return owner && !mentions(owner, "\"ownerReferences\"") &&
	       !mentions(owner, FINALIZER_FOREGROUND) &&
	       mentions(owner, arena_printf(arena, "\"uid\":\"%.*s\"",
					    STR_ARG(json_str(json_get(reference, "uid")))));
}

/* Owners that may have waited for this one. */
static void queue_owners(struct owners *self, struct json object, struct str namespace)
{
	struct json_iter it = json_iter(references(object));
	AUTO(arena_free) struct arena *arena = arena_new(0);

	while (json_next(&it)) {
		struct str key = owner_key(self, arena, it.value, namespace);

		if (key.len &&
		    mentions(store_newest(api_store(self->api), key), FINALIZER_FOREGROUND))
			todo_add(self->todo, key);
	}
}

static void queue_dependents(struct owners *self, struct str uid, bool gone)
{
	struct end *end = map_get(self->owners, uid);

	if (!end)
		return;
	end->gone = end->gone || gone;
	LIST_EACH(&end->edges, struct edge, of_owner, edge)
		todo_add(self->todo, edge->dependent->name);
}

static void relink(struct owners *self, struct change *change)
{
	struct json_iter it = json_iter(references(change_object(change)));
	bool doubtful = false;

	drop_edges(self, change->key);
	while (json_next(&it)) {
		edge_add(self, change->key, it.value);
		doubtful = doubtful || !is_plainly_there(self, it.value, change->namespace);
	}
	if (doubtful)
		todo_add(self->todo, change->key);
	if (change->old)
		queue_owners(self, change_old(change), change->namespace);
}

/* A kind is served that was not: what could not be decided may be now. */
static void retry_unresolved(struct owners *self)
{
	uint64_t generation = kinds_generation(api_kinds(self->api));

	if (generation == self->generation)
		return;
	self->generation = generation;
	for (size_t i = 0; i < self->unresolved.len; i++) {
		todo_add(self->todo, str_from(self->unresolved.ptr[i]));
		mem_free(self->unresolved.ptr[i]);
	}
	vec_clear(&self->unresolved);
}

static void on_deleted(struct owners *self, struct change *change)
{
	struct json old = change_old(change);

	drop_edges(self, change->key);
	queue_owners(self, old, change->namespace);
	queue_dependents(self, json_str(json_get(json_get(old, "metadata"), "uid")), true);
}

static void on_change(void *arg, struct change *change)
{
	struct owners *self = arg;
	struct json object;

	retry_unresolved(self);
	if (!change->object) {
		on_deleted(self, change);
		return;
	}
	if ((mentions(change->object, "\"ownerReferences\"") ||
	     map_get(self->dependents, change->key)) &&
	    !are_references_kept(change))
		relink(self, change);
	if (!mentions(change->object, "\"deletionTimestamp\""))
		return;
	object = change_object(change);
	if (is_waiting(object) || is_orphaning(object))
		todo_add(self->todo, change->key);
	if (is_waiting(object) && !(change->old && is_waiting(change_old(change))))
		queue_dependents(self, json_str(json_get(json_get(object, "metadata"), "uid")),
				 false);
}

/* --- changing objects --- */

/* What becomes of a reference. */
typedef bool keep_reference_fn(void *arg, struct json_doc *doc, struct json reference);

static void filter_references(struct owners *self, const struct kind *kind, struct json object,
			      keep_reference_fn *fn, void *arg)
{
	struct json_doc *doc = json_doc_thaw(object);
	struct json metadata = json_get(json_doc_root(doc), "metadata");
	struct json list = json_new_arr(doc);
	struct json_iter it = json_iter(references(object));

	while (json_next(&it)) {
		struct json copy = json_new_copy(doc, it.value);

		if (fn(arg, doc, copy))
			json_append(doc, list, copy);
	}
	if (json_len(list))
		json_set(doc, metadata, STR("ownerReferences"), list);
	else
		(void)json_remove(doc, metadata, STR("ownerReferences"));
	self_update(self->api, kind, doc);
}

static bool is_not_of(void *arg, struct json_doc *doc, struct json reference)
{
	const struct str *uid = arg;

	(void)doc;
	return !str_eq(json_str(json_get(reference, "uid")), *uid);
}

static bool unblock(void *arg, struct json_doc *doc, struct json reference)
{
	(void)arg;
	if (json_bool(json_get(reference, "blockOwnerDeletion")))
		json_set_bool(doc, reference, "blockOwnerDeletion", false);
	return true;
}

/* --- deciding --- */

/* Orphan its dependents, then delete it. */
static void orphan_dependents(struct owners *self, const struct kind *kind, struct json object)
{
	struct str uid = meta_uid(object);
	struct end *end = map_get(self->owners, uid);

	if (end) {
		LIST_EACH(&end->edges, struct edge, of_owner, edge) {
			const struct kind *of =
				reconcile_kind(self->api, key_split(edge->dependent->name).prefix);
			AUTO(json_doc_unref)
			struct json_doc *doc = read_newest(self, edge->dependent->name);

			if (of && doc)
				filter_references(self, of, json_doc_root(doc), is_not_of, &uid);
		}
	}
	self_drop_finalizer(self->api, kind, object, FINALIZER_ORPHAN);
}

/* Delete it when no dependent blocks it any more. */
static void wait_for_dependents(struct owners *self, const struct kind *kind, struct json object)
{
	struct end *end = map_get(self->owners, meta_uid(object));
	size_t blocked = 0;

	if (end) {
		LIST_EACH(&end->edges, struct edge, of_owner, edge)
			blocked += edge->blocks && store_newest(api_store(self->api),
								edge->dependent->name) != NULL;
	}
	if (blocked == 0)
		self_drop_finalizer(self->api, kind, object, FINALIZER_FOREGROUND);
}

enum fate { FATE_SOLID, FATE_GONE, FATE_WAITING, FATE_UNKNOWN, FATE_COUNT };

static enum fate owner_fate(struct owners *self, struct json reference, struct str namespace)
{
	struct str uid = json_str(json_get(reference, "uid"));
	const struct end *end = map_get(self->owners, uid);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str key = owner_key(self, arena, reference, namespace);
	AUTO(json_doc_unref) struct json_doc *owner = key.len ? read_newest(self, key) : NULL;

	if (end && end->gone)
		return FATE_GONE;
	if (!key.len)
		return FATE_UNKNOWN;
	if (!owner || !str_eq(meta_uid(json_doc_root(owner)), uid))
		return FATE_GONE;
	return is_waiting(json_doc_root(owner)) ? FATE_WAITING : FATE_SOLID;
}

/* An object without namespace cannot belong to one that has one: that proves nothing either. */
static bool is_out_of_scope(struct owners *self, struct json reference, const struct kind *kind)
{
	const struct kind *owner =
		kinds_find_kind(api_kinds(self->api), json_str(json_get(reference, "apiVersion")),
				json_str(json_get(reference, "kind")));

	return owner && owner->namespaced && !kind->namespaced;
}

struct verdict {
	struct owners *self;
	struct str namespace;
	size_t fates[FATE_COUNT];
};

static bool is_solid(void *arg, struct json_doc *doc, struct json reference)
{
	const struct verdict *verdict = arg;

	(void)doc;
	return owner_fate(verdict->self, reference, verdict->namespace) == FATE_SOLID;
}

static void remove_object(struct owners *self, const struct kind *kind, struct json object,
			  const char *propagation)
{
	struct json metadata = json_get(object, "metadata");

	self_remove(self->api, &(struct self_removal){
				       .kind = kind,
				       .namespace = json_str(json_get(metadata, "namespace")),
				       .name = json_str(json_get(metadata, "name")),
				       .uid = meta_uid(object),
				       .propagation = str_from(propagation),
			       });
}

static bool is_in_a_circle(struct owners *self, struct str uid)
{
	const struct end *end = map_get(self->owners, uid);

	LIST_EACH(&end->edges, struct edge, of_owner, edge) {
		AUTO(json_doc_unref)
		struct json_doc *doc = read_newest(self, edge->dependent->name);

		if (doc && is_waiting(json_doc_root(doc)))
			return true;
	}
	return false;
}

/* No owner is solid. One that waits takes the object's own dependents along in the same way. */
static void collect(struct owners *self, const struct kind *kind, struct json object, bool waiting)
{
	if (!waiting || !has_dependents(self, meta_uid(object))) {
		remove_object(self, kind, object,
			      has_finalizer(object, FINALIZER_ORPHAN)       ? "Orphan"
			      : has_finalizer(object, FINALIZER_FOREGROUND) ? "Foreground"
									    : "Background");
		return;
	}
	if (is_in_a_circle(self, meta_uid(object)))
		filter_references(self, kind, object, unblock, NULL);
	remove_object(self, kind, object, "Foreground");
}

static void decide(struct owners *self, struct str key, const struct kind *kind, struct json object)
{
	struct verdict verdict = {self, key_split(key).namespace, {0}};
	struct json_iter it = json_iter(references(object));

	while (json_next(&it)) {
		if (is_out_of_scope(self, it.value, kind)) {
			log_warn(api_log(self->api), "an owner in a namespace owns nothing outside",
				 LOG_VIEW("object", key));
			return;
		}
		verdict.fates[owner_fate(self, it.value, verdict.namespace)]++;
	}
	if (verdict.fates[FATE_UNKNOWN])
		vec_push(&self->unresolved, str_dup(key));
	else if (!verdict.fates[FATE_SOLID])
		collect(self, kind, object, verdict.fates[FATE_WAITING]);
	else if (verdict.fates[FATE_GONE] || verdict.fates[FATE_WAITING])
		filter_references(self, kind, object, is_solid, &verdict);
}

static void check(void *arg, struct str key)
{
	struct owners *self = arg;
	const struct kind *kind = reconcile_kind(self->api, key_split(key).prefix);
	AUTO(json_doc_unref) struct json_doc *doc = read_newest(self, key);
	struct json object = doc ? json_doc_root(doc) : JSON_NONE;

	if (!doc || !kind)
		return;
	if (is_orphaning(object))
		orphan_dependents(self, kind, object);
	else if (is_waiting(object))
		wait_for_dependents(self, kind, object);
	else if (!is_going(object) && json_len(references(object)))
		decide(self, key, kind, object);
}

/* --- life --- */

static void *start(struct api *api)
{
	struct owners *self = mem_new(struct owners);

	self->api = api;
	self->todo = todo_new(api_loop(api), check, self);
	todo_of_objects(self->todo, str_none());
	self->owners = map_new(loop_random_u64(api_loop(api)));
	self->dependents = map_new(loop_random_u64(api_loop(api)));
	return self;
}

static void stop(void *arg)
{
	struct owners *self = arg;
	size_t at = 0;
	void *end;

	todo_free(self->todo);
	while (map_next(self->dependents, &at, NULL, &end))
		drop_edges(self, ((struct end *)end)->name);
	for (size_t i = 0; i < self->unresolved.len; i++)
		mem_free(self->unresolved.ptr[i]);
	vec_done(&self->unresolved);
	map_free(self->owners);
	map_free(self->dependents);
	mem_free(self);
}

const struct reconciler reconcile_owners = {
	.name = "owners", .start = start, .on_change = on_change, .stop = stop};
