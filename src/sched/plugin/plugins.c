/* SPDX-License-Identifier: Apache-2.0 */
/* sched/test/plugins.c - finds plugins by name: the built-in ones, which plugin_rows.h lists. */
#include <stddef.h>

#include "base/macro.h"
#include "sched/plugin/plugin_rows.h"

#include "base/banned.h"

#define PLUGIN_ADDRESS(name) &name##_plugin,
static const struct plugin_type *const plugins[] = {PLUGINS(PLUGIN_ADDRESS)};

const struct plugin_type *plugin_type_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(plugins); i++)
		if (str_is(name, plugins[i]->name))
			return plugins[i];
	return NULL;
}
