/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/quantity.c - parse, print and add up Kubernetes quantities.
 *
 * Parsing has two ways, as upstream, because which one is taken decides what is printed later:
 * short texts become an integer and a power of ten directly, and may keep their own text; all
 * others go through a row of decimal digits, which is exact whatever the text says.
 *
 * 1. scale is at least -9 (nano) after parsing and after every operation on parsed values.
 * 2. The mantissa of a parsed quantity has at most 36 digits; more are rounded away from zero.
 * 3. Whatever changes the value forgets the text.
 *
 * Two things are better than upstream, which loses them: a decimal quantity above 1000E prints with
 * all its digits (upstream prints 1000E as 1), and overflow is capped instead of wrapped. */
#include "model/value/quantity.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/macro.h"
#include "base/number.h"

#include "base/banned.h"

#define FORMAT_WRONG                                    \
	"quantities must match the regular expression " \
	"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define SUFFIX_WRONG "unable to parse quantity's suffix"

enum {
	NANO = -9,
	FAST_DIGITS = 18,        /* any number of so many digits fits an int64 */
	FAST_BINARY_DIGITS = 15, /* the same for binary suffixes, less what the suffix takes */
	MANTISSA_DIGITS = 36,
	EXA = 18,
	MAX_DIGITS = LIMIT_QUANTITY_BYTES + 20, /* a text's digits, times 2^60 */
};

#define INT128_MAX (((((int128_t)1) << 126) - 1) * 2 + 1)

struct suffix {
	struct str text;
	enum quantity_format format;
	int exponent; /* of 10, or of 2 for the binary ones */
};

static const struct suffix suffixes[] = {
	{STR_INIT(""), QUANTITY_DECIMAL_SI, 0},   {STR_INIT("n"), QUANTITY_DECIMAL_SI, -9},
	{STR_INIT("u"), QUANTITY_DECIMAL_SI, -6}, {STR_INIT("m"), QUANTITY_DECIMAL_SI, -3},
	{STR_INIT("k"), QUANTITY_DECIMAL_SI, 3},  {STR_INIT("M"), QUANTITY_DECIMAL_SI, 6},
	{STR_INIT("G"), QUANTITY_DECIMAL_SI, 9},  {STR_INIT("T"), QUANTITY_DECIMAL_SI, 12},
	{STR_INIT("P"), QUANTITY_DECIMAL_SI, 15}, {STR_INIT("E"), QUANTITY_DECIMAL_SI, 18},
	{STR_INIT("Ki"), QUANTITY_BINARY_SI, 10}, {STR_INIT("Mi"), QUANTITY_BINARY_SI, 20},
	{STR_INIT("Gi"), QUANTITY_BINARY_SI, 30}, {STR_INIT("Ti"), QUANTITY_BINARY_SI, 40},
	{STR_INIT("Pi"), QUANTITY_BINARY_SI, 50}, {STR_INIT("Ei"), QUANTITY_BINARY_SI, 60},
};

