/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/watch/watcher.c - watches: delivers the changes of a kind to its watchers.
 *
 * One kind_watch per kind watches the store; each of its watchers has a filter. An event is printed once
 * for each form that a watcher needs (at most: ADDED, MODIFIED, DELETED) and the bytes are shared.
 * An object that comes to match a watcher's selector is ADDED to it, one that ceases to is DELETED.
 *
 * A watcher that is live gets each event as it happens. One that has more to read than its
 * connection takes is not: it reads the state that it started from, and then the store's history, at
 * its own pace, and becomes live when it has caught up. So what waits for a reader is bounded, and a
 * slow one costs no more than a fast one. One that is so slow that the history does not reach back
 * to where it is gets an ERROR (410), as one that starts there would.
 *
 * Always true of a watcher:
 * 1. It got every event of its filter between its start revision and its current one, in order, without duplicates.
 * 2. It is live, or its step is queued, or it waits until it can send more (`full`), or it is ending. */
#include "apiserver/watch/watcher.h"

#include <assert.h>
#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/request/answer_status.h"
#include "apiserver/request/filter.h"
#include "apiserver/request/form.h"
#include "apiserver/request/reading.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "http/chunk.h"
#include "loop/loop.h"

#include "base/banned.h"

/* SHAPE_LEFT: it is still there, but does not match any more. */
enum shape { SHAPE_ADDED, SHAPE_MODIFIED, SHAPE_DELETED, SHAPE_LEFT, SHAPE_COUNT };
static const char *const shape_names[] = {"ADDED", "MODIFIED", "DELETED", "DELETED"};

#define BOOKMARK_PERIOD (60 * TIME_SECOND)
/* Events between two looks at the clock. */
enum { LOOK_EVERY = 16 };
#define WATCH_LEAST (30 * TIME_MINUTE) /* without timeoutSeconds: half to one hour, as upstream */

struct kind_watch {
	struct api *api;
	const struct kind *stored;
	struct store_watch *source;
	struct list watchers; /* those that get events */
	size_t users;         /* and those that are ending */
};

struct watcher {
	struct kind_watch *kind_watch;
	struct call *call;
	struct filter *filter;
	struct loop_timer *end;
	struct loop_timer *bookmark;
	struct loop_defer close;
	struct list link;
	struct call_step step;        /* of reading on */
	VEC(struct object *) initial; /* the state that it starts from; one reference each */
	size_t next;                  /* of these; those before it have been sent */
	bool marks_end;               /* a bookmark is to say that all of these have been sent */
	bool live;
	bool full;        /* too much waits for its reader */
	int64_t revision; /* of the last event considered */
	int64_t told;     /* of the last event or bookmark sent */
	bool ending;
};

/* --- delivering ----------------------------------------------------------------------------------------------
 * */

static void close_now(void *arg)
{
	struct watcher *watcher = arg;

	watcher->call->sink->ended(watcher->call); /* frees the call, and with it the watcher */
}

/* Nothing more is sent; the call ends in a later turn, so that no list changes during a walk. */
static void watcher_end(struct watcher *watcher)
{
	if (watcher->ending)
		return;
	watcher->ending = true;
	list_remove(&watcher->link);
	loop_defer(api_loop(watcher->call->api), &watcher->close, close_now, watcher);
}

static void tell(struct watcher *watcher, const struct call_event *event)
{
	struct call *call = watcher->call;

	if (watcher->ending)
		return;
	if (call->sink->event(call, event) > call->api->options.watcher_bytes) {
		watcher->full = true;
		watcher->live = false;
	}
}

static struct chunk *print_event(const struct kind *kind, enum shape shape,
				 const struct object *object)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "{\"type\":\"%s\",\"object\":", shape_names[shape]);
	reading_print(kind, object, true, &text);
	buf_puts(&text, "}\n");
	return chunk_take(&text);
}

/* The texts of one event, made when first wanted. They are those of one kind: in the rare kind_watch that
 * serves several versions the others print their own. */
struct texts {
	const struct kind *kind;
	struct chunk *made[SHAPE_COUNT];
	struct object *left; /* of SHAPE_LEFT */
};

static void texts_done(struct texts *texts)
{
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		chunk_unref(texts->made[i]);
	object_unref(texts->left);
}
DEFINE_AUTO_IN_PLACE(struct texts, texts_done);

