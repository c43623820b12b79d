/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml_scalar.c - what a scalar means, by the rules of the YAML library inside kubectl.
 *
 * The first byte decides what a plain scalar can be: a word from a short list, a number or a
 * timestamp; everything else is a string. The order of the attempts is part of the rule: a
 * timestamp before a number, an integer of any base before a float, so that "010" is 8 while "08"
 * is a float of the value 8.
 *
 * What must stay true:
 * 1. A string that yaml_print leaves unquoted resolves here to the same string.
 * 2. No locale and no length of text changes a result: numbers of any length are read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/number.h"
#include "json/yaml_internal.h"

#include "base/banned.h"

/* --- words ------------------------------------------------------------------------------------ */

static const struct word {
	const char *text;
	enum yaml_kind kind;
	bool boolean;
	double real;
} words[] = {
	{"y", YAML_KIND_BOOL, true, 0},
	{"Y", YAML_KIND_BOOL, true, 0},
	{"yes", YAML_KIND_BOOL, true, 0},
	{"Yes", YAML_KIND_BOOL, true, 0},
	{"YES", YAML_KIND_BOOL, true, 0},
	{"true", YAML_KIND_BOOL, true, 0},
	{"True", YAML_KIND_BOOL, true, 0},
	{"TRUE", YAML_KIND_BOOL, true, 0},
	{"on", YAML_KIND_BOOL, true, 0},
	{"On", YAML_KIND_BOOL, true, 0},
	{"ON", YAML_KIND_BOOL, true, 0},
	{"n", YAML_KIND_BOOL, false, 0},
	{"N", YAML_KIND_BOOL, false, 0},
	{"no", YAML_KIND_BOOL, false, 0},
	{"No", YAML_KIND_BOOL, false, 0},
	{"NO", YAML_KIND_BOOL, false, 0},
	{"false", YAML_KIND_BOOL, false, 0},
	{"False", YAML_KIND_BOOL, false, 0},
	{"FALSE", YAML_KIND_BOOL, false, 0},
	{"off", YAML_KIND_BOOL, false, 0},
	{"Off", YAML_KIND_BOOL, false, 0},
	{"OFF", YAML_KIND_BOOL, false, 0},
	{"", YAML_KIND_NULL, false, 0},
	{"~", YAML_KIND_NULL, false, 0},
	{"null", YAML_KIND_NULL, false, 0},
	{"Null", YAML_KIND_NULL, false, 0},
	{"NULL", YAML_KIND_NULL, false, 0},
	{".nan", YAML_KIND_FLOAT, false, (double)NAN},
	{".NaN", YAML_KIND_FLOAT, false, (double)NAN},
	{".NAN", YAML_KIND_FLOAT, false, (double)NAN},
	{".inf", YAML_KIND_FLOAT, false, (double)INFINITY},
	{".Inf", YAML_KIND_FLOAT, false, (double)INFINITY},
	{".INF", YAML_KIND_FLOAT, false, (double)INFINITY},
	{"+.inf", YAML_KIND_FLOAT, false, (double)INFINITY},
	{"+.Inf", YAML_KIND_FLOAT, false, (double)INFINITY},
	{"+.INF", YAML_KIND_FLOAT, false, (double)INFINITY},
	{"-.inf", YAML_KIND_FLOAT, false, -(double)INFINITY},
	{"-.Inf", YAML_KIND_FLOAT, false, -(double)INFINITY},
	{"-.INF", YAML_KIND_FLOAT, false, -(double)INFINITY},
};

enum { LONGEST_WORD = 5 };

static bool resolve_word(struct str text, struct yaml_scalar *ret)
{
	if (text.len > LONGEST_WORD)
		return false;
	char first = text.len ? text.ptr[0] : '\0';
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (words[i].text[0] == first && str_is(text, words[i].text)) {
			ret->kind = words[i].kind;
			ret->boolean = words[i].boolean;
			ret->real = words[i].real;
			return true;
		}
	}
	return false;
}

