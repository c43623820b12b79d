/* SPDX-License-Identifier: Apache-2.0 */
/* cli/phase.c - see phase.h. */
#include "cli/phase.h"

#include "base/macro.h"

#include "base/banned.h"

static const struct {
	struct str name;
	bool end;
	enum colour colour;
} phases[] = {
	{STR_INIT("Pending"), false, COLOUR_BUSY},    {STR_INIT("Running"), false, COLOUR_GOOD},
	{STR_INIT("Restarting"), false, COLOUR_BUSY}, {STR_INIT("Completing"), false, COLOUR_GOOD},
	{STR_INIT("Completed"), true, COLOUR_GOOD},   {STR_INIT("Terminating"), false, COLOUR_BAD},
	{STR_INIT("Terminated"), true, COLOUR_BAD},   {STR_INIT("Aborting"), false, COLOUR_BUSY},
	{STR_INIT("Aborted"), true, COLOUR_BUSY},     {STR_INIT("Failed"), true, COLOUR_BAD},
};

struct str phase_of(struct json job)
{
	return json_str(json_get(json_get(json_get(job, "status"), "state"), "phase"));
}

static bool aborts(struct json policies)
{
	struct json_iter it = json_iter(policies);

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "action")), "AbortJob"))
			return true;
	return false;
}

bool phase_may_abort(struct json job)
{
	struct json spec = json_get(job, "spec");
	struct json_iter it = json_iter(json_get(spec, "tasks"));
	bool any = aborts(json_get(spec, "policies"));

	while (!any && json_next(&it))
		any = aborts(json_get(it.value, "policies"));
	return any;
}

bool phase_is_end(struct str phase)
{
	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		if (str_eq(phase, phases[i].name))
			return phases[i].end;
	return false;
}

struct str phase_find(struct str typed)
{
	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		if (str_eq_nocase(typed, phases[i].name))
			return phases[i].name;
	return str_none();
}

enum colour phase_colour(struct str phase)
{
	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		if (str_eq(phase, phases[i].name))
			return phases[i].colour;
	return COLOUR_NONE;
}
