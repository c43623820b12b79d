/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/backups.h - copies of the store by schedule: one per interval; a number of the newest is
 * kept.
 *
 * Each is a folder "volcano-<time>-r<revision>" (UTC, as volcano-20260102T030405Z-r1234), which opens as a
 * store. It appears under that name when it is complete. When the next one is due follows from the names
 * that are there, so that a restart changes nothing. */
#ifndef APISERVER_BACKUPS_H
#define APISERVER_BACKUPS_H

#include <stdint.h>

#include "base/macro.h"

struct backups;
struct log;
struct loop;
struct store;

struct backups_options {
	const char *folder; /* absolute; made (mode 0700) if it is missing */
	int64_t every_us;
	int64_t keep; /* at least 1 */
	struct log *log;
};

struct backups *backups_new(struct loop *loop, struct store *store,
			    const struct backups_options *options) __attribute__((returns_nonnull));
/* A copy that is being written is finished. Takes NULL. */
void backups_free(struct backups *backups);

struct backups_stats {
	const char *folder;
	int64_t every_us;
	int64_t keep;
	int64_t last; /* when the newest that is there was begun, microseconds since 1970; 0: none */
	const char *error; /* why the last try failed; NULL: it did not. Lent until the next turn */
	uint64_t done;     /* since the start */
	uint64_t failed;
};
void backups_stats(const struct backups *backups, struct backups_stats *ret);

#endif
