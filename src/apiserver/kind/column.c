/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/column.c - the cells of `kubectl get`.
 *
 * A built-in kind has a function a column if the value is not just there; a custom one has a
 * path and a type, and what is not of the type is not shown, as upstream has it. */
#include "apiserver/kind/column.h"

#include "apiserver/kind/jsonpath.h"
#include "apiserver/kind/kind.h"
#include "base/buf.h"
#include "base/time.h"
#include "model/value/duration.h"

#include "base/banned.h"

static struct json string_cell(struct json value, struct json_doc *doc)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (json_is(value, JSON_STR))
		return json_new_copy(doc, value);
	json_print(value, JSON_COMPACT, &text);
	return json_new_str(doc, buf_str(&text));
}

static struct json date_cell(struct json value, struct json_doc *doc, int64_t now)
{
	char text[DURATION_TEXT_SIZE];
	int64_t time;

	if (!json_is(value, JSON_STR))
		return json_new_null(doc);
	if (time_parse(json_str(value), &time, NULL) < 0)
		return json_new_str(doc, STR("<invalid>"));
	return json_new_str(doc, str_from(duration_print_age(now - time, text)));
}

static struct json number_cell(struct json value, struct json_doc *doc, bool whole)
{
	if (json_is(value, JSON_REAL) && whole)
		return json_new_int(doc, (int64_t)json_real(value));
	if (json_is(value, JSON_INT) || json_is(value, JSON_REAL))
		return json_new_copy(doc, value);
	return json_new_null(doc);
}

static struct json typed_cell(const struct kind_column *column, struct json value,
			      struct json_doc *doc, int64_t now)
{
	struct str type = str_from(column->type);

	if (str_is(type, "string"))
		return string_cell(value, doc);
	if (str_is(type, "date"))
		return date_cell(value, doc, now);
	if (str_is(type, "integer") || str_is(type, "number"))
		return number_cell(value, doc, str_is(type, "integer"));
	return json_is(value, JSON_BOOL) ? json_new_copy(doc, value) : json_new_null(doc);
}

struct json column_cell(const struct kind_column *column, struct json object, struct json_doc *doc,
			int64_t now)
{
	struct json value;

	if (column->cell)
		return column->cell(column, object, doc, now);
	value = jsonpath_first(object, str_from(column->path));
	if (json_is_absent(value) || json_is(value, JSON_NULL))
		return json_new_null(doc);
	return typed_cell(column, value, doc, now);
}
