/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_value.c - values of rules: lists and maps of the object or made, equality, order.
 *
 * A list or a map of the object stays JSON; its elements become values when they are read,
 * converted by the type: a number of a schema's "number" is a double even if it is written as 1. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/number.h"
#include "base/time.h"
#include "cel/cel_internal.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"

#include "base/banned.h"

enum { NS_PER_US = 1000 };

static struct cel_value value_of_text(struct str text, const struct cel_type *type,
				      struct cel_run *run)
{
	struct cel_value value = {.kind = type->kind, .text = text};
	AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;

	switch (type->kind) {
	case CEL_DURATION:
		if (duration_parse(text, &value.number, NULL) < 0)
			return cel_error("invalid duration");
		return value;
	case CEL_TIMESTAMP:
		if (text.len == 10) /* a date */
			text = str_from(arena_printf(run->arena, "%.*sT00:00:00Z", STR_ARG(text)));
		if (time_parse(text, &value.number, NULL) < 0)
			return cel_error("invalid timestamp");
		value.number *= NS_PER_US;
		return value;
	case CEL_BYTES:
		if (!cel_may_make(run, text.len))
			return cel_cancelled();
		if (base64_parse(text, &bytes, NULL) < 0)
			return cel_error("invalid bytes");
		value.text = arena_str(run->arena, buf_str(&bytes));
		return value;
	default:
		return cel_text(text);
	}
}

struct cel_value cel_value_of(struct json json, const struct cel_type *type, struct cel_run *run)
{
	if (!type)
		type = cel_type_simple(CEL_DYN);
	switch (json_type(json)) {
	case JSON_BOOL:
		return cel_bool(json_bool(json));
	case JSON_INT:
		if (type->kind == CEL_DOUBLE)
			return (struct cel_value){.kind = CEL_DOUBLE,
						  .real = (double)json_int(json)};
		return cel_int(json_int(json));
	case JSON_REAL:
		if (type->kind == CEL_INT)
			return cel_int((int64_t)json_real(json));
		return (struct cel_value){.kind = CEL_DOUBLE, .real = json_real(json)};
	case JSON_STR:
		return value_of_text(json_str(json), type, run);
	case JSON_ARR:
		return (struct cel_value){.kind = CEL_LIST, .json = json, .type = type};
	case JSON_OBJ:
		return (struct cel_value){.kind = type->kind == CEL_OBJECT ? CEL_OBJECT : CEL_MAP,
					  .json = json,
					  .type = type};
	default:
		return (struct cel_value){.kind = CEL_NULL};
	}
}

static bool is_json(const struct cel_value *value)
{
	return !json_is_absent(value->json);
}

size_t cel_len(const struct cel_value *value)
{
	if (is_json(value))
		return json_len(value->json);
	return value->kind == CEL_MAP ? value->len / 2 : value->len;
}

static const struct cel_type *member_type(const struct cel_type *type, struct str key)
{
	if (!type)
		return NULL;
	if (type->kind != CEL_OBJECT)
		return type->of;
	for (size_t i = 0; i < type->field_count; i++)
		if (str_eq(type->fields[i].key, key))
			return type->fields[i].type;
	return NULL;
}

struct cel_value cel_at(const struct cel_value *list, size_t index, struct cel_run *run)
{
	if (is_json(list))
		return cel_value_of(cel_run_at(run, list->json, index),
				    list->type ? list->type->of : NULL, run);
	return list->items[index];
}

bool cel_find(const struct cel_value *map, const struct cel_value *key, struct cel_run *run,
	      struct cel_value *ret)
{
	*ret = (struct cel_value){.kind = CEL_NULL};
	if (is_json(map)) {
		struct json found = key->kind == CEL_STRING ? cel_run_get(run, map->json, key->text)
							    : JSON_NONE;

		if (json_is_absent(found))
			return false;
		*ret = cel_value_of(found, member_type(map->type, key->text), run);
		return true;
	}
	for (size_t i = 0; i + 1 < map->len && !run->over; i += 2)
		if (cel_eq(&map->items[i], key, run)) {
			*ret = map->items[i + 1];
			return true;
		}
	return false;
}

