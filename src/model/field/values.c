/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/values.c - single JSON values against the classes of the field table.
 *
 * What is accepted, and the error messages, follow Go's decoder and the UnmarshalJSON methods of
 * Kubernetes' types, because clients and recorded cases know these messages. */
#include <string.h>

#include "base/base64.h"
#include "base/number.h"
#include "base/time.h"
#include "model/field/fields_internal.h"
#include "model/value/duration.h"

#include "base/banned.h"

/* What Go calls a JSON value in `cannot unmarshal ... into`. */
static const char *go_value(enum json_type type)
{
	static const char *const names[] = {
		[JSON_ABSENT] = "nothing", [JSON_NULL] = "null",   [JSON_BOOL] = "bool",
		[JSON_INT] = "number",     [JSON_REAL] = "number", [JSON_STR] = "string",
		[JSON_ARR] = "array",      [JSON_OBJ] = "object",
	};

	return names[type];
}

static int wrong_type(const struct field *field, struct json value, bool with_number,
		      struct field_place place, struct err *err)
{
	AUTO(buf_done) struct buf go = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf where = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf what = BUF_UNBOUNDED;

	field_go_type(field, &go);
	buf_puts(&what, go_value(json_type(value)));
	if (with_number) {
		buf_putc(&what, ' ');
		json_print(value, JSON_COMPACT, &what);
	}
	if (!place.owner)
		return err_set(err, ERR_BAD_REQUEST,
			       "json: cannot unmarshal %s into Go value of type %s",
			       buf_text(&what), buf_text(&go));
	path_print_members(place.path, &where);
	return err_set(err, ERR_BAD_REQUEST,
		       "json: cannot unmarshal %s into Go struct field %s.%s of type %s",
		       buf_text(&what), place.owner->name, buf_text(&where), buf_text(&go));
}

/* The message of a type's own decoder, which does not know the field. */
static int wrong_plain(struct json value, const char *go, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST, "json: cannot unmarshal %s into Go value of type %s",
		       go_value(json_type(value)), go);
}

int field_quantity(struct json value, struct arena *arena, struct quantity *ret, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct quantity parsed;

	if (json_is(value, JSON_STR)) {
		if (quantity_parse(json_str(value), &parsed, err))
			return -1;
	} else {
		json_print(value, JSON_COMPACT, &text);
		if (quantity_parse(buf_str(&text), &parsed, err))
			return -1;
		if (!str_is_none(parsed.text))
			parsed.text = arena ? arena_str(arena, parsed.text) : str_none();
	}
	*ret = parsed;
	return 0;
}

/* How Go reads an RFC 3339 time, part by part. */
static const struct {
	const char *text; /* as messages show it */
	size_t digits;    /* 0: the text itself */
} time_parts[] = {
	{"2006", 4}, {"-", 0}, {"01", 2}, {"-", 0}, {"02", 2}, {"T", 0},
	{"15", 2},   {":", 0}, {"04", 2}, {":", 0}, {"05", 2},
};

