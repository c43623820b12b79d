/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_functions.c - the functions and operators of rules: their shapes, and those on numbers,
 * comparisons and conversions.
 *
 * A row is a name with all shapes that it accepts and one function. The function checks the kinds
 * of its arguments: a value of type dyn can be anything at evaluation. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "cel/cel_internal.h"
#include "model/value/duration.h"

#include "base/banned.h"

enum { NS_PER_US = 1000 };

/* --- numbers --------------------------------------------------------------------------------- */

static bool is_division(char op)
{
	return op == '/' || op == '%';
}

/* Calculate with two numbers of one type, a macro because there are two types. True: it overflows. The caller
 * excludes divisions by 0. */
#define OVERFLOWS(op, a, b, ret)                                 \
	((op) == '+'   ? __builtin_add_overflow((a), (b), (ret)) \
	 : (op) == '-' ? __builtin_sub_overflow((a), (b), (ret)) \
	 : (op) == '*' ? __builtin_mul_overflow((a), (b), (ret)) \
		       : (*(ret) = (op) == '/' ? (a) / (b) : (a) % (b), false))

static struct cel_value divide_by_zero(char op)
{
	return cel_error(op == '/' ? "division by zero" : "modulus by zero");
}

static struct cel_value add_int(char op, int64_t a, int64_t b)
{
	int64_t made = 0;

	if (is_division(op) && b == 0)
		return divide_by_zero(op);
	if ((is_division(op) && a == INT64_MIN && b == -1) || OVERFLOWS(op, a, b, &made))
		return cel_error("integer overflow");
	return cel_int(made);
}

static struct cel_value add_uint(char op, uint64_t a, uint64_t b)
{
	uint64_t made = 0;

	if (is_division(op) && b == 0)
		return divide_by_zero(op);
	if (OVERFLOWS(op, a, b, &made))
		return cel_error("unsigned integer overflow");
	return (struct cel_value){.kind = CEL_UINT, .number = (int64_t)made};
}

static struct cel_value add_real(char op, double a, double b)
{
	struct cel_value made = {.kind = CEL_DOUBLE};

	if (op == '%')
		return CEL_NO_OVERLOAD;
	made.real = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
	return made;
}

/* Durations and times, which are numbers of nanoseconds. */
static struct cel_value add_times(char op, const struct cel_value *a, const struct cel_value *b)
{
	struct cel_value made = add_int(op, a->number, b->number);
	bool times = a->kind == CEL_TIMESTAMP && b->kind == CEL_TIMESTAMP;

	if (made.kind == CEL_ERROR || (op != '+' && op != '-') || (times && op == '+'))
		return made.kind == CEL_ERROR ? made : CEL_NO_OVERLOAD;
	made.kind = !times && (a->kind == CEL_TIMESTAMP || b->kind == CEL_TIMESTAMP) ? CEL_TIMESTAMP
										     : CEL_DURATION;
	return made;
}

static bool is_time(const struct cel_value *value)
{
	return value->kind == CEL_DURATION || value->kind == CEL_TIMESTAMP;
}

static struct cel_value calculate(char op, const struct cel_value *a, const struct cel_value *b)
{
	if (is_time(a) && is_time(b))
		return add_times(op, a, b);
	if (a->kind != b->kind)
		return CEL_NO_OVERLOAD;
	if (a->kind == CEL_INT)
		return add_int(op, a->number, b->number);
	if (a->kind == CEL_UINT)
		return add_uint(op, (uint64_t)a->number, (uint64_t)b->number);
	return a->kind == CEL_DOUBLE ? add_real(op, a->real, b->real) : CEL_NO_OVERLOAD;
}

static struct cel_value join_lists(struct cel_run *run, const struct cel_value *a,
				   const struct cel_value *b)
{
	struct cel_iter first = cel_iter(a);
	struct cel_iter second = cel_iter(b);
	struct cel_value *items = cel_alloc_items(run, first.len + second.len);

	if (!items)
		return cel_cancelled();
	while (cel_next(&first, run))
		items[first.index - 1] = first.value;
	while (cel_next(&second, run))
		items[first.len + second.index - 1] = second.value;
	return cel_list_of(items, first.len + second.len);
}

static struct cel_value call_add(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct cel_value made;

	(void)count;
	if (args[0].kind == CEL_LIST && args[1].kind == CEL_LIST)
		return join_lists(run, &args[0], &args[1]);
	if (args[0].kind != args[1].kind ||
	    (args[0].kind != CEL_STRING && args[0].kind != CEL_BYTES))
		return calculate('+', &args[0], &args[1]);
	buf_put_str(&text, args[0].text);
	buf_put_str(&text, args[1].text);
	made = cel_text_of(&text, run);
	if (made.kind != CEL_ERROR)
		made.kind = args[0].kind;
	return made;
}

