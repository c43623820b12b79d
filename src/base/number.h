/* SPDX-License-Identifier: Apache-2.0 */
/* base/number.h - numbers from text, whole and exact: no leading blanks, nothing after the end, an error
 * that names the text and what was expected. And arithmetic on untrusted numbers that stops at the largest
 * number instead of overflowing. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Decimal, with an optional sign. ERR_BAD_REQUEST when it is no number or out of range. */
int number_parse_i64(struct str text, int64_t *ret, struct err *err) MUST_CHECK;
int number_parse_u64(struct str text, uint64_t *ret, struct err *err) MUST_CHECK;
/* Within [min, max]. */
int number_parse_range(struct str text, int64_t min, int64_t max, int64_t *ret,
		       struct err *err) MUST_CHECK;
/* A finite decimal floating-point number; independent of the locale. */
int number_parse_double(struct str text, double *ret, struct err *err) MUST_CHECK;
/* As Go's strconv.ParseBool: 1 t T TRUE true True, 0 f F FALSE false False. */
int number_parse_bool(struct str text, bool *ret, struct err *err) MUST_CHECK;

/* For amounts that are not negative. */
static inline int64_t number_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static inline int64_t number_multiply(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Counters and products of 32 bits, of any sign: they stop at the nearest number that fits. */
static inline int32_t number_clamp_i32(int64_t value)
{
	return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

static inline int32_t number_add_i32(int32_t a, int32_t b)
{
	return number_clamp_i32((int64_t)a + b);
}

#endif