static void send_object(struct watcher *watcher, enum shape shape, struct object *object,
			struct texts *texts)
{
	const struct kind *kind = watcher->call->kind;
	struct call_event event = {.type = shape_names[shape]};
	bool whole = watcher->call->options.form == CALL_FORM_OBJECT;
	AUTO(chunk_unref) struct chunk *own = NULL;

	if (whole && shape != SHAPE_LEFT && reading_is_plain(kind, object))
		event.object = object;
	if (!whole)
		own = form_event(watcher->call, shape_names[shape], object);
	else if (event.object && watcher->call->sink->takes_objects)
		own = NULL; /* no text at all */
	else if (kind != texts->kind)
		own = print_event(kind, shape, object);
	else if (!texts->made[shape])
		texts->made[shape] = print_event(kind, shape, object);
	event.text = own ? own : texts->made[shape];
	tell(watcher, &event);
}

/* An object that leaves a selector is sent as it was when it matched, at the revision of the change
 * that made it leave. It is not selected from: it has neither labels nor fields. */
static struct object *object_left(const struct store_event *event, struct texts *texts)
{
	static const struct str mark = STR_INIT("\"resourceVersion\":\"");
	struct str text = event->previous->text;
	size_t from = (size_t)str_find(text, mark, 0) + mark.len; /* every text has it, first */
	size_t to = (size_t)str_find_byte(text, '"', from);
	struct object_parts parts = {.key = event->previous->key,
				     .before = str_slice(text, 0, from),
				     .tail = str_skip(text, to)};
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	struct object_names *names = NULL;

	if (!texts->left)
		texts->left = object_new(&parts, event->revision, &names, &scratch);
	object_names_unref(names);
	return texts->left;
}

/* One event of the store, as this watcher sees it. */
static void consider(struct watcher *watcher, const struct store_event *event, struct texts *texts)
{
	bool matches =
		event->type != STORE_DELETED && filter_matches(watcher->filter, event->object);
	bool matched = event->previous && filter_matches(watcher->filter, event->previous);

	if (event->revision <= watcher->revision)
		return;
	watcher->revision = event->revision;
	if (matches)
		send_object(watcher, matched ? SHAPE_MODIFIED : SHAPE_ADDED, event->object, texts);
	else if (matched && event->type == STORE_DELETED)
		send_object(watcher, SHAPE_DELETED, event->object, texts);
	else if (matched)
		send_object(watcher, SHAPE_LEFT, object_left(event, texts), texts);
	if (matches || matched)
		watcher->told = event->revision;
}

static void on_event(void *arg, const struct store_event *event)
{
	struct kind_watch *kind_watch = arg;
	AUTO(texts_done) struct texts texts = {.kind = kind_watch->stored};

	LIST_EACH(&kind_watch->watchers, struct watcher, link, watcher)
		if (watcher->live) /* the others read it from the history */
			consider(watcher, event, &texts);
}

/* --- bookmarks and errors --- */

static void send_text(struct watcher *watcher, const char *type, struct buf *text)
{
	AUTO(chunk_unref) struct chunk *chunk = chunk_take(text);

	tell(watcher, &(struct call_event){.type = type, .text = chunk});
}

static void send_bookmark(struct watcher *watcher, bool initial_end)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct call *call = watcher->call;

	buf_puts(&text, "{\"type\":\"BOOKMARK\",\"object\":");
	form_bookmark(call, watcher->revision, initial_end, &text);
	buf_puts(&text, "}\n");
	watcher->told = watcher->revision;
	send_text(watcher, "BOOKMARK", &text);
}

static void send_error(struct watcher *watcher, const struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "{\"type\":\"ERROR\",\"object\":");
	status_print(err, &text);
	buf_puts(&text, "}\n");
	send_text(watcher, "ERROR", &text);
}

/* A live one: everything up to the state that readers see has been considered. */
static void catch_up(struct watcher *watcher)
{
	int64_t now = store_revision(api_store(watcher->call->api));

	if (watcher->revision < now)
		watcher->revision = now;
}

static void on_bookmark(struct loop_timer *timer, void *arg)
{
	struct watcher *watcher = arg;

	if (watcher->live)
		catch_up(watcher);
	if (watcher->live && watcher->told < watcher->revision)
		send_bookmark(watcher, false);
	loop_timer_set(timer, BOOKMARK_PERIOD);
}

