/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_price.c - what a call of a rule costs while it is evaluated.
 *
 * Counted as kube-apiserver counts it (cel_cost.c has the same prices before there is data): a call is 1,
 * or a tenth of the characters that it reads. Sizes of texts are their bytes here: counting characters
 * would be a walk that is not charged. If the price does not depend on a text that is read, reading it
 * counts as work. */
#include "cel/cel_internal.h"

#include "base/banned.h"

/* A part of a size, rounded up. */
static uint64_t part(uint64_t size, uint64_t of)
{
	return size / of + (size % of != 0);
}

bool cel_is_constant(const struct cel_expr *expr)
{
	if (expr->form == CEL_LITERAL)
		return true;
	if (expr->form != CEL_LISTING && expr->form != CEL_MAPPING)
		return false;
	for (const struct cel_expr *e = expr->args; e; e = e->next)
		if (!cel_is_constant(e))
			return false;
	return true;
}

static bool is_text(const struct cel_value *value)
{
	return value->kind == CEL_STRING || value->kind == CEL_BYTES;
}

static uint64_t size_of(const struct cel_value *value)
{
	if (is_text(value))
		return value->text.len;
	if (value->kind == CEL_LIST || value->kind == CEL_MAP || value->kind == CEL_OBJECT)
		return cel_len(value);
	return 1;
}

/* The price of all that a value contains: a tenth of texts, 1 for any other scalar. */
static uint64_t traverse(struct cel_run *run, const struct cel_value *value)
{
	struct cel_iter it = cel_iter(value);
	uint64_t cost = 0;

	if (is_text(value))
		return value->text.len / 10;
	if (value->kind != CEL_LIST && value->kind != CEL_MAP && value->kind != CEL_OBJECT)
		return 1;
	while (cel_next(&it, run)) {
		if (value->kind != CEL_LIST)
			cost += traverse(run, &it.key);
		cost += traverse(run, &it.value);
	}
	return cost;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t made;

	return __builtin_mul_overflow(a, b, &made) ? UINT64_MAX : made;
}

/* Addresses and networks: their bytes are compared; a text is parsed first. */
static uint64_t price_contains_address(const struct cel_expr *call, const struct cel_value *args)
{
	bool network = str_is(call->name, "containsCIDR");
	uint64_t cost = network ? 3 : 1;

	return cost + (args[1].kind == CEL_STRING ? part(args[1].text.len, 10) : 0);
}

static uint64_t price_sum(const struct cel_value *args)
{
	return is_text(&args[0]) ? part(size_of(&args[0]) + size_of(&args[1]), 10) : 1;
}

static uint64_t price_equal(const struct cel_expr *call, const struct cel_value *args)
{
	bool ordered = call->name.ptr[1] == '<' || call->name.ptr[1] == '>';
	uint64_t left = size_of(&args[0]);
	uint64_t right = size_of(&args[1]);

	return ordered && !is_text(&args[0]) ? 1 : part(left < right ? left : right, 10);
}

/* Sets: every element of one against every element of the other. */
static uint64_t price_one(const struct cel_expr *call, const struct cel_value *args, size_t count)
{
	if (count == 2 && str_starts(call->name, STR("sets.")))
		return 1 + product(product(size_of(&args[0]), size_of(&args[1])),
				   str_is(call->name, "sets.equivalent") ? 2 : 1);
	return 1;
}

static uint64_t price_of(struct cel_run *run, const struct cel_expr *call,
			 const struct cel_value *args, size_t count, const struct cel_value *result)
{
	switch (call->call->price) {
	case PRICE_LOGIC:
	case PRICE_CHOICE:
		return 0;
	case PRICE_TEXT:
	case PRICE_TEXT_SIZE:
		return is_text(&args[0]) ? part(args[0].text.len, 10) : 1;
	case PRICE_TWICE:
		return part(2 * size_of(&args[0]), 10);
	case PRICE_SECOND: /* at evaluation the first one, as in kube-apiserver */
		if (str_starts(call->name, STR("contains")))
			return price_contains_address(call, args);
		return part(size_of(&args[0]), 10);
	case PRICE_FORMAT:
		return part(product(size_of(&args[1]), 32), 10);
	case PRICE_LIST:
		return traverse(run, &args[0]);
	case PRICE_MATCH:
		return product(part(size_of(&args[0]) + 1, 10), part(size_of(&args[1]), 4));
	case PRICE_CONTAINS:
		return product(part(size_of(&args[0]), 10), part(size_of(&args[1]), 10));
	case PRICE_EQUAL:
		return price_equal(call, args);
	case PRICE_ADD:
		return price_sum(args);
	case PRICE_IN: /* a list of constants is a set */
		if (call->args && call->args->next && cel_is_constant(call->args->next))
			return 0;
		return args[1].kind == CEL_LIST ? size_of(&args[1]) : 1;
	case PRICE_JOIN:
		return result->kind == CEL_STRING ? part(2 * result->text.len, 10) : 1;
	case PRICE_DYN:
	case PRICE_INDEX:
		return 1;
	case PRICE_ONE:
		return price_one(call, args, count);
	}
	return 1;
}

void cel_price(struct cel_run *run, const struct cel_expr *call, const struct cel_value *args,
	       size_t count, const struct cel_value *result)
{
	cel_charge(run, price_of(run, call, args, count, result));
	if (call->call->price == PRICE_EQUAL) /* cel_equal() itself counts what it has compared */
		return;
	for (size_t i = 0; i < count; i++)
		cel_work(run, args[i].text.len / READ_PER_UNIT);
}
