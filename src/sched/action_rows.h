/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action_rows.h - the actions, each of its file in action/; listed in actions.c. */
#ifndef SCHED_ACTION_ROWS_H
#define SCHED_ACTION_ROWS_H

#include "sched/session.h"

extern const struct action_type allocate_action;
extern const struct action_type backfill_action;
extern const struct action_type enqueue_action;
extern const struct action_type gangpreempt_action;
extern const struct action_type gangreclaim_action;
extern const struct action_type preempt_action;
extern const struct action_type reclaim_action;
extern const struct action_type shuffle_action;

/* An argument of an action: a boolean, or a text that says one ("false", "0", "f"). */
bool action_bool(struct json arguments, const char *name, bool fallback);

#endif
