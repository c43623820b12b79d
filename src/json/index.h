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
/* A member was added or its value replaced. */
void json_index_put(struct json_index *index, struct str key, struct json value);

#endif
