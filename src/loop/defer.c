/* SPDX-License-Identifier: Apache-2.0 */
/* loop/defer.c - deferred calls: a queue linked through the callers' own structs.
 *
 * A phase runs the calls that were queued when it began, until its time is up: it moves them to a list of its own;
 * loop_defer_cancel() works for both lists. A call is removed from the queue before it is made, so its callback may
 * defer it again (for the next turn), or free it. */
#include <assert.h>

#include "loop/loop_internal.h"

#include "base/banned.h"

void loop_defers_init(struct loop *loop)
{
	list_init(&loop->defers);
}

static struct loop_defer *take_first(struct list *queue)
{
	struct list *node = list_pop(queue);

	if (!node)
		return NULL;
	struct loop_defer *defer = container_of(node, struct loop_defer, link);

	defer->queued = false;
	return defer;
}

void loop_defers_done(struct loop *loop)
{
	/* Marks the calls as not queued, so that a later cancel does not access the freed loop. */
	while (take_first(&loop->defers))
		continue;
}

bool loop_defers_run(struct loop *loop)
{
	struct list due = LIST_INIT(due);
	struct loop_defer *defer;
	bool ran = false;

	list_splice(&due, &loop->defers);
	while (loop_phase_has_time(loop, ran) && (defer = take_first(&due))) {
		defer->fn(defer->arg);
		ran = true;
	}
	/* The remaining calls come first in the next turn. */
	list_splice(&due, &loop->defers);
	list_splice(&loop->defers, &due);
	return ran;
}

void loop_defer(struct loop *loop, struct loop_defer *defer, loop_defer_fn *fn, void *arg)
{
	if (defer->queued) {
		assert(defer->fn == fn && defer->arg == arg);
		return;
	}
	defer->fn = fn;
	defer->arg = arg;
	defer->queued = true;
	list_push(&loop->defers, &defer->link);
}

void loop_defer_cancel(struct loop *loop, struct loop_defer *defer)
{
	(void)loop; /* the queue is found through its neighbours */
	if (!defer->queued)
		return;
	list_remove(&defer->link);
	defer->queued = false;
}
