/* SPDX-License-Identifier: Apache-2.0 */
/* json/doc.c - the life of documents, and where their memory comes from.
 *
 * A document holds either yyjson's immutable form (values in one flat array, strings in a copy of
 * the text) or its mutable one (values in linked rings, memory in growing chunks). Everything that
 * yyjson allocates for it goes through json_doc_alc(): that aborts when memory runs out, so that no
 * call of yyjson fails for lack of memory, and counts the memory of the document.
 *
 * A document is one block if its size is known or can be estimated: `space`, at the end of the
 * struct, is allocated from first, front to back, and is freed with the document. So most documents
 * need one malloc() and one free(); yyjson alone needs a dozen for an object of a kilobyte, of
 * sizes for which glibc is slow.
 *
 * Blocks of a pooled document begin with their size, so that the pool can reuse them.
 *
 * What must stay true:
 * 1. A document has exactly one of `parsed` and `built`.
 * 2. A pool lives until its owner and the last document that uses it have released it. */
#include "json/doc.h"

#include <assert.h>
#include <stdalign.h>

#include "base/mem.h"
#include "json/doc_internal.h"

#include "base/banned.h"

enum {
	POOL_BLOCKS = 8,
	/* The initial size of an empty document, enough for a patch or a small object. */
	NEW_VALUES = 64,
	NEW_TEXT = 1024,
};

struct block {
	alignas(max_align_t) size_t size; /* of the memory that follows */
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

/* The smallest spare block that is large enough, or NULL if most of it would be wasted. */
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

static bool is_in_space(const struct json_doc *doc, const void *data)
{
	const char *at = data;

	return at >= doc->space && at < doc->space + doc->space_size;
}

/* The next bytes of the document's own block, or NULL if too few are left. */
static void *take_space(struct json_doc *doc, size_t size)
{
	size_t whole = json_space(size);

	if (whole > doc->space_size - doc->space_used)
		return NULL;
	void *data = doc->space + doc->space_used;

	doc->space_used += whole;
	return data;
}

static void *alc_malloc(void *context, size_t size)
{
	struct json_doc *doc = context;
	void *data = take_space(doc, size);

	if (data)
		return data;
	doc->bytes += size;
	return doc->pool ? pool_alloc(doc->pool, size) : mem_alloc(size);
}

/* yyjson reallocates only while it reads, and a document that it reads into has no `space`. */
static void *alc_realloc(void *context, void *data, size_t old_size, size_t size)
{
	struct json_doc *doc = context;

	assert(!is_in_space(doc, data));
	doc->bytes += size - old_size;
	return doc->pool ? pool_realloc(data, size) : mem_realloc(data, 1, size);
}

static void alc_free(void *context, void *data)
{
	struct json_doc *doc = context;

	if (!data || is_in_space(doc, data))
		return;
	if (doc->pool)
		pool_give(doc->pool, data);
	else
		mem_free(data);
}

yyjson_alc json_doc_alc(struct json_doc *doc)
{
	return (yyjson_alc){alc_malloc, alc_realloc, alc_free, doc};
}

/* --- documents ------------------------------------------------------------------------------- */

/* Not cleared: users of the space fill it. */
static struct json_doc *make_with_space(size_t space)
{
	struct json_doc *doc = mem_alloc(sizeof(*doc) + space);

	*doc = (struct json_doc){.refs = 1, .bytes = sizeof(*doc) + space, .space_size = space};
	return doc;
}

struct json_doc *json_doc_make(struct json_pool *pool)
{
	struct json_doc *doc = make_with_space(0);

	doc->pool = pool;
	if (pool)
		pool->refs++;
	return doc;
}

/* An empty document with space for this many values and bytes of text; it grows if more are added.
 */
static struct json_doc *new_sized(size_t values, size_t text)
{
	size_t value_bytes =
		(values + 1) * sizeof(yyjson_mut_val); /* one for the header of the chunk */
	size_t text_bytes = text + sizeof(yyjson_str_chunk);
	struct json_doc *doc = make_with_space(json_space(sizeof(yyjson_mut_doc)) +
					       json_space(value_bytes) + json_space(text_bytes));
	yyjson_alc alc = json_doc_alc(doc);

	doc->built = yyjson_mut_doc_new(&alc);
	bool there = doc->built &&
		     unsafe_yyjson_val_pool_grow(&doc->built->val_pool, &alc, values) &&
		     unsafe_yyjson_str_pool_grow(&doc->built->str_pool, &alc, text);

