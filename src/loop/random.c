/* SPDX-License-Identifier: Apache-2.0 */
/* loop/random.c - random numbers: from the kernel on a real loop, from a seeded generator on a
 * virtual one.
 *
 * The kernel is asked for a pool at a time, so that a number costs no system call; bytes that were
 * used are wiped from the pool, so that a key cannot be read there later. (The pool must not be
 * used after a fork; this project starts processes with posix_spawn.)
 *
 * The generator is xoshiro256** (Blackman and Vigna, 2018), its state filled from the seed by
 * splitmix64 as its authors advise. Numbers are taken from it byte by byte, lowest first, so that
 * the same calls give the same bytes on every machine. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "loop/loop_internal.h"

#include "base/banned.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, unsigned by)
{
	return (x << by) | (x >> (64 - by));
}

static uint64_t generate(uint64_t s[4])
{
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

void loop_chance_init(struct loop *loop, uint64_t seed)
{
	for (size_t i = 0; i < ARRAY_LEN(loop->chance.state); i++)
		loop->chance.state[i] = splitmix(&seed);
}

/* Directly from the kernel. The call can be interrupted by a signal; it does not fail otherwise. */
static void fetch(uint8_t *bytes, size_t len)
{
	while (len > 0) {
		ssize_t got = getrandom(bytes, len, 0);

		if (got < 0) {
			assert(errno == EINTR);
			continue;
		}
		bytes += got;
		len -= (size_t)got;
	}
}

static void draw_real(struct loop_chance *chance, uint8_t *bytes, size_t len)
{
	if (len > LOOP_POOL_BYTES) {
		fetch(bytes, len);
		return;
	}
	if (len > chance->left) {
		fetch(chance->pool, sizeof(chance->pool));
		chance->left = sizeof(chance->pool);
	}
	uint8_t *from = chance->pool + sizeof(chance->pool) - chance->left;

	memcpy(bytes, from, len);
	explicit_bzero(from, len);
	chance->left -= len;
}

static void draw_virtual(struct loop_chance *chance, uint8_t *bytes, size_t len)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < len; i++) {
		if (i % 8 == 0)
			bits = generate(chance->state);
		bytes[i] = (uint8_t)(bits >> (i % 8 * 8));
	}
}

void loop_random(struct loop *loop, void *bytes, size_t len)
{
	if (loop->is_virtual)
		draw_virtual(&loop->chance, bytes, len);
	else if (len > 0)
		draw_real(&loop->chance, bytes, len);
}

uint64_t loop_random_u64(struct loop *loop)
{
	uint64_t number;

	if (loop->is_virtual)
		return generate(loop->chance.state);
	loop_random(loop, &number, sizeof(number));
	return number;
}

uint64_t loop_random_below(struct loop *loop, uint64_t below)
{
	/* 2^64 mod below: that many numbers at the low end are rejected, so that all results are
	 * equally likely. */
	assert(below > 0);
	uint64_t surplus = -below % below;
	uint64_t number;

	do {
		number = loop_random_u64(loop);
	} while (number < surplus);
	return number % below;
}
