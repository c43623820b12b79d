/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/fields_internal.h - shared by the files of the field tables: fields.c (look-up
 * and check of tables), decode.c, encode.c, tidy.c (defaults, pruning, canonical form), validate.c
 * and field_schema.c. */
#ifndef MODEL_FIELDS_INTERNAL_H
#define MODEL_FIELDS_INTERNAL_H

#include "model/field/fields.h"

enum {
	FIELD_ROWS_MAX = 128,                /* of one table */
	FIELD_KEY_SIZE = sizeof(struct str), /* before the value in an entry of a map */
};

/* Any list or map in a view. */
struct field_span {
	void *ptr;
	size_t len;
};

/* Bytes that a value takes as an element of a list in a view. */
size_t field_size(const struct field *field);
/* Bytes of an entry of a map in a view. */
size_t field_entry_size(const struct field *value);

/* Go's name of the type: "int32", "[]v1.Container", "map[string]string". */
void field_go_type(const struct field *field, struct buf *to);

/* Is it empty like Go's zero values? An empty object and 0 are not. */
static inline bool field_is_missing(struct json value)
{
	switch (json_type(value)) {
	case JSON_ABSENT:
	case JSON_NULL:
		return true;
	case JSON_STR:
		return json_str(value).len == 0;
	case JSON_ARR:
		return json_len(value) == 0;
	default:
		return false;
	}
}

/* The value of an enum's text, or -1. */
int field_enum_value(const struct field *field, struct str text);

/* Whether rows were seen, by their number. */
struct field_seen {
	uint64_t bits[FIELD_ROWS_MAX / 64];
};
static inline void field_seen_set(struct field_seen *seen, size_t row)
{
	seen->bits[row / 64] |= UINT64_C(1) << row % 64;
}
static inline bool field_seen_has(const struct field_seen *seen, size_t row)
{
	return seen->bits[row / 64] >> row % 64 & 1;
}

/* The current place of a walk through a document, for Go's messages. */
struct field_place {
	const struct type *owner; /* the type of the object that the field is in */
	const struct path *path;  /* of the field */
};

/* Does Go's decoder accept the JSON value for this class? Checks only the value itself, not its
 * members. null is always accepted. */
int field_check_value(const struct field *field, struct json value, struct field_place place,
		      struct err *err) MUST_CHECK;

/* Texts of special classes; err in upstream's words. A number is fine for a quantity. */
int field_quantity(struct json value, struct arena *arena, struct quantity *ret,
		   struct err *err) MUST_CHECK;
int field_time(const struct field *field, struct json value, int64_t *ret,
	       struct err *err) MUST_CHECK;
int field_duration(struct json value, int64_t *ret_nanoseconds, struct err *err) MUST_CHECK;

/* The default as a new value of a document; absent when the row has none. */
struct json field_default(const struct field *field, struct json_doc *doc);

#endif
