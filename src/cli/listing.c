/* SPDX-License-Identifier: Apache-2.0 */
/* cli/listing.c - see listing.h. Cells are printed once into a grid, which is then measured, sorted
 * and laid out. */
#include "cli/listing.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/time.h"
#include "base/vec.h"
#include "json/pointer.h"
#include "json/yaml.h"
#include "loop/loop.h"
#include "model/duration.h"

#include "base/banned.h"

enum { COLUMNS_MAX = 24 };

struct row {
	struct json object;
	struct str cells[COLUMNS_MAX];
	struct str key; /* what it is sorted by */
	bool number;    /* the key is one */
	double value;
	size_t place;
	bool down;
};

struct grid {
	const struct listing_column *columns[COLUMNS_MAX];
	size_t width;
	VEC(struct row) rows;
};

/* --- cells -------------------------------------------------------------------------------------- */

static struct json metadata(struct json object, const char *key)
{
	return json_get(json_get(object, "metadata"), key);
}

void listing_cell_namespace(struct cli *cli, const void *arg, struct json object, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(metadata(object, "namespace")));
}

void listing_cell_name(struct cli *cli, const void *arg, struct json object, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(metadata(object, "name")));
}

void listing_put_age(struct cli *cli, struct str time, struct buf *to)
{
	char text[DURATION_TEXT_SIZE];
	int64_t then;
	struct err err;

	if (time_parse(time, &then, &err) < 0)
		buf_puts(to, "<unknown>");
	else
		buf_puts(to, duration_print_age(loop_now(cli->loop) - then, text));
}

void listing_cell_age(struct cli *cli, const void *arg, struct json object, struct buf *to)
{
	(void)arg;
	listing_put_age(cli, json_str(metadata(object, "creationTimestamp")), to);
}

/* --- the grid ----------------------------------------------------------------------------------- */

static void choose_columns(struct cli *cli, const struct listing *listing, bool wide,
			   struct grid *grid)
{
	bool all = str_is_none(cli_namespace(cli));

	for (const struct listing_column *c = listing->columns; c->title; c++) {
		if ((c->when == SHOW_ALL_NAMESPACES && !all) || (c->when == SHOW_WIDE && !wide))
			continue;
		assert(grid->width < COLUMNS_MAX);
		grid->columns[grid->width++] = c;
	}
}

static void fill(struct cli *cli, const struct listing *listing, struct json items,
		 struct grid *grid)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(items);

	while (json_next(&it)) {
		struct row *row;

		if (listing->keep && !listing->keep(cli, it.value))
			continue;
		row = vec_add(&grid->rows);
		row->object = it.value;
		row->place = grid->rows.len;
		for (size_t i = 0; i < grid->width; i++) {
			buf_clear(&text);
			grid->columns[i]->cell(cli, listing->arg, it.value, &text);
			row->cells[i] = arena_str(cli->arena, buf_str(&text));
		}
	}
}

static size_t column_width(const struct grid *grid, size_t column)
{
	const struct listing_column *c = grid->columns[column];
	size_t longest = c->how == WIDTH_LONGEST ? str_from(c->title).len : 0;

	if (c->how == WIDTH_FIXED)
		return (size_t)c->width;
	for (size_t i = 0; i < grid->rows.len; i++)
		if (grid->rows.ptr[i].cells[column].len > longest)
			longest = grid->rows.ptr[i].cells[column].len;
	return longest + (size_t)c->width;
}

static void print_table(struct cli *cli, const struct grid *grid)
{
	size_t widths[COLUMNS_MAX];

	for (size_t i = 0; i < grid->width; i++) {
		widths[i] = i + 1 < grid->width ? column_width(grid, i) : 0;
		buf_printf(&cli->out, "%-*s", (int)widths[i], grid->columns[i]->title);
	}
	buf_putc(&cli->out, '\n');
	for (size_t r = 0; r < grid->rows.len; r++) {
		for (size_t i = 0; i < grid->width; i++)
			buf_printf(&cli->out, "%-*.*s", (int)widths[i],
				   STR_ARG(grid->rows.ptr[r].cells[i]));
		buf_putc(&cli->out, '\n');
	}
}

