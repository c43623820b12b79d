/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/selector.c - the text form of label selectors.
 *
 * A lexer gives special symbols and words; a recursive descent parser with one token of look-ahead
 * follows upstream's grammar step by step, because its error messages show where it stopped and
 * what it wanted. `in` and `notin` are words where a value or a key may stand. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/value/labels.h"
#include "model/value/names.h"

#include "base/banned.h"

static const char *const op_texts[] = {
	[SELECTOR_IN] = "in",         [SELECTOR_NOT_IN] = "notin",
	[SELECTOR_EQUALS] = "=",      [SELECTOR_DOUBLE_EQUALS] = "==",
	[SELECTOR_NOT_EQUALS] = "!=", [SELECTOR_EXISTS] = "exists",
	[SELECTOR_NOT_EXISTS] = "!",  [SELECTOR_GREATER] = ">",
	[SELECTOR_LESS] = "<",
};
static_assert(ARRAY_LEN(op_texts) == SELECTOR_OP_COUNT, "write every operator");

/* --- what a requirement must be -------------------------------------------------------------- */

static void check_count(const struct requirement *r, const struct path *path, struct causes *causes)
{
	static const struct {
		size_t least, most;
		const char *words;
	} counts[] = {
#define SET {1, SIZE_MAX, "for 'in', 'notin' operators, values set can't be empty"}
#define EXACT                                                               \
	{                                                                   \
		1, 1, "exact-match compatibility requires one single value" \
	}
#define NONE                                                                   \
	{                                                                      \
		0, 0, "values set must be empty for exists and does not exist" \
	}
#define NUMBER                                                                  \
	{                                                                       \
		1, 1, "for 'Gt', 'Lt' operators, exactly one value is required" \
	}
		[SELECTOR_IN] = SET,           [SELECTOR_NOT_IN] = SET,
		[SELECTOR_EQUALS] = EXACT,     [SELECTOR_DOUBLE_EQUALS] = EXACT,
		[SELECTOR_NOT_EQUALS] = EXACT, [SELECTOR_EXISTS] = NONE,
		[SELECTOR_NOT_EXISTS] = NONE,  [SELECTOR_GREATER] = NUMBER,
		[SELECTOR_LESS] = NUMBER,
	};
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;

	if (r->values.len >= counts[r->op].least && r->values.len <= counts[r->op].most)
		return;
	for (size_t i = 0; i < r->values.len; i++) {
		buf_putc(&shown, i ? ',' : '[');
		causes_quote(&shown, r->values.ptr[i]);
	}
	buf_puts(&shown, r->values.len ? "]" : "[]");
	causes_add(causes, CAUSE_INVALID, path, "Invalid value: %s: %s", buf_text(&shown),
		   counts[r->op].words);
}

void requirement_check(const struct requirement *requirement, struct causes *causes)
{
	struct path key = path_member(NULL, STR("key"));
	struct path values = path_member(NULL, STR("values"));
	bool numeric = requirement->op == SELECTOR_GREATER || requirement->op == SELECTOR_LESS;

	(void)name_validate_joined(NAME_QUALIFIED, requirement->key, "; ", &key, causes);
	check_count(requirement, &values, causes);
	for (size_t i = 0; numeric && i < requirement->values.len; i++) {
		struct path at = path_index(&values, i);
		int64_t number;

		if (number_parse_i64(requirement->values.ptr[i], &number, NULL))
			causes_invalid_str(
				causes, &at, requirement->values.ptr[i],
				"for 'Gt', 'Lt' operators, the value must be an integer");
	}
	for (size_t i = 0; i < requirement->values.len; i++) {
		struct path at = path_index(&values, i);
		struct path keyed = path_key(&at, requirement->key);

		(void)name_validate_joined(NAME_LABEL_VALUE, requirement->values.ptr[i], "; ",
					   &keyed, causes);
	}
}

/* --- lexer ----------------------------------------------------------------------------------- */

enum token {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_IN,
	TOKEN_NOT_IN,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_COMMA,
	TOKEN_NOT,
	TOKEN_EQUALS,
	TOKEN_DOUBLE_EQUALS,
	TOKEN_NOT_EQUALS,
	TOKEN_GREATER,
	TOKEN_LESS,
};

static const struct {
	struct str text;
	enum token token;
} symbols[] = {
	/* the longer ones first */
	{STR_INIT("=="), TOKEN_DOUBLE_EQUALS}, {STR_INIT("!="), TOKEN_NOT_EQUALS},
	{STR_INIT("="), TOKEN_EQUALS},         {STR_INIT("!"), TOKEN_NOT},
	{STR_INIT("("), TOKEN_OPEN},           {STR_INIT(")"), TOKEN_CLOSE},
	{STR_INIT(","), TOKEN_COMMA},          {STR_INIT(">"), TOKEN_GREATER},
	{STR_INIT("<"), TOKEN_LESS},
};

