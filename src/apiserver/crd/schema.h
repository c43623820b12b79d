/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema.h - the structural schema of a custom kind at run time: prune, default and
 * validate objects by it, as kube-apiserver does and in its words.
 *
 * The order for a request: schema_prune(), schema_drop_nulls() (but of what is applied), schema_default(), then
 * one of the validations.
 *
 * Rules in CEL (x-kubernetes-validations) are compiled with the schema and evaluated (cel.h); one that
 * does not compile is not checked at all (schema_unchecked_rules() counts them). */
#ifndef APISERVER_SCHEMA_H
#define APISERVER_SCHEMA_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct causes;
struct path;
struct schema;
struct schema_node;

/* Compile an `openAPIV3Schema` that crd_validate() has found right; it is copied. ERR_INVALID for a
 * pattern that is no regular expression. */
struct schema *schema_new(struct json openapi, struct err *err) MUST_CHECK;
/* One more owner, on the loop's thread only; schema_free() gives it up. */
struct schema *schema_ref(struct schema *schema);
void schema_free(struct schema *schema);
DEFINE_AUTO(struct schema *, schema_free);

/* What a schema was compiled into, for those who walk objects by it (schema_internal.h). */
const struct schema_node *schema_root(const struct schema *schema);

/* Rules that are there and are not checked. */
size_t schema_unchecked_rules(const struct schema *schema);

/* Called with the path of a field that the schema does not know; lent for the call. */
typedef void schema_unknown_fn(void *arg, struct str path);
/* Removes unknown fields and reports them, sorted by path. metadata, apiVersion and
 * kind at the top are left alone. `on_unknown` may be NULL. */
void schema_prune(const struct schema *schema, struct json_doc *doc, struct json object,
		  schema_unknown_fn *on_unknown, void *arg);
/* The same, but only reports. */
void schema_find_unknown(const struct schema *schema, struct json object,
			 schema_unknown_fn *on_unknown, void *arg);

/* Remove nulls if null is no value and there is no default. */
void schema_drop_nulls(const struct schema *schema, struct json_doc *doc, struct json object);
/* Fill what is absent, or a null that is no value, and has a default. */
void schema_default(const struct schema *schema, struct json_doc *doc, struct json object);

/* Add a cause for everything that is wrong with a new object. */
void schema_validate(const struct schema *schema, struct json object, struct causes *causes);
/* With an object that replaces `old`: what has not changed may be wrong. */
void schema_validate_update(const struct schema *schema, struct json object, struct json old,
			    struct causes *causes);
/* With the status of an object that replaces that of `old`, for the status sub-resource. */
void schema_validate_status(const struct schema *schema, struct json object, struct json old,
			    struct causes *causes);

/* Validate every default by the schema around it; causes are below `path`. */
void schema_validate_defaults(const struct schema *schema, const struct path *path,
			      struct causes *causes);

#endif
