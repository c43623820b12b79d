/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_text.c - functions of rules on texts and times.
 *
 * Places in a text are counted in characters, as CEL counts them. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "base/vec.h"
#include "cel/cel_internal.h"
#include "regexp/pattern.h"

#include "base/banned.h"

static size_t rune_count(struct str text)
{
	size_t runes = 0;

	for (size_t i = 0; i < text.len; i++)
		runes += (text.ptr[i] & 0xc0) != 0x80;
	return runes;
}

/* The offset of the nth character. */
static size_t rune_at(struct str text, size_t n)
{
	size_t i = 0;

	for (; i < text.len; i++)
		if ((text.ptr[i] & 0xc0) != 0x80 && n-- == 0)
			return i;
	return i;
}

/* Parts of a text, collected before their number is known. */
struct parts VEC_FIELDS(struct str);

static void parts_done(struct parts *parts)
{
	vec_done(parts);
}
DEFINE_AUTO_IN_PLACE(struct parts, parts_done);

static struct cel_value list_of_parts(struct cel_run *run, const struct parts *parts)
{
	struct cel_value *items = cel_alloc_items(run, parts->len);

	for (size_t i = 0; items && i < parts->len; i++)
		items[i] = cel_text(parts->ptr[i]);
	return items ? cel_list_of(items, parts->len) : cel_cancelled();
}

static bool are_texts(const struct cel_value *args, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (args[i].kind != CEL_STRING)
			return false;
	return true;
}

static struct cel_value out_of_range(struct cel_run *run, int64_t index)
{
	return cel_error(arena_printf(run->arena, "index out of range: %" PRId64, index));
}

static struct cel_value call_contains(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	(void)run;
	if (!are_texts(args, count))
		return CEL_NO_OVERLOAD;
	return cel_bool(str_find(args[0].text, args[1].text, 0) >= 0);
}

static struct cel_value call_starts(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	return are_texts(args, count) ? cel_bool(str_starts(args[0].text, args[1].text))
				      : CEL_NO_OVERLOAD;
}

static struct cel_value call_ends(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	return are_texts(args, count) ? cel_bool(str_ends(args[0].text, args[1].text))
				      : CEL_NO_OVERLOAD;
}

static struct cel_value change_case(struct cel_run *run, struct str text, int (*to)(int c))
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;

	for (size_t i = 0; i < text.len; i++)
		buf_putc(&made, (unsigned char)text.ptr[i] < 0x80
					? (char)to((unsigned char)text.ptr[i])
					: text.ptr[i]);
	return cel_text_of(&made, run);
}

static struct cel_value call_lower(struct cel_run *run, const struct cel_value *args, size_t count)
{
	return are_texts(args, count) ? change_case(run, args[0].text, tolower) : CEL_NO_OVERLOAD;
}

static struct cel_value call_upper(struct cel_run *run, const struct cel_value *args, size_t count)
{
	return are_texts(args, count) ? change_case(run, args[0].text, toupper) : CEL_NO_OVERLOAD;
}

static struct cel_value call_trim(struct cel_run *run, const struct cel_value *args, size_t count)
{
	(void)run;
	return are_texts(args, count) ? cel_text(str_trim(args[0].text)) : CEL_NO_OVERLOAD;
}

static struct cel_value call_char_at(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	size_t runes = rune_count(args[0].text);
	int64_t at = args[1].number;

	(void)count;
	if (args[0].kind != CEL_STRING || args[1].kind != CEL_INT)
		return CEL_NO_OVERLOAD;
	if (at < 0 || (uint64_t)at > runes)
		return out_of_range(run, at);
	return cel_text(str_slice(args[0].text, rune_at(args[0].text, (size_t)at),
				  rune_at(args[0].text, (size_t)at + 1)));
}

