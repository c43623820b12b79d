/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcilers.c - the reconcilers: which there are, and how changes reach them.
 *
 * One watch of everything feeds them. A change is decoded when the first of them reads it, and the document is shared
 * with all other watchers in this process (decoded.h); most changes concern none of them. */
#include "apiserver/reconcile/reconcilers.h"

#include <assert.h>

#include "apiserver/api_internal.h"
#include "apiserver/reconcile/aside.h"
#include "apiserver/reconcile/self.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "loop/loop.h"

#include "base/banned.h"

#define RECONCILER_ADDRESS(id, name) &reconcile_##name,
static const struct reconciler *const rows[] = {RECONCILERS(RECONCILER_ADDRESS)};

struct reconcilers {
	struct api *api;
	struct store_watch *watch;
	struct map *kinds; /* prefix -> struct kind, as stored */
	uint64_t generation;
	void *states[RECONCILE_COUNT];
};

/* --- keys --- */

struct key_parts key_split(struct str key)
{
	size_t plural = (size_t)str_find_byte(key, '/', 0) + 1;
	size_t namespace = (size_t)str_find_byte(key, '/', plural) + 1;
	size_t name = (size_t)str_find_byte(key, '/', namespace) + 1;

	return (struct key_parts){
		.prefix = str_slice(key, 0, namespace),
		.namespace = str_slice(key, namespace, name - 1),
		.name = str_skip(key, name),
	};
}

static void read_kinds(struct reconcilers *self)
{
	const struct kinds *kinds = api_kinds(self->api);
	const struct kind *kind;
	size_t at = 0;

	map_clear(self->kinds);
	while ((kind = kinds_next(kinds, &at)))
		map_put(self->kinds, kind->prefix, (void *)(uintptr_t)kind->stored);
	self->generation = kinds_generation(kinds);
}

const struct kind *reconcile_kind(struct api *api, struct str prefix)
{
	struct reconcilers *self = api->reconcilers;

	if (self->generation != kinds_generation(api_kinds(api)))
		read_kinds(self);
	return map_get(self->kinds, prefix);
}

/* --- changes --- */

static struct json decode_once(struct change *change, struct json_doc **doc, struct object *object)
{
	if (!object)
		return JSON_NONE;
	if (!*doc)
		*doc = decoded_get(change->api->decoded, object);
	return json_doc_root(*doc);
}

struct json change_object(struct change *change)
{
	return decode_once(change, &change->docs[0], change->object);
}

struct json change_old(struct change *change)
{
	return decode_once(change, &change->docs[1], change->old);
}

bool change_is(const struct change *change, const char *group, const char *plural)
{
	return change->kind && str_is(change->kind->plural, plural) &&
	       str_is(change->kind->group, group);
}

static void notify(struct reconcilers *self, struct object *object, struct object *old,
		   bool at_start)
{
	const struct object *there = object ? object : old;
	struct str key = there ? there->key : str_none();
	struct key_parts parts = key_split(key);
	struct quarantine *quarantine = loop_quarantine(api_loop(self->api));
	struct change change = {
		.api = self->api,
		.kind = reconcile_kind(self->api, parts.prefix),
		.key = key,
		.namespace = parts.namespace,
		.name = parts.name,
		.object = object,
		.old = old,
		.at_start = at_start,
	};

	if (!at_start && quarantine_release(quarantine, key))
		log_info(api_log(self->api),
			 "an object that crashed a component has changed: released",
			 LOG_VIEW("object", key));
	quarantine_enter_key(quarantine, "apiserver", key);
	for (size_t i = 0; i < RECONCILE_COUNT && !quarantine_has_key(quarantine, key); i++)
		rows[i]->on_change(self->states[i], &change);
	quarantine_leave(quarantine);
	json_doc_unref(change.docs[0]);
	json_doc_unref(change.docs[1]);
}

static void on_event(void *arg, const struct store_event *event)
{
	bool gone = event->type == STORE_DELETED;

	notify(arg, gone ? NULL : event->object, gone ? event->object : event->previous, false);
}

/* --- life --- */

struct reconcilers *reconcilers_start(struct api *api)
{
	struct reconcilers *self = mem_new(struct reconcilers);
	struct store *store = api_store(api);
	struct store_walk walk;
	struct object *object;
	struct err err;

	self->api = api;
	self->kinds = map_new(loop_random_u64(api_loop(api)));
	api->reconcilers = self;
	read_kinds(self);
	for (size_t i = 0; i < RECONCILE_COUNT; i++)
		self->states[i] = rows[i]->start(api);
	walk = store_walk(store, STR(""), str_none());
	while ((object = store_walk_next(&walk)))
		notify(self, object, NULL, true);
	self->watch = store_watch(store, STR(""), store_revision(store), on_event, self, &err);
	assert(self->watch); /* from now on: never too old */
	aside_report(api);
	return self;
}

void reconcilers_stop(struct reconcilers *self)
{
	if (!self)
		return;
	store_unwatch(self->watch);
	for (size_t i = 0; i < RECONCILE_COUNT; i++)
		rows[i]->stop(self->states[i]);
	self_stop(self->api);
	map_free(self->kinds);
	mem_free(self);
}

void *reconcilers_state(const struct reconcilers *self, enum reconciler_id id)
{
	return self ? self->states[id] : NULL;
}
