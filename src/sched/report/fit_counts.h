/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/fit_counts.h - why a task fits nowhere: the verdicts of many nodes, counted.
 *
 *	struct fit_counts counts = {0};
 *	fit_counts_add(&counts, ssn, class, slot, verdict);	for each node
 *	fit = fit_counts_make(&counts, ssn, class, set);	and the counts are empty again
 *
 * Which dimension is short on a node is found here, when a report needs it: a verdict says only
 * that one is. */
#ifndef SCHED_FIT_COUNTS_H
#define SCHED_FIT_COUNTS_H

#include <stdint.h>

#include "base/vec.h"
#include "sched/report/reason.h"

struct class;
struct node_set;
struct session;

/* A node that is not there has this verdict, and is not counted. */
#define VERDICT_ABSENT (~UINT64_C(0))

/* So many nodes lack this one too. */
struct fit_swap {
	uint16_t first;
	uint16_t last;
	uint32_t count;
};

struct fit_counts {
	VEC(struct fit_count) list;
	VEC(struct fit_swap) swaps;
	uint32_t nodes;
};

void fit_counts_add(struct fit_counts *counts, const struct session *ssn, const struct class *class,
		    uint32_t slot, verdict v);
/* So many nodes at once that lack a dimension, of which none has more than `most` free. */
void fit_counts_add_short(struct fit_counts *counts, int dim, size_t nodes, int64_t most);
/* In the session's arena. */
const struct fit *fit_counts_make(struct fit_counts *counts, struct session *ssn,
				  const struct class *class, const struct node_set *set);
void fit_counts_done(struct fit_counts *counts);

#endif
