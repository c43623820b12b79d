/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/cel_eval.c - what a checked rule comes to.
 *
 * An error while evaluating (a member that is not there) spreads as in CEL: `false && error` is
 * false, `true || error` is true, and an element that decides does so whatever others cannot say. */
#include <string.h>

#include "apiserver/cel_internal.h"
#include "apiserver/schema_internal.h"

#include "base/banned.h"

struct bound {
	struct str name;
	struct cel_value value;
	const struct bound *up;
};

struct scope {
	struct cel_run *run;
	struct cel_value self;
	struct cel_value old;
	const struct bound *bound;
};

enum { BUDGET = 1000 * 1000 };

static struct cel_value evaluate(const struct cel_expr *expr, const struct scope *scope);

static struct cel_value no_key(struct str key, struct arena *arena)
{
	return cel_error(arena_printf(arena, "no such key: %.*s", STR_ARG(key)));
}

static struct cel_value evaluate_name(const struct cel_expr *expr, const struct scope *scope)
{
	for (const struct bound *b = scope->bound; b; b = b->up)
		if (str_eq(b->name, expr->name))
			return b->value;
	return str_is(expr->name, "self") ? scope->self : scope->old;
}

static bool is_map(const struct cel_value *value)
{
	return value->kind == CEL_MAP || value->kind == CEL_OBJECT;
}

/* A member of what is there; of an optional, an optional. */
static struct cel_value evaluate_select(const struct cel_expr *expr, const struct scope *scope)
{
	struct arena *arena = scope->run->arena;
	struct cel_value of = evaluate(expr->of, scope);
	struct cel_value key = cel_text(expr->name);
	bool optional = expr->optional || of.kind == CEL_OPTIONAL;
	struct cel_value found;
	bool there;

	if (of.kind == CEL_ERROR)
		return of;
	if (of.kind == CEL_OPTIONAL) {
		if (!of.len)
			return expr->form == CEL_HAS ? cel_bool(false) : of;
		of = of.items[0];
	}
	if (!is_map(&of))
		return CEL_NO_OVERLOAD;
	there = cel_find(&of, &key, arena, &found);
	if (expr->form == CEL_HAS)
		return cel_bool(there);
	if (optional)
		return there ? cel_some(&found, arena) : cel_none();
	return there ? found : no_key(expr->name, arena);
}

static struct cel_value index_of(const struct cel_value *of, const struct cel_value *at,
				 bool optional, struct arena *arena)
{
	struct cel_value found;

	if (is_map(of)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		if (cel_find(of, at, arena, &found))
			return optional ? cel_some(&found, arena) : found;
		(void)cel_print(at, &text);
		return optional ? cel_none() : no_key(buf_str(&text), arena);
	}
	if (of->kind != CEL_LIST || !cel_is_number(at))
		return CEL_NO_OVERLOAD;
	int64_t index = at->kind == CEL_DOUBLE ? (int64_t)at->real : at->number;

	if (index >= 0 && (uint64_t)index < cel_len(of)) {
		found = cel_at(of, (size_t)index, arena);
		return optional ? cel_some(&found, arena) : found;
	}
	return optional ? cel_none()
			: cel_error(arena_printf(arena, "index out of bounds: %lld",
						 (long long)index));
}

static struct cel_value evaluate_index(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_value of = evaluate(expr->args, scope);
	struct cel_value at = evaluate(expr->args->next, scope);
	bool optional = expr->name.len == 5 || of.kind == CEL_OPTIONAL;

	if (of.kind == CEL_ERROR || at.kind == CEL_ERROR)
		return of.kind == CEL_ERROR ? of : at;
	if (of.kind == CEL_OPTIONAL) {
		if (!of.len)
			return of;
		of = of.items[0];
	}
	return index_of(&of, &at, optional, scope->run->arena);
}

/* `and`: the value that decides is false; `or`: it is true. */
static struct cel_value evaluate_logic(const struct cel_expr *expr, const struct scope *scope)
{
	bool decides = str_is(expr->name, "_||_");
	struct cel_value left = evaluate(expr->args, scope);
	struct cel_value right;

	if (left.kind == CEL_BOOL && left.truth == decides)
		return left;
	right = evaluate(expr->args->next, scope);
	if (right.kind == CEL_BOOL && right.truth == decides)
		return right;
	if (left.kind == CEL_ERROR)
		return left;
	if (left.kind != CEL_BOOL || right.kind != CEL_BOOL)
		return right.kind == CEL_ERROR ? right : CEL_NO_OVERLOAD;
	return cel_bool(!decides);
}

static struct cel_value evaluate_choice(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_value condition = evaluate(expr->args, scope);

	if (condition.kind != CEL_BOOL)
		return condition.kind == CEL_ERROR ? condition : CEL_NO_OVERLOAD;
	return evaluate(condition.truth ? expr->args->next : expr->args->next->next, scope);
}

