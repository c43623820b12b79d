/* SPDX-License-Identifier: Apache-2.0 */
/* client/informer.c - list, watch, and what happens when either fails.
 *
 *	LIST --all pages read--> WATCH --lost, ended--> WATCH from the last version
 *	  ^                        |
 *	  +----version too old-----+	each arrow after a failure starts with a pause
 *
 * A list has a round number that marks the objects it had; objects with an older mark at its end
 * were deleted. Pages are reported as they arrive; all of them show one state of the server. If the
 * token of a page has expired, the list starts again in one piece.
 *
 * Always true: everything up to `version` has been reported; it is "" before the first complete
 * list and moves with each event and bookmark. */
#include "client/informer.h"

#include <assert.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/quarantine.h"
#include "base/time.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/objects.h"
#include "loop/loop.h"

#include "base/banned.h"

#define BACKOFF (100 * TIME_MILLISECOND)
#define BACKOFF_MAX (5 * TIME_SECOND)
#define DENIED_MAX (2 * TIME_SECOND) /* between attempts without permission */
#define MISSING (10 * TIME_SECOND)   /* ... and for a kind that is not there */
#define WAKE_SPREAD (100 * TIME_MILLISECOND)
/* A kind with objects is believed to be missing after so many answers in a row. */
enum { GONE_TIMES = 3 };
#define STEADY (10 * TIME_SECOND) /* a watch that lasted this long does not count as a failure */
#define PAGE 500
/* A watch is restarted after this time plus a random part of it, as in client-go: so a server that
 * vanished without closing the connection is noticed. */
#define WATCH_SECONDS 300

struct listener {
	struct informer_events events;
	void *arg;
};

struct informer {
	struct client *client;
	struct informer_options options;
	char *texts[3]; /* of the options */
	VEC(struct listener) listeners;
	struct objects *objects;
	struct buf version;
	bool started;
	bool synced;
	bool in_callback; /* a listener is being called */

	struct client_request *request; /* a page, or the watch */
	struct loop_timer *timer;       /* end of a pause */
	bool list_next;                 /* what follows the pause: a list, or a watch */
	unsigned failures;              /* of lists, in a row */
	unsigned watch_failures;        /* ... and of watches, until one lasts */
	unsigned missing;               /* the same: answers that there is no such kind */
	int64_t pause_most;             /* of the last failure */
	struct client_wake wake;
	uint32_t round;
	bool whole; /* the list is read in one piece */
	struct buf token;
	int64_t opened;     /* when the watch was opened, by loop_uptime() */
	int64_t expired_at; /* when a version was too old last; 0: never */
	bool denied;        /* the last list was, for want of a permission */
	struct informer_stats stats;
	char *prefix; /* of the keys of its objects (base/quarantine.h) */
};

static void start_list(struct informer *informer);
static void start_watch(struct informer *informer);

/* --- calling listeners --- */

enum news { NEWS_ADDED, NEWS_UPDATED, NEWS_DELETED };
typedef void news_fn(void *arg, const struct informer_object *object);

static news_fn *news_of(const struct informer_events *events, enum news news)
{
	return news == NEWS_ADDED     ? events->added
	       : news == NEWS_UPDATED ? events->updated
				      : events->deleted;
}

static void tell(struct informer *informer, enum news news, const struct informer_object *object)
{
	struct quarantine *quarantine = loop_quarantine(client_loop(informer->client));

	quarantine_enter(quarantine, client_name(informer->client), str_from(informer->prefix),
			 object->namespace, object->name);
	informer->in_callback = true;
	for (size_t i = 0; i < informer->listeners.len; i++) {
		const struct listener *listener = &informer->listeners.ptr[i];
		news_fn *fn = news_of(&listener->events, news);

		if (fn)
			fn(listener->arg, object);
	}
	informer->in_callback = false;
	quarantine_leave(quarantine);
}