/* --- cursors over a text ---------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool cut(struct str *rest, char c)
{
	if (rest->len == 0 || rest->ptr[0] != c)
		return false;
	*rest = str_skip(*rest, 1);
	return true;
}

static bool cut_any(struct str *rest, const char *set)
{
	for (; *set; set++) {
		if (cut(rest, *set))
			return true;
	}
	return false;
}

/* How many digits there were. */
static size_t cut_digits(struct str *rest)
{
	size_t count = 0;

	while (count < rest->len && is_digit(rest->ptr[count]))
		count++;
	*rest = str_skip(*rest, count);
	return count;
}

/* One or two digits, at most `max`. */
static bool cut_number(struct str *rest, int max, int *ret)
{
	if (rest->len == 0 || !is_digit(rest->ptr[0]))
		return false;
	*ret = rest->ptr[0] - '0';
	*rest = str_skip(*rest, 1);
	if (rest->len > 0 && is_digit(rest->ptr[0])) {
		*ret = *ret * 10 + rest->ptr[0] - '0';
		*rest = str_skip(*rest, 1);
	}
	return *ret <= max;
}

/* --- timestamps ------------------------------------------------------------------------------- */

static bool cut_date(struct str *rest)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	struct str start = *rest;
	int year = 0;
	int month;
	int day;

	if (cut_digits(rest) != 4 || !cut(rest, '-') || !cut_number(rest, 12, &month) ||
	    !cut(rest, '-') || !cut_number(rest, 31, &day) || month == 0 || day == 0)
		return false;
	for (int i = 0; i < 4; i++)
		year = year * 10 + start.ptr[i] - '0';
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return day <= days[month - 1] + (month == 2 && leap);
}

/* 15:4:5 and perhaps a fraction. */
static bool cut_time(struct str *rest)
{
	int part;

	if (!cut_number(rest, 23, &part) || !cut(rest, ':') || !cut_number(rest, 59, &part) ||
	    !cut(rest, ':') || !cut_number(rest, 59, &part))
		return false;
	if (rest->len >= 2 && is_digit(rest->ptr[1]) && cut_any(rest, ".,"))
		(void)cut_digits(rest);
	return true;
}

static bool cut_zone(struct str *rest)
{
	int part;

	if (cut(rest, 'Z'))
		return true;
	return rest->len == 6 && cut_any(rest, "+-") && rest->ptr[2] == ':' &&
	       cut_number(rest, 24, &part) && cut(rest, ':') && cut_number(rest, 60, &part);
}

/* A date alone; or followed by T or t, a time and a zone; or by blanks and a time without a zone. */
static bool is_timestamp(struct str text)
{
	struct str rest = text;

	if (!cut_date(&rest))
		return false;
	if (rest.len == 0)
		return true;
	if (cut_any(&rest, "Tt"))
		return cut_time(&rest) && cut_zone(&rest) && rest.len == 0;
	if (!cut(&rest, ' '))
		return false;
	while (cut(&rest, ' '))
		continue;
	return cut_time(&rest) && rest.len == 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool parse_digits(struct str digits, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < digits.len; i++) {
		unsigned digit = (unsigned)digit_value(digits.ptr[i]);

		if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

/* Removes the prefix: 0x, 0b, 0o in either case, or the 0 of old octals. */
static unsigned cut_base(struct str *digits)
{
	if (digits->len == 0 || digits->ptr[0] != '0')
		return 10;
	unsigned base = 0;
	if (digits->len >= 3) {
		switch (digits->ptr[1] | 0x20) {
		case 'x':
			base = 16;
			break;
		case 'o':
			base = 8;
			break;
		case 'b':
			base = 2;
			break;
		default:
			break;
		}
	}
	*digits = str_skip(*digits, base ? 2 : 1);
	return base ? base : 8;
}

/* A signed integer must fit into int64, one without a sign into uint64. */
static bool set_integer(struct str digits, unsigned base, char sign, struct yaml_scalar *ret)
{
	uint64_t value;

	if (!parse_digits(digits, base, &value))
		return false;
	uint64_t most = (uint64_t)INT64_MAX + (sign == '-');
	if (value > most && sign != 0)
		return false;
	ret->kind = value > most ? YAML_KIND_UINT : YAML_KIND_INT;
	ret->natural = value;
	ret->integer = (int64_t)(sign == '-' ? 0 - value : value);
	return true;
}

static bool resolve_integer(struct str plain, struct yaml_scalar *ret)
{
	struct str digits = plain;
	char sign = 0;

	if (cut(&digits, '-'))
		sign = '-';
	else if (cut(&digits, '+'))
		sign = '+';
	if (digits.len == 0)
		return false;
	unsigned base = cut_base(&digits);
	return set_integer(digits, base, sign, ret);
}

/* The library's second attempt at binary numbers accepts a sign after the prefix. */
static bool resolve_binary(struct str plain, struct yaml_scalar *ret)
{
	struct str digits = str_skip(plain, 2);
	char sign = 0;

	if (!str_starts(plain, STR("0b")))
		return false;
	if (cut(&digits, '-'))
		sign = '-';
	else if (cut(&digits, '+'))
		sign = '+';
	return digits.len > 0 && set_integer(digits, 2, sign, ret);
}

/* Sign, digits with a point among or before them, exponent. */
static bool is_float(struct str text)
{
	struct str rest = text;

	(void)cut_any(&rest, "+-");
	size_t whole = cut_digits(&rest);
	if (cut(&rest, '.')) {
		if (cut_digits(&rest) + whole == 0)
			return false;
	} else if (whole == 0) {
		return false;
	}
	if (cut_any(&rest, "eE")) {
		(void)cut_any(&rest, "+-");
		if (cut_digits(&rest) == 0)
			return false;
	}
	return rest.len == 0;
}

/* Too big for a double is no number at all; too small is zero. */
static bool resolve_float(const char *text, struct yaml_scalar *ret)
{
	if (!is_float(str_from(text)))
		return false;
	double real = strtod(text, NULL);
	if (isinf(real))
		return false;
	ret->kind = YAML_KIND_FLOAT;
	ret->real = real;
	return true;
}

/* After a leading point an underscore must be between two digits. */
static bool has_good_underscores(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '_' &&
		    (i == 0 || i + 1 == text.len || !is_digit(text.ptr[i - 1]) ||
		     !is_digit(text.ptr[i + 1])))
			return false;
	}
	return true;
}

