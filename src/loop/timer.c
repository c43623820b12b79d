/* SPDX-License-Identifier: Apache-2.0 */
/* loop/timer.c - timers: a heap by due time, then by the order of setting.
 *
 * A phase runs the timers that were due when it began. A timer that is set during the phase comes
 * after all of these: its time is the turn's time or later, and its number is higher. So the phase
 * ends at the first timer that lies in the future or has a number from this phase, and a timer that
 * sets itself to 0 does not block the loop.
 *
 * A timer is removed from the heap before its callback, and not accessed after it: its callback may
 * set, stop or free it. */
#include <assert.h>

#include "base/mem.h"
#include "loop/loop_internal.h"

#include "base/banned.h"

struct loop_timer {
	struct heap_node node;
	struct loop *loop;
	loop_timer_fn *fn;
	void *arg;
	int64_t due;
	uint64_t number;
};

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct loop_timer *x = container_of(a, const struct loop_timer, node);
	const struct loop_timer *y = container_of(b, const struct loop_timer, node);

	return x->due != y->due ? x->due < y->due : x->number < y->number;
}

void loop_timers_init(struct loop *loop)
{
	heap_init(&loop->timers.heap, is_before);
}

void loop_timers_done(struct loop *loop)
{
	assert(loop->timers.count == 0);
	heap_done(&loop->timers.heap);
}

static struct loop_timer *first(const struct loop *loop)
{
	struct heap_node *node = heap_first(&loop->timers.heap);

	return node ? container_of(node, struct loop_timer, node) : NULL;
}

int64_t loop_timers_next(const struct loop *loop)
{
	const struct loop_timer *timer = first(loop);

	return timer ? timer->due : LOOP_NEVER;
}

bool loop_timers_run(struct loop *loop)
{
	int64_t now = loop_uptime(loop);
	uint64_t end = loop->timers.set;
	struct loop_timer *timer;
	bool ran = false;

	while ((timer = first(loop)) && timer->due <= now && timer->number < end &&
	       loop_phase_has_time(loop, ran)) {
		heap_remove(&loop->timers.heap, &timer->node);
		timer->fn(timer, timer->arg);
		ran = true;
	}
	return ran;
}

struct loop_timer *loop_timer_new(struct loop *loop, loop_timer_fn *fn, void *arg)
{
	struct loop_timer *timer = mem_new(struct loop_timer);

	timer->loop = loop;
	timer->fn = fn;
	timer->arg = arg;
	loop->timers.count++;
	return timer;
}

void loop_timer_set(struct loop_timer *timer, int64_t after_us)
{
	struct loop *loop = timer->loop;

	if (after_us < 0)
		after_us = 0;
	if (__builtin_add_overflow(loop_uptime(loop), after_us, &timer->due))
		timer->due = LOOP_NEVER;
	timer->number = loop->timers.set++;
	if (heap_node_is_in(&timer->node))
		heap_update(&loop->timers.heap, &timer->node);
	else
		heap_push(&loop->timers.heap, &timer->node);
}

void loop_timer_stop(struct loop_timer *timer)
{
	heap_remove(&timer->loop->timers.heap, &timer->node);
}

bool loop_timer_is_set(const struct loop_timer *timer)
{
	return heap_node_is_in(&timer->node);
}

void loop_timer_free(struct loop_timer *timer)
{
	if (!timer)
		return;
	loop_timer_stop(timer);
	timer->loop->timers.count--;
	mem_free(timer);
}
