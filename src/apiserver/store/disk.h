/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk.h - what a restart needs: the current objects and the counter of revisions.
 *
 * The store serves everything from memory; this is what it writes to, through a table of functions
 * so that a test or a simulation can use a disk that fails (disk_memory.h). disk_open() is the real
 * one: LMDB in a folder.
 *
 * One call at a time. disk_commit() and disk_probe() may run on another thread than the others. */
#ifndef APISERVER_DISK_H
#define APISERVER_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct object;

struct disk_change {
	struct str key;
	const struct object *object; /* NULL: it was deleted */
};
struct disk_batch {
	const struct disk_change *changes; /* each key once */
	size_t count;
	int64_t revision; /* of the state that results */
};

/* A record of an object, lent for the call. -1 ends the loading. */
typedef int disk_load_fn(void *arg, struct str key, struct str record, struct err *err);

struct disk;
struct disk_ops {
	int (*load)(struct disk *disk, disk_load_fn *fn, void *arg, int64_t *ret_revision,
		    struct err *err);
	int (*commit)(struct disk *disk, const struct disk_batch *batch, struct err *err);
	int (*probe)(struct disk *disk, struct err *err);
	int64_t (*bytes)(struct disk *disk);
	void (*close)(struct disk *disk);
};
/* The head of an implementation's own struct. */
struct disk {
	const struct disk_ops *ops;
};

/* Opens the folder, or makes it (mode 0700). Errors: ERR_UNAVAILABLE when another process has it;
 * ERR_STORE_READ when it is damaged, or of a newer format. */
struct disk *disk_open(const char *folder, struct err *err) MUST_CHECK;
/* Holds nothing, and never fails. */
struct disk *disk_open_null(void) __attribute__((returns_nonnull));
/* Takes NULL. */
void disk_close(struct disk *disk);
DEFINE_AUTO(struct disk *, disk_close);

/* Every object, once; *ret_revision is 0 if nothing was ever written. */
int disk_load(struct disk *disk, disk_load_fn *fn, void *arg, int64_t *ret_revision,
	      struct err *err) MUST_CHECK;
/* 0: all of it is durable. -1: it may have reached the disk or not, so the same keys must be
 * written again before anything else. ERR_UNAVAILABLE: that may be possible later (there is no
 * space, or the file is not where
 * it was); any other code: never again with this disk. */
int disk_commit(struct disk *disk, const struct disk_batch *batch, struct err *err) MUST_CHECK;
/* After a commit that failed: is it worth trying again? -1: not yet. */
int disk_probe(struct disk *disk, struct err *err) MUST_CHECK;
/* Size of its files; 0 if it has none. */
int64_t disk_bytes(struct disk *disk);

/* A new store with these objects in this folder (an absolute path), which must be empty or missing and not
 * reached by symbolic links: whole, or not at all. ERR_ALREADY_EXISTS, ERR_BAD_REQUEST: it is no place for
 * that, and nothing was changed. */
int disk_copy(const char *folder, const struct disk_batch *batch, struct err *err) MUST_CHECK;

#endif
