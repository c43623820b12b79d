/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent_groups.c - what the control groups of the agent's pods tell: what they use, and whether the kernel
 * has killed for want of memory.
 *
 * A container keeps its group over its runs, and so the count of kills: only more than were known are of this
 * run. */
#include "base/mem.h"
#include "node/agent_internal.h"
#include "node/cgroup.h"

#include "base/banned.h"

bool agent_room_has_cgroup(const struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++) {
		struct json wants = json_get(agent_container(pod, i), "resources");

		if (json_len(json_get(wants, "requests")) || json_len(json_get(wants, "limits")))
			return true;
	}
	return false;
}

/* One that is alone is in the pod's own, which saves half of what they cost. */
struct cgroup_path agent_room_group(const struct agent_pod *pod, const char *node, const char *name)
{
	return (struct cgroup_path){.node = node,
				    .pod = pod->uid,
				    .container = pod->life->n_containers > 1 ? name : NULL};
}

void agent_room_use(const struct agent_room *home, const struct agent_pod *pod,
		    struct str container, struct cgroup_use *ret)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");
	AUTO(mem_free) char *node = str_dup(json_str(json_get(spec, "nodeName")));
	AUTO(mem_free) char *name = container.len ? str_dup(container) : NULL;
	struct cgroup_path path = agent_room_group(pod, node, name);

	*ret = (struct cgroup_use){-1, -1, -1, -1, -1};
	if (pod->has_cgroup)
		cgroup_use(agent_room_groups(home), &path, ret);
}

/* How many processes of a container the kernel has killed for want of memory; less than 0: not known. */
static int64_t kills_of(const struct agent_room *home, const struct agent_pod *pod,
			struct str container)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");
	AUTO(mem_free) char *node = str_dup(json_str(json_get(spec, "nodeName")));
	AUTO(mem_free) char *name = str_dup(container);
	struct cgroup_path path = agent_room_group(pod, node, name);

	return pod->has_cgroup ? cgroup_oom_kills(agent_room_groups(home), &path) : -1;
}

/* Kills that the kernel has counted before the runs of now began are not theirs. */
void agent_room_adopt(struct agent_room *home, struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++) {
		struct str name = json_str(json_get(agent_container(pod, i), "name"));
		const struct record *record = &pod->life->containers[i].record;
		int64_t kills;

		if (record->state != RECORD_RUNNING || record->run == 0)
			continue;
		kills = kills_of(home, pod, name);
		pod->oom_kills[i] = kills > 0 ? kills : 0;
	}
	agent_network_adopt(agent_room_network(home), pod);
}

bool agent_room_ran_out(struct agent_room *home, struct agent_pod *pod, size_t container,
			struct str name)
{
	int64_t kills = kills_of(home, pod, name);

	if (kills <= pod->oom_kills[container])
		return false;
	pod->oom_kills[container] = kills;
	return true;
}
