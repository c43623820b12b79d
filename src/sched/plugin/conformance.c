/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/conformance.c - pods that the cluster itself lives on are never evicted: those of
 * kube-system, and those of the system's priority classes (scheduler specification, 6.3). */
#include "sched/cluster/task.h"
#include "sched/plugin/plugin_rows.h"

#include "base/banned.h"

static bool conformance_evictable(const struct plugin *p, const struct evict_ask *ask,
				  const struct task *victim)
{
	(void)p;
	(void)ask;
	return !victim->system;
}

const struct plugin_type conformance_plugin = {
	.name = "conformance",
	.alike = true,
	.evictable = {[EVICT_PREEMPT] = conformance_evictable,
		      [EVICT_RECLAIM] = conformance_evictable,
		      [EVICT_GANG_PREEMPT] = conformance_evictable,
		      [EVICT_GANG_RECLAIM] = conformance_evictable},
};
