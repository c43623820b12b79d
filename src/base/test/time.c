/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time.h"

#include <inttypes.h>
#include <time.h>

#include "base/macro.h"
#include "base/uuid.h"
#include "tap.h"

static const struct {
	const char *text;
	const char *micro; /* NULL: refused */
} rows[] = {
	{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
	{"2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05.678901Z"},
	{"2026-01-02T03:04:05.6789019999Z", "2026-01-02T03:04:05.678901Z"},
	{"2026-01-02T03:04:05.5+02:00", "2026-01-02T01:04:05.500000Z"},
	{"2026-01-01T00:30:00-01:30", "2026-01-01T02:00:00.000000Z"},
	{"2024-02-29t12:00:00z", "2024-02-29T12:00:00.000000Z"},
	{"2016-12-31T23:59:60Z", NULL},
	{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
	{"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
	{"9999-12-31T23:59:59+00:01", "9999-12-31T23:58:59.000000Z"},
	{"9999-12-31T23:59:59-00:01", NULL}, /* in the year 10000, which has no text */
	{"9999-12-31T23:59:60Z", NULL},
	{"0001-01-01T00:00:00+00:01", NULL}, /* before the year 1 */
	{"0000-12-31T23:59:00-00:01", NULL},
	{"2023-02-29T00:00:00Z", NULL},
	{"2026-13-01T00:00:00Z", NULL},
	{"2026-00-01T00:00:00Z", NULL},
	{"2026-01-01T24:00:00Z", NULL},
	{"2026-01-01T00:00:00", NULL},
	{"2026-01-01 00:00:00Z", NULL},
	{"2026-01-01T00:00:00.Z", NULL},
	{"2026-01-01T00:00:00+24:00", NULL},
	{"2026-01-01T00:00:00Zx", NULL},
	{"2026-1-01T00:00:00Z", NULL},
	{"", NULL},
};

int main(void)
{
	char text[TIME_TEXT_SIZE];
	char uuid[UUID_TEXT_SIZE];
	struct err err;
	struct time_fields ends[2];
	bool same = true;
	int64_t time;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int result = time_parse(str_from(rows[i].text), &time, &err);

		if (!rows[i].micro)
			ok(result < 0, "\"%s\" is refused", rows[i].text);
		else if (ok(result == 0, "\"%s\" is a time", rows[i].text))
			is(time_print_micro(time, text), rows[i].micro);
	}
	ok(time_parse(STR("2026-01-02T03:04:05.678901Z"), &time, &err) == 0, "a time");
	is(time_print(time, text), "2026-01-02T03:04:05Z");

	/* Every day of four centuries and more, against the C library. */
	for (int64_t day = -800000; day < 800000; day += 7) {
		struct time_fields f;
		time_t seconds = (time_t)(day * 86400 + 3661);
		struct tm tm;

		time_split(seconds * TIME_SECOND + 5, &f);
		gmtime_r(&seconds, &tm);
		if (f.year != tm.tm_year + 1900 || f.month != tm.tm_mon + 1 ||
		    f.day != tm.tm_mday || f.hour != tm.tm_hour || f.minute != tm.tm_min ||
		    f.second != tm.tm_sec || f.weekday != tm.tm_wday ||
		    f.yearday != tm.tm_yday + 1 || f.microsecond != 5 ||
		    time_join(&f) != seconds * TIME_SECOND + 5)
			same = false;
	}
	time_split(INT64_MIN, &ends[0]);
	time_split(INT64_MAX, &ends[1]);
	ok(time_join(&ends[0]) == INT64_MIN && time_join(&ends[1]) == INT64_MAX,
	   "so it does at both ends of the type");
	ok(same, "splitting agrees with the C library, joining undoes it");
	time = time_join(&(struct time_fields){.year = 2025, .month = 14, .day = 30, .minute = 61});
	is(time_print(time, text), "2026-03-02T01:01:00Z");

	ok(time_span(30) == 30 * TIME_SECOND && time_span(-30) == -30 * TIME_SECOND &&
		   time_span(INT64_MAX) == TIME_SPAN_MAX && time_span(INT64_MIN) == -TIME_SPAN_MAX,
	   "a span is as long as it was said, up to ten thousand years");
	is(time_print(time_after(time, time_span(59)), text), "2026-03-02T01:01:59Z");
	is(time_print(time_after(time, time_span(INT64_MAX)), text), "9999-12-31T23:59:59Z");
	is(time_print(time_after(time, time_span(INT64_MIN)), text), "0001-01-01T00:00:00Z");
	is(time_print(time_after(INT64_MAX, 1), text), "9999-12-31T23:59:59Z");
	is(time_print(time_after(INT64_MIN, -1), text), "0001-01-01T00:00:00Z");

	is(uuid_print((const uint8_t[16]){0xff, 0, 1, 2, 3, 4, 0xff, 6, 0xff, 8}, uuid),
	   "ff000102-0304-4f06-bf08-000000000000");
	ok(uuid_is_valid(str_from(uuid)), "a printed UUID is one");
	ok(!uuid_is_valid(STR("ff000102-0304-4f06-bf08-00000000000g")) &&
		   !uuid_is_valid(STR("ff000102x0304-4f06-bf08-000000000000")) &&
		   !uuid_is_valid(STR("short")),
	   "others are not");
	return tap_done();
}