static void call_synced(struct informer *informer)
{
	informer->synced = true;
	informer->in_callback = true;
	for (size_t i = 0; i < informer->listeners.len; i++)
		if (informer->listeners.ptr[i].events.synced)
			informer->listeners.ptr[i].events.synced(informer->listeners.ptr[i].arg);
	informer->in_callback = false;
}

/* --- known objects --- */

struct facts {
	struct str namespace;
	struct str name;
	uint64_t uid;
	uint64_t version;
	bool ordered;
};

static struct facts facts_of(struct json object)
{
	struct json meta = json_get(object, "metadata");
	struct str version = json_str(json_get(meta, "resourceVersion"));
	struct facts facts = {
		.namespace = json_str(json_get(meta, "namespace")),
		.name = json_str(json_get(meta, "name")),
		.uid = hash_str(json_str(json_get(meta, "uid")), 0),
	};

	facts.ordered = number_parse_u64(version, &facts.version, NULL) == 0;
	if (!facts.ordered)
		facts.version = hash_str(version, 0);
	return facts;
}

static void set_entry(struct informer *informer, struct object_entry *entry,
		      const struct facts *facts, struct json_doc *doc)
{
	entry->uid = facts->uid;
	entry->version = facts->version;
	entry->ordered = facts->ordered;
	if (informer->options.store)
		objects_set_doc(informer->objects, entry, doc);
}

/* The object was deleted. `doc` is its last known version. */
static void drop(struct informer *informer, struct object_entry *entry, struct json_doc *doc)
{
	AUTO(mem_free) char *key = str_dup(object_entry_key(entry));
	struct str namespace = str_of(key, entry->namespace_len);
	struct str name = str_from(key + entry->namespace_len + 1);
	AUTO(json_doc_unref) struct json_doc *old = entry->doc ? json_doc_ref(entry->doc) : NULL;

	objects_remove(informer->objects, entry);
	tell(informer, NEWS_DELETED,
	     &(struct informer_object){
		     .namespace = namespace, .name = name, .doc = doc ? doc : old});
}

/* The object exists, in this version. */
static void put(struct informer *informer, const struct facts *facts, struct json_doc *doc)
{
	struct object_entry *entry = objects_get(informer->objects, facts->namespace, facts->name);
	AUTO(json_doc_unref) struct json_doc *old = NULL;
	bool fresh = !entry;

	if (fresh && quarantine_has(loop_quarantine(client_loop(informer->client)),
				    str_from(informer->prefix), facts->namespace, facts->name))
		return; /* it crashed a component */
	if (entry && entry->uid == facts->uid) {
		entry->round = informer->round;
		if (entry->version == facts->version ||
		    (entry->ordered && facts->ordered && facts->version < entry->version))
			return; /* already known, or older */
	} else if (entry) {
		drop(informer, entry, NULL);
		fresh = true;
	}
	if (fresh)
		entry = objects_add(informer->objects, facts->namespace, facts->name);
	else if (entry->doc)
		old = json_doc_ref(entry->doc);
	entry->round = informer->round;
	set_entry(informer, entry, facts, doc);
	tell(informer, fresh ? NEWS_ADDED : NEWS_UPDATED,
	     &(struct informer_object){
		     .namespace = object_entry_namespace(entry),
		     .name = object_entry_name(entry),
		     .doc = doc,
		     .old = old,
	     });
}

/* --- pauses --- */

static void on_pause_over(struct loop_timer *timer, void *arg)
{
	struct informer *informer = arg;

	(void)timer;
	if (informer->list_next)
		start_list(informer);
	else
		start_watch(informer);
}

/* Continues with a list or a watch, after a pause that grows with failures in a row. */
static void go_on(struct informer *informer, bool list)
{
	struct loop *loop = client_loop(informer->client);
	unsigned failures = informer->failures + informer->watch_failures;
	int64_t pause = 0;

	informer->list_next = list;
	if (failures) {
		pause = BACKOFF;
		for (unsigned i = 1; i < failures && pause < informer->pause_most; i++)
			pause *= 2;
		if (pause > informer->pause_most)
			pause = informer->pause_most;
		pause = pause / 2 + (int64_t)loop_random_below(loop, (uint64_t)pause);
	}
	loop_timer_set(informer->timer, pause);
}

