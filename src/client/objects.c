/* SPDX-License-Identifier: Apache-2.0 */
/* client/objects.c - known objects in order of namespace and name, and indexes over them.
 *
 * A bucket of an index is an array of the objects found under one text; an object stores its
 * places, and the one that fills a gap gets its new place, so that every change costs O(1) per
 * index and key, however many objects share a key.
 *
 * Always true: entry->places[p] == {b, i} if and only if b->members[i] == {entry, p}. */
#include "client/objects.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/omap.h"

#include "base/banned.h"

struct member {
	struct object_entry *entry;
	size_t place; /* in entry->places */
};

struct object_bucket {
	struct index *index;
	VEC(struct member) members;
	size_t key_len;
	char key[];
};

struct index {
	informer_index_fn *fn;
	void *arg;
	struct map *buckets;
};

struct objects {
	struct omap *entries;
	VEC(struct index *) indexes;
	uint64_t seed;
};

/* The argument of an index function. */
struct informer_keys {
	struct index *index;
	struct object_entry *entry;
};

/* --- life --- */

struct objects *objects_new(uint64_t seed)
{
	struct objects *objects = mem_new(struct objects);

	objects->entries = omap_new();
	objects->seed = seed;
	return objects;
}

static void entry_free(struct object_entry *entry)
{
	json_doc_unref(entry->doc);
	vec_done(&entry->places);
	mem_free(entry);
}

static void index_free(struct index *index)
{
	size_t at = 0;
	void *bucket;

	while (map_next(index->buckets, &at, NULL, &bucket)) {
		vec_done(&((struct object_bucket *)bucket)->members);
		mem_free(bucket);
	}
	map_free(index->buckets);
	mem_free(index);
}

void objects_free(struct objects *objects)
{
	struct object_entry *entry;

	if (!objects)
		return;
	for (size_t i = 0; i < objects->indexes.len; i++)
		index_free(objects->indexes.ptr[i]);
	vec_done(&objects->indexes);
	while ((entry = omap_seek(objects->entries, STR(""), NULL))) {
		(void)omap_remove(objects->entries, object_entry_key(entry));
		entry_free(entry);
	}
	omap_free(objects->entries);
	mem_free(objects);
}

size_t objects_index_add(struct objects *objects, informer_index_fn *fn, void *arg)
{
	struct index *index = mem_new(struct index);

	assert(omap_len(objects->entries) == 0);
	index->fn = fn;
	index->arg = arg;
	index->buckets = map_new(objects->seed);
	vec_push(&objects->indexes, index);
	return objects->indexes.len - 1;
}

/* --- reading --- */

size_t objects_len(const struct objects *objects)
{
	return omap_len(objects->entries);
}

enum { KEY_SIZE = 600 }; /* both parts have at most 253 bytes */

/* "namespace/name"; none if it would be longer than any object's key. */
static struct str join(struct str namespace, struct str name, char to[KEY_SIZE])
{
	if (namespace.len + 1 + name.len > KEY_SIZE)
		return str_none();
	if (namespace.len)
		memcpy(to, namespace.ptr, namespace.len);
	to[namespace.len] = '/';
	if (name.len)
		memcpy(to + namespace.len + 1, name.ptr, name.len);
	return str_of(to, namespace.len + 1 + name.len);
}

struct object_entry *objects_get(const struct objects *objects, struct str namespace,
				 struct str name)
{
	char text[KEY_SIZE];
	struct str key = join(namespace, name, text);

	return str_is_none(key) ? NULL : omap_get(objects->entries, key);
}

struct object_entry *objects_next(const struct objects *objects, struct str prefix,
				  struct str after)
{
	struct str key;
	struct object_entry *entry = str_is_none(after) ? omap_seek(objects->entries, prefix, &key)
							: omap_after(objects->entries, after, &key);

	return entry && str_starts(key, prefix) ? entry : NULL;
}

/* --- indexes --- */

static struct object_bucket *bucket_get(struct index *index, struct str key)
{
	struct object_bucket *bucket = map_get(index->buckets, key);

