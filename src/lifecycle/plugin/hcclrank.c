/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/hcclrank.c - the rank of a pod among those that talk over HCCL, as an annotation.
 *
 * An existing annotation wins, then the variable RANK of its containers (which pytorch sets), then
 * the position of the pod among masters and workers. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

#define RANK_KEY "hccl/rankIndex"

static struct str find_rank(const struct plugin_pod *pod)
{
	struct plugin_walk walk = {.init = false};

	while (plugin_container(pod, &walk)) {
		struct json_iter it = json_iter(json_get(walk.container, "env"));

		while (json_next(&it))
			if (str_is(json_str(json_get(it.value, "name")), "RANK"))
				return json_str(json_get(it.value, "value"));
	}
	return str_none();
}

static int hcclrank_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct str names[2] = {STR("master"), STR("worker")};
	const struct plugin_arg flags[] = {
		{"master", PLUGIN_ARG_TEXT, &names[0]},
		{"worker", PLUGIN_ARG_TEXT, &names[1]},
	};
	struct json annotations = json_ensure_obj(pod->doc, pod->meta, "annotations");
	struct str rank = find_rank(pod);
	const struct vcjob_task *master;
	int32_t first = 0;

	(void)err;
	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	if (json_str(json_get(annotations, RANK_KEY)).len > 0)
		return 0;
	if (rank.len > 0) {
		json_set_str(pod->doc, annotations, RANK_KEY, rank);
		return 0;
	}
	master = plugin_task(run->job, names[0]);
	if (pod->task != master && str_eq(pod->task->name, names[1]))
		first = master ? master->replicas : 0;
	else if (pod->task != master)
		return 0;
	json_set(pod->doc, annotations, STR(RANK_KEY),
		 json_new_printf(pod->doc, "%d", first + pod->index));
	return 0;
}

const struct plugin plugin_hcclrank = {
	.unmarked = true,
	.pod = hcclrank_pod,
};
