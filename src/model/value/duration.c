/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/duration.c - parse and print durations exactly like Go's time package.
 *
 * A duration is a signed sum of decimal numbers with a unit each, in nanoseconds; fractions finer
 * than a nanosecond are cut off. Overflow of int64 is an error. */
#include "model/value/duration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/macro.h"
#include "model/rules/causes.h"

#include "base/banned.h"

static const struct {
	struct str text;
	uint64_t nanoseconds;
} units[] = {
	{STR_INIT("ns"), 1},
	{STR_INIT("us"), 1000},
	{STR_INIT("\xc2\xb5s"), 1000}, /* micro sign */
	{STR_INIT("\xce\xbcs"), 1000}, /* Greek mu */
	{STR_INIT("ms"), 1000000},
	{STR_INIT("s"), 1000000000},
	{STR_INIT("m"), UINT64_C(60000000000)},
	{STR_INIT("h"), UINT64_C(3600000000000)},
};

#define MOST (UINT64_C(1) << 63)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int invalid(struct str text, struct err *err)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	causes_quote(&quoted, text);
	return err_set(err, ERR_BAD_REQUEST, "time: invalid duration %s", buf_text(&quoted));
}

static int bad_unit(struct str unit, struct str text, struct err *err)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf which = BUF_UNBOUNDED;

	causes_quote(&quoted, text);
	if (!unit.len)
		return err_set(err, ERR_BAD_REQUEST, "time: missing unit in duration %s",
			       buf_text(&quoted));
	causes_quote(&which, unit);
	return err_set(err, ERR_BAD_REQUEST, "time: unknown unit %s in duration %s",
		       buf_text(&which), buf_text(&quoted));
}

/* A number with a point: whole + fraction / scale. */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	double scale;
};

/* Cut the number off the front; false when there is none or it is too large. */
static bool take_decimal(struct str *rest, struct decimal *ret)
{
	size_t at = 0;
	size_t digits = 0;
	bool full = false;

	*ret = (struct decimal){.scale = 1};
	for (; at < rest->len && is_digit(rest->ptr[at]); at++, digits++) {
		if (ret->whole > MOST / 10)
			return false;
		ret->whole = ret->whole * 10 + (uint64_t)(rest->ptr[at] - '0');
		if (ret->whole > MOST)
			return false;
	}
	if (at < rest->len && rest->ptr[at] == '.') {
		for (at++; at < rest->len && is_digit(rest->ptr[at]); at++, digits++) {
			uint64_t next = ret->fraction * 10 + (uint64_t)(rest->ptr[at] - '0');

			full = full || ret->fraction > (MOST - 1) / 10 || next > MOST;
			if (full) /* finer than anything counts */
				continue;
			ret->fraction = next;
			ret->scale *= 10;
		}
	}
	*rest = str_skip(*rest, at);
	return digits > 0;
}

static struct str take_unit(struct str *rest)
{
	size_t at = 0;
	struct str unit;

	while (at < rest->len && rest->ptr[at] != '.' && !is_digit(rest->ptr[at]))
		at++;
	unit = str_slice(*rest, 0, at);
	*rest = str_skip(*rest, at);
	return unit;
}

static uint64_t unit_length(struct str unit)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_eq(units[i].text, unit))
			return units[i].nanoseconds;
	return 0;
}

int duration_parse(struct str text, int64_t *ret, struct err *err)
{
	struct str rest = text;
	bool negative = false;
	uint64_t sum = 0;

	if (rest.len && (rest.ptr[0] == '-' || rest.ptr[0] == '+')) {
		negative = rest.ptr[0] == '-';
		rest = str_skip(rest, 1);
	}
	if (str_is(rest, "0")) {
		*ret = 0;
		return 0;
	}
	if (!rest.len)
		return invalid(text, err);
	while (rest.len) {
		struct decimal number;
		struct str unit;
		uint64_t length;

		if (!take_decimal(&rest, &number))
			return invalid(text, err);
		unit = take_unit(&rest);
		length = unit_length(unit);
		if (!length)
			return bad_unit(unit, text, err);
		if (number.whole > MOST / length)
			return invalid(text, err);
		number.whole *= length;
		number.whole +=
			(uint64_t)((double)number.fraction * ((double)length / number.scale));
		sum += number.whole;
		if (number.whole > MOST || sum > MOST)
			return invalid(text, err);
	}
	if (!negative && sum > MOST - 1)
		return invalid(text, err);
	*ret = negative ? (int64_t)(0 - sum) : (int64_t)sum;
	return 0;
}

