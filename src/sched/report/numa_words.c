/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/numa_words.c - why nodes that have the capacity do not give a pod its CPUs, in words. Refusals that no
 * eviction cures are texts of the plugin (look_say_other). */
#include "sched/cluster/cluster.h"
#include "sched/place/numa.h"
#include "sched/report/message.h"
#include "sched/report/node_look.h"

#include "base/banned.h"

static const char *how(struct str policy)
{
	if (str_is(policy, numa_policy_names[NUMA_POLICY_SINGLE_NODE]))
		return "from one NUMA node";
	if (str_is(policy, numa_policy_names[NUMA_POLICY_RESTRICTED]))
		return "from as few NUMA nodes as could hold them";
	return "as its topology policy wants";
}

void look_say_numa(struct look *l)
{
	const struct cpu_ask *ask = l->task->class->cpu_ask;
	struct str policy = numa_policy_of(l->task);
	struct message *m = l->m;
	uint32_t most = 0;

	for (size_t i = 0; ask && i < ask->count; i++)
		if (ask->at[i].cpus > most)
			most = ask->at[i].cpus;
	look_put_nodes(l, &m->text);
	buf_printf(&m->text, " cannot give a container its %u CPU%s %s", most, most == 1 ? "" : "s",
		   how(policy));
	if (policy.len)
		buf_printf(&m->text, " (policy %.*s)", STR_ARG(policy));
	buf_puts(&m->text, ": too few are free together");
	buf_puts(&m->brief, "free CPUs are spread over NUMA nodes");
	buf_puts(&m->advice, "Wait for pods with CPUs of their own to end, ask for fewer CPUs, or "
			     "use the policy best-effort");
}
