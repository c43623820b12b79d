/* SPDX-License-Identifier: Apache-2.0 */
/* client/workqueue.c - keys that are delayed, ready or active, and their failures.
 *
 * An item exists as long as its key is in the queue or has failures:
 *
 *	delayed (a heap by due time) --due--> ready (a list, in order) --worker free--> active
 *
 * 1. An item is in at most one of ready and active; it may be delayed at the same time as active,
 *    and then becomes due while or after it is processed.
 * 2. An active item that is added, or becomes due, is only marked `again`, and becomes ready when it ends.
 * 3. An item that becomes ready is removed from the heap. */
#include "client/workqueue.h"

#include <assert.h>
#include <string.h>

#include "base/heap.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "base/time.h"
#include "client/resource.h"
#include "loop/loop.h"

#include "base/banned.h"

struct item {
	struct list link; /* while ready */
	struct heap_node delayed;
	int64_t due;       /* by loop_uptime(), while delayed */
	uint64_t sequence; /* order of items that are due at the same time */
	bool ready;
	bool active;
	bool again;
	unsigned failures;
	size_t key_len;
	char key[];
};

struct workqueue {
	struct loop *loop;
	struct workqueue_options options;
	struct map *items;
	struct list ready;
	struct heap delayed;
	struct loop_timer *timer;
	struct loop_defer defer;
	uint64_t sequence;
	struct workqueue_stats stats;
	char *prefix; /* of the keys in the store; NULL: not known */
};

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct item *x = container_of(a, struct item, delayed);
	const struct item *y = container_of(b, struct item, delayed);

	return x->due != y->due ? x->due < y->due : x->sequence < y->sequence;
}

static void on_due(struct loop_timer *timer, void *arg);

struct workqueue *workqueue_new(struct loop *loop, const struct workqueue_options *options)
{
	struct workqueue *queue = mem_new(struct workqueue);

	queue->loop = loop;
	queue->options = *options;
	if (options->resource)
		queue->prefix = mem_printf("%.*s/%.*s/", STR_ARG(options->resource->group),
					   STR_ARG(options->resource->plural));
	if (!queue->options.workers)
		queue->options.workers = 16;
	if (!queue->options.base_us)
		queue->options.base_us = 5 * TIME_MILLISECOND;
	if (!queue->options.max_us)
		queue->options.max_us = 1000 * TIME_SECOND;
	queue->items = map_new(loop_random_u64(loop));
	list_init(&queue->ready);
	heap_init(&queue->delayed, is_before);
	queue->timer = loop_timer_new(loop, on_due, queue);
	return queue;
}

void workqueue_free(struct workqueue *queue)
{
	size_t at = 0;
	void *item;

	if (!queue)
		return;
	loop_defer_cancel(queue->loop, &queue->defer);
	loop_timer_free(queue->timer);
	while (map_next(queue->items, &at, NULL, &item))
		mem_free(item);
	map_free(queue->items);
	heap_done(&queue->delayed);
	mem_free(queue->prefix);
	mem_free(queue);
}

/* --- items --- */

static struct item *item_get(struct workqueue *queue, struct str key)
{
	struct item *item = map_get(queue->items, key);

	if (item)
		return item;
	item = mem_zalloc(sizeof(*item) + key.len);
	item->key_len = key.len;
	if (key.len)
		memcpy(item->key, key.ptr, key.len);
	list_init(&item->link);
	(void)map_put(queue->items, str_of(item->key, key.len), item);
	return item;
}

/* Frees an item that is in no list and has no failures. */
static void item_release(struct workqueue *queue, struct item *item)
{
	if (item->ready || item->active || item->failures || heap_node_is_in(&item->delayed))
		return;
	(void)map_remove(queue->items, str_of(item->key, item->key_len));
	mem_free(item);
}

/* --- working --- */

static void work_on(struct workqueue *queue, struct str key)
{
	struct quarantine *quarantine = queue->prefix ? loop_quarantine(queue->loop) : NULL;
	ptrdiff_t slash = quarantine ? str_find_byte(key, '/', 0) : -1;

	if (quarantine)
		quarantine_enter(quarantine, queue->options.component, str_from(queue->prefix),
				 slash < 0 ? str_none() : str_slice(key, 0, (size_t)slash),
				 slash < 0 ? key : str_skip(key, (size_t)slash + 1));
	queue->options.work(queue->options.arg, key);
	quarantine_leave(quarantine);
}

