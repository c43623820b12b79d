/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/schema_rule.c - the part of CEL that most rules in schemas are written in.
 *
 *	has(self.a.b)  size(x)  x.size()  x.startsWith(y)  x.endsWith(y)  x.contains(y)
 *	self  oldSelf  .member  [index]  [a, b]  "text"  'text'  1  1.5  true  false  null
 *	!  -  +  ==  !=  <  <=  >  >=  in  &&  ||  ?:  ( )
 *
 * A rule is parsed once, by recursive descent with a bounded depth, into a tree in the schema's
 * arena. What is not in this list makes schema_rule_new() give NULL: a rule is checked as it is
 * meant, or not at all. An error while evaluating (a member that is not there) spreads as in CEL:
 * `false && error` is false, `true || error` is true. */
#include <ctype.h>

#include "apiserver/schema_internal.h"
#include "base/number.h"

#include "base/banned.h"

enum { RULE_DEPTH = 64 };

enum op {
	OP_LITERAL,
	OP_SELF,
	OP_OLD_SELF,
	OP_MEMBER,
	OP_INDEX,
	OP_HAS,
	OP_SIZE,
	OP_STARTS,
	OP_ENDS,
	OP_CONTAINS,
	OP_LIST,
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
	struct str name;       /* of a member */
	struct expr *parts[3]; /* operands */
	struct expr *next;     /* of a list's elements */
};

struct schema_rule {
	struct expr *expr;
	struct str text;
	struct str message;
	bool transition;
};

/* --- parsing --------------------------------------------------------------------------------- */

struct parser {
	struct str rest;
	struct arena *arena;
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

static struct expr *parse_text(struct parser *p)
{
	char quote = p->rest.ptr[0];
	ptrdiff_t end = str_find_byte(p->rest, quote, 1);
	struct expr *expr;

	if (end < 0 || str_find_byte(str_slice(p->rest, 0, (size_t)end), '\\', 0) >= 0)
		return fail(p);
	expr = make(p, OP_LITERAL, NULL, NULL);
	if (!expr)
		return NULL;
	expr->literal.kind = VALUE_STR;
	expr->literal.text = str_slice(p->rest, 1, (size_t)end);
	p->rest = str_skip(p->rest, (size_t)end + 1);
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
	expr = make(p, OP_LITERAL, NULL, NULL);
	if (!expr)
		return NULL;
	if (str_is(name, "null"))
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
		return parse_text(p);
	if (isdigit((unsigned char)p->rest.ptr[0]))
		return parse_number(p);
	if (take(p, "["))
		return parse_list(p);
	if (!take(p, "("))
		return parse_word(p);
	expr = parse_expr(p);
	return expr && take(p, ")") ? expr : fail(p);
}

/* Behind a dot: a member, or a method that we know. */
static struct expr *parse_member(struct parser *p, struct expr *of)
{
	static const struct {
		const char *name;
		enum op op;
	} methods[] = {
		{"startsWith", OP_STARTS},
		{"endsWith", OP_ENDS},
		{"contains", OP_CONTAINS},
	};
	struct str name = take_name(p);
	struct expr *expr;

	if (!name.len)
		return fail(p);
	if (!take(p, "(")) {
		expr = make(p, OP_MEMBER, of, NULL);
		if (expr)
			expr->name = name;
		return expr;
	}
	if (str_is(name, "size"))
		return take(p, ")") ? make(p, OP_SIZE, of, NULL) : fail(p);
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (!str_is(name, methods[i].name))
			continue;
		expr = make(p, methods[i].op, of, parse_expr(p));
		return expr && take(p, ")") ? expr : fail(p);
	}
	return fail(p);
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

static struct expr *parse_sum(struct parser *p)
{
	struct expr *expr = parse_unary(p);

