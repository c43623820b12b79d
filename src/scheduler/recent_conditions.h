/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/recent_conditions.h - conditions of groups that were written a moment ago.
 *
 * A list of conditions is written as a whole. What the informer shows may be older than what was written last,
 * and a list made from it would lose the newer entries: a group that is refused in one cycle and placed in the next
 * would lose the first condition. So what is written is remembered for longer than a watch is ever late. */
#ifndef SCHEDULER_RECENT_CONDITIONS_H
#define SCHEDULER_RECENT_CONDITIONS_H

#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct recent_conditions;

struct recent_conditions *recent_conditions_new(uint64_t seed) __attribute__((returns_nonnull));
/* Takes NULL. */
void recent_conditions_free(struct recent_conditions *recent);
DEFINE_AUTO(struct recent_conditions *, recent_conditions_free);

/* Adds to a list, of the group of this uid as it is known, what was written of it and is not there yet. */
void recent_conditions_complete(const struct recent_conditions *recent, struct str uid,
				struct json_doc *doc, struct json list);
/* This list is being written. `now` never goes back. */
void recent_conditions_remember(struct recent_conditions *recent, struct str uid, struct json list,
				int64_t now);

#endif