static struct cel_value evaluate_match(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_value of = evaluate(expr->of ? expr->of : expr->args, scope);

	if (of.kind != CEL_STRING)
		return of.kind == CEL_ERROR ? of : CEL_NO_OVERLOAD;
	return cel_bool(schema_pattern_matches(expr->pattern, of.text));
}

static struct cel_value evaluate_call(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_value args[CEL_ARGS_MAX] = {0};
	size_t count = 0;

	if (expr->call->price == PRICE_LOGIC)
		return evaluate_logic(expr, scope);
	if (expr->call->price == PRICE_CHOICE)
		return evaluate_choice(expr, scope);
	if (expr->call->price == PRICE_INDEX)
		return evaluate_index(expr, scope);
	if (expr->pattern && str_is(expr->name, "matches"))
		return evaluate_match(expr, scope);
	if (expr->of)
		args[count++] = evaluate(expr->of, scope);
	for (const struct cel_expr *e = expr->args; e && count < CEL_ARGS_MAX; e = e->next)
		args[count++] = evaluate(e, scope);
	for (size_t i = 0; i < count; i++)
		if (args[i].kind == CEL_ERROR)
			return args[i];
	return expr->call->fn(scope->run, args, count);
}

/* Elements of a literal, or keys and values. */
static struct cel_value evaluate_literal(const struct cel_expr *expr, const struct scope *scope)
{
	size_t count = 0;
	struct cel_value *items;

	for (const struct cel_expr *e = expr->args; e; e = e->next)
		count++;
	items = arena_calloc(scope->run->arena, count + 1, sizeof(items[0]));
	count = 0;
	for (const struct cel_expr *e = expr->args; e; e = e->next) {
		struct cel_value one = evaluate(e->form == CEL_MAYBE ? e->of : e, scope);

		if (one.kind == CEL_ERROR)
			return one;
		if (e->form == CEL_MAYBE && one.kind != CEL_OPTIONAL)
			return CEL_NO_OVERLOAD;
		if (e->form == CEL_MAYBE && !one.len) {
			count -= expr->form == CEL_MAPPING; /* its key */
			continue;
		}
		items[count++] = e->form == CEL_MAYBE ? one.items[0] : one;
	}
	return (struct cel_value){.kind = expr->form == CEL_MAPPING ? CEL_MAP : CEL_LIST,
				  .items = items,
				  .len = count};
}

/* --- loops ----------------------------------------------------------------------------------- */

struct looping {
	const struct cel_expr *expr;
	struct cel_value *made;
	size_t made_len;
	size_t good;
	struct cel_value error;
};

/* What a loop that makes something keeps of an element. */
static void keep_element(struct looping *looping, const struct cel_value *key,
			 const struct cel_value *element, const struct cel_value *value)
{
	switch (looping->expr->loop) {
	case LOOP_MAP:
		looping->made[looping->made_len++] = *value;
		return;
	case LOOP_TRANSFORM_MAP:
		looping->made[looping->made_len++] = *key;
		looping->made[looping->made_len++] = *value;
		return;
	case LOOP_TRANSFORM_ENTRY:
		if (value->kind != CEL_MAP || value->len != 2) {
			looping->error = CEL_NO_OVERLOAD;
			return;
		}
		looping->made[looping->made_len++] = value->items[0];
		looping->made[looping->made_len++] = value->items[1];
		return;
	default: /* a filter */
		if (value->kind != CEL_BOOL)
			looping->error = CEL_NO_OVERLOAD;
		else if (value->truth)
			looping->made[looping->made_len++] = *element;
	}
}

/* Is the element wanted at all? */
static bool is_wanted(struct looping *looping, const struct scope *inner)
{
	struct cel_value value;

	if (!looping->expr->args)
		return true;
	value = evaluate(looping->expr->args, inner);
	if (value.kind != CEL_BOOL)
		looping->error = value.kind == CEL_ERROR ? value : CEL_NO_OVERLOAD;
	return value.kind == CEL_BOOL && value.truth;
}

/* One element; true: it has decided, and *ret is what it comes to. */
static bool take_element(struct looping *looping, const struct scope *inner,
			 const struct cel_value *key, const struct cel_value *element,
			 struct cel_value *ret)
{
	enum cel_loop loop = looping->expr->loop;
	struct cel_value value;

	if (!is_wanted(looping, inner))
		return false;
	value = evaluate(looping->expr->step, inner);
	if (value.kind == CEL_ERROR) {
		looping->error = value;
	} else if (loop >= LOOP_MAP) {
		keep_element(looping, key, element, &value);
	} else if (value.kind != CEL_BOOL) {
		looping->error = CEL_NO_OVERLOAD;
	} else if (loop != LOOP_EXISTS_ONE && value.truth == (loop == LOOP_EXISTS)) {
		*ret = value;
		return true;
	} else {
		looping->good += value.truth;
	}
	return false;
}

