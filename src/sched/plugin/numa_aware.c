/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/numa_aware.c - Guaranteed pods go where the kubelet can give them CPUs as the topology policy wants
 * (scheduler specification, 6.20; additions, part 2).
 *
 * A node whose CPU manager is static and whose topology policy is not none decides for every Guaranteed pod; one that
 * names a policy goes only to nodes of that policy. What is known of nodes, and which CPUs pods have, is the model's
 * (place/numa.h); here are the hooks. Among nodes that take a pod with a policy, those come first on which its CPUs are
 * of fewer NUMA nodes. A refusal that would hold on an empty node is final; another one may be cured by eviction. */
#include "base/mem.h"
#include "sched/place/numa.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct numa_aware {
	double weight;
};

static int numa_aware_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct numa_aware *n = mem_new(struct numa_aware);

	(void)err;
	n->weight = (double)args_int(args, "weight", 1);
	p->state = n;
	return 0;
}

static void numa_aware_free(struct plugin *p)
{
	mem_free(p->state);
}

static void numa_aware_open(struct plugin *p)
{
	numa_tidy(p->ssn->cluster);
}

static bool is_guaranteed(const struct plugin *p, const struct task *task)
{
	(void)p;
	return task->class->cpu_ask;
}

static bool has_policy(const struct plugin *p, const struct task *task)
{
	return is_guaranteed(p, task) && numa_policy_of(task).len;
}

static char *text_of(const struct task *task, const struct node_info *node,
		     const struct numa_look *look)
{
	switch (look->answer) {
	case NUMA_NO_INFO:
		return mem_strdup("numa info is empty");
	case NUMA_NOT_STATIC:
		return mem_strdup("cpu manager policy isn't static");
	case NUMA_OTHER_POLICY:
		return mem_printf("task topology policy[%.*s] is different with node[%.*s]",
				  STR_ARG(numa_policy_of(task)),
				  STR_ARG(numa_policy_of_node(node)));
	case NUMA_NO_CPUS:
		return mem_strdup("cpu allocatable map is empty");
	default:
		return mem_printf("container %s cannot be assigned by numa",
				  task->class->cpu_ask->at[look->container].name);
	}
}

static verdict numa_test(const struct plugin *p, const struct task *task,
			 const struct node_info *node)
{
	struct numa_look look = numa_look(p->ssn->cluster, task, node);
	AUTO(mem_free) char *text = NULL;

	if (look.answer == NUMA_PASSES || look.answer == NUMA_ASSIGNS)
		return 0;
	text = text_of(task, node, &look);
	return VERDICT_OF(look.final ? FIT_OTHER : FIT_NUMA, session_text(p->ssn, text));
}

static double numa_score(const struct plugin *p, const struct task *task,
			 const struct node_info *node)
{
	return numa_look(p->ssn->cluster, task, node).numas;
}

static double numa_weight(const struct plugin *p)
{
	return ((const struct numa_aware *)p->state)->weight;
}

static int numa_placed(const struct plugin *p, struct task *task)
{
	return numa_place(p->ssn->cluster, task);
}

static void numa_unplaced(const struct plugin *p, struct task *task)
{
	numa_unplace(p->ssn->cluster, task);
}

static const struct filter_row numa_filters[] = {
	{.name = "numa", .scope = SCOPE_NODE, .applies = is_guaranteed, .test = numa_test},
	{.name = NULL},
};

static const struct score_row numa_scores[] = {
	{.name = "numa",
	 .scope = SCOPE_NODE,
	 .normalise = NORMALISE_DOWN,
	 .applies = has_policy,
	 .weight = numa_weight,
	 .score = numa_score},
	{.name = NULL},
};

const struct plugin_type numa_aware_plugin = {
	.name = "numa-aware",
	.alike = true,
	.new = numa_aware_new,
	.free = numa_aware_free,
	.open = numa_aware_open,
	.filters = numa_filters,
	.scores = numa_scores,
	.placed = numa_placed,
	.unplaced = numa_unplaced,
};
