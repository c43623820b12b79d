/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/decode.c - from a document to a view.
 *
 * One walk over the object's members in document order; each finds its row by type_find() with a
 * hint, and its class' function puts the value into the view. Rows that are not in the view are
 * skipped unchecked. The current path is a chain on the stack, printed only for an error.
 *
 * A pointer member gets its own piece of the arena; a list one array; a map one array, sorted.
 * Strings point into the document. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/field/fields.h"
#include "model/field/fields_internal.h"
#include "model/value/duration.h"
#include "model/value/intstr.h"

#include "base/banned.h"

struct decoder {
	struct arena *arena;
	struct err *err;
};

static int decode_object(const struct type *type, struct json object, const struct path *path,
			 struct decoder *d, void *view);
static int decode_plain(const struct field *field, struct json value, struct field_place place,
			struct decoder *d, void *at);

static int decode_enum(const struct field *field, struct json value, const struct path *path,
		       struct decoder *d, unsigned *at)
{
	int found = field_enum_value(field, json_str(value));

	if (found < 0 && json_str(value).len && !field->open) {
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		causes_not_supported(&causes, path, json_str(value), field->names,
				     field->name_count);
		return err_set(d->err, ERR_INVALID, "%s: %s", causes.ptr[0].field,
			       causes.ptr[0].message);
	}
	if (found >= 0)
		*at = (unsigned)found;
	else
		*at = json_str(value).len ? field->name_count : 0;
	return 0;
}

static int decode_list(const struct field *field, struct json list, struct field_place place,
		       struct decoder *d, struct field_span *span)
{
	size_t size = field_size(field->of);
	size_t count = json_len(list);
	struct json_iter it = json_iter(list);
	char *at;

	*span = (struct field_span){0};
	if (!count)
		return 0;
	at = arena_calloc(d->arena, count, size);
	*span = (struct field_span){at, count};
	for (; json_next(&it); at += size) {
		struct path element = path_index(place.path, it.index);

		if (decode_plain(field->of, it.value, (struct field_place){place.owner, &element},
				 d, at))
			return -1;
	}
	return 0;
}

/* Insertion sort: maps are small and mostly sorted already. Large ones go to qsort(). */
static void sort_entries(char *entries, size_t count, size_t size)
{
	char held[256];

	if (count > 32 || size > sizeof(held)) {
		qsort(entries, count, size, str_qsort_cmp);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		size_t to = i;

		while (to > 0 && str_qsort_cmp(entries + (to - 1) * size, entries + i * size) > 0)
			to--;
		if (to == i)
			continue;
		memcpy(held, entries + i * size, size);
		memmove(entries + (to + 1) * size, entries + to * size, (i - to) * size);
		memcpy(entries + to * size, held, size);
	}
}

static int decode_map(const struct field *field, struct json map, struct field_place place,
		      struct decoder *d, struct field_span *span)
{
	size_t size = field_entry_size(field->of);
	size_t count = json_len(map);
	struct json_iter it = json_iter(map);
	char *at;

	*span = (struct field_span){0};
	if (!count)
		return 0;
	at = arena_calloc(d->arena, count, size);
	*span = (struct field_span){at, count};
	for (; json_next(&it); at += size) {
		struct path entry = path_key(place.path, it.key);

		memcpy(at, &it.key, sizeof(it.key));
		if (decode_plain(field->of, it.value, (struct field_place){place.owner, &entry}, d,
				 at + FIELD_KEY_SIZE))
			return -1;
	}
	sort_entries(span->ptr, count, size);
	return 0;
}

static void decode_intstr(struct json value, struct intstr *at)
{
	if (json_is(value, JSON_STR))
		*at = (struct intstr){.kind = INTSTR_STR, .text = json_str(value)};
	else if (json_is(value, JSON_INT))
		*at = (struct intstr){.kind = INTSTR_INT, .number = (int32_t)json_int(value)};
}

static int decode_duration(struct json value, struct decoder *d, int64_t *at)
{
	int64_t nanoseconds;

	if (field_duration(value, &nanoseconds, d->err))
		return -1;
	*at = nanoseconds / DURATION_MICROSECOND;
	return 0;
}

/* A value that the view stores directly; `at` has field_size() bytes. */
static int decode_plain(const struct field *field, struct json value, struct field_place place,
			struct decoder *d, void *at)
{
	enum json_type type = json_type(value);

	if (field->is == FIELD_ANY) {
		*(struct json *)at = value;
		return 0;
	}
	if (type == JSON_NULL || type == JSON_ABSENT)
		return 0;
	switch (field->is) { /* what checks while it reads */
	case FIELD_QUANTITY:
		return field_quantity(value, d->arena, at, d->err);
	case FIELD_TIME:
	case FIELD_MICROTIME:
		return field_time(field, value, at, d->err);
	case FIELD_DURATION:
		return decode_duration(value, d, at);
	default:
		break;
	}
	if (field->is != FIELD_BYTES && field_check_value(field, value, place, d->err))
		return -1;
	switch (field->is) {
	case FIELD_BOOL:
		*(bool *)at = json_bool(value);
		return 0;
	case FIELD_INT32:
		*(int32_t *)at = (int32_t)json_int(value);
		return 0;
	case FIELD_INT64:
		*(int64_t *)at = json_int(value);
		return 0;
	case FIELD_DOUBLE:
		*(double *)at = json_real(value);
		return 0;
	case FIELD_STR:
	case FIELD_BYTES:
		*(struct str *)at = json_str(value);
		return 0;
	case FIELD_ENUM:
		return decode_enum(field, value, place.path, d, at);
	case FIELD_INTSTR:
		decode_intstr(value, at);
		return 0;
	case FIELD_OBJECT:
		return decode_object(field->type, value, place.path, d, at);
	case FIELD_LIST:
		return decode_list(field, value, place, d, at);
	case FIELD_MAP:
		return decode_map(field, value, place, d, at);
	default:
		return 0;
	}
}

