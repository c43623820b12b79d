/* SPDX-License-Identifier: Apache-2.0 */
/* json/index.c - a hash map over the members of a large object, nothing for a small one.
 *
 * The map's seed is the object's address: an attacker cannot predict it to choose colliding keys,
 * and it does not influence any result. */
#include "json/index.h"

#include "base/map.h"
#include "base/mem.h"
#include "json/doc_internal.h"

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

/* --- all objects of a document --------------------------------------------------------------- */

/* The index of one object. The key is the object's address: values of a document that is built stay
 * where they are, and memory of those that were removed is not used again. */
struct indexed {
	const void *object;
	struct json_index index;
	bool pending;
};

static struct str place_of(const void *const *object)
{
	return str_of((const char *)object, sizeof(*object));
}

static void flush(struct json_indexes *all, struct indexed *one)
{
	if (!one->pending)
		return;
	one->pending = false;
	all->pending--;
	json_sweep(one->index.object);
}

/* Does this address no longer hold the object that was indexed? */
static void forget(struct json_indexes *all, const void *object)
{
	struct indexed *one = all->by_object ? map_remove(all->by_object, place_of(&object)) : NULL;

	if (!one)
		return;
	flush(all, one);
	json_index_done(&one->index);
	mem_free(one);
}

/* NULL: the object is small and has no index. */
static struct indexed *find(struct json_indexes *all, struct json object)
{
	struct indexed *one = NULL;

	if (all->by_object)
		one = map_get(all->by_object, place_of(&object.val));
	if (one || json_len(object) <= SMALL || !json_is(object, JSON_OBJ))
		return one;
	if (!all->by_object)
		all->by_object = map_new((uint64_t)(uintptr_t)object.val);
	one = mem_new(struct indexed);
	one->object = object.val;
	one->index = json_index_make(object);
	map_put(all->by_object, place_of(&one->object), one);
	return one;
}

void json_indexes_flush(struct json_indexes *all)
{
	size_t at = 0;
	void *one;

	while (all->pending && map_next(all->by_object, &at, NULL, &one))
		flush(all, one);
}

void json_indexes_done(struct json_indexes *all)
{
	size_t at = 0;
	void *value;

	json_indexes_flush(all);
	while (all->by_object && map_next(all->by_object, &at, NULL, &value)) {
		struct indexed *one = value;

		json_index_done(&one->index);
		mem_free(one);
	}
	map_free(all->by_object);
	all->by_object = NULL;
}

struct json json_indexes_get(struct json_indexes *all, struct json object, struct str key)
{
	struct indexed *one = find(all, object);

	return one ? json_index_get(&one->index, key) : json_get_str(object, key);
}

/* The value itself in the document. */
static struct str last_key(struct json object)
{
	const yyjson_mut_val *key = json_built_val(object)->uni.ptr;

	return str_of(key->uni.str, (size_t)(key->tag >> YYJSON_TAG_BIT));
}

void json_indexes_set(struct json_indexes *all, struct json object, struct str key,
		      struct json value)
{
	struct indexed *one = find(all, object);
	struct json old = one ? json_index_get(&one->index, key) : JSON_NONE;

	if (!one) {
		json_set(all->doc, object, key, value);
	} else if (json_is_absent(old)) {
		json_add(all->doc, object, key, value);
		json_index_put(&one->index, last_key(object), value);
	} else {
		forget(all, old.val);
		forget(all, value.val);
		json_put_over(old, value);
	}
}

struct json json_indexes_take(struct json_indexes *all, struct json object, struct str key)
{
	struct indexed *one = find(all, object);
	struct json value = one ? json_index_get(&one->index, key) : json_get_str(object, key);
	struct json taken;

	if (json_is_absent(value))
		return JSON_NONE;
	if (!one) {
		(void)json_remove(all->doc, object, key);
		return value;
	}
	/* it stays in the ring until json_indexes_flush() removes it from the object; the content
	 * moves */
	forget(all, value.val);
	taken = json_new_null(all->doc);
	json_built_val(taken)->tag = json_built_val(value)->tag;
	json_built_val(taken)->uni = json_built_val(value)->uni;
	json_mark_removed(value);
	(void)map_remove(one->index.map, key);
	all->pending += !one->pending;
	one->pending = true;
	return taken;
}
