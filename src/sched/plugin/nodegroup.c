/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/nodegroup.c - queues that keep to groups of nodes (scheduler specification, 6.14).
 *
 * A node is of the group that its label says; a queue names groups that it must, or would rather, or
 * would rather not be on. With enableHierarchy a queue that says nothing has what the nearest queue
 * above it says. Groups are labels, so that a node's profile decides; what the queue says is the key of
 * the rows, by its content, so that nodes are looked at again when it changes. A refusal names its cause: the label, the queue that names no group, or the
 * groups that it names. */
#include "base/hash.h"
#include "base/mem.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define GROUP_LABEL "volcano.sh/nodegroup-name"

struct nodegroup {
	bool strict;
	bool ordered;   /* the first of the preferred groups counts most */
	uint32_t label; /* symbol of the label; SYMBOL_NONE: no node has it */
};

static const double in_required = 100, in_preferred = 50, in_avoided = -1;

static int nodegroup_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct nodegroup *n = mem_new(struct nodegroup);

	(void)err;
	n->strict = args_bool(args, "strict", true);
	n->ordered = args_bool(args, "enablePreferredOrder", false);
	p->state = n;
	return 0;
}

static void nodegroup_free(struct plugin *p)
{
	mem_free(p->state);
}

static void nodegroup_open(struct plugin *p)
{
	struct nodegroup *n = p->state;

	n->label = symbols_find(p->ssn->cluster->symbols, STR(GROUP_LABEL));
}

/* Is it of a group at all? Its name may be empty. */
static bool has_group(const struct plugin *p, const struct node_info *node)
{
	const struct nodegroup *n = p->state;

	return n->label && label_set_has(node->labels, n->label);
}

/* The name of a node's group; none without the label. */
static struct str group_of(const struct plugin *p, const struct node_info *node)
{
	const struct nodegroup *n = p->state;
	uint32_t group = n->label ? label_set_get(node->labels, n->label) : SYMBOL_NONE;

	return group ? symbols_text(p->ssn->cluster->symbols, group) : str_none();
}

/* What a queue says about groups, or the nearest one above it; NULL: nothing. */
static const struct queue_affinity *affinity_of(const struct plugin *p, const struct task *task)
{
	const struct queue_info *queue = task->job ? task->job->queue : NULL;

	for (; queue; queue = queue->parent) {
		if (queue->view && queue->view->spec.affinity)
			return queue->view->spec.affinity;
		if (!plugin_is_on(p, SWITCH_HIERARCHY))
			break;
	}
	return NULL;
}

static bool names_any(const struct queue_group_terms *terms)
{
	return terms && (terms->required.len || terms->preferred.len);
}

static uint64_t hash_groups(const struct strs *groups, uint64_t seed)
{
	for (size_t i = 0; i < groups->len; i++)
		seed = hash_str(groups->ptr[i], seed + i + 1);
	return seed;
}

static uint64_t nodegroup_key(const struct plugin *p, const struct task *task)
{
	const struct queue_affinity *affinity = affinity_of(p, task);
	const struct queue_group_terms *sides[] = {affinity ? affinity->node_group_affinity : NULL,
						   affinity ? affinity->node_group_anti_affinity
							    : NULL};
	uint64_t key = 1;

	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		if (!sides[i])
			continue;
		key = hash_groups(&sides[i]->required, key * 2 + i);
		key = hash_groups(&sides[i]->preferred, key * 2 + i);
	}
	return key;
}

static bool lists(const struct strs *groups, struct str group)
{
	for (size_t i = 0; i < groups->len; i++)
		if (str_eq(groups->ptr[i], group))
			return true;
	return false;
}

/* --- filter ---------------------------------------------------------------------------------- */

static bool allows(const struct queue_affinity *affinity, struct str group)
{
	const struct queue_group_terms *near = affinity->node_group_affinity;
	const struct queue_group_terms *far = affinity->node_group_anti_affinity;

	/* What it would rather not use it may use, even if it has to avoid it as well. */
	if (far && lists(&far->preferred, group))
		return true;
	if (far && lists(&far->required, group))
		return false;
	return near && (lists(&near->required, group) || lists(&near->preferred, group));
}

static verdict nodegroup_test(const struct plugin *p, const struct task *task,
			      const struct node_info *node)
{
	const struct nodegroup *n = p->state;
	const struct queue_affinity *affinity = affinity_of(p, task);
	struct str group = group_of(p, node);
	bool unset = !affinity || (!names_any(affinity->node_group_affinity) &&
				   !names_any(affinity->node_group_anti_affinity));

	if (!has_group(p, node))
		return unset && !n->strict ? 0 : VERDICT(FIT_GROUP_LABEL);
	if (unset)
		return VERDICT(FIT_GROUP_UNSET);
	return allows(affinity, group) ? 0 : VERDICT(FIT_GROUP_MISMATCH);
}

/* --- score ----------------------------------------------------------------------------------- */

/* 1, or where order matters less the later it is in the list; 0: not in it. A name that is there
 * twice counts once, at its last place. */
static double rank_in(const struct strs *groups, struct str group, bool ordered)
{
	size_t names = 0, at = 0;
	bool found = false;

	if (!ordered)
		return lists(groups, group);
	for (size_t i = 0; i < groups->len; i++) {
		const struct strs before = {.ptr = groups->ptr, .len = i};

		names += !lists(&before, groups->ptr[i]);
		if (str_eq(groups->ptr[i], group)) {
			found = true;
			at = i;
		}
	}
	return found ? ((double)names - (double)at) / (double)names : 0;
}

static double nodegroup_score(const struct plugin *p, const struct task *task,
			      const struct node_info *node)
{
	const struct nodegroup *n = p->state;
	const struct queue_affinity *affinity = affinity_of(p, task);
	const struct queue_group_terms *near = affinity ? affinity->node_group_affinity : NULL;
	const struct queue_group_terms *far = affinity ? affinity->node_group_anti_affinity : NULL;
	struct str group = group_of(p, node);
	double score = 0;

	if (!has_group(p, node))
		return 0;
	if (far && lists(&far->preferred, group))
		return in_avoided;
	if (near && lists(&near->required, group))
		score += in_required;
	if (near)
		score += in_preferred * rank_in(&near->preferred, group, n->ordered);
	return score;
}

static const struct filter_row nodegroup_filters[] = {
	{.name = "nodegroup", .scope = SCOPE_PROFILE, .key = nodegroup_key, .test = nodegroup_test},
	{.name = NULL},
};

static const struct score_row nodegroup_scores[] = {
	{.name = "nodegroup",
	 .scope = SCOPE_PROFILE,
	 .key = nodegroup_key,
	 .score = nodegroup_score},
	{.name = NULL},
};

const struct plugin_type nodegroup_plugin = {
	.name = "nodegroup",
	.alike = true,
	.new = nodegroup_new,
	.free = nodegroup_free,
	.open = nodegroup_open,
	.filters = nodegroup_filters,
	.scores = nodegroup_scores,
};
