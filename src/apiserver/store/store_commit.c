/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/store_commit.c - the way of a write: staged, committed with others of its batch, published.
 *
 * A write is a struct pending from store_write() until its writer is called. It waits in `queue`;
 * start_commit() moves the writes of one batch into `commit`, which a worker brings to disk;
 * commit_done() makes them visible one by one. What must stay true is in store.c. The worker reads
 * what `commit` refers to and writes nothing but its results. */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "apiserver/store/disk.h"
#include "apiserver/store/history.h"
#include "apiserver/store/store_internal.h"
#include "apiserver/store/watch.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/omap.h"
#include "base/time.h"

#include "base/banned.h"

/* --- ending a write --- */

/* Out of `staged`, if it is the newest of its key. */
static void unstage(struct store *store, const struct pending *pending)
{
	if (map_get(store->staged, pending->object->key) == pending)
		(void)map_remove(store->staged, pending->object->key);
}

static void pending_free(struct pending *pending)
{
	list_remove(&pending->link);
	list_remove(&pending->in_family);
	object_unref(pending->object);
	mem_free(pending);
}

/* Change `visible`; gives what was there, for object_unref(). */
static struct object *apply(struct store *store, const struct pending *pending)
{
	struct object *object = pending->object;
	struct object *old;

	if (pending->op == STORE_DELETE) {
		old = omap_remove(store->visible, object->key);
		pending->family->count--;
	} else {
		old = omap_put(store->visible, object->key, object_ref(object));
		store->object_bytes += object_bytes(object);
		pending->family->count += pending->op == STORE_CREATE;
	}
	if (old) {
		store->object_bytes -= object_bytes(old);
		store_backup_note(store, old);
	}
	store->revision = object->revision;
	assert((old == NULL) == (pending->op == STORE_CREATE));
	return old;
}

/* A durable write becomes visible to readers, is sent to watches and reported to its writer. */
static void publish(struct store *store, struct pending *pending)
{
	static const enum store_event_type types[] = {
		[STORE_CREATE] = STORE_ADDED,
		[STORE_UPDATE] = STORE_MODIFIED,
		[STORE_DELETE] = STORE_DELETED,
	};
	AUTO(object_unref) struct object *old = apply(store, pending);
	struct store_event event = {
		.type = types[pending->op],
		.revision = pending->object->revision,
		.object = pending->object,
		.previous = old,
	};

	unstage(store, pending);
	store->writes++;
	history_add(store->history, &event);
	store_trim_later(store);
	watches_deliver(&pending->family->watches, &event);
	watches_deliver(&store->wide, &event);
	if (pending->done)
		pending->done(pending->arg, pending->object, NULL);
	pending_free(pending);
}

static struct object *object_after(const struct pending *pending)
{
	return pending->op == STORE_DELETE ? NULL : pending->object;
}

/* Staged versions are not the newest any more: go back to the visible ones. */
static void observe_refused(struct store *store, const struct pending *pending)
{
	struct str key = pending->object->key;

	if (store->on_staged && map_get(store->staged, key) == pending)
		store->on_staged(store->on_staged_arg, object_after(pending),
				 store_get(store, key));
}

static void refuse_all(struct store *store, struct list *writes, const struct err *err)
{
	LIST_EACH(writes, struct pending, link, pending)
		observe_refused(store, pending);
	LIST_EACH(writes, struct pending, link, pending)
		unstage(store, pending);
	LIST_EACH(writes, struct pending, link, pending) {
		if (pending->done)
			pending->done(pending->arg, NULL, err);
		pending_free(pending);
	}
}

static void next_batch(struct store *store)
{
	store->batch++;
	store->batch_writes = 0;
	store->batch_bytes = 0;
}

