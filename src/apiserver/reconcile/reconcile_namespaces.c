/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_namespaces.c - the end of a namespace: first its pods, then whatever else is in it, of
 * every kind; then its finalizer, and with that the namespace.
 *
 * Deleting a pod with a grace period, or an object with finalizers, only marks it. Until such objects
 * are deleted, the conditions of the namespace say how many of each kind are left. They are checked
 * again when an object in the namespace was deleted: at once if none of the awaited objects is left,
 * else a few seconds later, so that a thousand deletions do not count the rest a thousand times. */
#include <stdlib.h>

#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "model/core/conditions.h"

#include "base/banned.h"

#define FINALIZER "kubernetes"
#define CHECK_AGAIN (5 * TIME_SECOND)

enum { SWEEP_BATCH = 512 }; /* removals in one go */
enum { LISTED_MOST = 100 }; /* kinds or finalizers that a condition names; the rest is counted */

/* A terminating namespace. */
struct going {
	struct str name;
	int64_t looked; /* when what is left was last counted; 0: not yet */
	bool pods_left; /* nothing else was touched */
	char text[];
};

struct namespaces {
	struct api *api;
	struct todo *todo;
	struct map *going; /* name -> struct going */
	const struct kind *kind;
	const struct kind *pods;
};

/* A word and how many there are of it. */
struct tally {
	const char *word;
	size_t count;
};

/* What is left in a namespace. */
struct rest {
	struct arena *arena;
	VEC(struct tally) kinds;
	VEC(struct tally) finalizers;
	struct map *by_finalizer; /* word -> its index + 1 */
	size_t removed;           /* in this go */
};

static void rest_done(struct rest *rest)
{
	vec_done(&rest->kinds);
	vec_done(&rest->finalizers);
	map_free(rest->by_finalizer);
}
DEFINE_AUTO_IN_PLACE(struct rest, rest_done);

/* --- emptying --- */

static struct str space_prefix(struct arena *arena, const struct kind *kind, struct str namespace)
{
	return str_from(
		arena_printf(arena, "%.*s%.*s/", STR_ARG(kind->prefix), STR_ARG(namespace)));
}

/* The first existing object after `after` that stays for now. */
static struct object *next_left(struct namespaces *self, struct str prefix, struct str after)
{
	struct store *store = api_store(self->api);
	struct object *object = store_next(store, prefix, after);

	while (object && !store_newest(store, object->key))
		object = store_next(store, prefix, object->key);
	return object;
}

static bool is_marked(const struct object *object)
{
	static const char word[] = "\"deletionTimestamp\"";

	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!memmem(object->text.ptr, object->text.len, word, sizeof(word) - 1))
		return false;
	doc = json_parse(object->text, NULL, &err); /* it may be a key of a ConfigMap */
	return !json_is_absent(
		json_get(json_get(json_doc_root(doc), "metadata"), "deletionTimestamp"));
}

static void count_finalizers(struct rest *rest, const struct object *object)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(object->text, NULL, &err);
	struct json metadata = json_get(json_doc_root(doc), "metadata");
	struct json_iter it = json_iter(json_get(metadata, "finalizers"));

	while (json_next(&it)) {
		uintptr_t number = (uintptr_t)map_get(rest->by_finalizer, json_str(it.value));

		if (!number) {
			struct str word = arena_str(rest->arena, json_str(it.value));

			vec_push(&rest->finalizers, ((struct tally){word.ptr, 0}));
			number = rest->finalizers.len;
			(void)map_put(rest->by_finalizer, word, (void *)number);
		}
		rest->finalizers.ptr[number - 1].count++;
	}
}

/* Remove what there is of a kind, and count what stays. False: there is more to remove than should be in
 * one go. */
static bool empty_kind(struct namespaces *self, const struct kind *kind, struct str namespace,
		       struct rest *rest)
{
	struct str prefix = space_prefix(rest->arena, kind, namespace);
	struct store *store = api_store(self->api);
	struct object *object = next_left(self, prefix, str_none());
	size_t left = 0;

