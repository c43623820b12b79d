/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_cost.c - the most that a rule can cost.
 *
 * Counted as kube-apiserver counts it, because the limit decides which definitions are accepted: a
 * name or a member costs 1, a call 1 or a fraction of the size that it reads, making a list 10,
 * making a map 30, and a loop its body times the most elements. The sizes of literals are known,
 * those of data come from the schema; any other size counts as unlimited. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "cel/cel_internal.h"

#include "base/banned.h"

#define UNBOUNDED UINT64_MAX

enum { COST_FORMAT = 32 };

/* What is known about an expression. */
struct estimate {
	uint64_t cost;
	bool sized;
	uint64_t min, max;           /* size */
	const struct cel_type *data; /* from the schema, if it is a part of the object */
	bool has_entry;
	uint64_t entry_max; /* largest size of an element of a made list */
};

struct local {
	struct str name;
	struct estimate as;
	const struct local *up;
};

struct coster {
	const struct cel_type *self;
	const struct local *locals;
};

static struct estimate estimate(const struct coster *c, const struct cel_expr *expr);

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UNBOUNDED - b ? UNBOUNDED : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return b && a > UNBOUNDED / b ? UNBOUNDED : a * b;
}

static uint64_t part(uint64_t size, double factor)
{
	double made = ceil((double)size * factor);

	return made >= 18446744073709551616.0 ? UNBOUNDED : (uint64_t)made;
}

static uint64_t max_size(const struct estimate *of)
{
	return of->sized ? of->max : UNBOUNDED;
}

static uint64_t min_size(const struct estimate *of)
{
	return of->sized ? of->min : 0;
}

static void set_size(struct estimate *of, uint64_t min, uint64_t max)
{
	of->sized = true;
	of->min = min;
	of->max = max;
}

static void set_data(struct estimate *of, const struct cel_type *data)
{
	of->data = data;
	if (data)
		set_size(of, 0, data->max_elements);
}

static bool is_scalar(const struct cel_type *type)
{
	return type && (type->kind == CEL_BOOL || type->kind == CEL_INT || type->kind == CEL_UINT ||
			type->kind == CEL_DOUBLE || type->kind == CEL_DURATION ||
			type->kind == CEL_TIMESTAMP || type->kind == CEL_TYPE);
}

static struct estimate estimate_literal(const struct cel_expr *expr)
{
	struct estimate made = {.cost = 0};
	uint64_t size = 1;

	if (expr->literal.kind == CEL_STRING || expr->literal.kind == CEL_BYTES) {
		size = expr->literal.kind == CEL_BYTES ? expr->literal.text.len : 0;
		for (size_t i = 0; expr->literal.kind == CEL_STRING && i < expr->literal.text.len;
		     i++)
			size += (expr->literal.text.ptr[i] & 0xc0) != 0x80;
	}
	set_size(&made, size, size);
	return made;
}

static struct estimate estimate_name(const struct coster *c, const struct cel_expr *expr)
{
	struct estimate made = {.cost = 1};

	for (const struct local *local = c->locals; local; local = local->up)
		if (str_eq(local->name, expr->name)) {
			made = local->as;
			made.cost = 1;
			return made;
		}
	set_data(&made, c->self);
	return made;
}

static struct estimate estimate_select(const struct coster *c, const struct cel_expr *expr)
{
	struct estimate of = estimate(c, expr->of);
	struct estimate made = {.cost = of.cost};
	const struct cel_type *data = NULL;

	if (expr->form == CEL_HAS) {
		set_size(&made, 1, 1);
		return made;
	}
	if (expr->optional || !expr->of->type || expr->of->type->kind == CEL_MAP ||
	    expr->of->type->kind == CEL_OBJECT || expr->of->type->kind == CEL_PARAM)
		made.cost = add(made.cost, 1);
	for (size_t i = 0; of.data && i < of.data->field_count; i++)
		if (str_eq(of.data->fields[i].key, expr->name))
			data = of.data->fields[i].type;
	set_data(&made, data);
	if (!data && is_scalar(expr->type))
		set_size(&made, 1, 1);
	return made;
}

