/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_parse.c - tokens as a tree.
 *
 * By recursive descent with a bounded depth. Operators are calls with names such as "_+_", as the
 * checker's messages show them. Macros (has, all, map, ...) become forms of their own here. A
 * syntax error has the message of the generated parser of the original: a surplus token is skipped,
 * a missing one is inserted, and any other error ends the parse. */
#include <string.h>

#include "base/number.h"
#include "cel/cel_internal.h"

#include "base/banned.h"

enum { PARSE_DEPTH = 100, ARGS_MAX = 64 };

struct parser {
	struct cel_tokens tokens;
	size_t next;
	struct arena *arena;
	struct cel_issue **issues;
	unsigned depth;
	bool bad; /* the parse is over */
};

static struct cel_expr *parse_expr(struct parser *p);

static const struct cel_token *peek(const struct parser *p)
{
	return &p->tokens.ptr[p->next];
}

static const struct cel_token *peek_second(const struct parser *p)
{
	return &p->tokens.ptr[p->next + 1 < p->tokens.len ? p->next + 1 : p->next];
}

static bool is_sign(const struct cel_token *token, const char *sign)
{
	return token->kind == TOKEN_SIGN && str_is(token->text, sign);
}

static bool is_number_token(const struct cel_token *token)
{
	return token->kind == TOKEN_INT || token->kind == TOKEN_FLOAT;
}

static const struct cel_token *take(struct parser *p, const char *sign)
{
	return is_sign(peek(p), sign) ? &p->tokens.ptr[p->next++] : NULL;
}

static struct cel_expr *give_up(struct parser *p)
{
	p->bad = true;
	return NULL;
}

static struct cel_expr *make(struct parser *p, enum cel_form form, size_t at)
{
	struct cel_expr *expr = arena_new_of(p->arena, struct cel_expr);

	expr->form = form;
	expr->at = at;
	return expr;
}

static struct cel_expr *make_call(struct parser *p, const char *name, size_t at,
				  struct cel_expr *first, struct cel_expr *second)
{
	struct cel_expr *expr = make(p, CEL_CALL, at);

	if (!first)
		return NULL;
	expr->name = str_from(name);
	expr->args = first;
	first->next = second;
	return expr;
}

/* Can the token follow a complete expression? Then a closing sign is missing. */
static bool is_follow(const struct cel_token *token)
{
	return token->kind == TOKEN_END ||
	       (token->kind == TOKEN_SIGN && !is_sign(token, "!") && !is_sign(token, "(") &&
		!is_sign(token, "{") && !is_sign(token, "true") && !is_sign(token, "false") &&
		!is_sign(token, "null"));
}

/* Expects a sign. */
static void expect(struct parser *p, const char *sign)
{
	const struct cel_token *token = peek(p);
	const char *quote = *sign == '<' ? "" : "'";

	if (p->bad)
		return;
	if (*sign == '<' ? token->kind == TOKEN_END : is_sign(token, sign)) {
		p->next += token->kind != TOKEN_END;
		return;
	}
	if (*sign == '<' ? peek_second(p)->kind == TOKEN_END : is_sign(peek_second(p), sign)) {
		cel_issue_add(p->issues, p->arena, token->at,
			      "Syntax error: extraneous input '%.*s' expecting %s%s%s",
			      STR_ARG(token->text), quote, sign, quote);
		p->next += *sign == '<' ? 1 : 2;
		return;
	}
	if (*sign != '<' && is_follow(token)) {
		cel_issue_add(p->issues, p->arena, token->at,
			      "Syntax error: missing '%s' at '%.*s'", sign, STR_ARG(token->text));
		return;
	}
	cel_issue_add(p->issues, p->arena, token->at,
		      "Syntax error: mismatched input '%.*s' expecting %s%s%s",
		      STR_ARG(token->text), quote, sign, quote);
	p->bad = true;
}

static bool can_begin(const struct cel_token *token)
{
	static const char *const signs[] = {"[", "{", "(", ".", "-", "!", "true", "false", "null"};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (is_sign(token, signs[i]))
			return true;
	return token->kind != TOKEN_SIGN && token->kind != TOKEN_END;
}

static void report_begin(struct parser *p, const char *what)
{
	const struct cel_token *token = peek(p);

	cel_issue_add(p->issues, p->arena, token->at,
		      "Syntax error: %s input '%.*s' expecting {'[', '{', '(', '.', '-', '!', "
		      "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
		      "IDENTIFIER}",
		      what, STR_ARG(token->text));
}

