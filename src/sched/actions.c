/* SPDX-License-Identifier: Apache-2.0 */
/* sched/actions.c - the list of actions: a file in action/ and a row here each. */
#include <stddef.h>

#include "base/macro.h"
#include "base/number.h"
#include "sched/action_rows.h"

#include "base/banned.h"

static const struct action_type *const actions[] = {
	&allocate_action,    &backfill_action, &enqueue_action, &gangpreempt_action,
	&gangreclaim_action, &preempt_action,  &reclaim_action, &shuffle_action};

const struct action_type *action_type_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (str_is(name, actions[i]->name))
			return actions[i];
	return NULL;
}

bool action_bool(struct json arguments, const char *name, bool fallback)
{
	struct json value = json_get(arguments, name);
	bool parsed;

	if (json_is(value, JSON_BOOL))
		return json_bool(value);
	if (json_is(value, JSON_STR) && number_parse_bool(json_str(value), &parsed, NULL) == 0)
		return parsed;
	return fallback;
}
