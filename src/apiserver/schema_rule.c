/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/schema_rule.c - the part of CEL that most rules in schemas are written in.
 *
 *	has(self.a.b)  size(x)  x.size()  x.startsWith(y)  x.endsWith(y)  x.contains(y)
 *	x.matches("pattern")
 *	x.all(v, rule)  x.exists(v, rule)  x.exists_one(v, rule)  x.filter(v, rule)  x.map(v, expr)
 *	self  oldSelf  .member  [index]  [a, b]  "text"  'text'  1  1.5  true  false  null
 *	!  -  +  *  /  %  ==  !=  <  <=  >  >=  in  &&  ||  ?:  ( )
 *	the functions of schema_rule_calls.c
 *
 * A rule is parsed once, by recursive descent with a bounded depth, into a tree in the schema's
 * arena. What is not in this list makes schema_rule_new() give NULL: a rule is checked as it is
 * meant, or not at all. */
#include "apiserver/schema_rule.h"

#include <ctype.h>

#include "apiserver/schema_internal.h"
#include "base/number.h"

#include "base/banned.h"

enum { RULE_DEPTH = 64 };

/* --- parsing --------------------------------------------------------------------------------- */

struct parser {
	struct str rest;
	const struct variable *variables;
	struct arena *arena;
	struct schema *schema;
	unsigned depth;
	bool old; /* oldSelf was seen */
	bool bad;
};

static struct expr *parse_expr(struct parser *p);
static struct expr *parse_unary(struct parser *p);

static struct expr *fail(struct parser *p)
{
	p->bad = true;
	return NULL;
}

static struct expr *make(struct parser *p, enum op op, struct expr *a, struct expr *b)
{
	struct expr *expr;

	if (p->bad)
		return NULL;
	expr = arena_new_of(p->arena, struct expr);
	expr->op = op;
	expr->parts[0] = a;
	expr->parts[1] = b;
	return expr;
}

static void skip_blanks(struct parser *p)
{
	while (p->rest.len && isspace((unsigned char)p->rest.ptr[0]))
		p->rest = str_skip(p->rest, 1);
}

/* Take a sign, if it is next. */
static bool take(struct parser *p, const char *sign)
{
	skip_blanks(p);
	if (!str_starts(p->rest, str_from(sign)))
		return false;
	p->rest = str_skip(p->rest, strlen(sign));
	return true;
}

static struct str take_name(struct parser *p)
{
	struct str name;
	size_t len = 0;

	skip_blanks(p);
	while (len < p->rest.len &&
	       (isalnum((unsigned char)p->rest.ptr[len]) || p->rest.ptr[len] == '_'))
		len++;
	if (!len || isdigit((unsigned char)p->rest.ptr[0]))
		return str_none();
	name = str_slice(p->rest, 0, len);
	p->rest = str_skip(p->rest, len);
	return name;
}

/* What stands behind a backslash; 0: more than we know. */
static char unescape(char c)
{
	static const char from[] = "\\\"'`nrt?";
	static const char to[] = "\\\"'`\n\r\t?";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : 0;
}

/* A text in quotes; behind an r backslashes stand for themselves. */
static struct expr *parse_text(struct parser *p, bool raw)
{
	char quote = p->rest.ptr[0];
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct expr *expr;
	size_t i = 1;

	for (; i < p->rest.len && p->rest.ptr[i] != quote; i++) {
		char c = p->rest.ptr[i];

		if (c == '\\' && !raw) {
			c = unescape(++i < p->rest.len ? p->rest.ptr[i] : 0);
			if (!c)
				return fail(p);
		}
		buf_putc(&text, c);
	}
	expr = make(p, OP_LITERAL, NULL, NULL);
	if (!expr || i >= p->rest.len)
		return fail(p);
	expr->literal.kind = VALUE_STR;
	expr->literal.text = arena_str(p->arena, buf_str(&text));
	p->rest = str_skip(p->rest, i + 1);
	return expr;
}

static struct expr *parse_number(struct parser *p)
{
	struct expr *expr = make(p, OP_LITERAL, NULL, NULL);
	struct str text;
	struct err err;
	size_t len = 0;

	while (len < p->rest.len &&
	       (isdigit((unsigned char)p->rest.ptr[len]) || p->rest.ptr[len] == '.'))
		len++;
	text = str_slice(p->rest, 0, len);
	p->rest = str_skip(p->rest, len);
	if (!expr)
		return NULL;
	if (number_parse_i64(text, &expr->literal.number, &err) == 0)
		expr->literal.kind = VALUE_INT;
	else if (number_parse_double(text, &expr->literal.real, &err) == 0)
		expr->literal.kind = VALUE_REAL;
	else
		return fail(p);
	return expr;
}

