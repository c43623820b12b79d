/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/lanes.h - two nodes at a time, for the few loops that every pod unlike all others runs over all
 * nodes: the compilers' own vectors, which become whatever the machine has. Columns (node_info.h) and
 * what a finder keeps have an even number of slots.
 *
 * Amounts are below 2^52 here, four petabytes: beyond that a score is wrong, and nothing else. */
#ifndef SCHED_LANES_H
#define SCHED_LANES_H

#include <stdint.h>

enum { LANES = 2 };
typedef double lanes __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t lanes_i64 __attribute__((vector_size(16), aligned(8), may_alias));
typedef int32_t lanes_i32 __attribute__((vector_size(8)));

static inline lanes lanes_load(const double *from)
{
	return *(const lanes *)from;
}
static inline lanes_i64 lanes_load_i64(const int64_t *from)
{
	return *(const lanes_i64 *)from;
}
/* By way of the bits of a double whose last digit is 1. */
static inline lanes lanes_from(lanes_i64 amounts)
{
	return (lanes)(amounts | INT64_C(0x4330000000000000)) - 4503599627370496.0;
}
/* Rounded down; not below 0, and no more than an int32_t holds. */
static inline lanes lanes_whole(lanes x)
{
	return __builtin_convertvector(__builtin_convertvector(x, lanes_i32), lanes);
}
static inline lanes lanes_at_least_0(lanes x)
{
	return (lanes)((lanes_i64)x & (x > 0));
}
static inline lanes lanes_at_most(lanes x, double most)
{
	lanes_i64 less = x < most;

	return (lanes)(((lanes_i64)x & less) | ((lanes_i64)(lanes){most, most} & ~less));
}
static inline void lanes_add(double *to, lanes x)
{
	*(lanes *)to += x;
}

#endif
