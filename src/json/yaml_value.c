/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml_value.c - resolved scalars as JSON, and floating-point numbers in Go's layout.
 *
 * kubectl turns YAML into JSON text and reads that back, so a number is the result of that round
 * trip: a float of a whole value is printed without a point and comes back as an integer, made of
 * its shortest digits (2^60 as a float is 1152921504606847000). Names of members that are floats
 * are printed with single precision. Both are the same here, because users see them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "json/yaml_internal.h"

#include "base/banned.h"

/* --- shortest digits -------------------------------------------------------------------------- */

/* The number 0.DIGITS times ten to the power of `point`; no zeros at the end but a lone one. */
struct decimal {
	char digits[24];
	int len;
	int point;
	bool negative;
};

/* From "-1.25e+07", with any decimal point of the locale. */
static struct decimal decimal_read(const char *text)
{
	struct decimal decimal = {.negative = *text == '-'};
	const char *at = text;

	for (; *at && *at != 'e'; at++) {
		if (*at >= '0' && *at <= '9')
			decimal.digits[decimal.len++] = *at;
	}
	decimal.point = *at ? (int)strtol(at + 1, NULL, 10) + 1 : 1;
	while (decimal.len > 1 && decimal.digits[decimal.len - 1] == '0')
		decimal.len--;
	return decimal;
}

/* Every decimal of 15 digits survives a double, so fewer need not be tried: the zeros at its end
 * are cut off. 17 always do. For a float these are 6 and 9. Numbers next to zero have less. */
static struct decimal decimal_of_double(double real)
{
	char text[40];

	for (int digits = fabs(real) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, real);
		if (strtod(text, NULL) == real)
			break;
	}
	return decimal_read(text);
}

static struct decimal decimal_of_float(float real)
{
	char text[40];

	for (int digits = fabsf(real) < FLT_MIN ? 1 : 6; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, (double)real);
		if (strtof(text, NULL) == real)
			break;
	}
	return decimal_read(text);
}

static void put_zeros(struct buf *to, int count)
{
	for (int i = 0; i < count; i++)
		buf_putc(to, '0');
}

/* Without an exponent. */
static void decimal_print_plain(const struct decimal *decimal, struct buf *to)
{
	int whole = decimal->point < decimal->len ? decimal->point : decimal->len;

	if (decimal->negative)
		buf_putc(to, '-');
	if (whole > 0)
		buf_put(to, decimal->digits, (size_t)whole);
	else
		buf_putc(to, '0');
	put_zeros(to, decimal->point - decimal->len);
	if (decimal->point >= decimal->len)
		return;
	buf_putc(to, '.');
	put_zeros(to, -decimal->point);
	whole = whole > 0 ? whole : 0;
	buf_put(to, decimal->digits + whole, (size_t)(decimal->len - whole));
}

/* As Go's %g of the shortest digits: an exponent of two digits at least, below 10^-4 and from 10^6
 * on. */
static void decimal_print(const struct decimal *decimal, struct buf *to)
{
	int exponent = decimal->point - 1;

	if (exponent >= -4 && exponent < 6) {
		decimal_print_plain(decimal, to);
		return;
	}
	if (decimal->negative)
		buf_putc(to, '-');
	buf_putc(to, decimal->digits[0]);
	if (decimal->len > 1) {
		buf_putc(to, '.');
		buf_put(to, decimal->digits + 1, (size_t)decimal->len - 1);
	}
	buf_printf(to, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

/* Digits, no point and no exponent: how JSON prints whole numbers. */
static bool print_whole(double real, struct buf *to)
{
	if (!(fabs(real) < 1e21)) /* nor NaN */
		return false;
	struct decimal decimal = decimal_of_double(real);
	if (decimal.point < decimal.len && real != 0)
		return false;
	decimal_print_plain(&decimal, to);
	return true;
}

void yaml_real_print(double real, struct buf *to)
{
	AUTO(buf_done) struct buf whole = BUF_UNBOUNDED;
	int64_t integer;
	uint64_t natural;

	if (print_whole(real, &whole) && (number_parse_i64(buf_str(&whole), &integer, NULL) == 0 ||
					  number_parse_u64(buf_str(&whole), &natural, NULL) == 0)) {
		buf_put_str(to, real == 0 ? STR("0") : buf_str(&whole));
		return;
	}
	struct decimal decimal = decimal_of_double(real);
	decimal_print(&decimal, to);
}

bool yaml_real_is_integer(double real, int64_t *ret)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	return print_whole(real, &text) && number_parse_i64(buf_str(&text), ret, NULL) == 0;
}

/* --- values and names ------------------------------------------------------------------------- */

int yaml_scalar_value(const struct yaml_scalar *scalar, struct json_doc *doc, struct json *ret,
		      struct err *err)
{
	int64_t integer;

	switch (scalar->kind) {
	case YAML_KIND_NULL:
		*ret = json_new_null(doc);
		return 0;
	case YAML_KIND_BOOL:
		*ret = json_new_bool(doc, scalar->boolean);
		return 0;
	case YAML_KIND_INT:
		*ret = json_new_int(doc, scalar->integer);
		return 0;
	case YAML_KIND_UINT:
		*ret = json_new_real(doc, (double)scalar->natural);
		return 0;
	case YAML_KIND_FLOAT:
		if (!isfinite(scalar->real))
			return err_set(err, ERR_BAD_REQUEST,
				       "found the number %.*s, expected one that JSON can hold",
				       STR_ARG(scalar->text));
		*ret = yaml_real_is_integer(scalar->real, &integer)
			       ? json_new_int(doc, integer)
			       : json_new_real(doc, scalar->real);
		return 0;
	default:
		*ret = json_new_str(doc, scalar->text);
		return 0;
	}
}

static void print_key_float(double real, struct buf *to)
{
	float single = (float)real;

	if (isnan(single)) {
		buf_puts(to, ".nan");
	} else if (isinf(single)) {
		buf_puts(to, single < 0 ? "-.inf" : ".inf");
	} else {
		struct decimal decimal = decimal_of_float(single);

		decimal_print(&decimal, to);
	}
}

int yaml_scalar_key(const struct yaml_scalar *scalar, struct arena *arena, struct str *ret,
		    struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	switch (scalar->kind) {
	case YAML_KIND_NULL:
		return err_set(err, ERR_BAD_REQUEST,
			       "found null as a key in a map, expected a string");
	case YAML_KIND_UINT:
		return err_set(err, ERR_BAD_REQUEST,
			       "found the key %.*s in a map, expected a string or a number within "
			       "64 bits",
			       STR_ARG(scalar->text));
	case YAML_KIND_BOOL:
		*ret = scalar->boolean ? STR("true") : STR("false");
		return 0;
	case YAML_KIND_INT:
		buf_put_int(&text, scalar->integer);
		break;
	case YAML_KIND_FLOAT:
		print_key_float(scalar->real, &text);
		break;
	default:
		*ret = arena_str(arena, scalar->text);
		return 0;
	}
	*ret = arena_str(arena, buf_str(&text));
	return 0;
}