static bool has_digits(struct str text, size_t count)
{
	if (text.len < count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

/* The rest after the seconds, or where parsing stopped; *part is NULL on success. */
static struct str skip_time_parts(struct str text, const char **part)
{
	*part = NULL;
	for (size_t i = 0; i < ARRAY_LEN(time_parts); i++) {
		size_t digits = time_parts[i].digits;

		if (digits ? !has_digits(text, digits)
			   : !str_starts(text, str_from(time_parts[i].text))) {
			*part = time_parts[i].text;
			return text;
		}
		text = str_skip(text, digits ? digits : 1);
	}
	return text;
}

/* Reports where Go would have stopped. */
static int wrong_time(struct str text, bool micro, struct err *err)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf at = BUF_UNBOUNDED;
	const char *part;
	struct str rest = skip_time_parts(text, &part);

	if (!part)
		part = micro ? ".000000" : "Z07:00";
	causes_quote(&quoted, text);
	causes_quote(&at, rest);
	return err_set(err, ERR_BAD_REQUEST,
		       "parsing time %s as \"2006-01-02T15:04:05%sZ07:00\": "
		       "cannot parse %s as \"%s\"",
		       buf_text(&quoted), micro ? ".000000" : "", buf_text(&at), part);
}

/* Six digits after a point, as metav1.MicroTime requires. */
static bool has_micros(struct str text)
{
	const char *part;
	struct str rest = skip_time_parts(text, &part);

	return !part && str_starts(rest, STR(".")) && has_digits(str_skip(rest, 1), 6) &&
	       !has_digits(str_skip(rest, 7), 1);
}

int field_time(const struct field *field, struct json value, int64_t *ret, struct err *err)
{
	bool micro = field->is == FIELD_MICROTIME;

	if (!json_is(value, JSON_STR))
		return wrong_plain(value, "string", err);
	if (time_parse(json_str(value), ret, NULL) || (micro && !has_micros(json_str(value))))
		return wrong_time(json_str(value), micro, err);
	return 0;
}

int field_duration(struct json value, int64_t *ret_nanoseconds, struct err *err)
{
	if (!json_is(value, JSON_STR))
		return wrong_plain(value, "string", err);
	return duration_parse(json_str(value), ret_nanoseconds, err);
}

static int check_int(const struct field *field, struct json value, struct field_place place,
		     struct err *err)
{
	int64_t number = json_int(value);
	enum json_type type = json_type(value);

	if (type != JSON_INT)
		return wrong_type(field, value, type == JSON_REAL, place, err);
	if (!json_is_i64(value) ||
	    (field->is == FIELD_INT32 && (number < INT32_MIN || number > INT32_MAX)))
		return wrong_type(field, value, true, place, err);
	return 0;
}

static int check_intstr(struct json value, struct err *err)
{
	if (json_is(value, JSON_STR))
		return 0;
	if (!json_is(value, JSON_INT) || !json_is_i64(value) || json_int(value) < INT32_MIN ||
	    json_int(value) > INT32_MAX)
		return wrong_plain(value, "int32", err);
	return 0;
}

static int check_bytes(const struct field *field, struct json value, struct field_place place,
		       struct err *err)
{
	AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;

	if (!json_is(value, JSON_STR))
		return wrong_type(field, value, false, place, err);
	return base64_parse(json_str(value), &bytes, err);
}

static int check_special(const struct field *field, struct json value, struct field_place place,
			 struct err *err)
{
	struct quantity quantity;
	int64_t number;

	switch (field->is) {
	case FIELD_INT32:
	case FIELD_INT64:
		return check_int(field, value, place, err);
	case FIELD_QUANTITY:
		return field_quantity(value, NULL, &quantity, err);
	case FIELD_TIME:
	case FIELD_MICROTIME:
		return field_time(field, value, &number, err);
	case FIELD_DURATION:
		return field_duration(value, &number, err);
	case FIELD_INTSTR:
		return check_intstr(value, err);
	case FIELD_BYTES:
		return check_bytes(field, value, place, err);
	default:
		return 0;
	}
}

int field_check_value(const struct field *field, struct json value, struct field_place place,
		      struct err *err)
{
	static const uint8_t wanted[FIELD_CLASS_COUNT] = {
		[FIELD_BOOL] = 1 << JSON_BOOL,  [FIELD_DOUBLE] = 1 << JSON_INT | 1 << JSON_REAL,
		[FIELD_STR] = 1 << JSON_STR,    [FIELD_ENUM] = 1 << JSON_STR,
		[FIELD_OBJECT] = 1 << JSON_OBJ, [FIELD_LIST] = 1 << JSON_ARR,
		[FIELD_MAP] = 1 << JSON_OBJ,
	};
	enum json_type type = json_type(value);

	if (type == JSON_NULL || type == JSON_ABSENT)
		return 0;
	if (!wanted[field->is])
		return check_special(field, value, place, err);
	if (!(wanted[field->is] >> type & 1))
		return wrong_type(field, value, false, place, err);
	return 0;
}

struct json field_default(const struct field *field, struct json_doc *doc)
{
	struct str text = str_from(field->dflt);
	int64_t number;
	double real;
	bool flag;

	if (!field->dflt)
		return JSON_NONE;
	switch (field->is) {
	case FIELD_BOOL:
		return number_parse_bool(text, &flag, NULL) ? JSON_NONE : json_new_bool(doc, flag);
	case FIELD_INT32:
	case FIELD_INT64:
		return number_parse_i64(text, &number, NULL) ? JSON_NONE
							     : json_new_int(doc, number);
	case FIELD_DOUBLE:
		return number_parse_double(text, &real, NULL) ? JSON_NONE
							      : json_new_real(doc, real);
	case FIELD_INTSTR:
		return number_parse_i64(text, &number, NULL) ? json_new_str(doc, text)
							     : json_new_int(doc, number);
	case FIELD_OBJECT:
	case FIELD_MAP:
		return str_is(text, "{}") ? json_new_obj(doc) : JSON_NONE;
	case FIELD_LIST:
		return str_is(text, "[]") ? json_new_arr(doc) : JSON_NONE;
	case FIELD_ANY:
		return JSON_NONE;
	default:
		return json_new_str(doc, text);
	}
}
