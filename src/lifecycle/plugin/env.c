/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/env.c - sets the index of the pod in its task as a variable of every container.
 *
 * Not in upstream: `--array-id NAMES --array-first F --array-step S` adds variables with F + S * index, so that
 * an element of an array has its number without a shell that computes it. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

struct env_args {
	struct str names; /* with commas between; none: no numbers */
	int64_t first;
	int64_t step;
};

static struct env_args read_args(const struct plugin_run *run)
{
	struct env_args args = {.step = 1};
	const struct plugin_arg flags[] = {
		{"array-id", PLUGIN_ARG_TEXT, &args.names},
		{"array-first", PLUGIN_ARG_NUMBER, &args.first},
		{"array-step", PLUGIN_ARG_NUMBER, &args.step},
	};

	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	return args;
}

static int env_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct env_args args = read_args(run);
	struct plugin_walk walk = {.init = true};
	AUTO(buf_done) struct buf index = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf number = BUF_UNBOUNDED;

	(void)err;
	buf_put_int(&index, pod->index);
	buf_put_int(&number,
		    (int64_t)((uint64_t)args.first + (uint64_t)args.step * (uint64_t)pod->index));
	while (plugin_container(pod, &walk)) {
		struct str rest = args.names;
		struct str name;

		plugin_add_env(pod->doc, walk.container, STR("VK_TASK_INDEX"), buf_str(&index));
		plugin_add_env(pod->doc, walk.container, STR("VC_TASK_INDEX"), buf_str(&index));
		while (rest.len && str_split(&rest, ',', &name))
			plugin_add_env(pod->doc, walk.container, name, buf_str(&number));
	}
	return 0;
}

const struct plugin plugin_env = {
	.pod = env_pod,
};
