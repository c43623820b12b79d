/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/schema_rule_calls.c - the functions that rules call, one row each.
 *
 * Texts are handled as bytes: where a function counts characters beyond ASCII it gives an error, and
 * so the rule does not hold, rather than count wrongly. Durations and times are nanoseconds;
 * a quantity is its canonical text, so that equal ones are equal. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "apiserver/schema_rule.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/number.h"
#include "base/time.h"
#include "model/duration.h"
#include "model/names.h"
#include "model/quantity.h"

#include "base/banned.h"

#define NO_OVERLOAD value_error(STR("no such overload"))

enum { NS_PER_US = 1000 };

/* --- texts ----------------------------------------------------------------------------------- */

static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	return true;
}

static struct value text_of(struct scratch *scratch, struct buf *buf)
{
	struct json made = json_new_str(scratch_doc(scratch), buf_str(buf));

	return (struct value){.kind = VALUE_STR, .text = json_str(made)};
}

static struct value change_case(struct scratch *scratch, struct str text, int (*to)(int c))
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;

	for (size_t i = 0; i < text.len; i++)
		buf_putc(&made, (unsigned char)text.ptr[i] < 0x80
					? (char)to((unsigned char)text.ptr[i])
					: text.ptr[i]);
	return text_of(scratch, &made);
}

static struct value call_lower(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)count;
	return args[0].kind == VALUE_STR ? change_case(scratch, args[0].text, tolower)
					 : NO_OVERLOAD;
}

static struct value call_upper(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)count;
	return args[0].kind == VALUE_STR ? change_case(scratch, args[0].text, toupper)
					 : NO_OVERLOAD;
}

static struct value call_trim(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)scratch;
	(void)count;
	if (args[0].kind != VALUE_STR)
		return NO_OVERLOAD;
	return (struct value){.kind = VALUE_STR, .text = str_trim(args[0].text)};
}

static struct value call_split(struct scratch *scratch, const struct value *args, size_t count)
{
	struct json_doc *doc = scratch_doc(scratch);
	struct json list = json_new_arr(doc);
	struct str rest = args[0].text;
	ptrdiff_t at;

	(void)count;
	if (args[0].kind != VALUE_STR || args[1].kind != VALUE_STR || !args[1].text.len)
		return NO_OVERLOAD;
	while ((at = str_find(rest, args[1].text, 0)) >= 0) {
		json_append(doc, list, json_new_str(doc, str_slice(rest, 0, (size_t)at)));
		rest = str_skip(rest, (size_t)at + args[1].text.len);
	}
	json_append(doc, list, json_new_str(doc, rest));
	return value_of(list);
}

static struct value call_join(struct scratch *scratch, const struct value *args, size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	struct json_iter it = json_iter(args[0].json);

	if (args[0].kind != VALUE_JSON || (count > 1 && args[1].kind != VALUE_STR))
		return NO_OVERLOAD;
	while (json_next(&it)) {
		if (!json_is(it.value, JSON_STR))
			return NO_OVERLOAD;
		if (it.index && count > 1)
			buf_put_str(&made, args[1].text);
		buf_put_str(&made, json_str(it.value));
	}
	return text_of(scratch, &made);
}

static struct value call_replace(struct scratch *scratch, const struct value *args, size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	struct str rest = args[0].text;
	ptrdiff_t at;

	(void)count;
	if (args[0].kind != VALUE_STR || args[1].kind != VALUE_STR || args[2].kind != VALUE_STR ||
	    !args[1].text.len)
		return NO_OVERLOAD;
	while ((at = str_find(rest, args[1].text, 0)) >= 0) {
		buf_put_str(&made, str_slice(rest, 0, (size_t)at));
		buf_put_str(&made, args[2].text);
		rest = str_skip(rest, (size_t)at + args[1].text.len);
	}
	buf_put_str(&made, rest);
	return text_of(scratch, &made);
}

static struct value call_substring(struct scratch *scratch, const struct value *args, size_t count)
{
	int64_t from = args[1].number;
	int64_t to = count > 2 ? args[2].number : (int64_t)args[0].text.len;

	(void)scratch;
	if (args[0].kind != VALUE_STR || args[1].kind != VALUE_INT || !is_ascii(args[0].text) ||
	    (count > 2 && args[2].kind != VALUE_INT))
		return NO_OVERLOAD;
	if (from < 0 || to < from || to > (int64_t)args[0].text.len)
		return value_error(STR("index out of range"));
	return (struct value){.kind = VALUE_STR,
			      .text = str_slice(args[0].text, (size_t)from, (size_t)to)};
}

