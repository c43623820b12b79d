/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/words.h - amounts, resources and names as people read them, for the texts of reasons.
 *
 *	words_amount	3, 0.5, 19.2Gi			without a unit
 *	words_quantity	3 CPUs, 1 GPU, 16Gi of memory
 *	words_resource	CPU, memory, GPUs		what a job waits for
 *	words_free	1 of 4 is free, none of the 4 is free */
#ifndef SCHED_WORDS_H
#define SCHED_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct reason_names;

void words_amount(const struct reason_names *names, int dim, int64_t amount, struct buf *to);
void words_quantity(const struct reason_names *names, int dim, int64_t amount, struct buf *to);
void words_resource(const struct reason_names *names, int dim, struct buf *to);
void words_free(const struct reason_names *names, int dim, int64_t free, int64_t total,
		struct buf *to);
/* "is" or "are", for an amount that is counted. */
const char *words_is(int dim, int64_t amount);
/* "1 pod", "3 pods". */
void words_count(int64_t count, const char *noun, struct buf *to);
/* "`name`" */
void words_name(struct str name, struct buf *to);
/* A list of names: ", " between them, " and " before the last. Call it before each of `len`. */
void words_join(size_t at, size_t len, struct buf *to);

#endif