static void put_without_underscores(struct buf *to, struct str text)
{
	struct str part;

	while (str_split(&text, '_', &part))
		buf_put_str(to, part);
}

/* Could it be a number? A quick check, so that long strings that begin with a digit are cheap. */
static bool is_number_like(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (digit_value(c) == 16 && c != '_' && c != '.' && c != '+' && c != '-' &&
		    (c | 0x20) != 'x' && (c | 0x20) != 'o')
			return false;
	}
	return true;
}

static bool resolve_number(struct str text, struct yaml_scalar *ret)
{
	AUTO(buf_done) struct buf plain = BUF_UNBOUNDED;

	if (!is_number_like(text))
		return false;
	put_without_underscores(&plain, text);
	if (text.ptr[0] == '.')
		return has_good_underscores(text) && resolve_float(buf_text(&plain), ret);
	return resolve_integer(buf_str(&plain), ret) || resolve_float(buf_text(&plain), ret) ||
	       resolve_binary(buf_str(&plain), ret);
}

/* --- resolving -------------------------------------------------------------------------------- */

enum time_rule { TIME_CHECKED, TIME_SKIPPED };

static struct yaml_scalar resolve(struct str text, enum time_rule rule)
{
	struct yaml_scalar scalar = {.kind = YAML_KIND_STR, .text = text};
	char first = text.len ? text.ptr[0] : '~';

	if (is_digit(first) || first == '+' || first == '-' || first == '.') {
		if (resolve_word(text, &scalar))
			return scalar;
		if (first != '.' && rule == TIME_CHECKED && is_timestamp(text))
			scalar.kind = YAML_KIND_TIME;
		else
			(void)resolve_number(text, &scalar); /* else it stays a string */
	} else if (strchr("yYnNtTfFoO~", first)) {
		(void)resolve_word(text, &scalar); /* else it stays a string */
	}
	return scalar;
}

struct yaml_scalar yaml_scalar_resolve(struct str text)
{
	return resolve(text, TIME_CHECKED);
}

static const char *const kind_tags[] = {
	[YAML_KIND_NULL] = "!!null",   [YAML_KIND_BOOL] = "!!bool",
	[YAML_KIND_INT] = "!!int",     [YAML_KIND_UINT] = "!!int",
	[YAML_KIND_FLOAT] = "!!float", [YAML_KIND_TIME] = "!!timestamp",
	[YAML_KIND_STR] = "!!str",
};
_Static_assert(ARRAY_LEN(kind_tags) == YAML_KIND_COUNT, "name every kind");

