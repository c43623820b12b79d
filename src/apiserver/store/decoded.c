/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/decoded.c - a small cache from a version of an object to its document.
 *
 * Slots by revision, compared by address; a slot holds a reference of the object, so that an address
 * is never that of another one. Those who watch the same kind are told of an event in the same turn:
 * a few hundred slots are plenty. A document that is large is not kept for long either: what all of
 * them take is bounded, and the slots that were filled first are emptied for the next.
 *
 * Always true: `bytes` is the sum over the slots, at most LIMIT_DECODED_BYTES. */
#include "apiserver/store/decoded.h"

#include "apiserver/store/object.h"
#include "base/limits.h"
#include "base/mem.h"

#include "base/banned.h"

enum { SLOTS = 512 };

struct slot {
	struct object *object;
	struct json_doc *doc;
	size_t bytes;
};

struct decoded {
	uint64_t parses;
	size_t bytes;
	size_t oldest; /* where to look for room */
	struct slot slots[SLOTS];
};

struct decoded *decoded_new(void)
{
	return mem_new(struct decoded);
}

static void empty(struct decoded *decoded, struct slot *slot)
{
	decoded->bytes -= slot->bytes;
	object_unref(slot->object);
	json_doc_unref(slot->doc);
	*slot = (struct slot){0};
}

void decoded_free(struct decoded *decoded)
{
	if (!decoded)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		empty(decoded, &decoded->slots[i]);
	mem_free(decoded);
}

static void make_room(struct decoded *decoded, size_t bytes)
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

	if (slot->object == object)
		return json_doc_ref(slot->doc);
	doc = object_parse(object);
	decoded->parses++;
	empty(decoded, slot);
	bytes = json_doc_bytes(doc) + object_bytes(object);
	if (bytes > LIMIT_DECODED_BYTES / 2)
		return doc; /* it would drive all the others out */
	make_room(decoded, bytes);
	decoded->bytes += bytes;
	*slot = (struct slot){object_ref(object), json_doc_ref(doc), bytes};
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
