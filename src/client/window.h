/* SPDX-License-Identifier: Apache-2.0 */
/* client/window.h - how many requests may be in flight: as many as the server works on at once, plus
 * a small queue, and no more. A server that gets more does not answer sooner, but its watchers starve.
 *
 * The time of an answer without a queue is the smallest one of the last seconds; what is above it was
 * spent waiting. From that follows how many requests wait at the server. If few do, the window
 * grows, if many do, it shrinks; it shrinks at once when the server says that it is overloaded (429)
 * or ends watches. A value: no memory of its own. */
#ifndef CLIENT_WINDOW_H
#define CLIENT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_LEAST = 16, WINDOW_FIRST = 64, WINDOW_MOST = 512 };

struct window {
	size_t limit;
	bool fixed;
	int64_t base_us;      /* the smallest time of an answer, of this period and the last one */
	int64_t next_base_us; /* of this period */
	int64_t period_began;
	int64_t sum_us; /* of this round, which has as many answers as the limit was */
	size_t answers;
	bool was_full;     /* the limit held requests back in this round */
	int64_t shrunk_at; /* one overload shows in many answers: it counts once */
};

/* `fixed`: always so many; 0: it adapts. */
void window_init(struct window *window, size_t fixed);
/* An answer took so long; `full`: the limit is reached. */
void window_answered(struct window *window, int64_t took_us, bool full, int64_t now);
/* The server is overloaded. */
void window_overloaded(struct window *window, int64_t now);

#endif
