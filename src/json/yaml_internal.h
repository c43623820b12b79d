/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml_internal.h - shared by the files that implement yaml.h; no other file includes it.
 *
 * yaml.c reads events from libyaml, yaml_build.c makes a document of them, yaml_scalar.c knows
 * what a scalar means, yaml_print.c prints. */
#ifndef JSON_YAML_INTERNAL_H
#define JSON_YAML_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "json/doc.h"
#include "json/yaml.h"

/* --- scalars (yaml_scalar.c) ------------------------------------------------------------------ */

enum yaml_kind {
	YAML_KIND_NULL,
	YAML_KIND_BOOL,
	YAML_KIND_INT,  /* int64 */
	YAML_KIND_UINT, /* uint64 above int64 */
	YAML_KIND_FLOAT,
	YAML_KIND_TIME, /* a timestamp: a string that must be quoted when printed */
	YAML_KIND_STR,
	YAML_KIND_COUNT
};

struct yaml_scalar {
	enum yaml_kind kind;
	bool boolean;
	int64_t integer;
	uint64_t natural;
	double real;
	struct str text; /* as written; of !!binary, decoded */
};

/* What a plain scalar without a tag stands for. Its text is `text`, lent. */
struct yaml_scalar yaml_scalar_resolve(struct str text);
/* The same under a tag ("tag:yaml.org,2002:int", "!mine"), quoted or not. New text is put into
 * `arena`. */
int yaml_scalar_resolve_tag(struct str tag, struct str text, struct arena *arena,
			    struct yaml_scalar *ret, struct err *err) MUST_CHECK;
/* The scalar as a value, or as the name of a member; a value that JSON cannot express is an error.
 */
int yaml_scalar_value(const struct yaml_scalar *scalar, struct json_doc *doc, struct json *ret,
		      struct err *err) MUST_CHECK;
int yaml_scalar_key(const struct yaml_scalar *scalar, struct arena *arena, struct str *ret,
		    struct err *err) MUST_CHECK;

/* Would a reader of YAML read this string, unquoted, as something else? */
bool yaml_scalar_is_ambiguous(struct str text);

/* The shortest text that reads back to this finite number, laid out as Go's %g. */
void yaml_real_print(double real, struct buf *to);
/* Is the number an int64 once it has been printed as JSON? Then *ret is that integer. */
bool yaml_real_is_integer(double real, int64_t *ret);

/* --- building (yaml_build.c) ------------------------------------------------------------------ */

/* Counted from 1; `line` 0 stands for none. */
struct yaml_place {
	size_t line;
	size_t column;
};

/* A document that grows by events. */
struct yaml_build;

/* `options` must have no zeros, and outlive it. */
struct yaml_build *yaml_build_new(const struct yaml_options *options)
	__attribute__((returns_nonnull));
void yaml_build_free(struct yaml_build *build);
DEFINE_AUTO(struct yaml_build *, yaml_build_free);

/* What every node has. `anchor` is none if the node has no anchor. */
struct yaml_node {
	struct str anchor;
	struct yaml_place place;
};

int yaml_build_scalar(struct yaml_build *build, const struct yaml_node *node,
		      const struct yaml_scalar *scalar, struct err *err) MUST_CHECK;
/* The key "<<", plain or tagged as one: in a value's place it is a string. */
int yaml_build_merge(struct yaml_build *build, const struct yaml_node *node,
		     const struct yaml_scalar *scalar, struct err *err) MUST_CHECK;
int yaml_build_alias(struct yaml_build *build, const struct yaml_node *node,
		     struct err *err) MUST_CHECK; /* `anchor` is what it refers to */
int yaml_build_open(struct yaml_build *build, const struct yaml_node *node, bool map,
		    struct err *err) MUST_CHECK;
int yaml_build_close(struct yaml_build *build, struct err *err) MUST_CHECK;
/* For data that lives as long as the build. */
struct arena *yaml_build_arena(struct yaml_build *build);
/* The whole document, once every container is closed. */
struct json_doc *yaml_build_take(struct yaml_build *build) __attribute__((returns_nonnull));

/* Sets the text after "line L, column C: ". */
int yaml_err(struct err *err, enum err_code code, struct yaml_place place, const char *format, ...)
	PRINTF(4, 5);

#endif
