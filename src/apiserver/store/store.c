/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/store.c - the state in memory: opening, reading, watching, copies.
 *
 * The way of a write into it is in store_commit.c. Readers look at `visible` only; writers look at the
 * newest pending of a key first, which `staged` finds.
 *
 * 1. `visible` is the state at `revision`, and all of it is on disk.
 * 2. Revisions are given without gaps; pending writes are in their order, those of `commit` before
 *    those of `queue`, and the newest has `last`.
 * 3. `staged` has exactly the keys of pending writes, each with its newest one.
 * 4. `history` ends at `revision`.
 * 5. A family counts the visible objects of its kind.
 * 6. After a failure nothing is pending, and nothing becomes pending until writing goes on
 *    (store_suspend.c). */
#include "apiserver/store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "apiserver/store/disk.h"
#include "apiserver/store/history.h"
#include "apiserver/store/store_internal.h"
#include "apiserver/store/watch.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/omap.h"
#include "base/time.h"
#include "base/vec.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { FIRST_REVISION = 1, KEY_SLASHES = 3 };

/* --- keys and families --- */

static size_t slashes_in(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '/';
	return count;
}

/* The part of a key or prefix that names the kind; none if it is too short for that. */
struct str store_kind_part(struct str text)
{
	ptrdiff_t at = str_find_byte(text, '/', 0);

	if (at >= 0)
		at = str_find_byte(text, '/', (size_t)at + 1);
	return at < 0 ? str_none() : str_slice(text, 0, (size_t)at + 1);
}

int store_check_key(struct str key, struct err *err)
{
	if (slashes_in(key) != KEY_SLASHES || str_ends(key, STR("/")) ||
	    str_ends(store_kind_part(key), STR("//")))
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%.*s\" is no key: group/plural/namespace/name is wanted",
			       STR_ARG(key));
	if (key.len > LIMIT_KEY_BYTES)
		return err_set(err, ERR_TOO_LARGE,
			       "group, resource, namespace and name have %zu bytes together, %d "
			       "are allowed",
			       key.len - KEY_SLASHES, LIMIT_KEY_BYTES - KEY_SLASHES);
	return 0;
}

struct family *store_family(struct store *store, struct str kind)
{
	struct family *family = map_get(store->families, kind);

	assert(kind.ptr);
	if (family)
		return family;
	family = mem_zalloc(sizeof(*family) + kind.len);
	family->prefix_len = kind.len;
	memcpy(family->prefix, kind.ptr, kind.len);
	watches_init(&family->watches);
	list_init(&family->staged);
	map_put(store->families, str_of(family->prefix, kind.len), family);
	return family;
}

/* --- opening and closing --- */

static int load_object(void *arg, struct str key, struct str record, struct err *err)
{
	struct store *store = arg;

	if (store_check_key(key, err) < 0) {
		err->code = ERR_STORE_READ;
		return -1;
	}
	struct family *family = store_family(store, store_kind_part(key));
	struct object *object = object_decode(key, record, &family->names, err);

	if (!object)
		return -1;
	family->count++;
	store->object_bytes += object_bytes(object);
	object_unref(omap_put(store->visible, object->key, object));
	if (object->revision > store->last)
		store->last = object->revision;
	return 0;
}

static int load(struct store *store, const struct store_options *options, struct err *err)
{
	int64_t revision = 0;
	size_t events = options->history_events ? options->history_events : LIMIT_HISTORY_EVENTS;
	size_t bytes = options->history_bytes ? options->history_bytes : LIMIT_HISTORY_BYTES;

	if (disk_load(store->disk, load_object, store, &revision, err) < 0)
		return -1;
	if (revision < FIRST_REVISION)
		revision = FIRST_REVISION;
	if (store->last > revision)
		return err_set(err, ERR_STORE_READ,
			       "the store is damaged: it has an object of revision %" PRId64
			       " but only counts to %" PRId64,
			       store->last, revision);
	store->revision = store->last = revision;
	store->history = history_new(revision, events, bytes);
	store->disk_bytes = disk_bytes(store->disk);
	return 0;
}

/* What is older than that is kept only up to LIMIT_HISTORY_OLD_BYTES. */
#define HISTORY_FULL TIME_MINUTE

/* For a small store a new list costs less than a long history. */
static size_t old_bytes(const struct store *store)
{
	size_t half = store->object_bytes / 2;

	return half < LIMIT_HISTORY_OLD_MIN_BYTES ? LIMIT_HISTORY_OLD_MIN_BYTES
	       : half < LIMIT_HISTORY_OLD_BYTES   ? half
						  : LIMIT_HISTORY_OLD_BYTES;
}

static void on_trim(struct loop_timer *timer, void *arg)
{
	struct store *store = arg;

	(void)timer;
	history_trim(store->history, store->trim_to, old_bytes(store));
	store_trim_later(store);
}