static void fail(struct store *store, const struct err *why)
{
	struct err err;

	(void)err_set(&err, ERR_UNAVAILABLE, "the write may be lost: %s", why->text);
	store_suspend(store, why);
	list_splice(&store->commit.writes, &store->queue);
	refuse_all(store, &store->commit.writes, &err);
	store->last = store->revision; /* what was refused has no revision */
	next_batch(store);
}

/* --- committing --- */

static void commit_work(void *arg)
{
	struct commit *commit = arg;
	struct disk *disk = commit->store->disk;
	struct disk_batch batch = {
		.changes = commit->changes.ptr,
		.count = commit->changes.len,
		.revision =
			container_of(commit->writes.prev, struct pending, link)->object->revision,
	};

	int64_t start = loop_stopwatch(commit->store->loop);

	commit->failed = disk_commit(disk, &batch, &commit->err) < 0;
	commit->took = loop_stopwatch(commit->store->loop) - start;
	commit->disk_bytes = disk_bytes(disk);
}

static void start_commit(void *arg);

static void warn_if_slow(struct store *store)
{
	const struct commit *commit = &store->commit;
	int64_t took = loop_uptime(store->loop) - commit->started;

	if (took < TIME_SECOND)
		return;
	log_warn(store->log,
		 commit->took >= took / 2 ? "slow commit: the disk took most of the time"
					  : "slow commit: this process was busy, not the disk",
		 LOG_INT("milliseconds", took / TIME_MILLISECOND),
		 LOG_INT("diskMilliseconds", commit->took / TIME_MILLISECOND),
		 LOG_INT("changes", commit->changes.len));
}

static void commit_over(struct store *store)
{
	store->commit.running = false;
	if (!list_is_empty(&store->queue))
		loop_defer(store->loop, &store->kick, start_commit, store);
}

/* As many as a turn has time for: a batch may be of thousands, each with watches and a writer to
 * notify. */
static void publish_some(void *arg)
{
	struct store *store = arg;

	LIST_EACH(&store->commit.writes, struct pending, link, pending) {
		publish(store, pending);
		if (loop_is_late(store->loop) && !list_is_empty(&store->commit.writes)) {
			loop_defer(store->loop, &store->publish, publish_some, store);
			return;
		}
	}
	commit_over(store);
}

static void commit_done(void *arg)
{
	struct commit *commit = arg;
	struct store *store = commit->store;

	warn_if_slow(store);
	if (commit->failed) {
		fail(store, &commit->err);
		commit_over(store);
		return;
	}
	store->commits++;
	store->disk_bytes = commit->disk_bytes;
	publish_some(store);
}

/* There is no place in the lane: it has one per store at most, so this is a bug elsewhere. */
static void commit_refused(struct commit *commit)
{
	commit->failed = true;
	commit->err.code = ERR_UNAVAILABLE;
	commit_done(commit);
}

/* Move the first batch of the queue into `commit`. */
static void take_batch(struct store *store)
{
	struct commit *commit = &store->commit;
	uint64_t batch = container_of(store->queue.next, struct pending, link)->batch;

	vec_clear(&commit->changes);
	LIST_EACH(&store->queue, struct pending, link, pending) {
		if (pending->batch != batch)
			break;
		list_remove(&pending->link);
		list_push(&commit->writes, &pending->link);
		if (pending->superseded)
			continue;
		struct disk_change change = {
			.key = pending->object->key,
			.object = pending->op == STORE_DELETE ? NULL : pending->object,
		};

		vec_push(&commit->changes, change);
	}
	if (batch == store->batch)
		next_batch(store);
}

static void start_commit(void *arg)
{
	struct store *store = arg;
	struct commit *commit = &store->commit;

	assert(!commit->running && list_is_empty(&commit->writes));
	assert(!list_is_empty(&store->queue));
	take_batch(store);
	commit->running = true;
	commit->started = loop_uptime(store->loop);
	if (loop_work(store->loop, LOOP_LANE_COMMIT, commit_work, commit_done, commit,
		      &commit->err) < 0)
		commit_refused(commit);
}

