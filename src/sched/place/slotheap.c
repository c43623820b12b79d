/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/slotheap.c - binary heaps over slots; see the header. */
#include "sched/place/slotheap.h"

#include <stdbool.h>

#include "base/banned.h"

static bool goes_before(const struct slot_ranks *ranks, uint32_t a, uint32_t b)
{
	if (ranks->scores[a] != ranks->scores[b])
		return ranks->scores[a] > ranks->scores[b];
	return a < b;
}

static void put(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t place, uint32_t slot)
{
	heap->at[place] = slot;
	ranks->places[slot] = place;
}

static void sift_up(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t place)
{
	uint32_t slot = heap->at[place];

	while (place && goes_before(ranks, slot, heap->at[(place - 1) / 2])) {
		put(heap, ranks, place, heap->at[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(heap, ranks, place, slot);
}

static void sift_down(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t place)
{
	uint32_t slot = heap->at[place];

	for (uint32_t child; (child = 2 * place + 1) < heap->len; place = child) {
		if (child + 1 < heap->len &&
		    goes_before(ranks, heap->at[child + 1], heap->at[child]))
			child++;
		if (!goes_before(ranks, heap->at[child], slot))
			break;
		put(heap, ranks, place, heap->at[child]);
	}
	put(heap, ranks, place, slot);
}

void slot_heap_append(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t slot)
{
	put(heap, ranks, heap->len, slot);
	heap->len++;
}

void slot_heap_add(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t slot)
{
	slot_heap_append(heap, ranks, slot);
	sift_up(heap, ranks, heap->len - 1);
}

void slot_heap_remove(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t slot)
{
	uint32_t place = ranks->places[slot];
	uint32_t last = heap->at[--heap->len];

	if (last == slot)
		return;
	put(heap, ranks, place, last);
	sift_up(heap, ranks, place);
	sift_down(heap, ranks, ranks->places[last]);
}

void slot_heap_order(struct slot_heap *heap, struct slot_ranks *ranks)
{
	for (uint32_t i = heap->len / 2; i-- > 0;)
		sift_down(heap, ranks, i);
}
