/* SPDX-License-Identifier: Apache-2.0 */
/* loop/loop.c - the turn: wait, then descriptors, timers and deferred calls, each once.
 *
 * The parts are in files of their own (loop_internal.h lists them); this file has the order in
 * which they run, and the main difference between the two kinds of loop: a real loop waits in epoll
 * until its next timer is due; a virtual loop checks whether a descriptor is ready and, if none is,
 * advances its clock instead.
 *
 * 1. Time is fixed from the wait's end to the turn's end.
 * 2. Each phase runs what was due when it began, so a turn is finite; what is left of it after
 *    LOOP_PHASE_US waits for the next turn, in its order.
 * 3. What was removed during a turn is freed at its end, when no phase can hold it any more. */
#include "loop/loop.h"

#include <assert.h>

#include "base/mem.h"
#include "loop/loop_internal.h"

#include "base/banned.h"

static struct loop *make(bool is_virtual, uint64_t seed, int64_t start, struct err *err)
{
	AUTO(loop_free) struct loop *loop = mem_new(struct loop);

	loop->is_virtual = is_virtual;
	loop_clock_init(loop, start);
	loop_chance_init(loop, seed);
	loop_timers_init(loop);
	loop_defers_init(loop);
	loop_signals_init(loop);
	loop_children_init(loop);
	loop_fds_init(loop);
	loop_works_init(loop);
	if (loop_fds_open(loop, err) < 0 || loop_works_open(loop, err) < 0)
		return NULL;
	return TAKE(loop);
}

struct loop *loop_new(struct err *err)
{
	return make(false, 0, 0, err);
}

struct loop *loop_new_virtual(uint64_t seed, int64_t start, struct err *err)
{
	return make(true, seed, start, err);
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	assert(!loop->turning);
	loop_children_done(loop);
	loop_signals_done(loop);
	loop_works_done(loop);
	loop_defers_done(loop);
	loop_timers_done(loop);
	loop_fds_done(loop);
	mem_free(loop);
}

bool loop_is_virtual(const struct loop *loop)
{
	return loop->is_virtual;
}

void loop_set_quarantine(struct loop *loop, struct quarantine *quarantine)
{
	loop->quarantine = quarantine;
}

struct quarantine *loop_quarantine(const struct loop *loop)
{
	return loop->quarantine;
}

/* For how long may this turn wait? */
static int64_t wait_bound(const struct loop *loop, int64_t wait_us)
{
	int64_t next = loop_timers_next(loop);

	if (!list_is_empty(&loop->defers))
		return 0;
	if (wait_us < 0)
		wait_us = LOOP_NEVER;
	if (wait_us == 0 || next == LOOP_NEVER)
		return wait_us;
	int64_t left = next - loop_clock_uptime(loop);

	if (left < 0)
		left = 0;
	return left < wait_us ? left : wait_us;
}

/* Waits, then fixes the time of the turn. Events that the last turn did not run come before new
 * ones. */
static void wait_for_events(struct loop *loop, int64_t wait_us)
{
	int64_t bound = wait_bound(loop, wait_us);
	int64_t sleep = loop->is_virtual ? 0 : bound;

	/* A simulation that uses no descriptors needs no system calls either. */
	if (!loop_fds_left(loop) &&
	    (sleep > 0 || loop_fds_has_any(loop) || loop_works_has_posted(loop)))
		loop_fds_fetch(loop, sleep);

	loop_clock_turn(loop, loop_fds_left(loop) > 0 || bound == LOOP_NEVER ? 0 : bound);
}

bool loop_is_late(const struct loop *loop)
{
	return loop_clock_uptime(loop) - loop->phase_at >= LOOP_PHASE_US;
}

static void begin_phase(struct loop *loop)
{
	loop->phase_at = loop_clock_uptime(loop);
}

const int64_t loop_steps_us[LOOP_STEPS] = {1000,   5000,   10000,  20000,  50000,
					   100000, 200000, 500000, 1000000};

static void count_step(uint64_t *within, int64_t took)
{
	size_t step = 0;

	while (step < LOOP_STEPS && took > loop_steps_us[step])
		step++;
	if (step < LOOP_STEPS)
		within[step]++;
}

/* A waiting thread uses no CPU time, so its CPU clock is read once per turn. */
static void measure(struct loop *loop)
{
	int64_t took = loop_clock_uptime(loop) - loop->clock.uptime;
	int64_t cpu = loop_clock_cpu(loop);
	int64_t computed = cpu - loop->cpu_at;

	if (!loop->stats.turns)
		computed = 0; /* the start is not known */
	loop->cpu_at = cpu;
	count_step(loop->stats.within, took);
	count_step(loop->stats.cpu_within, computed);
	loop->stats.turns++;
	loop->stats.busy_us += took;
	loop->stats.cpu_us += computed;
	if (took > loop->stats.longest_us)
		loop->stats.longest_us = took;
	if (computed > loop->stats.longest_cpu_us)
		loop->stats.longest_cpu_us = computed;
}

void loop_stats(const struct loop *loop, struct loop_stats *ret)
{
	*ret = loop->stats;
}

void loop_stats_reset(struct loop *loop)
{
	loop->stats = (struct loop_stats){0};
}

bool loop_turn(struct loop *loop, int64_t wait_us)
{
	assert(!loop->turning);
	wait_for_events(loop, wait_us);

	loop->turning = true;
	loop->phase_at = loop->clock.uptime;
	bool ran = loop_fds_run(loop);

	begin_phase(loop);
	ran |= loop_timers_run(loop);
	begin_phase(loop);
	ran |= loop_defers_run(loop);
	measure(loop);
	loop->turning = false;
	loop_fds_sweep(loop);
	loop_signals_sweep(loop);
	return ran;
}

/* Can nothing happen any more on this virtual loop, after a turn in which nothing did? */
static bool is_at_rest(const struct loop *loop)
{
	return loop->is_virtual && loop_timers_next(loop) == LOOP_NEVER;
}

void loop_run(struct loop *loop)
{
	while (!loop->stopping)
		if (!loop_turn(loop, -1) && is_at_rest(loop))
			break;
	loop->stopping = false;
}

void loop_stop(struct loop *loop)
{
	loop->stopping = true;
}

void loop_drain(struct loop *loop)
{
	while (loop_turn(loop, 0))
		continue;
}