	assert(there);
	return doc;
}

struct json_doc *json_doc_new(void)
{
	return new_sized(NEW_VALUES, NEW_TEXT);
}

/* Bytes of all strings among `count` values, each with its NUL. */
static size_t text_of(const yyjson_val *values, size_t count)
{
	size_t text = 0;

	for (size_t i = 0; i < count; i++)
		if (unsafe_yyjson_get_type((void *)(uintptr_t)&values[i]) == YYJSON_TYPE_STR)
			text += unsafe_yyjson_get_len((void *)(uintptr_t)&values[i]) + 1;
	return text;
}

/* With some extra space for changes. */
static struct json_doc *new_for(struct json root)
{
	if (json_is_absent(root) || root.built)
		return json_doc_new();
	yyjson_val *first = json_parsed_val(root);
	size_t count = (size_t)(unsafe_yyjson_get_next(first) - first);

	return new_sized(count + NEW_VALUES, text_of(first, count) + NEW_TEXT);
}

struct json_doc *json_doc_thaw(struct json root)
{
	struct json_doc *doc = new_for(root);

	if (!json_is_absent(root))
		json_doc_set_root(doc, json_new_copy(doc, root));
	return doc;
}

/* A document of this many values and bytes of text, all in its own block; the caller fills both in. */
static struct json_doc *new_parsed(size_t count, size_t text)
{
	size_t head = (sizeof(yyjson_doc) + sizeof(yyjson_val) - 1) / sizeof(yyjson_val);
	size_t values = (head + count) * sizeof(yyjson_val);
	struct json_doc *doc = make_with_space(json_space(values) + json_space(text));
	yyjson_alc alc = json_doc_alc(doc);
	yyjson_val *block = alc.malloc(alc.ctx, values);

	doc->parsed = (yyjson_doc *)(void *)block;
	*doc->parsed = (yyjson_doc){.root = block + head,
				    .alc = alc,
				    .val_read = count,
				    .str_pool = text > 0 ? alc.malloc(alc.ctx, text) : NULL};
	return doc;
}

struct json_doc *json_doc_keep(const yyjson_doc *read)
{
	size_t text = read->str_pool ? read->dat_read : 0;
	struct json_doc *doc = new_parsed(read->val_read, text);
	yyjson_val *to = doc->parsed->root;

	if (text > 0)
		memcpy(doc->parsed->str_pool, read->str_pool, text);
	for (size_t i = 0; i < read->val_read; i++) {
		to[i] = read->root[i];
		if (unsafe_yyjson_get_type(&to[i]) == YYJSON_TYPE_STR)
			to[i].uni.str = doc->parsed->str_pool + (to[i].uni.str - read->str_pool);
	}
	return doc;
}

/* Copies the strings one after the other, each with its NUL. */
static struct json_doc *freeze_parsed(yyjson_val *root)
{
	size_t count = (size_t)(unsafe_yyjson_get_next(root) - root);
	struct json_doc *doc = new_parsed(count, text_of(root, count));
	yyjson_val *to = doc->parsed->root;
	char *at = doc->parsed->str_pool;

	memcpy(to, root, count * sizeof(*root));
	for (size_t i = 0; i < count; i++) {
		if (unsafe_yyjson_get_type(&to[i]) != YYJSON_TYPE_STR)
			continue;
		size_t len = unsafe_yyjson_get_len(&to[i]) + 1;

		assert(at); /* text_of() has counted this string */
		memcpy(at, to[i].uni.str, len);
		to[i].uni.str = at;
		at += len;
	}
	return doc;
}

struct json_doc *json_doc_freeze(struct json root)
{
	if (!json_is_absent(root) && !root.built)
		return freeze_parsed(json_parsed_val(root));
	struct json_doc *doc = json_doc_make(NULL);
	yyjson_alc alc = json_doc_alc(doc);

	if (json_is_absent(root))
		return doc;
	assert(json_height(root, JSON_DEPTH_HARD) <= JSON_DEPTH_HARD);
	doc->parsed = yyjson_mut_val_imut_copy(json_built_val(root), &alc);
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

bool json_doc_is_sole(const struct json_doc *doc)
{
	return doc->refs == 1 && !doc->pool;
}
