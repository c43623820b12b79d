/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_commands.h - Commands for jobs: which one comes next, and what becomes of those whose
 * job is not there.
 *
 * A Command names its job; its uid counts only where the Command belongs to that very job (its owner),
 * and so goes with it: a user who writes one by hand need not know it. One whose job is not there is
 * deleted, as upstream does it, though not before its job had a moment to be heard of. */
#ifndef CONTROLLER_JOB_COMMANDS_H
#define CONTROLLER_JOB_COMMANDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/doc.h"

struct cache;
struct controller_base;
struct entries;
struct entry;

/* For cache_new() and cache_group_by(): Commands for jobs, by the key of their job. */
bool job_commands_keep(struct json object);
void job_commands_group(struct json object, struct buf *to);

/* The oldest Command for a job, or JSON_NONE. */
struct json job_commands_next(const struct cache *commands, const struct entry *entry);

/* Those whose job is not there. */
struct strays;
/* `caches` by kind; everything is lent. */
struct strays *strays_new(struct controller_base *base, struct cache *const *caches,
			  const struct entries *entries) __attribute__((returns_nonnull));
void strays_free(struct strays *strays);
/* A Command for a job that is not there, or a job that was deleted. */
void strays_wake(struct strays *strays, struct str key);
/* Everything is known now. */
void strays_start(struct strays *strays);

#endif
