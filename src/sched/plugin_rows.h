/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin_rows.h - the plugins, each of its file in plugin/; listed in plugins.c. */
#ifndef SCHED_PLUGIN_ROWS_H
#define SCHED_PLUGIN_ROWS_H

#include "sched/plugin.h"

extern const struct plugin_type binpack_plugin;
extern const struct plugin_type capacity_plugin;
extern const struct plugin_type conformance_plugin;
extern const struct plugin_type drf_plugin;
extern const struct plugin_type gang_plugin;
extern const struct plugin_type nodeorder_plugin;
extern const struct plugin_type overcommit_plugin;
extern const struct plugin_type predicates_plugin;
extern const struct plugin_type priority_plugin;
extern const struct plugin_type proportion_plugin;

#endif
