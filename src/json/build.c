/* SPDX-License-Identifier: Apache-2.0 */
/* json/build.c - making and changing values of documents that can be changed.
 *
 * yyjson's mutable containers are rings: each value (in an object: key, value, key, value ...)
 * points to the next, the last one to the first, and the container to its last element or key.
 *
 * What must stay true:
 * 1. A value is in at most one container. `next` of a new or removed value is NULL, `next` of a
 *    value in a ring never is; putting a value that is in a ring into another container is a
 *    programming error, which an assert catches.
 * 2. No object has a key twice.
 * 3. Strings are UTF-8. */
#include <assert.h>
#include <math.h>

#include "json/doc.h"
#include "json/doc_internal.h"

#include "base/banned.h"

/* --- new values ------------------------------------------------------------------------------ */

static yyjson_mut_doc *open_doc(struct json_doc *doc)
{
	assert(doc->built);
	return doc->built;
}

static struct json fresh(yyjson_mut_val *val)
{
	assert(val);
	val->next = NULL;
	return json_of_built(val);
}

struct json json_new_null(struct json_doc *doc)
{
	return fresh(yyjson_mut_null(open_doc(doc)));
}

struct json json_new_bool(struct json_doc *doc, bool value)
{
	return fresh(yyjson_mut_bool(open_doc(doc), value));
}

struct json json_new_int(struct json_doc *doc, int64_t value)
{
	return fresh(value < 0 ? yyjson_mut_sint(open_doc(doc), value)
			       : yyjson_mut_uint(open_doc(doc), (uint64_t)value));
}

struct json json_new_uint(struct json_doc *doc, uint64_t value)
{
	return fresh(yyjson_mut_uint(open_doc(doc), value));
}

struct json json_new_real(struct json_doc *doc, double value)
{
	assert(isfinite(value));
	return fresh(yyjson_mut_real(open_doc(doc), value));
}

/* Length of the well-formed sequence at the front, or 0. */
static size_t sequence(struct str text)
{
	for (size_t len = 1; len <= 4 && len <= text.len; len++)
		if (str_is_utf8(str_slice(text, 0, len)))
			return len;
	return 0;
}

static yyjson_mut_val *repaired_str(struct json_doc *doc, struct str text)
{
	AUTO(buf_done) struct buf clean = BUF_UNBOUNDED;

	while (text.len > 0) {
		size_t len = sequence(text);

		if (len > 0)
			buf_put(&clean, text.ptr, len);
		else
			buf_puts(&clean, "\xEF\xBF\xBD");
		text = str_skip(text, len > 0 ? len : 1);
	}
	return yyjson_mut_strncpy(open_doc(doc), buf_str(&clean).ptr, clean.len);
}

static yyjson_mut_val *new_str(struct json_doc *doc, struct str text)
{
	if (!str_is_utf8(text))
		return repaired_str(doc, text);
	return yyjson_mut_strncpy(open_doc(doc), text.ptr ? text.ptr : "", text.len);
}

struct json json_new_str(struct json_doc *doc, struct str value)
{
	return fresh(new_str(doc, value));
}

struct json json_new_printf(struct json_doc *doc, const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	return json_new_str(doc, buf_str(&text));
}

struct json json_new_arr(struct json_doc *doc)
{
	return fresh(yyjson_mut_arr(open_doc(doc)));
}

struct json json_new_obj(struct json_doc *doc)
{
	return fresh(yyjson_mut_obj(open_doc(doc)));
}

struct json json_new_copy(struct json_doc *doc, struct json value)
{
	if (json_is_absent(value))
		return json_new_null(doc);
	if (!value.built) /* does not recurse */
		return fresh(yyjson_val_mut_copy(open_doc(doc), json_parsed_val(value)));
	assert(json_height(value, JSON_DEPTH_HARD) <= JSON_DEPTH_HARD);
	return fresh(yyjson_mut_val_mut_copy(open_doc(doc), json_built_val(value)));
}

/* --- inserting values----------------------------------------------------------------------- */

/* NULL if it is no container of that type: then nothing is changed. Objects come from outside; a
 * caller that does not check their shape must not end the process. In sanitizer builds it does, so
 * that tests find such callers. */
static yyjson_mut_val *container(struct json_doc *doc, struct json j, enum json_type type)
{
	(void)open_doc(doc);
	if (j.built && json_is(j, type))
		return json_built_val(j);
	assert(!BUILT_FOR_TESTS);
	return NULL;
}

