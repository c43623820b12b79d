/* SPDX-License-Identifier: Apache-2.0 */
/* cli/queue_bars.c - see queue_bars.h.
 *
 * A queue may use up to its capability, else as much as the queue above it; its share is what it
 * deserves, else what its weight gives it among its siblings. A bar shows use within the first, and
 * the mark in it the second. What the queues below a queue use counts for it, too. Queues that name
 * one another as parents in a ring stand at the top, so that each is shown, once. */
#include "cli/queue_bars.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/vec.h"
#include "cli/amounts.h"
#include "cli/bar.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum { BAR_WIDTH = 24, DEPTH_MAX = 16 };

struct branch {
	struct json queue;
	struct str name;
	struct str parent;
	int64_t weight;
	struct branch *above; /* NULL: at the top */
	struct amounts used;
	struct amounts capability;
	struct amounts guarantee;
	struct amounts deserved;
	bool shown;
};

struct tree {
	const struct queue_tree_facts *facts;
	struct branch *branches;
	size_t count;
	struct amounts cluster;
	size_t width; /* of the first column */
};

/* --- reading ------------------------------------------------------------------------------------ */

static struct json spec(const struct branch *branch, const char *key)
{
	return json_get(json_get(branch->queue, "spec"), key);
}

static int compare(const void *left, const void *right)
{
	const struct branch *a = left;
	const struct branch *b = right;

	return str_cmp(a->name, b->name);
}

static void read_branch(struct branch *branch, struct json queue)
{
	branch->queue = queue;
	branch->name = meta_name(queue);
	branch->parent = json_str(spec(branch, "parent"));
	if (!branch->parent.len && !str_is(branch->name, "root"))
		branch->parent = STR("root");
	branch->weight = json_int(spec(branch, "weight"));
	amounts_add_list(&branch->used, json_get(json_get(queue, "status"), "allocated"));
	amounts_add_list(&branch->capability, spec(branch, "capability"));
	amounts_add_list(&branch->guarantee, json_get(spec(branch, "guarantee"), "resource"));
	amounts_add_list(&branch->deserved, spec(branch, "deserved"));
}

static bool is_below(const struct branch *branch, const struct branch *of)
{
	size_t depth = 0;

	for (; branch && depth++ < DEPTH_MAX; branch = branch->above)
		if (branch == of)
			return true;
	return branch != NULL;
}

static void link_branches(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct branch *branch = &tree->branches[i];

		for (size_t j = 0; j < tree->count; j++)
			if (str_eq(branch->parent, tree->branches[j].name) &&
			    !is_below(&tree->branches[j], branch))
				branch->above = &tree->branches[j];
	}
}

static size_t depth_of(const struct branch *branch)
{
	size_t depth = 0;

	for (; branch->above; branch = branch->above)
		depth++;
	return depth;
}

/* From the leaves on: a queue uses at least what those below it use. */
static void sum_up(struct tree *tree, struct branch *branch)
{
	AUTO(amounts_done) struct amounts sum = {0};
	bool any = false;

	for (size_t i = 0; i < tree->count; i++) {
		if (tree->branches[i].above != branch)
			continue;
		sum_up(tree, &tree->branches[i]);
		amounts_add(&sum, &tree->branches[i].used);
		any = true;
	}
	if (!any)
		return;
	for (size_t i = 0; i < sum.len; i++) {
		double more = quantity_real(&sum.ptr[i].value) -
			      amounts_real(&branch->used, sum.ptr[i].name);
		const struct amount *own = amounts_find(&branch->used, sum.ptr[i].name);
		struct amounts one = {&sum.ptr[i], 1, 1};
		struct amount rest = sum.ptr[i];

		if (more <= 0)
			continue;
		if (own)
			quantity_sub(&rest.value, &own->value);
		one.ptr = &rest;
		amounts_add(&branch->used, &one);
	}
}

/* --- shares ------------------------------------------------------------------------------------- */

static double limit_of(const struct tree *tree, const struct branch *branch, struct str name)
{
	double limit = amounts_real(&tree->cluster, name);

	for (; branch; branch = branch->above)
		if (amounts_find(&branch->capability, name) &&
		    amounts_real(&branch->capability, name) < limit)
			limit = amounts_real(&branch->capability, name);
	return limit;
}

/* What it deserves, or else by weight out of what the queue above may use. */
static double share_of(const struct tree *tree, const struct branch *branch, struct str name)
{
	int64_t weights = 0;
	double share;

	if (amounts_find(&branch->deserved, name))
		return amounts_real(&branch->deserved, name);
	for (size_t i = 0; i < tree->count; i++)
		if (tree->branches[i].above == branch->above)
			weights += tree->branches[i].weight;
	share = branch->above ? share_of(tree, branch->above, name)
			      : amounts_real(&tree->cluster, name);
	share *= weights ? (double)branch->weight / (double)weights : 1;
	return share < limit_of(tree, branch, name) ? share : limit_of(tree, branch, name);
}

/* --- printing ----------------------------------------------------------------------------------- */

static void put_number(struct str name, double value, struct buf *to)
{
	struct amount one = {name,
			     quantity_make_milli((int64_t)(value * 1000), QUANTITY_DECIMAL_SI)};
	const struct amounts list = {&one, 1, 1};

	amounts_put(&list, name, to);
}

/* The root has everything: it shares with no other queue. */
static bool is_alone(const struct tree *tree, const struct branch *branch)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->branches[i].above == branch->above && &tree->branches[i] != branch)
			return false;
	return !branch->above;
}

