/* SPDX-License-Identifier: Apache-2.0 */
/* loop/clock.c - the time.
 *
 * A real loop reads two clocks at the start of each turn: the wall clock for dates, the monotonic
 * clock for durations. Outside of a turn (while a program starts up) both are read at each call:
 * otherwise a timer that is set then would fire too early.
 *
 * A virtual loop's uptime moves only in loop_clock_turn(), and its wall clock has a fixed distance
 * from it until loop_set_wall_clock() changes it. */
#include <assert.h>
#include <time.h>

#include "loop/loop_internal.h"

#include "base/banned.h"

static int64_t read_clock(clockid_t id)
{
	struct timespec now;
	int failed = clock_gettime(id, &now);

	assert(!failed);
	(void)failed;
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void loop_clock_init(struct loop *loop, int64_t start)
{
	if (loop->is_virtual)
		loop->clock.wall = start;
	else
		loop->clock.origin = read_clock(CLOCK_MONOTONIC);
}

int64_t loop_clock_uptime(const struct loop *loop)
{
	if (loop->is_virtual)
		return loop->clock.uptime;
	return read_clock(CLOCK_MONOTONIC) - loop->clock.origin;
}

int64_t loop_clock_cpu(const struct loop *loop)
{
	return loop->is_virtual ? 0 : read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void loop_clock_turn(struct loop *loop, int64_t passed)
{
	if (loop->is_virtual) {
		loop->clock.uptime += passed;
		return;
	}
	loop->clock.uptime = loop_clock_uptime(loop);
	loop->clock.wall = read_clock(CLOCK_REALTIME);
}

int64_t loop_now(const struct loop *loop)
{
	if (loop->is_virtual)
		return loop->clock.wall + loop->clock.uptime;
	return loop->turning ? loop->clock.wall : read_clock(CLOCK_REALTIME);
}

int64_t loop_uptime(const struct loop *loop)
{
	return loop->turning ? loop->clock.uptime : loop_clock_uptime(loop);
}

int64_t loop_stopwatch(const struct loop *loop)
{
	return loop_clock_uptime(loop);
}

void loop_set_wall_clock(struct loop *loop, int64_t now)
{
	assert(loop->is_virtual);
	loop->clock.wall = now - loop->clock.uptime;
}
