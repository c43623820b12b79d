/* SPDX-License-Identifier: Apache-2.0 */
/* cli/object_list.h - lists of objects as people ask for them: a table, wide, names, JSON, YAML, sorted,
 * or followed as they change.
 *
 * A command brings a row for each column; formats, sorting (--sort-by COLUMN) and following
 * (--watch) are the same for all. */
#ifndef CLI_OBJECT_LIST_H
#define CLI_OBJECT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "client/resource.h"
#include "json/doc.h"

/* What a column's width is: so many characters, or so many more than the longest cell. */
enum listing_width { WIDTH_FIXED, WIDTH_LONGEST, WIDTH_LONGEST_VALUE /* the title aside */ };

enum listing_when {
	SHOW_ALWAYS,
	SHOW_ALL_NAMESPACES,
	SHOW_WIDE,
	SHOW_FILLED, /* the last column, if any of its cells has a text */
};

struct map;

struct listing_column {
	const char *title;
	enum listing_width how;
	int width;
	void (*cell)(struct cli *cli, const void *arg, struct json object, struct buf *to);
	enum listing_when when;
};

struct listing {
	enum resource_id id;
	const char *singular;                 /* "job", for -o name */
	const struct listing_column *columns; /* up to one without a title */
	/* Shall it be shown? NULL: all are. */
	bool (*keep)(struct cli *cli, struct json object);
	bool (*later)(struct cli *cli, struct json object); /* after the others; may be NULL */
	const void *arg;                                    /* for the cells */
	/* Called with what is about to be printed, to ask for what cells need; may be NULL. */
	int (*prepare)(struct cli *cli, void *state, struct json items, struct err *err);
	void *state; /* for `prepare` */
	/* The colour of a cell on a terminal, by its column's title; NULL: none. */
	enum colour (*colour)(const char *title, struct str cell);
	/* More below the table, if it is watched on a terminal; NULL: nothing. */
	void (*below)(struct cli *cli, struct json items);
	/* What was printed before, by name: only what differs is printed. NULL: everything. */
	struct map *seen;
};

/* The flags that go with it, for the tables of commands. */
#define LISTING_FLAGS                                                                              \
	{.letter = 'o',                                                                            \
	 .name = "output",                                                                         \
	 .value = "table",                                                                         \
	 .about = "table, wide, name, json or yaml",                                               \
	 .noun = "FORMAT",                                                                         \
	 .choices = "table wide name json yaml"},                                                  \
	{                                                                                          \
		.name = "sort-by", .about = "the column to sort by; -COLUMN: from the largest on", \
		.noun = "COLUMN"                                                                   \
	}

/* For lists that can be watched. */
#define LISTING_WATCH                                              \
	{                                                          \
		.letter = 'w', .name = "watch", .type = FLAG_BOOL, \
		.about = "keep running, and show changes"          \
	}

/* Ask for them, and print; with --watch, again and again. The namespace is that of the flags; the selector may be none. */
int listing_run(struct cli *cli, const struct listing *listing, struct str namespace,
		struct str selector, struct err *err) MUST_CHECK;
/* Watch these sources and draw; the function gets a struct listing with `seen` set, to print by. */
int listing_watch(struct cli *cli, const struct listing *listing, const struct live_source *sources,
		  size_t count, live_draw_fn *draw, struct err *err) MUST_CHECK;
/* Print these: an array of objects, or a list object's items. */
int listing_print(struct cli *cli, const struct listing *listing, struct json items,
		  struct err *err) MUST_CHECK;

/* Cells that many lists have. */
void listing_cell_namespace(struct cli *cli, const void *arg, struct json object, struct buf *to);
void listing_cell_name(struct cli *cli, const void *arg, struct json object, struct buf *to);
/* The age, and the day of the creation; both are sorted by the time itself. */
void listing_cell_age(struct cli *cli, const void *arg, struct json object, struct buf *to);
void listing_cell_day(struct cli *cli, const void *arg, struct json object, struct buf *to);

/* The age of something that happened at a time in RFC 3339; "<unknown>" if there is none. */
void listing_put_age(struct cli *cli, struct str time, struct buf *to);

#endif
