/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/store_suspend.c - what follows a commit that failed.
 *
 * Writes are refused. If the failure may pass (a full disk, a folder that was moved away), a timer tries
 * again: it writes the visible versions of the keys of that commit once more. That shows that there is
 * space, and it makes the disk equal to the state in memory again, since a commit that failed may have
 * reached the disk all the same. Only then are writes accepted; their revisions go on from what readers
 * have seen.
 *
 * Always true: while `failure` is set nothing is pending; `repair` has every key that may differ on disk. */
#include "apiserver/store/disk.h"
#include "apiserver/store/store_internal.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"

#include "base/banned.h"

#define RETRY_EVERY TIME_SECOND

const char *store_failure(const struct store *store)
{
	return store->failure;
}

bool store_is_suspended(const struct store *store)
{
	return store->suspended;
}

void store_observe_resumed(struct store *store, store_resumed_fn *fn, void *arg)
{
	store->on_resumed = fn;
	store->on_resumed_arg = arg;
}

/* --- what has to be written again --- */

static void drop_repair(struct store *store)
{
	for (size_t i = 0; i < store->repair.len; i++) {
		object_unref((struct object *)(uintptr_t)store->repair.ptr[i].object);
		mem_free((char *)(uintptr_t)store->repair.ptr[i].key.ptr);
	}
	vec_done(&store->repair);
}

/* The keys of the commit as readers see them. */
static void note_repair(struct store *store)
{
	for (size_t i = 0; i < store->commit.changes.len; i++) {
		struct str key = store->commit.changes.ptr[i].key;
		struct object *visible = store_get(store, key);
		struct disk_change change = {
			.key = str_of(str_dup(key), key.len),
			.object = visible ? object_ref(visible) : NULL,
		};

		vec_push(&store->repair, change);
	}
}

void store_suspend_done(struct store *store)
{
	loop_timer_free(store->retry);
	drop_repair(store);
}

/* --- trying again --- */

static void set_failure(struct store *store, const struct err *why)
{
	mem_free(store->failure);
	store->failure = mem_strdup(why->text);
	store->suspended = why->code == ERR_UNAVAILABLE;
}

static void retry_work(void *arg)
{
	struct commit *commit = arg;
	struct store *store = commit->store;
	struct disk_batch batch = {
		.changes = store->repair.ptr,
		.count = store->repair.len,
		.revision = store->revision,
	};

	commit->failed = disk_probe(store->disk, &commit->err) < 0 ||
			 disk_commit(store->disk, &batch, &commit->err) < 0;
}

static void resume(struct store *store)
{
	log_info(store->log, "the store can be written to again: writes go on",
		 LOG_INT("revision", store->revision));
	mem_free(TAKE(store->failure));
	store->suspended = false;
	drop_repair(store);
	if (store->on_resumed)
		store->on_resumed(store->on_resumed_arg);
}

static void retry_done(void *arg)
{
	struct commit *commit = arg;
	struct store *store = commit->store;

	commit->running = false;
	if (!commit->failed) {
		resume(store);
		return;
	}
	set_failure(store, &commit->err);
	if (!store->suspended)
		log_error(store->log, "the store has failed: writes are refused from now on",
			  LOG_STR("error", commit->err.text));
	else if (!store->closing)
		loop_timer_set(store->retry, RETRY_EVERY);
}

static void on_retry(struct loop_timer *timer, void *arg)
{
	struct store *store = arg;

	store->commit.running = true;
	if (loop_work(store->loop, LOOP_LANE_COMMIT, retry_work, retry_done, &store->commit,
		      NULL) == 0)
		return;
	store->commit.running = false;
	loop_timer_set(timer, RETRY_EVERY);
}

void store_suspend(struct store *store, const struct err *why)
{
	set_failure(store, why);
	if (!store->suspended) {
		log_error(store->log, "the store has failed: writes are refused from now on",
			  LOG_STR("error", why->text), LOG_INT("revision", store->revision));
		return;
	}
	log_error(store->log, "writes are suspended until the store can be written to again",
		  LOG_STR("error", why->text), LOG_INT("revision", store->revision));
	note_repair(store);
	if (!store->retry)
		store->retry = loop_timer_new(store->loop, on_retry, store);
	loop_timer_set(store->retry, RETRY_EVERY);
}
