/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_check.c - the types of a parsed rule.
 *
 * Every expression gets a type, every call the function that it refers to. Types to be inferred are
 * variables; assigning to a variable binds it, and a shape that does not fit undoes its bindings.
 * An expression with an error has the type error, which fits everywhere, so that each error is
 * reported once. */
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "cel/cel_internal.h"
#include "model/value/duration.h"
#include "regexp/pattern.h"

#include "base/banned.h"

struct variable {
	struct str name;
	const struct cel_type *type;
	const struct variable *up;
};

enum { BOUND_MAX = 4096 };

struct checker {
	const struct cel_checking *with;
	struct cel_rule *rule;
	const struct variable *variables;
	const struct cel_type **bound; /* by variable; NULL: not yet */
	size_t bound_count;
	size_t *trail; /* variables in the order of binding */
	size_t trail_len;
	unsigned mixed;         /* literals may have elements of many types here */
	struct cel_issue *late; /* reported only if there are no type errors */
};

static void check(struct checker *c, struct cel_expr *expr);

/* --- types ----------------------------------------------------------------------------------- */

static const struct cel_type *new_variable(struct checker *c)
{
	struct cel_type *type;

	if (c->bound_count == BOUND_MAX)
		return cel_type_simple(CEL_DYN);
	type = arena_new_of(c->with->arena, struct cel_type);
	type->kind = CEL_PARAM;
	type->param = c->bound_count++;
	return type;
}

static const struct cel_type *resolve(const struct checker *c, const struct cel_type *type)
{
	while (type->kind == CEL_PARAM && type->param < BOUND_MAX && c->bound[type->param])
		type = c->bound[type->param];
	return type;
}

/* Replaces bound variables by their types; with `close` the others become dyn. */
static const struct cel_type *substitute(const struct checker *c, const struct cel_type *type,
					 bool close)
{
	const struct cel_type *of;
	const struct cel_type *key;

	type = resolve(c, type);
	if (type->kind == CEL_PARAM)
		return close ? cel_type_simple(CEL_DYN) : type;
	if (!type->of || type->kind == CEL_OBJECT)
		return type;
	of = substitute(c, type->of, close);
	key = type->key ? substitute(c, type->key, close) : NULL;
	if (of == type->of && key == type->key)
		return type;
	return key ? cel_type_map(key, of, c->with->arena)
		   : cel_type_wrap(type->kind, of, c->with->arena);
}

static bool is_any(const struct cel_type *type)
{
	return type->kind == CEL_DYN || type->kind == CEL_ERROR;
}

static bool occurs(const struct checker *c, size_t param, const struct cel_type *in)
{
	in = resolve(c, in);
	if (in->kind == CEL_PARAM)
		return in->param == param;
	return in->kind != CEL_OBJECT &&
	       ((in->of && occurs(c, param, in->of)) || (in->key && occurs(c, param, in->key)));
}

static bool bind(struct checker *c, const struct cel_type *variable, const struct cel_type *to)
{
	if (to->kind == CEL_PARAM && to->param == variable->param)
		return true;
	if (occurs(c, variable->param, to))
		return false;
	c->bound[variable->param] = to;
	c->trail[c->trail_len++] = variable->param;
	return true;
}

static bool is_nullable(const struct cel_type *type)
{
	return type->kind == CEL_NULL || type->kind == CEL_OBJECT || type->kind == CEL_DURATION ||
	       type->kind == CEL_TIMESTAMP ||
	       (type->kind >= CEL_OPTIONAL && type->kind != CEL_TYPE);
}

/* Can a value of the first type be used as the second? */
static bool fits(struct checker *c, const struct cel_type *a, const struct cel_type *b)
{
	a = resolve(c, a);
	b = resolve(c, b);
	if (b->kind == CEL_PARAM)
		return bind(c, b, a);
	if (a->kind == CEL_PARAM)
		return bind(c, a, b);
	if (is_any(a) || is_any(b))
		return true;
	if (a->kind == CEL_NULL || b->kind == CEL_NULL)
		return is_nullable(a->kind == CEL_NULL ? b : a);
	if (a->kind != b->kind)
		return false;
	if (a->kind == CEL_TYPE)
		return true;
	if (a->kind == CEL_OBJECT)
		return a == b || a->fields == b->fields;
	return (!a->key || !b->key || fits(c, a->key, b->key)) &&
	       (!a->of || !b->of || fits(c, a->of, b->of));
}