static struct cel_expr *refuse(struct parser *p)
{
	report_begin(p, "mismatched");
	return give_up(p);
}

/* An expression must begin here. */
static bool expect_begin(struct parser *p)
{
	const struct cel_token *token = peek(p);
	bool extra = !can_begin(token) && token->kind != TOKEN_END && can_begin(peek_second(p));

	if (p->bad || can_begin(token))
		return !p->bad;
	report_begin(p, extra ? "extraneous" : "mismatched");
	p->next += extra;
	p->bad |= !extra;
	return extra;
}

/* --- literals -------------------------------------------------------------------------------- */

static struct cel_expr *make_literal(struct parser *p, size_t at, struct cel_value value)
{
	struct cel_expr *expr = make(p, CEL_LITERAL, at);

	expr->literal = value;
	return expr;
}

static bool parse_hex(struct str text, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 2; i < text.len; i++) {
		char c = text.ptr[i];
		unsigned digit = c <= '9'   ? (unsigned)(c - '0')
				 : c <= 'F' ? (unsigned)(c - 'A' + 10)
					    : (unsigned)(c - 'a' + 10);

		if (value >> 60)
			return false;
		value = value << 4 | digit;
	}
	*ret = value;
	return true;
}

static struct cel_expr *parse_int(struct parser *p, const struct cel_token *token, bool minus,
				  size_t at)
{
	struct str text = token->text;
	struct cel_value value = {.kind = token->kind == TOKEN_UINT ? CEL_UINT : CEL_INT};
	uint64_t number = 0;
	bool good;

	if (token->kind == TOKEN_UINT)
		text = str_slice(text, 0, text.len - 1);
	good = str_starts(text, STR("0x")) ? parse_hex(text, &number)
					   : number_parse_u64(text, &number, NULL) == 0;
	if (token->kind == TOKEN_INT && number > (uint64_t)INT64_MAX + minus)
		good = false;
	if (!good) {
		cel_issue_add(p->issues, p->arena, at, "invalid %s literal",
			      token->kind == TOKEN_UINT ? "uint" : "int");
		number = 0;
	}
	value.number = (int64_t)(minus ? 0 - number : number);
	return make_literal(p, at, value);
}

static struct cel_expr *parse_float(struct parser *p, const struct cel_token *token, bool minus,
				    size_t at)
{
	struct cel_value value = {.kind = CEL_DOUBLE};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (token->text.ptr[0] == '.')
		buf_putc(&text, '0');
	buf_put_str(&text, token->text);
	if (number_parse_double(buf_str(&text), &value.real, NULL) < 0)
		cel_issue_add(p->issues, p->arena, at, "invalid double literal");
	if (minus)
		value.real = -value.real;
	return make_literal(p, at, value);
}

static struct cel_expr *parse_text(struct parser *p, const struct cel_token *token)
{
	bool bytes = token->kind == TOKEN_BYTES;
	struct cel_value value = {.kind = bytes ? CEL_BYTES : CEL_STRING};
	const char *wrong = cel_unquote(str_skip(token->text, bytes), bytes, p->arena, &value.text);

	if (wrong)
		cel_issue_add(p->issues, p->arena, token->at, "%s", wrong);
	return make_literal(p, token->at, value);
}

/* --- calls and macros ------------------------------------------------------------------------ */

/* An element, or a value, that is left out if it is an empty optional. */
static struct cel_expr *mark_optional(struct parser *p, struct cel_expr *of)
{
	struct cel_expr *expr = make(p, CEL_MAYBE, of->at);

	expr->of = of;
	return expr;
}

/* Parses expressions up to a closing sign; returns their number. */
static size_t parse_list(struct parser *p, const char *end, struct cel_expr **ret)
{
	struct cel_expr **last = ret;
	size_t count = 0;
	bool optional;

	if (take(p, end))
		return 0;
	do {
		struct cel_expr *one;

		if (count && *end == ']' && is_sign(peek(p), end))
			break; /* a comma after the last one */
		optional = *end == ']' && take(p, "?");
		one = count < ARGS_MAX ? parse_expr(p) : give_up(p);
		if (!one)
			return count;
		if (optional)
			one = mark_optional(p, one);
		*last = one;
		last = &one->next;
		count++;
	} while (take(p, ","));
	expect(p, end);
	return count;
}

