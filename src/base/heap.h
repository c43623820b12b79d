/* SPDX-License-Identifier: Apache-2.0 */
/* base/heap.h - intrusive binary min-heap: the smallest element on top, any element removable.
 *
 * Elements hold a struct heap_node; the heap keeps an array of pointers to them and each node
 * stores its index, so that heap_remove() and heap_update() cost O(log n). Equal elements come out
 * in no particular order: compare by a sequence number if that matters. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

struct heap_node {
	size_t place; /* 1 + index in the array; 0 when in no heap */
};

/* Must `a` come out before `b`? */
typedef bool heap_before_fn(const struct heap_node *a, const struct heap_node *b);

struct heap {
	struct heap_node **nodes;
	size_t len;
	size_t size;
	heap_before_fn *before;
};

void heap_init(struct heap *heap, heap_before_fn *before);
void heap_done(struct heap *heap);

void heap_push(struct heap *heap, struct heap_node *node);
/* The top, or NULL. */
struct heap_node *heap_first(const struct heap *heap);
struct heap_node *heap_pop(struct heap *heap);
/* Takes it out; does nothing when it is in no heap. */
void heap_remove(struct heap *heap, struct heap_node *node);
/* Its rank has changed. */
void heap_update(struct heap *heap, struct heap_node *node);

static inline bool heap_node_is_in(const struct heap_node *node)
{
	return node->place != 0;
}

#endif
