/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/schema_rule_eval.c - does a parsed rule hold?
 *
 * An error while evaluating (a member that is not there) spreads as in CEL: `false && error` is
 * false, `true || error` is true. */
#include <string.h>

#include "apiserver/schema_internal.h"
#include "apiserver/schema_rule.h"

#include "base/banned.h"

struct scope {
	struct json self;
	struct json old;
	const struct variable *variables;
	size_t *budget; /* elements that macros may still look at: loops in loops must end */
	struct scratch *scratch;
};

enum { BUDGET = 1000 * 1000 };

static struct value evaluate(const struct expr *expr, const struct scope *scope);

struct value value_of(struct json json)
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

bool value_is_number(const struct value *value)
{
	return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

bool value_eq(const struct value *a, const struct value *b)
{
	if (value_is_number(a) && value_is_number(b))
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

int value_cmp(const struct value *a, const struct value *b)
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

	if (!(value_is_number(a) && value_is_number(b)) &&
	    !(a->kind == VALUE_STR && b->kind == VALUE_STR))
		return value_error(STR("no such overload"));
	order = value_cmp(a, b);
	return value_bool((op == OP_LT && order < 0) || (op == OP_LE && order <= 0) ||
			  (op == OP_GT && order > 0) || (op == OP_GE && order >= 0));
}

static struct value sum_real(enum op op, double a, double b)
{
	struct value made = {.kind = VALUE_REAL};

	switch (op) {
	case OP_ADD:
		made.real = a + b;
		break;
	case OP_SUBTRACT:
		made.real = a - b;
		break;
	case OP_MULTIPLY:
		made.real = a * b;
		break;
	case OP_DIVIDE:
		made.real = a / b;
		break;
	default:
		return value_error(STR("no such overload"));
	}
	return made;
}

static struct value sum_int(enum op op, int64_t a, int64_t b)
{
	int64_t made = 0;
	bool over = false;

	if ((op == OP_DIVIDE || op == OP_MODULO) && b == 0)
		return value_error(op == OP_DIVIDE ? STR("division by zero")
						   : STR("modulus by zero"));
	if ((op == OP_DIVIDE || op == OP_MODULO) && a == INT64_MIN && b == -1)
		return value_error(STR("integer overflow"));
	if (op == OP_ADD)
		over = __builtin_add_overflow(a, b, &made);
	else if (op == OP_SUBTRACT)
		over = __builtin_sub_overflow(a, b, &made);
	else if (op == OP_MULTIPLY)
		over = __builtin_mul_overflow(a, b, &made);
	else
		made = op == OP_DIVIDE ? a / b : a % b;
	return over ? value_error(STR("integer overflow")) : value_int(made);
}

struct value value_sum(enum op op, const struct value *a, const struct value *b)
{
	if (!value_is_number(a) || !value_is_number(b))
		return value_error(STR("no such overload"));
	return a->kind == VALUE_INT && b->kind == VALUE_INT ? sum_int(op, a->number, b->number)
							    : sum_real(op, as_real(a), as_real(b));
}

/* --- what is made ---------------------------------------------------------------------------- */

struct json_doc *scratch_doc(struct scratch *scratch)
{
	if (!scratch->doc)
		scratch->doc = json_doc_new();
	return scratch->doc;
}

static struct json json_of(struct scratch *scratch, const struct value *value)
{
	struct json_doc *doc = scratch_doc(scratch);

	switch (value->kind) {
	case VALUE_BOOL:
		return json_new_bool(doc, value->truth);
	case VALUE_INT:
		return json_new_int(doc, value->number);
	case VALUE_REAL:
		return json_new_real(doc, value->real);
	case VALUE_STR:
		return json_new_str(doc, value->text);
	case VALUE_JSON:
		return json_new_copy(doc, value->json);
	default:
		return json_new_null(doc);
	}
}

/* Numbers, two texts, or two lists. */
static struct value evaluate_add(const struct value *a, const struct value *b,
				 struct scratch *scratch)
{
	struct json_doc *doc;

	if (a->kind == VALUE_STR && b->kind == VALUE_STR) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		buf_put_str(&text, a->text);
		buf_put_str(&text, b->text);
		return value_of(json_new_str(scratch_doc(scratch), buf_str(&text)));
	}
	if (a->kind != VALUE_JSON || b->kind != VALUE_JSON || !json_is(a->json, JSON_ARR) ||
	    !json_is(b->json, JSON_ARR))
		return value_sum(OP_ADD, a, b);
	doc = scratch_doc(scratch);
	struct json list = json_new_copy(doc, a->json);
	struct json_iter it = json_iter(b->json);

	while (json_next(&it))
		json_append(doc, list, json_new_copy(doc, it.value));
	return value_of(list);
}

static struct value evaluate_list(const struct expr *expr, const struct scope *scope)
{
	struct json_doc *doc = scratch_doc(scope->scratch);
	struct json list = json_new_arr(doc);

	for (const struct expr *e = expr->parts[0]; e; e = e->next) {
		struct value element = evaluate(e, scope);

		if (element.kind == VALUE_ERROR)
			return element;
		json_append(doc, list, json_of(scope->scratch, &element));
	}
	return value_of(list);
}

static struct value evaluate_call(const struct expr *expr, const struct scope *scope)
{
	struct value args[RULE_ARGS_MAX] = {0};
	size_t count = 0;