struct macro {
	const char *name;
	size_t args;
	size_t names; /* of them, variables */
	enum cel_loop loop;
};

static const struct macro macros[] = {
	{"all", 2, 1, LOOP_ALL},
	{"exists", 2, 1, LOOP_EXISTS},
	{"exists_one", 2, 1, LOOP_EXISTS_ONE},
	{"map", 2, 1, LOOP_MAP},
	{"map", 3, 1, LOOP_MAP},
	{"filter", 2, 1, LOOP_FILTER},
	{"all", 3, 2, LOOP_ALL},
	{"exists", 3, 2, LOOP_EXISTS},
	{"existsOne", 3, 2, LOOP_EXISTS_ONE},
	{"exists_one", 3, 2, LOOP_EXISTS_ONE},
	{"transformList", 3, 2, LOOP_MAP},
	{"transformList", 4, 2, LOOP_MAP},
	{"transformMap", 3, 2, LOOP_TRANSFORM_MAP},
	{"transformMap", 4, 2, LOOP_TRANSFORM_MAP},
	{"transformMapEntry", 3, 2, LOOP_TRANSFORM_ENTRY},
	{"transformMapEntry", 4, 2, LOOP_TRANSFORM_ENTRY},
	{"optMap", 2, 1, LOOP_OPTIONAL},
	{"optFlatMap", 2, 1, LOOP_OPTIONAL_FLAT},
};

static const struct macro *find_macro(struct str name, size_t count)
{
	for (size_t i = 0; i < ARRAY_LEN(macros); i++)
		if (macros[i].args == count && str_is(name, macros[i].name))
			return &macros[i];
	return NULL;
}

static struct cel_expr *expand(struct parser *p, const struct macro *macro, size_t at,
			       struct cel_expr *of, struct cel_expr *args)
{
	struct cel_expr *loop = make(p, CEL_LOOP, at);
	struct cel_expr *one = args;

	loop->loop = macro->loop;
	loop->of = of;
	for (size_t i = 0; i < macro->names; i++, one = one->next) {
		if (one->form != CEL_IDENT) {
			cel_issue_add(p->issues, p->arena, one->at,
				      "argument must be a simple name");
			return loop;
		}
		if (i)
			loop->name2 = one->name;
		else
			loop->name = one->name;
	}
	if (macro->args - macro->names == 2) {
		loop->args = one;
		one = one->next;
		loop->args->next = NULL;
	}
	loop->step = one;
	return loop;
}

static struct cel_expr *make_has(struct parser *p, size_t at, struct cel_expr *argument)
{
	if (argument->form != CEL_SELECT || argument->optional) {
		cel_issue_add(p->issues, p->arena, argument->at, "invalid argument to has() macro");
		return argument;
	}
	argument->form = CEL_HAS;
	argument->at = at;
	return argument;
}

/* The parser is after the name and its parenthesis. */
static struct cel_expr *parse_call(struct parser *p, struct str name, struct cel_expr *of,
				   size_t at)
{
	struct cel_expr *expr = make(p, CEL_CALL, at);
	size_t count = parse_list(p, ")", &expr->args);
	const struct macro *macro = of ? find_macro(name, count) : NULL;

	if (p->bad)
		return NULL;
	if (macro)
		return expand(p, macro, at, of, expr->args);
	if (!of && count == 1 && str_is(name, "has"))
		return make_has(p, at, expr->args);
	expr->name = name;
	expr->of = of;
	return expr;
}

static bool is_reserved(struct str name)
{
	static const char *const words[] = {"as",   "break",   "const",     "continue", "else",
					    "for",  "if",      "function",  "import",   "let",
					    "loop", "package", "namespace", "return",   "var",
					    "void", "while"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(name, words[i]))
			return true;
	return false;
}

static struct cel_expr *parse_name(struct parser *p)
{
	const struct cel_token *token = &p->tokens.ptr[p->next++];
	const struct cel_token *open = take(p, "(");
	struct cel_expr *expr;

	if (is_reserved(token->text))
		cel_issue_add(p->issues, p->arena, token->at, "reserved identifier: %.*s",
			      STR_ARG(token->text));
	if (open)
		return parse_call(p, token->text, NULL, open->at);
	expr = make(p, CEL_IDENT, token->at);
	expr->name = token->text;
	return expr;
}

