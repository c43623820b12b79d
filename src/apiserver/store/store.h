/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/store.h - the objects, their revisions and their history.
 *
 * Like etcd seen from Kubernetes: one counter of revisions; each write of an object takes the next;
 * a reader can list a consistent state and watch what comes after it. Everything is served from
 * memory; the disk (disk.h) only holds what a restart needs: the current objects and the counter.
 *
 * Life of a write:
 *	store_write()	checks its precondition against the newest version of the object, written or only staged,
 *			gives it the next revision and stages it
 *	commit		all that was staged while the last commit ran goes to disk in one transaction, off the
 *			thread; then, in order of revision, each write becomes visible to readers, its event goes to the watchers and its writer is called
 * so that acknowledged means durable, readers never see what could still be lost, and a busy server
 * pays for one sync per batch. If a commit fails, staged writes are answered with ERR_UNAVAILABLE,
 * further ones are refused, and reading goes on. If there was no space, or the file is not where it
 * was, the store tries again every second until it can write, and goes on; anything else is for
 * good.
 *
 * Keys are "<group>/<plural>/<namespace>/<name>" ("/pods/ns/a", "/nodes//n1",
 * "batch.volcano.sh/jobs/ns/j"): a prefix is a kind, or a kind in a namespace. */
#ifndef APISERVER_STORE_H
#define APISERVER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apiserver/store/object.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/omap.h"
#include "base/str.h"

struct disk;
struct list;
struct log;
struct loop;
struct store;

struct store_options {
	const char *folder;    /* NULL: in memory only, for tests and simulation ... */
	struct disk *disk;     /* ... unless this is given instead; taken, also on failure */
	size_t history_events; /* how many events a watch can go back; 0: LIMIT_HISTORY_EVENTS */
	size_t history_bytes;  /* 0: LIMIT_HISTORY_BYTES */
	struct log *log;
};

/* Opens or makes the store and reads all of it. ERR_UNAVAILABLE when another process has it open;
 * ERR_STORE_READ when it is damaged or of a newer format: it is left as it is, and the text says
 * what to do. */
struct store *store_open(struct loop *loop, const struct store_options *options,
			 struct err *err) MUST_CHECK;
/* Commits what is staged, then closes. Turns the loop meanwhile, so it may not be called from a
 * callback; new writes are refused. Watches must have been ended. Takes NULL. */
void store_close(struct store *store);
DEFINE_AUTO(struct store *, store_close);

/* The revision of the state that readers see. A new store has 1, as etcd: to clients 0 means "any".
 * */
int64_t store_revision(const struct store *store);
/* The oldest revision that a watch can start from, and an old page token can be for. */
int64_t store_compacted(const struct store *store);
/* NULL while all is well; else why writes are refused, for /readyz. */
const char *store_failure(const struct store *store);
/* Are they refused only until the disk takes them again? */
bool store_is_suspended(const struct store *store);
/* Be called when it does. What was refused meanwhile is not written later: look at everything again. One
 * observer; NULL ends it. */
typedef void store_resumed_fn(void *arg);
void store_observe_resumed(struct store *store, store_resumed_fn *fn, void *arg);

/* --- reading: borrowed until control goes back to the loop; object_ref() to keep --- */

struct object *store_get(const struct store *store, struct str key);
/* The first visible object after `after` (or at `prefix`, if `after` is none) with this prefix,
 * or NULL. */
struct object *store_next(const struct store *store, struct str prefix, struct str after);
/* The same for many of them, each in constant time; control must not go back to the loop between.
 *	struct store_walk walk = store_walk(store, prefix, str_none());
 *	while ((object = store_walk_next(&walk))) ... */
struct store_walk {
	struct omap_walk walk;
	struct str prefix;
};
struct store_walk store_walk(const struct store *store, struct str prefix, struct str after);
struct object *store_walk_next(struct store_walk *walk);
/* How many have this prefix. At once for all ("") and for a kind ("/pods/"); else they are counted.
 * */
size_t store_count(const struct store *store, struct str prefix);
/* How many of these are not before `from`. The prefix is not empty. */
size_t store_count_from(const struct store *store, struct str prefix, struct str from);
/* The newest version, also if it is only staged: what a writer must start from. NULL if it is
 * absent or its removal is staged. */
struct object *store_newest(const struct store *store, struct str key);
/* Walk the newest version of everything with this prefix, each once: the visible ones in order of their
 * keys, then those whose creation is staged, in order of revision; what is about to be removed is left
 * out. A check that reads other objects before a write uses this and store_newest(), never the visible
 * state: then no two requests that arrive together can both pass it. The prefix is within a kind;
 * control must not go back to the loop, and nothing may be written, between steps.
 *	struct store_newest_walk walk = store_newest_walk(store, prefix);
 *	while ((object = store_newest_next(&walk))) ... */