static void note_failure(struct informer *informer, const char *what, const struct err *err)
{
	informer->stats.failures++;
	informer->pause_most = err->code == ERR_FORBIDDEN ? DENIED_MAX : BACKOFF_MAX;
	if (err->code == ERR_FORBIDDEN && informer->failures + informer->watch_failures > 1)
		return; /* the client has logged it as a missing permission */
	log_warn(informer->options.log, what,
		 LOG_VIEW("resource", informer->options.resource->plural),
		 LOG_STR("reason", err_reason(err->code)), LOG_STR("error", err->text));
}

static bool is_too_old(const struct err *err)
{
	return err->code == ERR_EXPIRED || err->code == ERR_GONE;
}

/* --- list --- */

static void take_items(struct informer *informer, struct json items)
{
	struct json_iter it = json_iter(items);

	while (json_next(&it)) {
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_freeze(it.value);
		struct facts facts = facts_of(json_doc_root(doc));

		put(informer, &facts, doc);
	}
}

/* Objects that the list did not have were deleted. */
static void drop_unlisted(struct informer *informer)
{
	struct object_entry *entry = objects_next(informer->objects, STR(""), str_none());

	while (entry) {
		struct object_entry *next =
			objects_next(informer->objects, STR(""), object_entry_key(entry));

		if (entry->round != informer->round)
			drop(informer, entry, NULL);
		entry = next;
	}
}

static void finish_list(struct informer *informer, struct str version)
{
	buf_clear(&informer->version);
	buf_put_str(&informer->version, version);
	buf_clear(&informer->token);
	informer->whole = false;
	informer->failures = 0;
	informer->denied = false;
	drop_unlisted(informer);
	if (!informer->synced)
		call_synced(informer);
	informer->list_next = false;
	loop_timer_set(informer->timer, 0);
}

/* The server has no such kind. Objects that were there count as deleted only after a while: a
 * server that starts may not have all of its kinds yet. */
static void note_missing(struct informer *informer, const struct err *err)
{
	if (informer->missing++ == 0)
		log_info(informer->options.log, "no such kind, asking again later",
			 LOG_VIEW("resource", informer->options.resource->plural),
			 LOG_STR("error", err->text));
	informer->list_next = true;
	loop_timer_set(informer->timer, MISSING);
	if (objects_len(informer->objects) && informer->missing < GONE_TIMES)
		return;
	drop_unlisted(informer);
	if (!informer->synced)
		call_synced(informer);
}

static void note_list_failure(struct informer *informer, const struct err *err)
{
	if (err->code == ERR_NOT_FOUND) {
		note_missing(informer, err);
		return;
	}
	if (is_too_old(err))
		informer->whole = true; /* the token has expired */
	informer->failures++;
	note_failure(informer, "cannot list", err);
	informer->denied = err->code == ERR_FORBIDDEN;
	go_on(informer, true);
	if (err->code == ERR_FORBIDDEN && informer->options.optional && !informer->synced)
		call_synced(informer);
}

static void ask_page(struct informer *informer);

static void on_page(void *arg, const struct client_result *result)
{
	struct informer *informer = arg;
	struct json root = json_doc_root(result->doc);
	struct json meta = json_get(root, "metadata");
	struct str token = json_str(json_get(meta, "continue"));

	informer->request = NULL;
	if (result->err || json_is_absent(root)) {
		struct err none;

		(void)err_set(&none, ERR_INTERNAL, "the answer is not a list");
		note_list_failure(informer, result->err ? result->err : &none);
		return;
	}
	informer->missing = 0;
	take_items(informer, json_get(root, "items"));
	if (token.len == 0) {
		finish_list(informer, json_str(json_get(meta, "resourceVersion")));
		return;
	}
	buf_clear(&informer->token);
	buf_put_str(&informer->token, token);
	ask_page(informer);
}