static struct expr *parse_list(struct parser *p)
{
	struct expr *list = make(p, OP_LIST, NULL, NULL);
	struct expr **last = list ? &list->parts[0] : NULL;

	if (!list || take(p, "]"))
		return list;
	do {
		*last = parse_expr(p);
		if (!*last)
			return NULL;
		last = &(*last)->next;
	} while (take(p, ","));
	return take(p, "]") ? list : fail(p);
}

/* A call of a function with one argument. */
static struct expr *parse_call(struct parser *p, enum op op)
{
	struct expr *argument;

	if (!take(p, "("))
		return fail(p);
	argument = parse_expr(p);
	if (!argument || !take(p, ")") || (op == OP_HAS && argument->op != OP_MEMBER))
		return fail(p);
	return make(p, op, argument, NULL);
}

/* The arguments of a function behind its parenthesis; those of a method begin with `of`. */
static struct expr *parse_arguments(struct parser *p, const struct rule_call *call, struct expr *of)
{
	struct expr *expr = make(p, OP_CALL, NULL, NULL);
	struct expr *last = NULL;
	unsigned count = of ? 1 : 0;

	if (!expr)
		return NULL;
	if (of)
		last = expr->parts[0] = make(p, OP_BOX, of, NULL);
	while (!take(p, ")")) {
		struct expr *argument;

		if (count > (of ? 1 : 0) && !take(p, ","))
			return fail(p);
		argument = make(p, OP_BOX, parse_expr(p), NULL);
		if (!argument || ++count > call->most)
			return fail(p);
		if (last)
			last->next = argument;
		else
			expr->parts[0] = argument;
		last = argument;
	}
	expr->call = call;
	return count >= call->least ? expr : fail(p);
}

static struct expr *parse_word(struct parser *p)
{
	struct str name = take_name(p);
	struct expr *expr;

	if (str_is(name, "self"))
		return make(p, OP_SELF, NULL, NULL);
	if (str_is(name, "oldSelf")) {
		p->old = true;
		return make(p, OP_OLD_SELF, NULL, NULL);
	}
	if (str_is(name, "has"))
		return parse_call(p, OP_HAS);
	if (str_is(name, "size"))
		return parse_call(p, OP_SIZE);
	if (rule_call_find(name, false) && take(p, "("))
		return parse_arguments(p, rule_call_find(name, false), NULL);
	expr = make(p, OP_LITERAL, NULL, NULL);
	if (!expr)
		return NULL;
	expr->name = name;
	if (find_variable(p->variables, name))
		expr->op = OP_VARIABLE;
	else if (str_is(name, "null"))
		expr->literal.kind = VALUE_NULL;
	else if (str_is(name, "true") || str_is(name, "false"))
		expr->literal = (struct value){.kind = VALUE_BOOL, .truth = name.len == 4};
	else
		return fail(p);
	return expr;
}

static struct expr *parse_primary(struct parser *p)
{
	struct expr *expr;

	skip_blanks(p);
	if (!p->rest.len)
		return fail(p);
	if (p->rest.ptr[0] == '"' || p->rest.ptr[0] == '\'')
		return parse_text(p, false);
	if (str_starts(p->rest, STR("r\"")) || str_starts(p->rest, STR("r'"))) {
		p->rest = str_skip(p->rest, 1);
		return parse_text(p, true);
	}
	if (isdigit((unsigned char)p->rest.ptr[0]))
		return parse_number(p);
	if (take(p, "["))
		return parse_list(p);
	if (!take(p, "("))
		return parse_word(p);
	expr = parse_expr(p);
	return expr && take(p, ")") ? expr : fail(p);
}

/* A rule over the elements of a list or the keys of a map: "(v, rule)", behind the parenthesis. */
static struct expr *parse_macro(struct parser *p, enum op op, struct expr *of)
{
	struct variable variable = {.name = take_name(p), .up = p->variables};
	struct expr *expr;

	if (!variable.name.len || !take(p, ","))
		return fail(p);
	p->variables = &variable;
	expr = make(p, op, of, parse_expr(p));
	p->variables = variable.up;
	if (!expr || !expr->parts[1] || !take(p, ")"))
		return fail(p);
	expr->name = variable.name;
	return expr;
}

