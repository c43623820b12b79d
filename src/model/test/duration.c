/* SPDX-License-Identifier: Apache-2.0 */
/* Durations as Go has them, and numbers or texts. */
#include "model/value/duration.h"

#include <inttypes.h>

#include "base/macro.h"
#include "model/value/intstr.h"
#include "tap.h"

#define SECOND INT64_C(1000000000)

static void test_durations(void)
{
	static const struct {
		const char *text;
		int64_t want;
		const char *printed;
	} rows[] = {
		{"0", 0, "0s"},
		{"0s", 0, "0s"},
		{"5s", 5 * SECOND, "5s"},
		{"5m0s", 300 * SECOND, "5m0s"},
		{"5m", 300 * SECOND, "5m0s"},
		{"1h30m", 5400 * SECOND, "1h30m0s"},
		{"1.5h", 5400 * SECOND, "1h30m0s"},
		{"1478s", 1478 * SECOND, "24m38s"},
		{"-5s", -5 * SECOND, "-5s"},
		{"+5s", 5 * SECOND, "5s"},
		{"-0", 0, "0s"},
		{"5.0s", 5 * SECOND, "5s"},
		{"5.6s", 5600000000, "5.6s"},
		{"5.s", 5 * SECOND, "5s"},
		{".5s", SECOND / 2, "500ms"},
		{"1.004s", 1004000000, "1.004s"},
		{"100.00100s", 100001000000, "1m40.001s"},
		{"10ns", 10, "10ns"},
		{"11us", 11000, "11\xc2\xb5s"},
		{"12\xc2\xb5s", 12000, "12\xc2\xb5s"},
		{"12\xce\xbcs", 12000, "12\xc2\xb5s"},
		{"13ms", 13000000, "13ms"},
		{"1.1us", 1100, "1.1\xc2\xb5s"},
		{"2.2ms", 2200000, "2.2ms"},
		{"3h30m", 12600 * SECOND, "3h30m0s"},
		{"10.5s4m", 250500000000, "4m10.5s"},
		{"1h2m3s4ms5us6ns", 3723004005006, "1h2m3.004005006s"},
		{"52763797000ns", 52763797000, "52.763797s"},
		{"0.3333333333333333333h", 1200 * SECOND, "20m0s"},
		{"9223372036854775807ns", INT64_MAX, "2562047h47m16.854775807s"},
		{"-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s"},
		{"0.100000000000000000000h", 360 * SECOND, "6m0s"},
		{"24h", 86400 * SECOND, "24h0m0s"},
	};
	char text[DURATION_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t got = 7;
		struct err err = {0};

		ok(duration_parse(str_from(rows[i].text), &got, &err) == 0 && got == rows[i].want,
		   "%s is %" PRId64 " (%" PRId64 ") %s", rows[i].text, rows[i].want, got, err.text);
		is(duration_print(got, text), rows[i].printed);
		ok(duration_parse(str_from(text), &got, &err) == 0 && got == rows[i].want,
		   "and reads back");
	}
}

static void test_wrong_durations(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", "time: invalid duration \"\""},
		{"3", "time: missing unit in duration \"3\""},
		{"-", "time: invalid duration \"-\""},
		{"s", "time: invalid duration \"s\""},
		{".", "time: invalid duration \".\""},
		{"-.", "time: invalid duration \"-.\""},
		{".s", "time: invalid duration \".s\""},
		{"+.s", "time: invalid duration \"+.s\""},
		{"1d", "time: unknown unit \"d\" in duration \"1d\""},
		{"5m 3s", "time: unknown unit \"m \" in duration \"5m 3s\""},
		{"\x85\x85", "time: invalid duration \"\\x85\\x85\""},
		{"9223372036854775810ns", "time: invalid duration \"9223372036854775810ns\""},
		{"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
		{"-9223372036854775809ns", "time: invalid duration \"-9223372036854775809ns\""},
		{"99999999999999999999h", "time: invalid duration \"99999999999999999999h\""},
		{"3000000h", "time: invalid duration \"3000000h\""},
		{"2562047h60m", "time: invalid duration \"2562047h60m\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t got = 7;
		struct err err = {0};

		ok(duration_parse(str_from(rows[i].text), &got, &err) < 0 && got == 7,
		   "\"%s\" is refused", rows[i].text);
		is(err.text, rows[i].want);
	}
}

