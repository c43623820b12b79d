/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/definition.h - custom kinds: how a CustomResourceDefinition becomes kinds, and ceases to.
 *
 * A stored definition is first compared with the others of its group: names that are not taken are
 * accepted and recorded in its status. When all are accepted it is established, and every version
 * that it serves is a kind in the registry. A change of the definition changes the kinds in place. A
 * definition that is being deleted accepts no new objects; its objects are deleted, then the
 * definition itself.
 *
 * What is in the store when the API starts is registered before the first request. */
#ifndef APISERVER_DEFINITION_H
#define APISERVER_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/kind/kind.h"
#include "base/macro.h"
#include "json/doc.h"

struct api;
struct definitions;
struct schema;

struct definitions *definitions_new(struct api *api) __attribute__((returns_nonnull));
void definitions_free(struct definitions *all);

/* Look at all of them again: what they wanted to write was refused. */
void definitions_look_again(struct definitions *all);
/* Is there nothing left to look at or to write? */
bool definitions_are_settled(const struct api *api);

/* Accepts the names of a definition that no visible definition has, and records them in its status.
 * False if nothing has changed. */
bool definitions_settle(struct api *api, struct json_doc *doc, struct json crd);

/* --- of a custom kind --- */

/* The schema of its version, compiled when it is first asked for. */
const struct schema *definition_schema(const struct kind *kind);
/* Its `openAPIV3Schema` as a new document, for publishing it; NULL if it was deleted. */
struct json_doc *definition_openapi(const struct kind *kind);
/* A number that changes with it. */
uint64_t definition_hash(const struct kind *kind);
/* Objects are read by the schema of the version that they are stored in, which has the defaults; then
 * what the version that is asked for does not know is left out. Has an object of this revision to be
 * changed for that? */
bool definition_reshapes(const struct kind *kind, int64_t revision);
void definition_shape(const struct kind *kind, struct json_doc *doc, struct json object);
/* Before it is stored: bring what was written in this version into the form of the stored one. */
void definition_shape_stored(const struct kind *kind, struct json_doc *doc, struct json object);
/* The kind as it now is, in a copy that no change of its definition reaches: for a worker, which must not
 * read what the loop changes. In the arena, until definition_unpin(). Built-in kinds never change and are
 * given back as they are. */
const struct kind *definition_pin(const struct kind *kind, struct arena *arena);
void definition_unpin(const struct kind *pinned);
/* Is it being removed, so that no objects are made any more? */
bool definition_is_terminating(const struct kind *kind);

/* The contents of custom kinds, by their schema (content_custom.c), and what is special about them. */
extern const struct kind_content content_custom;
extern const struct kind_ops custom_ops;            /* with a status sub-resource */
extern const struct kind_ops custom_ops_statusless; /* the generation counts all but metadata */

#endif
