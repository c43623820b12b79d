/* SPDX-License-Identifier: Apache-2.0 */
/* base/time.h - points in time as int64 microseconds since 1970 UTC, and their RFC 3339 text.
 *
 * Years 0001 to 9999. Nothing here reads a clock: loop_now() gives the time. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define TIME_MILLISECOND INT64_C(1000)
#define TIME_SECOND INT64_C(1000000)
#define TIME_MINUTE (60 * TIME_SECOND)
#define TIME_HOUR (60 * TIME_MINUTE)
#define TIME_DAY (24 * TIME_HOUR)

/* The longest span accepted from outside, ten thousand years: adding two of them to a time does not
 * overflow. */
#define TIME_SPAN_MAX (INT64_C(10000) * 366 * TIME_DAY)

enum { TIME_TEXT_SIZE = 32 };

struct time_fields {
	int year;  /* 1 to 9999 */
	int month; /* 1 to 12 */
	int day;   /* 1 to 31 */
	int hour, minute, second, microsecond;
	int weekday; /* 0 is Sunday */
	int yearday; /* 1 to 366 */
};

/* "2026-01-02T03:04:05Z", with fraction and zone offset as RFC 3339 allows; digits past the
 * microsecond are cut off. A leap second counts as the next second. */
int time_parse(struct str text, int64_t *ret, struct err *err) MUST_CHECK;

/* Whole seconds, as Kubernetes prints metav1.Time: 2026-01-02T03:04:05Z */
const char *time_print(int64_t time, char text[TIME_TEXT_SIZE]);
/* Six digits, as metav1.MicroTime: 2026-01-02T03:04:05.678901Z */
const char *time_print_micro(int64_t time, char text[TIME_TEXT_SIZE]);

/* A number of seconds as a span, at most TIME_SPAN_MAX long in either direction. */
int64_t time_span(int64_t seconds);
/* The time a span later, or earlier; clamped to the years 0001 to 9999. */
int64_t time_after(int64_t time, int64_t span);

void time_split(int64_t time, struct time_fields *ret);
/* Fields out of range carry over (minute 61 is one past the hour); weekday and yearday are ignored.
 */
int64_t time_join(const struct time_fields *fields);

#endif