static void put_bar(const struct tree *tree, const struct branch *branch, struct str name,
		    struct buf *to)
{
	const struct queue_tree_facts *facts = tree->facts;
	double limit = limit_of(tree, branch, name);
	double used = amounts_real(&branch->used, name);
	double share = share_of(tree, branch, name);
	double whole = limit > 0 ? limit : 1;
	const struct bar_part part = {used / whole, BAR_FULL,
				      used > limit   ? facts->bad
				      : used > share ? facts->busy
						     : facts->good};
	const struct bar bar = {.width = BAR_WIDTH,
				.unicode = facts->unicode,
				.plain = facts->plain,
				.parts = &part,
				.count = 1,
				.mark = is_alone(tree, branch) ? -1 : share / whole};

	bar_put(&bar, to);
	buf_puts(to, "  ");
	put_number(name, used, to);
	buf_puts(to, " of ");
	put_number(name, limit, to);
	if (!is_alone(tree, branch)) {
		buf_printf(to, ", %s ",
			   amounts_find(&branch->deserved, name) ? "deserves" : "share");
		put_number(name, share, to);
	}
	if (amounts_find(&branch->guarantee, name)) {
		buf_puts(to, ", guaranteed ");
		put_number(name, amounts_real(&branch->guarantee, name), to);
	}
}

/* What is worth a line: cpu, memory, and what the cluster has of devices or the queue speaks of. */
static bool is_shown(const struct branch *branch, struct str name)
{
	if (str_is(name, "cpu") || str_is(name, "memory"))
		return true;
	if (amounts_find(&branch->capability, name) || amounts_find(&branch->guarantee, name) ||
	    amounts_find(&branch->deserved, name))
		return true;
	return str_find_byte(name, '/', 0) >= 0;
}

/* The lines that lead to a branch, and those that go on below it. */
static void put_stem(const struct tree *tree, struct str stem, bool last, struct buf *to)
{
	static const char *const forks[][2] = {{"|- ", "├─ "}, {"`- ", "└─ "}};

	buf_put_str(to, stem);
	buf_puts(to, forks[last][tree->facts->unicode]);
}

static size_t columns(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
	return count;
}

static void put_padded(const struct tree *tree, struct str text, struct buf *to)
{
	size_t have = columns(text);

	buf_put_str(to, text);
	for (; have < tree->width + 2; have++)
		buf_putc(to, ' ');
}

static void put_lines(const struct tree *tree, const struct branch *branch, struct str head,
		      struct str below, struct buf *to)
{
	struct str state = json_str(json_get(json_get(branch->queue, "status"), "state"));
	bool first = true;

	for (size_t i = 0; i < tree->cluster.len; i++) {
		struct str name = tree->cluster.ptr[i].name;

		if (!is_shown(branch, name))
			continue;
		put_padded(tree, first ? head : below, to);
		buf_printf(to, "%-16.*s", STR_ARG(name));
		put_bar(tree, branch, name, to);
		if (first && !is_alone(tree, branch))
			buf_printf(to, "%s  weight %lld%s", tree->facts->faint,
				   (long long)branch->weight, tree->facts->plain);
		if (first && state.len && !str_is(state, "Open"))
			buf_printf(to, "  %s%.*s%s", tree->facts->bad, STR_ARG(state),
				   tree->facts->plain);
		buf_putc(to, '\n');
		first = false;
	}
	if (first) {
		buf_put_str(to, head);
		buf_putc(to, '\n');
	}
}

static size_t children(const struct tree *tree, const struct branch *branch)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++)
		count += tree->branches[i].above == branch && !tree->branches[i].shown;
	return count;
}

/* Recursion ends: `above` makes a forest (link_branches). */
static void put_branches(const struct tree *tree, const struct branch *above, struct str stem,
			 struct buf *to)
{
	size_t left = children(tree, above);

	for (size_t i = 0; i < tree->count; i++) {
		struct branch *branch = &tree->branches[i];
		AUTO(buf_done) struct buf head = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf below = BUF_UNBOUNDED;
		bool last;

		if (branch->above != above || branch->shown)
			continue;
		branch->shown = true;
		last = --left == 0;
		buf_put_str(&below, stem);
		if (above) {
			put_stem(tree, stem, last, &head);
			buf_puts(&below, last ? "   " : tree->facts->unicode ? "│  " : "|  ");
		}
		buf_put_str(&head, branch->name);
		put_lines(tree, branch, buf_str(&head), buf_str(&below), to);
		put_branches(tree, branch, buf_str(&below), to);
	}
}

void queue_tree_print(const struct queue_tree_facts *facts, struct arena *arena, struct buf *to)
{
	struct tree tree = {
		.facts = facts,
		.count = json_len(facts->queues),
		.branches =
			arena_calloc(arena, json_len(facts->queues) + 1, sizeof(*tree.branches)),
	};
	struct json_iter nodes = json_iter(facts->nodes);
	struct json_iter it = json_iter(facts->queues);

	while (json_next(&nodes))
		amounts_add_list(&tree.cluster,
				 json_get(json_get(nodes.value, "status"), "allocatable"));
	while (json_next(&it))
		read_branch(&tree.branches[it.index], it.value);
	qsort(tree.branches, tree.count, sizeof(*tree.branches), compare);
	link_branches(&tree);
	for (size_t i = 0; i < tree.count; i++) {
		size_t width = 3 * depth_of(&tree.branches[i]) + columns(tree.branches[i].name);

		tree.width = width > tree.width ? width : tree.width;
		if (!tree.branches[i].above)
			sum_up(&tree, &tree.branches[i]);
	}
	put_branches(&tree, NULL, str_none(), to);
	for (size_t i = 0; i < tree.count; i++) {
		amounts_done(&tree.branches[i].used);
		amounts_done(&tree.branches[i].capability);
		amounts_done(&tree.branches[i].guarantee);
		amounts_done(&tree.branches[i].deserved);
	}
	amounts_done(&tree.cluster);
}