static struct cel_value call_substring(struct cel_run *run, const struct cel_value *args,
				       size_t count)
{
	int64_t len = (int64_t)rune_count(args[0].text);
	int64_t from = args[1].number;
	int64_t to = count > 2 ? args[2].number : len;

	if (args[0].kind != CEL_STRING || args[1].kind != CEL_INT ||
	    (count > 2 && args[2].kind != CEL_INT))
		return CEL_NO_OVERLOAD;
	if (from < 0 || from > len)
		return out_of_range(run, from);
	if (to < 0 || to > len)
		return out_of_range(run, to);
	if (from > to)
		return cel_error(arena_printf(
			run->arena, "invalid substring range. start: %" PRId64 ", end: %" PRId64,
			from, to));
	return cel_text(str_slice(args[0].text, rune_at(args[0].text, (size_t)from),
				  rune_at(args[0].text, (size_t)to)));
}

/* The offset of the next text to replace; the empty text matches before every character. */
static ptrdiff_t find_replaced(struct str rest, struct str from, bool first)
{
	if (from.len)
		return str_find(rest, from, 0);
	if (first)
		return 0;
	return rest.len ? (ptrdiff_t)rune_at(rest, 1) : -1;
}

static struct cel_value call_replace(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	struct str rest = args[0].text;
	struct str to = args[2].text;
	int64_t left = count > 3 ? args[3].number : -1;
	bool first = true;
	ptrdiff_t at;

	if (!are_texts(args, 3) || (count > 3 && args[3].kind != CEL_INT))
		return CEL_NO_OVERLOAD;
	while (left-- != 0 && (at = find_replaced(rest, args[1].text, first)) >= 0) {
		if (!cel_may_make(run, (size_t)at + to.len + 1))
			return cel_cancelled();
		buf_put_str(&made, str_slice(rest, 0, (size_t)at));
		buf_put_str(&made, to);
		rest = str_skip(rest, (size_t)at + args[1].text.len);
		first = false;
	}
	buf_put_str(&made, rest);
	return cel_text_of(&made, run);
}

/* The next part before a separator; an empty one separates all characters. */
static struct str next_part(struct str *rest, struct str separator, bool last)
{
	ptrdiff_t at = separator.len ? str_find(*rest, separator, 0) : (ptrdiff_t)rune_at(*rest, 1);
	struct str part = *rest;

	if (last || at < 0 || (!separator.len && (size_t)at == rest->len)) {
		*rest = str_none();
		return part;
	}
	part = str_slice(*rest, 0, (size_t)at);
	*rest = str_skip(*rest, (size_t)at + separator.len);
	if (str_is_none(*rest))
		*rest = STR("");
	return part;
}

static struct cel_value call_split(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(parts_done) struct parts parts = {0};
	struct str rest = args[0].text;
	int64_t most = count > 2 ? args[2].number : -1;

	if (!are_texts(args, 2) || (count > 2 && args[2].kind != CEL_INT))
		return CEL_NO_OVERLOAD;
	if (str_is_none(rest))
		rest = STR("");
	while (most != 0 && !str_is_none(rest) && !run->over) {
		bool last = most > 0 && (int64_t)parts.len + 1 == most;

		cel_work(run, 1);
		vec_push(&parts, next_part(&rest, args[1].text, last));
	}
	return list_of_parts(run, &parts);
}

static struct cel_value call_join(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	struct cel_iter it = cel_iter(&args[0]);

	if (args[0].kind != CEL_LIST || (count > 1 && args[1].kind != CEL_STRING))
		return CEL_NO_OVERLOAD;
	while (cel_next(&it, run)) {
		struct str between = it.index > 1 && count > 1 ? args[1].text : STR("");

		if (it.value.kind != CEL_STRING)
			return CEL_NO_OVERLOAD;
		if (!cel_may_make(run, between.len + it.value.text.len))
			return cel_cancelled();
		buf_put_str(&made, between);
		buf_put_str(&made, it.value.text);
	}
	return cel_text_of(&made, run);
}