	while (expr) {
		if (take(p, "+"))
			expr = make(p, OP_ADD, expr, parse_unary(p));
		else if (take(p, "-"))
			expr = make(p, OP_SUBTRACT, expr, parse_unary(p));
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
		{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE},  {">=", OP_GE},
		{"<", OP_LT},  {">", OP_GT},  {"in ", OP_IN},
	};
	struct expr *expr = parse_sum(p);

	for (size_t i = 0; expr && i < ARRAY_LEN(signs); i++)
		if (take(p, signs[i].sign))
			return make(p, signs[i].op, expr, parse_sum(p));
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

struct schema_rule *schema_rule_new(struct json rule, struct arena *arena)
{
	struct str text = json_str(json_get(rule, "rule"));
	struct parser p = {.rest = text, .arena = arena};
	struct expr *expr;
	struct schema_rule *made;

	/* what would change what a rule says and where */
	if (json_str(json_get(rule, "messageExpression")).len ||
	    json_str(json_get(rule, "fieldPath")).len || json_str(json_get(rule, "reason")).len ||
	    json_bool(json_get(rule, "optionalOldSelf")))
		return NULL;
	expr = parse_expr(&p);
	skip_blanks(&p);
	if (!expr || p.bad || p.rest.len)
		return NULL;
	made = arena_new_of(arena, struct schema_rule);
	made->expr = expr;
	made->text = text;
	made->message = json_str(json_get(rule, "message"));
	made->transition = p.old;
	return made;
}

/* --- evaluating ------------------------------------------------------------------------------ */

struct scope {
	struct json self;
	struct json old;
};

static struct value evaluate(const struct expr *expr, const struct scope *scope);

static struct value value_error(struct str text)
{
	return (struct value){.kind = VALUE_ERROR, .text = text};
}

static struct value value_bool(bool truth)
{
	return (struct value){.kind = VALUE_BOOL, .truth = truth};
}

static struct value value_int(int64_t number)
{
	return (struct value){.kind = VALUE_INT, .number = number};
}

static struct value value_of(struct json json)
{
	switch (json_type(json)) {
	case JSON_BOOL:
		return value_bool(json_bool(json));
	case JSON_INT:
		return value_int(json_int(json));
	case JSON_REAL:
		return (struct value){.kind = VALUE_REAL, .real = json_real(json)};
	case JSON_STR:
		return (struct value){.kind = VALUE_STR, .text = json_str(json)};
	case JSON_ARR:
	case JSON_OBJ:
		return (struct value){.kind = VALUE_JSON, .json = json};
	default:
		return (struct value){.kind = VALUE_NULL};
	}
}

static double as_real(const struct value *value)
{
	return value->kind == VALUE_INT ? (double)value->number : value->real;
}

static bool is_number(const struct value *value)
{
	return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

static bool value_eq(const struct value *a, const struct value *b)
{
	if (is_number(a) && is_number(b))
		return a->kind == VALUE_INT && b->kind == VALUE_INT ? a->number == b->number
								    : as_real(a) == as_real(b);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case VALUE_BOOL:
		return a->truth == b->truth;
	case VALUE_STR:
		return str_eq(a->text, b->text);
	case VALUE_JSON:
		return json_eq(a->json, b->json);
	default:
		return true;
	}
}

static int value_cmp(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_STR)
		return str_cmp(a->text, b->text);
	if (a->kind == VALUE_INT && b->kind == VALUE_INT)
		return a->number < b->number ? -1 : a->number > b->number;
	return as_real(a) < as_real(b) ? -1 : as_real(a) > as_real(b);
}

static struct value evaluate_order(enum op op, const struct value *a, const struct value *b)
{
	int order;

	if (!(is_number(a) && is_number(b)) && !(a->kind == VALUE_STR && b->kind == VALUE_STR))
		return value_error(STR("no such overload"));
	order = value_cmp(a, b);
	return value_bool((op == OP_LT && order < 0) || (op == OP_LE && order <= 0) ||
			  (op == OP_GT && order > 0) || (op == OP_GE && order >= 0));
}

static struct value evaluate_sum(enum op op, const struct value *a, const struct value *b)
{
	int64_t sum;
	bool over;

