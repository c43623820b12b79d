/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/form.c - objects in the form that a client asked for.
 *
 * A Table has a row for each object: the cells of the kind's columns, and (as includeObject says)
 * nothing of the object, its metadata, or all of it. A kind without columns of its own shows its
 * name and when it was made. */
#include "apiserver/request/form.h"

#include <inttypes.h>
#include <stdio.h>

#include "apiserver/api_internal.h"
#include "apiserver/kind/cell.h"
#include "apiserver/kind/column.h"
#include "apiserver/request/page.h"
#include "apiserver/request/reading.h"
#include "base/buf.h"
#include "base/time.h"
#include "http/chunk.h"
#include "model/rules/causes.h"

#include "base/banned.h"

/* The time itself: only definitions of custom kinds have their ages counted by the server. */
static struct json created_cell(const struct kind_column *column, struct json object,
				struct json_doc *doc, int64_t now)
{
	(void)column;
	(void)now;
	return json_new_copy(doc, json_get(json_get(object, "metadata"), "creationTimestamp"));
}

const struct kind_column form_column_name = {.name = "Name",
					     .type = "string",
					     .format = "name",
					     .doc = CELL_NAME_DOC,
					     .path = ".metadata.name"};
const struct kind_column form_column_age = {.name = "Age",
					    .type = "date",
					    .format = "",
					    .doc = CELL_CREATED_DOC,
					    .path = ".metadata.creationTimestamp"};

static const struct kind_column default_columns[] = {
	{.name = "Name",
	 .type = "string",
	 .format = "name",
	 .doc = CELL_NAME_DOC,
	 .path = ".metadata.name"},
	{.name = "Created At",
	 .type = "date",
	 .format = "",
	 .doc = CELL_CREATED_DOC,
	 .cell = created_cell},
	{.name = NULL},
};

static const struct kind_column *columns_of(const struct kind *kind)
{
	return kind->columns ? kind->columns : default_columns;
}

int form_check(struct call *call, struct err *err)
{
	static const char *const values[] = {"", "None", "Metadata", "Object"};
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	if (call->options.form != CALL_FORM_TABLE)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (str_is(call->options.include_object, values[i]))
			return 0;
	call->error.plain = true;
	causes_quote(&quoted, call->options.include_object);
	return err_set(err, ERR_BAD_REQUEST,
		       "Unable to convert to Table as requested: includeObject: Invalid value: %s: "
		       "must be 'Metadata', 'Object', 'None', or empty",
		       buf_text(&quoted));
}

/* --- parts --- */

static struct json_doc *read_object(struct call *call, const struct object *object)
{
	struct err err;

	return reading_parse(call->kind, object, &err);
}

/* Of the form itself. */
static const char *form_version(const struct call *call)
{
	return call->options.form_beta ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1";
}

static struct json new_metadata(const struct call *call, struct json_doc *doc, struct json object)
{
	struct json partial = json_new_obj(doc);

	json_set_str(doc, partial, "kind", STR("PartialObjectMetadata"));
	json_set_str(doc, partial, "apiVersion", str_from(form_version(call)));
	json_set(doc, partial, STR("metadata"), json_new_copy(doc, json_get(object, "metadata")));
	return partial;
}

static struct json new_row(struct call *call, struct json_doc *doc, struct json object)
{
	struct json row = json_new_obj(doc);
	struct json cells = json_ensure_arr(doc, row, "cells");
	const struct kind_ops *ops = call->kind->ops;
	struct str include = call->options.include_object;
	struct json conditions =
		ops && ops->row_conditions ? ops->row_conditions(object, doc) : JSON_NONE;

	for (const struct kind_column *column = columns_of(call->kind); column->name; column++)
		json_append(doc, cells, column_cell(column, object, doc, call_now(call)));
	if (!json_is_absent(conditions))
		json_set(doc, row, STR("conditions"), conditions);
	if (str_is(include, "Object"))
		json_set(doc, row, STR("object"), json_new_copy(doc, object));
	else if (str_is(include, "None"))
		json_set(doc, row, STR("object"), json_new_null(doc));
	else
		json_set(doc, row, STR("object"), new_metadata(call, doc, object));
	return row;
}

static void set_columns(struct json_doc *doc, struct json table, const struct kind *kind)
{
	struct json list = json_ensure_arr(doc, table, "columnDefinitions");

	for (const struct kind_column *column = columns_of(kind); column->name; column++) {
		struct json definition = json_new_obj(doc);

		json_set_str(doc, definition, "name", str_from(column->name));
		json_set_str(doc, definition, "type", str_from(column->type));
		json_set_str(doc, definition, "format",
			     str_from(column->format ? column->format : ""));
		json_set_str(doc, definition, "description",
			     str_from(column->doc ? column->doc : ""));
		json_set_int(doc, definition, "priority", column->priority);
		json_append(doc, list, definition);
	}
}

/* A list object of meta.k8s.io with its revision; gives the array that takes the items. */
static struct json new_list(const struct call *call, struct json_doc *doc, const char *kind,
			    struct str revision, const char *items)
{
	struct json list = json_new_obj(doc);
	struct json metadata;

	json_doc_set_root(doc, list);
	json_set_str(doc, list, "kind", str_from(kind));
	json_set_str(doc, list, "apiVersion", str_from(form_version(call)));
	metadata = json_ensure_obj(doc, list, "metadata");
	if (revision.len)
		json_set_str(doc, metadata, "resourceVersion", revision);
	return json_ensure_arr(doc, list, items);
}

