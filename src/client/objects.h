/* SPDX-License-Identifier: Apache-2.0 */
/* client/objects.h - the state of an informer: known objects, their versions, and indexes over
 * them. Pure: does not use a server. */
#ifndef CLIENT_OBJECTS_H
#define CLIENT_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "client/informer.h"
#include "json/doc.h"

struct objects;
struct object_bucket;

/* The position of an object in a bucket of an index. */
struct object_place {
	struct object_bucket *bucket;
	size_t at;
};

struct object_entry {
	uint64_t uid;     /* a hash of it */
	uint64_t version; /* the number, or a hash if it is not a number */
	bool ordered;     /* version is a number */
	uint32_t round;   /* of the last list that contained it */
	uint32_t namespace_len;
	uint32_t key_len;
	struct json_doc *doc; /* NULL: documents are not kept */
	VEC(struct object_place) places;
	char key[]; /* "namespace/name", followed by a NUL */
};

static inline struct str object_entry_key(const struct object_entry *entry)
{
	return str_of(entry->key, entry->key_len);
}
static inline struct str object_entry_namespace(const struct object_entry *entry)
{
	return str_of(entry->key, entry->namespace_len);
}
static inline struct str object_entry_name(const struct object_entry *entry)
{
	return str_skip(object_entry_key(entry), entry->namespace_len + 1U);
}

struct objects *objects_new(uint64_t seed) __attribute__((returns_nonnull));
void objects_free(struct objects *objects);
DEFINE_AUTO(struct objects *, objects_free);

size_t objects_index_add(struct objects *objects, informer_index_fn *fn, void *arg);

size_t objects_len(const struct objects *objects);
struct object_entry *objects_get(const struct objects *objects, struct str namespace,
				 struct str name);
/* The first object after a key (none: the first of all) that begins with `prefix`. */
struct object_entry *objects_next(const struct objects *objects, struct str prefix,
				  struct str after);

/* A new one, without a version yet. */
struct object_entry *objects_add(struct objects *objects, struct str namespace, struct str name)
	__attribute__((returns_nonnull));
/* Sets its document, or NULL, and updates the indexes. Takes a reference of its own. */
void objects_set_doc(struct objects *objects, struct object_entry *entry, struct json_doc *doc);
void objects_remove(struct objects *objects, struct object_entry *entry);

size_t objects_index_len(const struct objects *objects, size_t index, struct str key);
struct object_entry *objects_index_get(const struct objects *objects, size_t index, struct str key,
				       size_t i);

/* Asserts that the indexes are consistent; for tests. */
void objects_check(const struct objects *objects);

#endif
