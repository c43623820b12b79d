/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/convert.c - could Go make an object of this type out of maps?
 *
 * Go's reflection can convert a number to a string, which is not allowed here, so a number for a text is
 * "cannot convert"; a value that it cannot convert at all is an "unrecognized type". A number without a
 * fraction is accepted as an integer. */
#include "model/field/convert.h"

#include <math.h>

#include "base/buf.h"
#include "model/field/fields_internal.h"

#include "base/banned.h"

static int check_field(const struct field *field, struct json value, struct err *err);

/* The kind of what Go has read. */
static const char *kind_of(struct json value)
{
	static const char *const names[] = {
		[JSON_ABSENT] = "invalid", [JSON_NULL] = "invalid", [JSON_BOOL] = "bool",
		[JSON_INT] = "int64",      [JSON_REAL] = "float64", [JSON_STR] = "string",
		[JSON_ARR] = "slice",      [JSON_OBJ] = "map",
	};

	return names[json_type(value)];
}

static int refuse_conversion(const struct field *field, struct json value, struct err *err)
{
	AUTO(buf_done) struct buf go = BUF_UNBOUNDED;

	field_go_type(field, &go);
	return err_set(err, ERR_BAD_REQUEST, "cannot convert %s to %s", kind_of(value),
		       buf_text(&go));
}

static int refuse_kind(const char *kind, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST, "unrecognized type: %s", kind);
}

static int check_int(const struct field *field, struct json value, struct err *err)
{
	double real = json_real(value);

	if (json_is(value, JSON_INT) || (json_is(value, JSON_REAL) && trunc(real) == real))
		return 0;
	if (json_is(value, JSON_REAL))
		return refuse_conversion(field, value, err);
	return refuse_kind(field->is == FIELD_INT32 ? "int32" : "int64", err);
}

static int check_text(const struct field *field, struct json value, struct err *err)
{
	if (json_is(value, JSON_STR))
		return 0;
	return json_is(value, JSON_INT) ? refuse_conversion(field, value, err)
					: refuse_kind("string", err);
}

static int check_elements(const struct field *field, struct json value, enum json_type wanted,
			  struct err *err)
{
	struct json_iter it = json_iter(value);

	if (!json_is(value, wanted))
		return err_set(err, ERR_BAD_REQUEST, "cannot restore %s from %s",
			       wanted == JSON_ARR ? "slice" : "map", kind_of(value));
	while (json_next(&it))
		if (check_field(field->of, it.value, err) < 0)
			return -1;
	return 0;
}

static int check_field(const struct field *field, struct json value, struct err *err)
{
	if (json_is_absent(value) || json_is(value, JSON_NULL))
		return 0;
	switch (field->is) {
	case FIELD_BOOL:
		return json_is(value, JSON_BOOL) ? 0 : refuse_kind("bool", err);
	case FIELD_INT32:
	case FIELD_INT64:
		return check_int(field, value, err);
	case FIELD_DOUBLE:
		return json_is(value, JSON_INT) || json_is(value, JSON_REAL)
			       ? 0
			       : refuse_kind("float64", err);
	case FIELD_STR:
	case FIELD_ENUM:
		return check_text(field, value, err);
	case FIELD_OBJECT:
		if (!json_is(value, JSON_OBJ))
			return err_set(err, ERR_BAD_REQUEST, "cannot restore struct from: %s",
				       kind_of(value));
		return convert_check(field->type, value, err);
	case FIELD_LIST:
		return check_elements(field, value, JSON_ARR, err);
	case FIELD_MAP:
		return check_elements(field, value, JSON_OBJ, err);
	default:
		return 0;
	}
}

int convert_check(const struct type *type, struct json object, struct err *err)
{
	for (size_t i = 0; i < type->count; i++)
		if (check_field(&type->fields[i], json_get(object, type->fields[i].name), err) < 0)
			return -1;
	return 0;
}
