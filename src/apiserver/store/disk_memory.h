/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_memory.h - a disk for tests and simulations: keeps records in memory, also
 * after the store that wrote them was closed, and fails on demand. */
#ifndef APISERVER_DISK_MEMORY_H
#define APISERVER_DISK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct disk;
struct disk_memory;

struct disk_memory *disk_memory_new(void) __attribute__((returns_nonnull));
/* Must have been closed. Takes NULL. */
void disk_memory_free(struct disk_memory *memory);
DEFINE_AUTO(struct disk_memory *, disk_memory_free);

/* ERR_UNAVAILABLE while it is open already. */
struct disk *disk_memory_open(struct disk_memory *memory, struct err *err) MUST_CHECK;

/* What goes wrong from now on. */
struct disk_memory_faults {
	uint64_t fail_after; /* so many commits succeed; then all fail */
	bool fail;           /* (whether at all) */
	bool keep;           /* ... and the first to fail has reached the disk nevertheless */
	enum err_code code;  /* ERR_NONE: ERR_UNAVAILABLE, no space */
	const char *text;
	/* Called in each commit, on the thread that commits: a slow one takes its time here. */
	void (*during)(void *arg);
	void *arg;
};
void disk_memory_set_faults(struct disk_memory *memory, const struct disk_memory_faults *faults);

/* How many commits were asked for, and how many changes they brought. */
uint64_t disk_memory_commits(const struct disk_memory *memory);
uint64_t disk_memory_changes(const struct disk_memory *memory);
/* The bytes of a record, for damaging it; NULL if there is none. */
char *disk_memory_record(struct disk_memory *memory, struct str key, size_t *ret_len);

#endif