/* --- one object --- */

static struct json_doc *make_form(struct call *call, struct json object, bool columns)
{
	struct json_doc *doc = json_doc_new();
	struct str revision = json_str(json_get(json_get(object, "metadata"), "resourceVersion"));

	if (call->options.form == CALL_FORM_METADATA) {
		json_doc_set_root(doc, new_metadata(call, doc, object));
		return doc;
	}
	json_append(doc, new_list(call, doc, "Table", revision, "rows"),
		    new_row(call, doc, object));
	if (columns)
		set_columns(doc, json_doc_root(doc), call->kind);
	else
		json_set(doc, json_doc_root(doc), STR("columnDefinitions"), json_new_null(doc));
	return doc;
}

struct json_doc *form_make(struct call *call, const struct kind *kind, struct json object)
{
	const struct kind *own = call->kind;
	struct json_doc *doc;

	call->kind = kind;
	doc = make_form(call, object, true);
	call->kind = own;
	return doc;
}

void form_answer_doc(struct call *call, int code, struct json_doc *doc)
{
	AUTO(json_doc_unref) struct json_doc *object = doc;
	struct err err;

	if (form_check(call, &err) < 0)
		call_answer_err(call, &err);
	else if (call->options.form == CALL_FORM_OBJECT)
		call_answer_doc(call, code, TAKE(object));
	else
		call_answer_doc(call, code, make_form(call, json_doc_root(object), true));
}

struct json_doc *form_read(struct call *call, const struct object *object)
{
	AUTO(json_doc_unref) struct json_doc *doc = read_object(call, object);

	return make_form(call, json_doc_root(doc), true);
}

void form_answer_object(struct call *call, int code, struct object *object)
{
	form_answer_doc(call, code, read_object(call, object));
}

/* --- lists --- */

static void set_page(struct json_doc *doc, struct json list, const struct page *page)
{
	struct json metadata = json_get(list, "metadata");

	if (page->token.len)
		json_set_str(doc, metadata, "continue", page->token);
	if (page->remaining >= 0)
		json_set_int(doc, metadata, "remainingItemCount", page->remaining);
}

struct json_doc *form_list_head(struct call *call, const struct page *page)
{
	struct json_doc *doc = json_doc_new();
	bool table = call->options.form == CALL_FORM_TABLE;
	const char *items = table ? "rows" : "items";
	char revision[24];
	struct json list;

	snprintf(revision, sizeof(revision), "%" PRId64, page->revision);
	(void)new_list(call, doc, table ? "Table" : "PartialObjectMetadataList", str_from(revision),
		       items);
	list = json_doc_root(doc);
	(void)json_remove(doc, list, str_from(items));
	set_page(doc, list, page);
	if (table)
		set_columns(doc, list, call->kind);
	return doc;
}

void form_put_item(struct call *call, const struct object *object, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *stored = read_object(call, object);
	AUTO(json_doc_unref) struct json_doc *item = json_doc_new();
	struct json root = json_doc_root(stored);
	bool table = call->options.form == CALL_FORM_TABLE;

	json_print(table ? new_row(call, item, root) : new_metadata(call, item, root), JSON_COMPACT,
		   to);
}

/* --- watches --- */

struct chunk *form_event(struct call *call, const char *type, struct object *object)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *stored = read_object(call, object);
	AUTO(json_doc_unref)
	struct json_doc *doc = make_form(call, json_doc_root(stored), !call->answer.columns_sent);

	call->answer.columns_sent = true;
	buf_printf(&text, "{\"type\":\"%s\",\"object\":", type);
	json_print(json_doc_root(doc), JSON_COMPACT, &text);
	buf_puts(&text, "}\n");
	return chunk_take(&text);
}

/* A row of an object of which nothing is set. */
static void put_table_bookmark(struct call *call, int64_t revision, bool initial_end,
			       struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *empty = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *table = NULL;
	struct json object = json_new_obj(empty);
	struct json metadata;

	json_doc_set_root(empty, object);
	json_set_str(empty, object, "kind", call->kind->name);
	json_set_str(empty, object, "apiVersion", call->kind->api_version);
	metadata = json_ensure_obj(empty, object, "metadata");
	json_set(empty, metadata, STR("resourceVersion"),
		 json_new_printf(empty, "%" PRId64, revision));
	if (initial_end)
		json_set_str(empty, json_ensure_obj(empty, metadata, "annotations"),
			     "k8s.io/initial-events-end", STR("true"));
	table = make_form(call, object, !call->answer.columns_sent);
	call->answer.columns_sent = true;
	json_print(json_doc_root(table), JSON_COMPACT, to);
}

void form_bookmark(struct call *call, int64_t revision, bool initial_end, struct buf *to)
{
	const struct kind *kind = call->kind;
	bool partial = call->options.form != CALL_FORM_OBJECT;

	if (call->options.form == CALL_FORM_TABLE) {
		put_table_bookmark(call, revision, initial_end, to);
		return;
	}
	if (partial)
		buf_printf(to, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"%s\",",
			   form_version(call));
	else
		buf_put_str(to, kind->head);
	buf_printf(to, "\"metadata\":{\"resourceVersion\":\"%" PRId64 "\"", revision);
	if (kind->custom && !partial)
		buf_puts(to, ",\"creationTimestamp\":null");
	if (initial_end)
		buf_puts(to, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
	buf_putc(to, '}');
	if (!partial && kind->empty)
		buf_puts(to, kind->empty);
	buf_putc(to, '}');
}