/* A value that is in no container yet. */
static yyjson_mut_val *loose(struct json_doc *doc, struct json value)
{
	assert(value.built && json_built_val(value)->next == NULL);
	assert(value.val != open_doc(doc)->root);
	return json_built_val(value);
}

void json_doc_set_root(struct json_doc *doc, struct json value)
{
	open_doc(doc)->root = loose(doc, value);
}

/* The predecessor of the key in the ring, or NULL. */
static yyjson_mut_val *key_before(yyjson_mut_val *object, struct str key)
{
	size_t left = unsafe_yyjson_get_len(object);
	yyjson_mut_val *before = object->uni.ptr;

	for (; left > 0; left--, before = before->next->next) {
		yyjson_mut_val *at = before->next->next;

		if (str_eq(str_of(at->uni.str, unsafe_yyjson_get_len(at)), key))
			return before;
	}
	return NULL;
}

void json_add(struct json_doc *doc, struct json object, struct str key, struct json value)
{
	yyjson_mut_val *obj = container(doc, object, JSON_OBJ);

	if (!obj)
		return;
	unsafe_yyjson_mut_obj_add(obj, new_str(doc, key), loose(doc, value),
				  unsafe_yyjson_get_len(obj));
}

/* Replaces the value of a key by `value`. */
static void replace_value(yyjson_mut_val *key, yyjson_mut_val *value)
{
	yyjson_mut_val *old = key->next;

	value->next = old->next;
	key->next = value;
	old->next = NULL;
}

void json_set(struct json_doc *doc, struct json object, struct str key, struct json value)
{
	yyjson_mut_val *obj = container(doc, object, JSON_OBJ);
	yyjson_mut_val *before = obj ? key_before(obj, key) : NULL;

	if (before)
		replace_value(before->next->next, loose(doc, value));
	else
		json_add(doc, object, key, value);
}

void json_set_str(struct json_doc *doc, struct json object, const char *key, struct str value)
{
	json_set(doc, object, str_from(key), json_new_str(doc, value));
}

void json_set_int(struct json_doc *doc, struct json object, const char *key, int64_t value)
{
	json_set(doc, object, str_from(key), json_new_int(doc, value));
}

void json_set_bool(struct json_doc *doc, struct json object, const char *key, bool value)
{
	json_set(doc, object, str_from(key), json_new_bool(doc, value));
}

struct json json_ensure_obj(struct json_doc *doc, struct json object, const char *key)
{
	struct json member = json_get(object, key);

	if (!json_is(member, JSON_OBJ)) {
		member = json_new_obj(doc);
		json_set(doc, object, str_from(key), member);
	}
	return member;
}

struct json json_ensure_arr(struct json_doc *doc, struct json object, const char *key)
{
	struct json member = json_get(object, key);

	if (!json_is(member, JSON_ARR)) {
		member = json_new_arr(doc);
		json_set(doc, object, str_from(key), member);
	}
	return member;
}

bool json_remove(struct json_doc *doc, struct json object, struct str key)
{
	yyjson_mut_val *obj = container(doc, object, JSON_OBJ);
	yyjson_mut_val *before = obj ? key_before(obj, key) : NULL;
	size_t len = obj ? unsafe_yyjson_get_len(obj) : 0;

	if (!before)
		return false;
	yyjson_mut_val *removed = before->next->next;

	before->next->next = removed->next->next;
	if (obj->uni.ptr == removed)
		obj->uni.ptr = before;
	unsafe_yyjson_set_len(obj, len - 1);
	removed->next->next = NULL;
	return true;
}

/* --- without look-up ------------------------------------------------------------------------- */

void json_put_over(struct json old, struct json value)
{
	yyjson_mut_val *to = json_built_val(old);
	const yyjson_mut_val *from = json_built_val(value);

	assert(old.built && value.built && from->next == NULL);
	to->tag = from->tag;
	to->uni = from->uni;
}

void json_mark_removed(struct json member)
{
	assert(member.built);
	json_built_val(member)->tag = YYJSON_TYPE_NONE;
}

void json_sweep(struct json object)
{
	yyjson_mut_val *obj = json_built_val(object);
	size_t len = json_len(object);
	size_t left = len;

	assert(object.built && json_is(object, JSON_OBJ));
	for (yyjson_mut_val *before = len > 0 ? obj->uni.ptr : NULL; left > 0; left--) {
		yyjson_mut_val *key = before->next->next;

		if (key->next->tag != YYJSON_TYPE_NONE) {
			before = key;
			continue;
		}
		before->next->next = key->next->next;
		if (obj->uni.ptr == key)
			obj->uni.ptr = before;
		unsafe_yyjson_set_len(obj, --len);
	}
}