/* The parts of a written quantity. */
struct parts {
	bool negative;
	struct str whole;    /* digits before the point, without leading zeros, or "0" */
	struct str fraction; /* digits after it */
	struct str suffix;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_digits(struct str text, size_t at)
{
	while (at < text.len && is_digit(text.ptr[at]))
		at++;
	return at;
}

static int split(struct str text, struct parts *ret, struct err *err)
{
	size_t at = 0;
	size_t from;

	*ret = (struct parts){.whole = STR("0"), .fraction = STR(""), .suffix = STR("")};
	if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
		ret->negative = text.ptr[at++] == '-';
	while (at < text.len && text.ptr[at] == '0')
		at++;
	from = at;
	at = skip_digits(text, at);
	if (at > from)
		ret->whole = str_slice(text, from, at);
	if (at < text.len && text.ptr[at] == '.') {
		from = ++at;
		at = skip_digits(text, at);
		ret->fraction = str_slice(text, from, at);
	}
	from = at;
	while (at < text.len && text.ptr[at] && strchr("eEinumkKMGTP", text.ptr[at]))
		at++;
	if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
		at++;
	at = skip_digits(text, at);
	if (at < text.len)
		return err_set(err, ERR_BAD_REQUEST, FORMAT_WRONG);
	ret->suffix = str_slice(text, from, at);
	return 0;
}

static int interpret(struct str suffix, struct suffix *ret, struct err *err)
{
	int64_t exponent;

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		if (str_eq(suffix, suffixes[i].text)) {
			*ret = suffixes[i];
			return 0;
		}
	}
	if (suffix.len < 2 || (suffix.ptr[0] != 'e' && suffix.ptr[0] != 'E') ||
	    number_parse_range(str_skip(suffix, 1), -INT32_MAX / 2, INT32_MAX / 2, &exponent, NULL))
		return err_set(err, ERR_BAD_REQUEST, SUFFIX_WRONG);
	*ret = (struct suffix){STR(""), QUANTITY_DECIMAL_EXPONENT, (int)exponent};
	return 0;
}

/* May the text be kept unchanged? Upstream's rule: it is close enough to canonical. */
static bool keeps_text(const struct parts *parts, const struct suffix *suffix, int64_t number)
{
	int scale = suffix->exponent - (int)parts->fraction.len;

	if (suffix->format == QUANTITY_BINARY_SI)
		return (number & 7) != 0;
	return scale % 3 == 0 && number % 1000 != 0 && parts->whole.ptr[0] != '0';
}

/* The short way; false when the text is not short enough. */
static bool parse_short(struct str text, const struct parts *parts, const struct suffix *suffix,
			struct quantity *ret)
{
	bool binary = suffix->format == QUANTITY_BINARY_SI;
	size_t digits = parts->whole.len + parts->fraction.len;
	int scale = suffix->exponent - (int)parts->fraction.len;
	int64_t number = 0;

	if (binary ? parts->fraction.len || (int)parts->whole.len + suffix->exponent * 3 / 10 + 1 >
						    FAST_BINARY_DIGITS
		   : digits > FAST_DIGITS || scale < NANO)
		return false;
	for (size_t i = 0; i < parts->whole.len; i++)
		number = number * 10 + (parts->whole.ptr[i] - '0');
	for (size_t i = 0; i < parts->fraction.len; i++)
		number = number * 10 + (parts->fraction.ptr[i] - '0');
	*ret = (struct quantity){
		.value = binary ? (int128_t)number << suffix->exponent : number,
		.scale = binary ? 0 : scale,
		.format = suffix->format,
		.text = keeps_text(parts, suffix, number) ? text : str_none(),
	};
	if (parts->negative)
		ret->value = -ret->value;
	return true;
}

/* A row of decimal digits, most significant first. */
struct digits {
	size_t len;
	uint8_t at[MAX_DIGITS];
};

static void digits_double(struct digits *d)
{
	int carry = 0;

	for (size_t i = d->len; i-- > 0;) {
		int twice = d->at[i] * 2 + carry;

		carry = twice >= 10;
		d->at[i] = (uint8_t)(twice % 10);
	}
	if (carry) {
		memmove(d->at + 1, d->at, d->len);
		d->at[0] = 1;
		d->len++;
	}
}

static int128_t digits_value(const struct digits *d, size_t len)
{
	int128_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value * 10 + d->at[i];
	return value;
}

/* Cut to nanos and to what a mantissa holds, rounding up. */
static void digits_round(const struct digits *d, int scale, struct quantity *ret)
{
	size_t first = 0;
	size_t keep = d->len;
	bool lost = false;

	if (scale < NANO) {
		size_t fine = (size_t)(NANO - scale);

		keep = fine < d->len ? d->len - fine : 0;
		scale = NANO;
	}
	while (first < keep && d->at[first] == 0)
		first++;
	if (keep - first > MANTISSA_DIGITS) {
		scale += (int)(keep - first - MANTISSA_DIGITS);
		keep = first + MANTISSA_DIGITS;
	}
	for (size_t i = keep; i < d->len; i++)
		lost = lost || d->at[i] != 0;
	ret->value = digits_value(d, keep) + lost;
	ret->scale = scale;
}

