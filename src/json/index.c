/* SPDX-License-Identifier: Apache-2.0 */
/* json/index.c - a hash map over the members of a large object, nothing for a small one.
 *
 * The map's seed is the object's address: enough against keys chosen to collide, and without
 * influence on any result. */
#include "json/index.h"

#include "base/map.h"

#include "base/banned.h"

enum { SMALL = 32 };

static void fill(struct json_index *index)
{
	struct json_iter it = json_iter(index->object);

	index->map = map_new((uint64_t)(uintptr_t)index->object.val);
	while (json_next(&it))
		(void)map_put(index->map, it.key, (void *)it.value.val);
}

struct json_index json_index_make(struct json object)
{
	struct json_index index = {.object = object};

	if (json_len(object) > SMALL)
		fill(&index);
	return index;
}

void json_index_done(struct json_index *index)
{
	map_free(index->map);
	index->map = NULL;
}

struct json json_index_get(const struct json_index *index, struct str key)
{
	if (!index->map)
		return json_get_str(index->object, key);
	const void *val = map_get(index->map, key);
	return (struct json){val, val && index->object.built};
}

void json_index_put(struct json_index *index, struct str key, struct json value)
{
	if (index->map)
		(void)map_put(index->map, key, (void *)value.val);
	else if (json_len(index->object) > SMALL)
		fill(index);
}