static void ask_page(struct informer *informer)
{
	const struct informer_options *options = &informer->options;
	struct client_ask ask = {
		.verb = CLIENT_LIST,
		.resource = options->resource,
		.namespace = options->namespace,
		.label_selector = options->label_selector,
		.field_selector = options->field_selector,
		.continue_token = buf_str(&informer->token),
		.done = on_page,
		.arg = informer,
	};

	if (!informer->whole && options->page >= 0)
		ask.limit = options->page ? options->page : PAGE;
	informer->request = client_send(informer->client, &ask);
}

static void start_list(struct informer *informer)
{
	informer->stats.lists++;
	if (informer->synced)
		informer->stats.relists++;
	informer->round++;
	buf_clear(&informer->token);
	ask_page(informer);
}

/* --- watch --- */

static void on_opened(void *arg)
{
	struct informer *informer = arg;

	informer->opened = loop_uptime(client_loop(informer->client));
}

static void on_event(void *arg, const struct client_event *event)
{
	struct informer *informer = arg;
	struct json object = json_doc_root(event->doc);
	struct str version = json_str(json_get(json_get(object, "metadata"), "resourceVersion"));
	struct facts facts = facts_of(object);
	struct object_entry *entry;

	informer->stats.events++;
	informer->watch_failures = 0;
	if (event->type == CLIENT_ADDED || event->type == CLIENT_MODIFIED) {
		put(informer, &facts, event->doc);
	} else if (event->type == CLIENT_DELETED) {
		entry = objects_get(informer->objects, facts.namespace, facts.name);
		if (entry && entry->uid == facts.uid)
			drop(informer, entry, event->doc);
	}
	if (version.len) {
		buf_clear(&informer->version);
		buf_put_str(&informer->version, version);
	}
}

static void on_ended(void *arg, const struct err *err)
{
	struct informer *informer = arg;
	int64_t lived = loop_uptime(client_loop(informer->client)) - informer->opened;
	bool list = false;

	informer->request = NULL;
	if (informer->opened && lived >= STEADY) {
		informer->watch_failures = 0;
	} else if (!err) {
		informer->watch_failures++; /* do not overload a server that ends watches at once */
		informer->pause_most = BACKOFF_MAX;
	}
	if (err && is_too_old(err)) {
		log_info(informer->options.log, "version too old, listing again",
			 LOG_VIEW("resource", informer->options.resource->plural));
		if (informer->expired_at &&
		    loop_uptime(client_loop(informer->client)) - informer->expired_at < STEADY)
			informer->watch_failures++;
		informer->expired_at = loop_uptime(client_loop(informer->client));
		informer->pause_most = BACKOFF_MAX;
		list = true;
	} else if (err) {
		informer->watch_failures++;
		note_failure(informer, "watch failed", err);
		list = !client_is_transient(err->code);
	}
	go_on(informer, list);
}

static void start_watch(struct informer *informer)
{
	const struct informer_options *options = &informer->options;
	uint64_t more = loop_random_below(client_loop(informer->client), WATCH_SECONDS);

	informer->stats.watches++;
	informer->opened = 0;
	informer->request = client_watch(informer->client,
					 &(struct client_watch){
						 .resource = options->resource,
						 .namespace = options->namespace,
						 .label_selector = options->label_selector,
						 .field_selector = options->field_selector,
						 .resource_version = buf_str(&informer->version),
						 .timeout_s = WATCH_SECONDS + (int64_t)more,
						 .opened = on_opened,
						 .event = on_event,
						 .ended = on_ended,
						 .arg = informer,
					 });
}

/* --- life --- */

/* The server answers again. A kind that is denied or missing goes on at its own pace. */
static void on_woken(void *arg)
{
	struct informer *informer = arg;
	struct loop *loop = client_loop(informer->client);

	if ((!informer->failures && !informer->watch_failures) ||
	    informer->pause_most != BACKOFF_MAX || informer->request ||
	    !loop_timer_is_set(informer->timer))
		return;
	loop_timer_set(informer->timer, (int64_t)loop_random_below(loop, WAKE_SPREAD));
}

