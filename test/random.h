/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - numbers for tests that try many cases: the same for the same seed, on every machine. A test
 * prints its seed, so that a failure can be repeated. The generator is splitmix64; any seed is good. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

__attribute__((unused)) static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* From 0 to bound - 1. */
__attribute__((unused)) static uint64_t random_below(uint64_t *state, uint64_t bound)
{
	return random_next(state) % bound;
}

#endif
