/* SPDX-License-Identifier: Apache-2.0 */
/* json/read.c - reading values of both forms.
 *
 * A parsed container is followed in memory by its members, and its payload is the distance to what
 * comes after it. A built one points to its last element (an object: last key) in a ring through
 * `next`, in which keys and values alternate. */
#include <assert.h>

#include "base/hash.h"
#include "json/doc.h"
#include "json/doc_internal.h"
#include "json/index.h"

#include "base/banned.h"

static const char *const type_names[] = {
	[JSON_ABSENT] = "absent", [JSON_NULL] = "null",   [JSON_BOOL] = "boolean",
	[JSON_INT] = "integer",   [JSON_REAL] = "number", [JSON_STR] = "string",
	[JSON_ARR] = "array",     [JSON_OBJ] = "object",
};
_Static_assert(ARRAY_LEN(type_names) == JSON_TYPE_COUNT, "name every type");

#define ROW(subtype)                                                                            \
	[YYJSON_TYPE_NULL | (subtype)] = JSON_NULL, [YYJSON_TYPE_BOOL | (subtype)] = JSON_BOOL, \
			    [YYJSON_TYPE_NUM | (subtype)] =                                     \
				    (subtype) == YYJSON_SUBTYPE_REAL ? JSON_REAL : JSON_INT,    \
			    [YYJSON_TYPE_STR | (subtype)] = JSON_STR,                           \
			    [YYJSON_TYPE_ARR | (subtype)] = JSON_ARR,                           \
			    [YYJSON_TYPE_OBJ | (subtype)] = JSON_OBJ

/* Types that are not listed are absent: json_mark_removed() makes such a tag. */
const unsigned char json_types[32] = {ROW(0 << 3), ROW(1 << 3), ROW(2 << 3), ROW(3 << 3)};
static_assert((YYJSON_TYPE_MASK | YYJSON_SUBTYPE_MASK) == ARRAY_LEN(json_types) - 1, "all of them");
static_assert(offsetof(yyjson_val, tag) == 0 && offsetof(yyjson_mut_val, tag) == 0, "it is first");

const char *json_type_name(enum json_type type)
{
	return type_names[type];
}

struct str json_str(struct json j)
{
	if (!json_is(j, JSON_STR))
		return str_none();
	return str_of(json_payload(j).str, (size_t)(json_tag(j) >> YYJSON_TAG_BIT));
}

bool json_bool(struct json j)
{
	return json_is(j, JSON_BOOL) && (json_tag(j) & YYJSON_SUBTYPE_MASK) == YYJSON_SUBTYPE_TRUE;
}

static bool is_negative(struct json j)
{
	return (json_tag(j) & YYJSON_SUBTYPE_MASK) == YYJSON_SUBTYPE_SINT &&
	       json_payload(j).i64 < 0;
}

bool json_is_i64(struct json j)
{
	return json_is(j, JSON_INT) && (is_negative(j) || json_payload(j).u64 <= INT64_MAX);
}

int64_t json_int(struct json j)
{
	return json_is_i64(j) ? json_payload(j).i64 : 0;
}

double json_real(struct json j)
{
	switch (json_type(j)) {
	case JSON_REAL:
		return json_payload(j).f64;
	case JSON_INT:
		return is_negative(j) ? (double)json_payload(j).i64 : (double)json_payload(j).u64;
	default:
		return 0;
	}
}

size_t json_len(struct json container)
{
	enum json_type type = json_type(container);

	return type == JSON_ARR || type == JSON_OBJ
		       ? (size_t)(json_tag(container) >> YYJSON_TAG_BIT)
		       : 0;
}

struct json_iter json_iter(struct json container)
{
	struct json_iter it = {.index = SIZE_MAX, .left = json_len(container)};

	if (it.left == 0)
		return it;
	it.object = json_is(container, JSON_OBJ);
	it.built = container.built;
	if (!it.built) {
		it.next = unsafe_yyjson_get_first(json_parsed_val(container));
	} else {
		const yyjson_mut_val *last = json_built_val(container)->uni.ptr;

		it.next = it.object ? last->next->next : last->next;
	}
	return it;
}

static inline struct str key_of(uint64_t tag, const char *text)
{
	return str_of(text, (size_t)(tag >> YYJSON_TAG_BIT));
}

bool json_next(struct json_iter *it)
{
	if (it->left == 0)
		return false;
	it->left--;
	it->index++;
	if (it->built) {
		const yyjson_mut_val *val = it->next;

		if (it->object) {
			it->key = key_of(val->tag, val->uni.str);
			val = val->next;
		}
		it->value = json_of_built(val);
		it->next = val->next;
	} else {
		const yyjson_val *val = it->next;

		if (it->object) {
			it->key = key_of(val->tag, val->uni.str);
			val++;
		}
		it->value = json_of_parsed(val);
		it->next = unsafe_yyjson_get_next((yyjson_val *)val);
	}
	return true;
}

/* A server spends most of its time in look-ups: they have loops of their own, which check length
 * and first byte before they compare. */
static inline bool is_key(uint64_t tag, const char *text, struct str key)
{
	return tag >> YYJSON_TAG_BIT == key.len &&
	       (key.len == 0 || (*text == *key.ptr && str_same_bytes(text, key.ptr, key.len)));
}

static struct json get_built(const yyjson_mut_val *object, struct str key)
{
	size_t left = (size_t)(object->tag >> YYJSON_TAG_BIT);
	const yyjson_mut_val *at =
		left ? ((const yyjson_mut_val *)object->uni.ptr)->next->next : NULL;