/* The pattern is a literal, and compiled here; one that is none is for the definition's author. */
static struct expr *parse_match(struct parser *p, struct expr *of)
{
	struct expr *text = parse_expr(p);
	struct expr *expr = make(p, OP_MATCHES, of, text);
	struct schema_pattern *pattern;
	struct err err;

	if (!expr || !text || text->op != OP_LITERAL || text->literal.kind != VALUE_STR ||
	    !take(p, ")"))
		return fail(p);
	pattern = schema_pattern_new(text->literal.text, &err);
	if (!pattern)
		return fail(p);
	schema_pattern_own(p->schema, pattern);
	expr->pattern = pattern;
	return expr;
}

/* Names that CEL cannot spell stand in rules in other words. */
static struct str unescape_name(struct parser *p, struct str name)
{
	static const struct {
		struct str from;
		const char *to;
	} words[] = {
		{STR_INIT("__underscores__"), "__"},
		{STR_INIT("__dot__"), "."},
		{STR_INIT("__dash__"), "-"},
		{STR_INIT("__slash__"), "/"},
	};
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;

	if (str_find(name, STR("__"), 0) < 0)
		return name;
	/* a word of the language between underscores: __namespace__ */
	if (str_starts(name, STR("__")) && str_ends(name, STR("__")) && name.len > 4 &&
	    str_find(str_slice(name, 2, name.len - 2), STR("__"), 0) < 0 &&
	    !str_eq(name, words[0].from) && !str_eq(name, words[1].from) &&
	    !str_eq(name, words[2].from) && !str_eq(name, words[3].from))
		return arena_str(p->arena, str_slice(name, 2, name.len - 2));
	while (name.len) {
		size_t i = 0;

		while (i < ARRAY_LEN(words) && !str_starts(name, words[i].from))
			i++;
		if (i < ARRAY_LEN(words))
			buf_puts(&made, words[i].to);
		else
			buf_putc(&made, name.ptr[0]);
		name = str_skip(name, i < ARRAY_LEN(words) ? words[i].from.len : 1);
	}
	return arena_str(p->arena, buf_str(&made));
}

/* Behind a dot: a member, or a method that we know. */
static struct expr *parse_member(struct parser *p, struct expr *of)
{
	static const struct {
		const char *name;
		enum op op;
	} methods[] = {
		{"startsWith", OP_STARTS}, {"endsWith", OP_ENDS}, {"contains", OP_CONTAINS},
		{"all", OP_ALL},           {"exists", OP_EXISTS}, {"exists_one", OP_EXISTS_ONE},
		{"filter", OP_FILTER},     {"map", OP_MAP},
	};
	struct str name = take_name(p);
	struct expr *expr;

	if (!name.len)
		return fail(p);
	if (!take(p, "(")) {
		expr = make(p, OP_MEMBER, of, NULL);
		if (expr)
			expr->name = unescape_name(p, name);
		return expr;
	}
	if (str_is(name, "matches"))
		return parse_match(p, of);
	if (str_is(name, "size"))
		return take(p, ")") ? make(p, OP_SIZE, of, NULL) : fail(p);
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (!str_is(name, methods[i].name))
			continue;
		if (methods[i].op >= OP_ALL)
			return parse_macro(p, methods[i].op, of);
		expr = make(p, methods[i].op, of, parse_expr(p));
		return expr && take(p, ")") ? expr : fail(p);
	}
	return rule_call_find(name, true) ? parse_arguments(p, rule_call_find(name, true), of)
					  : fail(p);
}

static struct expr *parse_postfix(struct parser *p)
{
	struct expr *expr = parse_primary(p);

	while (expr && !p->bad) {
		if (take(p, ".")) {
			expr = parse_member(p, expr);
		} else if (take(p, "[")) {
			expr = make(p, OP_INDEX, expr, parse_expr(p));
			if (!take(p, "]"))
				return fail(p);
		} else {
			return expr;
		}
	}
	return NULL;
}

static struct expr *parse_unary(struct parser *p)
{
	struct expr *expr;

	if (++p->depth > RULE_DEPTH)
		return fail(p);
	skip_blanks(p);
	if (!str_starts(p->rest, STR("!=")) && take(p, "!"))
		expr = make(p, OP_NOT, parse_unary(p), NULL);
	else if (take(p, "-"))
		expr = make(p, OP_MINUS, parse_unary(p), NULL);
	else
		expr = parse_postfix(p);
	p->depth--;
	return expr;
}

