/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/gangreclaim.c - a whole gang takes back from queues above their share: first
 * what gangs have beyond their minimum, then whole gangs, unless `allowWholeBundle` is false (scheduler
 * specification, 5.7). */
#include "sched/action/action_rows.h"
#include "sched/evict/evict.h"

#include "base/banned.h"

static void gangreclaim_run(struct session *ssn, struct json arguments)
{
	const struct evict_rules rules = {.kind = EVICT_GANG_RECLAIM,
					  .word = "gangreclaim",
					  .across_queues = true,
					  .whole_gangs =
						  action_bool(arguments, "allowWholeBundle", true),
					  .max_domains = action_count(arguments, "maxDomains", 8)};

	evict_round(ssn, &rules);
}

const struct action_type gangreclaim_action = {
	.name = "gangreclaim", .evicts = true, .run = gangreclaim_run};