static void parse_long(const struct parts *parts, const struct suffix *suffix, struct quantity *ret)
{
	bool binary = suffix->format == QUANTITY_BINARY_SI;
	struct quantity most = {.value = INT64_MAX};
	struct quantity one = {.value = 1};
	struct digits d = {0};

	for (size_t i = 0; i < parts->whole.len; i++)
		d.at[d.len++] = (uint8_t)(parts->whole.ptr[i] - '0');
	for (size_t i = 0; i < parts->fraction.len; i++)
		d.at[d.len++] = (uint8_t)(parts->fraction.ptr[i] - '0');
	for (int i = 0; binary && i < suffix->exponent; i++)
		digits_double(&d);
	*ret = (struct quantity){.format = suffix->format};
	digits_round(&d, (binary ? 0 : suffix->exponent) - (int)parts->fraction.len, ret);
	if (binary && quantity_cmp(ret, &most) > 0)
		*ret = (struct quantity){.value = INT64_MAX, .format = suffix->format};
	if (binary && ret->value && quantity_cmp(ret, &one) < 0)
		ret->format = QUANTITY_DECIMAL_SI;
	if (parts->negative)
		ret->value = -ret->value;
}

int quantity_parse(struct str text, struct quantity *ret, struct err *err)
{
	struct parts parts = {0};
	struct suffix suffix = {0};

	text = str_trim(text);
	if (text.len == 0)
		return err_set(err, ERR_BAD_REQUEST, FORMAT_WRONG);
	if (text.len > LIMIT_QUANTITY_BYTES)
		return err_set(err, ERR_BAD_REQUEST, "a quantity has at most %d characters",
			       LIMIT_QUANTITY_BYTES);
	if (split(text, &parts, err) || interpret(parts.suffix, &suffix, err))
		return -1;
	if (!parse_short(text, &parts, &suffix, ret))
		parse_long(&parts, &suffix, ret);
	return 0;
}

struct quantity quantity_make(int64_t value, enum quantity_format format)
{
	return quantity_make_scaled(value, 0, format);
}

struct quantity quantity_make_milli(int64_t value, enum quantity_format format)
{
	return quantity_make_scaled(value, -3, format);
}

struct quantity quantity_make_scaled(int64_t value, int32_t scale, enum quantity_format format)
{
	return (struct quantity){.value = value, .scale = scale, .format = format};
}

/* --- arithmetic ------------------------------------------------------------------------------ */

/* value x 10^power, or capped with its sign. */
static int128_t raise_capped(int128_t value, int64_t power)
{
	int128_t most = value < 0 ? -INT128_MAX : INT128_MAX;

	for (; power > 0 && value; power--)
		if (__builtin_mul_overflow(value, 10, &value))
			return most;
	return value;
}

/* value / 10^power, rounded away from zero. */
static int128_t lower_away(int128_t value, int64_t power, bool *exact)
{
	bool lost = false;
	int sign = value < 0 ? -1 : 1;

	for (; power > 0 && value; power--) {
		lost = lost || value % 10;
		value /= 10;
	}
	*exact = !lost;
	return lost ? value + sign : value;
}

int quantity_sign(const struct quantity *q)
{
	return q->value < 0 ? -1 : q->value > 0;
}

static int128_t magnitude(int128_t value)
{
	return value < 0 ? -value : value;
}

/* Can value x 10^power be held? */
static bool can_raise(int128_t value, int64_t power)
{
	int128_t raised = magnitude(value);

	for (; power > 0 && raised; power--)
		if (__builtin_mul_overflow(raised, 10, &raised))
			return false;
	return true;
}

