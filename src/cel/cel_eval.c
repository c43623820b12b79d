/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_eval.c - evaluates a checked rule.
 *
 * An error while evaluating (a member that is not there) spreads as in CEL: `false && error` is false,
 * `true || error` is true, and in a loop one deciding element hides errors of the others. An
 * evaluation that has cost too much ends at once (cel_run.c) with that error, which nothing hides.
 * Each step is charged as in cel_cost.c. */
#include <string.h>

#include "cel/cel_internal.h"
#include "regexp/pattern.h"

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

static struct cel_value evaluate(const struct cel_expr *expr, const struct scope *scope);

static struct cel_value no_key(struct str key, struct arena *arena)
{
	return cel_error(arena_printf(arena, "no such key: %.*s", STR_ARG(key)));
}

static struct cel_value find_name(const struct cel_expr *expr, const struct scope *scope)
{
	for (const struct bound *b = scope->bound; b; b = b->up)
		if (str_eq(b->name, expr->name))
			return b->value;
	return str_is(expr->name, "self") ? scope->self : scope->old;
}

static struct cel_value evaluate_name(const struct cel_expr *expr, const struct scope *scope)
{
	cel_charge(scope->run, 1);
	return find_name(expr, scope);
}

static bool is_map(const struct cel_value *value)
{
	return value->kind == CEL_MAP || value->kind == CEL_OBJECT;
}

/* A member of a value; of an optional the result is an optional. */
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
	cel_charge(scope->run, expr->form == CEL_HAS ? 0 : 1);
	there = cel_find(&of, &key, scope->run, &found);
	if (expr->form == CEL_HAS)
		return cel_bool(there);
	if (optional)
		return there ? cel_some(&found, arena) : cel_none();
	return there ? found : no_key(expr->name, arena);
}

static struct cel_value index_of(const struct cel_value *of, const struct cel_value *at,
				 bool optional, struct cel_run *run)
{
	struct arena *arena = run->arena;
	struct cel_value found;

	if (is_map(of)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		if (cel_find(of, at, run, &found))
			return optional ? cel_some(&found, arena) : found;
		(void)cel_print(at, &text);
		return optional ? cel_none() : no_key(buf_str(&text), arena);
	}
	if (of->kind != CEL_LIST || !cel_is_number(at))
		return CEL_NO_OVERLOAD;
	int64_t index = at->kind == CEL_DOUBLE ? (int64_t)at->real : at->number;

	if (index >= 0 && (uint64_t)index < cel_len(of)) {
		found = cel_at(of, (size_t)index, run);
		return optional ? cel_some(&found, arena) : found;
	}
	return optional ? cel_none()
			: cel_error(arena_printf(arena, "index out of bounds: %lld",
						 (long long)index));
}

static struct cel_value evaluate_index(const struct cel_expr *expr, const struct scope *scope)
{
	const struct cel_expr *index = expr->args->next;
	struct cel_value of = evaluate(expr->args, scope);
	/* a plain name is part of the access, and not charged */
	struct cel_value at =
		index->form == CEL_IDENT ? find_name(index, scope) : evaluate(index, scope);
	bool optional = expr->name.len == 5 || of.kind == CEL_OPTIONAL;

	if (of.kind == CEL_ERROR || at.kind == CEL_ERROR)
		return of.kind == CEL_ERROR ? of : at;
	if (of.kind == CEL_OPTIONAL) {
		if (!of.len)
			return of;
		of = of.items[0];
	}
	cel_charge(scope->run, 1);
	return index_of(&of, &at, optional, scope->run);
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
	struct cel_value args[2] = {
		evaluate(expr->of ? expr->of : expr->args, scope),
		cel_text(pattern_text(expr->pattern)),
	};
	struct cel_value of = args[0];

	if (of.kind != CEL_STRING)
		return of.kind == CEL_ERROR ? of : CEL_NO_OVERLOAD;
	cel_price(scope->run, expr, args, 2, &of);
	if (scope->run->over)
		return cel_cancelled();
	return cel_bool(cel_run_matches(scope->run, expr->pattern, of.text));
}

static struct cel_value evaluate_call(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_value args[CEL_ARGS_MAX] = {0};
	struct cel_value made;
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
	/* Costs that depend on the result are charged afterwards, all others before the call. */
	if (expr->call->price != PRICE_JOIN)
		cel_price(scope->run, expr, args, count, &args[0]);
	if (scope->run->over)
		return cel_cancelled();
	made = expr->call->fn(scope->run, args, count);
	if (expr->call->price == PRICE_JOIN)
		cel_price(scope->run, expr, args, count, &made);
	return scope->run->over ? cel_cancelled() : made;
}

