/* SPDX-License-Identifier: Apache-2.0 */
/* base/heap.c - intrusive binary heap.
 *
 * Always true: nodes[i] has place i + 1, and no node comes before its parent nodes[(i - 1) / 2]. */
#include "base/heap.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

void heap_init(struct heap *heap, heap_before_fn *before)
{
	*heap = (struct heap){.before = before};
}

void heap_done(struct heap *heap)
{
	mem_free(heap->nodes);
	*heap = (struct heap){.before = heap->before};
}

static void place(struct heap *heap, size_t at, struct heap_node *node)
{
	heap->nodes[at] = node;
	node->place = at + 1;
}

static void sift_up(struct heap *heap, size_t at)
{
	struct heap_node *node = heap->nodes[at];

	while (at > 0) {
		size_t parent = (at - 1) / 2;

		if (!heap->before(node, heap->nodes[parent]))
			break;
		place(heap, at, heap->nodes[parent]);
		at = parent;
	}
	place(heap, at, node);
}

static void sift_down(struct heap *heap, size_t at)
{
	struct heap_node *node = heap->nodes[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->len)
			break;
		if (child + 1 < heap->len &&
		    heap->before(heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (!heap->before(heap->nodes[child], node))
			break;
		place(heap, at, heap->nodes[child]);
		at = child;
	}
	place(heap, at, node);
}

void heap_push(struct heap *heap, struct heap_node *node)
{
	assert(!heap_node_is_in(node));
	if (heap->len == heap->size)
		heap->nodes = vec_grow(heap->nodes, &heap->size, heap->len + 1,
				       sizeof(struct heap_node *));
	heap->nodes[heap->len++] = node;
	sift_up(heap, heap->len - 1);
}

struct heap_node *heap_first(const struct heap *heap)
{
	return heap->len ? heap->nodes[0] : NULL;
}

struct heap_node *heap_pop(struct heap *heap)
{
	struct heap_node *node = heap_first(heap);

	if (node)
		heap_remove(heap, node);
	return node;
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
	size_t at = node->place - 1;
	struct heap_node *last;

	if (!heap_node_is_in(node))
		return;
	assert(heap->nodes[at] == node);
	last = heap->nodes[--heap->len];
	node->place = 0;
	if (last == node)
		return;
	place(heap, at, last);
	heap_update(heap, last);
}

void heap_update(struct heap *heap, struct heap_node *node)
{
	assert(heap_node_is_in(node));
	sift_up(heap, node->place - 1);
	sift_down(heap, node->place - 1);
}
