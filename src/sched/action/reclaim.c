/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/reclaim.c - a queue below its share takes back from queues above theirs (scheduler
 * specification, 5.5). */
#include "sched/action/action_rows.h"
#include "sched/evict/evict.h"

#include "base/banned.h"

static void reclaim_run(struct session *ssn, struct json arguments)
{
	static const struct evict_rules rules = {
		.kind = EVICT_RECLAIM, .word = "reclaim", .across_queues = true};

	(void)arguments;
	evict_round(ssn, &rules);
}

const struct action_type reclaim_action = {.name = "reclaim", .evicts = true, .run = reclaim_run};