/* Elements of a literal, or keys and values. */
static struct cel_value evaluate_literal(const struct cel_expr *expr, const struct scope *scope)
{
	size_t count = 0;
	struct cel_value *items;

	for (const struct cel_expr *e = expr->args; e; e = e->next)
		count++;
	if (!cel_is_constant(expr))
		cel_charge(scope->run, expr->form == CEL_MAPPING ? CEL_COST_MAP : CEL_COST_LIST);
	items = cel_alloc_items(scope->run, count);
	if (!items)
		return cel_cancelled();
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

/* What a loop that makes a list or map adds for an element. */
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

/* Does the condition of the loop accept the element? */
static bool is_accepted(struct looping *looping, const struct scope *inner)
{
	struct cel_value value;

	if (!looping->expr->args)
		return true;
	value = evaluate(looping->expr->args, inner);
	if (value.kind != CEL_BOOL)
		looping->error = value.kind == CEL_ERROR ? value : CEL_NO_OVERLOAD;
	return value.kind == CEL_BOOL && value.truth;
}

/* Evaluates one element; true: it decides the loop, and *ret is the result. */
static bool take_element(struct looping *looping, const struct scope *inner,
			 const struct cel_value *key, const struct cel_value *element,
			 struct cel_value *ret)
{
	enum cel_loop loop = looping->expr->loop;
	struct cel_value value;

	if (!is_accepted(looping, inner))
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

/* The cost of the code around the body of a loop, as kube-apiserver counts it: the name of the result;
 * per element that is kept, and per other element; and the condition, which is evaluated once more
 * after an element has decided. */
static const struct {
	uint64_t result, kept, skipped, decided;
} loop_costs[] = {
	[LOOP_ALL] = {1, 3, 3, 2},
	[LOOP_EXISTS] = {1, 4, 4, 3},
	[LOOP_EXISTS_ONE] = {2, 2, 0, 0},
	[LOOP_MAP] = {1, 2 + CEL_COST_LIST, 0, 0},
	[LOOP_FILTER] = {1, 3 + CEL_COST_LIST, 0, 0},
	[LOOP_TRANSFORM_MAP] = {1, 3, 0, 0},
	[LOOP_TRANSFORM_ENTRY] = {1, 3, 0, 0},
};

static struct cel_value evaluate_loop(const struct cel_expr *expr, const struct scope *scope)
{
	struct cel_run *run = scope->run;
	struct cel_value of = evaluate(expr->of, scope);
	struct looping looping = {.expr = expr, .error = {.kind = CEL_NULL}};
	struct cel_iter it = cel_iter(&of);

	if (of.kind != CEL_LIST && !is_map(&of))
		return of.kind == CEL_ERROR ? of : CEL_NO_OVERLOAD;
	cel_charge(run, loop_costs[expr->loop].result);
	if (expr->loop >= LOOP_MAP) {
		looping.made = cel_alloc_items(run, 2 * cel_len(&of));
		if (!looping.made)
			return cel_cancelled();
	}
	while (cel_next(&it, run)) {
		struct bound one = {.name = expr->name, .up = scope->bound};
		struct bound two = {.name = expr->name2, .up = &one};
		struct scope inner = *scope;
		struct cel_value decided;
		size_t kept = looping.made_len + looping.good;

		if (it.value.kind == CEL_ERROR)
			return it.value;
		one.value = expr->name2.len || of.kind != CEL_LIST ? it.key : it.value;
		two.value = it.value;
		inner.bound = expr->name2.len ? &two : &one;
		if (take_element(&looping, &inner, &it.key, &one.value, &decided)) {
			cel_charge(run,
				   loop_costs[expr->loop].kept + loop_costs[expr->loop].decided);
			return decided;
		}
		cel_charge(run, looping.made_len + looping.good > kept
					? loop_costs[expr->loop].kept
					: loop_costs[expr->loop].skipped);
	}
	return run->over ? cel_cancelled() : end_loop(&looping);
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
	if (scope->run->over)
		return cel_cancelled();
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

struct cel_value cel_evaluate(const struct cel_rule *rule, const struct cel_input *input,
			      struct arena *arena, uint64_t *ret_cost)
{
	AUTO(cel_run_done) struct cel_run run = {.arena = arena};
	struct scope scope = {.run = &run, .self = cel_value_of(input->self, input->type, &run)};
	struct cel_value made;

	scope.old = cel_value_of(input->old, input->type, &run);
	if (input->optional_old)
		scope.old = json_is_absent(input->old) ? cel_none() : cel_some(&scope.old, arena);
	made = evaluate(rule->expr, &scope);
	*ret_cost = cel_run_cost(&run);
	return run.over ? cel_cancelled() : made;
}
