/* SPDX-License-Identifier: Apache-2.0 */
/* Chance: lengths, bounds, even shares, and the same numbers from the same seed. */
#include <inttypes.h>

#include "base/macro.h"
#include "loop/test/twins.h"

static void test_bytes(struct loop *loop)
{
	static uint8_t bytes[3000], other[3000];
	bool touched = false, apart_from_it = true;

	for (size_t len = 0; len < 1200; len += 7) {
		memset(bytes, 0, sizeof(bytes));
		memset(other, 0, sizeof(other));
		loop_random(loop, bytes, len);
		loop_random(loop, other, len);
		touched = touched || bytes[len] || bytes[len + 1];
		apart_from_it = apart_from_it && (len < 16 || memcmp(bytes, other, len) != 0);
	}
	ok(!touched, "no byte after the end is touched");
	ok(apart_from_it, "two draws differ");
}

static void test_below(struct loop *loop)
{
	enum { SIDES = 6, THROWS = 60000 };
	int counts[SIDES] = {0};
	bool in_bounds = true, even = true;
	static const uint64_t bounds[] = {1, 2, 3, 1000, UINT64_C(1) << 63, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_LEN(bounds); i++)
		for (int n = 0; n < 1000; n++)
			in_bounds = in_bounds && loop_random_below(loop, bounds[i]) < bounds[i];
	ok(in_bounds, "within the bound");
	for (int i = 0; i < THROWS; i++)
		counts[loop_random_below(loop, SIDES)]++;
	/* 10,000 each; one side off by 600 is past six standard deviations. */
	for (int i = 0; i < SIDES; i++)
		even = even && counts[i] > 9400 && counts[i] < 10600;
	ok(even, "each side of a die comes as often");
	/* Of 3/4 of all numbers, a modulo would hit the lowest third twice as often. */
	uint64_t below = UINT64_C(3) << 62;
	int low = 0;

	for (int i = 0; i < THROWS; i++)
		low += loop_random_below(loop, below) < UINT64_C(1) << 62;
	ok(low > 19000 && low < 21000, "also where the bound does not divide 2^64 (%d)", low);
}

/* These numbers are a promise: a seed that failed must fail again with the next version. They are
 * xoshiro256** after splitmix64, worked out apart from this program. */
static void test_known(void)
{
	static const uint64_t want[] = {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e),
					UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1)};
	AUTO(loop_free) struct loop *loop = loop_new_virtual(42, 0, NULL);
	AUTO(loop_free) struct loop *twin = loop_new_virtual(42, 0, NULL);
	AUTO(loop_free) struct loop *other = loop_new_virtual(43, 0, NULL);
	bool right = true;
	uint8_t bytes[12];

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		right = right && loop_random_u64(loop) == want[i];
	ok(right, "seed 42 gives the numbers it always gave");
	ok(loop_random_u64(other) != want[0], "seed 43 gives others");
	loop_random(twin, bytes, sizeof(bytes));
	right = true;
	for (size_t i = 0; i < sizeof(bytes); i++)
		right = right && bytes[i] == (uint8_t)(want[i / 8] >> (i % 8 * 8));
	ok(right, "bytes are the same numbers, lowest byte first");
}

static void below_nothing(struct loop *loop)
{
	(void)loop_random_below(loop, 0);
}

int main(void)
{
	on_both(test_bytes);
	on_both(test_below);
	test_known();
	ok(aborts(below_nothing, true), "nothing is below 0");
	return tap_done();
}