void store_trim_later(struct store *store)
{
	if (loop_timer_is_set(store->trim) || history_bytes(store->history) <= old_bytes(store))
		return;
	store->trim_to = store->revision;
	loop_timer_set(store->trim, HISTORY_FULL);
}

static void families_free(struct map *families)
{
	void *value;
	size_t at = 0;

	while (map_next(families, &at, NULL, &value)) {
		struct family *family = value;

		watches_done(&family->watches);
		object_names_unref(family->names);
		mem_free(family);
	}
	map_free(families);
}

static void objects_free(struct omap *objects)
{
	struct str key = str_none();
	struct object *object = omap_seek(objects, key, &key);

	/* the map still compares this key: it is freed after the step */
	while (object) {
		struct object *next = omap_after(objects, key, &key);

		omap_remove(objects, object->key);
		object_unref(object);
		object = next;
	}
	omap_free(objects);
}

static void store_free(struct store *store)
{
	if (!store)
		return;
	loop_defer_cancel(store->loop, &store->kick);
	loop_defer_cancel(store->loop, &store->publish);
	watches_done(&store->wide);
	objects_free(store->visible);
	families_free(store->families);
	history_free(store->history);
	loop_timer_free(store->trim);
	map_free(store->staged);
	vec_done(&store->commit.changes);
	buf_done(&store->scratch);
	disk_close(store->disk);
	store_suspend_done(store);
	mem_free(store->failure);
	mem_free(store);
}
DEFINE_AUTO(struct store *, store_free);

static struct disk *choose_disk(const struct store_options *options, struct err *err)
{
	if (options->disk)
		return options->disk;
	return options->folder ? disk_open(options->folder, err) : disk_open_null();
}

struct store *store_open(struct loop *loop, const struct store_options *options, struct err *err)
{
	struct disk *disk = choose_disk(options, err);

	if (!disk)
		return NULL;
	AUTO(store_free) struct store *store = mem_new(struct store);

	store->loop = loop;
	store->log = options->log;
	store->disk = disk;
	store->visible = omap_new();
	store->families = map_new(loop_random_u64(loop));
	store->staged = map_new(loop_random_u64(loop));
	store->scratch = (struct buf)BUF_UNBOUNDED;
	store->commit.store = store;
	store->trim = loop_timer_new(loop, on_trim, store);
	watches_init(&store->wide);
	list_init(&store->queue);
	list_init(&store->commit.writes);
	if (load(store, options, err) < 0)
		return NULL;
	log_info(store->log, "store opened", LOG_STR("folder", options->folder),
		 LOG_INT("objects", omap_len(store->visible)),
		 LOG_INT("revision", store->revision));
	return TAKE(store);
}

void store_flush(struct store *store)
{
	int64_t target = store->last;

	while (!store->failure && store->revision < target)
		(void)loop_turn(store->loop, -1);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store->closing = true;
	store_flush(store);
	while (store->backups > 0 || store->commit.running)
		(void)loop_turn(store->loop, -1);
	store_free(store);
}

/* --- reading --- */

int64_t store_revision(const struct store *store)
{
	return store->revision;
}

int64_t store_compacted(const struct store *store)
{
	return history_compacted(store->history);
}

struct object *store_get(const struct store *store, struct str key)
{
	return omap_get(store->visible, key);
}

struct object *store_next(const struct store *store, struct str prefix, struct str after)
{
	bool tail = !str_is_none(after) && str_cmp(after, prefix) >= 0;
	struct object *object = tail ? omap_after(store->visible, after, NULL)
				     : omap_seek(store->visible, prefix, NULL);

	return object && str_starts(object->key, prefix) ? object : NULL;
}

struct store_walk store_walk(const struct store *store, struct str prefix, struct str after)
{
	struct store_walk walk = {.prefix = prefix};
	bool tail = !str_is_none(after) && str_cmp(after, prefix) >= 0;

	omap_walk_start(&walk.walk, store->visible, tail ? after : prefix, tail);
	return walk;
}

struct object *store_walk_next(struct store_walk *walk)
{
	struct object *object = omap_walk_next(&walk->walk, NULL);

	return object && str_starts(object->key, walk->prefix) ? object : NULL;
}

size_t store_count_from(const struct store *store, struct str prefix, struct str from)
{
	char end[LIMIT_KEY_BYTES + 1];

	if (prefix.len > sizeof(end))
		return 0; /* longer than any key */
	assert(prefix.len && prefix.ptr[prefix.len - 1] != CHAR_MAX);
	memcpy(end, prefix.ptr, prefix.len);
	end[prefix.len - 1]++; /* the first text after all with this prefix */
	return omap_count(store->visible, from, str_of(end, prefix.len));
}

size_t store_count(const struct store *store, struct str prefix)
{
	struct str kind = store_kind_part(prefix);

	if (str_is_empty(prefix))
		return omap_len(store->visible);
	if (kind.len == prefix.len) {
		const struct family *family = map_get(store->families, kind);

		return family ? family->count : 0;
	}
	return store_count_from(store, prefix, prefix);
}