struct parser {
	struct str rest;
	enum token token; /* the next one */
	struct str text;  /* of it */
	struct arena *arena;
	struct err *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static bool is_symbol(char c)
{
	return c && strchr("=!(),><", c);
}

static void lex_symbol(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		if (!str_starts(p->rest, symbols[i].text))
			continue;
		p->token = symbols[i].token;
		p->text = symbols[i].text;
		p->rest = str_skip(p->rest, symbols[i].text.len);
		return;
	}
}

static void lex(struct parser *p)
{
	size_t len = 0;

	while (p->rest.len && is_blank(p->rest.ptr[0]))
		p->rest = str_skip(p->rest, 1);
	if (!p->rest.len) {
		p->token = TOKEN_END;
		p->text = STR("");
		return;
	}
	if (is_symbol(p->rest.ptr[0])) {
		lex_symbol(p);
		return;
	}
	while (len < p->rest.len && !is_blank(p->rest.ptr[len]) && !is_symbol(p->rest.ptr[len]))
		len++;
	p->text = str_slice(p->rest, 0, len);
	p->rest = str_skip(p->rest, len);
	p->token = str_is(p->text, "in")      ? TOKEN_IN
		   : str_is(p->text, "notin") ? TOKEN_NOT_IN
					      : TOKEN_WORD;
}

/* The next token where a key or a value may stand. */
static enum token peek(const struct parser *p)
{
	return p->token == TOKEN_IN || p->token == TOKEN_NOT_IN ? TOKEN_WORD : p->token;
}

static int unexpected(struct parser *p, const char *expected)
{
	return err_set(p->err, ERR_BAD_REQUEST, "found '%.*s'%s", STR_ARG(p->text), expected);
}

/* --- parser ---------------------------------------------------------------------------------- */

/* A set of texts that is being collected. */
struct texts VEC_FIELDS(struct str);

/* Sorted, each once, in the arena. */
static struct strs settle(struct texts *texts, struct arena *arena)
{
	struct strs set = {0};

	if (!texts->len)
		return set;
	qsort(texts->ptr, texts->len, sizeof(texts->ptr[0]), str_qsort_cmp);
	set.ptr = arena_calloc(arena, texts->len, sizeof(set.ptr[0]));
	for (size_t i = 0; i < texts->len; i++)
		if (!i || !str_eq(texts->ptr[i], texts->ptr[i - 1]))
			set.ptr[set.len++] = texts->ptr[i];
	return set;
}

/* "x, y" up to the closing parenthesis; empty values stand where nothing is between commas. */
static int collect_list(struct parser *p, struct texts *texts)
{
	for (;;) {
		if (peek(p) == TOKEN_WORD) {
			vec_push(texts, p->text);
			lex(p);
			if (peek(p) == TOKEN_CLOSE)
				return 0;
			if (peek(p) != TOKEN_COMMA)
				return unexpected(p, ", expected: ',' or ')'");
		} else if (peek(p) == TOKEN_COMMA) {
			if (!texts->len)
				vec_push(texts, STR(""));
			lex(p);
			if (peek(p) == TOKEN_CLOSE) {
				vec_push(texts, STR(""));
				return 0;
			}
			if (peek(p) == TOKEN_COMMA) {
				lex(p);
				vec_push(texts, STR(""));
			}
		} else {
			return unexpected(p, ", expected: ',', or identifier");
		}
	}
}

static int parse_set(struct parser *p, struct texts *texts)
{
	if (peek(p) != TOKEN_OPEN)
		return unexpected(p, " expected: '('");
	lex(p);
	switch (peek(p)) {
	case TOKEN_WORD:
	case TOKEN_COMMA:
		if (collect_list(p, texts))
			return -1;
		break;
	case TOKEN_CLOSE:
		vec_push(texts, STR(""));
		break;
	default:
		return unexpected(p, ", expected: ',', ')' or identifier");
	}
	lex(p);
	return 0;
}

static int parse_exact(struct parser *p, struct texts *texts)
{
	if (peek(p) == TOKEN_END || peek(p) == TOKEN_COMMA) {
		vec_push(texts, STR(""));
		return 0;
	}
	if (peek(p) != TOKEN_WORD)
		return unexpected(p, ", expected: identifier");
	vec_push(texts, p->text);
	lex(p);
	return 0;
}

static int parse_op(struct parser *p, enum selector_op *ret)
{
	static const struct {
		enum token token;
		enum selector_op op;
	} ops[] = {
		{TOKEN_IN, SELECTOR_IN},
		{TOKEN_NOT_IN, SELECTOR_NOT_IN},
		{TOKEN_EQUALS, SELECTOR_EQUALS},
		{TOKEN_DOUBLE_EQUALS, SELECTOR_DOUBLE_EQUALS},
		{TOKEN_NOT_EQUALS, SELECTOR_NOT_EQUALS},
		{TOKEN_GREATER, SELECTOR_GREATER},
		{TOKEN_LESS, SELECTOR_LESS},
	};

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		if (ops[i].token == p->token) {
			*ret = ops[i].op;
			lex(p);
			return 0;
		}
	}
	return unexpected(p, ", expected: in, notin, =, ==, !=, gt, lt");
}