	for (; left; left--, at = at->next->next)
		if (is_key(at->tag, at->uni.str, key))
			return json_of_built(at->next);
	return JSON_NONE;
}

static struct json get_parsed(yyjson_val *object, struct str key)
{
	size_t left = (size_t)(object->tag >> YYJSON_TAG_BIT);
	yyjson_val *at = unsafe_yyjson_get_first(object);

	for (; left; left--, at = unsafe_yyjson_get_next(at + 1))
		if (is_key(at->tag, at->uni.str, key))
			return json_of_parsed(at + 1);
	return JSON_NONE;
}

struct json json_get_str(struct json object, struct str key)
{
	if (!json_is(object, JSON_OBJ))
		return JSON_NONE;
	return object.built ? get_built(json_built_val(object), key)
			    : get_parsed(json_parsed_val(object), key);
}

struct json json_at(struct json array, size_t index)
{
	if (!json_is(array, JSON_ARR) || index >= json_len(array))
		return JSON_NONE;
	/* An array of scalars only: its elements are adjacent in memory. */
	if (!array.built && unsafe_yyjson_arr_is_flat(json_parsed_val(array)))
		return json_of_parsed(unsafe_yyjson_get_first(json_parsed_val(array)) + index);
	struct json_iter it = json_iter(array);

	while (json_next(&it) && it.index < index)
		continue;
	return it.value;
}

size_t json_height(struct json j, size_t most)
{
	enum json_type type = json_type(j);
	size_t height = 0;

	if (type != JSON_ARR && type != JSON_OBJ)
		return 0;
	struct json_iter it = json_iter(j);

	while (json_next(&it) && height < most) {
		size_t below = json_height(it.value, most - 1);

		if (below > height)
			height = below;
	}
	return height + 1;
}

/* --- compare --------------------------------------------------------------------------------- */

static bool eq_at(struct json a, struct json b, size_t depth);

static bool eq_array(struct json a, struct json b, size_t depth)
{
	struct json_iter left = json_iter(a);
	struct json_iter right = json_iter(b);

	while (json_next(&left) && json_next(&right))
		if (!eq_at(left.value, right.value, depth))
			return false;
	return true;
}

/* Most equal objects have their members in the same order, so that is tried first. */
static bool eq_object(struct json a, struct json b, size_t depth)
{
	struct json_iter left = json_iter(a);
	struct json_iter right = json_iter(b);
	bool more = true;

	while ((more = json_next(&left)) && json_next(&right)) {
		if (!str_eq(left.key, right.key))
			break;
		if (!eq_at(left.value, right.value, depth))
			return false;
	}
	if (!more)
		return true;
	AUTO(json_index_done) struct json_index index = json_index_make(b);
	do {
		struct json other = json_index_get(&index, left.key);

		if (json_is_absent(other) || !eq_at(left.value, other, depth))
			return false;
	} while (json_next(&left));
	return true;
}

static bool eq_at(struct json a, struct json b, size_t depth)
{
	enum json_type type = json_type(a);

	if (type != json_type(b))
		return false;
	switch (type) {
	case JSON_ABSENT:
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return json_bool(a) == json_bool(b);
	case JSON_INT:
		return is_negative(a) == is_negative(b) &&
		       json_payload(a).u64 == json_payload(b).u64;
	case JSON_REAL:
		return json_payload(a).f64 == json_payload(b).f64;
	case JSON_STR:
		return str_eq(json_str(a), json_str(b));
	default:
		break;
	}
	if (json_len(a) != json_len(b))
		return false;
	assert(depth < JSON_DEPTH_HARD);
	return type == JSON_ARR ? eq_array(a, b, depth + 1) : eq_object(a, b, depth + 1);
}

bool json_has_str(struct json list, struct str text)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(json_str(it.value), text))
			return true;
	return false;
}

bool json_eq(struct json a, struct json b)
{
	return eq_at(a, b, 0);
}

/* --- hash ------------------------------------------------------------------------------------ */

static uint64_t hash_number(enum json_type type, uint64_t value, uint64_t seed)
{
	uint64_t both[2] = {(uint64_t)type, value};

	return hash_bytes(both, sizeof(both), seed);
}

/* Members are added up, so that their order does not matter; elements are chained. */
static uint64_t hash_at(struct json j, uint64_t seed, size_t depth)
{
	enum json_type type = json_type(j);
	uint64_t sum = json_len(j);
	struct json_iter it;

	switch (type) {
	case JSON_BOOL:
		return hash_number(type, json_bool(j), seed);
	case JSON_INT:
		return hash_number(type, json_payload(j).u64 ^ is_negative(j), seed);
	case JSON_REAL: /* 0.0 and -0.0 are equal */
		return hash_number(type, json_payload(j).f64 == 0 ? 0 : json_payload(j).u64, seed);
	case JSON_STR:
		return hash_number(type, hash_str(json_str(j), seed), seed);
	case JSON_ARR:
	case JSON_OBJ:
		break;
	default:
		return hash_number(type, 0, seed);
	}
	assert(depth < JSON_DEPTH_HARD);
	it = json_iter(j);
	while (json_next(&it)) {
		if (type == JSON_ARR)
			sum = hash_number(type, sum ^ hash_at(it.value, seed, depth + 1), seed);
		else
			sum += hash_at(it.value, hash_str(it.key, seed), depth + 1);
	}
	return hash_number(type, sum, seed);
}

uint64_t json_hash(struct json j, uint64_t seed)
{
	return hash_at(j, seed, 0);
}