static struct estimate estimate_made(const struct coster *c, const struct cel_expr *expr)
{
	struct estimate made = {.cost = expr->form == CEL_LISTING ? CEL_COST_LIST : CEL_COST_MAP,
				.has_entry = true};
	uint64_t count = 0;

	for (const struct cel_expr *e = expr->args; e; e = e->next) {
		struct estimate one = estimate(c, e);

		made.cost = add(made.cost, one.cost);
		if (max_size(&one) > made.entry_max)
			made.entry_max = max_size(&one);
		count++;
	}
	if (expr->form == CEL_MAPPING)
		count /= 2;
	set_size(&made, count, count);
	return made;
}

/* --- loops ----------------------------------------------------------------------------------- */

static struct estimate element_of(const struct estimate *range, const struct cel_expr *loop,
				  bool key)
{
	struct estimate made = {.cost = 0};
	bool list = !range->data || range->data->kind == CEL_LIST;

	if (range->data && (!key || (list && !loop->name2.len)))
		set_data(&made, range->data->of);
	else if (range->data && !list)
		set_data(&made, range->data->key);
	else if (range->has_entry)
		set_size(&made, 0, range->entry_max);
	return made;
}

/* The cost per element of the code that the macro adds around the body. */
static uint64_t step_cost(const struct cel_expr *loop, uint64_t condition, uint64_t body)
{
	switch (loop->loop) {
	case LOOP_ALL:
		return add(body, 3); /* not_strictly_false(result), result && body */
	case LOOP_EXISTS:
		return add(body, 4);
	case LOOP_EXISTS_ONE:
		return add(body, 2); /* body ? result + 1 : result */
	case LOOP_FILTER:
		return add(body, 13); /* body ? result + [element] : result */
	case LOOP_TRANSFORM_MAP:
	case LOOP_TRANSFORM_ENTRY:
		return add(add(condition, body), 3);
	default:
		return add(add(condition, body), 12); /* result + [body] */
	}
}

static struct estimate estimate_loop(const struct coster *c, const struct cel_expr *expr)
{
	struct estimate range = estimate(c, expr->of);
	struct local one = {.name = expr->name, .up = c->locals};
	struct local two = {.name = expr->name2, .up = &one};
	struct coster inner = {c->self, expr->name2.len ? &two : &one};
	struct estimate condition = {.cost = 0};
	struct estimate body;
	struct estimate made = {.cost = range.cost};
	bool makes = expr->loop == LOOP_MAP || expr->loop == LOOP_FILTER;

	one.as = element_of(&range, expr, true);
	two.as = element_of(&range, expr, false);
	if (expr->args)
		condition = estimate(&inner, expr->args);
	body = estimate(&inner, expr->step);
	if (expr->loop >= LOOP_OPTIONAL) {
		made.cost = add(made.cost, add(body.cost, CEL_COST_LIST));
		return made;
	}
	made.cost = add(made.cost, makes                              ? CEL_COST_LIST
				   : expr->loop >= LOOP_TRANSFORM_MAP ? CEL_COST_MAP
								      : 0);
	made.cost = add(made.cost, expr->loop == LOOP_EXISTS_ONE ? 2 : 1);
	made.cost =
		add(made.cost, times(max_size(&range), step_cost(expr, condition.cost, body.cost)));
	if (makes) {
		set_size(&made, min_size(&range), max_size(&range));
		made.has_entry = true;
		made.entry_max = max_size(expr->loop == LOOP_MAP ? &body : &one.as);
	} else {
		set_size(&made, 1, 1);
	}
	return made;
}

/* --- calls ----------------------------------------------------------------------------------- */

struct arguments {
	struct estimate of[CEL_ARGS_MAX];
	size_t count;
	uint64_t cost; /* of all */
};

/* A tenth of a text; for a list, 1 per element and a tenth of its texts. */
static uint64_t traverse(const struct cel_expr *expr, const struct estimate *of)
{
	const struct cel_expr *first = expr->of ? expr->of : expr->args;
	uint64_t element = 1;

	assert(first);
	if (first->type->kind == CEL_STRING || first->type->kind == CEL_BYTES)
		return part(max_size(of), 0.1);
	if (of->data && of->data->of &&
	    (of->data->of->kind == CEL_STRING || of->data->of->kind == CEL_BYTES))
		element = add(element, part(of->data->of->max_elements, 0.1));
	return times(max_size(of), element);
}