struct informer *informer_new(struct client *client, const struct informer_options *options)
{
	struct informer *informer = mem_new(struct informer);
	struct informer_options *own = &informer->options;
	struct loop *loop = client_loop(client);

	informer->client = client;
	*own = *options;
	informer->texts[0] = str_dup(options->namespace);
	informer->texts[1] = str_dup(options->label_selector);
	informer->texts[2] = str_dup(options->field_selector);
	own->namespace = str_from(informer->texts[0]);
	own->label_selector = str_from(informer->texts[1]);
	own->field_selector = str_from(informer->texts[2]);
	informer->objects = objects_new(loop_random_u64(loop));
	informer->version = (struct buf)BUF_UNBOUNDED;
	informer->token = (struct buf)BUF_UNBOUNDED;
	informer->timer = loop_timer_new(loop, on_pause_over, informer);
	informer->prefix = mem_printf("%.*s/%.*s/", STR_ARG(options->resource->group),
				      STR_ARG(options->resource->plural));
	informer->wake = (struct client_wake){.woken = on_woken, .arg = informer};
	client_wake_add(client, &informer->wake);
	return informer;
}

void informer_free(struct informer *informer)
{
	if (!informer)
		return;
	assert(!informer->in_callback);
	client_cancel(informer->request);
	client_wake_remove(&informer->wake);
	loop_timer_free(informer->timer);
	objects_free(informer->objects);
	vec_done(&informer->listeners);
	buf_done(&informer->version);
	buf_done(&informer->token);
	for (size_t i = 0; i < ARRAY_LEN(informer->texts); i++)
		mem_free(informer->texts[i]);
	mem_free(informer->prefix);
	mem_free(informer);
}

void informer_listen(struct informer *informer, const struct informer_events *events, void *arg)
{
	assert(!informer->started);
	vec_push(&informer->listeners, (struct listener){*events, arg});
}

void informer_start(struct informer *informer)
{
	assert(!informer->started);
	informer->started = true;
	start_list(informer);
}

/* --- reading --- */

bool informer_denied(const struct informer *informer)
{
	return informer->denied;
}

bool informer_synced(const struct informer *informer)
{
	return informer->synced;
}

size_t informer_len(const struct informer *informer)
{
	return objects_len(informer->objects);
}

struct str informer_version(const struct informer *informer)
{
	return buf_str(&informer->version);
}

struct json_doc *informer_get(const struct informer *informer, struct str namespace,
			      struct str name)
{
	struct object_entry *entry = objects_get(informer->objects, namespace, name);

	return entry ? entry->doc : NULL;
}

struct json_doc *informer_next(const struct informer *informer, struct informer_walk *walk)
{
	AUTO(buf_done) struct buf prefix = BUF_UNBOUNDED;
	struct object_entry *entry;

	if (walk->namespace.len)
		buf_printf(&prefix, "%.*s/", STR_ARG(walk->namespace));
	entry = objects_next(informer->objects, buf_str(&prefix), walk->at);
	if (!entry)
		return NULL;
	walk->at = object_entry_key(entry);
	return entry->doc;
}

size_t informer_index_add(struct informer *informer, informer_index_fn *fn, void *arg)
{
	assert(!informer->started && informer->options.store);
	return objects_index_add(informer->objects, fn, arg);
}

size_t informer_index_len(const struct informer *informer, size_t index, struct str key)
{
	return objects_index_len(informer->objects, index, key);
}

struct json_doc *informer_index_get(const struct informer *informer, size_t index, struct str key,
				    size_t i)
{
	struct object_entry *entry = objects_index_get(informer->objects, index, key, i);

	return entry ? entry->doc : NULL;
}

void informer_stats(const struct informer *informer, struct informer_stats *ret)
{
	*ret = informer->stats;
}
