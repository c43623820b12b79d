/* SPDX-License-Identifier: Apache-2.0 */
/* model/rule.c - small rules.
 *
 * Upstream prints a struct in a cause as encoding/json prints its internal type: without tags, so
 * that every field is there under its name in Go, with null for what is not set. put_go() does the
 * same from the field table. */
#include "model/rule.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/vec.h"

#include "base/banned.h"

enum { FILE_MODE_MAX = 0777 };

bool rule_has(struct json object, const char *key)
{
	struct json value = json_get(object, key);

	return !json_is_absent(value) && !json_is(value, JSON_NULL);
}

bool rule_texts_have(struct rule_texts texts, struct str text)
{
	for (size_t i = 0; i < texts.len; i++)
		if (str_is(text, texts.ptr[i]))
			return true;
	return false;
}

bool rule_required(const struct rule_at *at, const char *key)
{
	struct path path = path_member(at->path, str_from(key));

	if (rule_text(at->object, key).len)
		return true;
	causes_required(at->causes, &path, "");
	return false;
}

void rule_name(const struct rule_at *at, const char *key, enum name_format format)
{
	struct path path = path_member(at->path, str_from(key));
	struct str text = rule_text(at->object, key);

	if (text.len)
		name_validate(format, text, &path, at->causes);
}

void rule_name_required(const struct rule_at *at, const char *key, enum name_format format)
{
	if (rule_required(at, key))
		rule_name(at, key, format);
}

static void check_text(const struct rule_at *at, const char *key, struct rule_texts texts)
{
	struct path path = path_member(at->path, str_from(key));
	struct str text = rule_text(at->object, key);

	if (!rule_texts_have(texts, text))
		causes_not_supported(at->causes, &path, text, texts.ptr, texts.len);
}

void rule_text_of(const struct rule_at *at, const char *key, struct rule_texts texts)
{
	if (rule_has(at->object, key))
		check_text(at, key, texts);
}

void rule_text_of_required(const struct rule_at *at, const char *key, struct rule_texts texts)
{
	if (rule_required(at, key))
		check_text(at, key, texts);
}

void rule_range(const struct rule_at *at, const char *key, int64_t low, int64_t high)
{
	struct path path = path_member(at->path, str_from(key));
	int64_t value = json_int(json_get(at->object, key));

	if (rule_has(at->object, key) && (value < low || value > high))
		causes_invalid_int(at->causes, &path, value,
				   "must be between %" PRId64 " and %" PRId64 ", inclusive", low,
				   high);
}

void rule_id(const struct rule_at *at, const char *key)
{
	rule_range(at, key, 0, INT32_MAX);
}

void rule_not_negative(const struct rule_at *at, const char *key)
{
	struct path path = path_member(at->path, str_from(key));
	int64_t value = json_int(json_get(at->object, key));

	if (value < 0)
		causes_invalid_int(at->causes, &path, value, "must be greater than or equal to 0");
}

void rule_file_mode(const struct rule_at *at, const char *key)
{
	struct path path = path_member(at->path, str_from(key));
	int64_t value = json_int(json_get(at->object, key));

	if (value < 0 || value > FILE_MODE_MAX)
		causes_invalid_int(at->causes, &path, value,
				   "must be a number between 0 and 0777 (octal), both inclusive");
}

void rule_forbid(const struct rule_at *at, const char *key, const char *detail)
{
	struct path path = path_member(at->path, str_from(key));

	if (rule_has(at->object, key))
		causes_forbidden(at->causes, &path, detail);
}

/* --- paths of files -------------------------------------------------------------------------- */

bool rule_has_backsteps(struct str file)
{
	struct str part;

	while (str_split(&file, '/', &part))
		if (str_is(part, ".."))
			return true;
	return false;
}

void rule_no_backsteps(struct str file, const struct path *path, struct causes *causes)
{
	if (rule_has_backsteps(file))
		causes_invalid_str(causes, path, file, "must not contain '..'");
}