struct store_newest_walk {
	const struct store *store;
	struct store_walk visible;
	bool visible_done;
	const struct list *staged; /* of the kind; NULL: none */
	const struct list *at;
};
struct store_newest_walk store_newest_walk(const struct store *store, struct str prefix);
struct object *store_newest_next(struct store_newest_walk *walk);

/* --- writing
 * -----------------------------------------------------------------------------------------------
 * */

enum store_op { STORE_CREATE, STORE_UPDATE, STORE_DELETE };

/* Called once, when the write is durable and visible, or has failed. `object` is the version
 * written (for a removal: the last one, with the revision of the removal in its text), lent for the
 * call. Of `object` and `err` one is NULL. */
typedef void store_done_fn(void *arg, struct object *object, const struct err *err);

struct store_write {
	enum store_op op;
	struct str key;
	/* CREATE fails with ERR_ALREADY_EXISTS if there is one; UPDATE and DELETE with
	 * ERR_CONFLICT if the newest version is not this one (0: any), and with ERR_NOT_FOUND
	 * if there is none. */
	int64_t expect;
	/* The object without resourceVersion: the text up to the place where the digits go, and the
	 * rest. Copied. For a removal: the object as it last was. */
	struct str before;
	struct str tail;
	const struct object_pair *labels; /* copied */
	const uint32_t *label_places;     /* as object_parts has them; may be NULL */
	const struct object_pair *fields;
	uint32_t label_count;
	uint32_t field_count;
	store_done_fn *done; /* may be NULL */
	void *arg;
};

/* -1: refused, nothing changed, `done` is not called. 0: staged with revision *ret_revision (may be
 * NULL). */
int store_write(struct store *store, const struct store_write *write, int64_t *ret_revision,
		struct err *err) MUST_CHECK;
/* Be called for every change of a newest version, the moment it is staged: from `old` to `now`, NULL if
 * there is none; and back again when a commit fails. For sums over the state that the next write is
 * checked against. It may write. One observer; NULL ends it. */
typedef void store_staged_fn(void *arg, struct object *old, struct object *now);
void store_observe_staged(struct store *store, store_staged_fn *fn, void *arg);
/* Wait for everything staged so far to be durable, or to have failed (tests, shutdown). Turns the
 * loop: not from a callback. */
void store_flush(struct store *store);

/* --- watching --- */

enum store_event_type { STORE_ADDED, STORE_MODIFIED, STORE_DELETED };
struct store_event {
	enum store_event_type type;
	int64_t revision;
	struct object *object;   /* the new version; of a removal, the last one */
	struct object *previous; /* NULL for ADDED */
};

struct store_watch;
/* Called for each event after the start, in order of revision, without duplicates or gaps. */
typedef void store_event_fn(void *arg, const struct store_event *event);
/* Watches everything with this prefix, starting after `revision`. Past events are delivered before
 * this returns. ERR_EXPIRED when `revision` is older than store_compacted().
 * */
struct store_watch *store_watch(struct store *store, struct str prefix, int64_t revision,
				store_event_fn *fn, void *arg, struct err *err) MUST_CHECK;
/* For a reader that goes at its own pace: the event of this revision, which is not newer than
 * store_revision(), lent until control goes back to the loop. NULL: ERR_EXPIRED, it is not kept any
 * more. */
const struct store_event *store_event_of(const struct store *store, int64_t revision,
					 struct err *err) MUST_CHECK;
/* Takes NULL. Allowed from within the callback. */
void store_unwatch(struct store_watch *watch);

/* --- upkeep
 * ------------------------------------------------------------------------------------------------
 * */

struct store_stats {
	size_t objects;
	size_t object_bytes;
	size_t history_events;
	size_t history_bytes;
	uint64_t commits;
	uint64_t writes;
	int64_t disk_bytes;
};
void store_stats(const struct store *store, struct store_stats *ret);
/* Is a copy being written? */
bool store_is_copying(const struct store *store);
/* Called once; err is NULL when the copy is durable. */
typedef void store_backup_fn(void *arg, const struct err *err);
/* A copy of the state that readers see now, as a store of its own in `folder`, which must be empty
 * or missing (disk.h says more). ERR_TOO_MANY_REQUESTS while another one is being written. It is
 * written off the thread, from memory: writing goes on meanwhile, and a store
 * that has failed can be saved this way. */
void store_backup(struct store *store, const char *folder, store_backup_fn *done, void *arg);
/* Walks everything and asserts what must be true; for tests. */
void store_check(const struct store *store);

#endif
