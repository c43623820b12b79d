/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel.h - CEL, the language of rules in schemas: compile a rule, and see what it comes to.
 *
 *	text -> tokens (cel_lex.c) -> a tree (cel_parse.c) -> with types (cel_check.c)
 *	     -> what it may cost (cel_cost.c), and values (cel_eval.c)
 *
 * Types of data come from the schema (cel_type.c); functions are rows (cel_functions.c), each with
 * the shapes that it takes. What is wrong with a rule is told in the words of the compiler that
 * kube-apiserver has, with the place in the text.
 *
 * A compiled rule lies in the arena that it was compiled into, and does not change: evaluating one
 * takes an arena of its own. */
#ifndef CEL_H
#define CEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"

struct arena;
struct buf;
struct pattern;
struct pattern_set;

enum cel_kind {
	CEL_ERROR, /* of a value: what went wrong; of a type: one that was told already */
	CEL_DYN,
	CEL_NULL,
	CEL_BOOL,
	CEL_INT,
	CEL_UINT,
	CEL_DOUBLE,
	CEL_STRING,
	CEL_BYTES,
	CEL_DURATION,
	CEL_TIMESTAMP,
	CEL_LIST,
	CEL_MAP,
	CEL_OBJECT,
	CEL_OPTIONAL,
	CEL_TYPE,
	CEL_QUANTITY,
	CEL_IP,
	CEL_CIDR,
	CEL_URL,
	CEL_SEMVER,
	CEL_FORMAT,
	CEL_PARAM, /* a type that is to be found out */
	CEL_KIND_COUNT
};

struct cel_type;

struct cel_field {
	struct str name; /* as rules spell it */
	struct str key;  /* as the object has it */
	const struct cel_type *type;
};

struct cel_type {
	enum cel_kind kind;
	const struct cel_type
		*of; /* elements of a list, values of a map; what an optional or a type holds */
	const struct cel_type *key; /* of a map */
	struct cel_field *fields;   /* of an object */
	size_t field_count;
	size_t param;          /* CEL_PARAM: which */
	uint64_t max_elements; /* characters, elements or members that there can be in a request */
	uint64_t min_size;     /* bytes that it takes there at least */
};

/* A type without parts. */
const struct cel_type *cel_type_simple(enum cel_kind kind);
/* What rules see of a schema; NULL: nothing. `root`: it has metadata and a kind. */
const struct cel_type *cel_type_of_schema(struct json schema, bool root, struct arena *arena);
const struct cel_type *cel_type_wrap(enum cel_kind kind, const struct cel_type *of,
				     struct arena *arena);
const struct cel_type *cel_type_map(const struct cel_type *key, const struct cel_type *of,
				    struct arena *arena);
void cel_type_print(const struct cel_type *type, struct buf *to);
const char *cel_kind_name(enum cel_kind kind);

struct cel_value {
	enum cel_kind kind;
	bool truth;
	int64_t number; /* of a duration and a time: nanoseconds; unsigned ones lie here too */
	double real;
	struct str text;
	struct json json;            /* a list or a map of the object ... */
	const struct cel_type *type; /* ... and what is in it; of CEL_TYPE: the type */
	/* A list that was made, a map (keys and values in turn), or what an optional holds. */
	const struct cel_value *items;
	size_t len;
};

enum cel_form {
	CEL_LITERAL,
	CEL_IDENT,
	CEL_SELECT,
	CEL_HAS,
	CEL_CALL,
	CEL_LISTING,
	CEL_MAPPING, /* keys and values in turn */
	CEL_LOOP,
	CEL_MAYBE, /* ?element of a list, or value of a map */
};

enum cel_loop {
	LOOP_ALL,
	LOOP_EXISTS,
	LOOP_EXISTS_ONE,
	LOOP_MAP,
	LOOP_FILTER,
	LOOP_TRANSFORM_MAP,
	LOOP_TRANSFORM_ENTRY,
	LOOP_OPTIONAL,      /* optMap */
	LOOP_OPTIONAL_FLAT, /* optFlatMap */
};

struct cel_function;

struct cel_expr {
	enum cel_form form;
	enum cel_loop loop;
	size_t at; /* in the text */
	struct str name;
	struct str name2; /* of a loop with two variables */
	struct cel_value literal;
	struct cel_expr *of; /* what stands before the dot; the range of a loop */
	struct cel_expr
		*args; /* in a row; of a loop: the condition, which may be none, and the step */
	struct cel_expr *step;
	struct cel_expr *next;
	bool optional;                   /* .?member */
	const struct cel_type *type;     /* as checked */
	const struct cel_function *call; /* likewise */
	const struct pattern *pattern;   /* of a match with a literal */
};

/* What is wrong, by place. */
struct cel_issue {
	size_t at;
	const char *text;
	struct cel_issue *next;
};

struct cel_rule {
	struct str text;
	struct cel_expr *expr; /* NULL: there are issues */
	struct cel_issue *issues;
	const struct cel_type *type; /* of what it comes to */
	bool uses_old;
	uint64_t cost;
};

/* `self` is the type of the data; `optional_old`: oldSelf is an optional. `text` must live as long
 * as the arena; `patterns` owns the regular expressions of the rule. */
void cel_compile(struct str text, const struct cel_type *self, bool optional_old,
		 struct arena *arena, struct pattern_set *patterns, struct cel_rule *ret);
void cel_print_issues(const struct cel_rule *rule, struct buf *to);

/* What a rule looks at. */
struct cel_input {
	const struct cel_type *type; /* of self */
	struct json self;
	struct json old; /* may be absent */
	bool optional_old;
};

/* What a compiled rule comes to. What it points to lies in the arena. One that
 * costs more than LIMIT_CEL_COST comes to an error that begins with CEL_CANCELLED. `ret_cost` is what it has
 * cost. */
#define CEL_CANCELLED "operation cancelled: actual cost limit exceeded"
struct cel_value cel_evaluate(const struct cel_rule *rule, const struct cel_input *input,
			      struct arena *arena, uint64_t *ret_cost);

#endif