int quantity_cmp(const struct quantity *a, const struct quantity *b)
{
	int64_t up = (int64_t)a->scale - b->scale;
	int sign = quantity_sign(a);
	int128_t left = a->value;
	int128_t right = b->value;

	if (sign != quantity_sign(b))
		return sign < quantity_sign(b) ? -1 : 1;
	if (up > 0 && !can_raise(left, up))
		return sign;
	if (up < 0 && !can_raise(right, -up))
		return -sign;
	if (up > 0)
		left = raise_capped(left, up);
	else
		right = raise_capped(right, -up);
	return left < right ? -1 : left > right;
}

/* Converts *high, the one with the higher scale, to the lower scale; if that does not fit, both get
 * the lowest scale that fits, and the lower one is rounded away from zero. */
static void align(struct quantity *high, struct quantity *low)
{
	bool exact;

	while (high->scale > low->scale && can_raise(high->value, 1)) {
		high->value *= 10;
		if (--high->scale < INT32_MIN / 2)
			break;
		if (high->value == 0)
			high->scale = low->scale;
	}
	low->value = lower_away(low->value, (int64_t)high->scale - low->scale, &exact);
	low->scale = high->scale;
}

void quantity_add(struct quantity *q, const struct quantity *other)
{
	struct quantity sum = *q;
	struct quantity add = *other;

	if (q->value == 0)
		sum.format = other->format;
	if (sum.scale > add.scale)
		align(&sum, &add);
	else
		align(&add, &sum);
	if (__builtin_add_overflow(sum.value, add.value, &sum.value) || sum.value < -INT128_MAX)
		sum.value = add.value < 0 ? -INT128_MAX : INT128_MAX;
	sum.text = str_none();
	*q = sum;
}

void quantity_neg(struct quantity *q)
{
	q->value = -q->value;
	q->text = str_none();
}

void quantity_sub(struct quantity *q, const struct quantity *other)
{
	struct quantity minus = *other;

	quantity_neg(&minus);
	quantity_add(q, &minus);
}

void quantity_mul(struct quantity *q, int64_t factor)
{
	bool negative = (q->value < 0) != (factor < 0);

	if (__builtin_mul_overflow(q->value, (int128_t)factor, &q->value) || q->value < -INT128_MAX)
		q->value = negative ? -INT128_MAX : INT128_MAX;
	q->text = str_none();
}

bool quantity_round_up(struct quantity *q, int32_t scale)
{
	bool exact;

	if (q->scale >= scale)
		return true;
	q->value = lower_away(q->value, (int64_t)scale - q->scale, &exact);
	q->scale = scale;
	q->text = str_none();
	return exact;
}

bool quantity_is_whole(const struct quantity *q, int32_t scale)
{
	struct quantity copy = *q;

	return quantity_round_up(&copy, scale);
}

int64_t quantity_scaled(const struct quantity *q, int32_t scale)
{
	struct quantity copy = *q;

	(void)quantity_round_up(&copy, scale); /* rounding is what is asked for */
	copy.value = raise_capped(copy.value, (int64_t)copy.scale - scale);
	if (copy.value > INT64_MAX)
		return INT64_MAX;
	if (copy.value < INT64_MIN)
		return INT64_MIN;
	return (int64_t)copy.value;
}

int64_t quantity_value(const struct quantity *q)
{
	return quantity_scaled(q, 0);
}

int64_t quantity_milli(const struct quantity *q)
{
	return quantity_scaled(q, -3);
}

bool quantity_has_fraction(const struct quantity *q)
{
	int64_t milli = quantity_milli(q);

	return milli != INT64_MAX && milli != INT64_MIN && milli % 1000 != 0;
}

/* --- printing -------------------------------------------------------------------------------- */

