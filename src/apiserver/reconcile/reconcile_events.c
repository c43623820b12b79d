/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_events.c - deletes events an hour after they were last seen, as
 * kube-apiserver does, and earlier if there are too many.
 *
 * Nothing is kept but when to look: what an event says of itself decides, also after a restart. Times
 * that have not come yet are not believed, so that no clock can make an event stay.
 *
 * Thousands of jobs a second make millions of events an hour: more than options.max_events are not
 * kept. Then the one that is due first is looked at early. If it has been seen again since it got its
 * time, it gets a new one and the next is looked at; otherwise it is the oldest, and is deleted. */
#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/mem.h"
#include "base/time.h"

#include "base/banned.h"

#define LIFETIME (3600 * TIME_SECOND)

struct events {
	struct api *api;
	struct todo *todo; /* keys */
	const struct kind *kind;
};

static int64_t later(int64_t last, struct json text, int64_t now)
{
	int64_t time;

	if (time_parse(json_str(text), &time, NULL) < 0 || time > now || time < last)
		return last;
	return time;
}

/* How long it may stay; 0: no longer. */
static int64_t time_left(struct api *api, struct json event)
{
	int64_t now = api_now(api);
	int64_t last = 0;

	last = later(last, json_get(json_get(event, "metadata"), "creationTimestamp"), now);
	last = later(last, json_get(event, "eventTime"), now);
	last = later(last, json_get(event, "lastTimestamp"), now);
	last = later(last, json_get(json_get(event, "series"), "lastObservedTime"), now);
	return last + LIFETIME > now ? last + LIFETIME - now : 0;
}

static void keep_for(struct events *self, struct str key, int64_t left)
{
	todo_add_after(self->todo, key, left);
	if (todo_len(self->todo) > self->api->options.max_events)
		todo_hurry(self->todo);
}

static void check(void *arg, struct str key)
{
	struct events *self = arg;
	struct key_parts parts = key_split(key);
	AUTO(json_doc_unref)
	struct json_doc *doc = api_read_newest(self->api, self->kind, parts.namespace, parts.name);
	int64_t left = doc ? time_left(self->api, json_doc_root(doc)) : 0;
	bool is_surplus = todo_len(self->todo) >= self->api->options.max_events &&
			  left <= todo_soonest(self->todo);

	if (left > 0 && !is_surplus)
		keep_for(self, key, left);
	else if (doc)
		self_remove(self->api, &(struct self_removal){.kind = self->kind,
							      .namespace = parts.namespace,
							      .name = parts.name});
}

static void on_change(void *arg, struct change *change)
{
	struct events *self = arg;

	if (change->kind == self->kind && change->object && !change->old)
		keep_for(self, change->key,
			 change->at_start ? time_left(self->api, change_object(change)) : LIFETIME);
}

static void *start(struct api *api)
{
	struct events *self = mem_new(struct events);

	self->api = api;
	self->todo = todo_new(api_loop(api), check, self);
	self->kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("events"));
	return self;
}

static void stop(void *arg)
{
	struct events *self = arg;

	todo_free(self->todo);
	mem_free(self);
}

const struct reconciler reconcile_events = {
	.name = "events", .start = start, .on_change = on_change, .stop = stop};
