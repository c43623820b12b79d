/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/gangpreempt.c - within a queue, a whole gang takes from jobs of lower priority: first
 * what gangs have beyond their minimum, then whole gangs, unless `allowWholeBundle` is false (scheduler
 * specification, 5.7). */
#include "sched/action/action_rows.h"
#include "sched/evict/evict.h"

#include "base/banned.h"

static void gangpreempt_run(struct session *ssn, struct json arguments)
{
	const struct evict_rules rules = {.kind = EVICT_GANG_PREEMPT,
					  .word = "gangpreempt",
					  .across_queues = false,
					  .whole_gangs =
						  action_bool(arguments, "allowWholeBundle", true),
					  .max_domains = action_count(arguments, "maxDomains", 8)};

	evict_round(ssn, &rules);
}

const struct action_type gangpreempt_action = {
	.name = "gangpreempt", .evicts = true, .run = gangpreempt_run};