/* A number of nanoseconds as units of `unit`, without trailing zeros of the fraction. */
static void put_fraction(struct buf *to, uint64_t value, uint64_t unit)
{
	char digits[16] = "";
	size_t len = 0;
	uint64_t fraction = value % unit;

	buf_put_uint(to, value / unit);
	for (uint64_t place = unit / 10; place && len < sizeof(digits); place /= 10)
		digits[len++] = (char)('0' + fraction / place % 10);
	while (len && digits[len - 1] == '0')
		len--;
	if (len) {
		buf_putc(to, '.');
		buf_put(to, digits, len);
	}
}

const char *duration_print(int64_t nanoseconds, char text[DURATION_TEXT_SIZE])
{
	AUTO(buf_done) struct buf out = BUF_INIT(DURATION_TEXT_SIZE - 1);
	uint64_t value = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
	uint64_t seconds = value / DURATION_SECOND;

	if (nanoseconds < 0)
		buf_putc(&out, '-');
	if (value == 0) {
		buf_puts(&out, "0s");
	} else if (value < 1000) {
		buf_put_uint(&out, value);
		buf_puts(&out, "ns");
	} else if (value < 1000000) {
		put_fraction(&out, value, 1000);
		buf_puts(&out, "\xc2\xb5s");
	} else if (value < DURATION_SECOND) {
		put_fraction(&out, value, 1000000);
		buf_puts(&out, "ms");
	} else {
		if (seconds >= 3600)
			buf_printf(&out, "%" PRIu64 "h", seconds / 3600);
		if (seconds >= 60)
			buf_printf(&out, "%" PRIu64 "m", seconds / 60 % 60);
		put_fraction(&out, value % (60 * (uint64_t)DURATION_SECOND), DURATION_SECOND);
		buf_putc(&out, 's');
	}
	snprintf(text, DURATION_TEXT_SIZE, "%s", buf_text(&out));
	return text;
}

/* --- ages ------------------------------------------------------------------------------------ */

/* How ages below a bound are shown: in a unit, and some with what is left in a smaller one. */
static const struct age_step {
	int64_t below; /* seconds */
	int64_t unit;
	int64_t rest_unit; /* 0: the rest is left away */
	char letter;
	char rest_letter;
} age_steps[] = {
	{120, 1, 0, 's', 0},
	{600, 60, 1, 'm', 's'},
	{INT64_C(3) * 3600, 60, 0, 'm', 0},
	{INT64_C(8) * 3600, 3600, 60, 'h', 'm'},
	{INT64_C(48) * 3600, 3600, 0, 'h', 0},
	{INT64_C(8) * 86400, 86400, 3600, 'd', 'h'},
	{INT64_C(730) * 86400, 86400, 0, 'd', 0},
	{INT64_C(2920) * 86400, INT64_C(365) * 86400, 86400, 'y', 'd'},
	{INT64_MAX, INT64_C(365) * 86400, 0, 'y', 0},
};

const char *duration_print_age(int64_t microseconds, char text[DURATION_TEXT_SIZE])
{
	int64_t seconds = microseconds / 1000000;
	const struct age_step *step = age_steps;
	int64_t rest;

	if (seconds < -1) {
		snprintf(text, DURATION_TEXT_SIZE, "<invalid>");
		return text;
	}
	if (seconds < 0)
		seconds = 0;
	while (seconds >= step->below)
		step++;
	rest = step->rest_unit ? seconds % step->unit / step->rest_unit : 0;
	if (rest)
		snprintf(text, DURATION_TEXT_SIZE, "%" PRId64 "%c%" PRId64 "%c",
			 seconds / step->unit, step->letter, rest, step->rest_letter);
	else
		snprintf(text, DURATION_TEXT_SIZE, "%" PRId64 "%c", seconds / step->unit,
			 step->letter);
	return text;
}
