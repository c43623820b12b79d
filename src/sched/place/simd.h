/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/simd.h - two nodes at a time, for the few loops that every pod unlike all others runs over all
 * nodes: the compilers' own vectors, which become whatever the machine has. Columns (node_info.h) and
 * what a finder keeps have an even number of slots.
 *
 * Amounts are below 2^52 here, four petabytes: beyond that a score is wrong, and nothing else. */
#ifndef SCHED_SIMD_H
#define SCHED_SIMD_H

#include <stdint.h>

enum { SIMD_WIDTH = 2 };
typedef double simd __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t simd_i64 __attribute__((vector_size(16), aligned(8), may_alias));
typedef int32_t simd_i32 __attribute__((vector_size(8)));

static inline simd simd_load(const double *from)
{
	return *(const simd *)from;
}
static inline simd_i64 simd_load_i64(const int64_t *from)
{
	return *(const simd_i64 *)from;
}
/* By way of the bits of a double whose last digit is 1. */
static inline simd simd_from(simd_i64 amounts)
{
	return (simd)(amounts | INT64_C(0x4330000000000000)) - 4503599627370496.0;
}
/* Rounded down; not below 0, and no more than an int32_t holds. */
static inline simd simd_whole(simd x)
{
	return __builtin_convertvector(__builtin_convertvector(x, simd_i32), simd);
}
static inline simd simd_at_least_0(simd x)
{
	return (simd)((simd_i64)x & (x > 0));
}
static inline simd simd_at_most(simd x, double most)
{
	simd_i64 less = x < most;

	return (simd)(((simd_i64)x & less) | ((simd_i64)(simd){most, most} & ~less));
}
static inline void simd_add(double *to, simd x)
{
	*(simd *)to += x;
}

#endif
