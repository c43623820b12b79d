/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi_internal.h - what the files that make OpenAPI documents share. */
#ifndef APISERVER_OPENAPI_INTERNAL_H
#define APISERVER_OPENAPI_INTERNAL_H

#include <stdbool.h>

#include "apiserver/openapi/openapi_doc.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/field/fields.h"

struct kind;

/* A document that is being made. */
struct openapi_writer {
	enum openapi_form form;
	struct buf *to;
	bool paths;   /* in that part; else in that of definitions */
	size_t count; /* members of the part so far */
	struct arena *arena;
	struct map *seen;                 /* names of definitions that are there or will be */
	VEC(const struct type *) waiting; /* to be written */
};

/* The next member of the part. */
void openapi_put(struct openapi_writer *w, struct str name, struct json value);
/* "io.k8s.api.core.v1.Pod", "com.example.v1.Widget"; in the writer's arena. */
struct str openapi_kind_name(struct openapi_writer *w, const struct kind *kind);
struct str openapi_list_name(struct openapi_writer *w, const struct kind *kind);
/* {"$ref": ...} of a definition. */
struct json openapi_ref(const struct openapi_writer *w, struct json_doc *doc, struct str name);
/* The same of a type, which will be written. */
struct json openapi_type_ref(struct openapi_writer *w, struct json_doc *doc,
			     const struct type *type);
/* {group, kind, version} */
struct json openapi_gvk(struct json_doc *doc, struct str group, struct str version,
			struct str name);

/* The paths of a kind (openapi_paths.c). */
void openapi_put_paths(struct openapi_writer *w, const struct kind *kind);

/* A path or a definition as part of openapi_v2's Document (openapi_proto.c). */
void openapi_proto_path(struct buf *to, struct str name, struct json path);
void openapi_proto_definition(struct buf *to, struct str name, struct json schema);
void openapi_proto_head(struct buf *to, const char *title, const char *version);

#endif
