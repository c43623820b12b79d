/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/store_internal.h - the store's state; for store.c, which says what must stay true of it, and
 * store_commit.c. */
#ifndef APISERVER_STORE_INTERNAL_H
#define APISERVER_STORE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apiserver/store/disk.h"
#include "apiserver/store/store.h"
#include "apiserver/store/watch.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "base/vec.h"
#include "loop/loop.h"

struct history;
struct log;
struct map;
struct omap;

/* What the objects of a kind have in common: the start of their keys, "<group>/<plural>/". */
struct family {
	size_t count;
	struct watches watches;
	struct list staged;         /* its pending writes, in order */
	struct object_names *names; /* of the fields of its last object */
	size_t prefix_len;
	char prefix[];
};

struct pending {
	struct list link;
	struct list in_family;
	enum store_op op;
	uint64_t batch;
	bool superseded; /* a later write of its batch is to the same key */
	struct object *object;
	struct family *family;
	store_done_fn *done;
	void *arg;
};

/* The batch that is being committed. */
struct commit {
	struct store *store;
	bool running;
	int64_t started;
	struct list writes;
	VEC(struct disk_change) changes;
	/* the worker's results */
	bool failed;
	struct err err;
	int64_t disk_bytes;
	int64_t took;
};

struct backup;

struct store {
	struct loop *loop;
	struct log *log;
	struct disk *disk;
	bool closing;
	char *failure;
	bool suspended;                 /* a failure that may pass: tried again by `retry` */
	struct loop_timer *retry;       /* made when first wanted */
	VEC(struct disk_change) repair; /* what the disk must have before it takes more */
	store_resumed_fn *on_resumed;   /* may be NULL */
	void *on_resumed_arg;

	int64_t revision;
	struct omap *visible;
	size_t object_bytes;
	struct map *families;
	struct history *history;
	struct loop_timer *trim; /* set while the history holds more than it has to */
	int64_t trim_to;         /* the revision of the last time it was called */
	struct watches wide;     /* of prefixes that are not within a kind */

	int64_t last;
	struct map *staged;
	store_staged_fn *on_staged; /* may be NULL */
	void *on_staged_arg;
	struct list queue;
	uint64_t batch; /* that the next write joins, and how much is in it */
	size_t batch_writes;
	size_t batch_bytes;
	struct commit commit;
	struct loop_defer kick;
	struct loop_defer publish; /* the rest of a batch that is durable */
	unsigned backups;          /* under way */
	struct backup *gathering;  /* the one that still takes its objects; NULL: none */
	struct buf scratch;

	int64_t disk_bytes;
	uint64_t commits;
	uint64_t writes;
};

/* "<group>/<plural>/" at the start of a key, or none. */
struct str store_kind_part(struct str text);
int store_check_key(struct str key, struct err *err) MUST_CHECK;
/* A commit has failed: refuse writes, and try again if that may help. Before the writes of the commit
 * are freed. */
void store_suspend(struct store *store, const struct err *why);
void store_suspend_done(struct store *store);
/* This version is not visible any more: a copy that is under way may need it. */
void store_backup_note(struct store *store, struct object *old);
/* The history has grown: shrink it again later. */
void store_trim_later(struct store *store);
/* The family of a kind, created on first use. */
struct family *store_family(struct store *store, struct str kind);

#endif
