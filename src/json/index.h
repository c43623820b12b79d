/* SPDX-License-Identifier: Apache-2.0 */
/* json/index.h - look-up in objects that may be large, for code that looks up many keys.
 *
 * json_get() is linear, which is best for the objects of everyday; looking up each key of one
 * large object in another that way is quadratic, and both may come from a stranger. An index asks
 * linearly while the object is small and through a hash map once it is not. It lends from the
 * object, and is valid until a member is added or removed. */
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
/* A member was added or its value replaced. `key` must live as long as the index. */
void json_index_put(struct json_index *index, struct str key, struct json value);

/* The same for a document that is being built, whatever object of it is asked: each large one gets its
 * index when it is first looked at. While it exists, members of large objects are set and taken by these
 * functions only.
 *	AUTO(json_indexes_done) struct json_indexes all = {.doc = doc}; */
struct json_indexes {
	struct json_doc *doc;
	struct map *by_object;
	size_t unsettled; /* objects that still hold what was taken from them */
};
void json_indexes_done(struct json_indexes *all);
DEFINE_AUTO_IN_PLACE(struct json_indexes, json_indexes_done);

struct json json_indexes_get(struct json_indexes *all, struct json object, struct str key);
/* As json_set(). */
void json_indexes_set(struct json_indexes *all, struct json object, struct str key,
		      struct json value);
/* Take a member out; its value is loose then. JSON_NONE: there is none. */
struct json json_indexes_take(struct json_indexes *all, struct json object, struct str key);
/* Before members are walked, counted or compared by other means. */
void json_indexes_settle(struct json_indexes *all);

#endif