#define CALCULATE(name, sign)                                                           \
	static struct cel_value name(struct cel_run *run, const struct cel_value *args, \
				     size_t count)                                      \
	{                                                                               \
		(void)run;                                                              \
		(void)count;                                                            \
		return calculate(sign, &args[0], &args[1]);                             \
	}

CALCULATE(call_subtract, '-')
CALCULATE(call_multiply, '*')
CALCULATE(call_divide, '/')
CALCULATE(call_modulo, '%')

static struct cel_value call_minus(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct cel_value zero = {.kind = args[0].kind};

	(void)run;
	(void)count;
	if (args[0].kind == CEL_DOUBLE)
		return (struct cel_value){.kind = CEL_DOUBLE, .real = -args[0].real};
	return args[0].kind == CEL_INT ? calculate('-', &zero, &args[0]) : CEL_NO_OVERLOAD;
}

static struct cel_value call_not(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	(void)count;
	return args[0].kind == CEL_BOOL ? cel_bool(!args[0].truth) : CEL_NO_OVERLOAD;
}

static struct cel_value call_equal(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	return cel_bool(cel_eq(&args[0], &args[1], run));
}

static struct cel_value call_unequal(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	(void)count;
	return cel_bool(!cel_eq(&args[0], &args[1], run));
}

#define ORDER(name, test)                                                               \
	static struct cel_value name(struct cel_run *run, const struct cel_value *args, \
				     size_t count)                                      \
	{                                                                               \
		int order;                                                              \
                                                                                        \
		(void)run;                                                              \
		(void)count;                                                            \
		return cel_cmp(&args[0], &args[1], &order) ? cel_bool(order test 0)     \
							   : CEL_NO_OVERLOAD;           \
	}

ORDER(call_less, <)
ORDER(call_less_equal, <=)
ORDER(call_greater, >)
ORDER(call_greater_equal, >=)

static struct cel_value call_in(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct cel_value found;
	struct cel_iter it;

	(void)count;
	if (args[1].kind == CEL_MAP || args[1].kind == CEL_OBJECT)
		return cel_bool(cel_find(&args[1], &args[0], run, &found));
	if (args[1].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	it = cel_iter(&args[1]);
	while (cel_next(&it, run))
		if (cel_eq(&args[0], &it.value, run))
			return cel_bool(true);
	return cel_bool(false);
}

static struct cel_value call_size(struct cel_run *run, const struct cel_value *args, size_t count)
{
	int64_t runes = 0;

	(void)run;
	(void)count;
	switch (args[0].kind) {
	case CEL_LIST:
	case CEL_MAP:
	case CEL_OBJECT:
		return cel_int((int64_t)cel_len(&args[0]));
	case CEL_BYTES:
		return cel_int((int64_t)args[0].text.len);
	case CEL_STRING:
		for (size_t i = 0; i < args[0].text.len; i++)
			runes += (args[0].text.ptr[i] & 0xc0) != 0x80;
		return cel_int(runes);
	default:
		return CEL_NO_OVERLOAD;
	}
}

/* --- conversions -------------------------------------------------------------------------- */

static struct cel_value no_conversion(struct cel_run *run, const struct cel_value *from,
				      enum cel_kind to)
{
	return cel_error(arena_printf(run->arena, "type conversion error from '%s' to '%s'",
				      cel_kind_name(from->kind), cel_kind_name(to)));
}

static struct cel_value call_int(struct cel_run *run, const struct cel_value *args, size_t count)
{
	int64_t number;

	(void)count;
	switch (args[0].kind) {
	case CEL_INT:
		return args[0];
	case CEL_UINT:
		return args[0].number < 0 ? cel_error("integer overflow") : cel_int(args[0].number);
	case CEL_DOUBLE:
		if (!(args[0].real > -9.2233720368547758e18 &&
		      args[0].real < 9.2233720368547758e18))
			return cel_error("integer overflow");
		return cel_int((int64_t)args[0].real);
	case CEL_TIMESTAMP:
		return cel_int(args[0].number / 1000000000);
	case CEL_DURATION:
		return cel_int(args[0].number);
	case CEL_STRING:
		if (number_parse_i64(args[0].text, &number, NULL) == 0)
			return cel_int(number);
		break;
	default:
		break;
	}
	return no_conversion(run, &args[0], CEL_INT);
}

static struct cel_value call_uint(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct cel_value made = {.kind = CEL_UINT, .number = args[0].number};
	uint64_t number;

	(void)count;
	switch (args[0].kind) {
	case CEL_UINT:
		return args[0];
	case CEL_INT:
		return args[0].number < 0 ? cel_error("unsigned integer overflow") : made;
	case CEL_DOUBLE:
		if (!(args[0].real >= 0 && args[0].real < 1.8446744073709552e19))
			return cel_error("unsigned integer overflow");
		made.number = (int64_t)(uint64_t)args[0].real;
		return made;
	case CEL_STRING:
		if (number_parse_u64(args[0].text, &number, NULL) == 0) {
			made.number = (int64_t)number;
			return made;
		}
		break;
	default:
		break;
	}
	return no_conversion(run, &args[0], CEL_UINT);
}

static struct cel_value call_double(struct cel_run *run, const struct cel_value *args, size_t count)
{
	struct cel_value made = {.kind = CEL_DOUBLE};

	(void)count;
	if (cel_is_number(&args[0])) {
		made.real = cel_real(&args[0]);
		return made;
	}
	if (args[0].kind == CEL_STRING && number_parse_double(args[0].text, &made.real, NULL) == 0)
		return made;
	return no_conversion(run, &args[0], CEL_DOUBLE);
}

static struct cel_value call_bool(struct cel_run *run, const struct cel_value *args, size_t count)
{
	bool truth;

	(void)count;
	if (args[0].kind == CEL_BOOL)
		return args[0];
	if (args[0].kind == CEL_STRING && number_parse_bool(args[0].text, &truth, NULL) == 0)
		return cel_bool(truth);
	return no_conversion(run, &args[0], CEL_BOOL);
}

static struct cel_value call_bytes(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)count;
	if (args[0].kind != CEL_STRING && args[0].kind != CEL_BYTES)
		return no_conversion(run, &args[0], CEL_BYTES);
	return (struct cel_value){.kind = CEL_BYTES, .text = args[0].text};
}