static void on_end(struct loop_timer *timer, void *arg)
{
	struct watcher *watcher = arg;
	struct err err;

	(void)timer;
	if (watcher->live)
		catch_up(watcher);
	if (watcher->live && watcher->bookmark && watcher->told < watcher->revision)
		send_bookmark(watcher, false);
	if (watcher->next < watcher->initial.len || watcher->marks_end) {
		/* a clean end would look as if nothing were missing */
		(void)err_set(&err, ERR_TIMEOUT,
			      "the watch has ended before its initial state was read");
		send_error(watcher, &err);
	}
	watcher_end(watcher);
}

/* --- kind_watches --- */

static struct kind_watch *kind_watch_get(struct api *api, const struct kind *kind)
{
	const struct kind *stored = kind->stored;
	struct kind_watch *kind_watch = map_get(api->kind_watches, stored->prefix);
	struct err err;

	if (kind_watch)
		return kind_watch;
	kind_watch = mem_new(struct kind_watch);
	kind_watch->api = api;
	kind_watch->stored = stored;
	list_init(&kind_watch->watchers);
	kind_watch->source =
		store_watch(api->options.store, stored->prefix, store_revision(api->options.store),
			    on_event, kind_watch, &err);
	assert(kind_watch->source); /* from now on: never too old */
	map_put(api->kind_watches, stored->prefix, kind_watch);
	return kind_watch;
}

/* One without watchers is freed. */
static void kind_watch_release(struct kind_watch *kind_watch)
{
	if (--kind_watch->users)
		return;
	map_remove(kind_watch->api->kind_watches, kind_watch->stored->prefix);
	store_unwatch(kind_watch->source);
	mem_free(kind_watch);
}

void watchers_end_kind(struct api *api, const struct kind *kind)
{
	struct kind_watch *kind_watch = map_get(api->kind_watches, kind->prefix);

	if (!kind_watch)
		return;
	LIST_EACH(&kind_watch->watchers, struct watcher, link, watcher)
		watcher_end(watcher);
}

void watcher_free(struct watcher *watcher)
{
	struct api *api = watcher->call->api;

	loop_defer_cancel(api_loop(api), &watcher->close);
	call_step_cancel(watcher->call, &watcher->step);
	for (size_t i = watcher->next; i < watcher->initial.len; i++)
		object_unref(watcher->initial.ptr[i]);
	vec_done(&watcher->initial);
	loop_timer_free(watcher->end);
	loop_timer_free(watcher->bookmark);
	list_remove(&watcher->link);
	kind_watch_release(watcher->kind_watch);
	api->watchers--;
	mem_free(watcher);
}

void watchers_end(struct api *api)
{
	size_t at = 0;
	void *value;

	while (map_next(api->kind_watches, &at, NULL, &value)) {
		struct kind_watch *kind_watch = value;

		LIST_EACH(&kind_watch->watchers, struct watcher, link, watcher)
			watcher_end(watcher);
	}
}

/* --- starting
 * -----------------------------------------------------------------------------------------------
 * */

static struct watcher *watcher_new(struct call *call, struct filter *filter)
{
	struct api *api = call->api;
	struct watcher *watcher = mem_new(struct watcher);
	int64_t seconds = call->options.timeout_seconds;
	int64_t after = WATCH_LEAST + (int64_t)loop_random_below(api_loop(api), WATCH_LEAST);

	watcher->call = call;
	watcher->filter = filter;
	watcher->kind_watch = kind_watch_get(api, call->kind);
	watcher->kind_watch->users++;
	list_init(&watcher->link);
	list_push(&watcher->kind_watch->watchers, &watcher->link);
	watcher->end = loop_timer_new(api_loop(api), on_end, watcher);
	loop_timer_set(watcher->end, seconds > 0 ? time_span(seconds) : after);
	if (call->options.allow_bookmarks == OPTION_TRUE) {
		watcher->bookmark = loop_timer_new(api_loop(api), on_bookmark, watcher);
		loop_timer_set(watcher->bookmark, BOOKMARK_PERIOD);
	}
	api->watchers++;
	call->work.watcher = watcher;
	return watcher;
}

/* --- reading on ------------------------------------------------------------------------------ */