static uint64_t match_cost(const struct arguments *args)
{
	return times(part(add(max_size(&args->of[0]), 1), 0.1), part(max_size(&args->of[1]), 0.25));
}

static uint64_t equal_cost(const struct cel_expr *expr, const struct arguments *args)
{
	uint64_t left = max_size(&args->of[0]);
	uint64_t right = max_size(&args->of[1]);
	const struct cel_type *type = expr->args ? expr->args->type : NULL;
	bool ordered = expr->name.ptr[1] == '<' || expr->name.ptr[1] == '>';

	/* comparing anything but texts is one step */
	if (ordered && type && type->kind != CEL_STRING && type->kind != CEL_BYTES &&
	    type->kind != CEL_DYN && type->kind != CEL_PARAM)
		return 1;
	return part(left < right ? left : right, 0.1);
}

static void estimate_sum(const struct cel_expr *expr, const struct arguments *args,
			 struct estimate *made)
{
	enum cel_kind kind = expr->type ? expr->type->kind : CEL_DYN;

	if (kind != CEL_STRING && kind != CEL_BYTES && kind != CEL_LIST && kind != CEL_DYN) {
		made->cost = add(made->cost, 1);
		set_size(made, 1, 1);
		return;
	}
	set_size(made, add(min_size(&args->of[0]), min_size(&args->of[1])),
		 add(max_size(&args->of[0]), max_size(&args->of[1])));
	made->has_entry = args->of[0].has_entry && args->of[1].has_entry;
	made->entry_max = args->of[0].entry_max > args->of[1].entry_max ? args->of[0].entry_max
									: args->of[1].entry_max;
	made->cost = add(made->cost, kind == CEL_LIST ? 1 : part(made->max, 0.1));
}

static void estimate_choice(const struct arguments *args, struct estimate *made)
{
	const struct estimate *yes = &args->of[1];
	const struct estimate *no = &args->of[2];

	made->cost = add(args->of[0].cost, yes->cost > no->cost ? yes->cost : no->cost);
	set_size(made, min_size(yes) < min_size(no) ? min_size(yes) : min_size(no),
		 max_size(yes) > max_size(no) ? max_size(yes) : max_size(no));
}

static void estimate_index(const struct arguments *args, struct estimate *made)
{
	const struct estimate *of = &args->of[0];

	made->cost = add(made->cost, 1);
	if (of->data)
		set_data(made, of->data->of);
	else if (of->has_entry)
		set_size(made, 0, of->entry_max);
}

static void estimate_join(const struct arguments *args, struct estimate *made)
{
	const struct estimate *list = &args->of[0];
	uint64_t size = 0;

	if (list->data && list->data->of)
		size = times(max_size(list), list->data->of->max_elements);
	else if (list->has_entry)
		size = times(max_size(list), list->entry_max);
	if (args->count > 1 && max_size(list))
		size = add(size, times(max_size(&args->of[1]), max_size(list) - 1));
	set_size(made, 0, size);
	made->cost = add(made->cost, part(size, 0.1));
}

/* The size of the result of replace(): as many of the longest replacement as possible. Also its
 * smallest size, which limits how often something can be replaced in the result. */
static void estimate_replace(const struct arguments *args, struct estimate *made)
{
	const struct estimate *of = &args->of[0];
	const struct estimate *from = &args->of[1];
	const struct estimate *to = &args->of[2];
	uint64_t count[2] = {0, 0}; /* least and most */
	uint64_t rest[2] = {0, 0};

	if (min_size(from) ==
	    0) { /* the empty text matches before every character and at the end */
		count[1] = add(max_size(of), 1);
		rest[1] = max_size(of);
	} else if (max_size(to) <= min_size(from)) {
		rest[1] = max_size(of);
	} else {
		count[1] = part(max_size(of), 1.0 / (double)min_size(from));
	}
	if (max_size(from) == 0) {
		count[0] = add(min_size(of), 1);
		rest[0] = min_size(of);
	} else if (max_size(from) <= min_size(to)) {
		rest[0] = min_size(of);
	} else {
		count[0] = part(min_size(of), 1.0 / (double)max_size(from));
	}
	set_size(made, add(times(count[0], min_size(to)), rest[0]),
		 add(times(count[1], max_size(to)), rest[1]));
}

