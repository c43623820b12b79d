/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/schema_rule.h - a parsed rule; for schema_rule.c, which parses, and schema_rule_eval.c. */
#ifndef APISERVER_SCHEMA_RULE_H
#define APISERVER_SCHEMA_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"

struct schema_pattern;

enum op {
	OP_LITERAL,
	OP_SELF,
	OP_OLD_SELF,
	OP_VARIABLE,
	OP_MEMBER,
	OP_INDEX,
	OP_HAS,
	OP_SIZE,
	OP_STARTS,
	OP_ENDS,
	OP_CONTAINS,
	OP_MATCHES,
	OP_LIST,
	OP_ALL,
	OP_EXISTS,
	OP_EXISTS_ONE,
	OP_FILTER,
	OP_MAP,
	OP_CALL,
	OP_BOX, /* around an argument, which may be in a list of its own */
	OP_NOT,
	OP_MINUS,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_IN,
	OP_AND,
	OP_OR,
	OP_IF,
};

enum value_kind {
	VALUE_ERROR,
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_REAL,
	VALUE_STR,
	VALUE_JSON
};

struct value {
	enum value_kind kind;
	bool truth;
	int64_t number;
	double real;
	struct str text; /* of an error: what is missing */
	struct json json;
};

/* What is made while a rule is evaluated: lists and texts; made when first wanted. */
struct scratch {
	struct json_doc *doc;
};
struct json_doc *scratch_doc(struct scratch *scratch);

/* A function, or a method, whose first argument stands before the dot. */
struct rule_call {
	const char *name;
	bool method;
	unsigned least, most; /* arguments */
	struct value (*fn)(struct scratch *scratch, const struct value *args, size_t count);
};
enum { RULE_ARGS_MAX = 3 };
/* NULL: there is none of that name. */
const struct rule_call *rule_call_find(struct str name, bool method);

struct expr {
	enum op op;
	struct value literal;
	struct str name;                      /* of a member or a variable */
	struct expr *parts[3];                /* operands */
	struct expr *next;                    /* of a list's elements */
	const struct schema_pattern *pattern; /* of a match */
	const struct rule_call *call;         /* its arguments are a list in parts[0] */
};

struct schema_rule {
	struct expr *expr;
	struct str text;
	struct str message;
	struct expr *message_expr; /* NULL: none */
	struct str reason;
	struct str field_path;
	bool transition;
};

/* --- values (schema_rule_eval.c) --- */

static inline struct value value_error(struct str text)
{
	return (struct value){.kind = VALUE_ERROR, .text = text};
}

static inline struct value value_bool(bool truth)
{
	return (struct value){.kind = VALUE_BOOL, .truth = truth};
}

static inline struct value value_int(int64_t number)
{
	return (struct value){.kind = VALUE_INT, .number = number};
}

struct value value_of(struct json json);
bool value_is_number(const struct value *value);
bool value_eq(const struct value *a, const struct value *b);
/* Of two texts, or two numbers. */
int value_cmp(const struct value *a, const struct value *b);
/* OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE or OP_MODULO of two numbers. */
struct value value_sum(enum op op, const struct value *a, const struct value *b);

/* A name that is bound around a place: when parsing only its name, when evaluating its value too. */
struct variable {
	struct str name;
	struct value value;
	const struct variable *up;
};

static inline const struct variable *find_variable(const struct variable *among, struct str name)
{
	while (among && !str_eq(among->name, name))
		among = among->up;
	return among;
}

#endif
