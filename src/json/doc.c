/* SPDX-License-Identifier: Apache-2.0 */
/* json/doc.c - the life of documents, and where their memory comes from.
 *
 * A document holds either yyjson's immutable form (values in one flat array, strings in a copy of
 * the text) or its mutable one (values in linked rings, memory in growing chunks). Everything that
 * yyjson allocates for it goes through json_doc_alc(): that aborts when memory runs out, so none of
 * yyjson's calls fails for want of it, and counts what a document holds.
 *
 * Blocks of a pooled document carry their size in front, so that they can be given out again.
 *
 * What must stay true:
 * 1. A document has exactly one of `parsed` and `built`.
 * 2. A pool lives until its owner and the last document that draws on it are gone. */
#include "json/doc.h"

#include <assert.h>
#include <stdalign.h>

#include "base/mem.h"
#include "json/doc_internal.h"

#include "base/banned.h"

enum { POOL_BLOCKS = 8 };

struct block {
	alignas(max_align_t) size_t size; /* of what follows */
};

struct json_pool {
	size_t refs;
	size_t keep;
	size_t kept; /* sum of the sizes of the spare blocks */
	struct block *spare[POOL_BLOCKS];
};

/* --- pool ------------------------------------------------------------------------------------ */

struct json_pool *json_pool_new(size_t keep)
{
	struct json_pool *pool = mem_new(struct json_pool);

	pool->refs = 1;
	pool->keep = keep;
	return pool;
}

void json_pool_free(struct json_pool *pool)
{
	if (!pool || --pool->refs > 0)
		return;
	for (size_t i = 0; i < POOL_BLOCKS; i++)
		mem_free(pool->spare[i]);
	mem_free(pool);
}

/* The smallest spare block that is large enough, but not one that would be mostly wasted. */
static struct block *pool_find(struct json_pool *pool, size_t size)
{
	size_t best = POOL_BLOCKS;

	for (size_t i = 0; i < POOL_BLOCKS; i++) {
		struct block *block = pool->spare[i];

		if (!block || block->size < size || block->size / 4 > size)
			continue;
		if (best == POOL_BLOCKS || block->size < pool->spare[best]->size)
			best = i;
	}
	if (best == POOL_BLOCKS)
		return NULL;
	struct block *found = pool->spare[best];
	pool->spare[best] = NULL;
	pool->kept -= found->size;
	return found;
}

static void *pool_alloc(struct json_pool *pool, size_t size)
{
	struct block *block = pool_find(pool, size);

	if (!block) {
		block = mem_alloc(sizeof(*block) + size);
		block->size = size;
	}
	return block + 1;
}

static void pool_give(struct json_pool *pool, void *data)
{
	struct block *block = (struct block *)data - 1;

	for (size_t i = 0; i < POOL_BLOCKS && block->size <= pool->keep - pool->kept; i++) {
		if (pool->spare[i])
			continue;
		pool->spare[i] = block;
		pool->kept += block->size;
		return;
	}
	mem_free(block);
}

static void *pool_realloc(void *data, size_t size)
{
	struct block *block = (struct block *)data - 1;

	if (block->size >= size)
		return data;
	block = mem_realloc(block, 1, sizeof(*block) + size);
	block->size = size;
	return block + 1;
}

/* --- yyjson's view of our memory ------------------------------------------------------------- */

static void *alc_malloc(void *context, size_t size)
{
	struct json_doc *doc = context;

	doc->bytes += size;
	return doc->pool ? pool_alloc(doc->pool, size) : mem_alloc(size);
}

static void *alc_realloc(void *context, void *data, size_t old_size, size_t size)
{
	struct json_doc *doc = context;

	doc->bytes += size - old_size;
	return doc->pool ? pool_realloc(data, size) : mem_realloc(data, 1, size);
}

static void alc_free(void *context, void *data)
{
	struct json_doc *doc = context;

	if (data && doc->pool)
		pool_give(doc->pool, data);
	else
		mem_free(data);
}

