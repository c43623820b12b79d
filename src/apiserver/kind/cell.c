/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/cell.c - the cells that tables of the built-in kinds are made of, in the words of
 * kube-apiserver: kubectl prints them as they stand. */
#include "apiserver/kind/cell.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "model/value/labels.h"

#include "base/banned.h"

struct json cell_follow(struct json object, const char *path)
{
	struct str rest = str_from(path);
	struct str part;

	while (str_split(&rest, '.', &part))
		object = json_get_str(object, part);
	return object;
}

struct json cell_take(struct json_doc *doc, const struct buf *text)
{
	return json_new_str(doc, str_from(buf_text(text)));
}

void cell_separate(struct buf *to, const char *separator)
{
	if (to->len)
		buf_puts(to, separator);
}

void cell_print_since(struct json time, int64_t now, struct buf *to)
{
	char text[DURATION_TEXT_SIZE];
	int64_t then;

	if (time_parse(json_str(time), &then, NULL) < 0)
		buf_puts(to, "<unknown>");
	else
		buf_puts(to, duration_print_age(now - then, text));
}

static int compare_names(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

void cell_print_set(struct str *names, size_t count, struct buf *to)
{
	qsort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; i < count; i++) {
		if (i && str_eq(names[i], names[i - 1]))
			continue;
		cell_separate(to, ",");
		buf_put_str(to, names[i]);
	}
}

void cell_print_lower(struct str text, struct buf *to)
{
	for (size_t i = 0; i < text.len; i++)
		buf_putc(to, (char)tolower((unsigned char)text.ptr[i]));
}

static bool is_nothing(struct json value)
{
	return json_is_absent(value) || json_is(value, JSON_NULL) ||
	       (json_is(value, JSON_STR) && !json_str(value).len);
}

static struct json none(const struct kind_column *column, struct json_doc *doc)
{
	return json_new_str(doc, str_from(column->none ? column->none : ""));
}

struct json cell_text(const struct kind_column *column, struct json object, struct json_doc *doc,
		      int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json value = cell_follow(object, column->path);

	(void)now;
	if (is_nothing(value))
		return none(column, doc);
	if (json_is(value, JSON_STR))
		return json_new_str(doc, json_str(value));
	json_print(value, JSON_COMPACT, &text);
	return cell_take(doc, &text);
}

struct json cell_int(const struct kind_column *column, struct json object, struct json_doc *doc,
		     int64_t now)
{
	(void)now;
	return json_new_int(doc, json_int(cell_follow(object, column->path)));
}

struct json cell_bool(const struct kind_column *column, struct json object, struct json_doc *doc,
		      int64_t now)
{
	struct json value = cell_follow(object, column->path);

	(void)now;
	if (is_nothing(value))
		return json_new_bool(doc, column->none && str_is(str_from(column->none), "true"));
	return json_new_bool(doc, json_bool(value));
}

struct json cell_len(const struct kind_column *column, struct json object, struct json_doc *doc,
		     int64_t now)
{
	(void)now;
	return json_new_uint(doc, json_len(cell_follow(object, column->path)));
}

struct json cell_age(const struct kind_column *column, struct json object, struct json_doc *doc,
		     int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json time = cell_follow(object, column->path);

	if (column->none && is_nothing(time))
		return none(column, doc);
	cell_print_since(time, now, &text);
	return cell_take(doc, &text);
}

struct json cell_state(const struct kind_column *column, struct json object, struct json_doc *doc,
		       int64_t now)
{
	if (!is_nothing(cell_follow(object, "metadata.deletionTimestamp")))
		return json_new_str(doc, STR("Terminating"));
	return cell_text(column, object, doc, now);
}

/* --- lists ----------------------------------------------------------------------------------- */

/* A member of each element, or the elements themselves if `member` is NULL. */
static struct json join_members(const struct kind_column *column, struct json object,
				const char *member, struct json_doc *doc)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(cell_follow(object, column->path));

	while (json_next(&it)) {
		if (it.index)
			buf_putc(&text, ',');
		buf_put_str(&text, json_str(member ? json_get(it.value, member) : it.value));
	}
	return text.len ? cell_take(doc, &text) : none(column, doc);
}

struct json cell_join(const struct kind_column *column, struct json object, struct json_doc *doc,
		      int64_t now)
{
	(void)now;
	return join_members(column, object, NULL, doc);
}

struct json cell_names(const struct kind_column *column, struct json object, struct json_doc *doc,
		       int64_t now)
{
	(void)now;
	return join_members(column, object, "name", doc);
}

struct json cell_images(const struct kind_column *column, struct json object, struct json_doc *doc,
			int64_t now)
{
	(void)now;
	return join_members(column, object, "image", doc);
}

struct json cell_points(const struct kind_column *column, struct json object, struct json_doc *doc,
			int64_t now)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json ingress = cell_follow(object, column->path);
	struct str *points = arena_calloc(arena, json_len(ingress) + 1, sizeof(*points));
	struct json_iter it = json_iter(ingress);
	size_t count = 0;

	(void)now;
	while (json_next(&it)) {
		struct str ip = json_str(json_get(it.value, "ip"));
		struct str point = ip.len ? ip : json_str(json_get(it.value, "hostname"));

		if (point.len)
			points[count++] = point;
	}
	cell_print_set(points, count, &text);
	return cell_take(doc, &text);
}

/* --- labels ---------------------------------------------------------------------------------- */

static int compare_labels(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->key, ((const struct label *)b)->key);
}

struct json cell_labels(const struct kind_column *column, struct json object, struct json_doc *doc,
			int64_t now)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json map = cell_follow(object, column->path);
	struct json_iter it = json_iter(map);
	struct label *labels = arena_calloc(arena, json_len(map) + 1, sizeof(*labels));
	size_t count = 0;

	(void)now;
	while (json_next(&it))
		labels[count++] = (struct label){it.key, json_str(it.value)};
	qsort(labels, count, sizeof(*labels), compare_labels);
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s%.*s=%.*s", i ? "," : "", STR_ARG(labels[i].key),
			   STR_ARG(labels[i].value));
	return json_new_str(doc, count ? buf_str(&text) : STR("<none>"));
}

struct json cell_selector(const struct kind_column *column, struct json object,
			  struct json_doc *doc, int64_t now)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json value = cell_follow(object, column->path);
	struct label_selector selector;
	struct selector parsed;
	struct err err = {0};

	(void)now;
	if (!json_is(value, JSON_OBJ))
		return none(column, doc);
	if (type_decode(&label_selector_type, value, arena, &selector, &err) < 0 ||
	    selector_from_object(&selector, arena, &parsed, &err) < 0)
		return json_new_str(doc, STR("<error>"));
	selector_print(&parsed, &text);
	return text.len ? cell_take(doc, &text) : none(column, doc);
}