	for (const struct expr *e = expr->parts[0]; e; e = e->next) {
		args[count] = evaluate(e->parts[0], scope);
		if (args[count].kind == VALUE_ERROR)
			return args[count];
		count++;
	}
	return expr->call->fn(scope->scratch, args, count);
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

static struct value evaluate_variable(const struct expr *expr, const struct scope *scope)
{
	const struct variable *found = find_variable(scope->variables, expr->name);

	return found ? found->value : value_error(expr->name);
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

static void keep_element(struct json list, const struct value *element, bool wanted,
			 struct scratch *scratch)
{
	if (wanted)
		json_append(scratch_doc(scratch), list, json_of(scratch, element));
}

/* As in CEL, an element that decides does so whatever others cannot say; of exactly one, all must. */
static struct value evaluate_macro(const struct expr *expr, const struct scope *scope)
{
	struct value of = evaluate(expr->parts[0], scope);
	struct value error = {.kind = VALUE_BOOL};
	bool makes = expr->op == OP_FILTER || expr->op == OP_MAP;
	struct json list = makes ? json_new_arr(scratch_doc(scope->scratch)) : JSON_NONE;
	struct json_iter it = json_iter(of.json);
	size_t good = 0;

	if (of.kind != VALUE_JSON)
		return of.kind == VALUE_ERROR ? of : value_error(STR("no such overload"));
	while (json_next(&it)) {
		struct variable bound = {.name = expr->name, .up = scope->variables};
		struct scope inner = {scope->self, scope->old, &bound, scope->budget,
				      scope->scratch};
		struct value value;

		if (!*scope->budget)
			return value_error(STR("operation cancelled: actual cost limit exceeded"));
		--*scope->budget;
		bound.value = it.object ? (struct value){.kind = VALUE_STR, .text = it.key}
					: value_of(it.value);
		value = evaluate(expr->parts[1], &inner);
		if (expr->op == OP_MAP && value.kind != VALUE_ERROR)
			json_append(scratch_doc(scope->scratch), list,
				    json_of(scope->scratch, &value));
		else if (expr->op == OP_FILTER && value.kind == VALUE_BOOL)
			keep_element(list, &bound.value, value.truth, scope->scratch);
		else if (value.kind != VALUE_BOOL)
			error = value.kind == VALUE_ERROR ? value
							  : value_error(STR("no such overload"));
		else if (expr->op != OP_EXISTS_ONE && value.truth == (expr->op == OP_EXISTS))
			return value;
		else
			good += value.truth;
	}
	if (error.kind == VALUE_ERROR)
		return error;
	if (makes)
		return value_of(list);
	return value_bool(expr->op == OP_ALL || (expr->op == OP_EXISTS_ONE && good == 1));
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
		return evaluate_add(&a, &b, scope->scratch);
	case OP_SUBTRACT:
	case OP_MULTIPLY:
	case OP_DIVIDE:
	case OP_MODULO:
		return value_sum(expr->op, &a, &b);
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
	if (expr->op == OP_MATCHES && of.kind == VALUE_STR)
		return value_bool(schema_pattern_matches(expr->pattern, of.text));
	if (expr->op == OP_MINUS)
		return value_sum(OP_SUBTRACT, &zero, &of);
	if (of.kind != VALUE_BOOL || expr->op == OP_MATCHES)
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
	case OP_VARIABLE:
		return evaluate_variable(expr, scope);
	case OP_ALL:
	case OP_EXISTS:
	case OP_EXISTS_ONE:
	case OP_FILTER:
	case OP_MAP:
		return evaluate_macro(expr, scope);
	case OP_CALL:
		return evaluate_call(expr, scope);
	case OP_MEMBER:
		return evaluate_member(expr, scope);
	case OP_HAS:
		return evaluate_has(expr, scope);
	case OP_NOT:
	case OP_MINUS:
	case OP_SIZE:
	case OP_MATCHES:
	case OP_IF:
		return evaluate_one(expr, scope);
	case OP_AND:
	case OP_OR:
		return evaluate_logic(expr, scope);
	case OP_LIST:
		return evaluate_list(expr, scope);
	default:
		return evaluate_pair(expr, scope);
	}
}

bool schema_rule_holds(const struct schema_rule *rule, struct json self, struct json old,
		       struct str *ret_error)
{
	size_t budget = BUDGET;
	struct scratch scratch = {0};
	struct scope scope = {self, old, NULL, &budget, &scratch};
	struct value value = evaluate(rule->expr, &scope);

	*ret_error = value.kind == VALUE_ERROR ? value.text : str_none();
	json_doc_unref(scratch.doc);
	return value.kind == VALUE_BOOL && value.truth;
}

bool schema_rule_print_message(const struct schema_rule *rule, struct json self, struct json old,
			       struct buf *to)
{
	size_t budget = BUDGET;
	struct scratch scratch = {0};
	struct scope scope = {self, old, NULL, &budget, &scratch};
	struct value value = {.kind = VALUE_NULL};
	bool good;

	if (rule->message_expr)
		value = evaluate(rule->message_expr, &scope);
	good = value.kind == VALUE_STR && str_trim(value.text).len &&
	       str_find_byte(str_trim(value.text), '\n', 0) < 0;
	if (good)
		buf_put_str(to, str_trim(value.text));
	json_doc_unref(scratch.doc);
	return good;
}
