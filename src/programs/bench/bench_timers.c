/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_timers.c - timers on a virtual loop, so that none is waited for.
 *
 * set: all of them, from none. push_back: one of them is set again, later, as a connection does with
 * its idle timer at each request. fire: from the jump in time to the callback. */
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	++*(size_t *)arg;
}

static int64_t some_time(struct bench_run *run)
{
	return (int64_t)bench_dice_below(run, 60 * 1000000);
}

static void measure(struct bench_run *run, struct loop *loop, struct loop_timer **timers,
		    const int64_t *times)
{
	size_t count = bench_size(run);

	bench_phase(run, "set");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++)
			loop_timer_set(timers[i], times[i]);
		bench_pause(run);
		for (size_t i = 0; i < count; i++)
			loop_timer_stop(timers[i]);
		bench_resume(run);
	}
	for (size_t i = 0; i < count; i++)
		loop_timer_set(timers[i], times[i]);
	bench_phase(run, "push_back");
	while (bench_round(run, count))
		for (size_t i = 0; i < count; i++)
			loop_timer_set(timers[i], TIME_MINUTE + times[count - 1 - i]);
	loop_run(loop);
	bench_phase(run, "fire");
	while (bench_round(run, count)) {
		bench_pause(run);
		for (size_t i = 0; i < count; i++)
			loop_timer_set(timers[i], times[i]);
		bench_resume(run);
		loop_run(loop);
	}
}

static void measure_timers(struct bench_run *run)
{
	size_t count = bench_size(run);
	size_t fired = 0;
	struct err err = {0};
	AUTO(loop_free) struct loop *loop = loop_new_virtual(1, 0, &err);
	AUTO(mem_free) struct loop_timer **timers = mem_calloc(count, sizeof(timers[0]));
	AUTO(mem_free) int64_t *times = mem_calloc(count, sizeof(times[0]));

	bench_require(loop != NULL, &err);
	size_t heap = bench_heap();

	for (size_t i = 0; i < count; i++) {
		times[i] = some_time(run);
		timers[i] = loop_timer_new(loop, on_timer, &fired);
		loop_timer_set(timers[i], times[i]);
	}
	bench_value(run, "bytes_per_timer", (double)(bench_heap() - heap) / (double)count);
	for (size_t i = 0; i < count; i++)
		loop_timer_stop(timers[i]);
	measure(run, loop, timers, times);
	for (size_t i = 0; i < count; i++)
		loop_timer_free(timers[i]);
}

const struct bench bench_timers = {
	.name = "timers",
	.about = "timers on a virtual loop: set, pushed back, fired",
	.item = "timers",
	.size = 100000,
	.run = measure_timers,
};