static struct cel_value call_string(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	(void)count;
	if (args[0].kind == CEL_BYTES && !str_is_utf8(args[0].text))
		return cel_error("invalid UTF-8 in bytes, cannot convert to string");
	if (!cel_print(&args[0], &text))
		return no_conversion(run, &args[0], CEL_STRING);
	return cel_text_of(&text, run);
}

static struct cel_value call_dyn(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	(void)count;
	return args[0];
}

static struct cel_value call_type(struct cel_run *run, const struct cel_value *args, size_t count)
{
	enum cel_kind kind = args[0].kind == CEL_OBJECT ? CEL_MAP : args[0].kind;

	(void)run;
	(void)count;
	return (struct cel_value){.kind = CEL_TYPE, .type = cel_type_simple(kind)};
}

static struct cel_value call_duration(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	struct cel_value made = {.kind = CEL_DURATION, .number = args[0].number};

	(void)count;
	if (args[0].kind == CEL_DURATION || args[0].kind == CEL_INT)
		return made;
	if (args[0].kind == CEL_STRING && duration_parse(args[0].text, &made.number, NULL) == 0)
		return made;
	return no_conversion(run, &args[0], CEL_DURATION);
}

static struct cel_value call_timestamp(struct cel_run *run, const struct cel_value *args,
				       size_t count)
{
	struct cel_value made = {.kind = CEL_TIMESTAMP, .number = args[0].number};

	(void)count;
	if (args[0].kind == CEL_TIMESTAMP)
		return made;
	if (args[0].kind == CEL_INT &&
	    !__builtin_mul_overflow(args[0].number, 1000000000, &made.number))
		return made;
	if (args[0].kind == CEL_STRING && time_parse(args[0].text, &made.number, NULL) == 0 &&
	    !__builtin_mul_overflow(made.number, NS_PER_US, &made.number))
		return made;
	return no_conversion(run, &args[0], CEL_TIMESTAMP);
}

/* --- rows ------------------------------------------------------------------------------------ */

#define COMPARABLE "bb:b ii:b iu:b id:b uu:b ui:b ud:b dd:b di:b du:b ss:b yy:b TT:b DD:b"

