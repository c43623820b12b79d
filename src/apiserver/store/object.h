/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/object.h - a version of an object: immutable, shared by reference count.
 *
 * `text` is its compact JSON as it is sent, with its resourceVersion in it. Labels and selectable
 * fields are stored with it, so that lists and watches select without parsing. All of it is one
 * allocation; what labels and fields have in common with the text is not kept twice.
 *
 * The same bytes with a checksum before them are its record on disk. */
#ifndef APISERVER_OBJECT_H
#define APISERVER_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct buf;
struct json_doc;

/* The names of an object's fields, shared by the objects of a kind. */
struct object_names;

struct object {
	unsigned refs;
	uint32_t label_count;
	uint32_t field_count;
	uint32_t pairs_len;
	int64_t revision; /* of this version */
	struct str key;
	struct str text;
	struct object_names *names;
};

struct object_pair {
	struct str key;
	struct str value;
};

struct object *object_ref(struct object *object);
/* Takes NULL. */
void object_unref(struct object *object);
DEFINE_AUTO(struct object *, object_unref);

/* The value of a label or a selectable field, or str_none(): an empty value is not none. */
struct str object_label(const struct object *object, struct str key);
struct str object_field(const struct object *object, struct str key);
/* Walk the labels in the order in which they were given:
 *	uint64_t at = 0; struct object_pair label;
 *	while (object_next_label(object, &at, &label)) ... */
bool object_next_label(const struct object *object, uint64_t *at, struct object_pair *ret);

/* Its text as a new document. An object whose text cannot be read (only a fault of ours or of the disk
 * makes one) gives a document with nothing but the name and namespace of its key, so that it can be
 * listed and deleted like any other. */
struct json_doc *object_parse(const struct object *object) __attribute__((returns_nonnull));

/* Bytes of memory that it takes, without what the allocator adds. */
size_t object_bytes(const struct object *object);

/* --- for the store --- */

void object_names_unref(struct object_names *names);

struct object_parts {
	struct str key;
	struct str before; /* the text up to the digits of resourceVersion ... */
	struct str tail;   /* ... and what follows them */
	const struct object_pair *labels;
	/* The probable offset of each label's key in `tail`, with its value three bytes after it;
	 * NULL: not known. This saves searching; the bytes at the offset are compared. */
	const uint32_t *label_places;
	const struct object_pair *fields;
	uint32_t label_count;
	uint32_t field_count;
};
/* Copies all of it. `names` holds the names of the last object of the kind (or NULL): they are
 * shared if they are the same, and replaced by the new ones if not. `scratch` is cleared. */
struct object *object_new(const struct object_parts *parts, int64_t revision,
			  struct object_names **names, struct buf *scratch)
	__attribute__((returns_nonnull));

/* The record: how long it is, into memory of that length, and back. A record that is damaged or
 * not of this key is ERR_STORE_READ. */
size_t object_record_len(const struct object *object);
void object_encode(const struct object *object, void *to);
struct object *object_decode(struct str key, struct str record, struct object_names **names,
			     struct err *err) MUST_CHECK;

#endif