struct object *store_newest(const struct store *store, struct str key)
{
	const struct pending *pending = map_get(store->staged, key);

	if (pending)
		return pending->op == STORE_DELETE ? NULL : pending->object;
	return store_get(store, key);
}

struct store_newest_walk store_newest_walk(const struct store *store, struct str prefix)
{
	const struct family *family = map_get(store->families, store_kind_part(prefix));

	return (struct store_newest_walk){
		.store = store,
		.visible = store_walk(store, prefix, str_none()),
		.staged = family ? &family->staged : NULL,
		.at = family ? family->staged.next : NULL,
	};
}

/* The next one whose creation is staged; a key that was written several times counts once. */
static struct object *next_created(struct store_newest_walk *walk)
{
	while (walk->at != walk->staged) {
		const struct pending *pending = container_of(walk->at, struct pending, in_family);
		struct str key = pending->object->key;

		walk->at = walk->at->next;
		if (pending->op != STORE_DELETE && str_starts(key, walk->visible.prefix) &&
		    map_get(walk->store->staged, key) == pending && !store_get(walk->store, key))
			return pending->object;
	}
	return NULL;
}

struct object *store_newest_next(struct store_newest_walk *walk)
{
	struct object *object;

	while (!walk->visible_done && (object = store_walk_next(&walk->visible))) {
		struct object *newest = list_is_empty(walk->staged)
						? object
						: store_newest(walk->store, object->key);

		if (newest)
			return newest;
	}
	walk->visible_done = true;
	return next_created(walk);
}

void store_stats(const struct store *store, struct store_stats *ret)
{
	*ret = (struct store_stats){
		.objects = omap_len(store->visible),
		.object_bytes = store->object_bytes,
		.history_events = history_len(store->history),
		.history_bytes = history_bytes(store->history),
		.commits = store->commits,
		.writes = store->writes,
		.disk_bytes = store->disk_bytes,
	};
}

/* --- watching --- */

static void refuse_old(int64_t revision, int64_t compacted, struct err *err)
{
	(void)err_set(err, ERR_EXPIRED, "too old resource version: %" PRId64 " (%" PRId64 ")",
		      revision, compacted);
}

const struct store_event *store_event_of(const struct store *store, int64_t revision,
					 struct err *err)
{
	const struct store_event *event = history_find(store->history, revision);

	if (!event)
		refuse_old(revision - 1, history_compacted(store->history), err);
	return event;
}

struct store_watch *store_watch(struct store *store, struct str prefix, int64_t revision,
				store_event_fn *fn, void *arg, struct err *err)
{
	int64_t compacted = history_compacted(store->history);
	struct str kind = store_kind_part(prefix);
	const struct store_event *event;

	if (revision < compacted) {
		refuse_old(revision, compacted, err);
		return NULL;
	}
	struct watches *among =
		str_is_none(kind) ? &store->wide : &store_family(store, kind)->watches;
	struct store_watch *watch = watches_add(among, prefix, revision, fn, arg);

	for (int64_t at = revision + 1; (event = history_find(store->history, at)); at++)
		watch_deliver(watch, event);
	return watch;
}

/* --- upkeep --- */

static void check_pending(const struct store *store, const struct list *writes, int64_t *revision,
			  size_t *newest)
{
	LIST_EACH(writes, struct pending, link, pending) {
		++*revision;
		assert(pending->object->revision == *revision);
		*newest += map_get(store->staged, pending->object->key) == pending;
	}
}

static void check_visible(const struct store *store)
{
	struct object *object;
	size_t bytes = 0;

	omap_check(store->visible);
	for (struct str after = str_none(); (object = store_next(store, STR(""), after));
	     after = object->key) {
		assert(object->refs > 0 && object->revision <= store->revision);
		assert(map_get(store->families, store_kind_part(object->key)));
		bytes += object_bytes(object);
	}
	assert(bytes == store->object_bytes);
}

static void check_families(const struct store *store)
{
	size_t at = 0;
	size_t total = 0;
	struct str kind;
	void *value;

	while (map_next(store->families, &at, &kind, &value)) {
		const struct family *family = value;
		struct object *object;
		size_t count = 0;

		for (struct str after = str_none(); (object = store_next(store, kind, after));
		     after = object->key)
			count++;
		assert(count == family->count);
		total += count;
	}
	assert(total == omap_len(store->visible));
}

void store_check(const struct store *store)
{
	int64_t revision = store->revision;
	size_t newest = 0;

	check_visible(store);
	check_families(store);
	history_check(store->history);
	assert(history_compacted(store->history) + (int64_t)history_len(store->history) ==
	       store->revision);
	check_pending(store, &store->commit.writes, &revision, &newest);
	check_pending(store, &store->queue, &revision, &newest);
	assert(newest == map_len(store->staged));
	assert(store->failure || revision == store->last);
	assert(!store->failure || newest == 0);
}
