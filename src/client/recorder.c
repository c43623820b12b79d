/* SPDX-License-Identifier: Apache-2.0 */
/* client/recorder.c - events, aggregated.
 *
 * An event goes through three caches, each limited in size; the least recently used entry is
 * dropped first:
 *
 *	buckets		one per source and object: may it record an event now?
 *	kinds		one per object, type and reason: how many different messages recently?
 *	written		one per event on the server: its count so far
 *
 * Per event at most one write is in flight; counts that are added meanwhile go with the next write,
 * so that a flood costs as many writes as the server can take, not one per event. These writes have
 * the lowest priority of their client: a gang is bound first and its events are written after. An
 * event is not dropped from the cache while its write is in flight; PENDING_MAX limits that. */
#include "client/recorder.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "client/client.h"
#include "loop/loop.h"

#include "base/banned.h"

enum {
	MEMORY_MAX = 4096,
	PENDING_MAX = 65536,
	NAME_MAX_BYTES = 235 /* with ".", 16 digits: within 253 */
};
#define COMBINED "(combined from similar events): "

/* The first member of every record of a cache. */
struct record {
	struct list link;
	bool held;
	char *key;
};

/* By key, and in order of last use. A record that is held is not in the order and is not dropped. */
struct memory {
	struct map *by_key;
	struct list order;
	void (*forget)(struct recorder *recorder, struct record *record);
};

struct bucket {
	struct record record;
	int64_t credit; /* grows with time; an event costs refill_us */
	int64_t at;     /* when `credit` was computed, by loop_uptime() */
};

struct kind {
	struct record record;
	int64_t last; /* by loop_uptime() */
	VEC(char *) messages;
};

struct written {
	struct record record;
	struct recorder *recorder;
	char *name;
	char *namespace;
	struct json_doc *doc; /* to be created; NULL after it was */
	char *message;
	int64_t last; /* wall clock */
	int64_t count;
	int64_t sent; /* the count of the last write, which may be in flight */
	struct client_request *request;
};

struct recorder {
	struct client *client;
	struct loop *loop;
	struct recorder_options options;
	char *component;
	char *host;
	struct memory buckets;
	struct memory kinds;
	struct memory written;
	uint64_t sequence;
	struct recorder_stats stats;
};

/* --- caches --- */

static void memory_init(struct memory *memory, struct loop *loop,
			void (*forget)(struct recorder *, struct record *))
{
	memory->by_key = map_new(loop_random_u64(loop));
	list_init(&memory->order);
	memory->forget = forget;
}

static void memory_remove(struct recorder *recorder, struct memory *memory, struct record *record)
{
	assert(record);
	(void)map_remove(memory->by_key, str_from(record->key));
	list_remove(&record->link);
	mem_free(TAKE(record->key));
	memory->forget(recorder, record);
}

static void memory_done(struct recorder *recorder, struct memory *memory)
{
	size_t at = 0;
	void *record;

	while (map_next(memory->by_key, &at, NULL, &record))
		memory_remove(recorder, memory, record);
	map_free(memory->by_key);
}

/* The record of a key; a new one has `size` zeroed bytes. */
static void *memory_get(struct recorder *recorder, struct memory *memory, const char *key,
			size_t size, bool *ret_new)
{
	struct record *record = map_get(memory->by_key, str_from(key));

	*ret_new = !record;
	if (record) {
		list_remove(&record->link);
	} else {
		struct list *oldest = list_first(&memory->order);

		if (oldest && map_len(memory->by_key) >= MEMORY_MAX)
			memory_remove(recorder, memory, container_of(oldest, struct record, link));
		record = mem_zalloc(size);
		list_init(&record->link);
		record->key = mem_strdup(key);
		(void)map_put(memory->by_key, str_from(record->key), record);
	}
	if (!record->held)
		list_push(&memory->order, &record->link);
	return record;
}

static void memory_hold(struct memory *memory, struct record *record, bool held)
{
	record->held = held;
	list_remove(&record->link);
	if (!held)
		list_push(&memory->order, &record->link);
}

static void bucket_forget(struct recorder *recorder, struct record *record)
{
	(void)recorder;
	mem_free(container_of(record, struct bucket, record));
}

static void kind_clear(struct kind *kind)
{
	for (size_t i = 0; i < kind->messages.len; i++)
		mem_free(kind->messages.ptr[i]);
	vec_clear(&kind->messages);
}

static void kind_forget(struct recorder *recorder, struct record *record)
{
	struct kind *kind = container_of(record, struct kind, record);

	(void)recorder;
	kind_clear(kind);
	vec_done(&kind->messages);
	mem_free(kind);
}

static void written_forget(struct recorder *recorder, struct record *record)
{
	struct written *written = container_of(record, struct written, record);

	if (written->request) {
		client_cancel(written->request);
		recorder->stats.in_flight--;
		recorder->stats.dropped++;
	}
	json_doc_unref(written->doc);
	mem_free(written->name);
	mem_free(written->namespace);
	mem_free(written->message);
	mem_free(written);
}

