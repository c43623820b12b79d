/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_event.c - the columns of events, which both groups that serve them show alike.
 *
 * An event of today has eventTime and perhaps a series, one of old a first and a last time and a
 * count; most have some of both. */
#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"

#include "base/banned.h"

/* A part of an event, which events.k8s.io may call otherwise. */
static struct json part(struct json event, const char *name, const char *other)
{
	struct json value = json_get(event, name);

	return json_is_absent(value) ? json_get(event, other) : value;
}

static struct json involved(struct json event)
{
	return part(event, "involvedObject", "regarding");
}

static struct json source(struct json event)
{
	return part(event, "source", "deprecatedSource");
}

static struct json first_text(struct json a, struct json b)
{
	return json_str(a).len ? a : b;
}

static struct json event_first(const struct kind_column *column, struct json event,
			       struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	(void)column;
	cell_print_since(first_text(part(event, "firstTimestamp", "deprecatedFirstTimestamp"),
				    json_get(event, "eventTime")),
			 now, &text);
	return cell_take(doc, &text);
}

static struct json event_last(const struct kind_column *column, struct json event,
			      struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json series = json_get(event, "series");
	struct json last = json_is(series, JSON_OBJ)
				   ? json_get(series, "lastObservedTime")
				   : part(event, "lastTimestamp", "deprecatedLastTimestamp");

	if (!json_is(series, JSON_OBJ) && !json_str(last).len)
		return event_first(column, event, doc, now);
	cell_print_since(last, now, &text);
	return cell_take(doc, &text);
}

static struct json event_count(const struct kind_column *column, struct json event,
			       struct json_doc *doc, int64_t now)
{
	struct json series = json_get(event, "series");
	int64_t count = json_int(part(event, "count", "deprecatedCount"));

	(void)column;
	(void)now;
	if (json_is(series, JSON_OBJ))
		return json_new_int(doc, json_int(json_get(series, "count")));
	return json_new_int(doc, count ? count : 1);
}

static struct json event_object(const struct kind_column *column, struct json event,
				struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str kind = json_str(json_get(involved(event), "kind"));
	struct str name = json_str(json_get(involved(event), "name"));

	(void)column;
	(void)now;
	cell_print_lower(kind, &text);
	if (name.len)
		buf_printf(&text, "/%.*s", STR_ARG(name));
	return cell_take(doc, &text);
}

static struct json event_part(const struct kind_column *column, struct json event,
			      struct json_doc *doc, int64_t now)
{
	(void)column;
	(void)now;
	return json_new_str(doc, json_str(json_get(involved(event), "fieldPath")));
}

static struct json event_source_cell(const struct kind_column *column, struct json event,
				     struct json_doc *doc, int64_t now)
{
	struct json reporter = part(event, "reportingComponent", "reportingController");
	struct str component = json_str(first_text(json_get(source(event), "component"), reporter));
	struct str instance = json_str(
		first_text(json_get(source(event), "host"), json_get(event, "reportingInstance")));

	(void)column;
	(void)now;
	return json_new_printf(doc, "%.*s%s%.*s", STR_ARG(component), instance.len ? ", " : "",
			       STR_ARG(instance));
}

static struct json event_message(const struct kind_column *column, struct json event,
				 struct json_doc *doc, int64_t now)
{
	(void)column;
	(void)now;
	return json_new_str(doc, str_trim(json_str(part(event, "message", "note"))));
}

const struct kind_column columns_event[] = {
	COLUMN("Last Seen", "string", "When it was last seen", .cell = event_last),
	COLUMN("Type", "string", "Normal or Warning", .cell = cell_text, .path = "type"),
	COLUMN("Reason", "string", "What happened, in a word", .cell = cell_text, .path = "reason"),
	COLUMN("Object", "string", "What it is about", .cell = event_object),
	COLUMN("Subobject", "string", "Which part of it", .cell = event_part, WIDE),
	COLUMN("Source", "string", "Who says so", .cell = event_source_cell, WIDE),
	COLUMN("Message", "string", "What happened, in a sentence", .cell = event_message),
	COLUMN("First Seen", "string", "When it was first seen", .cell = event_first, WIDE),
	COLUMN("Count", "string", "How often it was seen", .cell = event_count, WIDE),
	COLUMN("Name", "string", CELL_NAME_DOC, .format = "name", .cell = cell_text,
	       .path = "metadata.name", WIDE),
	COLUMN_END,
};