static struct cel_value find_element(struct cel_run *run, const struct cel_value *args, bool last)
{
	struct cel_iter it = cel_iter(&args[0]);
	int64_t found = -1;

	while ((last || found < 0) && cel_next(&it, run))
		if (cel_eq(&it.value, &args[1], run))
			found = (int64_t)it.index - 1;
	return cel_int(found);
}

/* The last place of a part that begins before `end`, or -1. */
static ptrdiff_t find_last(struct cel_run *run, struct str text, struct str part, size_t end)
{
	if (part.len > text.len)
		return -1;
	if (end > text.len - part.len + 1)
		end = text.len - part.len + 1;
	for (size_t at = end; at-- > 0 && !run->over;) {
		if (text.ptr[at] != part.ptr[0])
			continue;
		cel_work(run, part.len / READ_PER_UNIT);
		if (!memcmp(text.ptr + at, part.ptr, part.len))
			return (ptrdiff_t)at;
	}
	return -1;
}

/* The first place from `from` on, or the last one up to it. */
static int64_t find_text(struct cel_run *run, struct str text, struct str part, int64_t from,
			 bool last)
{
	size_t start = rune_at(text, (size_t)from);
	ptrdiff_t at = last ? find_last(run, text, part, start + 1) : str_find(text, part, start);

	return at < 0 ? -1 : (int64_t)rune_count(str_slice(text, 0, (size_t)at));
}

/* The index of a text in a text, or of an element in a list. */
static struct cel_value find_index(struct cel_run *run, const struct cel_value *args, size_t count,
				   bool last)
{
	int64_t runes = (int64_t)rune_count(args[0].text);
	int64_t from = count > 2 ? args[2].number : last ? runes : 0;

	if (args[0].kind == CEL_LIST)
		return find_element(run, args, last);
	if (!are_texts(args, 2) || (count > 2 && args[2].kind != CEL_INT))
		return CEL_NO_OVERLOAD;
	if (from < 0 || from > runes)
		return out_of_range(run, from);
	if (!args[1].text.len)
		return cel_int(from);
	return cel_int(find_text(run, args[0].text, args[1].text, from, last));
}

static struct cel_value call_index_of(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	return find_index(run, args, count, false);
}

static struct cel_value call_last_index_of(struct cel_run *run, const struct cel_value *args,
					   size_t count)
{
	return find_index(run, args, count, true);
}

static struct cel_value call_quote(struct cel_run *run, const struct cel_value *args, size_t count)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"";
	static const char to[] = "abfnrtv\\\"";
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;

	if (!are_texts(args, count))
		return CEL_NO_OVERLOAD;
	buf_putc(&made, '"');
	for (size_t i = 0; i < args[0].text.len; i++) {
		char c = args[0].text.ptr[i];
		const char *found = c ? strchr(from, c) : NULL;

		if (found)
			buf_printf(&made, "\\%c", to[found - from]);
		else
			buf_putc(&made, c);
	}
	buf_putc(&made, '"');
	return cel_text_of(&made, run);
}

/* --- format() -------------------------------------------------------------------------------- */

/* A value as %s shows it. */
static bool put_value(const struct cel_value *value, struct buf *to, struct cel_run *run)
{
	bool map = value->kind == CEL_MAP || value->kind == CEL_OBJECT;
	struct cel_iter it = cel_iter(value);

	if (value->kind == CEL_NULL || value->kind == CEL_TYPE) {
		buf_puts(to, value->kind == CEL_NULL ? "null" : cel_kind_name(value->type->kind));
		return true;
	}
	if (value->kind != CEL_LIST && !map)
		return cel_may_make(run, value->text.len) && cel_print(value, to);
	buf_putc(to, map ? '{' : '[');
	while (cel_next(&it, run)) {
		if (it.index > 1)
			buf_puts(to, ", ");
		if (map) {
			if (!put_value(&it.key, to, run))
				return false;
			buf_puts(to, ": ");
		}
		if (!put_value(&it.value, to, run))
			return false;
	}
	buf_putc(to, map ? '}' : ']');
	return true;
}

