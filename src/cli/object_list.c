/* SPDX-License-Identifier: Apache-2.0 */
/* cli/object_list.c - see object_list.h. Cells are printed once into a grid, which is then measured, sorted
 * and laid out. */
#include "cli/object_list.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "base/vec.h"
#include "json/yaml.h"
#include "loop/loop.h"
#include "model/value/duration.h"

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
	bool skip; /* was printed before, just like this */
};

struct grid {
	const struct listing_column *columns[COLUMNS_MAX];
	size_t width;
	VEC(struct row) rows;
	enum colour (*colour)(const char *title, struct str cell);
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

void listing_cell_day(struct cli *cli, const void *arg, struct json object, struct buf *to)
{
	(void)cli;
	(void)arg;
	/* The day of an RFC 3339 time. */
	buf_put_str(to, str_slice(json_str(metadata(object, "creationTimestamp")), 0, 10));
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

static void fill_some(struct cli *cli, const struct listing *listing, struct json items, bool later,
		      struct grid *grid)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(items);

	while (json_next(&it)) {
		struct row *row;

		if ((listing->keep && !listing->keep(cli, it.value)) ||
		    (listing->later && listing->later(cli, it.value) != later))
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

static bool is_empty(const struct grid *grid, size_t column)
{
	for (size_t i = 0; i < grid->rows.len; i++)
		if (grid->rows.ptr[i].cells[column].len)
			return false;
	return true;
}

static void fill(struct cli *cli, const struct listing *listing, struct json items,
		 struct grid *grid)
{
	fill_some(cli, listing, items, false, grid);
	if (listing->later)
		fill_some(cli, listing, items, true, grid);
	if (grid->width && grid->columns[grid->width - 1]->when == SHOW_FILLED &&
	    is_empty(grid, grid->width - 1))
		grid->width--;
}

static size_t column_width(const struct grid *grid, size_t column)
{
	const struct listing_column *c = grid->columns[column];
	size_t longest = c->how == WIDTH_LONGEST_VALUE ? 0 : str_from(c->title).len;

	for (size_t i = 0; i < grid->rows.len; i++)
		if (grid->rows.ptr[i].cells[column].len > longest)
			longest = grid->rows.ptr[i].cells[column].len;
	if (c->how != WIDTH_FIXED)
		return longest + (size_t)c->width;
	/* Wider than upstream's if a cell or a title would touch the next one. */
	return longest < (size_t)c->width ? (size_t)c->width : longest + 1;
}

/* `text` is a key, a NUL and what was printed; the map's value is the latter, and follows its key
 * in one piece of memory. */
static void remember(struct map *seen, struct str text, size_t key)
{
	char *copy = str_dup(text);
	char *old = map_put(seen, str_of(copy, key), copy + key + 1);

	if (old)
		mem_free(old - key - 1);
}

static void forget_all(struct map *seen)
{
	struct str key;
	void *value;
	size_t at = 0;

	while (map_next(seen, &at, &key, &value))
		mem_free((char *)value - key.len - 1);
	map_clear(seen);
}

/* Mark the rows that were printed before, their age aside, and remember the others. */
static void mark_seen(struct map *seen, struct grid *grid)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t r = 0; r < grid->rows.len; r++) {
		struct row *row = &grid->rows.ptr[r];
		size_t key;
		struct str now, before;

		buf_clear(&text);
		buf_printf(&text, "%.*s/%.*s",
			   STR_ARG(json_str(metadata(row->object, "namespace"))),
			   STR_ARG(json_str(metadata(row->object, "name"))));
		key = text.len;
		buf_putc(&text, 0);
		for (size_t i = 0; i < grid->width; i++)
			if (grid->columns[i]->cell != listing_cell_age)
				buf_printf(&text, "%.*s\t", STR_ARG(row->cells[i]));
		now = str_skip(buf_str(&text), key + 1);
		before = str_from(map_get(seen, str_slice(buf_str(&text), 0, key)));
		row->skip = !str_is_none(before) && str_eq(now, before);
		if (!row->skip)
			remember(seen, buf_str(&text), key);
	}
}

static void print_cell(struct cli *cli, const struct grid *grid, size_t row, size_t column,
		       int width)
{
	struct str cell = grid->rows.ptr[row].cells[column];
	enum colour colour =
		grid->colour ? grid->colour(grid->columns[column]->title, cell) : COLOUR_NONE;

	if (colour == COLOUR_NONE)
		buf_printf(&cli->out, "%-*.*s", width, STR_ARG(cell));
	else
		buf_printf(&cli->out, "%s%-*.*s%s", cli_colour(cli, colour), width, STR_ARG(cell),
			   cli_colour(cli, COLOUR_NONE));
}

static void print_table(struct cli *cli, const struct grid *grid, bool head)
{
	size_t widths[COLUMNS_MAX];

	for (size_t i = 0; i < grid->width; i++) {
		widths[i] = i + 1 < grid->width ? column_width(grid, i) : 0;
		if (head)
			buf_printf(&cli->out, "%-*s", (int)widths[i], grid->columns[i]->title);
	}
	if (head)
		buf_putc(&cli->out, '\n');
	for (size_t r = 0; r < grid->rows.len; r++) {
		if (grid->rows.ptr[r].skip)
			continue;
		for (size_t i = 0; i < grid->width; i++)
			print_cell(cli, grid, r, i, (int)widths[i]);
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

/* The key of a row: of an age or a day the time itself, so that the oldest comes first. */
static void set_key(struct row *row, const struct listing_column *column, size_t at, bool down)
{
	struct err err;

	row->key = row->cells[at];
	if (column->cell == listing_cell_age || column->cell == listing_cell_day)
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
		if (!grid->rows.ptr[i].skip)
			buf_printf(&cli->out, "%s%s%.*s/%.*s\n", listing->singular,
				   group.len ? "." : "", STR_ARG(group),
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
		if (!grid->rows.ptr[i].skip)
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

static int print_grid(struct cli *cli, const struct listing *listing, struct grid *grid,
		      struct str format, struct err *err)
{
	bool first = !listing->seen || !map_len(listing->seen);

	if (listing->seen)
		mark_seen(listing->seen, grid);
	if (str_is(format, "json") || str_is(format, "yaml"))
		print_documents(cli, grid, str_is(format, "yaml"));
	else if (str_is(format, "name"))
		print_names(cli, listing, grid);
	else if (!str_is(format, "table") && !str_is(format, "wide") && format.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "--output %.*s: must be one of table, wide, name, json and yaml",
			       STR_ARG(format));
	else if (!grid->rows.len && !listing->seen)
		buf_puts(&cli->out, "No resources found\n");
	else
		print_table(cli, grid, first && grid->rows.len);
	return 0;
}

int listing_print(struct cli *cli, const struct listing *listing, struct json items,
		  struct err *err)
{
	struct str format = command_str(&cli->line, "output");
	struct grid grid = {.colour = listing->colour};
	int status;

	if (listing->prepare && listing->prepare(cli, listing->state, items, err) < 0)
		return -1;
	choose_columns(cli, listing, str_is(format, "wide"), &grid);
	fill(cli, listing, items, &grid);
	status = sort(cli, &grid, err);
	if (status == 0)
		status = print_grid(cli, listing, &grid, format, err);
	vec_done(&grid.rows);
	return status;
}

static int draw_listing(struct cli *cli, const struct json *items, void *arg, struct err *err)
{
	const struct listing *listing = arg;

	if (listing_print(cli, listing, items[0], err) < 0)
		return -1;
	if (listing->below && cli_is_live(cli))
		listing->below(cli, items[0]);
	return 0;
}

int listing_watch(struct cli *cli, const struct listing *listing, const struct live_source *sources,
		  size_t count, live_draw_fn *draw, struct err *err)
{
	AUTO(map_free) struct map *seen = map_new(0);
	struct listing mine = *listing;
	int status;

	mine.seen = cli_is_live(cli) ? NULL : seen;
	status = live_run(cli, sources, count, draw, &mine, err);
	forget_all(seen);
	return status;
}

int listing_run(struct cli *cli, const struct listing *listing, struct str namespace,
		struct str selector, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = NULL;

	if (command_has(&cli->line, "watch") && command_bool(&cli->line, "watch")) {
		const struct live_source source = {listing->id, namespace, selector, str_none()};

		return listing_watch(cli, listing, &source, 1, draw_listing, err);
	}
	doc = cli_list(cli, listing->id, namespace, selector, err);
	if (!doc)
		return -1;
	return listing_print(cli, listing, json_get(json_doc_root(doc), "items"), err);
}