/* --- life --- */

struct recorder *recorder_new(struct client *client, const struct recorder_options *options)
{
	struct recorder *recorder = mem_new(struct recorder);
	struct recorder_options *own = &recorder->options;

	recorder->client = client;
	recorder->loop = client_loop(client);
	*own = *options;
	recorder->component = str_dup(options->component);
	recorder->host = str_dup(options->host);
	if (!own->burst)
		own->burst = 25;
	if (!own->refill_us)
		own->refill_us = 300 * TIME_SECOND;
	if (!own->similar)
		own->similar = 10;
	if (!own->similar_window_us)
		own->similar_window_us = 600 * TIME_SECOND;
	memory_init(&recorder->buckets, recorder->loop, bucket_forget);
	memory_init(&recorder->kinds, recorder->loop, kind_forget);
	memory_init(&recorder->written, recorder->loop, written_forget);
	return recorder;
}

void recorder_free(struct recorder *recorder)
{
	if (!recorder)
		return;
	memory_done(recorder, &recorder->buckets);
	memory_done(recorder, &recorder->kinds);
	memory_done(recorder, &recorder->written);
	mem_free(recorder->component);
	mem_free(recorder->host);
	mem_free(recorder);
}

/* --- aggregating --- */

/* Takes one of `burst` tokens; one is added every refill_us. */
static bool may_speak(struct recorder *recorder, const char *key)
{
	int64_t now = loop_uptime(recorder->loop);
	int64_t cost = recorder->options.refill_us;
	int64_t most = cost * recorder->options.burst;
	bool new;
	struct bucket *bucket =
		memory_get(recorder, &recorder->buckets, key, sizeof(*bucket), &new);

	bucket->credit = new ? most : bucket->credit + now - bucket->at;
	bucket->at = now;
	if (bucket->credit > most)
		bucket->credit = most;
	if (bucket->credit < cost)
		return false;
	bucket->credit -= cost;
	return true;
}

/* Were there too many different messages of this kind recently? */
static bool is_combined(struct recorder *recorder, const char *key, struct str message)
{
	int64_t now = loop_uptime(recorder->loop);
	bool new;
	struct kind *kind = memory_get(recorder, &recorder->kinds, key, sizeof(*kind), &new);

	if (now - kind->last > recorder->options.similar_window_us)
		kind_clear(kind);
	kind->last = now;
	for (size_t i = 0; i < kind->messages.len; i++)
		if (str_is(message, kind->messages.ptr[i]))
			return false;
	if (kind->messages.len + 1 >= recorder->options.similar)
		return true;
	vec_push(&kind->messages, str_dup(message));
	return false;
}

/* --- writing --- */

static void write_event(struct written *written);

static void on_written(void *arg, const struct client_result *result)
{
	struct written *written = arg;
	struct recorder *recorder = written->recorder;
	enum err_code code = result->err ? result->err->code : ERR_NONE;
	bool created = written->doc != NULL;

	written->request = NULL;
	recorder->stats.in_flight--;
	memory_hold(&recorder->written, &written->record, false);
	if (code == ERR_NONE || (created && code == ERR_ALREADY_EXISTS)) {
		recorder->stats.written++;
		json_doc_unref(TAKE(written->doc));
	} else {
		recorder->stats.dropped++;
		memory_remove(recorder, &recorder->written, &written->record);
		return; /* the next event of its kind starts a new count */
	}
	if (written->count > written->sent)
		write_event(written);
}

static struct json_doc *count_patch(const struct written *written)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	char time[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	json_set_int(doc, root, "count", written->count);
	json_set_str(doc, root, "lastTimestamp", str_from(time_print(written->last, time)));
	json_set_str(doc, root, "message", str_from(written->message));
	return doc;
}

static void write_event(struct written *written)
{
	struct recorder *recorder = written->recorder;
	AUTO(json_doc_unref) struct json_doc *patch = written->doc ? NULL : count_patch(written);

	written->sent = written->doc ? 1 : written->count;
	recorder->stats.in_flight++;
	memory_hold(&recorder->written, &written->record, true);
	written->request =
		client_send(recorder->client,
			    &(struct client_ask){
				    .verb = written->doc ? CLIENT_CREATE : CLIENT_PATCH,
				    .patch = CLIENT_PATCH_MERGE,
				    .resource = &resources[RESOURCE_EVENTS],
				    .namespace = str_from(written->namespace),
				    .name = written->doc ? str_none() : str_from(written->name),
				    .body = written->doc ? written->doc : patch,
				    .discard = true,
				    .deadline_us = -1, /* it may wait for long */
				    .low_priority = true,
				    .done = on_written,
				    .arg = written,
			    });
}

static void set_some(struct json_doc *doc, struct json object, const char *key, struct str value)
{
	if (value.len)
		json_set_str(doc, object, key, value);
}