static void put_binary(uint64_t number, struct buf *to)
{
	int bit = 63;

	while (bit > 0 && !(number >> bit & 1))
		bit--;
	for (; bit >= 0; bit--)
		buf_putc(to, number >> bit & 1 ? '1' : '0');
}

static bool put_number(char clause, const struct cel_value *value, struct buf *to)
{
	bool minus = value->kind == CEL_INT && value->number < 0;
	uint64_t number = minus ? 0 - (uint64_t)value->number : (uint64_t)value->number;

	if (value->kind == CEL_BOOL && clause == 'b') {
		buf_putc(to, value->truth ? '1' : '0');
		return true;
	}
	if (clause != 'd' && value->kind == CEL_STRING && clause != 'o' && clause != 'b') {
		for (size_t i = 0; i < value->text.len; i++)
			buf_printf(to, clause == 'x' ? "%02x" : "%02X",
				   (unsigned)(unsigned char)value->text.ptr[i]);
		return true;
	}
	if (value->kind != CEL_INT && value->kind != CEL_UINT)
		return false;
	if (minus)
		buf_putc(to, '-');
	if (clause == 'b')
		put_binary(number, to);
	else if (clause == 'd')
		buf_put_uint(to, number);
	else if (clause == 'x')
		buf_printf(to, "%" PRIx64, number);
	else if (clause == 'X')
		buf_printf(to, "%" PRIX64, number);
	else
		buf_printf(to, "%" PRIo64, number);
	return true;
}

/* The length of a precision such as ".12"; *ret keeps its value if there is none. */
static size_t read_precision(struct str clause, int *ret)
{
	size_t i = 1;

	if (!clause.len || clause.ptr[0] != '.')
		return 0;
	*ret = 0;
	for (; i < clause.len && isdigit((unsigned char)clause.ptr[i]); i++)
		*ret = *ret < 100 ? *ret * 10 + (clause.ptr[i] - '0') : *ret;
	return i;
}

/* Formats one clause after its percent sign; returns its length, or 0 if it is malformed. */
static size_t put_clause(struct str clause, const struct cel_value *value, struct buf *to,
			 struct cel_run *run)
{
	int digits = 6;
	size_t i = read_precision(clause, &digits);

	if (i >= clause.len)
		return 0;
	switch (clause.ptr[i]) {
	case 's':
		return put_value(value, to, run) ? i + 1 : 0;
	case 'd':
		if (value->kind == CEL_DOUBLE)
			return cel_print(value, to) ? i + 1 : 0;
		return put_number('d', value, to) ? i + 1 : 0;
	case 'f':
	case 'e':
		if (!cel_is_number(value))
			return 0;
		buf_printf(to, clause.ptr[i] == 'f' ? "%.*f" : "%.*e", digits, cel_real(value));
		return i + 1;
	case 'b':
	case 'x':
	case 'X':
	case 'o':
		return cel_may_make(run, 2 * value->text.len) &&
				       put_number(clause.ptr[i], value, to)
			       ? i + 1
			       : 0;
	default:
		return 0;
	}
}

static struct cel_value call_format(struct cel_run *run, const struct cel_value *args, size_t count)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	size_t next = 0;

	(void)count;
	if (args[0].kind != CEL_STRING || args[1].kind != CEL_LIST)
		return CEL_NO_OVERLOAD;
	for (size_t i = 0; i < args[0].text.len; i++) {
		char c = args[0].text.ptr[i];
		struct cel_value one;
		size_t len;

		if (c != '%') {
			buf_putc(&made, c);
			continue;
		}
		if (i + 1 < args[0].text.len && args[0].text.ptr[i + 1] == '%') {
			buf_putc(&made, '%');
			i++;
			continue;
		}
		if (next >= cel_len(&args[1]))
			return cel_error(arena_printf(run->arena, "index %zu out of range", next));
		one = cel_at(&args[1], next++, run);
		len = put_clause(str_skip(args[0].text, i + 1), &one, &made, run);
		if (run->over)
			return cel_cancelled();
		if (!len)
			return cel_error("could not parse formatting clause");
		i += len;
	}
	return cel_text_of(&made, run);
}

