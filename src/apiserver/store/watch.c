/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/watch.c - delivers events to watches.
 *
 * 1. A watch gets an event only if it is newer than all that it got before: no duplicates, always
 *    in order, even if watches are added while events are delivered.
 * 2. A watch that ends during callbacks stays in its list, dead, until the outermost one is over: a
 *    walk never loses its place. */
#include "apiserver/store/watch.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

#include "base/banned.h"

struct store_watch {
	struct list link;
	struct watches *among;
	int64_t known;      /* it got everything up to this revision */
	store_event_fn *fn; /* NULL: dead */
	void *arg;
	size_t prefix_len;
	char prefix[];
};

void watches_init(struct watches *watches)
{
	*watches = (struct watches){.swept = true};
	list_init(&watches->list);
}

void watches_done(struct watches *watches)
{
	assert(list_is_empty(&watches->list));
}

struct store_watch *watches_add(struct watches *watches, struct str prefix, int64_t revision,
				store_event_fn *fn, void *arg)
{
	struct store_watch *watch = mem_alloc(sizeof(*watch) + prefix.len);

	*watch = (struct store_watch){
		.among = watches,
		.known = revision,
		.fn = fn,
		.arg = arg,
		.prefix_len = prefix.len,
	};
	if (prefix.len)
		memcpy(watch->prefix, prefix.ptr, prefix.len);
	list_push(&watches->list, &watch->link);
	return watch;
}

static void watch_free(struct store_watch *watch)
{
	list_remove(&watch->link);
	mem_free(watch);
}

static void sweep(struct watches *watches)
{
	if (watches->swept || watches->calling > 0)
		return;
	LIST_EACH(&watches->list, struct store_watch, link, watch)
		if (!watch->fn)
			watch_free(watch);
	watches->swept = true;
}

static void tell(struct store_watch *watch, const struct store_event *event)
{
	if (!watch->fn || event->revision <= watch->known)
		return;
	watch->known = event->revision;
	if (str_starts(event->object->key, str_of(watch->prefix, watch->prefix_len)))
		watch->fn(watch->arg, event);
}

void watch_deliver(struct store_watch *watch, const struct store_event *event)
{
	struct watches *among = watch->among;

	among->calling++;
	tell(watch, event);
	among->calling--;
	sweep(among);
}

void watches_deliver(struct watches *watches, const struct store_event *event)
{
	watches->calling++;
	LIST_EACH(&watches->list, struct store_watch, link, watch)
		tell(watch, event);
	watches->calling--;
	sweep(watches);
}

void store_unwatch(struct store_watch *watch)
{
	if (!watch)
		return;
	assert(watch->fn);
	if (watch->among->calling == 0) {
		watch_free(watch);
		return;
	}
	watch->fn = NULL;
	watch->among->swept = false;
}