	if (bucket)
		return bucket;
	bucket = mem_zalloc(sizeof(*bucket) + key.len);
	bucket->index = index;
	bucket->key_len = key.len;
	if (key.len)
		memcpy(bucket->key, key.ptr, key.len);
	(void)map_put(index->buckets, str_of(bucket->key, key.len), bucket);
	return bucket;
}

void informer_key_add(struct informer_keys *keys, struct str key)
{
	struct object_entry *entry = keys->entry;
	struct object_bucket *bucket = bucket_get(keys->index, key);

	for (size_t i = 0; i < entry->places.len; i++)
		if (entry->places.ptr[i].bucket == bucket)
			return;
	vec_push(&entry->places, (struct object_place){bucket, bucket->members.len});
	vec_push(&bucket->members, (struct member){entry, entry->places.len - 1});
}

static void leave(const struct object_place *place)
{
	struct object_bucket *bucket = place->bucket;
	struct member *moved;

	vec_remove_swap(&bucket->members, place->at);
	if (place->at < bucket->members.len) {
		moved = &bucket->members.ptr[place->at];
		moved->entry->places.ptr[moved->place].at = place->at;
	}
	if (bucket->members.len)
		return;
	(void)map_remove(bucket->index->buckets, str_of(bucket->key, bucket->key_len));
	vec_done(&bucket->members);
	mem_free(bucket);
}

static void leave_indexes(struct object_entry *entry)
{
	for (size_t i = 0; i < entry->places.len; i++)
		leave(&entry->places.ptr[i]);
	vec_clear(&entry->places);
}

static void join_indexes(struct objects *objects, struct object_entry *entry)
{
	for (size_t i = 0; i < objects->indexes.len; i++) {
		struct informer_keys keys = {objects->indexes.ptr[i], entry};

		keys.index->fn(keys.index->arg, json_doc_root(entry->doc), &keys);
	}
}

static const struct object_bucket *find_bucket(const struct objects *objects, size_t index,
					       struct str key)
{
	assert(index < objects->indexes.len);
	return map_get(objects->indexes.ptr[index]->buckets, key);
}

size_t objects_index_len(const struct objects *objects, size_t index, struct str key)
{
	const struct object_bucket *bucket = find_bucket(objects, index, key);

	return bucket ? bucket->members.len : 0;
}

struct object_entry *objects_index_get(const struct objects *objects, size_t index, struct str key,
				       size_t i)
{
	const struct object_bucket *bucket = find_bucket(objects, index, key);

	return bucket && i < bucket->members.len ? bucket->members.ptr[i].entry : NULL;
}

/* --- changing --- */

struct object_entry *objects_add(struct objects *objects, struct str namespace, struct str name)
{
	size_t len = namespace.len + 1 + name.len;
	struct object_entry *entry = mem_zalloc(sizeof(*entry) + len + 1);

	entry->namespace_len = (uint32_t) namespace.len;
	entry->key_len = (uint32_t)len;
	if (namespace.len)
		memcpy(entry->key, namespace.ptr, namespace.len);
	entry->key[namespace.len] = '/';
	if (name.len)
		memcpy(entry->key + namespace.len + 1, name.ptr, name.len);
	(void)omap_put(objects->entries, object_entry_key(entry), entry);
	return entry;
}

void objects_set_doc(struct objects *objects, struct object_entry *entry, struct json_doc *doc)
{
	struct json_doc *old = entry->doc;

	leave_indexes(entry);
	entry->doc = doc ? json_doc_ref(doc) : NULL;
	json_doc_unref(old);
	if (doc)
		join_indexes(objects, entry);
}

void objects_remove(struct objects *objects, struct object_entry *entry)
{
	leave_indexes(entry);
	(void)omap_remove(objects->entries, object_entry_key(entry));
	entry_free(entry);
}

void objects_check(const struct objects *objects)
{
	struct str at = str_none();
	struct object_entry *entry;

	while ((entry = objects_next(objects, STR(""), at))) {
		at = object_entry_key(entry);
		for (size_t i = 0; i < entry->places.len; i++) {
			const struct object_place *place = &entry->places.ptr[i];
			const struct member *member = &place->bucket->members.ptr[place->at];

			assert(place->at < place->bucket->members.len);
			assert(member->entry == entry && member->place == i);
		}
	}
}
