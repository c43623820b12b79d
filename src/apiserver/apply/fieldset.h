/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/fieldset.h - sets of fields of an object, as server-side apply keeps them.
 *
 * A tree: a node is a step of a path ("f:spec", "k:{"name":"x"}", "v:"x""), and may itself be in the
 * set. Written as FieldsV1, a node that is in the set and has others below it says so with ".".
 * Sets live in an arena; operations make new ones and share nothing that could change.
 *
 * A set is filled (fieldset_add(), fieldset_join()), finished once, and from then on only read. */
#ifndef APISERVER_FIELDSET_H
#define APISERVER_FIELDSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/doc.h"

struct arena;

struct fieldset {
	struct str key; /* of the root: none */
	bool member;
	struct fieldset **children; /* once it is finished: sorted by key */
	size_t count;
	size_t size;
};

struct fieldset *fieldset_new(struct arena *arena) __attribute__((returns_nonnull));
/* A new node below; the key is copied. Nodes that get the same key are one when the set is finished. */
struct fieldset *fieldset_add(struct arena *arena, struct fieldset *set, struct str key)
	__attribute__((returns_nonnull));
/* What is in `from` is in `to` as well. `from` is used up: it may not be read any more. */
void fieldset_join(struct arena *arena, struct fieldset *to, const struct fieldset *from);
/* Sort the nodes, and remove those that hold nothing. */
void fieldset_finish(struct arena *arena, struct fieldset *set);
/* The node below, or NULL. */
struct fieldset *fieldset_find(const struct fieldset *set, struct str key);
bool fieldset_is_empty(const struct fieldset *set);
bool fieldset_eq(const struct fieldset *a, const struct fieldset *b);

/* Each gives a new set; none of them keeps nodes that hold nothing. */
struct fieldset *fieldset_union(struct arena *arena, const struct fieldset *a,
				const struct fieldset *b);
struct fieldset *fieldset_difference(struct arena *arena, const struct fieldset *a,
				     const struct fieldset *b);
struct fieldset *fieldset_intersection(struct arena *arena, const struct fieldset *a,
				       const struct fieldset *b);

/* FieldsV1. */
struct fieldset *fieldset_decode(struct arena *arena, struct json fields)
	__attribute__((returns_nonnull));
struct json fieldset_encode(const struct fieldset *set, struct json_doc *doc);
/* Has the set a field in common with what is written there? */
bool fieldset_meets(const struct fieldset *set, struct json fields);

/* A step as paths have it: ".name", "[port=80]". */
void fieldset_print_step(struct str key, struct buf *to);
/* Called with each path in the set: ".spec.ports[port=80,protocol="TCP"].name"; lent. */
typedef void fieldset_fn(void *arg, struct str path);
void fieldset_each(const struct fieldset *set, fieldset_fn *fn, void *arg);

#endif