	if (!is_number(a) || !is_number(b))
		return value_error(STR("no such overload"));
	if (a->kind == VALUE_REAL || b->kind == VALUE_REAL)
		return (struct value){.kind = VALUE_REAL,
				      .real = op == OP_ADD ? as_real(a) + as_real(b)
							   : as_real(a) - as_real(b)};
	over = op == OP_ADD ? __builtin_add_overflow(a->number, b->number, &sum)
			    : __builtin_sub_overflow(a->number, b->number, &sum);
	return over ? value_error(STR("integer overflow")) : value_int(sum);
}

static struct value evaluate_text(enum op op, const struct value *a, const struct value *b)
{
	if (a->kind != VALUE_STR || b->kind != VALUE_STR)
		return value_error(STR("no such overload"));
	if (op == OP_STARTS)
		return value_bool(str_starts(a->text, b->text));
	if (op == OP_ENDS)
		return value_bool(str_ends(a->text, b->text));
	return value_bool(str_find(a->text, b->text, 0) >= 0);
}

static struct value evaluate_size(const struct value *of)
{
	int64_t runes = 0;

	if (of->kind == VALUE_JSON)
		return value_int((int64_t)json_len(of->json));
	if (of->kind != VALUE_STR)
		return value_error(STR("no such overload"));
	for (size_t i = 0; i < of->text.len; i++)
		runes += (of->text.ptr[i] & 0xc0) != 0x80;
	return value_int(runes);
}

static struct value evaluate_member(const struct expr *expr, const struct scope *scope)
{
	struct value of = evaluate(expr->parts[0], scope);
	struct json found;

	if (of.kind == VALUE_ERROR)
		return of;
	if (of.kind != VALUE_JSON)
		return value_error(STR("no such overload"));
	found = json_get_str(of.json, expr->name);
	if (expr->op == OP_MEMBER && json_is_absent(found))
		return value_error(expr->name);
	return value_of(found);
}

static struct value evaluate_has(const struct expr *expr, const struct scope *scope)
{
	struct value of = evaluate(expr->parts[0]->parts[0], scope);

	if (of.kind == VALUE_ERROR)
		return of;
	return value_bool(of.kind == VALUE_JSON &&
			  !json_is_absent(json_get_str(of.json, expr->parts[0]->name)));
}

static struct value evaluate_index(const struct value *of, const struct value *at)
{
	struct json found = JSON_NONE;

	if (of->kind != VALUE_JSON)
		return value_error(STR("no such overload"));
	if (at->kind == VALUE_STR)
		found = json_get_str(of->json, at->text);
	else if (at->kind == VALUE_INT && at->number >= 0)
		found = json_at(of->json, (size_t)at->number);
	return json_is_absent(found) ? value_error(STR("no such key")) : value_of(found);
}

static struct value evaluate_in(const struct value *one, const struct expr *list,
				const struct scope *scope)
{
	struct value many;
	struct json_iter it;

	if (list->op == OP_LIST) {
		for (const struct expr *e = list->parts[0]; e; e = e->next) {
			struct value element = evaluate(e, scope);

			if (element.kind == VALUE_ERROR || value_eq(one, &element))
				return element.kind == VALUE_ERROR ? element : value_bool(true);
		}
		return value_bool(false);
	}
	many = evaluate(list, scope);
	if (many.kind != VALUE_JSON)
		return many.kind == VALUE_ERROR ? many : value_error(STR("no such overload"));
	it = json_iter(many.json);
	while (json_next(&it)) {
		struct value element = it.object ? (struct value){.kind = VALUE_STR, .text = it.key}
						 : value_of(it.value);

		if (value_eq(one, &element))
			return value_bool(true);
	}
	return value_bool(false);
}

/* `and`: the value that decides is false; `or`: it is true. */
static struct value evaluate_logic(const struct expr *expr, const struct scope *scope)
{
	bool decides = expr->op == OP_OR;
	struct value left = evaluate(expr->parts[0], scope);
	struct value right;

