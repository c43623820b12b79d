/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_claims.c - claims and volumes that are being deleted are removed when they are no
 * longer in use: a claim when no pod on a node has it, a volume when it is not bound.
 *
 * Their finalizer (admit_storage.c) keeps them until then. A claim is checked again when a pod of its
 * namespace was deleted; a volume when its status changes. */
#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/arena.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define CLAIM_FINALIZER "kubernetes.io/pvc-protection"
#define VOLUME_FINALIZER "kubernetes.io/pv-protection"

struct claims {
	struct api *api;
	struct todo *todo; /* keys of claims and volumes */
	struct map *held;  /* keys of claims that wait for pods */
	const struct kind *pods;
	const struct kind *claims;
	const struct kind *volumes;
};

static bool mentions(const struct object *object, const char *word)
{
	return memmem(object->text.ptr, object->text.len, word, strlen(word)) != NULL;
}

/* An ephemeral claim is named after its pod and its volume. */
static bool uses(struct json pod, struct str claim)
{
	struct str name = json_str(json_get(json_get(pod, "metadata"), "name"));
	struct json spec = json_get(pod, "spec");
	struct json_iter it = json_iter(json_get(spec, "volumes"));

	if (!json_str(json_get(spec, "nodeName")).len)
		return false;
	while (json_next(&it)) {
		struct json source = json_get(it.value, "persistentVolumeClaim");
		struct str volume = json_str(json_get(it.value, "name"));

		if (str_eq(json_str(json_get(source, "claimName")), claim))
			return true;
		if (json_is(json_get(it.value, "ephemeral"), JSON_OBJ) &&
		    claim.len == name.len + 1 + volume.len && str_starts(claim, name) &&
		    str_ends(claim, volume))
			return true;
	}
	return false;
}

static bool is_used(struct claims *self, struct str namespace, struct str claim)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str prefix = api_key(arena, self->pods, namespace, str_none());
	struct store *store = api_store(self->api);
	struct store_newest_walk walk = store_newest_walk(store, prefix);
	struct object *object;

	while ((object = store_newest_next(&walk))) {
		struct err err;
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (!mentions(object, "\"persistentVolumeClaim\"") &&
		    !mentions(object, "\"ephemeral\""))
			continue;
		doc = json_parse(object->text, NULL, &err);
		if (uses(json_doc_root(doc), claim))
			return true;
	}
	return false;
}

static void hold(struct claims *self, struct str key)
{
	char *copy;

	if (map_get(self->held, key))
		return;
	copy = str_dup(key);
	map_put(self->held, str_of(copy, key.len), copy);
}

static void check(void *arg, struct str key)
{
	struct claims *self = arg;
	struct key_parts parts = key_split(key);
	bool claim = str_eq(parts.prefix, self->claims->prefix);
	const char *finalizer = claim ? CLAIM_FINALIZER : VOLUME_FINALIZER;
	struct object *newest = store_newest(api_store(self->api), key);
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *doc = newest ? json_parse(newest->text, NULL, &err) : NULL;
	struct json object = doc ? json_doc_root(doc) : JSON_NONE;
	struct json metadata = json_get(object, "metadata");

	mem_free(map_remove(self->held, key));
	if (json_is_absent(json_get(metadata, "deletionTimestamp")) ||
	    !json_has_str(json_get(metadata, "finalizers"), str_from(finalizer)))
		return;
	if (claim && is_used(self, parts.namespace, parts.name))
		hold(self, key);
	else if (claim || !str_is(json_str(json_get(json_get(object, "status"), "phase")), "Bound"))
		self_drop_finalizer(self->api, claim ? self->claims : self->volumes, object,
				    finalizer);
}

static void on_change(void *arg, struct change *change)
{
	struct claims *self = arg;
	size_t at = 0;
	struct str key;
	void *value;

	if (change->kind == self->claims || change->kind == self->volumes) {
		if (change->object && mentions(change->object, "\"deletionTimestamp\""))
			todo_add(self->todo, change->key);
	} else if (change->kind == self->pods && !change->object) {
		while (map_next(self->held, &at, &key, &value))
			if (str_eq(key_split(key).namespace, change->namespace))
				todo_add(self->todo, key);
	}
}

static void *start(struct api *api)
{
	const struct kinds *kinds = api_kinds(api);
	struct claims *self = mem_new(struct claims);

	self->api = api;
	self->todo = todo_new(api_loop(api), check, self);
	todo_of_objects(self->todo, str_none());
	self->held = map_new(loop_random_u64(api_loop(api)));
	self->pods = kinds_find(kinds, STR(""), STR("v1"), STR("pods"));
	self->claims = kinds_find(kinds, STR(""), STR("v1"), STR("persistentvolumeclaims"));
	self->volumes = kinds_find(kinds, STR(""), STR("v1"), STR("persistentvolumes"));
	return self;
}

static void stop(void *arg)
{
	struct claims *self = arg;
	size_t at = 0;
	void *key;

	todo_free(self->todo);
	while (map_next(self->held, &at, NULL, &key))
		mem_free(key);
	map_free(self->held);
	mem_free(self);
}

const struct reconciler reconcile_claims = {
	.name = "claims", .start = start, .on_change = on_change, .stop = stop};
