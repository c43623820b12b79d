/* SPDX-License-Identifier: Apache-2.0 */
/* How many requests are in flight, against servers that work on some at once and queue the others. */
#include "client/window.h"

#include "base/macro.h"
#include "base/time.h"
#include "tap.h"

/* A server with so many workers, each of which takes so long: what the window comes to. */
static size_t settle(struct window *window, size_t workers, int64_t work_us, int answers,
		     int64_t *now)
{
	for (int i = 0; i < answers; i++) {
		/* While the client always has more, an answer takes as many turns as it stands in line. */
		int64_t turns = (int64_t)((window->limit + workers - 1) / workers);
		int64_t took = i % 500 == 0 ? work_us : turns * work_us;

		*now += work_us / (int64_t)workers + 1;
		window_answered(window, took, true, *now);
	}
	return window->limit;
}

int main(void)
{
	struct window window;
	int64_t now = 0;
	size_t limit;

	window_init(&window, 0);
	ok(window.limit == WINDOW_FIRST, "it starts with %zu", window.limit);
	limit = settle(&window, 2, TIME_MILLISECOND, 20000, &now);
	ok(limit >= 32 && limit <= 80, "a small server gets few: %zu", limit);
	window_init(&window, 0);
	limit = settle(&window, 400, 40 * TIME_MILLISECOND, 60000, &now);
	ok(limit >= 300, "a large one gets many: %zu", limit);
	window_init(&window, 0);
	limit = settle(&window, 100000, 100 * TIME_MILLISECOND, 60000, &now);
	ok(limit == WINDOW_MOST, "and a distant one as many as there may be: %zu", limit);
	window_overloaded(&window, now += TIME_SECOND);
	window_overloaded(&window, now);
	ok(window.limit == WINDOW_MOST / 2, "an overload halves it once: %zu", window.limit);
	for (int i = 0; i < 20; i++)
		window_overloaded(&window, now += TIME_SECOND);
	ok(window.limit == WINDOW_LEAST, "but it has an end: %zu", window.limit);
	for (int i = 0; i < 5000; i++)
		window_answered(&window, TIME_MILLISECOND, false, now += TIME_MILLISECOND);
	ok(window.limit == WINDOW_LEAST, "it does not grow if nothing waits");
	window_init(&window, 7);
	window_overloaded(&window, now);
	(void)settle(&window, 1000, TIME_MILLISECOND, 5000, &now);
	ok(window.limit == 7, "a fixed one stays");
	return tap_done();
}
