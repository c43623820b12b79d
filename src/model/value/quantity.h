/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/quantity.h - Kubernetes quantities ("500m", "1.5Gi", "12e6"), exact.
 *
 * A quantity is value x 10^scale with the format it was written in, so that it prints in the same
 * family: 1024Ki as 1Mi, 1000k as 1M, 0.5 as 500m. Like kube-apiserver, a text that is already good
 * enough is kept as it stands ("+1", "1.048576M"): see quantity_print().
 *
 * The smallest step is a nano: what is finer is rounded away from zero at parsing. Binary formats
 * are capped at the largest int64, as upstream; a decimal mantissa that does not fit 128 bits
 * is capped at the largest that does (upstream: unbounded). */
#ifndef MODEL_QUANTITY_H
#define MODEL_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

__extension__ typedef __int128 int128_t;

enum quantity_format {
	QUANTITY_DECIMAL_SI,       /* n u m k M G T P E */
	QUANTITY_BINARY_SI,        /* Ki Mi Gi Ti Pi Ei */
	QUANTITY_DECIMAL_EXPONENT, /* e3 */
	QUANTITY_FORMAT_COUNT
};

struct quantity {
	int128_t value;
	int32_t scale;
	enum quantity_format format;
	struct str text; /* the written form if it is kept as it is; borrowed; else none */
};

/* Buffer size for any printed quantity that is not kept text. */
enum { QUANTITY_TEXT_SIZE = 64 };

/* The text of a string or number; white space at both ends is allowed, as in JSON upstream. The
 * error's text is upstream's; code ERR_BAD_REQUEST. *ret borrows `text`. */
int quantity_parse(struct str text, struct quantity *ret, struct err *err) MUST_CHECK;

struct quantity quantity_make(int64_t value, enum quantity_format format);
/* value / 1000 */
struct quantity quantity_make_milli(int64_t value, enum quantity_format format);
/* value x 10^scale */
struct quantity quantity_make_scaled(int64_t value, int32_t scale, enum quantity_format format);

/* The form that kube-apiserver prints. */
void quantity_print(const struct quantity *q, struct buf *to);
/* The same for a quantity whose text is forgotten: what a sum prints. Gives `text` back. */
const char *quantity_canonical(const struct quantity *q, char text[QUANTITY_TEXT_SIZE]);

/* In whole units or thousandths, fractions rounded away from zero; capped to int64. */
int64_t quantity_value(const struct quantity *q);
int64_t quantity_milli(const struct quantity *q);
/* Is it more than whole units? What is too large to be counted in thousandths is whole. */
bool quantity_has_fraction(const struct quantity *q);
/* In units of 10^scale, rounded and capped in the same way. */
int64_t quantity_scaled(const struct quantity *q, int32_t scale);
double quantity_real(const struct quantity *q);

/* <0, 0 or >0 */
int quantity_cmp(const struct quantity *a, const struct quantity *b);
int quantity_sign(const struct quantity *q);
static inline bool quantity_is_zero(const struct quantity *q)
{
	return q->value == 0;
}
/* Is it a whole number of 10^scale? */
bool quantity_is_whole(const struct quantity *q, int32_t scale);

/* In place. A zero takes the format of what is added to it. */
void quantity_add(struct quantity *q, const struct quantity *other);
void quantity_sub(struct quantity *q, const struct quantity *other);
void quantity_neg(struct quantity *q);
void quantity_mul(struct quantity *q, int64_t factor);
/* Round away from zero to a multiple of 10^scale, as kube-apiserver rounds container resources
 * to milli; false when something was lost. */
bool quantity_round_up(struct quantity *q, int32_t scale);

#endif
