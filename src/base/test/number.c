/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "tap.h"

static const struct {
	const char *text;
	bool valid;
	int64_t value;
} integers[] = {
	{"0", true, 0},
	{"-0", true, 0},
	{"+7", true, 7},
	{"9223372036854775807", true, INT64_MAX},
	{"-9223372036854775808", true, INT64_MIN},
	{"9223372036854775808", false, 0},
	{"-9223372036854775809", false, 0},
	{"99999999999999999999999", false, 0},
	{"", false, 0},
	{"-", false, 0},
	{" 1", false, 0},
	{"1 ", false, 0},
	{"0x10", false, 0},
	{"1e3", false, 0},
	{"--1", false, 0},
};

static const struct {
	const char *text;
	bool valid;
	double value;
} reals[] = {
	{"1.5", true, 1.5},    {"-.5", true, -0.5}, {"1.", true, 1},    {"1e3", true, 1000},
	{"1E-3", true, 0.001}, {"0", true, 0},      {".", false, 0},    {"", false, 0},
	{"1e", false, 0},      {"1e999", false, 0}, {"nan", false, 0},  {"inf", false, 0},
	{"0x1p3", false, 0},   {"1,5", false, 0},   {"1.5x", false, 0}, {"1e+2", true, 100},
};

int main(void)
{
	struct err err = {.text = ""};
	uint64_t u;
	int64_t i;
	double d;
	bool b;

	for (size_t n = 0; n < ARRAY_LEN(integers); n++) {
		int64_t value = -77;
		int result = number_parse_i64(str_from(integers[n].text), &value, &err);

		ok(integers[n].valid ? result == 0 && value == integers[n].value
				     : result < 0 && value == -77,
		   "integer \"%s\"", integers[n].text);
	}
	for (size_t n = 0; n < ARRAY_LEN(reals); n++) {
		double value = -77;
		int result = number_parse_double(str_from(reals[n].text), &value, &err);

		ok(reals[n].valid ? result == 0 && value == reals[n].value
				  : result < 0 && value == -77,
		   "real \"%s\"", reals[n].text);
	}
	ok(number_parse_u64(STR("18446744073709551615"), &u, &err) == 0 && u == UINT64_MAX,
	   "uint64");
	ok(number_parse_u64(STR("18446744073709551616"), &u, &err) < 0, "past uint64");
	ok(number_parse_u64(STR("-1"), &u, &err) < 0, "no sign in an unsigned number");
	ok(number_parse_range(STR("65535"), 1, 65535, &i, &err) == 0 && i == 65535, "in range");
	ok(number_parse_range(STR("0"), 1, 65535, &i, &err) < 0, "out of range");
	is(err.text, "\"0\" is not a whole number from 1 to 65535");
	ok(number_parse_bool(STR("True"), &b, &err) == 0 && b, "True");
	ok(number_parse_bool(STR("f"), &b, &err) == 0 && !b, "f");
	ok(number_parse_bool(STR("yes"), &b, &err) < 0, "yes is no boolean here");
	is(err.text, "\"yes\" is not a boolean (true or false)");
	ok(number_parse_double(
		   STR("1111111111111111111111111111111111111111111111111111111111111111111"
		       "x"),
		   &d, &err) < 0 &&
		   strstr(err.text, "\"..."),
	   "a long text is quoted in part");
	return tap_done();
}
