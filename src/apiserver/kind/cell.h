/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/cell.h - the cells that tables of the built-in kinds are made of.
 *
 * Each is a `cell` of a column (kind.h). If a cell shows a value of the object, the column's path
 * leads to it, and `none` is shown if it is absent. */
#ifndef APISERVER_CELL_H
#define APISERVER_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/kind/kind.h"
#include "base/buf.h"

typedef struct json cell_fn(const struct kind_column *column, struct json object,
			    struct json_doc *doc, int64_t now);

cell_fn cell_text;     /* a text; also numbers and truths in words, as in a Go string */
cell_fn cell_int;      /* a number; 0 if there is none */
cell_fn cell_bool;     /* true or false; if there is none, `none` is "true" or it is false */
cell_fn cell_len;      /* how many elements or members */
cell_fn cell_age;      /* how long ago a time was: "5d"; "<unknown>" or `none` without one */
cell_fn cell_join;     /* a list of texts, with commas between */
cell_fn cell_names;    /* the names of the elements of a list, with commas between */
cell_fn cell_images;   /* their images */
cell_fn cell_labels;   /* a map of labels: "a=b,c=d"; "<none>" */
cell_fn cell_selector; /* a label selector, as text; "<none>" if it chooses everything */
cell_fn cell_state;    /* a phase; "Terminating" when it is being removed */
cell_fn cell_points;   /* what load balancers have given: addresses or names, each once */

/* --- for cells of one kind --- */

/* The value at a path of members, "spec.template.spec". */
struct json cell_follow(struct json object, const char *path);
/* The new text; "" if nothing was written. */
struct json cell_take(struct json_doc *doc, const struct buf *text);
/* How long before `now` the time in a text was, or "<unknown>". */
void cell_print_since(struct json time, int64_t now, struct buf *to);
/* A separator before all but the first part. */
void cell_separate(struct buf *to, const char *separator);
/* The names sorted, each once, with commas between. Sorts in place. */
void cell_print_set(struct str *names, size_t count, struct buf *to);
void cell_print_lower(struct str text, struct buf *to);

/* --- the columns that nearly all tables have --- */

/* What kube-apiserver says of them: clients that show headings may look for it. */
#define CELL_NAME_DOC                                                                            \
	"Name must be unique within a namespace. Is required when creating resources, although " \
	"some resources may allow a client to request the generation of an appropriate name "    \
	"automatically. Name is primarily intended for creation idempotence and configuration "  \
	"definition. Cannot be updated. More info: "                                             \
	"https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
#define CELL_CREATED_DOC                                                                        \
	"CreationTimestamp is a timestamp representing the server time when this object was "   \
	"created. It is not guaranteed to be set in happens-before order across separate "      \
	"operations. Clients may not set this value. It is represented in RFC3339 form and is " \
	"in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "            \
	"https://git.k8s.io/community/contributors/devel/sig-architecture/"                     \
	"api-conventions.md#metadata"

#define COLUMN_NAME                                                                    \
	{                                                                              \
		.name = "Name", .type = "string", .format = "name", .cell = cell_text, \
		.path = "metadata.name", .doc = CELL_NAME_DOC                          \
	}
#define COLUMN_AGE                                                            \
	{                                                                     \
		.name = "Age", .type = "string", .cell = cell_age,            \
		.path = "metadata.creationTimestamp", .doc = CELL_CREATED_DOC \
	}
#define COLUMN(title, class, what, ...)                                      \
	{                                                                    \
		.name = (title), .type = (class), .doc = (what), __VA_ARGS__ \
	}
#define COLUMN_END           \
	{                    \
		.name = NULL \
	}
/* Only with -o wide. */
#define WIDE .priority = 1

#endif
