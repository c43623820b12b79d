/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/reclaim.c - a queue below its share takes back from queues above theirs (scheduler
 * specification, 5.5).
 *
 * First what gangs have beyond their minimum. A job for which that is not enough takes whole gangs, the smallest and
 * youngest first, never a part of one: else a queue that borrows with gangs alone would keep everything. Not so if gang
 * has a say in the tier of the plugin that knows the shares: then both have to agree to every victim, as in Volcano. */
#include "sched/action/action_rows.h"
#include "sched/evict/evict.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

/* Does a plugin that knows of shares stand in a tier with gang, and does gang have a say? */
static bool has_strict_gangs(const struct session *ssn)
{
	const struct hook_list *guards = &ssn->config->hooks[HOOK_EVICT_RECLAIM];
	const struct plugin *gang = NULL;

	for (size_t i = 0; i < guards->len; i++)
		if (str_is(str_from(guards->ptr[i]->type->name), "gang"))
			gang = guards->ptr[i];
	for (size_t i = 0; gang && i < guards->len; i++)
		if (guards->ptr[i]->tier == gang->tier &&
		    (guards->ptr[i]->type->preemptive || guards->ptr[i]->type->shares_in_tree))
			return true;
	return false;
}

static void reclaim_run(struct session *ssn, struct json arguments)
{
	static const struct evict_rules parts = {
		.kind = EVICT_RECLAIM, .word = "reclaim", .across_queues = true};
	static const struct evict_rules gangs = {.kind = EVICT_GANG_RECLAIM,
						 .word = "reclaim",
						 .across_queues = true,
						 .whole_gangs = true,
						 .silent = true};

	(void)arguments;
	evict_round(ssn, &parts);
	if (!has_strict_gangs(ssn))
		evict_round(ssn, &gangs);
}

const struct action_type reclaim_action = {.name = "reclaim", .evicts = true, .run = reclaim_run};
