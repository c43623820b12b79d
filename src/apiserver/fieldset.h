/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/fieldset.h - sets of fields of an object, as server-side apply keeps them.
 *
 * A tree: a node is a step of a path ("f:spec", "k:{"name":"x"}", "v:"x""), and may itself be in the
 * set. Written as FieldsV1, a node that is in the set and has others below it says so with ".".
 * Sets live in an arena; operations make new ones and share nothing that could change. */
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
	struct fieldset **children; /* sorted by key, ... */
	size_t count;
	size_t size;
	size_t recent; /* ... but for the last few while the set is being built: see fieldset.c */
};

struct fieldset *fieldset_new(struct arena *arena) __attribute__((returns_nonnull));
/* The node below, made where it is not there; the key is copied. */
struct fieldset *fieldset_child(struct arena *arena, struct fieldset *set, struct str key)
	__attribute__((returns_nonnull));
/* The same without making it: NULL. */
struct fieldset *fieldset_find(const struct fieldset *set, struct str key);
/* Take away nodes that hold nothing. Who has built a set by fieldset_child() calls this at the end. */
void fieldset_prune(struct arena *arena, struct fieldset *set);
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
