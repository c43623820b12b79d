/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugins.c - the list of plugins. To add one: its file in plugin/, its row here, its scenario
 * in test/data/sched. */
#include <stddef.h>

#include "base/macro.h"
#include "sched/plugin_rows.h"

#include "base/banned.h"

/* In the order of the alphabet. */
static const struct plugin_type *const plugins[] = {
	&binpack_plugin,       &capacity_plugin,
	&cdp_plugin,           &conformance_plugin,
	&drf_plugin,           &gang_plugin,
	&nodegroup_plugin,     &nodeorder_plugin,
	&overcommit_plugin,    &pdb_plugin,
	&predicates_plugin,    &priority_plugin,
	&proportion_plugin,    &resource_strategy_fit_plugin,
	&resourcequota_plugin, &sla_plugin,
	&task_topology_plugin, &tdm_plugin,
};

/* Names that a configuration of Volcano may hold, and that are still to be built. */
static const char *const planned[] = {
	"deviceshare", "extender", "network-topology-aware", "numa-aware", "rescheduling", "usage",
};

const struct plugin_type *plugin_type_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(plugins); i++)
		if (str_is(name, plugins[i]->name))
			return plugins[i];
	return NULL;
}

bool plugin_is_planned(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(planned); i++)
		if (str_is(name, planned[i]))
			return true;
	return false;
}