/* The place of a row's value in the view; marks it as present. */
static void *open_slot(const struct field *field, char *view, struct decoder *d)
{
	void *member = view + field->at;

	switch (field->held) {
	case FIELD_HELD_POINTER:
		return *(void **)member = arena_zalloc(d->arena, field_size(field));
	case FIELD_HELD_OPT_BOOL:
		((struct opt_bool *)member)->set = true;
		return &((struct opt_bool *)member)->value;
	case FIELD_HELD_OPT_INT32:
		((struct opt_int32 *)member)->set = true;
		return &((struct opt_int32 *)member)->value;
	case FIELD_HELD_OPT_INT64:
		((struct opt_int64 *)member)->set = true;
		return &((struct opt_int64 *)member)->value;
	default:
		return member;
	}
}

/* The default that a row has; type_check() has checked that it parses. */
static int decode_default(const struct field *field, const struct path *path, struct decoder *d,
			  void *at)
{
	struct str text = str_from(field->dflt);
	int64_t number = 0;
	int bad = 0;

	switch (field->is) {
	case FIELD_BOOL:
		return number_parse_bool(text, at, d->err);
	case FIELD_INT32:
		bad = number_parse_i64(text, &number, d->err);
		*(int32_t *)at = (int32_t)number;
		return bad;
	case FIELD_INT64:
		return number_parse_i64(text, at, d->err);
	case FIELD_DOUBLE:
		return number_parse_double(text, at, d->err);
	case FIELD_ENUM:
		*(unsigned *)at = (unsigned)field_enum_value(field, text);
		return 0;
	case FIELD_QUANTITY:
		return quantity_parse(text, at, d->err);
	case FIELD_DURATION:
		bad = duration_parse(text, &number, d->err);
		*(int64_t *)at = number / DURATION_MICROSECOND;
		return bad;
	case FIELD_INTSTR:
		*(struct intstr *)at = intstr_parse(text);
		return 0;
	case FIELD_OBJECT:
		return decode_object(field->type, JSON_NONE, path, d, at);
	case FIELD_STR:
	case FIELD_BYTES:
		*(struct str *)at = text;
		return 0;
	default: /* an empty list or map, which it is already */
		return 0;
	}
}

static int decode_defaults(const struct type *type, const struct field_seen *seen,
			   const struct path *path, struct decoder *d, char *view)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		struct path member;

		if (!field->dflt || field->held == FIELD_HELD_NOT ||
		    field->held == FIELD_HELD_JSON || field_seen_has(seen, i))
			continue;
		member = path_member(path, str_from(field->name));
		if (decode_default(field, &member, d, open_slot(field, view, d)))
			return -1;
	}
	return 0;
}

static int decode_object(const struct type *type, struct json object, const struct path *path,
			 struct decoder *d, void *view)
{
	struct json_iter it = json_iter(object);
	struct field_seen seen = {0};
	size_t hint = 0;

	while (json_next(&it)) {
		const struct field *field = type_find(type, it.key, &hint);
		struct path member;

		if (!field || field->held == FIELD_HELD_NOT || json_is(it.value, JSON_NULL))
			continue;
		field_seen_set(&seen, (size_t)(field - type->fields));
		if (field->held == FIELD_HELD_JSON) {
			*(struct json *)(void *)((char *)view + field->at) = it.value;
			continue;
		}
		member = path_member(path, it.key);
		if (decode_plain(field, it.value, (struct field_place){type, &member}, d,
				 open_slot(field, view, d)))
			return -1;
	}
	return decode_defaults(type, &seen, path, d, view);
}

int type_decode(const struct type *type, struct json object, struct arena *arena, void *view,
		struct err *err)
{
	const struct field top = {.is = FIELD_OBJECT, .type = type};
	struct decoder d = {.arena = arena};

	assert(type->size);
	d.err = err;
	memset(view, 0, type->size);
	if (field_check_value(&top, object, (struct field_place){0}, err))
		return -1;
	return decode_object(type, object, NULL, &d, view);
}

/* --- types alone ----------------------------------------------------------------------------- */

static int check_below(const struct field *field, struct json value, struct field_place place,
		       struct err *err);

static int check_members(const struct type *type, struct json object, const struct path *path,
			 struct err *err)
{
	struct json_iter it = json_iter(object);
	size_t hint = 0;

	while (json_next(&it)) {
		const struct field *field = type_find(type, it.key, &hint);
		struct path member = path_member(path, it.key);

		if (field && check_below(field, it.value, (struct field_place){type, &member}, err))
			return -1;
	}
	return 0;
}

static int check_below(const struct field *field, struct json value, struct field_place place,
		       struct err *err)
{
	struct json_iter it = json_iter(value);

	if (field_check_value(field, value, place, err))
		return -1;
	if (json_is(value, JSON_NULL))
		return 0;
	if (field->is == FIELD_OBJECT)
		return check_members(field->type, value, place.path, err);
	while (field->of && json_next(&it)) {
		struct path element = field->is == FIELD_LIST ? path_index(place.path, it.index)
							      : path_key(place.path, it.key);

		if (check_below(field->of, it.value, (struct field_place){place.owner, &element},
				err))
			return -1;
	}
	return 0;
}

int type_check_types(const struct type *type, struct json object, struct err *err)
{
	const struct field top = {.is = FIELD_OBJECT, .type = type};

	if (field_check_value(&top, object, (struct field_place){0}, err))
		return -1;
	return check_members(type, object, NULL, err);
}