/* Of a text in a text, or of an element in a list. */
static struct value call_index_of(struct scratch *scratch, const struct value *args, size_t count)
{
	struct json_iter it = json_iter(args[0].json);

	(void)scratch;
	(void)count;
	if (args[0].kind == VALUE_STR && args[1].kind == VALUE_STR && is_ascii(args[0].text))
		return value_int(str_find(args[0].text, args[1].text, 0));
	if (args[0].kind != VALUE_JSON)
		return NO_OVERLOAD;
	while (json_next(&it)) {
		struct value element = value_of(it.value);

		if (value_eq(&element, &args[1]))
			return value_int((int64_t)it.index);
	}
	return value_int(-1);
}

/* --- lists ----------------------------------------------------------------------------------- */

static bool can_order(const struct value *a, const struct value *b)
{
	return (value_is_number(a) && value_is_number(b)) ||
	       (a->kind == VALUE_STR && b->kind == VALUE_STR);
}

static struct value call_is_sorted(struct scratch *scratch, const struct value *args, size_t count)
{
	struct json_iter it = json_iter(args[0].json);
	struct value before = {.kind = VALUE_NULL};

	(void)scratch;
	(void)count;
	if (args[0].kind != VALUE_JSON)
		return NO_OVERLOAD;
	while (json_next(&it)) {
		struct value now = value_of(it.value);

		if (it.index && !can_order(&before, &now))
			return NO_OVERLOAD;
		if (it.index && value_cmp(&before, &now) > 0)
			return value_bool(false);
		before = now;
	}
	return value_bool(true);
}

static struct value call_sum(struct scratch *scratch, const struct value *args, size_t count)
{
	struct json_iter it = json_iter(args[0].json);
	struct value sum = value_int(0);

	(void)scratch;
	(void)count;
	if (args[0].kind != VALUE_JSON)
		return NO_OVERLOAD;
	while (json_next(&it)) {
		struct value now = value_of(it.value);

		sum = value_sum(OP_ADD, &sum, &now);
		if (sum.kind == VALUE_ERROR)
			return sum;
	}
	return sum;
}

static struct value find_end(const struct value *list, int sign)
{
	struct json_iter it = json_iter(list->json);
	struct value best = {.kind = VALUE_NULL};

	if (list->kind != VALUE_JSON)
		return NO_OVERLOAD;
	while (json_next(&it)) {
		struct value now = value_of(it.value);

		if (it.index && !can_order(&best, &now))
			return NO_OVERLOAD;
		if (!it.index || sign * value_cmp(&now, &best) > 0)
			best = now;
	}
	return best.kind == VALUE_NULL ? value_error(STR("min/max called on empty list")) : best;
}

static struct value call_min(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)scratch;
	(void)count;
	return find_end(&args[0], -1);
}

static struct value call_max(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)scratch;
	(void)count;
	return find_end(&args[0], 1);
}

/* --- from one kind to another ---------------------------------------------------------------- */

static struct value call_string(struct scratch *scratch, const struct value *args, size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;

	(void)count;
	switch (args[0].kind) {
	case VALUE_STR:
		return args[0];
	case VALUE_INT:
		buf_printf(&made, "%" PRId64, args[0].number);
		break;
	case VALUE_REAL:
		buf_printf(&made, "%g", args[0].real);
		break;
	case VALUE_BOOL:
		buf_puts(&made, args[0].truth ? "true" : "false");
		break;
	default:
		return NO_OVERLOAD;
	}
	return text_of(scratch, &made);
}

static struct value call_int(struct scratch *scratch, const struct value *args, size_t count)
{
	int64_t number;

	(void)scratch;
	(void)count;
	if (args[0].kind == VALUE_INT)
		return args[0];
	if (args[0].kind == VALUE_REAL && args[0].real > -9.2e18 && args[0].real < 9.2e18)
		return value_int((int64_t)args[0].real);
	if (args[0].kind != VALUE_STR || number_parse_i64(args[0].text, &number, NULL) < 0)
		return value_error(STR("type conversion error"));
	return value_int(number);
}

static struct value call_double(struct scratch *scratch, const struct value *args, size_t count)
{
	struct value made = {.kind = VALUE_REAL};

	(void)scratch;
	(void)count;
	if (value_is_number(&args[0]))
		made.real = args[0].kind == VALUE_INT ? (double)args[0].number : args[0].real;
	else if (args[0].kind != VALUE_STR ||
		 number_parse_double(args[0].text, &made.real, NULL) < 0)
		return value_error(STR("type conversion error"));
	return made;
}