static struct cel_value end_loop(const struct looping *looping)
{
	enum cel_loop loop = looping->expr->loop;

	if (looping->error.kind == CEL_ERROR)
		return looping->error;
	if (loop == LOOP_MAP || loop == LOOP_FILTER)
		return cel_list_of(looping->made, looping->made_len);
	if (loop == LOOP_TRANSFORM_MAP || loop == LOOP_TRANSFORM_ENTRY)
		return (struct cel_value){
			.kind = CEL_MAP, .items = looping->made, .len = looping->made_len};
	return cel_bool(loop == LOOP_ALL || (loop == LOOP_EXISTS_ONE && looping->good == 1));
}

static struct cel_value evaluate_loop(const struct cel_expr *expr, const struct scope *scope)
{
	struct arena *arena = scope->run->arena;
	struct cel_value of = evaluate(expr->of, scope);
	struct looping looping = {.expr = expr, .error = {.kind = CEL_NULL}};
	struct json_iter it = json_iter(of.json);
	size_t len;

	if (of.kind != CEL_LIST && !is_map(&of))
		return of.kind == CEL_ERROR ? of : CEL_NO_OVERLOAD;
	len = cel_len(&of);
	if (expr->loop >= LOOP_MAP)
		looping.made = arena_calloc(arena, 2 * len + 1, sizeof(looping.made[0]));
	for (size_t i = 0; i < len; i++) {
		struct cel_value key;
		struct cel_value element = {.kind = CEL_NULL};
		struct bound one = {.name = expr->name, .up = scope->bound};
		struct bound two = {.name = expr->name2, .up = &one};
		struct scope inner = *scope;
		struct cel_value decided;

		if (!scope->run->budget)
			return cel_error("operation cancelled: actual cost limit exceeded");
		scope->run->budget--;
		if (of.kind == CEL_LIST) {
			key = cel_int((int64_t)i);
			element = cel_at(&of, i, arena);
		} else {
			key = !json_is_absent(of.json) && json_next(&it) ? cel_text(it.key)
									 : cel_key_at(&of, i);
			(void)cel_find(&of, &key, arena, &element);
		}
		if (element.kind == CEL_ERROR)
			return element;
		one.value = expr->name2.len || of.kind != CEL_LIST ? key : element;
		two.value = element;
		inner.bound = expr->name2.len ? &two : &one;
		if (take_element(&looping, &inner, &key, &one.value, &decided))
			return decided;
	}
	return end_loop(&looping);
}

static struct cel_value evaluate_optional(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_value of = evaluate(expr->of, scope);
	struct bound one = {.name = expr->name, .up = scope->bound};
	struct scope inner = *scope;
	struct cel_value made;

	if (of.kind != CEL_OPTIONAL)
		return of.kind == CEL_ERROR ? of : CEL_NO_OVERLOAD;
	if (!of.len)
		return of;
	one.value = of.items[0];
	inner.bound = &one;
	made = evaluate(expr->step, &inner);
	return made.kind == CEL_ERROR || expr->loop == LOOP_OPTIONAL_FLAT
		       ? made
		       : cel_some(&made, scope->run->arena);
}

static struct cel_value evaluate(const struct cel_expr *expr, const struct scope *scope)
{
	switch (expr->form) {
	case CEL_LITERAL:
		return expr->literal;
	case CEL_IDENT:
		return evaluate_name(expr, scope);
	case CEL_SELECT:
	case CEL_HAS:
		return evaluate_select(expr, scope);
	case CEL_CALL:
		return evaluate_call(expr, scope);
	case CEL_LISTING:
	case CEL_MAPPING:
		return evaluate_literal(expr, scope);
	case CEL_MAYBE:
		return evaluate(expr->of, scope);
	case CEL_LOOP:
		return expr->loop >= LOOP_OPTIONAL ? evaluate_optional(expr, scope)
						   : evaluate_loop(expr, scope);
	}
	return CEL_NO_OVERLOAD;
}

struct cel_value cel_evaluate(const struct cel_rule *rule, const struct cel_type *self_type,
			      struct json self, struct json old, bool optional_old,
			      struct arena *arena)
{
	struct cel_run run = {.arena = arena, .budget = BUDGET};
	struct scope scope = {.run = &run, .self = cel_value_of(self, self_type, arena)};

	scope.old = cel_value_of(old, self_type, arena);
	if (optional_old)
		scope.old = json_is_absent(old) ? cel_none() : cel_some(&scope.old, arena);
	return evaluate(rule->expr, &scope);
}
