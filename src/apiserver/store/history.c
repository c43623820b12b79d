/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/history.c - a ring of events.
 *
 * The ring starts small and doubles up to its bound, so that an idle server pays for what it keeps.
 *
 * 1. The events are those of the revisions compacted + 1 ... compacted + len, in order.
 * 2. There are at most max_events, and `bytes` is the sum over what they hold, at most max_bytes: of
 *    each its object and the version that it replaced. One that is held by two events counts twice:
 *    that is never too little, whichever of them goes first. */
#include "apiserver/store/history.h"

#include <assert.h>

#include "apiserver/store/store.h"
#include "base/mem.h"

#include "base/banned.h"

enum { SIZE_FIRST = 64 };

struct history {
	struct store_event *ring;
	size_t size; /* of the ring, a power of two */
	size_t start;
	size_t len;
	size_t bytes;
	size_t max_events;
	size_t max_bytes;
	int64_t compacted;
};

struct history *history_new(int64_t revision, size_t max_events, size_t max_bytes)
{
	struct history *history = mem_new(struct history);

	assert(max_events > 0);
	history->compacted = revision;
	history->max_events = max_events;
	history->max_bytes = max_bytes;
	return history;
}

static struct store_event *event_at(const struct history *history, size_t index)
{
	return &history->ring[(history->start + index) & (history->size - 1)];
}

static size_t event_bytes(const struct store_event *event)
{
	return object_bytes(event->object) + (event->previous ? object_bytes(event->previous) : 0);
}

static void drop_first(struct history *history)
{
	struct store_event *event = event_at(history, 0);

	history->bytes -= event_bytes(event);
	history->compacted = event->revision;
	object_unref(event->object);
	object_unref(event->previous);
	history->start = (history->start + 1) & (history->size - 1);
	history->len--;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	while (history->len > 0)
		drop_first(history);
	mem_free(history->ring);
	mem_free(history);
}

static void grow(struct history *history)
{
	size_t size = history->size ? 2 * history->size : SIZE_FIRST;
	struct store_event *ring = mem_calloc(size, sizeof(*ring));

	for (size_t i = 0; i < history->len; i++)
		ring[i] = *event_at(history, i);
	mem_free(history->ring);
	history->ring = ring;
	history->size = size;
	history->start = 0;
}

void history_add(struct history *history, const struct store_event *event)
{
	assert(event->revision == history->compacted + (int64_t)history->len + 1);
	if (history->len == history->max_events)
		drop_first(history);
	if (history->len == history->size)
		grow(history);
	struct store_event *place = event_at(history, history->len++);

	*place = *event;
	object_ref(place->object);
	if (place->previous)
		object_ref(place->previous);
	history->bytes += event_bytes(place);
	while (history->bytes > history->max_bytes)
		drop_first(history);
}

void history_trim(struct history *history, int64_t revision, size_t max_bytes)
{
	while (history->len > 0 && history->compacted < revision && history->bytes > max_bytes)
		drop_first(history);
}

const struct store_event *history_find(const struct history *history, int64_t revision)
{
	int64_t index = revision - history->compacted - 1;

	if (index < 0 || index >= (int64_t)history->len)
		return NULL;
	return event_at(history, (size_t)index);
}

int64_t history_compacted(const struct history *history)
{
	return history->compacted;
}

size_t history_len(const struct history *history)
{
	return history->len;
}

size_t history_bytes(const struct history *history)
{
	return history->bytes;
}

void history_check(const struct history *history)
{
	size_t bytes = 0;

	assert(history->len <= history->max_events && history->len <= history->size);
	for (size_t i = 0; i < history->len; i++) {
		const struct store_event *event = event_at(history, i);

		assert(event->revision == history->compacted + 1 + (int64_t)i);
		assert(event->object->refs > 0 && event->object->revision == event->revision);
		assert((event->type == STORE_ADDED) == (event->previous == NULL));
		bytes += event_bytes(event);
	}
	assert(bytes == history->bytes && bytes <= history->max_bytes);
}