/* --- patterns -------------------------------------------------------------------------------- */

static struct cel_value find_all(struct cel_run *run, const struct cel_value *args, int64_t most,
				 bool one)
{
	struct err err;
	AUTO(pattern_free)
	struct pattern *pattern = pattern_new(args[1].text, &err);
	AUTO(parts_done) struct parts parts = {0};
	size_t start = 0;
	size_t last = 0;
	size_t end;

	if (!pattern)
		return cel_error("Illegal regex");
	cel_work(run, pattern_size(pattern));
	while (most != 0 && start <= args[0].text.len && !run->over &&
	       cel_run_find(run, pattern, args[0].text, &start, &end)) {
		if (one)
			return cel_text(str_slice(args[0].text, start, end));
		cel_work(run, 1);
		if (end == start && parts.len && end == last)
			most++; /* an empty match directly after a match does not count */
		else
			vec_push(&parts, str_slice(args[0].text, start, end));
		last = end;
		start = end > start ? end : end + rune_at(str_skip(args[0].text, end), 1);
		if (end == args[0].text.len)
			break;
		most--;
	}
	return one ? cel_text(STR("")) : list_of_parts(run, &parts);
}

static struct cel_value call_find(struct cel_run *run, const struct cel_value *args, size_t count)
{
	return are_texts(args, count) ? find_all(run, args, 1, true) : CEL_NO_OVERLOAD;
}

static struct cel_value call_find_all(struct cel_run *run, const struct cel_value *args,
				      size_t count)
{
	if (!are_texts(args, 2) || (count > 2 && args[2].kind != CEL_INT))
		return CEL_NO_OVERLOAD;
	return find_all(run, args, count > 2 ? args[2].number : -1, false);
}

static struct cel_value call_matches(struct cel_run *run, const struct cel_value *args,
				     size_t count)
{
	struct err err;
	AUTO(pattern_free) struct pattern *pattern = NULL;

	(void)run;
	if (!are_texts(args, count))
		return CEL_NO_OVERLOAD;
	pattern = pattern_new(args[1].text, &err);
	if (pattern)
		cel_work(run, pattern_size(pattern));
	return pattern ? cel_bool(cel_run_matches(run, pattern, args[0].text))
		       : cel_error(arena_strdup(run->arena, err.text));
}

/* --- times ----------------------------------------------------------------------------------- */

static void split(const struct cel_value *value, struct time_fields *fields)
{
	int64_t microseconds = value->number / 1000;

	if (value->number % 1000 < 0)
		microseconds--;
	time_split(microseconds, fields);
}

static struct cel_value time_part(const struct cel_value *args, size_t count, char part)
{
	static const int64_t seconds[] = {3600, 60, 1};
	struct time_fields fields;

	if (args[0].kind == CEL_DURATION && count == 1) {
		const char *which = strchr("HMS", part);

		if (part == 'm')
			return cel_int(args[0].number / 1000000);
		return which ? cel_int(args[0].number / 1000000000 / seconds[which - "HMS"])
			     : CEL_NO_OVERLOAD;
	}
	if (args[0].kind != CEL_TIMESTAMP ||
	    (count > 1 && !str_is(args[1].text, "UTC") && !str_is(args[1].text, "Z")))
		return CEL_NO_OVERLOAD;
	split(&args[0], &fields);
	switch (part) {
	case 'Y':
		return cel_int(fields.year);
	case 'o':
		return cel_int(fields.month - 1);
	case 'd':
		return cel_int(fields.day);
	case 'e':
		return cel_int(fields.day - 1);
	case 'y':
		return cel_int(fields.yearday - 1);
	case 'w':
		return cel_int(fields.weekday);
	case 'H':
		return cel_int(fields.hour);
	case 'M':
		return cel_int(fields.minute);
	case 'S':
		return cel_int(fields.second);
	default:
		return CEL_NO_OVERLOAD;
	}
}

