/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/job_plugins.h - the plugins that a Job may name in spec.plugins.
 *
 * The one list of their names: admission accepts these and adds the plugins that they need, lifecycle/ has
 * a file for each. They run in this order, whatever the order in the job: hcclrank reads what pytorch has
 * set. To add one: its row here, and lifecycle/plugin/<name>.c with a `const struct plugin plugin_<name>`. */
#ifndef MODEL_JOB_PLUGINS_H
#define MODEL_JOB_PLUGINS_H

#include <stddef.h>

#include "base/macro.h"
#include "base/str.h"

/* Plugins that a plugin needs: admission adds those that the job does not name. */
enum { JOB_PLUGIN_ALONE = 0, JOB_PLUGIN_NEEDS_SVC = 1 << 0, JOB_PLUGIN_NEEDS_SSH = 1 << 1 };

#define JOB_PLUGINS(row) \
	ROWS( \
	row(env, JOB_PLUGIN_ALONE) \
	row(svc, JOB_PLUGIN_ALONE) \
	row(ssh, JOB_PLUGIN_ALONE) \
	row(tensorflow, JOB_PLUGIN_NEEDS_SVC) \
	row(pytorch, JOB_PLUGIN_NEEDS_SVC) \
	row(mpi, JOB_PLUGIN_NEEDS_SVC | JOB_PLUGIN_NEEDS_SSH) \
	row(ray, JOB_PLUGIN_NEEDS_SVC) \
	row(hcclrank, JOB_PLUGIN_ALONE))

struct job_plugin {
	const char *name;
	unsigned needs; /* JOB_PLUGIN_NEEDS_* */
};

/* The plugin of this name, or NULL. */
const struct job_plugin *job_plugin_find(struct str name);

#endif