static void undo(struct checker *c, size_t to)
{
	while (c->trail_len > to)
		c->bound[c->trail[--c->trail_len]] = NULL;
}

static bool assign(struct checker *c, const struct cel_type *a, const struct cel_type *b)
{
	size_t before = c->trail_len;
	bool good = c->trail_len + 16 < BOUND_MAX && fits(c, a, b);

	if (!good)
		undo(c, before);
	return good;
}

/* The more general of two compatible types. */
static const struct cel_type *join(const struct checker *c, const struct cel_type *a,
				   const struct cel_type *b)
{
	a = resolve(c, a);
	b = resolve(c, b);
	return b->kind == CEL_DYN || b->kind == CEL_PARAM ? b : a->kind == CEL_NULL ? b : a;
}

/* --- reporting ------------------------------------------------------------------------------- */

static const char *name_type(const struct checker *c, const struct cel_type *type)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	cel_type_print(substitute(c, type, true), &text);
	return arena_strdup(c->with->arena, buf_text(&text));
}

#define REPORT(c, where, ...) \
	cel_issue_add(&(c)->rule->issues, (c)->with->arena, (where), __VA_ARGS__)
#define REPORT_LATE(c, where, ...) cel_issue_add(&(c)->late, (c)->with->arena, (where), __VA_ARGS__)

static void report_mismatch(struct checker *c, const struct cel_expr *at,
			    const struct cel_type *wanted, const struct cel_type *found)
{
	REPORT(c, at->at, "expected type '%s' but found '%s'", name_type(c, wanted),
	       name_type(c, found));
}

static void report_undeclared(struct checker *c, const struct cel_expr *at, struct str name)
{
	REPORT(c, at->at, "undeclared reference to '%.*s' (in container '')", STR_ARG(name));
}

/* --- names and members ----------------------------------------------------------------------- */