static const struct cel_function rows[] = {
	{"_&&_", "bb:b", call_not, PRICE_LOGIC},
	{"_||_", "bb:b", call_not, PRICE_LOGIC},
	{"_?_:_", "bAA:A", call_not, PRICE_CHOICE},
	{"_[_]", "[A]i:A {AB}A:B ?[A]i:?A ?{AB}A:?B", call_not, PRICE_INDEX},
	{"_[?_]", "[A]i:?A ?[A]i:?A {AB}A:?B ?{AB}A:?B", call_not, PRICE_INDEX},
	{"_+_", "yy:y DD:D dd:d DT:T TD:T ii:i [A][A]:[A] ss:s uu:u", call_add, PRICE_ADD},
	{"_-_", "dd:d DD:D ii:i TD:T TT:D uu:u", call_subtract, PRICE_ONE},
	{"_*_", "dd:d ii:i uu:u", call_multiply, PRICE_ONE},
	{"_/_", "dd:d ii:i uu:u", call_divide, PRICE_ONE},
	{"_%_", "ii:i uu:u", call_modulo, PRICE_ONE},
	{"-_", "d:d i:i", call_minus, PRICE_ONE},
	{"!_", "b:b", call_not, PRICE_ONE},
	{"_==_", "AA:b", call_equal, PRICE_EQUAL},
	{"_!=_", "AA:b", call_unequal, PRICE_EQUAL},
	{"_<_", COMPARABLE, call_less, PRICE_EQUAL},
	{"_<=_", COMPARABLE, call_less_equal, PRICE_EQUAL},
	{"_>_", COMPARABLE, call_greater, PRICE_EQUAL},
	{"_>=_", COMPARABLE, call_greater_equal, PRICE_EQUAL},
	{"@in", "A[A]:b A{AB}:b", call_in, PRICE_IN},
	{"size", "y:i y.:i [A]:i [A].:i {AB}:i {AB}.:i s:i s.:i", call_size, PRICE_ONE},
	{"int", "i:i d:i D:i s:i T:i u:i", call_int, PRICE_ONE},
	{"uint", "u:u d:u i:u s:u", call_uint, PRICE_ONE},
	{"double", "d:d i:d s:d u:d", call_double, PRICE_ONE},
	{"bool", "b:b s:b", call_bool, PRICE_ONE},
	{"bytes", "y:y s:y", call_bytes, PRICE_TEXT},
	{"string", "s:s b:s y:s d:s D:s i:s T:s u:s p:s c:s", call_string, PRICE_ONE},
	{"dyn", "A:*", call_dyn, PRICE_DYN},
	{"type", "A:<A>", call_type, PRICE_ONE},
	{"duration", "D:D i:D s:D", call_duration, PRICE_ONE},
	{"timestamp", "T:T i:T s:T", call_timestamp, PRICE_ONE},
};

static const struct cel_function *find_in(const struct cel_function *list, size_t count,
					  struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, list[i].name))
			return &list[i];
	return NULL;
}

const struct cel_function *cel_function_find(struct str name)
{
	const struct cel_function *found = find_in(rows, ARRAY_LEN(rows), name);

	if (!found)
		found = find_in(cel_functions_text, cel_functions_text_count, name);
	if (!found)
		found = find_in(cel_functions_named, cel_functions_named_count, name);
	return found ? found : find_in(cel_functions_more, cel_functions_more_count, name);
}

/* --- shapes ---------------------------------------------------------------------------------- */

static const struct cel_type *read_type(const char **at, size_t base, struct arena *arena)
{
	static const char letters[] = "*nbiudsyDTqpclvf";
	static const enum cel_kind kinds[] = {
		CEL_DYN,    CEL_NULL,  CEL_BOOL,     CEL_INT,       CEL_UINT,     CEL_DOUBLE,
		CEL_STRING, CEL_BYTES, CEL_DURATION, CEL_TIMESTAMP, CEL_QUANTITY, CEL_IP,
		CEL_CIDR,   CEL_URL,   CEL_SEMVER,   CEL_FORMAT};
	char c = *(*at)++;
	const struct cel_type *key;
	const struct cel_type *of;

	if (c == '?')
		return cel_type_wrap(CEL_OPTIONAL, read_type(at, base, arena), arena);
	if (c == '[' || c == '<') {
		of = read_type(at, base, arena);
		++*at;
		return cel_type_wrap(c == '[' ? CEL_LIST : CEL_TYPE, of, arena);
	}
	if (c == '{') {
		key = read_type(at, base, arena);
		of = read_type(at, base, arena);
		++*at;
		return cel_type_map(key, of, arena);
	}
	if (c >= 'A' && c <= 'C') {
		struct cel_type *type = arena_new_of(arena, struct cel_type);

		type->kind = CEL_PARAM;
		type->param = base + (size_t)(c - 'A');
		return type;
	}
	return cel_type_simple(kinds[strchr(letters, c) - letters]);
}

bool cel_shape_next(const char **shapes, size_t base, struct arena *arena, struct cel_shape *ret)
{
	*ret = (struct cel_shape){.member = false};
	while (**shapes == ' ')
		++*shapes;
	if (!**shapes)
		return false;
	while (**shapes != ':') {
		if (**shapes == '.') {
			ret->member = true;
			++*shapes;
			continue;
		}
		ret->args[ret->count++] = read_type(shapes, base, arena);
	}
	++*shapes;
	ret->result = read_type(shapes, base, arena);
	return true;
}