static void on_work(void *arg)
{
	struct workqueue *queue = arg;
	size_t most =
		queue->stats.ready; /* items that become ready meanwhile wait for the next turn */

	while (most-- && queue->stats.ready && queue->stats.active < queue->options.workers) {
		struct list *first = list_pop(&queue->ready);
		struct item *item = container_of(first, struct item, link);

		assert(first);
		item->ready = false;
		item->active = true;
		queue->stats.ready--;
		queue->stats.active++;
		work_on(queue, str_of(item->key, item->key_len));
	}
	if (queue->stats.ready && queue->stats.active < queue->options.workers)
		loop_defer(queue->loop, &queue->defer, on_work, queue);
}

static void make_ready(struct workqueue *queue, struct item *item)
{
	heap_remove(&queue->delayed, &item->delayed);
	if (item->active) {
		item->again = true;
		return;
	}
	if (item->ready)
		return;
	item->ready = true;
	queue->stats.ready++;
	list_push(&queue->ready, &item->link);
	loop_defer(queue->loop, &queue->defer, on_work, queue);
}

/* The timer is for the one that is due first. */
static void set_timer(struct workqueue *queue)
{
	struct heap_node *first = heap_first(&queue->delayed);

	if (first)
		loop_timer_set(queue->timer, container_of(first, struct item, delayed)->due -
						     loop_uptime(queue->loop));
	else
		loop_timer_stop(queue->timer);
}

static void on_due(struct loop_timer *timer, void *arg)
{
	struct workqueue *queue = arg;
	int64_t now = loop_uptime(queue->loop);
	struct heap_node *first;

	(void)timer;
	while ((first = heap_first(&queue->delayed))) {
		struct item *item = container_of(first, struct item, delayed);

		if (item->due > now)
			break;
		make_ready(queue, item);
	}
	set_timer(queue);
}

static void delay(struct workqueue *queue, struct item *item, int64_t after_us)
{
	int64_t due = loop_uptime(queue->loop) + after_us;

	if (after_us <= 0) {
		make_ready(queue, item);
	} else if (item->ready) {
		return; /* already due earlier */
	} else if (!heap_node_is_in(&item->delayed)) {
		item->due = due;
		item->sequence = queue->sequence++;
		heap_push(&queue->delayed, &item->delayed);
	} else if (due < item->due) {
		item->due = due;
		heap_update(&queue->delayed, &item->delayed);
	}
	set_timer(queue);
}

void workqueue_add(struct workqueue *queue, struct str key)
{
	workqueue_add_after(queue, key, 0);
}

void workqueue_add_after(struct workqueue *queue, struct str key, int64_t after_us)
{
	queue->stats.added++;
	delay(queue, item_get(queue, key), after_us);
}

/* --- ending --- */

static struct item *stop_working(struct workqueue *queue, struct str key)
{
	struct item *item = map_get(queue->items, key);

	assert(item && item->active);
	item->active = false;
	queue->stats.active--;
	if (item->again) {
		item->again = false;
		make_ready(queue, item);
	}
	if (queue->stats.ready)
		loop_defer(queue->loop, &queue->defer, on_work, queue);
	return item;
}

void workqueue_done(struct workqueue *queue, struct str key)
{
	struct item *item = stop_working(queue, key);

	item->failures = 0;
	item_release(queue, item);
}

void workqueue_done_after(struct workqueue *queue, struct str key, int64_t after_us)
{
	struct item *item = stop_working(queue, key);

	item->failures = 0;
	delay(queue, item, after_us);
}

void workqueue_retry(struct workqueue *queue, struct str key)
{
	struct item *item = stop_working(queue, key);
	int64_t after = queue->options.base_us;

	for (unsigned i = 0; i < item->failures && after < queue->options.max_us; i++)
		after *= 2;
	if (after > queue->options.max_us)
		after = queue->options.max_us;
	item->failures++;
	queue->stats.retried++;
	delay(queue, item, after);
}

unsigned workqueue_failures(const struct workqueue *queue, struct str key)
{
	const struct item *item = map_get(queue->items, key);

	return item ? item->failures : 0;
}

void workqueue_stats(const struct workqueue *queue, struct workqueue_stats *ret)
{
	*ret = queue->stats;
	ret->delayed = queue->delayed.len;
}