static struct value call_dyn(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)scratch;
	(void)count;
	return args[0];
}

/* --- amounts and times ----------------------------------------------------------------------- */

static struct value call_is_quantity(struct scratch *scratch, const struct value *args,
				     size_t count)
{
	struct quantity quantity;

	(void)scratch;
	(void)count;
	return value_bool(args[0].kind == VALUE_STR &&
			  quantity_parse(args[0].text, &quantity, NULL) == 0);
}

static struct value call_quantity(struct scratch *scratch, const struct value *args, size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	char text[QUANTITY_TEXT_SIZE];
	struct quantity quantity;

	(void)count;
	if (args[0].kind != VALUE_STR || quantity_parse(args[0].text, &quantity, NULL) < 0)
		return value_error(STR("quantities must match the regular expression"));
	buf_puts(&made, quantity_canonical(&quantity, text));
	return text_of(scratch, &made);
}

/* -2: one of them is none. */
static int compare_amounts(const struct value *args)
{
	struct quantity a;
	struct quantity b;

	if (args[0].kind != VALUE_STR || args[1].kind != VALUE_STR ||
	    quantity_parse(args[0].text, &a, NULL) < 0 ||
	    quantity_parse(args[1].text, &b, NULL) < 0)
		return -2;
	int order = quantity_cmp(&a, &b);

	return order < 0 ? -1 : order > 0;
}

static struct value call_greater(struct scratch *scratch, const struct value *args, size_t count)
{
	int order = compare_amounts(args);

	(void)scratch;
	(void)count;
	return order == -2 ? NO_OVERLOAD : value_bool(order > 0);
}

static struct value call_less(struct scratch *scratch, const struct value *args, size_t count)
{
	int order = compare_amounts(args);

	(void)scratch;
	(void)count;
	return order == -2 ? NO_OVERLOAD : value_bool(order == -1);
}

static struct value call_compare(struct scratch *scratch, const struct value *args, size_t count)
{
	int order = compare_amounts(args);

	(void)scratch;
	(void)count;
	return order == -2 ? NO_OVERLOAD : value_int(order);
}

static struct value call_duration(struct scratch *scratch, const struct value *args, size_t count)
{
	int64_t nanoseconds;

	(void)scratch;
	(void)count;
	if (args[0].kind != VALUE_STR || duration_parse(args[0].text, &nanoseconds, NULL) < 0)
		return value_error(STR("type conversion error"));
	return value_int(nanoseconds);
}

static struct value call_timestamp(struct scratch *scratch, const struct value *args, size_t count)
{
	int64_t time;

	(void)scratch;
	(void)count;
	if (args[0].kind != VALUE_STR || time_parse(args[0].text, &time, NULL) < 0)
		return value_error(STR("type conversion error"));
	return value_int(time * NS_PER_US);
}

static struct value call_is_ip(struct scratch *scratch, const struct value *args, size_t count)
{
	(void)scratch;
	(void)count;
	return args[0].kind == VALUE_STR ? value_bool(name_is(NAME_IP, args[0].text)) : NO_OVERLOAD;
}

static const struct rule_call calls[] = {
	{"dyn", false, 1, 1, call_dyn},
	{"string", false, 1, 1, call_string},
	{"int", false, 1, 1, call_int},
	{"double", false, 1, 1, call_double},
	{"quantity", false, 1, 1, call_quantity},
	{"isQuantity", false, 1, 1, call_is_quantity},
	{"duration", false, 1, 1, call_duration},
	{"timestamp", false, 1, 1, call_timestamp},
	{"isIP", false, 1, 1, call_is_ip},
	{"lowerAscii", true, 1, 1, call_lower},
	{"upperAscii", true, 1, 1, call_upper},
	{"trim", true, 1, 1, call_trim},
	{"split", true, 2, 2, call_split},
	{"join", true, 1, 2, call_join},
	{"replace", true, 3, 3, call_replace},
	{"substring", true, 2, 3, call_substring},
	{"indexOf", true, 2, 2, call_index_of},
	{"isSorted", true, 1, 1, call_is_sorted},
	{"sum", true, 1, 1, call_sum},
	{"min", true, 1, 1, call_min},
	{"max", true, 1, 1, call_max},
	{"isGreaterThan", true, 2, 2, call_greater},
	{"isLessThan", true, 2, 2, call_less},
	{"compareTo", true, 2, 2, call_compare},
};

const struct rule_call *rule_call_find(struct str name, bool method)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (calls[i].method == method && str_is(name, calls[i].name))
			return &calls[i];
	return NULL;
}