static void test_intstr(void)
{
	static const struct {
		const char *text;
		int64_t total, up, down;
		const char *error;
	} rows[] = {
		{"5", 100, 5, 5, NULL},
		{"25%", 10, 3, 2, NULL},
		{"50%", 10, 5, 5, NULL},
		{"0%", 10, 0, 0, NULL},
		{"150%", 10, 15, 15, NULL},
		{"-25%", 10, -2, -3, NULL},
		{"http", 10, 0, 0,
		 "invalid value for IntOrString: invalid type: string is not a percentage"},
		{"x%", 10, 0, 0,
		 "invalid value for IntOrString: invalid value \"x%\": not a number"},
		{"3000000000", 10, 0, 0,
		 "invalid value for IntOrString: invalid type: string is not a percentage"},
		{"9223372036854775807%", INT64_MAX, INT64_MAX, INT64_MAX, NULL},
		{"-9223372036854775807%", INT64_MAX, INT64_MIN, INT64_MIN, NULL},
	};
	struct intstr none = {0};
	struct intstr percent = {.kind = INTSTR_STR, .text = STR("%")};
	struct err err = {0};
	int64_t got;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct intstr value = intstr_parse(str_from(rows[i].text));
		int64_t up = 0;
		int64_t down = 0;

		intstr_print(&value, &text);
		is(buf_text(&text), rows[i].text);
		if (rows[i].error) {
			ok(intstr_scale(&value, rows[i].total, true, &up, &err) < 0,
			   "is no amount");
			is(err.text, rows[i].error);
			continue;
		}
		ok(intstr_scale(&value, rows[i].total, true, &up, NULL) == 0 && up == rows[i].up &&
			   intstr_scale(&value, rows[i].total, false, &down, NULL) == 0 &&
			   down == rows[i].down,
		   "%s of %" PRId64 ": %" PRId64 ", %" PRId64, rows[i].text, rows[i].total, up,
		   down);
	}
	ok(intstr_scale(&none, 1, true, &got, &err) < 0, "nothing is no amount");
	is(err.text, "nil value for IntOrString");
	ok(!intstr_is_percent(&percent) && !intstr_is_percent(&none), "no percentages");
	percent.text = STR("5%");
	ok(intstr_is_percent(&percent), "a percentage");
	percent.text = STR("x%");
	ok(!intstr_is_percent(&percent), "letters are none");
}

static void test_ages(void)
{
	static const struct {
		int64_t seconds;
		const char *want;
	} rows[] = {
		{-5, "<invalid>"},
		{-1, "0s"},
		{0, "0s"},
		{119, "119s"},
		{120, "2m"},
		{200, "3m20s"},
		{600, "10m"},
		{10799, "179m"},
		{10800, "3h"},
		{3 * 3600 + 60, "3h1m"},
		{8 * 3600 + 59, "8h"},
		{172799, "47h"},
		{172800, "2d"},
		{183600, "2d3h"},
		{8 * 86400 + 7200, "8d"},
		{400 * 86400, "400d"},
		{730 * 86400, "2y"},
		{740 * 86400, "2y10d"},
		{INT64_C(3000) * 86400, "8y"},
	};
	char text[DURATION_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		is(duration_print_age(rows[i].seconds * 1000000, text), rows[i].want);
}

int main(void)
{
	test_ages();
	test_durations();
	test_wrong_durations();
	test_intstr();
	return tap_done();
}
