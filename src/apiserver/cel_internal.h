/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/cel_internal.h - what the parts of CEL share. */
#ifndef APISERVER_CEL_INTERNAL_H
#define APISERVER_CEL_INTERNAL_H

#include "apiserver/cel.h"
#include "base/arena.h"
#include "base/buf.h"

/* --- tokens (cel_lex.c) ---------------------------------------------------------------------- */

enum cel_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_INT,
	TOKEN_UINT,
	TOKEN_FLOAT,
	TOKEN_STRING,
	TOKEN_BYTES,
	TOKEN_SIGN, /* signs, and the words that are signs: in, true, false, null */
};

struct cel_token {
	enum cel_token_kind kind;
	size_t at;
	struct str text;
};

struct cel_tokens {
	struct cel_token *ptr; /* the last one is the end */
	size_t len;
};

struct cel_tokens cel_lex(struct str text, struct cel_issue **issues, struct arena *arena);
/* The text of a literal; NULL and why not: an escape that is none. */
const char *cel_unquote(struct str token, bool bytes, struct arena *arena, struct str *ret);
PRINTF(4, 5)
void cel_issue_add(struct cel_issue **issues, struct arena *arena, size_t at, const char *format,
		   ...);

/* --- the tree -------------------------------------------------------------------------------- */

/* NULL: there are issues. */
struct cel_expr *cel_parse(struct str text, struct cel_issue **issues, struct arena *arena);
/* "a.b.c" of a chain of plain names; none: it is no such chain. */
struct str cel_qualified_name(const struct cel_expr *expr, struct arena *arena);

struct cel_checking {
	const struct cel_type *self;
	bool optional_old;
	struct schema *schema; /* owns patterns */
	struct arena *arena;
};
void cel_check(struct cel_rule *rule, const struct cel_checking *checking);
uint64_t cel_cost(const struct cel_rule *rule, const struct cel_type *self);

/* --- functions (cel_functions.c) ------------------------------------------------------------- */

struct cel_run {
	struct arena *arena;
	size_t budget; /* steps that may still be taken: loops in loops must end */
};

enum { CEL_ARGS_MAX = 4 };

typedef struct cel_value cel_call_fn(struct cel_run *run, const struct cel_value *args,
				     size_t count);

/* What is paid for a call, beside its arguments. */
enum cel_price {
	PRICE_ONE,
	PRICE_TEXT,      /* a tenth of the first argument's size */
	PRICE_TEXT_SIZE, /* likewise, and as large as it */
	PRICE_TWICE,     /* a fifth */
	PRICE_SECOND,    /* a tenth of the second argument's size */
	PRICE_LIST,      /* an element each, and their texts */
	PRICE_MATCH,
	PRICE_CONTAINS,
	PRICE_EQUAL,
	PRICE_ADD,
	PRICE_IN,
	PRICE_LOGIC,
	PRICE_CHOICE,
	PRICE_INDEX,
	PRICE_JOIN,
	PRICE_DYN,
	PRICE_FORMAT, /* of the longest pattern, over the second argument */
};

/* `shapes` are signatures, blanks between: "s.s:b" is string.(string) -> bool. Letters are types:
 * b i u d s y bool .. bytes, D T duration and timestamp, n null, * dyn, q p c l v f quantity, IP,
 * CIDR, URL, semver and format, A B C whatever it is, [A] a list, {AB} a map, ?A an optional, <A>
 * a type. */
struct cel_function {
	const char *name;
	const char *shapes;
	cel_call_fn *fn;
	enum cel_price price;
};
const struct cel_function *cel_function_find(struct str name);
/* The next shape: its types, the receiver first; false: there is none. Names stand for the
 * variables from `base` on. */
struct cel_shape {
	bool member;
	size_t count;
	const struct cel_type *args[CEL_ARGS_MAX];
	const struct cel_type *result;
};
bool cel_shape_next(const char **shapes, size_t base, struct arena *arena, struct cel_shape *ret);

/* Rows of other files. */
extern const struct cel_function cel_functions_text[];
extern const size_t cel_functions_text_count;
extern const struct cel_function cel_functions_more[];
extern const size_t cel_functions_more_count;
extern const struct cel_function cel_functions_named[];
extern const size_t cel_functions_named_count;

/* --- values (cel_value.c) -------------------------------------------------------------------- */

static inline struct cel_value cel_error(const char *text)
{
	return (struct cel_value){.kind = CEL_ERROR, .text = str_from(text)};
}

#define CEL_NO_OVERLOAD cel_error("no such overload")

static inline struct cel_value cel_bool(bool truth)
{
	return (struct cel_value){.kind = CEL_BOOL, .truth = truth};
}

static inline struct cel_value cel_int(int64_t number)
{
	return (struct cel_value){.kind = CEL_INT, .number = number};
}

static inline struct cel_value cel_text(struct str text)
{
	return (struct cel_value){.kind = CEL_STRING, .text = text};
}

/* An optional that holds nothing. */
static inline struct cel_value cel_none(void)
{
	return (struct cel_value){.kind = CEL_OPTIONAL};
}

/* A value of the object, as its type says. */
struct cel_value cel_value_of(struct json json, const struct cel_type *type, struct arena *arena);
size_t cel_len(const struct cel_value *value);
struct cel_value cel_at(const struct cel_value *list, size_t index, struct arena *arena);
/* Of a map: the value of a key; CEL_NULL and false: it is not there. */
bool cel_find(const struct cel_value *map, const struct cel_value *key, struct arena *arena,
	      struct cel_value *ret);
struct cel_value cel_key_at(const struct cel_value *map, size_t index);
bool cel_eq(const struct cel_value *a, const struct cel_value *b, struct arena *arena);
/* Can they be compared, and how; -1, 0, 1. */
bool cel_cmp(const struct cel_value *a, const struct cel_value *b, int *ret);
/* The same of two versions. */
bool cel_version_cmp(const struct cel_value *a, const struct cel_value *b, struct arena *arena,
		     int *ret);
struct cel_value cel_list_of(const struct cel_value *items, size_t len);
struct cel_value cel_text_of(struct buf *buf, struct arena *arena);
struct cel_value cel_some(const struct cel_value *value, struct arena *arena);
bool cel_is_number(const struct cel_value *value);
double cel_real(const struct cel_value *value);
/* As string() prints it; false: it cannot. */
bool cel_print(const struct cel_value *value, struct buf *to);

#endif