/* --- writing --- */

static int check_precondition(const struct store *store, const struct store_write *write,
			      struct err *err)
{
	const struct object *newest = store_newest(store, write->key);

	if (write->op == STORE_CREATE && newest)
		return err_set(err, ERR_ALREADY_EXISTS, "\"%.*s\" already exists",
			       STR_ARG(write->key));
	if (write->op == STORE_CREATE)
		return 0;
	if (!newest)
		return err_set(err, ERR_NOT_FOUND, "\"%.*s\" not found", STR_ARG(write->key));
	if (write->expect != 0 && write->expect != newest->revision)
		return err_set(err, ERR_CONFLICT, "\"%.*s\" has revision %" PRId64 ", not %" PRId64,
			       STR_ARG(write->key), newest->revision, write->expect);
	return 0;
}

static int check_write(const struct store *store, const struct store_write *write, struct err *err)
{
	if (store->failure)
		return err_set(err, ERR_UNAVAILABLE, "%s: %s",
			       store->suspended ? "writes are suspended" : "the store has failed",
			       store->failure);
	if (store->closing)
		return err_set(err, ERR_UNAVAILABLE, "the store is closing");
	if (store_check_key(write->key, err) < 0)
		return -1;
	if (write->before.len + write->tail.len > LIMIT_OBJECT_BYTES)
		return err_set(err, ERR_TOO_LARGE, "\"%.*s\" has more than %d bytes",
			       STR_ARG(write->key), LIMIT_OBJECT_BYTES);
	return check_precondition(store, write, err);
}

enum { SCRATCH_KEPT_BYTES = 64 * 1024 };

static struct object *make_object(struct store *store, const struct store_write *write,
				  struct family *family)
{
	struct object_parts parts = {
		.key = write->key,
		.before = write->before,
		.tail = write->tail,
		.labels = write->labels,
		.label_places = write->label_places,
		.fields = write->fields,
		.label_count = write->label_count,
		.field_count = write->field_count,
	};

	struct object *object =
		object_new(&parts, store->last + 1, &family->names, &store->scratch);

	if (store->scratch.len > SCRATCH_KEPT_BYTES) {
		buf_done(&store->scratch);
		store->scratch = (struct buf)BUF_UNBOUNDED;
	}
	return object;
}

/* It is the newest of its key from now on. */
static void stage(struct store *store, struct pending *pending)
{
	struct pending *older = map_put(store->staged, pending->object->key, pending);

	if (store->batch_writes >= LIMIT_COMMIT_WRITES || store->batch_bytes >= LIMIT_COMMIT_BYTES)
		next_batch(store);
	pending->batch = store->batch;
	store->batch_writes++;
	store->batch_bytes += object_bytes(pending->object);
	if (older && older->batch == pending->batch)
		older->superseded = true;
	list_push(&store->queue, &pending->link);
	list_push(&pending->family->staged, &pending->in_family);
	store->last = pending->object->revision;
	if (!store->commit.running)
		loop_defer(store->loop, &store->kick, start_commit, store);
}

int store_write(struct store *store, const struct store_write *write, int64_t *ret_revision,
		struct err *err)
{
	struct object *old;

	if (check_write(store, write, err) < 0)
		return -1;
	struct pending *pending = mem_new(struct pending);

	pending->op = write->op;
	pending->family = store_family(store, store_kind_part(write->key));
	pending->object = make_object(store, write, pending->family);
	pending->done = write->done;
	pending->arg = write->arg;
	old = store_newest(store, write->key);
	stage(store, pending);
	if (ret_revision)
		*ret_revision = store->last;
	if (store->on_staged)
		store->on_staged(store->on_staged_arg, old, object_after(pending));
	return 0;
}

void store_observe_staged(struct store *store, store_staged_fn *fn, void *arg)
{
	assert(!fn || !store->on_staged);
	store->on_staged = fn;
	store->on_staged_arg = arg;
}