static struct json_doc *make_event(const struct recorder *recorder, const struct written *written,
				   const struct recorder_object *object, const char *type,
				   const char *reason)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json meta, about, source;
	char time[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("v1"));
	json_set_str(doc, root, "kind", STR("Event"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, meta, "name", str_from(written->name));
	json_set_str(doc, meta, "namespace", str_from(written->namespace));
	about = json_ensure_obj(doc, root, "involvedObject");
	set_some(doc, about, "kind", object->kind);
	set_some(doc, about, "namespace", object->namespace);
	set_some(doc, about, "name", object->name);
	set_some(doc, about, "uid", object->uid);
	set_some(doc, about, "apiVersion", object->api_version);
	set_some(doc, about, "resourceVersion", object->resource_version);
	set_some(doc, about, "fieldPath", object->field_path);
	json_set_str(doc, root, "reason", str_from(reason));
	json_set_str(doc, root, "message", str_from(written->message));
	source = json_ensure_obj(doc, root, "source");
	set_some(doc, source, "component", str_from(recorder->component));
	set_some(doc, source, "host", str_from(recorder->host));
	time_print(written->last, time);
	json_set_str(doc, root, "firstTimestamp", str_from(time));
	json_set_str(doc, root, "lastTimestamp", str_from(time));
	json_set_int(doc, root, "count", 1);
	json_set_str(doc, root, "type", str_from(type));
	json_add(doc, root, STR("eventTime"), json_new_null(doc));
	json_set_str(doc, root, "reportingComponent", str_from(recorder->component));
	json_set_str(doc, root, "reportingInstance", str_from(recorder->host));
	return doc;
}

/* Names of one object's events differ by time, as in client-go, and by a number if the time is the
 * same. */
static char *make_name(struct recorder *recorder, const struct recorder_object *object)
{
	uint64_t nanoseconds =
		(uint64_t)loop_now(recorder->loop) * 1000 + recorder->sequence++ % 1000;
	struct str name = str_slice(object->name, 0, NAME_MAX_BYTES);

	return mem_printf("%.*s.%" PRIx64, STR_ARG(name), nanoseconds);
}

static void put_part(struct buf *to, struct str part)
{
	buf_put_str(to, part);
	buf_putc(to, '\n'); /* in no name */
}

/* A message may contain the value of a field, which can be long: it is cut. */
static struct str head_of(struct str message)
{
	struct str head = message;

	if (message.len > LIMIT_EVENT_MESSAGE)
		head.len = LIMIT_EVENT_MESSAGE - STR("...").len;
	head.len = head.len < message.len ? str_utf8_prefix(head) : head.len;
	return head;
}

void recorder_event(struct recorder *recorder, const struct recorder_object *object,
		    const char *type, const char *reason, struct str message)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	AUTO(mem_free) char *text = NULL;
	struct str shown = head_of(message);
	struct written *written;
	bool combined, new;

	recorder->stats.recorded++;
	put_part(&key, object->kind);
	put_part(&key, object->namespace);
	put_part(&key, object->name);
	put_part(&key, object->uid);
	put_part(&key, object->api_version);
	if (recorder->stats.in_flight >= PENDING_MAX || !may_speak(recorder, buf_text(&key))) {
		recorder->stats.dropped++;
		return;
	}
	put_part(&key, str_from(type));
	put_part(&key, str_from(reason));
	combined = is_combined(recorder, buf_text(&key), message);
	if (!combined) {
		put_part(&key, object->field_path);
		buf_put_json(&key, message); /* a NUL in it must not end the key */
	}
	text = mem_printf("%s%.*s%s", combined ? COMBINED : "", STR_ARG(shown),
			  shown.len < message.len ? "..." : "");
	written = memory_get(recorder, &recorder->written, buf_text(&key), sizeof(*written), &new);
	mem_free(written->message);
	written->message = TAKE(text);
	written->last = loop_now(recorder->loop);
	written->count++;
	if (new) {
		written->recorder = recorder;
		written->name = make_name(recorder, object);
		written->namespace =
			object->namespace.len ? str_dup(object->namespace) : mem_strdup("default");
		written->doc = make_event(recorder, written, object, type, reason);
	}
	if (!written->request)
		write_event(written);
}

void recorder_eventf(struct recorder *recorder, const struct recorder_object *object,
		     const char *type, const char *reason, const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	recorder_event(recorder, object, type, reason, buf_str(&text));
}

struct recorder_object recorder_object_of(struct json object, struct str api_version,
					  struct str kind)
{
	struct json meta = json_get(object, "metadata");

	return (struct recorder_object){
		.api_version = api_version,
		.kind = kind,
		.namespace = json_str(json_get(meta, "namespace")),
		.name = json_str(json_get(meta, "name")),
		.uid = json_str(json_get(meta, "uid")),
		.resource_version = json_str(json_get(meta, "resourceVersion")),
	};
}

void recorder_stats(const struct recorder *recorder, struct recorder_stats *ret)
{
	*ret = recorder->stats;
}
