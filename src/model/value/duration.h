/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/duration.h - Go's durations: "1h30m", "1.5h", "100ms", printed as "1h30m0s".
 *
 * Here in nanoseconds, as Go has them, so that what is read is printed back the same; views hold
 * microseconds like every other time of ours. */
#ifndef MODEL_DURATION_H
#define MODEL_DURATION_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { DURATION_TEXT_SIZE = 32 };

#define DURATION_MICROSECOND INT64_C(1000)
#define DURATION_SECOND INT64_C(1000000000)

/* Signs, fractions and the units ns, us, ms, s, m, h. ERR_BAD_REQUEST in Go's words:
 * `time: invalid duration "x"`, `time: missing unit in duration "1"`,
 * `time: unknown unit "d" in duration "1d"`. */
int duration_parse(struct str text, int64_t *ret, struct err *err) MUST_CHECK;
/* Gives `text` back. */
const char *duration_print(int64_t nanoseconds, char text[DURATION_TEXT_SIZE]);
/* As kubectl shows an age: "45s", "3m20s", "5h", "2d3h", "400d", "2y10d"; "<invalid>" if it is
 * negative by more than one second (clocks may differ that much). In microseconds; gives `text`
 * back. */
const char *duration_print_age(int64_t microseconds, char text[DURATION_TEXT_SIZE]);

#endif
