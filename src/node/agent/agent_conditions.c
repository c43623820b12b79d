/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_conditions.c - what the machine permits, as conditions of its nodes.
 *
 * One condition per feature: True if pods have it, otherwise with a sentence that says what that means for pods. */
#include <string.h>

#include "node/agent/agent_internal.h"
#include "node/machine/cgroup.h"
#include "node/machine/machine.h"

#include "base/banned.h"

void agent_sandboxes_conditions(const struct agent_sandboxes *self,
				struct pressure_condition ret[AGENT_SANDBOX_CONDITIONS])
{
	static const struct pressure_condition fine[AGENT_SANDBOX_CONDITIONS] = {
		{"PodIsolation", "True", "Namespaces", "pods do not see each other's files"},
		{"PodNetwork", "True", "Bridge",
		 "pods that others are meant to reach have a network of their own"},
		{"PodLimits", "True", "ControlGroups",
		 "requests and limits of cpu and memory are kept"},
	};
	static const enum machine_lacks_what rows[] = {MACHINE_LACKS_ISOLATION,
						       MACHINE_LACKS_NETWORK};
	const struct agent_network *bridge = agent_sandboxes_network(self);
	const char *network = agent_network_lacks(bridge);
	const char *limits = cgroup_lacks(agent_sandboxes_groups(self));
	struct machine_lacks lacks[MACHINE_LACKS_MAX];
	size_t count = machine_lacks(agent_sandboxes_machine(self), lacks);

	memcpy(ret, fine, sizeof(fine));
	if (network) /* on a bridge without a route out, or on none */
		ret[1] = (struct pressure_condition){
			"PodNetwork", agent_network_has_bridge(bridge) ? "True" : "False",
			agent_network_has_bridge(bridge) ? "NoWayOut" : "NoBridge", network};
	if (limits)
		ret[2] = (struct pressure_condition){"PodLimits", "False", "NoControlGroups",
						     limits};
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < ARRAY_LEN(rows); k++)
			if (lacks[i].what == rows[k])
				ret[k] = (struct pressure_condition){
					ret[k].type, "False", lacks[i].reason, lacks[i].message};
}

const char *agent_lacks(const struct agent *agent, size_t index)
{
	struct pressure_condition all[AGENT_SANDBOX_CONDITIONS];

	agent_sandboxes_conditions(agent->sandboxes, all);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (strcmp(all[i].status, "False") == 0 && index-- == 0)
			return all[i].message;
	return NULL;
}