static int decode_binary(struct str text, struct arena *arena, struct yaml_scalar *ret,
			 struct err *err)
{
	AUTO(buf_done) struct buf bytes = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf valid = BUF_UNBOUNDED;
	struct err why;

	if (base64_parse(text, &bytes, &why) < 0)
		return err_set(err, ERR_BAD_REQUEST, "a !!binary value must be base64: %s",
			       why.text);
	/* JSON has no bytes: like Go, keep what is text and mark the rest. */
	struct str rest = buf_str(&bytes);
	while (rest.len > 0) {
		size_t step = 1;

		while (step < 4 && step < rest.len && !str_is_utf8(str_slice(rest, 0, step)))
			step++;
		if (str_is_utf8(str_slice(rest, 0, step))) {
			buf_put(&valid, rest.ptr, step);
		} else {
			buf_puts(&valid, "\xef\xbf\xbd");
			step = 1;
		}
		rest = str_skip(rest, step);
	}
	*ret = (struct yaml_scalar){.kind = YAML_KIND_STR,
				    .text = arena_str(arena, buf_str(&valid))};
	return 0;
}

/* Does a scalar of this kind satisfy the tag? An int64 also makes a float. */
static bool fits(struct yaml_scalar *scalar, const char *tag)
{
	if (strcmp(tag, kind_tags[scalar->kind]) == 0)
		return true;
	if (scalar->kind == YAML_KIND_INT && strcmp(tag, "!!float") == 0) {
		scalar->kind = YAML_KIND_FLOAT;
		scalar->real = (double)scalar->integer;
		return true;
	}
	return false;
}

int yaml_scalar_resolve_tag(struct str tag, struct str text, struct arena *arena,
			    struct yaml_scalar *ret, struct err *err)
{
	static const char *const checked[] = {"!!null", "!!bool", "!!int", "!!float",
					      "!!timestamp"};
	const struct str prefix = STR("tag:yaml.org,2002:");
	char name[16] = "!!";

	/* Anything but the tags of YAML's own types leaves the text as it is. */
	*ret = (struct yaml_scalar){.kind = YAML_KIND_STR, .text = text};
	if (!str_starts(tag, prefix) || tag.len - prefix.len >= sizeof(name) - 2)
		return 0;
	memcpy(name + 2, tag.ptr + prefix.len, tag.len - prefix.len);
	if (strcmp(name, "!!binary") == 0)
		return decode_binary(text, arena, ret, err);
	for (size_t i = 0; i < ARRAY_LEN(checked); i++) {
		if (strcmp(name, checked[i]) != 0)
			continue;
		struct yaml_scalar scalar = resolve(
			text, strcmp(name, "!!timestamp") == 0 ? TIME_CHECKED : TIME_SKIPPED);
		if (!fits(&scalar, name))
			return err_set(err, ERR_BAD_REQUEST, "cannot decode %s \"%.*s\" as a %s",
				       kind_tags[scalar.kind], (int)(text.len < 80 ? text.len : 80),
				       text.ptr ? text.ptr : "", name);
		*ret = scalar;
		return 0;
	}
	return 0;
}

/* "12:30:45" is a number of base 60 in YAML 1.1. Here it is a string, but other programs read our
 * output.
 */
static bool is_base60(struct str text)
{
	struct str rest = text;
	int part;

	(void)cut_any(&rest, "+-");
	if (cut_digits(&rest) == 0)
		return false;
	while (cut(&rest, '_') || cut_digits(&rest))
		continue;
	if (rest.len == 0 || rest.ptr[0] != ':')
		return false;
	while (cut(&rest, ':')) {
		if (!cut_number(&rest, 59, &part))
			return false;
	}
	if (cut(&rest, '.')) {
		while (cut(&rest, '_') || cut_digits(&rest))
			continue;
	}
	return rest.len == 0;
}

bool yaml_scalar_is_ambiguous(struct str text)
{
	return yaml_scalar_resolve(text).kind != YAML_KIND_STR || is_base60(text) ||
	       str_is(text, "<<");
}
