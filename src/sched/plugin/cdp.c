/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/cdp.c - who has just begun to run is left alone for its cool-down time (scheduler
 * specification, 6.12), whichever action asks. */
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

static bool cdp_evictable(const struct plugin *p, const struct evict_ask *ask,
			  const struct task *victim)
{
	(void)ask;
	return victim->status != TASK_RUNNING || victim->cooled <= p->ssn->now;
}

const struct plugin_type cdp_plugin = {
	.name = "cdp",
	.timed = true,
	.evictable = {[EVICT_PREEMPT] = cdp_evictable,
		      [EVICT_RECLAIM] = cdp_evictable,
		      [EVICT_GANG_PREEMPT] = cdp_evictable,
		      [EVICT_GANG_RECLAIM] = cdp_evictable},
};
