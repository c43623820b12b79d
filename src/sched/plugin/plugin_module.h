/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/plugin_module.h - a plugin in a shared object: the same table, and what it was built for.
 *
 *	#include "sched/plugin/plugin_module.h"
 *	static const struct plugin_type mine = {.name = "mine", ...};
 *	PLUGIN_MODULE(mine);
 *
 * built into mine.so and put into the folder of --plugins-dir (HACKING.md has the recipe). A plugin sees
 * the structs of the model as they are, so that it has to be built with the headers of the program
 * that loads it: `abi` says what hooks mean, and is raised by hand when that changes; `layout` follows
 * from the sizes of the structs by itself. One that does not match is refused. */
#ifndef SCHED_PLUGIN_MODULE_H
#define SCHED_PLUGIN_MODULE_H

#include <stdint.h>

#include "sched/evict/evict.h"
#include "sched/evict/eviction_estimate.h"
#include "sched/plugin/plugin.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

enum { PLUGIN_ABI = 2 };

/* Sizes of what plugins look into; each counts differently, so that two changes do not cancel out. */
#define PLUGIN_LAYOUT                                                                              \
	((uint64_t)sizeof(struct plugin_type) + 17 * sizeof(struct filter_row) +                   \
	 257 * sizeof(struct score_row) + 3 * sizeof(struct plugin) + 7 * sizeof(struct session) + \
	 31 * sizeof(struct cluster) + 127 * sizeof(struct job) + 509 * sizeof(struct task) +      \
	 1021 * sizeof(struct class) + 2039 * sizeof(struct node_info) +                           \
	 4093 * sizeof(struct queue_info) + 8191 * sizeof(struct columns) +                        \
	 16381 * sizeof(struct reason) + 32749 * sizeof(struct terms) +                            \
	 65521 * sizeof(struct resources))

struct plugin_module {
	uint32_t size; /* of this struct; first, for all time */
	uint32_t abi;
	uint64_t layout;
	const struct plugin_type *type;
};

/* What a shared object shows. */
#define PLUGIN_SYMBOL "volcano_plugin"
#define PLUGIN_MODULE(plugin)                                                                  \
	extern const struct plugin_module volcano_plugin;                                      \
	const struct plugin_module volcano_plugin = {sizeof(struct plugin_module), PLUGIN_ABI, \
						     PLUGIN_LAYOUT, &(plugin)}

#endif
