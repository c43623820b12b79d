/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/keep.c - the keepers: who they are, and how they are told.
 *
 * One watch of everything feeds them. A change is decoded when the first of them asks what is in it,
 * and that is shared with everybody else in this process who watches it (decoded.h); most changes concern none of them. */
#include "apiserver/reconcile/keep.h"

#include <assert.h>

#include "apiserver/api_internal.h"
#include "apiserver/reconcile/aside.h"
#include "apiserver/reconcile/self.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "loop/loop.h"

#include "base/banned.h"

#define KEEPER_ADDRESS(id, name) &keep_##name,
static const struct keeper *const keepers[] = {KEEPERS(KEEPER_ADDRESS)};

struct keep {
	struct api *api;
	struct store_watch *watch;
	struct map *kinds; /* prefix -> struct kind, as stored */
	uint64_t generation;
	void *states[KEEP_COUNT];
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

static void read_kinds(struct keep *keep)
{
	const struct kinds *kinds = api_kinds(keep->api);
	const struct kind *kind;
	size_t at = 0;

	map_clear(keep->kinds);
	while ((kind = kinds_next(kinds, &at)))
		map_put(keep->kinds, kind->prefix, (void *)(uintptr_t)kind->stored);
	keep->generation = kinds_generation(kinds);
}

const struct kind *keep_kind(struct api *api, struct str prefix)
{
	struct keep *keep = api->keep;

	if (keep->generation != kinds_generation(api_kinds(api)))
		read_kinds(keep);
	return map_get(keep->kinds, prefix);
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

static void tell(struct keep *keep, struct object *object, struct object *old, bool at_start)
{
	const struct object *there = object ? object : old;
	struct str key = there ? there->key : str_none();
	struct key_parts parts = key_split(key);
	struct quarantine *quarantine = loop_quarantine(api_loop(keep->api));
	struct change change = {
		.api = keep->api,
		.kind = keep_kind(keep->api, parts.prefix),
		.key = key,
		.namespace = parts.namespace,
		.name = parts.name,
		.object = object,
		.old = old,
		.at_start = at_start,
	};

	if (!at_start && quarantine_release(quarantine, key))
		log_info(api_log(keep->api),
			 "an object that crashed a component has changed: released",
			 LOG_VIEW("object", key));
	quarantine_enter_key(quarantine, "apiserver", key);
	for (size_t i = 0; i < KEEP_COUNT && !quarantine_has_key(quarantine, key); i++)
		keepers[i]->told(keep->states[i], &change);
	quarantine_leave(quarantine);
	json_doc_unref(change.docs[0]);
	json_doc_unref(change.docs[1]);
}

static void on_event(void *arg, const struct store_event *event)
{
	bool gone = event->type == STORE_DELETED;

	tell(arg, gone ? NULL : event->object, gone ? event->object : event->previous, false);
}

/* --- life --- */

struct keep *keep_start(struct api *api)
{
	struct keep *keep = mem_new(struct keep);
	struct store *store = api_store(api);
	struct store_walk walk;
	struct object *object;
	struct err err;

	keep->api = api;
	keep->kinds = map_new(loop_random_u64(api_loop(api)));
	api->keep = keep;
	read_kinds(keep);
	for (size_t i = 0; i < KEEP_COUNT; i++)
		keep->states[i] = keepers[i]->start(api);
	walk = store_walk(store, STR(""), str_none());
	while ((object = store_walk_next(&walk)))
		tell(keep, object, NULL, true);
	keep->watch = store_watch(store, STR(""), store_revision(store), on_event, keep, &err);
	assert(keep->watch); /* from now on: never too old */
	aside_report(api);
	return keep;
}

void keep_stop(struct keep *keep)
{
	if (!keep)
		return;
	store_unwatch(keep->watch);
	for (size_t i = 0; i < KEEP_COUNT; i++)
		keepers[i]->stop(keep->states[i]);
	self_stop(keep->api);
	map_free(keep->kinds);
	mem_free(keep);
}

void *keep_state(const struct keep *keep, enum keeper_id id)
{
	return keep ? keep->states[id] : NULL;
}
