/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/decoded.c - a small cache from a version of an object to its document.
 *
 * Slots by revision, compared by address; a slot holds a reference of the object, so that an
 * address is never that of another one. Watchers of the same kind get an event in the same turn: a
 * few hundred slots are enough. A document that is large is not kept for long either: what all of
 * them take is bounded, and the slots that were filled first are emptied for the next. If much is
 * kept and nothing more is decoded, a timer empties the slots that are not used.
 *
 * Always true: `bytes` is the sum over the slots, at most LIMIT_DECODED_BYTES. */
#include "apiserver/store/decoded.h"

#include "apiserver/store/object.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

enum {
	SLOTS = 512,
	IDLE_BYTES = 1024 * 1024, /* that stay even if they are not used */
};

#define IDLE_AFTER (30 * TIME_SECOND)

struct slot {
	struct object *object;
	struct json_doc *doc;
	size_t bytes;
	bool used; /* since the timer was set */
};

struct decoded {
	struct loop_timer *timer; /* set while more than IDLE_BYTES are kept */
	uint64_t parses;
	size_t bytes;
	size_t oldest; /* where to look for a free slot */
	struct slot slots[SLOTS];
};

static void empty(struct decoded *decoded, struct slot *slot)
{
	decoded->bytes -= slot->bytes;
	object_unref(slot->object);
	json_doc_unref(slot->doc);
	*slot = (struct slot){0};
}

static void empty_later(struct decoded *decoded)
{
	if (decoded->bytes > IDLE_BYTES && !loop_timer_is_set(decoded->timer))
		loop_timer_set(decoded->timer, IDLE_AFTER);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct decoded *decoded = arg;

	(void)timer;
	for (size_t i = 0; i < SLOTS; i++) {
		if (!decoded->slots[i].used)
			empty(decoded, &decoded->slots[i]);
		decoded->slots[i].used = false;
	}
	empty_later(decoded);
}

struct decoded *decoded_new(struct loop *loop)
{
	struct decoded *decoded = mem_new(struct decoded);

	decoded->timer = loop_timer_new(loop, on_timer, decoded);
	return decoded;
}

void decoded_free(struct decoded *decoded)
{
	if (!decoded)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		empty(decoded, &decoded->slots[i]);
	loop_timer_free(decoded->timer);
	mem_free(decoded);
}

static void evict(struct decoded *decoded, size_t bytes)
{
	for (size_t i = 0; i < SLOTS && decoded->bytes + bytes > LIMIT_DECODED_BYTES; i++) {
		empty(decoded, &decoded->slots[decoded->oldest]);
		decoded->oldest = (decoded->oldest + 1) % SLOTS;
	}
}

struct json_doc *decoded_get(struct decoded *decoded, struct object *object)
{
	/* neighbours in time never meet */
	struct slot *slot = &decoded->slots[(size_t)object->revision % SLOTS];
	struct json_doc *doc;
	size_t bytes;

	if (slot->object == object) {
		slot->used = true;
		return json_doc_ref(slot->doc);
	}
	doc = object_parse(object);
	decoded->parses++;
	empty(decoded, slot);
	bytes = json_doc_bytes(doc) + object_bytes(object);
	if (bytes > LIMIT_DECODED_BYTES / 2)
		return doc; /* it would drive all the others out */
	evict(decoded, bytes);
	decoded->bytes += bytes;
	*slot = (struct slot){object_ref(object), json_doc_ref(doc), bytes, true};
	empty_later(decoded);
	return doc;
}

size_t decoded_bytes(const struct decoded *decoded)
{
	return decoded->bytes;
}

uint64_t decoded_parses(const struct decoded *decoded)
{
	return decoded->parses;
}