	while (object) {
		AUTO(object_unref) struct object *kept = object_ref(object);
		struct object *newest = store_newest(store, kept->key);

		if (!is_marked(newest)) {
			if (rest->removed++ >= SWEEP_BATCH)
				return false;
			self_remove(self->api,
				    &(struct self_removal){.kind = kind,
							   .namespace = namespace,
							   .name = key_split(kept->key).name,
							   .propagation = STR("Background")});
			newest = store_newest(store, kept->key);
		}
		if (newest) {
			left++;
			count_finalizers(rest, newest);
		}
		object = next_left(self, prefix, kept->key);
	}
	if (left) {
		struct tally tally = {arena_printf(rest->arena, "%.*s.%.*s", STR_ARG(kind->plural),
						   STR_ARG(kind->group)),
				      left};

		vec_push(&rest->kinds, tally);
	}
	return true;
}

static bool has_any(struct namespaces *self, const struct kind *kind, struct str namespace)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	return next_left(self, space_prefix(arena, kind, namespace), str_none()) != NULL;
}

/* Each kind of objects in namespaces once, however many versions it has. */
static const struct kind *next_kind(struct namespaces *self, size_t *at)
{
	const struct kind *kind;

	while ((kind = kinds_next(api_kinds(self->api), at)))
		if (kind->namespaced && (kind->verbs & 1U << VERB_DELETE) &&
		    reconcile_kind(self->api, kind->prefix) == kind)
			return kind;
	return NULL;
}

static bool empty_rest(struct namespaces *self, struct str namespace, struct rest *rest)
{
	const struct kind *kind;
	size_t at = 0;

	while ((kind = next_kind(self, &at)))
		if (kind != self->pods && !empty_kind(self, kind, namespace, rest))
			return false;
	return true;
}

/* --- conditions --- */

static int compare_tallies(const void *a, const void *b)
{
	return str_cmp(str_from(((const struct tally *)a)->word),
		       str_from(((const struct tally *)b)->word));
}

static struct str list_tallies(struct arena *arena, const char *what, const char *verb,
			       struct tally *tallies, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	qsort(tallies, count, sizeof(*tallies), compare_tallies);
	buf_puts(&text, what);
	for (size_t i = 0; i < count && i < LISTED_MOST; i++)
		buf_printf(&text, "%s%s %s %zu resource instances", i ? ", " : "", tallies[i].word,
			   verb, tallies[i].count);
	if (count > LISTED_MOST)
		buf_printf(&text, ", and %zu more", count - LISTED_MOST);
	return arena_str(arena, buf_str(&text));
}

/* As Kubernetes' namespace controller words them. */
static bool set_conditions(struct namespaces *self, struct json_doc *doc, struct rest *rest)
{
	struct condition conditions[] = {
		{.type = STR("NamespaceDeletionDiscoveryFailure"),
		 .reason = STR("ResourcesDiscovered"),
		 .message = STR("All resources successfully discovered")},
		{.type = STR("NamespaceDeletionGroupVersionParsingFailure"),
		 .reason = STR("ParsedGroupVersions"),
		 .message = STR("All legacy kube types successfully parsed")},
		{.type = STR("NamespaceDeletionContentFailure"),
		 .reason = STR("ContentDeleted"),
		 .message = STR("All content successfully deleted, may be waiting on "
				"finalization")},
		{.type = STR("NamespaceContentRemaining"),
		 .reason = STR("ContentRemoved"),
		 .message = STR("All content successfully removed")},
		{.type = STR("NamespaceFinalizersRemaining"),
		 .reason = STR("ContentHasNoFinalizers"),
		 .message = STR("All content-preserving finalizers finished")},
	};
	struct json status = json_ensure_obj(doc, json_doc_root(doc), "status");
	bool changed = false;

	for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
		conditions[i].status = STR("False");
	if (rest->kinds.len) {
		conditions[3].status = STR("True");
		conditions[3].reason = STR("SomeResourcesRemain");
		conditions[3].message =
			list_tallies(rest->arena, "Some resources are remaining: ", "has",
				     rest->kinds.ptr, rest->kinds.len);
	}
	if (rest->finalizers.len) {
		conditions[4].status = STR("True");
		conditions[4].reason = STR("SomeFinalizersRemain");
		conditions[4].message = list_tallies(
			rest->arena,
			"Some content in the namespace has finalizers remaining: ", "in",
			rest->finalizers.ptr, rest->finalizers.len);
	}
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
		changed |= conditions_set(doc, json_ensure_arr(doc, status, "conditions"),
					  &conditions[i], api_now(self->api));
	return changed;
}

/* --- the end --- */

