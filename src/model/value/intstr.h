/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/intstr.h - a number or a text: ports, and counts that may be percentages ("25%").
 *
 * struct intstr is in model/field/view.h. */
#ifndef MODEL_INTSTR_H
#define MODEL_INTSTR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "model/field/view.h"

/* A number if the text is one that fits, else the text. Borrows it. */
struct intstr intstr_parse(struct str text);
void intstr_print(const struct intstr *value, struct buf *to);

/* Is it a text of digits and a percent sign? */
bool intstr_is_percent(const struct intstr *value);

/* The number itself, or so many percent of `total`, rounded up or down. ERR_INVALID for any other
 * text, in upstream's words. */
int intstr_scale(const struct intstr *value, int64_t total, bool round_up, int64_t *ret,
		 struct err *err) MUST_CHECK;

#endif
