/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/job_plugins.c - see job_plugins.h. */
#include "model/volcano/job_plugins.h"

#include "base/macro.h"

#include "base/banned.h"

#define JOB_PLUGIN_ROW(name, needs) {#name, needs},
static const struct job_plugin plugins[] = {JOB_PLUGINS(JOB_PLUGIN_ROW)};

const struct job_plugin *job_plugin_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(plugins); i++)
		if (str_is(name, plugins[i].name))
			return &plugins[i];
	return NULL;
}
