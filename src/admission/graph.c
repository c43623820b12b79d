/* SPDX-License-Identifier: Apache-2.0 */
/* admission/graph.c - Kahn's algorithm: removes nodes without dependencies until none is left.
 *
 * A repeated dependency counts once. Time is linear in names and dependencies. */
#include "admission/graph.h"

#include "base/map.h"

#include "base/banned.h"

struct vertex {
	size_t waits; /* number of dependencies that are not removed yet */
	struct edge *first;
	size_t marked; /* 1 + the node that was linked last */
};

struct edge {
	size_t to;
	struct edge *next;
};

struct work {
	const struct graph_node *nodes;
	struct vertex *vertices;
	struct map *by_name; /* name: vertex */
	struct arena *arena;
};

/* Does a later node have the same name? */
static bool is_current(const struct work *work, size_t index)
{
	return map_get(work->by_name, work->nodes[index].name) == &work->vertices[index];
}

static bool link_node(struct work *work, size_t index, struct str *ret_undefined)
{
	const struct graph_node *node = &work->nodes[index];

	for (size_t i = 0; i < node->after.len; i++) {
		struct vertex *before = map_get(work->by_name, node->after.ptr[i]);
		struct edge *edge;

		if (!before) {
			*ret_undefined = node->after.ptr[i];
			return false;
		}
		if (before->marked == index + 1)
			continue;
		before->marked = index + 1;
		edge = arena_new_of(work->arena, struct edge);
		edge->to = index;
		edge->next = before->first;
		before->first = edge;
		work->vertices[index].waits++;
	}
	return true;
}

/* The number of nodes that could be removed. */
static size_t take_all(struct work *work, size_t count)
{
	size_t *ready = arena_calloc(work->arena, count + 1, sizeof(*ready));
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		if (is_current(work, i) && !work->vertices[i].waits)
			ready[len++] = i;
	for (size_t at = 0; at < len; at++)
		for (struct edge *edge = work->vertices[ready[at]].first; edge; edge = edge->next)
			if (--work->vertices[edge->to].waits == 0)
				ready[len++] = edge->to;
	return len;
}

enum graph_answer graph_check(const struct graph_node *nodes, size_t count, struct arena *arena,
			      struct str *ret_undefined)
{
	AUTO(map_free) struct map *by_name = map_new(0);
	struct work work = {nodes, arena_calloc(arena, count + 1, sizeof(struct vertex)), by_name,
			    arena};

	for (size_t i = 0; i < count; i++)
		(void)map_put(by_name, nodes[i].name, &work.vertices[i]);
	for (size_t i = 0; i < count; i++)
		if (is_current(&work, i) && !link_node(&work, i, ret_undefined))
			return GRAPH_UNDEFINED;
	return take_all(&work, count) == map_len(by_name) ? GRAPH_ORDERED : GRAPH_CYCLE;
}
