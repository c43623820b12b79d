/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/actions.c - finds actions by name (action_rows.h lists them) and reads their arguments. */
#include <stddef.h>

#include "base/macro.h"
#include "base/number.h"
#include "sched/action/action_rows.h"

#include "base/banned.h"

#define ACTION_ADDRESS(name) &name##_action,
static const struct action_type *const actions[] = {ACTIONS(ACTION_ADDRESS)};

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

int64_t action_count(struct json arguments, const char *name, int64_t fallback)
{
	struct json value = json_get(arguments, name);
	int64_t count = 0;

	if (json_is(value, JSON_INT))
		count = json_int(value);
	else if (json_is(value, JSON_STR) && number_parse_i64(json_str(value), &count, NULL) < 0)
		count = 0;
	return count > 0 ? count : fallback;
}
