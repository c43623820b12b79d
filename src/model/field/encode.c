/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/encode.c - from a view back into a document, keeping what the view does not know.
 *
 * For each row in the view there are three cases: if it is absent or empty, the member is removed
 * (Go's omitempty); a scalar replaces the member; an object or a list of objects is written into
 * the existing one, so that unknown members survive. */
#include <assert.h>
#include <string.h>

#include "base/time.h"
#include "model/field/fields.h"
#include "model/field/fields_internal.h"
#include "model/value/duration.h"

#include "base/banned.h"

static struct json encode_plain(const struct field *field, const void *at, struct json_doc *doc,
				struct json old);
static void encode_object(const struct type *type, const char *view, struct json_doc *doc,
			  struct json object);

/* --- what is empty --------------------------------------------------------------------------- */

static bool is_zero(const char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

static bool enum_is_empty(const struct field *field, unsigned value)
{
	return value >= field->name_count || !field->names[value] || !field->names[value][0];
}

/* Would this object, embedded in a view, write nothing? */
static bool object_is_empty(const struct type *type, const char *view);

static bool member_is_empty(const struct field *field, const char *view)
{
	const char *at = view + field->at;

	switch (field->held) {
	case FIELD_HELD_POINTER:
		return *(const void *const *)(const void *)at == NULL;
	case FIELD_HELD_OPT_BOOL:
	case FIELD_HELD_OPT_INT32:
	case FIELD_HELD_OPT_INT64:
		return !*(const bool *)at;
	case FIELD_HELD_STR:
		return ((const struct str *)(const void *)at)->len == 0;
	case FIELD_HELD_JSON:
		return json_is_absent(*(const struct json *)(const void *)at);
	case FIELD_HELD_INTSTR:
		return ((const struct intstr *)(const void *)at)->kind == INTSTR_NONE;
	case FIELD_HELD_QUANTITY:
		return quantity_is_zero((const struct quantity *)(const void *)at);
	case FIELD_HELD_STRUCT:
		if (field->is == FIELD_OBJECT)
			return object_is_empty(field->type, at);
		return ((const struct field_span *)(const void *)at)->len == 0;
	default:
		if (field->is == FIELD_ENUM)
			return enum_is_empty(field, *(const unsigned *)(const void *)at);
		return is_zero(at, field->size);
	}
}

/* Is it written although it is empty? */
static bool is_kept(const struct field *field)
{
	return field->always || field->required || field->dflt;
}

static bool object_is_empty(const struct type *type, const char *view)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];

		if (field->held != FIELD_HELD_NOT &&
		    (field->always || !member_is_empty(field, view)))
			return false;
	}
	return true;
}

/* --- values ---------------------------------------------------------------------------------- */

static struct json encode_quantity(const struct quantity *q, struct json_doc *doc)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	quantity_print(q, &text);
	return json_new_str(doc, buf_str(&text));
}

static struct json encode_time(const struct field *field, int64_t time, struct json_doc *doc)
{
	char text[TIME_TEXT_SIZE];

	if (time == 0)
		return json_new_null(doc);
	return json_new_str(doc, str_from(field->is == FIELD_TIME ? time_print(time, text)
								  : time_print_micro(time, text)));
}

static struct json encode_duration(int64_t microseconds, struct json_doc *doc)
{
	char text[DURATION_TEXT_SIZE];
	int64_t nanoseconds;

	if (__builtin_mul_overflow(microseconds, DURATION_MICROSECOND, &nanoseconds))
		nanoseconds = microseconds < 0 ? INT64_MIN : INT64_MAX;
	return json_new_str(doc, str_from(duration_print(nanoseconds, text)));
}

static struct json encode_intstr(const struct intstr *value, struct json_doc *doc)
{
	return value->kind == INTSTR_STR ? json_new_str(doc, value->text)
					 : json_new_int(doc, value->number);
}

/* The element that was there for this one: the one with the same keys, or the same place. */
static struct json find_old(const struct field *field, struct json old, struct json made,
			    size_t index)
{
	struct json_iter it = json_iter(old);

	if (!json_is(old, JSON_ARR))
		return JSON_NONE;
	if (!field->list_keys)
		return json_at(old, index);
	while (json_next(&it)) {
		bool same = true;

		for (size_t k = 0; same && field->list_keys[k]; k++)
			same = json_eq(json_get(it.value, field->list_keys[k]),
				       json_get(made, field->list_keys[k]));
		if (same)
			return it.value;
	}
	return JSON_NONE;
}

static struct json encode_list(const struct field *field, const struct field_span *span,
			       struct json_doc *doc, struct json old)
{
	struct json list = json_new_arr(doc);
	size_t size = field_size(field->of);

	for (size_t i = 0; i < span->len; i++) {
		const char *at = (const char *)span->ptr + i * size;
		struct json value = encode_plain(field->of, at, doc, JSON_NONE);

		if (field->of->is == FIELD_OBJECT) {
			struct json before = find_old(field, old, value, i);

			if (json_is(before, JSON_OBJ))
				value = encode_plain(field->of, at, doc, before);
		}
		json_append(doc, list, value);
	}
	return list;
}

static struct json encode_map(const struct field *field, const struct field_span *span,
			      struct json_doc *doc, struct json old)
{
	struct json map = json_new_obj(doc);
	size_t size = field_entry_size(field->of);