/* The digits of a positive number at the end of `text`; gives where they start. */
static size_t put_digits(int128_t value, char *text, size_t size)
{
	size_t at = size;

	do {
		text[--at] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	return at;
}

double quantity_real(const struct quantity *q)
{
	char digits[48];
	char text[80];
	size_t at = put_digits(magnitude(q->value), digits, sizeof(digits));
	double value;

	snprintf(text, sizeof(text), "%s%.*se%d", q->value < 0 ? "-" : "",
		 (int)(sizeof(digits) - at), digits + at, q->scale);
	if (number_parse_double(str_from(text), &value, NULL))
		value = q->value < 0 ? -DBL_MAX : DBL_MAX;
	return value;
}

static const char *suffix_text(enum quantity_format format, int exponent)
{
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
		if (suffixes[i].format == format && suffixes[i].exponent == exponent)
			return suffixes[i].text.ptr;
	return "";
}

static void print_binary(int128_t value, bool negative, char text[QUANTITY_TEXT_SIZE])
{
	char digits[48];
	int power = 0;
	size_t at;

	while (power < 60 && value >= 1024 && value % 1024 == 0) {
		value /= 1024;
		power += 10;
	}
	at = put_digits(value, digits, sizeof(digits));
	snprintf(text, QUANTITY_TEXT_SIZE, "%s%.*s%s", negative ? "-" : "",
		 (int)(sizeof(digits) - at), digits + at,
		 power ? suffix_text(QUANTITY_BINARY_SI, power) : "");
}

static void print_decimal(int128_t value, int scale, bool negative, enum quantity_format format,
			  char text[QUANTITY_TEXT_SIZE])
{
	char digits[48];
	char suffix[13];
	size_t at, n;
	int zeros;

	while (value % 10 == 0) {
		value /= 10;
		scale++;
	}
	zeros = ((scale % 3) + 3) % 3;
	if (format == QUANTITY_DECIMAL_SI && scale - zeros > EXA)
		zeros = scale - EXA;
	at = put_digits(value, digits, sizeof(digits));
	if (zeros > (int)at) { /* too many digits for one to read */
		format = QUANTITY_DECIMAL_EXPONENT;
		zeros = ((scale % 3) + 3) % 3;
	}
	scale -= zeros;
	if (format == QUANTITY_DECIMAL_EXPONENT && scale)
		snprintf(suffix, sizeof(suffix), "e%d", scale);
	else
		snprintf(suffix, sizeof(suffix), "%s", suffix_text(QUANTITY_DECIMAL_SI, scale));
	n = sizeof(digits) - at;
	memmove(digits, digits + at, n);
	memset(digits + n, '0', (size_t)zeros);
	snprintf(text, QUANTITY_TEXT_SIZE, "%s%.*s%s", negative ? "-" : "", (int)n + zeros, digits,
		 suffix);
}

/* A binary quantity below 1024 or with a fraction prints as a decimal one. */
static bool prints_binary(const struct quantity *q)
{
	return q->format == QUANTITY_BINARY_SI && quantity_is_whole(q, 0) &&
	       can_raise(q->value, q->scale) && magnitude(quantity_value(q)) >= 1024;
}

const char *quantity_canonical(const struct quantity *q, char text[QUANTITY_TEXT_SIZE])
{
	enum quantity_format format = q->format;
	bool exact;

	if (format == QUANTITY_BINARY_SI)
		format = QUANTITY_DECIMAL_SI;
	if (q->value == 0)
		snprintf(text, QUANTITY_TEXT_SIZE, "0");
	else if (prints_binary(q))
		print_binary(magnitude(q->scale < 0 ? lower_away(q->value, -q->scale, &exact)
						    : raise_capped(q->value, q->scale)),
			     q->value < 0, text);
	else
		print_decimal(magnitude(q->value), q->scale, q->value < 0, format, text);
	return text;
}

void quantity_print(const struct quantity *q, struct buf *to)
{
	char text[QUANTITY_TEXT_SIZE];

	if (str_is_none(q->text))
		buf_puts(to, quantity_canonical(q, text));
	else
		buf_put_str(to, q->text);
}