	if (left.kind == VALUE_BOOL && left.truth == decides)
		return left;
	right = evaluate(expr->parts[1], scope);
	if (right.kind == VALUE_BOOL && right.truth == decides)
		return right;
	if (left.kind == VALUE_ERROR)
		return left;
	if (left.kind != VALUE_BOOL || right.kind != VALUE_BOOL)
		return right.kind == VALUE_ERROR ? right : value_error(STR("no such overload"));
	return value_bool(!decides);
}

static struct value evaluate_pair(const struct expr *expr, const struct scope *scope)
{
	struct value a = evaluate(expr->parts[0], scope);
	struct value b;

	if (a.kind == VALUE_ERROR)
		return a;
	if (expr->op == OP_IN)
		return evaluate_in(&a, expr->parts[1], scope);
	b = evaluate(expr->parts[1], scope);
	if (b.kind == VALUE_ERROR)
		return b;
	switch (expr->op) {
	case OP_EQ:
		return value_bool(value_eq(&a, &b));
	case OP_NE:
		return value_bool(!value_eq(&a, &b));
	case OP_ADD:
	case OP_SUBTRACT:
		return evaluate_sum(expr->op, &a, &b);
	case OP_STARTS:
	case OP_ENDS:
	case OP_CONTAINS:
		return evaluate_text(expr->op, &a, &b);
	case OP_INDEX:
		return evaluate_index(&a, &b);
	default:
		return evaluate_order(expr->op, &a, &b);
	}
}

static struct value evaluate_one(const struct expr *expr, const struct scope *scope)
{
	struct value zero = value_int(0);
	struct value of = evaluate(expr->parts[0], scope);

	if (of.kind == VALUE_ERROR)
		return of;
	if (expr->op == OP_SIZE)
		return evaluate_size(&of);
	if (expr->op == OP_MINUS)
		return evaluate_sum(OP_SUBTRACT, &zero, &of);
	if (of.kind != VALUE_BOOL)
		return value_error(STR("no such overload"));
	if (expr->op == OP_NOT)
		return value_bool(!of.truth);
	return evaluate(expr->parts[of.truth ? 1 : 2], scope);
}

static struct value evaluate(const struct expr *expr, const struct scope *scope)
{
	switch (expr->op) {
	case OP_LITERAL:
		return expr->literal;
	case OP_SELF:
		return value_of(scope->self);
	case OP_OLD_SELF:
		return value_of(scope->old);
	case OP_MEMBER:
		return evaluate_member(expr, scope);
	case OP_HAS:
		return evaluate_has(expr, scope);
	case OP_NOT:
	case OP_MINUS:
	case OP_SIZE:
	case OP_IF:
		return evaluate_one(expr, scope);
	case OP_AND:
	case OP_OR:
		return evaluate_logic(expr, scope);
	case OP_LIST:
		return value_error(STR("no such overload"));
	default:
		return evaluate_pair(expr, scope);
	}
}

bool schema_rule_is_transition(const struct schema_rule *rule)
{
	return rule->transition;
}

bool schema_rule_holds(const struct schema_rule *rule, struct json self, struct json old,
		       struct str *ret_error)
{
	struct scope scope = {self, old};
	struct value value = evaluate(rule->expr, &scope);

	*ret_error = value.kind == VALUE_ERROR ? value.text : str_none();
	return value.kind == VALUE_BOOL && value.truth;
}

struct str schema_rule_message(const struct schema_rule *rule)
{
	return rule->message;
}

struct str schema_rule_text(const struct schema_rule *rule)
{
	return rule->text;
}
