/* SPDX-License-Identifier: Apache-2.0 */
/* node-prefix - a plugin of the scheduler in a shared object, to begin from.
 *
 * Nodes whose names begin with a prefix are taken first; with `only` no others are taken at all:
 *
 *	- name: node-prefix
 *	  arguments: {prefix: big-, weight: 10, only: false}
 *
 * Build it, put it into a folder, and name the folder:
 *
 *	cc -std=gnu17 -D_GNU_SOURCE -fPIC -shared -Isrc -o plugins/node-prefix.so \
 *		examples/plugin/node-prefix.c
 *	volcano up --plugins-dir plugins --scheduler-conf conf.yaml
 *
 * HACKING.md and src/sched/plugin/plugin.h say what else a plugin can decide. */
#include "base/mem.h"
#include "sched/plugin/plugin_module.h"

#include "base/banned.h"

struct prefix {
	char *text;
	int64_t weight;
	bool only;
};

/* Once for each configuration that names the plugin. */
static int prefix_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct prefix *prefix = mem_new(struct prefix);
	struct str text = args_str(args, "prefix", str_none());

	p->state = prefix;
	prefix->weight = args_int(args, "weight", 1);
	prefix->only = args_bool(args, "only", false);
	if (!text.len)
		return err_set(err, ERR_INVALID, "argument prefix: is missing");
	prefix->text = str_dup(text);
	return 0;
}

static void prefix_free(struct plugin *p)
{
	struct prefix *prefix = p->state;

	if (prefix)
		mem_free(prefix->text);
	mem_free(prefix);
}

static bool has_prefix(const struct plugin *p, const struct node_info *node)
{
	const struct prefix *prefix = p->state;

	return str_starts(node->text, str_from(prefix->text));
}

static verdict prefix_test(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	const struct prefix *prefix = p->state;

	(void)task;
	if (!prefix->only || has_prefix(p, node))
		return 0;
	return VERDICT_OF(FIT_OTHER, session_text(p->ssn, "node(s) had another prefix"));
}

static double prefix_weight(const struct plugin *p)
{
	return (double)((const struct prefix *)p->state)->weight;
}

static double prefix_score(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	static const double top = 100;

	(void)task;
	return has_prefix(p, node) ? top : 0;
}

/* What a node's name decides is decided by the node alone: SCOPE_NODE, and asked once a node. */
static const struct filter_row prefix_filters[] = {
	{.name = "node-prefix", .scope = SCOPE_NODE, .test = prefix_test},
	{.name = NULL},
};

static const struct score_row prefix_scores[] = {
	{.name = "node-prefix",
	 .scope = SCOPE_NODE,
	 .weight = prefix_weight,
	 .score = prefix_score},
	{.name = NULL},
};

static const struct plugin_type prefix_plugin = {
	.name = "node-prefix",
	.new = prefix_new,
	.free = prefix_free,
	.filters = prefix_filters,
	.scores = prefix_scores,
};
PLUGIN_MODULE(prefix_plugin);