static struct json_doc *read_namespace(struct namespaces *self, struct str name)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = api_read_newest(self->api, self->kind, str_none(), name);

	return doc ? json_doc_thaw(json_doc_root(doc)) : NULL;
}

/* Remove our finalizer, and with it the namespace unless it has others. */
static void finalize(struct namespaces *self, struct str name)
{
	struct json_doc *doc = read_namespace(self, name);
	struct json spec = json_get(json_doc_root(doc), "spec");
	struct json list = json_get(spec, "finalizers");

	(void)json_remove_str(doc, list, STR(FINALIZER));
	if (json_len(list) == 0)
		(void)json_remove(doc, spec, STR("finalizers"));
	self_update(self->api, self->kind, doc);
}

static void empty(struct namespaces *self, struct going *going)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(rest_done) struct rest rest = {.arena = arena, .by_finalizer = map_new(0)};
	struct json_doc *doc;
	bool whole = empty_kind(self, self->pods, going->name, &rest);

	going->pods_left = rest.kinds.len > 0;
	if (whole && !going->pods_left)
		whole = empty_rest(self, going->name, &rest);
	if (!whole) {
		todo_add(self->todo, going->name);
		return;
	}
	going->looked = loop_uptime(api_loop(self->api));
	doc = read_namespace(self, going->name);
	if (set_conditions(self, doc, &rest))
		self_update(self->api, self->kind, doc);
	else
		json_doc_unref(doc);
	if (rest.kinds.len == 0)
		finalize(self, going->name);
}

/* Is something left of what was waited for? */
static bool is_held(struct namespaces *self, const struct going *going)
{
	const struct kind *kind;
	size_t at = 0;

	if (going->pods_left)
		return has_any(self, self->pods, going->name);
	while ((kind = next_kind(self, &at)))
		if (has_any(self, kind, going->name))
			return true;
	return false;
}

static void check(void *arg, struct str name)
{
	struct namespaces *self = arg;
	struct going *going = map_get(self->going, name);
	AUTO(json_doc_unref) struct json_doc *doc = going ? read_namespace(self, name) : NULL;
	struct json spec = doc ? json_get(json_doc_root(doc), "spec") : JSON_NONE;
	int64_t wait = going && going->looked
			       ? going->looked + CHECK_AGAIN - loop_uptime(api_loop(self->api))
			       : 0;

	if (!doc)
		return;
	if (json_len(json_get(spec, "finalizers")) == 0)
		finalize(self, name); /* nothing holds it but what is in its metadata */
	else if (wait > 0 && is_held(self, going))
		todo_add_after(self->todo, name, wait);
	else
		empty(self, going);
}

/* --- changes --- */

static void on_namespace(struct namespaces *self, struct change *change)
{
	struct going *going = map_get(self->going, change->name);

	if (!change->object) {
		mem_free(map_remove(self->going, change->name));
		return;
	}
	if (!is_marked(change->object) ||
	    json_is_absent(
		    json_get(json_get(change_object(change), "metadata"), "deletionTimestamp")))
		return;
	if (going) /* by our own change, or because another finalizer was removed */
		return;
	going = mem_zalloc(sizeof(*going) + change->name.len + 1);
	memcpy(going->text, change->name.ptr, change->name.len);
	going->name = str_of(going->text, change->name.len);
	map_put(self->going, going->name, going);
	todo_add(self->todo, going->name);
}

static void on_change(void *arg, struct change *change)
{
	struct namespaces *self = arg;

	if (change->kind == self->kind)
		on_namespace(self, change);
	else if (change->namespace.len && map_len(self->going) &&
		 map_get(self->going, change->namespace))
		todo_add(self->todo, change->namespace);
}

static void *start(struct api *api)
{
	struct namespaces *self = mem_new(struct namespaces);

	self->api = api;
	self->todo = todo_new(api_loop(api), check, self);
	todo_of_objects(self->todo, STR("/namespaces/"));
	self->going = map_new(loop_random_u64(api_loop(api)));
	self->kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("namespaces"));
	self->pods = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("pods"));
	return self;
}

static void stop(void *arg)
{
	struct namespaces *self = arg;
	size_t at = 0;
	void *going;

	todo_free(self->todo);
	while (map_next(self->going, &at, NULL, &going))
		mem_free(going);
	map_free(self->going);
	mem_free(self);
}

const struct reconciler reconcile_namespaces = {
	.name = "namespaces", .start = start, .on_change = on_change, .stop = stop};
