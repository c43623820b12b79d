/* SPDX-License-Identifier: Apache-2.0 */
/* json/parse.c - parses text into a document, within limits and without duplicate keys.
 *
 * yyjson reads the text; its reader does not recurse, so any depth is safe, and its memory is at
 * most a multiple of the text's size. One walk over the values then checks what yyjson does not
 * check: the depth, before the walk itself descends, and duplicate keys. That costs less than a
 * pass over the text, because there is only about one value per ten bytes.
 *
 * Finding duplicates must not cost more than parsing. An object keeps 64 bits of a cheap
 * fingerprint of the keys seen; only a key whose bit is taken is compared with those before it. An
 * object with many members goes through a hash map instead, so that the cost is not quadratic.
 *
 * Most texts are small. A small text is parsed into memory on the stack, and the result is copied to
 * one block of exactly the right size (json_doc_keep).
 *
 * A document with duplicates is rare. It is built again without the overridden members; only then
 * are paths of the duplicates made, for the caller's callback. */
#include <assert.h>
#include <stdalign.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/doc.h"
#include "json/doc_internal.h"

#include "base/banned.h"

enum {
	MANY_MEMBERS = 48,
	LARGE_BLOCK = 128 << 10,
	SMALL_TEXT = 8 << 10,
	/* The reader needs four and a half bytes per byte of text, unless it has underestimated the
	 * number of values; then the heap is used. */
	SMALL_SCRATCH = 40 << 10,
};

struct check {
	size_t max_depth;
	bool duplicates;
};

/* --- positions in error texts ---------------------------------------------------------------- */

static int syntax_error(struct str text, const yyjson_read_err *why, struct err *err)
{
	size_t line = 1;
	size_t column = 1;

	for (size_t i = 0; i < why->pos && i < text.len; i++) {
		unsigned char byte = (unsigned char)text.ptr[i];

		if (byte == '\n') {
			line++;
			column = 1;
		} else if ((byte & 0xC0) != 0x80) {
			column++;
		}
	}
	return err_set(err, ERR_BAD_REQUEST, "invalid JSON at line %zu, column %zu: %s", line,
		       column, why->msg);
}

/* --- the walk over values -------------------------------------------------------------------- */

static struct str key_str(yyjson_val *key)
{
	return str_of(key->uni.str, unsafe_yyjson_get_len(key));
}

/* One of 64 values, different for most keys of one object. */
static uint64_t key_bit(struct str key)
{
	unsigned first = key.len > 0 ? (unsigned char)key.ptr[0] : 0;
	unsigned middle = key.len > 0 ? (unsigned char)key.ptr[key.len / 2] : 0;
	unsigned last = key.len > 0 ? (unsigned char)key.ptr[key.len - 1] : 0;

	return UINT64_C(1) << ((first + 5 * middle + 11 * last + (unsigned)key.len) % 64);
}

static bool key_is_before(yyjson_val *object, yyjson_val *key)
{
	yyjson_val *other = unsafe_yyjson_get_first(object);

	for (; other != key; other = unsafe_yyjson_get_next(other + 1))
		if (str_eq(key_str(other), key_str(key)))
			return true;
	return false;
}

/* An address is good enough as the seed: it need not stay secret, and the map's order is that of
 * insertion for any seed. */
static bool many_have_duplicates(yyjson_val *object)
{
	AUTO(map_free) struct map *seen = map_new((uint64_t)(uintptr_t)object);
	size_t left = unsafe_yyjson_get_len(object);
	yyjson_val *key = unsafe_yyjson_get_first(object);

	for (; left > 0; left--, key = unsafe_yyjson_get_next(key + 1))
		if (map_put(seen, key_str(key), key))
			return true;
	return false;
}

static bool check_value(struct check *check, yyjson_val *value, size_t depth);

