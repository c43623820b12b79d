/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_internal.h - shared by the files of CEL. */
#ifndef CEL_INTERNAL_H
#define CEL_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "cel/cel.h"

/* --- tokens (cel_lex.c) ---------------------------------------------------------------------- */

enum cel_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_INT,
	TOKEN_UINT,
	TOKEN_FLOAT,
	TOKEN_STRING,
	TOKEN_BYTES,
	TOKEN_SIGN, /* punctuation, and the words in, true, false, null */
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
/* The text of a literal; NULL and the reason for a bad escape. */
const char *cel_unquote(struct str token, bool bytes, struct arena *arena, struct str *ret);
PRINTF(4, 5)
void cel_issue_add(struct cel_issue **issues, struct arena *arena, size_t at, const char *format,
		   ...);

/* --- the tree -------------------------------------------------------------------------------- */

/* NULL: there are issues. */
struct cel_expr *cel_parse(struct str text, struct cel_issue **issues, struct arena *arena);
/* "a.b.c" of a chain of plain names; none if it is not such a chain. */
struct str cel_qualified_name(const struct cel_expr *expr, struct arena *arena);

struct cel_checking {
	const struct cel_type *self;
	bool optional_old;
	struct pattern_set *patterns; /* owns those of the rule */
	struct arena *arena;
};
void cel_check(struct cel_rule *rule, const struct cel_checking *checking);
uint64_t cel_cost(const struct cel_rule *rule, const struct cel_type *self);

/* --- functions (cel_functions.c) ------------------------------------------------------------- */

/* One evaluation (cel_run.c). It has two counters. `cost` is what kube-apiserver charges, so that
 * the same rules are cancelled over the same data. `work` is the work that was really done, because
 * some of those prices do not depend on sizes: each visited element, each byte that was made and
 * each READ_PER_UNIT bytes that were read count as one unit. Both are limited, and so is the
 * memory. */
struct cel_run {
	struct arena *arena;
	uint64_t cost;
	uint64_t work;
	bool over;           /* a limit was exceeded: the result is an error */
	struct map *indexed; /* indexes of lists and maps of the object, by address */
};

enum {
	READ_PER_UNIT = 8,
	CEL_COST_LIST = 10, /* making a list */
	CEL_COST_MAP = 30,
};

void cel_run_done(struct cel_run *run);
DEFINE_AUTO_IN_PLACE(struct cel_run, cel_run_done);

void cel_charge(struct cel_run *run, uint64_t cost);
void cel_work(struct cel_run *run, uint64_t units);
/* The cost so far: what was charged, or the work if that is more. */
uint64_t cel_run_cost(const struct cel_run *run);
/* Call this before making that many bytes: false if they exceed a limit; then do not make them. */
bool cel_may_make(struct cel_run *run, size_t bytes) MUST_CHECK;
/* Memory for that many elements, or NULL if they exceed the memory limit. */
struct cel_value *cel_alloc_items(struct cel_run *run, size_t count) MUST_CHECK;
/* The result after a limit was exceeded. */
struct cel_value cel_cancelled(void);
/* Does a pattern match, and where is its next match from *start on? Steps of matching count as
 * work. */
bool cel_run_matches(struct cel_run *run, const struct pattern *pattern, struct str text);
bool cel_run_find(struct cel_run *run, const struct pattern *pattern, struct str text,
		  size_t *start, size_t *end);
/* An element of a list of the object, or a member of a map of it, without a walk over the others. */
struct json cel_run_at(struct cel_run *run, struct json list, size_t index);
struct json cel_run_get(struct cel_run *run, struct json map, struct str key);

enum { CEL_ARGS_MAX = 4 };

typedef struct cel_value cel_call_fn(struct cel_run *run, const struct cel_value *args,
				     size_t count);

/* The price of a call, in addition to its arguments. */
enum cel_price {
	PRICE_ONE,
	PRICE_TEXT,      /* a tenth of the first argument's size */
	PRICE_TEXT_SIZE, /* the same; the result is as large as the argument */
	PRICE_TWICE,     /* a fifth */
	PRICE_SECOND,    /* a tenth of the second argument's size */
	PRICE_LIST,      /* 1 per element, and the prices of their texts */
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
 * CIDR, URL, semver and format, A B C any type, [A] a list, {AB} a map, ?A an optional, <A>
 * a type. */
struct cel_function {
	const char *name;
	const char *shapes;
	cel_call_fn *fn;
	enum cel_price price;
};
const struct cel_function *cel_function_find(struct str name);
/* The next shape: its types, the receiver first; false if there is none. Letters of variables stand
 * for the variables from `base` on. */
struct cel_shape {
	bool member;
	size_t count;
	const struct cel_type *args[CEL_ARGS_MAX];
	const struct cel_type *result;
};
/* What kube-apiserver charges for a call with these arguments and this result; also counts the work
 * (cel_price.c). Logic, choices and indices are charged during their evaluation. */
void cel_price(struct cel_run *run, const struct cel_expr *call, const struct cel_value *args,
	       size_t count, const struct cel_value *result);

/* Is it a literal, or a list or map of literals? It is made once, so that it costs nothing. */
bool cel_is_constant(const struct cel_expr *expr);

bool cel_shape_next(const char **shapes, size_t base, struct arena *arena, struct cel_shape *ret);

/* Tables of functions in other files. */
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

/* An optional without a value. */
static inline struct cel_value cel_none(void)
{
	return (struct cel_value){.kind = CEL_OPTIONAL};
}

/* A value of the object, converted by its type. */
struct cel_value cel_value_of(struct json json, const struct cel_type *type, struct cel_run *run);
size_t cel_len(const struct cel_value *value);
struct cel_value cel_at(const struct cel_value *list, size_t index, struct cel_run *run);
/* The value of a key of a map; CEL_NULL and false if it is absent. */
bool cel_find(const struct cel_value *map, const struct cel_value *key, struct cel_run *run,
	      struct cel_value *ret);
/* Elements of a list, with their places as keys, or members of a map:
 *	struct cel_iter it = cel_iter(&value);
 *	while (cel_next(&it, run)) use(it.key, it.value);
 * Ends early if a limit of the run is exceeded. */
struct cel_iter {
	const struct cel_value *of;
	struct json_iter json;
	size_t index;
	size_t len;
	struct cel_value key;
	struct cel_value value;
};
struct cel_iter cel_iter(const struct cel_value *of);
bool cel_next(struct cel_iter *it, struct cel_run *run);
bool cel_eq(const struct cel_value *a, const struct cel_value *b, struct cel_run *run);
/* Can they be compared? Then *ret is -1, 0 or 1. */
bool cel_cmp(const struct cel_value *a, const struct cel_value *b, int *ret);
/* The same for two versions. */
bool cel_version_cmp(const struct cel_value *a, const struct cel_value *b, struct arena *arena,
		     int *ret);
struct cel_value cel_list_of(const struct cel_value *items, size_t len);
/* The text that was made, or an error if it is too long. */
struct cel_value cel_text_of(struct buf *buf, struct cel_run *run);
struct cel_value cel_some(const struct cel_value *value, struct arena *arena);
bool cel_is_number(const struct cel_value *value);
double cel_real(const struct cel_value *value);
/* Prints a value as string() does; false if it cannot be printed. */
bool cel_print(const struct cel_value *value, struct buf *to);

#endif
