/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_groups.c - the control groups of the agent's pods: made, passed to supervisors, removed; what
 * they use, and whether the kernel has killed a process because memory was short.
 *
 * A pod of one container has one group, which its supervisor makes and removes; the agent does that for pods of
 * several containers, and if a supervisor was killed. A container keeps its group over its runs, and with it the
 * count of kills: only kills that were not counted before belong to the current run. */
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "node/agent/agent_internal.h"
#include "node/machine/cgroup.h"
#include "pod/pod_plan.h"

#include "base/banned.h"

static bool asks_for_anything(const struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++) {
		struct json wants = json_get(agent_container(pod, i), "resources");

		if (json_len(json_get(wants, "requests")) || json_len(json_get(wants, "limits")))
			return true;
	}
	return false;
}

static char *node_of(const struct agent_pod *pod)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");

	return str_dup(json_str(json_get(spec, "nodeName")));
}

/* The group of a container. A single container uses the group of the pod, which halves the cost. */
static struct cgroup_path path_of(const struct agent_pod *pod, const char *node, const char *name)
{
	return (struct cgroup_path){.node = node,
				    .pod = pod->uid,
				    .container = pod->life->n_containers > 1 ? name : NULL};
}

bool agent_groups_wanted(const struct cgroup_tree *tree, const struct agent_pod *pod)
{
	return asks_for_anything(pod) || cgroup_has(tree, CGROUP_PIDS);
}

int agent_groups_make(struct cgroup_tree *tree, struct agent_pod *pod, const struct pod *view,
		      int64_t processes, struct err *err)
{
	AUTO(mem_free) char *node = node_of(pod);
	struct cgroup_path path = {.node = node, .pod = pod->uid};
	struct cgroup_limits limits = cgroup_limits_of_pod(view, processes);

	limits.bare = !asks_for_anything(pod);
	pod->has_cgroup = !limits.bare || (processes && cgroup_has(tree, CGROUP_PIDS));
	if (!pod->has_cgroup || pod->life->n_containers == 1)
		return 0;
	if (cgroup_make(tree, &path, &limits, err) < 0)
		return err_wrap(err, "control group");
	return 0;
}

/* A pod without requests has only some of the groups. */
static void keep_made(struct arena *arena, struct plan_container *container)
{
	const char **list = arena_calloc(arena, container->n_cgroups + 1, sizeof(*list));
	size_t len = 0;

	for (size_t i = 0; i < container->n_cgroups; i++)
		if (access(container->cgroups[i], F_OK) == 0)
			list[len++] = container->cgroups[i];
	container->cgroups = list;
	container->n_cgroups = len;
}

int agent_groups_plan(struct cgroup_tree *tree, const struct agent_pod *pod,
		      const struct cgroup_limits *limits, struct arena *arena,
		      struct plan_container *ret, struct err *err)
{
	AUTO(mem_free) char *node = node_of(pod);
	struct cgroup_path path = path_of(pod, node, ret->name);
	struct cgroup_limits own = *limits;
	struct cgroup_work work;

	own.bare = !asks_for_anything(pod);
	if (!path.container && cgroup_describe(tree, &path, &own, arena, &work)) {
		ret->group_folders = work.folders;
		ret->n_group_folders = work.n_folders;
		ret->group_values = work.values;
		ret->n_group_values = work.n_values;
		ret->cgroups = work.procs;
		ret->n_cgroups = work.n_procs;
		return 0;
	}
	if (cgroup_make(tree, &path, &own, err) < 0)
		return err_wrap(err, "control group");
	ret->n_cgroups = cgroup_procs(tree, &path, arena, &ret->cgroups);
	if (own.bare)
		keep_made(arena, ret);
	return 0;
}

/* Of a pod that is no longer known. */
static bool remove_orphaned(const struct cgroup_tree *tree, const struct agent_pod *pod)
{
	struct err err;

	if (cgroup_remove_pod(tree, pod->uid, &err) == 0)
		return true;
	log_debug(pod->agent->log, "control groups stay", LOG_STR("error", err.text));
	return false;
}

void agent_groups_kill(const struct cgroup_tree *tree, const struct agent_pod *pod)
{
	AUTO(mem_free) char *node = node_of(pod);

	if (pod->has_cgroup && *node)
		(void)cgroup_kill(tree, &(struct cgroup_path){.node = node, .pod = pod->uid});
}

/* Groups of containers are removed by name. Other groups exist only if a container has made some, and processes
 * only if the pod's supervisor was killed. */
bool agent_groups_remove(const struct cgroup_tree *tree, struct agent_pod *pod)
{
	AUTO(mem_free) char *node = node_of(pod);
	struct cgroup_path path = {.node = node, .pod = pod->uid};
	struct err err;

	if (!*node)
		return remove_orphaned(tree, pod);
	if (!pod->has_cgroup)
		return true;
	for (size_t i = 0; pod->life->n_containers > 1 && i < pod->life->n_containers; i++) {
		AUTO(mem_free)
		char *name = str_dup(json_str(json_get(agent_container(pod, i), "name")));
		struct cgroup_path below = path_of(pod, node, name);

		if (cgroup_remove(tree, &below, &err) < 0)
			break;
	}
	if (cgroup_remove(tree, &path, &err) < 0) {
		(void)cgroup_kill(tree, &path);
		if (cgroup_remove(tree, &path, &err) < 0) {
			log_debug(pod->agent->log, "a control group stays",
				  LOG_STR("error", err.text));
			return false;
		}
	}
	pod->has_cgroup = false;
	return true;
}

void agent_groups_use(const struct cgroup_tree *tree, const struct agent_pod *pod,
		      struct str container, struct cgroup_use *ret)
{
	AUTO(mem_free) char *node = node_of(pod);
	AUTO(mem_free) char *name = container.len ? str_dup(container) : NULL;
	struct cgroup_path path = path_of(pod, node, name);

	*ret = (struct cgroup_use){-1, -1, -1, -1, -1};
	if (pod->has_cgroup)
		cgroup_use(tree, &path, ret);
}

/* How many processes of a container the kernel has killed because memory was short; < 0: unknown. */
static int64_t kills_of(const struct cgroup_tree *tree, const struct agent_pod *pod,
			struct str container)
{
	AUTO(mem_free) char *node = node_of(pod);
	AUTO(mem_free) char *name = str_dup(container);
	struct cgroup_path path = path_of(pod, node, name);

	return pod->has_cgroup ? cgroup_oom_kills(tree, &path) : -1;
}

/* Kills that the kernel counted before the current runs began do not belong to them. */
void agent_groups_adopt(const struct cgroup_tree *tree, struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++) {
		struct str name = json_str(json_get(agent_container(pod, i), "name"));
		const struct record *record = &pod->life->containers[i].record;
		int64_t kills;

		if (record->state != RECORD_RUNNING || record->run == 0)
			continue;
		kills = kills_of(tree, pod, name);
		pod->oom_kills[i] = kills > 0 ? kills : 0;
	}
}

bool agent_groups_ran_out(const struct cgroup_tree *tree, struct agent_pod *pod, size_t container,
			  struct str name)
{
	int64_t kills = kills_of(tree, pod, name);

	if (kills <= pod->oom_kills[container])
		return false;
	pod->oom_kills[container] = kills;
	return true;
}
