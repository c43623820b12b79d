/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/form.h - objects in the form that a client asked for: Table (kubectl get) or
 * PartialObjectMetadata. */
#ifndef APISERVER_FORM_H
#define APISERVER_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "json/doc.h"

struct buf;
struct call;
struct chunk;
struct err;
struct kind;
struct kind_column;
struct object;
struct page;

/* Columns that custom kinds have in common. */
extern const struct kind_column form_column_name;
extern const struct kind_column form_column_age;

/* Each ends the call. */
/* The document of that answer; needs nothing but the call. */
struct json_doc *form_read(struct call *call, const struct object *object);
void form_answer_object(struct call *call, int code, struct object *object);
/* The same for an object that is not stored; takes the document. */
void form_answer_doc(struct call *call, int code, struct json_doc *doc);
/* A list in the call's form, without its member "rows" (Table) or "items"; and one of these. */
struct json_doc *form_list_head(struct call *call, const struct page *page)
	__attribute__((returns_nonnull));
void form_put_item(struct call *call, const struct object *object, struct buf *to);
/* An object as one of another kind, in the call's form, which is not the object itself. */
struct json_doc *form_make(struct call *call, const struct kind *kind, struct json object);
/* A watch event in the call's form; one reference is the caller's. */
struct chunk *form_event(struct call *call, const char *type, struct object *object);
/* The object of a BOOKMARK event: an empty object of the kind (or its form) with the revision.
 * `initial_end` adds the annotation that says that the initial events have been sent. */
void form_bookmark(struct call *call, int64_t revision, bool initial_end, struct buf *to);

/* Is what a Table is to include one of the known values? */
int form_check(struct call *call, struct err *err) MUST_CHECK;

#endif
