/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/store_backup.c - a copy of the state that readers see at one moment, written off the thread.
 *
 * References to its objects are taken a few thousand per turn, in the order of their keys, and given up in
 * the same way. What changes meanwhile belongs to another state: the walk leaves out what is newer than the
 * copy, and the version that it replaced was kept when it was replaced, if the walk had not come to it yet.
 * So each object of the state is taken once. */
#include "apiserver/store/disk.h"
#include "apiserver/store/store_internal.h"
#include "base/mem.h"
#include "base/vec.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { STEP = 4096 };

struct backup {
	struct store *store;
	char *folder;
	int64_t revision;
	struct object *at; /* where the walk is: one reference; NULL: before the first */
	VEC(struct disk_change) changes;
	struct loop_defer step;
	store_backup_fn *done;
	void *arg;
	bool failed;
	struct err err;
};

static void keep(struct backup *backup, struct object *object)
{
	struct disk_change change = {.key = object->key, .object = object_ref(object)};

	vec_push(&backup->changes, change);
}

static void free_some(void *arg)
{
	struct backup *backup = arg;
	struct store *store = backup->store;
	size_t count = 0;

	while (backup->changes.len && count++ < STEP)
		object_unref((struct object *)backup->changes.ptr[--backup->changes.len].object);
	if (backup->changes.len) {
		loop_defer(store->loop, &backup->step, free_some, backup);
		return;
	}
	store->backups--;
	if (backup->done)
		backup->done(backup->arg, backup->failed ? &backup->err : NULL);
	vec_done(&backup->changes);
	mem_free(backup->folder);
	mem_free(backup);
}

static void write_copy(void *arg)
{
	struct backup *backup = arg;
	struct disk_batch batch = {
		.changes = backup->changes.ptr,
		.count = backup->changes.len,
		.revision = backup->revision,
	};

	backup->failed = disk_copy(backup->folder, &batch, &backup->err) < 0;
}

static void hand_over(struct backup *backup)
{
	struct loop *loop = backup->store->loop;

	if (loop_work(loop, LOOP_LANE_BACKUP, write_copy, free_some, backup, &backup->err) == 0)
		return;
	backup->failed = true;
	loop_post(loop, free_some, backup);
}

static void gather_some(void *arg)
{
	struct backup *backup = arg;
	struct store *store = backup->store;
	struct str after = backup->at ? backup->at->key : str_none();
	struct store_walk walk = store_walk(store, STR(""), after);
	struct object *last = NULL;
	struct object *object = NULL;
	size_t count = 0;

	while (count++ < STEP && (object = store_walk_next(&walk))) {
		last = object;
		if (object->revision <= backup->revision)
			keep(backup, object);
	}
	if (object) {
		object_unref(backup->at);
		backup->at = object_ref(last);
		loop_defer(store->loop, &backup->step, gather_some, backup);
		return;
	}
	object_unref(TAKE(backup->at));
	store->gathering = NULL;
	hand_over(backup);
}

void store_backup_note(struct store *store, struct object *old)
{
	struct backup *backup = store->gathering;

	if (backup && old->revision <= backup->revision &&
	    (!backup->at || str_cmp(old->key, backup->at->key) > 0))
		keep(backup, old);
}

bool store_is_copying(const struct store *store)
{
	return store->backups > 0;
}

void store_backup(struct store *store, const char *folder, store_backup_fn *done, void *arg)
{
	struct backup *backup = mem_new(struct backup);

	backup->store = store;
	backup->folder = mem_strdup(folder);
	backup->revision = store->revision;
	backup->done = done;
	backup->arg = arg;
	if (store_is_copying(store)) {
		backup->failed = true;
		(void)err_set(
			&backup->err, ERR_TOO_MANY_REQUESTS,
			"another copy of the store is being written: try again when it is done");
		store->backups++;
		loop_post(store->loop, free_some, backup);
		return;
	}
	store->backups++;
	store->gathering = backup;
	gather_some(backup);
}