static bool is_in_map(const struct cel_expr *expr)
{
	return expr->args && expr->args->next && expr->args->next->type->kind == CEL_MAP;
}

static void price(const struct cel_expr *expr, const struct arguments *args, struct estimate *made)
{
	uint64_t first = args->count ? max_size(&args->of[0]) : 0;
	uint64_t second = args->count > 1 ? max_size(&args->of[1]) : 0;

	switch (expr->call->price) {
	case PRICE_TEXT:
		made->cost = add(made->cost, part(first, 0.1));
		return;
	case PRICE_TEXT_SIZE:
		set_size(made, 0, first);
		made->cost = add(made->cost, part(first, 0.1));
		return;
	case PRICE_TWICE:
		if (str_is(expr->name, "replace"))
			estimate_replace(args, made);
		else
			set_size(made, 0, first);
		made->cost = add(made->cost, part(first, 0.2));
		return;
	case PRICE_SECOND:
		made->cost = add(made->cost, part(second, 0.1));
		return;
	case PRICE_FORMAT:
		made->cost = add(made->cost, part(part(second, 0.1), COST_FORMAT));
		return;
	case PRICE_LIST:
		made->cost = add(made->cost, traverse(expr, &args->of[0]));
		return;
	case PRICE_MATCH:
		made->cost = add(made->cost, match_cost(args));
		return;
	case PRICE_CONTAINS:
		made->cost = add(made->cost, times(part(first, 0.1), part(second, 0.1)));
		return;
	case PRICE_EQUAL:
		made->cost = add(made->cost, equal_cost(expr, args));
		return;
	case PRICE_ADD:
		estimate_sum(expr, args, made);
		return;
	case PRICE_IN:
		made->cost = add(made->cost, is_in_map(expr) ? 1 : second);
		return;
	case PRICE_LOGIC:
		return;
	case PRICE_CHOICE:
		estimate_choice(args, made);
		return;
	case PRICE_INDEX:
		estimate_index(args, made);
		return;
	case PRICE_JOIN:
		estimate_join(args, made);
		return;
	case PRICE_DYN:
		*made = args->of[0];
		made->cost = add(made->cost, 1);
		return;
	case PRICE_ONE:
		made->cost = add(made->cost, 1);
		return;
	}
}

static struct estimate estimate_call(const struct coster *c, const struct cel_expr *expr)
{
	struct arguments args = {.count = 0};
	struct estimate made;

	if (expr->of)
		args.of[args.count++] = estimate(c, expr->of);
	for (const struct cel_expr *e = expr->args; e && args.count < CEL_ARGS_MAX; e = e->next)
		args.of[args.count++] = estimate(c, e);
	for (size_t i = 0; i < args.count; i++)
		args.cost = add(args.cost, args.of[i].cost);
	made = (struct estimate){.cost = args.cost};
	price(expr, &args, &made);
	if (!made.sized && is_scalar(expr->type))
		set_size(&made, 1, 1);
	return made;
}

static struct estimate estimate(const struct coster *c, const struct cel_expr *expr)
{
	switch (expr->form) {
	case CEL_LITERAL:
		return estimate_literal(expr);
	case CEL_IDENT:
		return estimate_name(c, expr);
	case CEL_SELECT:
	case CEL_HAS:
		return estimate_select(c, expr);
	case CEL_CALL:
		return estimate_call(c, expr);
	case CEL_LISTING:
	case CEL_MAPPING:
		return estimate_made(c, expr);
	case CEL_LOOP:
		return estimate_loop(c, expr);
	case CEL_MAYBE:
		return estimate(c, expr->of);
	}
	return (struct estimate){.cost = 0};
}

uint64_t cel_cost(const struct cel_rule *rule, const struct cel_type *self)
{
	struct coster c = {self, NULL};

	return estimate(&c, rule->expr).cost;
}
