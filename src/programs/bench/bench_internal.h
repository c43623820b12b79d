/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_internal.h - a run of a benchmark at one size, between measure.c (inside the
 * run) and run.c (around it). */
#ifndef PROGRAMS_BENCH_BENCH_INTERNAL_H
#define PROGRAMS_BENCH_BENCH_INTERNAL_H

#include "base/vec.h"
#include "programs/bench/bench.h"

enum { BENCH_VALUES_MAX = 32, BENCH_KEY_SIZE = 48 };

struct bench_value {
	char key[BENCH_KEY_SIZE];
	double value;
	bool is_cost; /* of a phase: its growth is reported */
};

struct bench_values {
	size_t len;
	struct bench_value at[BENCH_VALUES_MAX];
};

struct bench_run {
	const struct bench *bench;
	const struct bench_settings *settings;
	size_t size;
	uint64_t dice;
	struct bench_values values;

	const char *phase;
	bool by_wall;        /* measured by the wall's clock, not in CPU time */
	bool rolling;        /* a round is under way */
	int64_t phase_start; /* by the wall; all times in nanoseconds */
	int64_t round_start; /* or since the last pause */
	int64_t measured;    /* in the phase */
	int64_t sample;      /* in the sample under way */
	size_t sample_items;
	VEC(double) samples;
};

#endif
