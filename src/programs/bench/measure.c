/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/measure.c - inside a run: phases, rounds and samples.
 *
 * Rounds are added up to samples of at least a millisecond, so that reading the clock costs nothing
 * next to them and their number stays small. A phase ends when it has measured for --seconds, or
 * after four times that, however little of it was measured; a phase has at least one round. */
#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/number.h"
#include "programs/bench/bench_internal.h"

#include "base/banned.h"

enum { SAMPLE_NS = 1000000 };

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t read_stopwatch(const struct bench_run *run)
{
	return read_clock(run->by_wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID);
}

size_t bench_size(const struct bench_run *run)
{
	return run->size;
}

int64_t bench_option(const struct bench_run *run, const char *name)
{
	const struct command_line *line = run->settings->line;
	const struct flag *flag = run->bench->flags;
	int64_t usual = 0;

	if (command_has(line, name))
		return command_int(line, name);
	while (flag && flag->name && !str_is(str_from(flag->name), name)) /* `vc-bench all` */
		flag++;
	assert(flag && flag->name);
	(void)!number_parse_i64(str_from(flag->value), &usual, NULL);
	return usual;
}

const char *bench_text(const struct bench_run *run, const char *name)
{
	const struct command_line *line = run->settings->line;

	return command_has(line, name) ? command_text(line, name) : NULL;
}

static struct bench_value *add_value(struct bench_run *run, double value)
{
	assert(run->values.len < BENCH_VALUES_MAX);
	struct bench_value *entry = &run->values.at[run->values.len++];

	entry->value = value;
	return entry;
}

void bench_value(struct bench_run *run, const char *key, double value)
{
	struct bench_value *entry = add_value(run, value);

	(void)snprintf(entry->key, sizeof(entry->key), "%s", key);
}

double bench_cost(const struct bench_run *run, const char *key)
{
	for (size_t i = 0; i < run->values.len; i++)
		if (str_is(str_from(run->values.at[i].key), key))
			return run->values.at[i].value;
	assert(false); /* the benchmark has had no such phase */
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double bench_clock_ms(void)
{
	return (double)read_clock(CLOCK_MONOTONIC) / 1e6;
}

double bench_cpu_ms(void)
{
	return (double)read_clock(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

double bench_median(double *values, size_t count)
{
	assert(count > 0);
	qsort(values, count, sizeof(double), compare);
	return values[count / 2];
}

void bench_latencies(struct bench_run *run, const char *name, double *ms, size_t count)
{
	static const struct {
		const char *name;
		size_t percent;
	} quantiles[] = {{"p50", 50}, {"p99", 99}};

	assert(count > 0);
	qsort(ms, count, sizeof(double), compare);
	for (size_t i = 0; i < ARRAY_LEN(quantiles); i++) {
		struct bench_value *entry = add_value(run, ms[count * quantiles[i].percent / 100]);

		(void)snprintf(entry->key, sizeof(entry->key), "%s_%s_ms", name, quantiles[i].name);
	}
}

static void end_sample(struct bench_run *run)
{
	vec_push(&run->samples, (double)run->sample / (double)run->sample_items);
	run->sample = 0;
	run->sample_items = 0;
}

static void end_phase(struct bench_run *run)
{
	if (run->samples.len == 0)
		end_sample(run);
	struct bench_value *entry =
		add_value(run, bench_median(run->samples.ptr, run->samples.len));

	entry->is_cost = true;
	(void)snprintf(entry->key, sizeof(entry->key), "%s%s_ns", run->phase,
		       run->by_wall ? "_wall" : "");
	vec_done(&run->samples);
	run->phase = NULL;
}

void bench_phase(struct bench_run *run, const char *name)
{
	assert(!run->phase);
	run->phase = name;
	run->by_wall = false;
	run->rolling = false;
	run->measured = run->sample = 0;
	run->sample_items = 0;
}

void bench_phase_wall(struct bench_run *run, const char *name)
{
	bench_phase(run, name);
	run->by_wall = true;
}

static void count_time(struct bench_run *run)
{
	int64_t now = read_stopwatch(run);

	run->measured += now - run->round_start;
	run->sample += now - run->round_start;
	run->round_start = now;
}

bool bench_round(struct bench_run *run, size_t items)
{
	int64_t bound = (int64_t)(run->settings->seconds * 1e9);

	assert(run->phase && items > 0);
	if (!run->rolling) {
		run->rolling = true;
		run->phase_start = read_clock(CLOCK_MONOTONIC);
		run->round_start = read_stopwatch(run);
		return true;
	}
	count_time(run);
	run->sample_items += items;
	if (run->sample >= SAMPLE_NS)
		end_sample(run);
	if (run->measured >= bound || read_clock(CLOCK_MONOTONIC) - run->phase_start >= 4 * bound) {
		end_phase(run);
		return false;
	}
	run->round_start = read_stopwatch(run);
	return true;
}

void bench_pause(struct bench_run *run)
{
	count_time(run);
}

void bench_resume(struct bench_run *run)
{
	run->round_start = read_stopwatch(run);
}

size_t bench_heap(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

void bench_require(bool good, const struct err *err)
{
	if (good)
		return;
	(void)fprintf(stderr, "vc-bench: %s\n", err->text);
	exit(1);
}

uint64_t bench_dice(struct bench_run *run)
{
	uint64_t z = run->dice += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

size_t bench_dice_below(struct bench_run *run, size_t below)
{
	return (size_t)(bench_dice(run) % below);
}

struct str *bench_keys(struct bench_run *run, struct arena *arena, size_t count)
{
	struct str *keys = arena_calloc(arena, count, sizeof(keys[0]));

	for (size_t i = 0; i < count; i++)
		keys[i] = str_from(arena_printf(arena, "team-%zu/training-%zu-worker-%zu", i % 97,
						i / 100, i % 100));
	for (size_t i = count; i > 1; i--) {
		size_t other = bench_dice_below(run, i);
		struct str key = keys[i - 1];

		keys[i - 1] = keys[other];
		keys[other] = key;
	}
	return keys;
}