/* Upstream's aggregate: one as it is, more in brackets. */
static int tell_causes(const struct causes *causes, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < causes->len; i++)
		buf_printf(&text, "%s%s: %s", i ? ", " : "", causes->ptr[i].field,
			   causes->ptr[i].message);
	return err_set(err, ERR_BAD_REQUEST, causes->len > 1 ? "[%s]" : "%s", buf_text(&text));
}

static int check_key(struct parser *p, struct str key)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;

	(void)name_validate_joined(NAME_QUALIFIED, key, "; ", NULL, &causes);
	if (!causes.len)
		return 0;
	return err_set(p->err, ERR_BAD_REQUEST, "<nil>: %s", causes.ptr[0].message);
}

static int parse_values(struct parser *p, struct requirement *r)
{
	struct texts texts = {0};
	int failed;

	if (r->op == SELECTOR_IN || r->op == SELECTOR_NOT_IN)
		failed = parse_set(p, &texts);
	else
		failed = parse_exact(p, &texts);
	if (!failed)
		r->values = settle(&texts, p->arena);
	vec_done(&texts);
	return failed;
}

static int parse_requirement(struct parser *p, struct requirement *r)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	bool negated = p->token == TOKEN_NOT;

	*r = (struct requirement){.op = negated ? SELECTOR_NOT_EXISTS : SELECTOR_EXISTS};
	if (negated)
		lex(p);
	if (peek(p) != TOKEN_WORD)
		return unexpected(p, ", expected: identifier");
	r->key = p->text;
	lex(p);
	if (check_key(p, r->key))
		return -1;
	if (negated || p->token == TOKEN_END || p->token == TOKEN_COMMA)
		return 0;
	if (parse_op(p, &r->op) || parse_values(p, r))
		return -1;
	requirement_check(r, &causes);
	return causes.len ? tell_causes(&causes, p->err) : 0;
}

struct requirements VEC_FIELDS(struct requirement);

static int parse_all(struct parser *p, struct requirements *found)
{
	lex(p);
	for (;;) {
		struct requirement r;

		if (peek(p) == TOKEN_END)
			return 0;
		if (peek(p) != TOKEN_WORD && peek(p) != TOKEN_NOT)
			return unexpected(p, ", expected: !, identifier, or 'end of string'");
		if (parse_requirement(p, &r))
			return err_wrap(p->err, "unable to parse requirement");
		vec_push(found, r);
		if (peek(p) == TOKEN_END)
			return 0;
		if (peek(p) != TOKEN_COMMA)
			return unexpected(p, ", expected: ',' or 'end of string'");
		lex(p);
		if (peek(p) != TOKEN_WORD && peek(p) != TOKEN_NOT)
			return unexpected(p, ", expected: identifier after ','");
	}
}

/* Stable, so that requirements on one key stay in their order. */
static void sort_by_key(struct requirement *all, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct requirement held = all[i];
		size_t to = i;

		for (; to > 0 && str_cmp(all[to - 1].key, held.key) > 0; to--)
			all[to] = all[to - 1];
		all[to] = held;
	}
}

int selector_parse(struct str text, struct arena *arena, struct selector *ret, struct err *err)
{
	struct parser p = {.rest = text, .arena = arena, .err = err};
	struct requirements found = {0};
	int failed;

	if (text.len > LIMIT_SELECTOR_BYTES)
		return err_set(err, ERR_BAD_REQUEST, "a selector has at most %d bytes",
			       LIMIT_SELECTOR_BYTES);
	failed = parse_all(&p, &found);
	if (!failed) {
		*ret = (struct selector){.len = found.len};
		if (found.len) {
			sort_by_key(found.ptr, found.len);
			ret->ptr = arena_calloc(arena, found.len, sizeof(found.ptr[0]));
			memcpy(ret->ptr, found.ptr, found.len * sizeof(found.ptr[0]));
		}
	}
	vec_done(&found);
	return failed;
}

/* --- printing -------------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* In order, as Go prints them. */
static void print_values(const struct strs *values, struct buf *to)
{
	AUTO(mem_free)
	struct str *sorted = mem_dup(values->ptr, values->len * sizeof(struct str));

	qsort(sorted, values->len, sizeof(*sorted), compare_values);
	for (size_t i = 0; i < values->len; i++) {
		if (i)
			buf_putc(to, ',');
		buf_put_str(to, sorted[i]);
	}
}

static void print_requirement(const struct requirement *r, struct buf *to)
{
	bool set = r->op == SELECTOR_IN || r->op == SELECTOR_NOT_IN;

	if (r->op == SELECTOR_NOT_EXISTS)
		buf_putc(to, '!');
	buf_put_str(to, r->key);
	if (r->op == SELECTOR_EXISTS || r->op == SELECTOR_NOT_EXISTS)
		return;
	buf_printf(to, set ? " %s (" : "%s", op_texts[r->op]);
	print_values(&r->values, to);
	if (set)
		buf_putc(to, ')');
}

void selector_print(const struct selector *selector, struct buf *to)
{
	for (size_t i = 0; i < selector->len; i++) {
		if (i)
			buf_putc(to, ',');
		print_requirement(&selector->ptr[i], to);
	}
}
