/* SPDX-License-Identifier: Apache-2.0 */
/* base/number.c - numbers from text, whole and exact. */
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/banned.h"

enum { QUOTED_MAX = 64, DOUBLE_TEXT_SIZE = 512 };

static int refuse(struct str text, const char *expected, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST, "\"%.*s\"%s is not %s",
		       text.len < QUOTED_MAX ? (int)text.len : QUOTED_MAX, text.ptr ? text.ptr : "",
		       text.len > QUOTED_MAX ? "..." : "", expected);
}

/* Digits only, at least one, within uint64. */
static bool parse_digits(struct str text, uint64_t *ret)
{
	uint64_t value = 0;

	if (text.len == 0)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
			return false;
	}
	*ret = value;
	return true;
}

int number_parse_u64(struct str text, uint64_t *ret, struct err *err)
{
	if (!parse_digits(text, ret))
		return refuse(text, "a whole number from 0 to 18446744073709551615", err);
	return 0;
}

int number_parse_i64(struct str text, int64_t *ret, struct err *err)
{
	bool negative = text.len && text.ptr[0] == '-';
	bool sign = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
	uint64_t value;

	if (!parse_digits(str_skip(text, sign), &value) || value > (uint64_t)INT64_MAX + negative)
		return refuse(text, "a 64-bit whole number", err);
	*ret = (int64_t)(negative ? -value : value);
	return 0;
}

int number_parse_range(struct str text, int64_t min, int64_t max, int64_t *ret, struct err *err)
{
	int64_t value = 0;

	if (number_parse_i64(text, &value, NULL) < 0 || value < min || value > max) {
		char expected[80];

		snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64,
			 min, max);
		return refuse(text, expected, err);
	}
	*ret = value;
	return 0;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(struct str text)
{
	size_t at = 0;
	size_t digits = 0;

	if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
		at++;
	for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
		digits++;
	if (at < text.len && text.ptr[at] == '.')
		for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
			digits++;
	if (digits == 0)
		return false;
	if (at == text.len)
		return true;
	if (text.ptr[at] != 'e' && text.ptr[at] != 'E')
		return false;
	at++;
	if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
		at++;
	return parse_digits(str_skip(text, at), &(uint64_t){0});
}

int number_parse_double(struct str text, double *ret, struct err *err)
{
	char copy[DOUBLE_TEXT_SIZE];
	double value;

	if (text.len >= sizeof(copy) || !is_decimal(text))
		return refuse(text, "a decimal number", err);
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	value = strtod(copy, NULL); /* programs never call setlocale(LC_NUMERIC) */
	if (!isfinite(value))
		return refuse(text, "a number that fits a double", err);
	*ret = value;
	return 0;
}

int number_parse_bool(struct str text, bool *ret, struct err *err)
{
	static const struct {
		const char *text;
		bool value;
	} words[] = {
		{"1", true},    {"t", true},      {"T", true},      {"TRUE", true},
		{"true", true}, {"True", true},   {"0", false},     {"f", false},
		{"F", false},   {"FALSE", false}, {"false", false}, {"False", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_is(text, words[i].text)) {
			*ret = words[i].value;
			return 0;
		}
	}
	return refuse(text, "a boolean (true or false)", err);
}
