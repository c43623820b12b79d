/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects that are no plugins of this program, each in its own way: WRONG_ABI, WRONG_LAYOUT,
 * WRONG_NAME; or that show nothing at all. For plugin_dir.c. */
#include "sched/plugin/plugin_module.h"

#include "base/banned.h"

#ifdef WRONG_NAME
static const struct plugin_type wrong = {.name = WRONG_NAME};
PLUGIN_MODULE(wrong);
#endif
#if defined(WRONG_ABI) || defined(WRONG_LAYOUT)
#ifndef WRONG_ABI
#define WRONG_ABI PLUGIN_ABI
#endif
#ifndef WRONG_LAYOUT
#define WRONG_LAYOUT 0
#endif
static const struct plugin_type wrong = {.name = "wrong"};
extern const struct plugin_module volcano_plugin;
const struct plugin_module volcano_plugin = {sizeof(struct plugin_module), WRONG_ABI,
					     PLUGIN_LAYOUT + WRONG_LAYOUT, &wrong};
#endif
extern const int plugin_wrong; /* a file needs something */
const int plugin_wrong = 1;
