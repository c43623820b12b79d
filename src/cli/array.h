/* SPDX-License-Identifier: Apache-2.0 */
/* cli/array.h - arrays of tasks as Slurm writes them: "1-100", "0-9:3", "1,5,7-9", "1-100%8". */
#ifndef CLI_ARRAY_H
#define CLI_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

enum { ARRAY_RANGES_MAX = 64, ARRAY_COUNT_MAX = 1000000 };

struct array_range {
	int64_t first;
	int64_t step;
	int64_t count;
};
struct array {
	struct array_range ranges[ARRAY_RANGES_MAX];
	size_t len;
	int64_t count; /* numbers in all ranges */
	int64_t least; /* the smallest of them, and the largest */
	int64_t most;
	int64_t at_once; /* after '%'; 0: all of them */
};

/* ERR_BAD_REQUEST says what is wrong. */
int array_parse(struct str text, struct array *ret, struct err *err) MUST_CHECK;
/* A shell function `id N` that sets ID to the number of the N-th element, counted from 0. */
void array_put_shell(const struct array *array, struct buf *to);

#endif
