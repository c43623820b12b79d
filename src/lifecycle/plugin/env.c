/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/env.c - tells every container which of its task's pods it is in. */
#include "lifecycle/plugin.h"

#include "base/banned.h"

static int env_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct plugin_walk walk = {.init = true};
	AUTO(buf_done) struct buf index = BUF_UNBOUNDED;

	(void)run;
	(void)err;
	buf_put_int(&index, pod->index);
	while (plugin_container(pod, &walk)) {
		plugin_add_env(pod->doc, walk.container, STR("VK_TASK_INDEX"), buf_str(&index));
		plugin_add_env(pod->doc, walk.container, STR("VC_TASK_INDEX"), buf_str(&index));
	}
	return 0;
}

const struct plugin plugin_env = {
	.name = "env",
	.pod = env_pod,
};
