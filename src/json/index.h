/* SPDX-License-Identifier: Apache-2.0 */
/* json/index.h - look-up in objects that may be large, for code that looks up many keys.
 *
 * json_get() is linear, which is fastest for usual objects. Looking up each key of one large object
 * in another that way is quadratic, and both may come from an attacker. An index searches small
 * objects linearly and large ones through a hash map. It borrows from the object and is valid until
 * a member is added or removed. */
#ifndef JSON_INDEX_H
#define JSON_INDEX_H

#include "base/macro.h"
#include "json/doc.h"

struct map;

struct json_index {
	struct json object;
	struct map *map; /* NULL: small */
};

struct json_index json_index_make(struct json object);
void json_index_done(struct json_index *index);
DEFINE_AUTO_IN_PLACE(struct json_index, json_index_done);

/* The member, or JSON_NONE. */
struct json json_index_get(const struct json_index *index, struct str key);
/* Call this after a member was added or its value was replaced. `key` must live as long as the
 * index. */
void json_index_put(struct json_index *index, struct str key, struct json value);

/* The same for all objects of a document that is being built: each large object is indexed at its first
 * look-up. While the struct exists, set and remove members of large objects through these functions
 * only.
 *	AUTO(json_indexes_done) struct json_indexes all = {.doc = doc}; */
struct json_indexes {
	struct json_doc *doc;
	struct map *by_object;
	size_t pending; /* objects with marked members that are still to be removed */
};
void json_indexes_done(struct json_indexes *all);
DEFINE_AUTO_IN_PLACE(struct json_indexes, json_indexes_done);

struct json json_indexes_get(struct json_indexes *all, struct json object, struct str key);
/* As json_set(). */
void json_indexes_set(struct json_indexes *all, struct json object, struct str key,
		      struct json value);
/* Removes a member and returns its value, which is then in no container; JSON_NONE if there is
 * none. */
struct json json_indexes_take(struct json_indexes *all, struct json object, struct str key);
/* Completes pending removals; call it before other functions walk, count or compare members. */
void json_indexes_flush(struct json_indexes *all);

#endif
