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
	OP_NOT,
	OP_MINUS,
	OP_ADD,
	OP_SUBTRACT,
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

struct expr {
	enum op op;
	struct value literal;
	struct str name;                      /* of a member or a variable */
	struct expr *parts[3];                /* operands */
	struct expr *next;                    /* of a list's elements */
	const struct schema_pattern *pattern; /* of a match */
};

struct schema_rule {
	struct expr *expr;
	struct str text;
	struct str message;
	bool transition;
};

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