#define TIME_PART(name, part)                                                           \
	static struct cel_value name(struct cel_run *run, const struct cel_value *args, \
				     size_t count)                                      \
	{                                                                               \
		(void)run;                                                              \
		return time_part(args, count, part);                                    \
	}

TIME_PART(call_year, 'Y')
TIME_PART(call_month, 'o')
TIME_PART(call_date, 'd')
TIME_PART(call_day_of_month, 'e')
TIME_PART(call_day_of_year, 'y')
TIME_PART(call_day_of_week, 'w')
TIME_PART(call_hours, 'H')
TIME_PART(call_minutes, 'M')
TIME_PART(call_seconds, 'S')
TIME_PART(call_milliseconds, 'm')

const struct cel_function cel_functions_text[] = {
	{"contains", "s.s:b", call_contains, PRICE_CONTAINS},
	{"startsWith", "s.s:b", call_starts, PRICE_SECOND},
	{"endsWith", "s.s:b", call_ends, PRICE_SECOND},
	{"matches", "ss:b s.s:b", call_matches, PRICE_MATCH},
	{"charAt", "s.i:s", call_char_at, PRICE_ONE},
	{"indexOf", "s.s:i s.si:i [A].A:i", call_index_of, PRICE_LIST},
	{"lastIndexOf", "s.s:i s.si:i [A].A:i", call_last_index_of, PRICE_LIST},
	{"lowerAscii", "s.:s", call_lower, PRICE_TEXT_SIZE},
	{"upperAscii", "s.:s", call_upper, PRICE_TEXT_SIZE},
	{"trim", "s.:s", call_trim, PRICE_TEXT_SIZE},
	{"substring", "s.i:s s.ii:s", call_substring, PRICE_TEXT_SIZE},
	{"replace", "s.ss:s s.ssi:s", call_replace, PRICE_TWICE},
	{"split", "s.s:[s] s.si:[s]", call_split, PRICE_TWICE},
	{"join", "[s].:s [s].s:s", call_join, PRICE_JOIN},
	{"format", "s.[*]:s", call_format, PRICE_TEXT},
	{"strings.quote", "s:s", call_quote, PRICE_TEXT},
	{"find", "s.s:s", call_find, PRICE_MATCH},
	{"findAll", "s.s:[s] s.si:[s]", call_find_all, PRICE_MATCH},
	{"getFullYear", "T.:i T.s:i", call_year, PRICE_ONE},
	{"getMonth", "T.:i T.s:i", call_month, PRICE_ONE},
	{"getDate", "T.:i T.s:i", call_date, PRICE_ONE},
	{"getDayOfMonth", "T.:i T.s:i", call_day_of_month, PRICE_ONE},
	{"getDayOfWeek", "T.:i T.s:i", call_day_of_week, PRICE_ONE},
	{"getDayOfYear", "T.:i T.s:i", call_day_of_year, PRICE_ONE},
	{"getHours", "T.:i T.s:i D.:i", call_hours, PRICE_ONE},
	{"getMinutes", "T.:i T.s:i D.:i", call_minutes, PRICE_ONE},
	{"getSeconds", "T.:i T.s:i D.:i", call_seconds, PRICE_ONE},
	{"getMilliseconds", "T.:i T.s:i D.:i", call_milliseconds, PRICE_ONE},
};
const size_t cel_functions_text_count = ARRAY_LEN(cel_functions_text);