static struct expr *parse_product(struct parser *p)
{
	struct expr *expr = parse_unary(p);

	while (expr) {
		if (take(p, "*"))
			expr = make(p, OP_MULTIPLY, expr, parse_unary(p));
		else if (take(p, "/"))
			expr = make(p, OP_DIVIDE, expr, parse_unary(p));
		else if (take(p, "%"))
			expr = make(p, OP_MODULO, expr, parse_unary(p));
		else
			return expr;
	}
	return NULL;
}

static struct expr *parse_sum(struct parser *p)
{
	struct expr *expr = parse_product(p);

	while (expr) {
		if (take(p, "+"))
			expr = make(p, OP_ADD, expr, parse_product(p));
		else if (take(p, "-"))
			expr = make(p, OP_SUBTRACT, expr, parse_product(p));
		else
			return expr;
	}
	return NULL;
}

static struct expr *parse_comparison(struct parser *p)
{
	static const struct {
		const char *sign;
		enum op op;
	} signs[] = {
		{"==", OP_EQ}, {"!=", OP_NE},  {"<=", OP_LE},  {">=", OP_GE},  {"<", OP_LT},
		{">", OP_GT},  {"in ", OP_IN}, {"in[", OP_IN}, {"in(", OP_IN}, {"in\n", OP_IN},
	};
	struct expr *expr = parse_sum(p);

	for (size_t i = 0; expr && i < ARRAY_LEN(signs); i++)
		if (take(p, signs[i].sign)) {
			/* what stands behind "in" is not a part of it */
			if (signs[i].op == OP_IN)
				p->rest = str_of(p->rest.ptr - 1, p->rest.len + 1);
			return make(p, signs[i].op, expr, parse_sum(p));
		}
	return expr;
}

static struct expr *parse_chain(struct parser *p, const char *sign, enum op op,
				struct expr *(*below)(struct parser *p))
{
	struct expr *expr = below(p);

	while (expr && take(p, sign))
		expr = make(p, op, expr, below(p));
	return expr;
}

static struct expr *parse_and(struct parser *p)
{
	return parse_chain(p, "&&", OP_AND, parse_comparison);
}

static struct expr *parse_expr(struct parser *p)
{
	struct expr *expr = NULL;

	if (++p->depth > RULE_DEPTH)
		return fail(p);
	expr = parse_chain(p, "||", OP_OR, parse_and);
	if (expr && take(p, "?")) {
		struct expr *yes = parse_expr(p);

		if (!take(p, ":"))
			return fail(p);
		expr = make(p, OP_IF, expr, yes);
		if (expr)
			expr->parts[2] = parse_expr(p);
	}
	p->depth--;
	return p->bad ? NULL : expr;
}

static struct expr *parse_all(struct parser *p, struct str text)
{
	struct expr *expr;

	p->rest = text;
	p->bad = false;
	p->depth = 0;
	expr = text.len ? parse_expr(p) : NULL;
	skip_blanks(p);
	return p->bad || p->rest.len ? NULL : expr;
}

struct schema_rule *schema_rule_new(struct json rule, struct schema *schema)
{
	struct str text = json_str(json_get(rule, "rule"));
	struct parser p = {.rest = text, .arena = schema->arena, .schema = schema};
	struct expr *expr;
	struct schema_rule *made;

	if (json_bool(json_get(rule, "optionalOldSelf")))
		return NULL;
	expr = parse_all(&p, text);
	if (!expr)
		return NULL;
	made = arena_new_of(schema->arena, struct schema_rule);
	made->transition = p.old;
	/* one that needs more than we have is as one that fails: the message is told instead */
	made->message_expr = parse_all(&p, json_str(json_get(rule, "messageExpression")));
	made->reason = json_str(json_get(rule, "reason"));
	made->field_path = str_trim(json_str(json_get(rule, "fieldPath")));
	made->expr = expr;
	made->text = text;
	made->message = json_str(json_get(rule, "message"));
	return made;
}

bool schema_rule_is_transition(const struct schema_rule *rule)
{
	return rule->transition;
}

struct str schema_rule_message(const struct schema_rule *rule)
{
	return rule->message;
}

struct str schema_rule_reason(const struct schema_rule *rule)
{
	return rule->reason;
}

struct str schema_rule_field_path(const struct schema_rule *rule)
{
	return rule->field_path;
}

struct str schema_rule_text(const struct schema_rule *rule)
{
	return rule->text;
}
