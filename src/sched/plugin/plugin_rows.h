/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/plugin_rows.h - the built-in plugins. To add one: its file in plugin/ with a
 * `const struct plugin_type <name>_plugin`, and its row here, in the order of the alphabet. */
#ifndef SCHED_PLUGIN_ROWS_H
#define SCHED_PLUGIN_ROWS_H

#include "base/macro.h"
#include "sched/plugin/plugin.h"

#define PLUGINS(row) \
	ROWS( \
	row(binpack) \
	row(capacity) \
	row(cdp) \
	row(conformance) \
	row(deviceshare) \
	row(drf) \
	row(extender) \
	row(gang) \
	row(network_topology_aware) \
	row(nodegroup) \
	row(nodeorder) \
	row(numa_aware) \
	row(overcommit) \
	row(pdb) \
	row(predicates) \
	row(priority) \
	row(proportion) \
	row(rescheduling) \
	row(resource_strategy_fit) \
	row(resourcequota) \
	row(sla) \
	row(task_topology) \
	row(tdm) \
	row(usage))

#define PLUGIN_DECLARE(name) extern const struct plugin_type name##_plugin;
PLUGINS(PLUGIN_DECLARE)
#undef PLUGIN_DECLARE

#endif