yyjson_alc json_doc_alc(struct json_doc *doc)
{
	return (yyjson_alc){alc_malloc, alc_realloc, alc_free, doc};
}

/* --- documents ------------------------------------------------------------------------------- */

struct json_doc *json_doc_make(struct json_pool *pool)
{
	struct json_doc *doc = mem_new(struct json_doc);

	doc->refs = 1;
	doc->bytes = sizeof(*doc);
	doc->pool = pool;
	if (pool)
		pool->refs++;
	return doc;
}

struct json_doc *json_doc_new(void)
{
	struct json_doc *doc = json_doc_make(NULL);
	yyjson_alc alc = json_doc_alc(doc);

	doc->built = yyjson_mut_doc_new(&alc);
	assert(doc->built);
	return doc;
}

struct json_doc *json_doc_thaw(struct json root)
{
	struct json_doc *doc = json_doc_new();

	if (!json_is_absent(root))
		json_doc_set_root(doc, json_new_copy(doc, root));
	return doc;
}

/* Exactly one block for values and one for strings; strings keep their NUL. */
static yyjson_doc *freeze_parsed(struct json_doc *owner, yyjson_val *root)
{
	size_t count = (size_t)(unsafe_yyjson_get_next(root) - root);
	size_t text = 0;

	for (size_t i = 0; i < count; i++)
		if (unsafe_yyjson_get_type(&root[i]) == YYJSON_TYPE_STR)
			text += unsafe_yyjson_get_len(&root[i]) + 1;

	yyjson_alc alc = json_doc_alc(owner);
	size_t head = (sizeof(yyjson_doc) + sizeof(yyjson_val) - 1) / sizeof(yyjson_val);
	yyjson_val *block = alc.malloc(alc.ctx, (head + count) * sizeof(yyjson_val));
	yyjson_doc *doc = (yyjson_doc *)(void *)block;
	char *at = text > 0 ? alc.malloc(alc.ctx, text) : NULL;

	*doc = (yyjson_doc){.root = block + head, .alc = alc, .val_read = count, .str_pool = at};
	memcpy(doc->root, root, count * sizeof(*root));
	for (size_t i = 0; i < count; i++) {
		yyjson_val *val = &doc->root[i];

		if (unsafe_yyjson_get_type(val) != YYJSON_TYPE_STR)
			continue;
		size_t len = unsafe_yyjson_get_len(val) + 1;

		assert(at); /* this string was counted */
		memcpy(at, val->uni.str, len);
		val->uni.str = at;
		at += len;
	}
	return doc;
}

struct json_doc *json_doc_freeze(struct json root)
{
	struct json_doc *doc = json_doc_make(NULL);
	yyjson_alc alc = json_doc_alc(doc);

	if (json_is_absent(root))
		return doc;
	if (root.built) {
		assert(json_height(root, JSON_DEPTH_HARD) <= JSON_DEPTH_HARD);
		doc->parsed = yyjson_mut_val_imut_copy(json_built_val(root), &alc);
	} else {
		doc->parsed = freeze_parsed(doc, json_parsed_val(root));
	}
	assert(doc->parsed);
	return doc;
}

struct json_doc *json_doc_ref(struct json_doc *doc)
{
	assert(doc->refs > 0);
	doc->refs++;
	return doc;
}

void json_doc_unref(struct json_doc *doc)
{
	if (!doc || --doc->refs > 0)
		return;
	yyjson_doc_free(doc->parsed);
	yyjson_mut_doc_free(doc->built);
	json_pool_free(doc->pool);
	mem_free(doc);
}

struct json json_doc_root(const struct json_doc *doc)
{
	if (!doc)
		return JSON_NONE;
	if (doc->built)
		return json_of_built(doc->built->root);
	return json_of_parsed(yyjson_doc_get_root(doc->parsed));
}

bool json_doc_is_mutable(const struct json_doc *doc)
{
	return doc->built != NULL;
}

size_t json_doc_bytes(const struct json_doc *doc)
{
	return doc->bytes;
}