static struct cel_expr *parse_map(struct parser *p, size_t at)
{
	struct cel_expr *expr = make(p, CEL_MAPPING, at);
	struct cel_expr **last = &expr->args;

	while (!p->bad && !take(p, "}")) {
		struct cel_expr *key;
		struct cel_expr *value;
		bool optional;

		if (expr->args) {
			if (!take(p, ",")) {
				expect(p, "}");
				return expr;
			}
			if (take(p, "}"))
				return expr;
		}
		optional = take(p, "?") != NULL;
		key = parse_expr(p);
		expect(p, ":");
		value = p->bad ? NULL : parse_expr(p);
		if (!key || !value)
			return give_up(p);
		if (optional)
			value = mark_optional(p, value);
		*last = key;
		key->next = value;
		last = &value->next;
	}
	return p->bad ? NULL : expr;
}

/* An expression that begins with a sign other than a parenthesis: a list, a map, or a constant. */
static struct cel_expr *parse_signed(struct parser *p, const struct cel_token *token)
{
	struct cel_value value = {.kind = CEL_BOOL, .truth = token->text.len == 4};
	struct cel_expr *expr;

	p->next++;
	if (is_sign(token, "[")) {
		expr = make(p, CEL_LISTING, token->at);
		(void)parse_list(p, "]", &expr->args);
		return p->bad ? NULL : expr;
	}
	if (is_sign(token, "{"))
		return parse_map(p, token->at);
	if (is_sign(token, "null"))
		value.kind = CEL_NULL;
	if (is_sign(token, "null") || is_sign(token, "true") || is_sign(token, "false"))
		return make_literal(p, token->at, value);
	p->next--;
	return refuse(p); /* a sign such as "!" is not allowed here */
}

static struct cel_expr *parse_primary(struct parser *p)
{
	const struct cel_token *token = peek(p);
	bool minus = is_sign(token, "-") && is_number_token(peek_second(p));
	size_t at = token->at;
	struct cel_expr *expr;

	if (minus)
		token = &p->tokens.ptr[++p->next];
	if (take(p, ".")) { /* a name in the root namespace */
		token = peek(p);
		if (token->kind != TOKEN_NAME)
			return refuse(p);
	}
	if (token->kind == TOKEN_NAME)
		return parse_name(p);
	if (token->kind == TOKEN_END)
		return refuse(p);
	if (take(p, "(")) {
		expr = parse_expr(p);
		expect(p, ")");
		return p->bad ? NULL : expr;
	}
	if (token->kind == TOKEN_SIGN)
		return parse_signed(p, token);
	p->next++;
	if (token->kind == TOKEN_FLOAT)
		return parse_float(p, token, minus, at);
	if (token->kind == TOKEN_INT || token->kind == TOKEN_UINT)
		return parse_int(p, token, minus, at);
	return parse_text(p, token);
}

/* The parser is after a dot. */
static struct cel_expr *parse_member(struct parser *p, struct cel_expr *of, size_t dot)
{
	bool optional = take(p, "?") != NULL;
	const struct cel_token *name = peek(p);
	const struct cel_token *open;
	struct cel_expr *expr;

	if (name->kind != TOKEN_NAME) {
		cel_issue_add(p->issues, p->arena, name->at,
			      "Syntax error: no viable alternative at input '.%s%.*s'",
			      optional ? "?" : "",
			      name->kind == TOKEN_END ? 0 : (int)name->text.len, name->text.ptr);
		return give_up(p);
	}
	p->next++;
	open = optional ? NULL : take(p, "(");
	if (open)
		return parse_call(p, name->text, of, open->at);
	expr = make(p, CEL_SELECT, dot);
	expr->of = of;
	expr->name = name->text;
	expr->optional = optional;
	return expr;
}

static struct cel_expr *parse_postfix(struct parser *p)
{
	struct cel_expr *expr = parse_primary(p);

	while (expr && !p->bad) {
		const struct cel_token *sign = take(p, ".");

		if (sign) {
			expr = parse_member(p, expr, sign->at);
			continue;
		}
		sign = take(p, "[");
		if (!sign)
			return expr;
		bool optional = take(p, "?") != NULL;
		struct cel_expr *index = parse_expr(p);

		expect(p, "]");
		if (index)
			expr = make_call(p, optional ? "_[?_]" : "_[_]", sign->at, expr, index);
	}
	return p->bad ? NULL : expr;
}

