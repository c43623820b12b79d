/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/told.h - conditions of groups that were written a moment ago.
 *
 * A list of conditions is written as a whole. What the informer shows may be older than what was written last,
 * and a list that is made from it would lose that: a group that is refused in one cycle and placed in the next
 * would forget the former. So what is written is remembered for a while, longer than a watch is ever behind. */
#ifndef SCHEDULER_TOLD_H
#define SCHEDULER_TOLD_H

#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct told;

struct told *told_new(uint64_t seed) __attribute__((returns_nonnull));
/* Takes NULL. */
void told_free(struct told *told);
DEFINE_AUTO(struct told *, told_free);

/* Adds to a list, of the group of this uid as it is known, what was written of it and is not there yet. */
void told_complete(const struct told *told, struct str uid, struct json_doc *doc, struct json list);
/* This list is being written. `now` never goes back. */
void told_remember(struct told *told, struct str uid, struct json list, int64_t now);

#endif