static bool check_object(struct check *check, yyjson_val *object, size_t depth)
{
	size_t len = unsafe_yyjson_get_len(object);
	yyjson_val *key = unsafe_yyjson_get_first(object);
	bool many = len > MANY_MEMBERS;
	uint64_t seen = 0;

	if (many && many_have_duplicates(object))
		check->duplicates = true;
	for (; len > 0; len--, key = unsafe_yyjson_get_next(key + 1)) {
		if (!many) {
			uint64_t bit = key_bit(key_str(key));

			if ((seen & bit) && key_is_before(object, key))
				check->duplicates = true;
			seen |= bit;
		}
		if (unsafe_yyjson_is_ctn(key + 1) && !check_value(check, key + 1, depth))
			return false;
	}
	return true;
}

/* False when it is too deep. */
static bool check_value(struct check *check, yyjson_val *value, size_t depth)
{
	if (depth >= check->max_depth)
		return false;
	if (unsafe_yyjson_get_type(value) == YYJSON_TYPE_OBJ)
		return check_object(check, value, depth + 1);

	size_t left = unsafe_yyjson_get_len(value);
	yyjson_val *element = unsafe_yyjson_get_first(value);

	for (; left > 0; left--, element = unsafe_yyjson_get_next(element))
		if (unsafe_yyjson_is_ctn(element) && !check_value(check, element, depth + 1))
			return false;
	return true;
}

/* --- without duplicates ---------------------------------------------------------------------- */

struct normalise {
	struct json_doc *doc;
	const struct json_options *options;
	struct buf path;
};

static struct json normalise_value(struct normalise *n, struct json value);

static void report(struct normalise *n)
{
	if (n->options && n->options->on_duplicate)
		n->options->on_duplicate(n->options->arg, buf_str(&n->path));
}

/* Values of overridden members are checked too: duplicates in them are reported. */
static struct json normalise_object(struct normalise *n, struct json object)
{
	AUTO(map_free) struct map *last = map_new((uint64_t)(uintptr_t)object.val);
	AUTO(map_free) struct map *reported = map_new((uint64_t)(uintptr_t)object.val);
	AUTO(map_free) struct map *seen = map_new((uint64_t)(uintptr_t)object.val);
	struct json result = json_new_obj(n->doc);
	struct json_iter it = json_iter(object);
	size_t length = n->path.len;

	while (json_next(&it))
		(void)map_put(last, it.key, (void *)it.value.val);
	it = json_iter(object);
	while (json_next(&it)) {
		void *value = (void *)it.value.val;

		if (length > 0)
			buf_putc(&n->path, '.');
		buf_put_str(&n->path, it.key);
		if (map_put(seen, it.key, value) && !map_put(reported, it.key, value))
			report(n);
		struct json copy = normalise_value(n, it.value);
		if (map_get(last, it.key) == value)
			json_add(n->doc, result, it.key, copy);
		buf_truncate(&n->path, length);
	}
	return result;
}

static struct json normalise_value(struct normalise *n, struct json value)
{
	if (json_is(value, JSON_OBJ))
		return normalise_object(n, value);
	if (!json_is(value, JSON_ARR))
		return json_new_copy(n->doc, value);

	struct json result = json_new_arr(n->doc);
	struct json_iter it = json_iter(value);
	size_t length = n->path.len;

	while (json_next(&it)) {
		buf_printf(&n->path, "[%zu]", it.index);
		json_append(n->doc, result, normalise_value(n, it.value));
		buf_truncate(&n->path, length);
	}
	return result;
}

static struct json_doc *without_duplicates(struct json_doc *doc, const struct json_options *options)
{
	AUTO(json_doc_unref) struct json_doc *scratch = json_doc_new();
	struct normalise n = {.doc = scratch, .options = options, .path = BUF_UNBOUNDED};
	struct json root = normalise_value(&n, json_doc_root(doc));

	buf_done(&n.path);
	return json_doc_freeze(root);
}

/* --- parse ----------------------------------------------------------------------------------- */

/* yyjson estimates the number of values and does not give surplus memory back. A document from a
 * pool keeps the surplus: the next document reuses its block.
 *
 * A large document keeps it as well: large documents are short-lived, and the surplus pages were
 * never touched. After the first such block was freed, malloc() serves blocks of that size from the
 * heap; a block that was cut would be mapped again for each document, which is three times slower
 * because of page faults. */
