/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel.h - CEL, the language of rules in schemas: compiling a rule and evaluating it.
 *
 *	text -> tokens (cel_lex.c) -> a tree (cel_parse.c) -> with types (cel_check.c)
 *	     -> what it may cost (cel_cost.c), and values (cel_eval.c)
 *
 * Types of data come from the schema (cel_type.c); functions are rows (cel_functions.c), each with
 * the shapes that it takes. Errors in a rule have the messages of kube-apiserver's compiler, with
 * the place in the text.
 *
 * A compiled rule is allocated in the arena of the compilation and does not change; each evaluation
 * uses another arena. */
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
	CEL_ERROR, /* of a value: what went wrong; of a type: an error that is already reported */
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
	CEL_PARAM, /* a type to be inferred */
	CEL_KIND_COUNT
};

struct cel_type;

struct cel_field {
	struct str name; /* as rules spell it */
	struct str key;  /* as in the object */
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
	uint64_t max_elements; /* most characters, elements or members in a request */
	uint64_t min_size;     /* least bytes in a request */
};

/* A type without parameters. */
const struct cel_type *cel_type_simple(enum cel_kind kind);
/* The type that rules see for a schema; NULL: rules see nothing of it. `root`: it has metadata and
 * a kind. */
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
	int64_t number; /* of a duration and a time: nanoseconds; also unsigned numbers */
	double real;
	struct str text;
	struct json json;            /* a list or a map of the object ... */
	const struct cel_type *type; /* ... and its type; of CEL_TYPE: the type */
	/* The elements of a list that a rule made, the keys and values of such a map in turn, or
	 * the value of an optional. */
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
	struct cel_expr *of; /* the operand before the dot; the range of a loop */
	struct cel_expr
		*args; /* linked; of a loop: the condition, which may be absent, and the step */
	struct cel_expr *step;
	struct cel_expr *next;
	bool optional;                   /* .?member */
	const struct cel_type *type;     /* set by the checker */
	const struct cel_function *call; /* set by the checker */
	const struct pattern *pattern;   /* of a match with a literal */
};

/* Errors of a rule, by place. */
struct cel_issue {
	size_t at;
	const char *text;
	struct cel_issue *next;
};

struct cel_rule {
	struct str text;
	struct cel_expr *expr; /* NULL: there are issues */
	struct cel_issue *issues;
	const struct cel_type *type; /* of its result */
	bool uses_old;
	uint64_t cost;
};

/* `self` is the type of the data; `optional_old`: oldSelf is an optional. `text` must live as long
 * as the arena; `patterns` owns the regular expressions of the rule. */
void cel_compile(struct str text, const struct cel_type *self, bool optional_old,
		 struct arena *arena, struct pattern_set *patterns, struct cel_rule *ret);
void cel_print_issues(const struct cel_rule *rule, struct buf *to);

/* The data that a rule reads. */
struct cel_input {
	const struct cel_type *type; /* of self */
	struct json self;
	struct json old; /* may be absent */
	bool optional_old;
};

/* Evaluates a compiled rule. The result may point into the arena. An evaluation that costs more than
 * LIMIT_CEL_COST gives an error that begins with CEL_CANCELLED. *ret_cost is the cost of the evaluation. */
#define CEL_CANCELLED "operation cancelled: actual cost limit exceeded"
struct cel_value cel_evaluate(const struct cel_rule *rule, const struct cel_input *input,
			      struct arena *arena, uint64_t *ret_cost);

#endif