/* The next object of the state that it started from. */
static void send_next(struct watcher *watcher)
{
	AUTO(texts_done) struct texts texts = {.kind = watcher->call->kind};
	AUTO(object_unref) struct object *object = watcher->initial.ptr[watcher->next++];

	send_object(watcher, SHAPE_ADDED, object, &texts);
	if (watcher->next < watcher->initial.len)
		return;
	watcher->next = 0;
	vec_done(&watcher->initial);
}

/* The event after the last one considered. */
static void send_past(struct watcher *watcher)
{
	AUTO(texts_done) struct texts texts = {.kind = watcher->call->kind};
	const struct store *store = api_store(watcher->call->api);
	const struct store_event *event;
	struct err err;

	event = store_event_of(store, watcher->revision + 1, &err);
	if (!event) {
		send_error(watcher, &err);
		watcher_end(watcher);
	} else if (str_starts(event->object->key, filter_prefix(watcher->filter))) {
		consider(watcher, event, &texts);
	} else {
		watcher->revision = event->revision;
	}
}

static void read_on(void *arg)
{
	struct watcher *watcher = arg;
	const struct store *store = api_store(watcher->call->api);
	const struct loop *loop = api_loop(watcher->call->api);
	size_t count = 0;

	while (!watcher->full && !watcher->ending) {
		if (++count % LOOK_EVERY == 0 && loop_is_late(loop)) {
			call_step_later(watcher->call, &watcher->step, read_on, watcher);
			return;
		}
		if (watcher->next < watcher->initial.len) {
			send_next(watcher);
		} else if (watcher->marks_end) {
			watcher->marks_end = false;
			send_bookmark(watcher, true);
		} else if (watcher->revision < store_revision(store)) {
			send_past(watcher);
		} else {
			watcher->live = true;
			return;
		}
	}
}

void watcher_can_send(struct watcher *watcher)
{
	if (!watcher->full || watcher->ending)
		return;
	watcher->full = false;
	call_step_later(watcher->call, &watcher->step, read_on, watcher);
}

/* What is there now, as ADDED. */
static void start_with_state(struct watcher *watcher)
{
	struct store *store = api_store(watcher->call->api);
	struct str prefix = filter_prefix(watcher->filter);
	struct store_walk walk = store_walk(store, prefix, str_none());
	struct object *object;

	while ((object = store_walk_next(&walk)))
		if (filter_matches(watcher->filter, object))
			vec_push(&watcher->initial, object_ref(object));
	watcher->revision = store_revision(store);
	watcher->told = watcher->revision;
	read_on(watcher);
}

/* What has happened since `revision`, then what comes. */
static void start_from(struct watcher *watcher, int64_t revision)
{
	struct store *store = api_store(watcher->call->api);
	struct err err;

	watcher->revision = revision;
	watcher->told = revision;
	if (revision < store_revision(store) && revision < watcher->call->kind->since) {
		/* no client can have seen the kind then */
		(void)err_set(&err, ERR_EXPIRED,
			      "too old resource version: %" PRId64 " (%" PRId64 ")", revision,
			      watcher->call->kind->since);
		send_error(watcher, &err);
		watcher_end(watcher);
		return;
	}
	read_on(watcher);
}

static int parse_version(struct call *call, uint64_t *ret, struct err *err)
{
	struct str version = call->options.resource_version;

	*ret = 0;
	if (version.len == 0 || number_parse_u64(version, ret, NULL) == 0)
		return 0;
	return err_set(
		err, ERR_UNKNOWN,
		"resourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: parsing \"%.*s\": "
		"invalid syntax",
		STR_ARG(version), STR_ARG(version));
}

void verb_watch(struct call *call)
{
	struct err err;
	struct filter *filter = filter_new(call, &err);
	struct watcher *watcher;
	uint64_t version;

	if (!filter || parse_version(call, &version, &err) < 0) {
		call_answer_err(call, &err);
		return;
	}
	watcher = watcher_new(call, filter);
	call_answer_watch(call);
	if (call->options.send_initial_events == OPTION_FALSE && version == 0) {
		start_from(watcher, store_revision(api_store(call->api)));
	} else if (call->options.send_initial_events == OPTION_TRUE || version == 0) {
		/* without a version upstream asks for initial events itself */
		watcher->marks_end = watcher->bookmark != NULL;
		start_with_state(watcher);
	} else {
		start_from(watcher, (int64_t)version);
	}
}
