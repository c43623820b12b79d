/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench.h - what a benchmark of vc-bench is, and what it is given.
 *
 * A benchmark is a function that is called at three sizes, a factor of ten apart, each time in a
 * process of its own, so that its memory is its own. It measures phases:
 *
 *	struct map *map = ...				set up, not measured
 *	bench_phase(run, "get");
 *	while (bench_round(run, count))			until --seconds have passed
 *		for (size_t i = 0; i < count; i++)	a round of `count` items
 *			bench_use(map_get(map, keys[i]));
 *	bench_value(run, "bytes_per_key", ...);
 *
 * A phase's cost is nanoseconds of CPU time per item: the median over samples of a millisecond,
 * so that what else the machine does hardly counts. If waiting is part of the cost
 * (bench_phase_wall) it is the time on the clock. How to add a benchmark: see benches.h. */
#ifndef PROGRAMS_BENCH_BENCH_H
#define PROGRAMS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "flags/command_line.h"

struct arena;
struct bench_run;

typedef void bench_fn(struct bench_run *run);

struct bench {
	const char *name;
	const char *about; /* one line: what is measured */
	const char *item;  /* what a size counts: "keys" */
	/* The largest of the three, unless --size is given. It is the number of things that there are (keys,
	 * pods, nodes), not how long to run. */
	size_t size;
	bench_fn *run;
	const struct flag *flags; /* its own, up to one without a name; NULL: none */
};

/* What an option of a benchmark's own may be at most. */
enum { BENCH_OPTION_MAX = 1000000000 };
/* A number that a benchmark of one's own takes: a row of `flags`. */
#define BENCH_FLAG(NAME, DEFAULT, ABOUT)                                                       \
	{                                                                                      \
		.name = (NAME), .type = FLAG_INT, .max = BENCH_OPTION_MAX, .value = (DEFAULT), \
		.about = (ABOUT), .noun = "N"                                                  \
	}
#define BENCH_FLAG_NODES BENCH_FLAG("nodes", "0", "nodes at every size, instead of the size")

/* What the command line asked for. */
struct bench_settings {
	size_t size;    /* 0: the benchmark's own */
	double seconds; /* for each phase at each size */
	const struct command_line *line;
};

/* Run a benchmark at its three sizes and print what came out. */
int bench_run(const struct bench *bench, const struct bench_settings *settings,
	      struct err *err) MUST_CHECK;

/* -- for benchmarks ---------------------------------------------------------------------------- */

size_t bench_size(const struct bench_run *run);
/* The value of one of its own options. */
int64_t bench_option(const struct bench_run *run, const char *name);
/* The same of a text; NULL: not given. */
const char *bench_text(const struct bench_run *run, const char *name);

/* Start a phase; its result is called "<name>_ns", and "<name>_growth" compares the largest size
 * with the smallest: 1 is flat, 100 is proportional to the size. */
void bench_phase(struct bench_run *run, const char *name);
/* The same by the clock on the wall: "<name>_wall_ns", "<name>_wall_growth". */
void bench_phase_wall(struct bench_run *run, const char *name);
/* Shall there be one more round of `items` items? Each call ends the round before it. */
bool bench_round(struct bench_run *run, size_t items);
/* Leave something within a round unmeasured. */
void bench_pause(struct bench_run *run);
void bench_resume(struct bench_run *run);

/* A result that is not a phase's, such as bytes per item. */
void bench_value(struct bench_run *run, const char *key, double value);
/* How long each of many took, in any order: "<name>_p50_ms" and "<name>_p99_ms". Sorts them. */
void bench_latencies(struct bench_run *run, const char *name, double *ms, size_t count);
/* The clock for these: milliseconds since some time; and that of this process' work. */
double bench_clock_ms(void);
double bench_cpu_ms(void);
/* The middle one. Sorts them. */
double bench_median(double *values, size_t count);
/* The cost that a phase of this run came to, in nanoseconds an item; by its result's name. */
double bench_cost(const struct bench_run *run, const char *key);
/* Bytes of heap in use; the difference of two calls is what was built between them. */
size_t bench_heap(void);
/* Something that must work did not: ends the run with a message. Does nothing if `good`. */
void bench_require(bool good, const struct err *err);

/* Numbers for shuffling and choosing: the same in every run. */
uint64_t bench_dice(struct bench_run *run);
size_t bench_dice_below(struct bench_run *run, size_t below);
/* Names as pods have them, all different, in no order. */
struct str *bench_keys(struct bench_run *run, struct arena *arena, size_t count);

/* Keep the compiler from leaving out what is not used. */
static inline void bench_use(const void *pointer)
{
	__asm__ volatile("" : : "r"(pointer) : "memory");
}

#endif