struct cel_iter cel_iter(const struct cel_value *of)
{
	struct cel_iter it = {.of = of};

	if (of->kind != CEL_LIST && of->kind != CEL_MAP && of->kind != CEL_OBJECT)
		return it;
	it.len = cel_len(of);
	it.json = json_iter(of->json);
	return it;
}

bool cel_next(struct cel_iter *it, struct cel_run *run)
{
	const struct cel_value *of = it->of;

	cel_work(run, 1);
	if (it->index >= it->len || run->over || (is_json(of) && !json_next(&it->json)))
		return false;
	if (of->kind == CEL_LIST) {
		it->key = cel_int((int64_t)it->index);
		it->value = is_json(of) ? cel_value_of(it->json.value,
						       of->type ? of->type->of : NULL, run)
					: of->items[it->index];
	} else if (is_json(of)) {
		it->key = cel_text(it->json.key);
		it->value = cel_value_of(it->json.value, member_type(of->type, it->json.key), run);
	} else {
		it->key = of->items[2 * it->index];
		it->value = of->items[2 * it->index + 1];
	}
	it->index++;
	return true;
}

bool cel_is_number(const struct cel_value *value)
{
	return value->kind == CEL_INT || value->kind == CEL_UINT || value->kind == CEL_DOUBLE;
}

double cel_real(const struct cel_value *value)
{
	if (value->kind == CEL_DOUBLE)
		return value->real;
	return value->kind == CEL_UINT ? (double)(uint64_t)value->number : (double)value->number;
}

static int cmp_numbers(const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind == CEL_DOUBLE || b->kind == CEL_DOUBLE)
		return cel_real(a) < cel_real(b) ? -1 : cel_real(a) > cel_real(b);
	/* the signed number is negative, or the unsigned one exceeds int64 */
	if (a->kind != b->kind && (a->number < 0 || b->number < 0))
		return a->kind == CEL_UINT ? 1 : -1;
	if (a->kind == CEL_UINT && b->kind == CEL_UINT)
		return (uint64_t)a->number < (uint64_t)b->number
			       ? -1
			       : (uint64_t)a->number > (uint64_t)b->number;
	return a->number < b->number ? -1 : a->number > b->number;
}

bool cel_cmp(const struct cel_value *a, const struct cel_value *b, int *ret)
{
	if (cel_is_number(a) && cel_is_number(b)) {
		*ret = cmp_numbers(a, b);
		return !(a->kind == CEL_DOUBLE && isnan(a->real)) &&
		       !(b->kind == CEL_DOUBLE && isnan(b->real));
	}
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case CEL_STRING:
	case CEL_BYTES:
		*ret = str_cmp(a->text, b->text);
		*ret = *ret < 0 ? -1 : *ret > 0;
		return true;
	case CEL_DURATION:
	case CEL_TIMESTAMP:
		*ret = a->number < b->number ? -1 : a->number > b->number;
		return true;
	case CEL_BOOL:
		*ret = a->truth - b->truth;
		return true;
	default:
		return false;
	}
}

static bool eq_lists(const struct cel_value *a, const struct cel_value *b, struct cel_run *run)
{
	struct cel_iter left = cel_iter(a);
	struct cel_iter right = cel_iter(b);

	if (left.len != right.len)
		return false;
	while (cel_next(&left, run) && cel_next(&right, run))
		if (!cel_eq(&left.value, &right.value, run))
			return false;
	return true;
}

static bool eq_maps(const struct cel_value *a, const struct cel_value *b, struct cel_run *run)
{
	struct cel_iter it = cel_iter(a);
	struct cel_value other;

	if (it.len != cel_len(b))
		return false;
	while (cel_next(&it, run))
		if (!cel_find(b, &it.key, run, &other) || !cel_eq(&it.value, &other, run))
			return false;
	return true;
}