static const struct cel_type *type_of_type(struct checker *c, struct str name)
{
	static const struct {
		const char *name;
		enum cel_kind kind;
	} rows[] = {
		{"bool", CEL_BOOL},
		{"int", CEL_INT},
		{"uint", CEL_UINT},
		{"double", CEL_DOUBLE},
		{"string", CEL_STRING},
		{"bytes", CEL_BYTES},
		{"list", CEL_LIST},
		{"map", CEL_MAP},
		{"type", CEL_TYPE},
		{"null_type", CEL_NULL},
		{"dyn", CEL_DYN},
		{"google.protobuf.Duration", CEL_DURATION},
		{"net.IP", CEL_IP},
		{"google.protobuf.Timestamp", CEL_TIMESTAMP},
		{"net.CIDR", CEL_CIDR},
		{"kubernetes.Quantity", CEL_QUANTITY},
		{"optional_type", CEL_OPTIONAL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(name, rows[i].name))
			return cel_type_wrap(CEL_TYPE, cel_type_simple(rows[i].kind),
					     c->with->arena);
	return NULL;
}

static const struct cel_type *find_name(struct checker *c, struct str name)
{
	for (const struct variable *v = c->variables; v; v = v->up)
		if (str_eq(v->name, name))
			return v->type;
	if (str_is(name, "self"))
		return c->with->self;
	if (str_is(name, "oldSelf")) {
		c->rule->uses_old = true;
		return c->with->optional_old
			       ? cel_type_wrap(CEL_OPTIONAL, c->with->self, c->with->arena)
			       : c->with->self;
	}
	return type_of_type(c, name);
}

static void become_type(struct cel_expr *expr, const struct cel_type *type)
{
	expr->form = CEL_LITERAL;
	expr->literal = (struct cel_value){.kind = CEL_TYPE, .type = type->of};
}

static void check_name(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *found = find_name(c, expr->name);

	expr->type = found ? found : cel_type_simple(CEL_ERROR);
	if (!found)
		report_undeclared(c, expr, expr->name);
	else if (found->kind == CEL_TYPE && !str_is(expr->name, "self"))
		become_type(expr, found);
}

static const struct cel_type *check_field(struct checker *c, struct cel_expr *expr,
					  const struct cel_type *of)
{
	switch (of->kind) {
	case CEL_MAP:
		return of->of ? of->of : cel_type_simple(CEL_DYN);
	case CEL_OBJECT:
		for (size_t i = 0; i < of->field_count; i++)
			if (str_eq(of->fields[i].name, expr->name)) {
				expr->name = of->fields[i].key;
				return of->fields[i].type;
			}
		REPORT(c, expr->at, "undefined field '%.*s'", STR_ARG(expr->name));
		return cel_type_simple(CEL_ERROR);
	case CEL_PARAM:
		(void)assign(c, cel_type_simple(CEL_DYN), of);
		return cel_type_simple(CEL_DYN);
	default:
		if (!is_any(of))
			REPORT(c, expr->at, "type '%s' does not support field selection",
			       name_type(c, of));
		return cel_type_simple(CEL_DYN);
	}
}

static void check_select(struct checker *c, struct cel_expr *expr)
{
	struct str qualified =
		expr->form == CEL_SELECT ? cel_qualified_name(expr, c->with->arena) : str_none();
	const struct cel_type *of = str_is_none(qualified) ? NULL : type_of_type(c, qualified);
	bool optional = expr->optional;

	if (of) {
		expr->type = of;
		become_type(expr, of);
		return;
	}
	check(c, expr->of);
	of = resolve(c, expr->of->type);
	if (of->kind == CEL_OPTIONAL) {
		optional = true;
		of = resolve(c, of->of);
	}
	expr->type = check_field(c, expr, of);
	if (expr->form == CEL_HAS)
		expr->type = cel_type_simple(CEL_BOOL);
	else if (optional)
		expr->type = cel_type_wrap(CEL_OPTIONAL, expr->type, c->with->arena);
}

/* --- calls ----------------------------------------------------------------------------------- */

static bool shape_fits(struct checker *c, const struct cel_shape *shape,
		       const struct cel_type *const *args, size_t count)
{
	size_t before = c->trail_len;

	if (shape->count != count || c->trail_len + 16 >= BOUND_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!fits(c, args[i], shape->args[i])) {
			undo(c, before);
			return false;
		}
	return true;
}

static void report_no_overload(struct checker *c, const struct cel_expr *expr,
			       const struct cel_type *const *args, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (expr->of)
		buf_printf(&text, "%s.", name_type(c, args[0]));
	buf_putc(&text, '(');
	for (size_t i = expr->of ? 1 : 0; i < count; i++)
		buf_printf(&text, "%s%s", i > (expr->of ? 1U : 0U) ? ", " : "",
			   name_type(c, args[i]));
	buf_putc(&text, ')');
	REPORT(c, expr->at, "found no matching overload for '%.*s' applied to '%s'",
	       STR_ARG(expr->name), buf_text(&text));
}

static void resolve_call(struct checker *c, struct cel_expr *expr,
			 const struct cel_type *const *args, size_t count)
{
	const char *shapes = expr->call->shapes;
	const struct cel_type *result = NULL;
	struct cel_shape shape;

	while (c->bound_count + 3 < BOUND_MAX &&
	       cel_shape_next(&shapes, c->bound_count, c->with->arena, &shape)) {
		const struct cel_type *made;

		c->bound_count += 3;
		if (shape.member != (expr->of != NULL) || !shape_fits(c, &shape, args, count))
			continue;
		made = substitute(c, shape.result, false);
		if (!result)
			result = made;
		else if (result->kind != made->kind)
			result = cel_type_simple(CEL_DYN);
	}
	if (!result)
		report_no_overload(c, expr, args, count);
	expr->type = result ? result : cel_type_simple(CEL_ERROR);
}

/* && and || report which side is not a bool. */
static void check_logic(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *truth = cel_type_simple(CEL_BOOL);

	expr->type = truth;
	for (struct cel_expr *arg = expr->args; arg; arg = arg->next)
		if (!assign(c, arg->type, truth)) {
			report_mismatch(c, arg, truth, arg->type);
			expr->type = cel_type_simple(CEL_ERROR);
		}
}

/* Checks literal arguments that are wrong for any data. */
static void check_literal_argument(struct checker *c, struct cel_expr *expr)
{
	struct cel_expr *arg = expr->args;
	struct pattern *pattern;
	struct err err;
	int64_t number;

	if (expr->of == NULL && str_is(expr->name, "matches") && arg)
		arg = arg->next;
	if (!arg || arg->form != CEL_LITERAL || arg->literal.kind != CEL_STRING)
		return;
	if (str_is(expr->name, "duration") && duration_parse(arg->literal.text, &number, NULL) < 0)
		REPORT_LATE(c, arg->at, "invalid duration argument");
	else if (str_is(expr->name, "timestamp") &&
		 time_parse(arg->literal.text, &number, NULL) < 0)
		REPORT_LATE(c, arg->at, "invalid timestamp argument");
	else if (str_is(expr->name, "matches") || str_is(expr->name, "find") ||
		 str_is(expr->name, "findAll")) {
		pattern = pattern_new(arg->literal.text, &err);
		if (pattern)
			pattern_set_add(c->with->patterns, pattern);
		else if (str_is(expr->name, "matches"))
			REPORT_LATE(c, arg->at, "invalid matches argument");
		expr->pattern = pattern;
	}
}

static void check_call(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *args[CEL_ARGS_MAX + 1];
	size_t count = 0;
	struct str prefix = expr->of ? cel_qualified_name(expr->of, c->with->arena) : str_none();

	c->mixed += str_is(expr->name, "format");
	for (struct cel_expr *arg = expr->args; arg; arg = arg->next)
		check(c, arg);
	c->mixed -= str_is(expr->name, "format");
	if (!str_is_none(prefix)) {
		struct str name = str_from(arena_printf(c->with->arena, "%.*s.%.*s",
							STR_ARG(prefix), STR_ARG(expr->name)));

		if (cel_function_find(name)) {
			expr->name = name;
			expr->of = NULL;
		}
	}
	if (expr->of) {
		check(c, expr->of);
		args[count++] = expr->of->type;
	}
	expr->call = cel_function_find(expr->name);
	if (!expr->call) {
		report_undeclared(c, expr, expr->name);
		expr->type = cel_type_simple(CEL_ERROR);
		return;
	}
	if (expr->call->price == PRICE_LOGIC) {
		check_logic(c, expr);
		return;
	}
	for (struct cel_expr *arg = expr->args; arg; arg = arg->next)
		if (count < ARRAY_LEN(args))
			args[count++] = arg->type;
	resolve_call(c, expr, args, count);
	if (expr->type->kind != CEL_ERROR)
		check_literal_argument(c, expr);
}

/* --- literals ------------------------------------------------------------------------------ */

/* Elements of a literal are of one type. */
static const struct cel_type *add_element(struct checker *c, const struct cel_expr *expr,
					  const struct cel_type *before)
{
	if (!before)
		return expr->type;
	if (assign(c, before, expr->type))
		return join(c, before, expr->type);
	if (!c->mixed)
		REPORT_LATE(c, expr->at, "expected type '%s' but found '%s'", name_type(c, before),
			    name_type(c, expr->type));
	return cel_type_simple(CEL_DYN);
}

static void check_listing(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *of = NULL;

	for (struct cel_expr *e = expr->args; e; e = e->next) {
		check(c, e);
		of = add_element(c, e, of);
	}
	expr->type = cel_type_wrap(CEL_LIST, of ? of : new_variable(c), c->with->arena);
}

static void check_mapping(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *key = NULL;
	const struct cel_type *of = NULL;

	for (struct cel_expr *e = expr->args; e; e = e->next->next) {
		check(c, e);
		key = add_element(c, e, key);
		check(c, e->next);
		of = add_element(c, e->next, of);
	}
	expr->type = cel_type_map(key ? key : new_variable(c), of ? of : new_variable(c),
				  c->with->arena);
}

static void check_maybe(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *of;

	check(c, expr->of);
	of = resolve(c, expr->of->type);
	expr->type = of->kind == CEL_OPTIONAL ? of->of : of;
	if (of->kind != CEL_OPTIONAL && !is_any(of))
		report_mismatch(c, expr, cel_type_wrap(CEL_OPTIONAL, of, c->with->arena), of);
}

/* --- loops ----------------------------------------------------------------------------------- */

static void find_variables(struct checker *c, const struct cel_expr *expr,
			   const struct cel_type **first, const struct cel_type **second)
{
	const struct cel_type *range = resolve(c, expr->of->type);

	*first = *second = cel_type_simple(CEL_DYN);
	if (range->kind == CEL_LIST && range->of) {
		*first = expr->name2.len ? cel_type_simple(CEL_INT) : range->of;
		*second = range->of;
	} else if (range->kind == CEL_MAP && range->of) {
		*first = range->key;
		*second = range->of;
	} else if (range->kind == CEL_PARAM) {
		(void)assign(c, cel_type_simple(CEL_DYN), range);
	} else if (!is_any(range) && range->kind != CEL_LIST && range->kind != CEL_MAP) {
		REPORT(c, expr->of->at,
		       "expression of type '%s' cannot be range of a comprehension (must be list, "
		       "map, or dynamic)",
		       name_type(c, range));
		*first = *second = cel_type_simple(CEL_ERROR);
	}
}

static const struct cel_type *loop_type(struct checker *c, const struct cel_expr *expr,
					const struct cel_type *first)
{
	switch (expr->loop) {
	case LOOP_MAP:
		return cel_type_wrap(CEL_LIST, expr->step->type, c->with->arena);
	case LOOP_FILTER:
		return cel_type_wrap(CEL_LIST, first, c->with->arena);
	case LOOP_TRANSFORM_ENTRY:
		return expr->step->type;
	case LOOP_TRANSFORM_MAP: {
		const struct cel_type *range = resolve(c, expr->of->type);

		return cel_type_map(range->kind == CEL_MAP ? range->key : cel_type_simple(CEL_INT),
				    expr->step->type, c->with->arena);
	}
	default:
		return cel_type_simple(CEL_BOOL);
	}
}

/* The condition must be a bool; the message depends on what the macro expands to. */
static void check_truth(struct checker *c, const struct cel_expr *loop, const struct cel_expr *expr,
			const struct cel_type *made)
{
	const struct cel_type *truth = cel_type_simple(CEL_BOOL);

	if (assign(c, expr->type, truth))
		return;
	if (loop->loop == LOOP_ALL || loop->loop == LOOP_EXISTS)
		report_mismatch(c, expr, truth, expr->type);
	else
		REPORT(c, loop->at,
		       "found no matching overload for '_?_:_' applied to '(%s, %s, %s)'",
		       name_type(c, expr->type), name_type(c, made), name_type(c, made));
}

static void check_optional_loop(struct checker *c, struct cel_expr *expr)
{
	const struct cel_type *range;
	struct variable one = {expr->name, cel_type_simple(CEL_DYN), c->variables};

	check(c, expr->of);
	range = resolve(c, expr->of->type);
	if (range->kind == CEL_OPTIONAL && range->of)
		one.type = range->of;
	else if (!is_any(range))
		REPORT(c, expr->at, "found no matching overload for 'hasValue' applied to '%s.()'",
		       name_type(c, range));
	c->variables = &one;
	check(c, expr->step);
	c->variables = one.up;
	expr->type = expr->loop == LOOP_OPTIONAL
			     ? cel_type_wrap(CEL_OPTIONAL, expr->step->type, c->with->arena)
			     : expr->step->type;
}

static void check_loop(struct checker *c, struct cel_expr *expr)
{
	struct variable one = {.name = expr->name, .up = c->variables};
	struct variable two = {.name = expr->name2, .up = &one};
	const struct cel_type *made;

	if (expr->loop >= LOOP_OPTIONAL) {
		check_optional_loop(c, expr);
		return;
	}
	check(c, expr->of);
	find_variables(c, expr, &one.type, &two.type);
	c->variables = expr->name2.len ? &two : &one;
	if (expr->args)
		check(c, expr->args);
	check(c, expr->step);
	c->variables = one.up;
	made = loop_type(c, expr, one.type);
	if (expr->args)
		check_truth(c, expr, expr->args, made);
	if (expr->loop == LOOP_EXISTS_ONE)
		check_truth(c, expr, expr->step, cel_type_simple(CEL_INT));
	else if (expr->loop < LOOP_MAP || expr->loop == LOOP_FILTER)
		check_truth(c, expr, expr->step, made);
	expr->type = made;
}

static void check(struct checker *c, struct cel_expr *expr)
{
	switch (expr->form) {
	case CEL_LITERAL:
		expr->type = cel_type_simple(expr->literal.kind);
		return;
	case CEL_IDENT:
		check_name(c, expr);
		return;
	case CEL_SELECT:
	case CEL_HAS:
		check_select(c, expr);
		return;
	case CEL_CALL:
		check_call(c, expr);
		return;
	case CEL_LISTING:
		check_listing(c, expr);
		return;
	case CEL_MAPPING:
		check_mapping(c, expr);
		return;
	case CEL_LOOP:
		check_loop(c, expr);
		return;
	case CEL_MAYBE:
		check_maybe(c, expr);
		return;
	}
}

void cel_check(struct cel_rule *rule, const struct cel_checking *checking)
{
	struct checker c = {.with = checking, .rule = rule};

	c.bound = mem_calloc(BOUND_MAX, sizeof(struct cel_type *));
	c.trail = mem_calloc(BOUND_MAX, sizeof(size_t));
	check(&c, rule->expr);
	rule->type = substitute(&c, rule->expr->type, true);
	if (!rule->issues)
		rule->issues = c.late;
	mem_free(c.bound);
	mem_free(c.trail);
}