static struct cel_expr *parse_unary(struct parser *p)
{
	const struct cel_token *first;
	const char *sign;
	size_t count = 0;
	struct cel_expr *expr;

	if (!expect_begin(p))
		return NULL;
	first = peek(p);
	sign = is_sign(first, "!") ? "!" : "-";
	if (*sign == '-' && is_sign(first, "-") && is_number_token(peek_second(p)))
		return parse_postfix(p); /* the sign of a number */
	while (take(p, sign))
		count++;
	if (count && !expect_begin(p))
		return NULL;
	expr = parse_postfix(p);
	return expr && count % 2 ? make_call(p, *sign == '!' ? "!_" : "-_", first->at, expr, NULL)
				 : expr;
}

/* --- operators ------------------------------------------------------------------------------- */

struct operator
{
	const char *sign;
	const char *name;
	unsigned level;
};

static const struct operator operators[] = {
	{"<", "_<_", 0},   {"<=", "_<=_", 0}, {">=", "_>=_", 0}, {">", "_>_", 0},
	{"==", "_==_", 0}, {"!=", "_!=_", 0}, {"in", "@in", 0},  {"+", "_+_", 1},
	{"-", "_-_", 1},   {"*", "_*_", 2},   {"/", "_/_", 2},   {"%", "_%_", 2},
};

static const struct operator* peek_operator(const struct parser *p, unsigned level)
{
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (operators[i].level == level && is_sign(peek(p), operators[i].sign))
			return &operators[i];
	return NULL;
}

static struct cel_expr *parse_level(struct parser *p, unsigned level)
{
	struct cel_expr *expr = level > 2 ? parse_unary(p) : parse_level(p, level + 1);
	const struct operator* found;

	while (expr && level <= 2 && (found = peek_operator(p, level))) {
		size_t at = p->tokens.ptr[p->next++].at;
		struct cel_expr *right = parse_level(p, level + 1);

		if (!right)
			return NULL;
		expr = make_call(p, found->name, at, expr, right);
	}
	return expr;
}

static struct cel_expr *parse_logic(struct parser *p, bool any)
{
	struct cel_expr *expr = any ? parse_logic(p, false) : parse_level(p, 0);
	const struct cel_token *sign;

	while (expr && (sign = take(p, any ? "||" : "&&"))) {
		struct cel_expr *right = any ? parse_logic(p, false) : parse_level(p, 0);

		if (!right)
			return NULL;
		expr = make_call(p, any ? "_||_" : "_&&_", sign->at, expr, right);
	}
	return expr;
}

static struct cel_expr *parse_expr(struct parser *p)
{
	struct cel_expr *expr = NULL;
	const struct cel_token *sign = NULL;

	if (++p->depth > PARSE_DEPTH) {
		if (!p->bad)
			cel_issue_add(p->issues, p->arena, peek(p)->at,
				      "expression recursion limit exceeded: %d", PARSE_DEPTH);
		return give_up(p);
	}
	expr = parse_logic(p, true);
	if (expr)
		sign = take(p, "?");
	if (sign) {
		struct cel_expr *yes = parse_logic(p, true);
		struct cel_expr *no;

		expect(p, ":");
		no = p->bad ? NULL : parse_expr(p);
		if (!yes || !no)
			return give_up(p);
		expr = make_call(p, "_?_:_", sign->at, expr, yes);
		yes->next = no;
	}
	p->depth--;
	return p->bad ? NULL : expr;
}

struct cel_expr *cel_parse(struct str text, struct cel_issue **issues, struct arena *arena)
{
	struct parser p = {.arena = arena, .issues = issues};
	struct cel_expr *expr;

	p.tokens = cel_lex(text, issues, arena);
	expr = parse_expr(&p);
	if (expr)
		expect(&p, "<EOF>");
	return *issues ? NULL : expr;
}

struct str cel_qualified_name(const struct cel_expr *expr, struct arena *arena)
{
	struct str before;

	if (expr->form == CEL_IDENT)
		return expr->name;
	if (expr->form != CEL_SELECT || expr->optional)
		return str_none();
	before = cel_qualified_name(expr->of, arena);
	if (str_is_none(before))
		return before;
	return str_from(arena_printf(arena, "%.*s.%.*s", STR_ARG(before), STR_ARG(expr->name)));
}
