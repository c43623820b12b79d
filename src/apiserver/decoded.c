/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/decoded.c - a small cache from a version of an object to its document.
 *
 * Slots by revision, compared by address; a slot holds a reference of the object, so that an address
 * is never that of another one. Those who watch the same kind are told of an event in the same turn:
 * a few hundred slots are plenty, and bound what is kept. */
#include "apiserver/decoded.h"

#include "apiserver/object.h"
#include "base/mem.h"

#include "base/banned.h"

enum { SLOTS = 512 };

struct decoded {
	uint64_t parses;
	struct {
		struct object *object;
		struct json_doc *doc;
	} slots[SLOTS];
};

struct decoded *decoded_new(void)
{
	return mem_new(struct decoded);
}

void decoded_free(struct decoded *decoded)
{
	if (!decoded)
		return;
	for (size_t i = 0; i < SLOTS; i++) {
		object_unref(decoded->slots[i].object);
		json_doc_unref(decoded->slots[i].doc);
	}
	mem_free(decoded);
}

struct json_doc *decoded_get(struct decoded *decoded, struct object *object)
{
	size_t at = (size_t)object->revision % SLOTS; /* neighbours in time never meet */
	struct json_doc *doc;

	if (decoded->slots[at].object == object)
		return json_doc_ref(decoded->slots[at].doc);
	doc = object_parse(object);
	decoded->parses++;
	object_unref(decoded->slots[at].object);
	json_doc_unref(decoded->slots[at].doc);
	decoded->slots[at].object = object_ref(object);
	decoded->slots[at].doc = json_doc_ref(doc);
	return doc;
}

uint64_t decoded_parses(const struct decoded *decoded)
{
	return decoded->parses;
}
