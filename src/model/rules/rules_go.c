/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules_go.c - values as Go shows them.
 *
 * Upstream prints a struct in a cause as encoding/json prints its internal type: without tags, so
 * that every field is there under its name in Go, with null for what is not set. put_go() does the
 * same from the field table; if Go's struct has other fields, or another order, rows say so. */
#include <ctype.h>

#include "base/buf.h"
#include "model/rules/rules.h"

#include "base/banned.h"

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

void rules_print_go(struct json object, const struct rules_go *rows, size_t count, struct buf *to)
{
	buf_putc(to, '{');
	for (size_t i = 0; i < count; i++) {
		struct json value = json_get(object, rows[i].json);

		buf_printf(to, "%s\"%s\":", i ? "," : "", rows[i].go);
		if (json_is_absent(value) || json_is(value, JSON_NULL))
			buf_puts(to, rows[i].zero);
		else
			json_print(value, JSON_COMPACT, to);
	}
	buf_putc(to, '}');
}