/* --- sorting ------------------------------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
	const struct row *a = left;
	const struct row *b = right;
	int order;

	if (a->number && b->number)
		order = (a->value > b->value) - (a->value < b->value);
	else
		order = str_cmp(a->key, b->key);
	if (a->down)
		order = -order;
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The key of a row: of an age the time itself, so that the oldest comes first. */
static void set_key(struct row *row, const struct listing_column *column, size_t at, bool down)
{
	struct err err;

	row->key = row->cells[at];
	if (column->cell == listing_cell_age)
		row->key = json_str(metadata(row->object, "creationTimestamp"));
	row->number = number_parse_double(row->key, &row->value, &err) == 0;
	row->down = down;
}

static int sort(struct cli *cli, struct grid *grid, struct err *err)
{
	struct str by = command_str(&cli->line, "sort-by");
	bool down = str_starts(by, STR("-"));
	size_t at = 0;

	if (!by.len)
		return 0;
	by = str_skip(by, down);
	while (at < grid->width && !str_eq_nocase(str_from(grid->columns[at]->title), by))
		at++;
	if (at == grid->width) {
		AUTO(buf_done) struct buf titles = BUF_UNBOUNDED;

		for (size_t i = 0; i < grid->width; i++)
			buf_printf(&titles, "%s%s", i ? ", " : "", grid->columns[i]->title);
		return err_set(err, ERR_BAD_REQUEST,
			       "--sort-by %.*s: there is no such column; there are %s", STR_ARG(by),
			       buf_text(&titles));
	}
	for (size_t i = 0; i < grid->rows.len; i++)
		set_key(&grid->rows.ptr[i], grid->columns[at], at, down);
	if (grid->rows.len)
		qsort(grid->rows.ptr, grid->rows.len, sizeof(*grid->rows.ptr), compare);
	return 0;
}

/* --- formats ------------------------------------------------------------------------------------ */

static void print_names(struct cli *cli, const struct listing *listing, const struct grid *grid)
{
	struct str group = resources[listing->id].group;

	for (size_t i = 0; i < grid->rows.len; i++)
		buf_printf(&cli->out, "%s%s%.*s/%.*s\n", listing->singular, group.len ? "." : "",
			   STR_ARG(group),
			   STR_ARG(json_str(metadata(grid->rows.ptr[i].object, "name"))));
}

static struct json_doc *as_list(const struct grid *grid)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json items;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("v1"));
	json_set_str(doc, root, "kind", STR("List"));
	items = json_ensure_arr(doc, root, "items");
	for (size_t i = 0; i < grid->rows.len; i++)
		json_append(doc, items, json_new_copy(doc, grid->rows.ptr[i].object));
	return doc;
}

static void print_documents(struct cli *cli, const struct grid *grid, bool yaml)
{
	AUTO(json_doc_unref) struct json_doc *doc = as_list(grid);

	if (yaml) {
		yaml_print(json_doc_root(doc), &cli->out);
	} else {
		json_print(json_doc_root(doc), JSON_PRETTY, &cli->out);
		buf_putc(&cli->out, '\n');
	}
}

static int print_grid(struct cli *cli, const struct listing *listing, const struct grid *grid,
		      struct str format, struct err *err)
{
	if (str_is(format, "json") || str_is(format, "yaml"))
		print_documents(cli, grid, str_is(format, "yaml"));
	else if (str_is(format, "name"))
		print_names(cli, listing, grid);
	else if (!str_is(format, "table") && !str_is(format, "wide") && format.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "--output %.*s: must be one of table, wide, name, json and yaml",
			       STR_ARG(format));
	else if (!grid->rows.len)
		buf_puts(&cli->out, "No resources found\n");
	else
		print_table(cli, grid);
	return 0;
}

int listing_print(struct cli *cli, const struct listing *listing, struct json items,
		  struct err *err)
{
	struct str format = command_str(&cli->line, "output");
	struct grid grid = {0};
	int status;

	choose_columns(cli, listing, str_is(format, "wide"), &grid);
	fill(cli, listing, items, &grid);
	status = sort(cli, &grid, err);
	if (status == 0)
		status = print_grid(cli, listing, &grid, format, err);
	vec_done(&grid.rows);
	return status;
}

int listing_run(struct cli *cli, const struct listing *listing, struct str namespace,
		struct str selector, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = cli_list(cli, listing->id, namespace, selector, err);

	if (!doc)
		return -1;
	return listing_print(cli, listing, json_get(json_doc_root(doc), "items"), err);
}