static bool eq_amounts(const struct cel_value *a, const struct cel_value *b)
{
	struct quantity left;
	struct quantity right;

	return quantity_parse(a->text, &left, NULL) == 0 &&
	       quantity_parse(b->text, &right, NULL) == 0 && quantity_cmp(&left, &right) == 0;
}

bool cel_eq(const struct cel_value *a, const struct cel_value *b, struct cel_run *run)
{
	int order;

	cel_work(run, 1 + (a->text.len < b->text.len ? a : b)->text.len / READ_PER_UNIT);
	if (run->over)
		return false;
	if (cel_cmp(a, b, &order))
		return order == 0;
	if ((a->kind == CEL_MAP || a->kind == CEL_OBJECT) &&
	    (b->kind == CEL_MAP || b->kind == CEL_OBJECT))
		return eq_maps(a, b, run);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case CEL_LIST:
		return eq_lists(a, b, run);
	case CEL_OPTIONAL:
		return a->len == b->len && (!a->len || cel_eq(a->items, b->items, run));
	case CEL_TYPE:
		return a->type->kind == b->type->kind;
	case CEL_QUANTITY:
		return eq_amounts(a, b);
	case CEL_NULL:
		return true;
	default:
		return str_eq(a->text, b->text);
	}
}

struct cel_value cel_list_of(const struct cel_value *items, size_t len)
{
	return (struct cel_value){.kind = CEL_LIST, .items = items, .len = len};
}

struct cel_value cel_text_of(struct buf *buf, struct cel_run *run)
{
	return cel_may_make(run, buf->len) ? cel_text(arena_str(run->arena, buf_str(buf)))
					   : cel_cancelled();
}

struct cel_value cel_some(const struct cel_value *value, struct arena *arena)
{
	struct cel_value *inner = arena_new_of(arena, struct cel_value);

	*inner = *value;
	return (struct cel_value){.kind = CEL_OPTIONAL, .items = inner, .len = 1};
}

static void print_time(int64_t nanoseconds, struct buf *to)
{
	char text[TIME_TEXT_SIZE];
	int64_t seconds = nanoseconds / 1000000000;
	int64_t rest = nanoseconds % 1000000000;
	struct str shown;

	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	shown = str_from(time_print(seconds * 1000000, text));
	buf_put_str(to, str_slice(shown, 0, shown.len - 1));
	if (rest) {
		buf_printf(to, ".%09" PRId64, rest);
		while (buf_text(to)[to->len - 1] == '0')
			buf_truncate(to, to->len - 1);
	}
	buf_putc(to, 'Z');
}

/* The fewest digits that give the same number: plain, or with an exponent if it is large. */
static void print_real(double real, bool plain, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	int exponent = real != 0 && isfinite(real) ? (int)floor(log10(fabs(real))) : 0;

	for (int digits = 0; digits <= 17; digits++) {
		double again;

		buf_clear(&text);
		if (plain || (exponent >= -4 && exponent < 6))
			buf_printf(&text, "%.*f", digits, real);
		else
			buf_printf(&text, "%.*e", digits, real);
		if (number_parse_double(buf_str(&text), &again, NULL) == 0 && again == real)
			break;
	}
	buf_put_str(to, buf_str(&text));
}

bool cel_print(const struct cel_value *value, struct buf *to)
{
	switch (value->kind) {
	case CEL_STRING:
	case CEL_BYTES:
	case CEL_QUANTITY:
	case CEL_IP:
	case CEL_CIDR:
	case CEL_SEMVER:
		buf_put_str(to, value->text);
		return true;
	case CEL_INT:
		buf_put_int(to, value->number);
		return true;
	case CEL_UINT:
		buf_put_uint(to, (uint64_t)value->number);
		return true;
	case CEL_DOUBLE:
		print_real(value->real, false, to);
		return true;
	case CEL_BOOL:
		buf_puts(to, value->truth ? "true" : "false");
		return true;
	case CEL_DURATION:
		print_real((double)value->number / 1e9, true, to);
		buf_putc(to, 's');
		return true;
	case CEL_TIMESTAMP:
		print_time(value->number, to);
		return true;
	default:
		return false;
	}
}