static void trim(struct json_doc *doc)
{
	yyjson_doc *old = doc->parsed;
	size_t head = (size_t)((char *)old->root - (char *)old);
	size_t used = head + old->val_read * sizeof(yyjson_val);
	size_t text = old->str_pool ? old->dat_read : 0;

	if (doc->pool)
		return;
	doc->bytes = sizeof(*doc) + used + text;
	if (used < LARGE_BLOCK) {
		doc->parsed = mem_realloc(old, 1, used);
		doc->parsed->root = (yyjson_val *)(void *)((char *)doc->parsed + head);
	}
}

/* Checks the depth, unless it is 0, and looks for duplicate keys. */
static int check_read(const yyjson_doc *doc, size_t max_depth, bool *ret_duplicates,
		      struct err *err)
{
	struct check check = {.max_depth = max_depth};

	if (max_depth == 0)
		return 0;
	if (unsafe_yyjson_is_ctn(doc->root) && !check_value(&check, doc->root, 0))
		return err_set(err, ERR_TOO_LARGE, "JSON is nested deeper than %zu levels",
			       max_depth);
	*ret_duplicates = check.duplicates;
	return 0;
}

/* Without the in-situ flag the text is only read: yyjson copies it first. */
static yyjson_doc *read_text(struct str text, const yyjson_alc *alc, yyjson_read_err *ret_why)
{
	return yyjson_read_opts((char *)(text.ptr ? text.ptr : ""), text.len, YYJSON_READ_NOFLAG,
				alc, ret_why);
}

/* NULL and not failed: the scratch was too small. */
static struct json_doc *parse_small(struct str text, size_t max_depth, bool *ret_duplicates,
				    bool *ret_failed, struct err *err)
{
	alignas(max_align_t) char scratch[SMALL_SCRATCH];
	yyjson_alc alc;
	yyjson_read_err why = {0};

	*ret_failed = false;
	if (!yyjson_alc_pool_init(&alc, scratch, sizeof(scratch)))
		return NULL;
	const yyjson_doc *doc = read_text(text, &alc, &why);

	if (!doc && why.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
		return NULL;
	*ret_failed = true;
	if (!doc) {
		(void)syntax_error(text, &why, err);
		return NULL;
	}
	if (check_read(doc, max_depth, ret_duplicates, err) < 0)
		return NULL;
	*ret_failed = false;
	return json_doc_keep(doc);
}

static struct json_doc *parse_any(struct str text, struct json_pool *pool, size_t max_depth,
				  bool *ret_duplicates, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_make(pool);
	yyjson_alc alc = json_doc_alc(doc);
	yyjson_read_err why = {0};

	doc->parsed = read_text(text, &alc, &why);
	if (!doc->parsed) {
		(void)syntax_error(text, &why, err);
		return NULL;
	}
	if (check_read(doc->parsed, max_depth, ret_duplicates, err) < 0)
		return NULL;
	trim(doc);
	return TAKE(doc);
}

struct json_doc *json_parse(struct str text, const struct json_options *options, struct err *err)
{
	struct json_pool *pool = options ? options->pool : NULL;
	size_t max_bytes = options && options->max_bytes ? options->max_bytes : LIMIT_JSON_BYTES;
	size_t max_depth = options ? options->max_depth : 0;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	bool duplicates = false;
	bool failed = false;

	if (max_depth == 0 || max_depth > LIMIT_JSON_DEPTH)
		max_depth = LIMIT_JSON_DEPTH;
	if (options && options->own)
		max_depth = 0;
	if (text.len > max_bytes) {
		(void)err_set(err, ERR_TOO_LARGE, "JSON text of %zu bytes is over the limit of %zu",
			      text.len, max_bytes);
		return NULL;
	}
	if (!pool && text.len <= SMALL_TEXT)
		doc = parse_small(text, max_depth, &duplicates, &failed, err);
	if (!doc && !failed)
		doc = parse_any(text, pool, max_depth, &duplicates, err);
	if (doc && duplicates)
		return without_duplicates(doc, options);
	return TAKE(doc);
}
