/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/slotheap.h - heaps of node slots by score: the highest on top, of equal ones the lowest slot.
 *
 * Several heaps may share the scores and places of their slots, as long as a slot is in one of them
 * at most. The arrays are the owner's. */
#ifndef SCHED_SLOTHEAP_H
#define SCHED_SLOTHEAP_H

#include <stdint.h>

struct slot_ranks {
	double *scores;   /* by slot */
	uint32_t *places; /* by slot: where in its heap */
};

struct slot_heap {
	uint32_t *at; /* space for every slot */
	uint32_t len;
};

/* The score of a slot must not change while it is in. */
void slot_heap_add(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t slot);
void slot_heap_remove(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t slot);
/* To fill a heap at once: append all, then order. */
void slot_heap_append(struct slot_heap *heap, struct slot_ranks *ranks, uint32_t slot);
void slot_heap_order(struct slot_heap *heap, struct slot_ranks *ranks);

#endif