void rule_local(struct str file, const struct path *path, struct causes *causes)
{
	if (str_starts(file, STR("/")))
		causes_invalid_str(causes, path, file, "must be a relative path");
	rule_no_backsteps(file, path, causes);
}

void rule_local_free(struct str file, const struct path *path, struct causes *causes)
{
	rule_local(file, path, causes);
	if (str_starts(file, STR("..")) && !str_starts(file, STR("../")))
		causes_invalid_str(causes, path, file, "must not start with '..'");
}

/* --- sets of names --------------------------------------------------------------------------- */

void name_set_done(struct name_set *set)
{
	vec_done(set);
}

bool name_set_has(const struct name_set *set, struct str name)
{
	for (size_t i = 0; i < set->len; i++)
		if (str_eq(set->ptr[i], name))
			return true;
	return false;
}

bool name_set_add(struct name_set *set, struct str name)
{
	if (name_set_has(set, name))
		return false;
	vec_push(set, name);
	return true;
}

/* --- values as Go shows them ----------------------------------------------------------------- */

/* "runAsUser" is RunAsUser, but some words are written in capitals. */
static void put_go_name(const char *name, struct buf *to)
{
	static const struct {
		const char *json;
		const char *go;
	} odd[] = {
		{"ip", "IP"},
		{"seLinuxOptions", "SELinuxOptions"},
		{"gmsaCredentialSpecName", "GMSACredentialSpecName"},
		{"gmsaCredentialSpec", "GMSACredentialSpec"},
	};

	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		if (str_is(str_from(odd[i].json), name)) {
			buf_puts(to, odd[i].go);
			return;
		}
	}
	buf_putc(to, (char)toupper((unsigned char)name[0]));
	buf_puts(to, name + 1);
}

static void put_go_object(const struct type *type, struct json object, struct buf *to);

static void put_go_nothing(const struct field *field, struct buf *to)
{
	static const char *const nothing[FIELD_CLASS_COUNT] = {
		[FIELD_STR] = "\"\"", [FIELD_ENUM] = "\"\"",  [FIELD_INT32] = "0",
		[FIELD_INT64] = "0",  [FIELD_BOOL] = "false",
	};
	const char *text = field->pointer ? NULL : nothing[field->is];

	buf_puts(to, text ? text : "null");
}

static void put_go_list(const struct type *type, struct json list, struct buf *to)
{
	struct json_iter it = json_iter(list);

	buf_putc(to, '[');
	while (json_next(&it)) {
		if (it.index)
			buf_putc(to, ',');
		put_go_object(type, it.value, to);
	}
	buf_putc(to, ']');
}

static void put_go_value(const struct field *field, struct json value, struct buf *to)
{
	if (json_is_absent(value) || json_is(value, JSON_NULL))
		put_go_nothing(field, to);
	else if (field->is == FIELD_OBJECT)
		put_go_object(field->type, value, to);
	else if (field->is == FIELD_LIST && field->of->is == FIELD_OBJECT)
		put_go_list(field->of->type, value, to);
	else
		json_print(value, JSON_COMPACT, to);
}

static void put_go_object(const struct type *type, struct json object, struct buf *to)
{
	buf_putc(to, '{');
	for (size_t i = 0; i < type->count; i++) {
		buf_puts(to, i ? ",\"" : "\"");
		put_go_name(type->fields[i].name, to);
		buf_puts(to, "\":");
		put_go_value(&type->fields[i], json_get(object, type->fields[i].name), to);
	}
	buf_putc(to, '}');
}

void rule_invalid_go(const struct type *type, struct json value, const struct path *path,
		     struct causes *causes, const char *detail)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (json_is(value, JSON_ARR))
		put_go_list(type, value, &text);
	else if (json_is(value, JSON_OBJ))
		put_go_object(type, value, &text);
	else
		buf_puts(&text, "null");
	causes_add(causes, CAUSE_INVALID, path, "Invalid value: %s: %s", buf_text(&text), detail);
}
