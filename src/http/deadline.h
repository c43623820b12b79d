/* SPDX-License-Identifier: Apache-2.0 */
/* http/deadline.h - the timer of a connection, which is set to the earliest time at which one of its limits may
 * pass.
 *
 * Limits move all the time, mostly into the future. So the timer is only ever set earlier; when it fires, the owner
 * compares and sets it again. */
#ifndef HTTP_DEADLINE_H
#define HTTP_DEADLINE_H

#include <stdint.h>

#include "loop/loop.h"

struct deadline {
	struct loop *loop;
	struct loop_timer *timer;
	int64_t at; /* what the timer is set to (loop_uptime); INT64_MAX: it is not set */
};

static inline void deadline_init(struct deadline *deadline, struct loop *loop, loop_timer_fn *fn,
				 void *arg)
{
	*deadline = (struct deadline){loop, loop_timer_new(loop, fn, arg), INT64_MAX};
}

static inline void deadline_done(struct deadline *deadline)
{
	loop_timer_free(deadline->timer);
}

/* Fire at this time, unless it fires earlier already. */
static inline void deadline_set(struct deadline *deadline, int64_t due)
{
	int64_t now = loop_uptime(deadline->loop);

	if (due >= deadline->at)
		return;
	deadline->at = due;
	loop_timer_set(deadline->timer, due > now ? due - now : 0);
}

/* The first thing that the timer's function does: it may be set again. */
static inline void deadline_fired(struct deadline *deadline)
{
	deadline->at = INT64_MAX;
}

#endif
