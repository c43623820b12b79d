/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/action_rows.h - the actions. To add one: its file in action/ with a
 * `const struct action_type <name>_action`, and its row here. */
#ifndef SCHED_ACTION_ROWS_H
#define SCHED_ACTION_ROWS_H

#include "base/macro.h"
#include "sched/session/session.h"

#define ACTIONS(row) \
	ROWS( \
	row(allocate) \
	row(backfill) \
	row(enqueue) \
	row(gangpreempt) \
	row(gangreclaim) \
	row(preempt) \
	row(reclaim) \
	row(shuffle))

#define ACTION_DECLARE(name) extern const struct action_type name##_action;
ACTIONS(ACTION_DECLARE)
#undef ACTION_DECLARE

/* An argument of an action: a boolean, or a text that says one ("false", "0", "f"). */
bool action_bool(struct json arguments, const char *name, bool fallback);
/* ... a whole number above 0, or a text of one. */
int64_t action_count(struct json arguments, const char *name, int64_t fallback);

#endif
