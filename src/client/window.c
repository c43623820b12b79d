/* SPDX-License-Identifier: Apache-2.0 */
/* client/window.c - see window.h. Once per round (as many answers as requests fit into the window), the
 * number of requests that wait at the server is estimated as limit * (1 - base / average), and the
 * limit changed by an eighth. */
#include "client/window.h"

#include "base/time.h"

#include "base/banned.h"

#define PERIOD (10 * TIME_SECOND)
#define SHRINK_PAUSE (TIME_SECOND)
/* So many requests may wait at the server: enough that it is never idle. */
enum { QUEUE_FEW = 32, QUEUE_MANY = 64 };
/* Differences below this are the scheduling of the machine, not a queue. */
#define NOISE (5 * TIME_MILLISECOND)

void window_init(struct window *window, size_t fixed)
{
	*window = (struct window){.limit = fixed ? fixed : WINDOW_FIRST,
				  .fixed = fixed != 0,
				  .base_us = INT64_MAX,
				  .next_base_us = INT64_MAX,
				  .shrunk_at = -SHRINK_PAUSE};
}

static void set_limit(struct window *window, size_t limit)
{
	window->limit = limit < WINDOW_LEAST  ? WINDOW_LEAST
			: limit > WINDOW_MOST ? WINDOW_MOST
					      : limit;
	window->answers = 0;
	window->sum_us = 0;
	window->was_full = false;
}

static void note_base(struct window *window, int64_t took_us, int64_t now)
{
	if (now - window->period_began >= PERIOD) {
		window->base_us = window->next_base_us;
		window->next_base_us = took_us;
		window->period_began = now;
	}
	if (took_us < window->next_base_us)
		window->next_base_us = took_us;
	if (took_us < window->base_us)
		window->base_us = took_us;
}

void window_answered(struct window *window, int64_t took_us, bool full, int64_t now)
{
	int64_t average, waiting;

	if (window->fixed)
		return;
	note_base(window, took_us, now);
	window->sum_us += took_us;
	window->was_full |= full;
	if (++window->answers < window->limit)
		return;
	average = window->sum_us / (int64_t)window->answers;
	waiting = average > window->base_us + NOISE
			  ? (int64_t)window->limit * (average - window->base_us) / average
			  : 0;
	if (waiting < QUEUE_FEW && window->was_full)
		set_limit(window, window->limit + window->limit / 8);
	else if (waiting > QUEUE_MANY)
		set_limit(window, window->limit - window->limit / 8);
	else
		set_limit(window, window->limit);
}

void window_overloaded(struct window *window, int64_t now)
{
	if (window->fixed || now - window->shrunk_at < SHRINK_PAUSE)
		return;
	window->shrunk_at = now;
	set_limit(window, window->limit / 2);
}