	for (size_t i = 0; i < span->len; i++) {
		const char *at = (const char *)span->ptr + i * size;
		struct str key;

		memcpy(&key, at, sizeof(key));
		json_set(doc, map, key,
			 encode_plain(field->of, at + FIELD_KEY_SIZE, doc, json_get_str(old, key)));
	}
	return map;
}

/* A new value; `old` is the previous value; unknown members of an object are copied from it. */
static struct json encode_plain(const struct field *field, const void *at, struct json_doc *doc,
				struct json old)
{
	switch (field->is) {
	case FIELD_BOOL:
		return json_new_bool(doc, *(const bool *)at);
	case FIELD_INT32:
		return json_new_int(doc, *(const int32_t *)at);
	case FIELD_INT64:
		return json_new_int(doc, *(const int64_t *)at);
	case FIELD_DOUBLE:
		return json_new_real(doc, *(const double *)at);
	case FIELD_STR:
	case FIELD_BYTES:
		return json_new_str(doc, *(const struct str *)at);
	case FIELD_ENUM: {
		unsigned value = *(const unsigned *)at;

		return json_new_str(
			doc, enum_is_empty(field, value) ? STR("") : str_from(field->names[value]));
	}
	case FIELD_QUANTITY:
		return encode_quantity(at, doc);
	case FIELD_DURATION:
		return encode_duration(*(const int64_t *)at, doc);
	case FIELD_TIME:
	case FIELD_MICROTIME:
		return encode_time(field, *(const int64_t *)at, doc);
	case FIELD_INTSTR:
		return encode_intstr(at, doc);
	case FIELD_ANY:
		return json_new_copy(doc, *(const struct json *)at);
	case FIELD_OBJECT: {
		struct json object =
			json_is(old, JSON_OBJ) ? json_new_copy(doc, old) : json_new_obj(doc);

		encode_object(field->type, at, doc, object);
		return object;
	}
	case FIELD_LIST:
		return encode_list(field, at, doc, old);
	case FIELD_MAP:
		return encode_map(field, at, doc, old);
	default:
		return json_new_null(doc);
	}
}

/* The address of the value itself. */
static const void *member_value(const struct field *field, const char *view)
{
	const void *at = view + field->at;

	switch (field->held) {
	case FIELD_HELD_POINTER:
		return *(const void *const *)at;
	case FIELD_HELD_OPT_BOOL:
		return &((const struct opt_bool *)at)->value;
	case FIELD_HELD_OPT_INT32:
		return &((const struct opt_int32 *)at)->value;
	case FIELD_HELD_OPT_INT64:
		return &((const struct opt_int64 *)at)->value;
	default:
		return at;
	}
}

/* Can this C type express "absent"? Then even a field that is always written is left out. */
static bool holds_nothing(const struct field *field, const char *view)
{
	switch (field->held) {
	case FIELD_HELD_POINTER:
	case FIELD_HELD_OPT_BOOL:
	case FIELD_HELD_OPT_INT32:
	case FIELD_HELD_OPT_INT64:
	case FIELD_HELD_JSON:
	case FIELD_HELD_INTSTR:
		return member_is_empty(field, view);
	case FIELD_HELD_STR:
		return str_is_none(*(const struct str *)(const void *)(view + field->at)) &&
		       !field->always;
	default:
		return field->is == FIELD_ENUM && member_is_empty(field, view);
	}
}

/* A text of an enum that the table does not know stays, because the view cannot store it. */
static bool keeps_unknown(const struct field *field, const char *view)
{
	return field->is == FIELD_ENUM && field->held != FIELD_HELD_POINTER &&
	       *(const unsigned *)(const void *)(view + field->at) >= field->name_count;
}

/* An object that is part of the view is removed only if it has no unknown members. */
static void encode_embedded(const struct field *field, const char *view, struct json_doc *doc,
			    struct json object, struct json old)
{
	struct json made = encode_plain(field, view + field->at, doc, old);

	if (json_len(made) || json_len(old) == 0 || is_kept(field))
		json_set(doc, object, str_from(field->name), made);
	else
		json_remove(doc, object, str_from(field->name));
}

static struct json encode_member(const struct field *field, const char *view, struct json_doc *doc,
				 struct json old)
{
	const void *at = member_value(field, view);

	if (field->held == FIELD_HELD_JSON)
		return json_new_copy(doc, *(const struct json *)at);
	return encode_plain(field, at, doc, old);
}

static void encode_object(const struct type *type, const char *view, struct json_doc *doc,
			  struct json object)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		struct str name = str_from(field->name);
		struct json old;

		if (field->held == FIELD_HELD_NOT)
			continue;
		old = json_get_str(object, name);
		if (keeps_unknown(field, view))
			continue;
		if (field->held == FIELD_HELD_STRUCT && field->is == FIELD_OBJECT &&
		    json_is(old, JSON_OBJ))
			encode_embedded(field, view, doc, object, old);
		else if (holds_nothing(field, view) ||
			 (member_is_empty(field, view) && !is_kept(field)))
			json_remove(doc, object, name);
		else
			json_set(doc, object, name, encode_member(field, view, doc, old));
	}
}

void type_encode(const struct type *type, const void *view, struct json_doc *doc,
		 struct json object)
{
	assert(type->size);
	encode_object(type, view, doc, object);
}

struct json type_encode_new(const struct type *type, const void *view, struct json_doc *doc)
{
	struct json object = json_new_obj(doc);

	type_encode(type, view, doc, object);
	return object;
}
