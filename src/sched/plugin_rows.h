/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin_rows.h - the plugins, each of its file in plugin/; listed in plugins.c. */
#ifndef SCHED_PLUGIN_ROWS_H
#define SCHED_PLUGIN_ROWS_H

#include "sched/plugin.h"

extern const struct plugin_type binpack_plugin;
extern const struct plugin_type capacity_plugin;
extern const struct plugin_type cdp_plugin;
extern const struct plugin_type conformance_plugin;
extern const struct plugin_type drf_plugin;
extern const struct plugin_type gang_plugin;
extern const struct plugin_type nodegroup_plugin;
extern const struct plugin_type nodeorder_plugin;
extern const struct plugin_type overcommit_plugin;
extern const struct plugin_type pdb_plugin;
extern const struct plugin_type predicates_plugin;
extern const struct plugin_type priority_plugin;
extern const struct plugin_type proportion_plugin;
extern const struct plugin_type resource_strategy_fit_plugin;
extern const struct plugin_type resourcequota_plugin;
extern const struct plugin_type sla_plugin;
extern const struct plugin_type task_topology_plugin;
extern const struct plugin_type tdm_plugin;

#endif