struct json json_take_first(struct json array)
{
	yyjson_mut_val *arr = json_built_val(array);
	size_t len = json_len(array);

	assert(array.built && json_is(array, JSON_ARR));
	if (len == 0)
		return JSON_NONE;
	yyjson_mut_val *last = arr->uni.ptr;
	yyjson_mut_val *first = last->next;

	last->next = first->next;
	unsafe_yyjson_set_len(arr, len - 1);
	first->next = NULL;
	return json_of_built(first);
}

void json_remove_if(struct json_doc *doc, struct json container, json_remove_fn *removed, void *arg)
{
	struct json_iter it = json_iter(container);
	size_t left = json_len(container);
	bool any = false;

	if (json_is(container, JSON_OBJ)) {
		while (json_next(&it))
			if (removed(arg, it.key, it.value)) {
				json_mark_removed(it.value);
				any = true;
			}
		if (any)
			json_sweep(container);
		return;
	}
	for (; json_is(container, JSON_ARR) && left > 0; left--) {
		struct json element = json_take_first(container);

		if (!removed(arg, str_none(), element))
			json_append(doc, container, element);
	}
}

/* --- arrays ---------------------------------------------------------------------------------- */

/* The element before the one at `index` in the ring; there must be one element. */
static yyjson_mut_val *element_before(yyjson_mut_val *array, size_t index)
{
	yyjson_mut_val *before = array->uni.ptr;

	for (; index > 0; index--)
		before = before->next;
	return before;
}

void json_append(struct json_doc *doc, struct json array, struct json value)
{
	yyjson_mut_val *val = loose(doc, value);

	yyjson_mut_val *arr = container(doc, array, JSON_ARR);

	if (arr)
		(void)yyjson_mut_arr_append(arr, val);
}

void json_insert(struct json_doc *doc, struct json array, size_t index, struct json value)
{
	yyjson_mut_val *arr = container(doc, array, JSON_ARR);
	size_t len = arr ? unsafe_yyjson_get_len(arr) : 0;

	assert(index <= len);
	if (index == len) {
		json_append(doc, array, value);
		return;
	}
	yyjson_mut_val *val = loose(doc, value);
	yyjson_mut_val *before = element_before(arr, index);

	val->next = before->next;
	before->next = val;
	unsafe_yyjson_set_len(arr, len + 1);
}

bool json_remove_at(struct json_doc *doc, struct json array, size_t index)
{
	yyjson_mut_val *arr = container(doc, array, JSON_ARR);
	size_t len = arr ? unsafe_yyjson_get_len(arr) : 0;

	if (index >= len)
		return false;
	yyjson_mut_val *before = element_before(arr, index);
	yyjson_mut_val *removed = before->next;

	before->next = removed->next;
	if (arr->uni.ptr == removed)
		arr->uni.ptr = before;
	unsafe_yyjson_set_len(arr, len - 1);
	removed->next = NULL;
	return true;
}

size_t json_remove_str(struct json_doc *doc, struct json array, struct str text)
{
	size_t before = json_len(array);
	yyjson_mut_val *arr = json_is(array, JSON_ARR) ? container(doc, array, JSON_ARR) : NULL;
	yyjson_mut_val *last = before > 0 && arr ? arr->uni.ptr : NULL;
	size_t len = before;

	for (size_t left = last ? before : 0; left > 0; left--) {
		yyjson_mut_val *at = last->next;

		if (!json_is(json_of_built(at), JSON_STR) ||
		    !str_eq(json_str(json_of_built(at)), text)) {
			last = at;
			continue;
		}
		last->next = at->next;
		if (arr->uni.ptr == at)
			arr->uni.ptr = last;
		unsafe_yyjson_set_len(arr, --len);
	}
	return before - len;
}

void json_replace_at(struct json_doc *doc, struct json array, size_t index, struct json value)
{
	yyjson_mut_val *arr = container(doc, array, JSON_ARR);
	size_t len = arr ? unsafe_yyjson_get_len(arr) : 0;

	if (!arr)
		return;
	assert(index < len);
	yyjson_mut_val *val = loose(doc, value);
	yyjson_mut_val *before = element_before(arr, index);
	yyjson_mut_val *removed = before->next;

	if (len == 1) {
		val->next = val;
	} else {
		before->next = val;
		val->next = removed->next;
	}
	if (arr->uni.ptr == removed)
		arr->uni.ptr = val;
	removed->next = NULL;
}
