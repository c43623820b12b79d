/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities: the rows marked "recorded" were printed by kube-apiserver 1.34. */
#include "model/value/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/macro.h"
#include "random.h"
#include "tap.h"

#define FORMAT                                          \
	"quantities must match the regular expression " \
	"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define SUFFIX "unable to parse quantity's suffix"

static struct quantity parse(const char *text)
{
	struct quantity q = {0};
	struct err err = {0};

	if (quantity_parse(str_from(text), &q, &err))
		ok(false, "\"%s\" parses: %s", text, err.text);
	return q;
}

static const struct {
	const char *text, *want;
} printed[] = {
	/* recorded: sizes */
	{"1Ki", "1Ki"},
	{"1024", "1024"},
	{"1024Ki", "1Mi"},
	{"1025Ki", "1025Ki"},
	{"1k", "1k"},
	{"1000", "1k"},
	{"1000k", "1M"},
	{"1234567", "1234567"},
	{"0", "0"},
	{"0Gi", "0"},
	{"100Gi", "100Gi"},
	{"0.001Gi", "1073741824m"},
	{"1024Mi", "1Gi"},
	{"1048576", "1048576"},
	{"1.048576M", "1.048576M"},
	{"1e3", "1e3"},
	{"1E3", "1E3"},
	{"123Mi", "123Mi"},
	{"2048Gi", "2Ti"},
	{"1Ti", "1Ti"},
	{"1.5Gi", "1536Mi"},
	{"1000M", "1G"},
	{"1e9", "1e9"},
	/* recorded: small ones */
	{"100m", "100m"},
	{"1000m", "1"},
	{"0.1", "100m"},
	{"1u", "1u"},
	{"1000u", "1m"},
	{"1n", "1n"},
	{"1000000n", "1m"},
	{"0.0001", "100u"},
	{"1e-3", "1e-3"},
	{"1.5e3", "1500"},
	{"12e6", "12e6"},
	{"0.1n", "1n"},
	{"1.000", "1"},
	{"0.5Gi", "512Mi"},
	{"1.5Ki", "1536"},
	{"0.0001Ki", "102400u"},
	{"1E", "1E"},
	{"1e18", "1e18"},
	{"5e-9", "5e-9"},
	/* recorded: signs and zeros */
	{"+1", "+1"},
	{"007", "007"},
	{"0.10", "100m"},
	{"1.", "1."},
	{"0.0", "0"},
	{".5", "500m"},
	{"+0.5", "500m"},
	{"00", "0"},
	{"Ki", "0"},
	{"1 ", "1"},
	/* recorded: numbers */
	{"1", "1"},
	{"4096", "4096"},
	{"1.5", "1500m"},
	{"0.25", "250m"},
	{"100000000", "100M"},
	{"100000m", "100"},
	{"2.5", "2500m"},
	{"0.001", "1m"},
	/* the rest of the rules */
	{"-1", "-1"},
	{"-0.5", "-500m"},
	{"-1024Ki", "-1Mi"},
	{"-0.1n", "-1n"},
	{"+", "0"},
	{".", "0"},
	{"-0", "0"},
	{"1Mi", "1Mi"},
	{"8Ki", "8Ki"},
	{"1Gi", "1Gi"},
	{"1Pi", "1Pi"},
	{"1Ei", "1Ei"},
	{"7Ei", "7Ei"},
	{"100Ei", "9223372036854775807"},
	{"-100Ei", "-9223372036854775807"},
	{"9999999999999999999Ki", "9223372036854775807"},
	{"512", "512"},
	{"0.5Ki", "512"},
	{"1e", NULL},
	{"1T", "1T"},
	{"1P", "1P"},
	{"1000P", "1E"},
	{"1000E", "1000E"},
	{"123456789012345678901234567890", "123456789012345678901234567890"},
	{"1e30", "1e30"},
	{"1000e30", "1e33"},
	{"12e7", "120e6"},
	{"1e+3", "1e+3"},
	{"1e2", "100"},
	{"0.000000000000000000001", "1n"},
	{"1.0000000001", "1000000001n"},
	{"1.00000000010", "1000000001n"},
	{"3.14159265358979", "3141592654n"},
	{"0.0000000000000000000000000001Ei", "1n"},
	{"1.1Ki", "1126400m"},
	{"1.5k", "1500"},
	{"1.5000k", "1500"},
	{"1.500k", "1.500k"},
	{"1.5G", "1500M"},
};

static const struct {
	const char *text, *want;
} refused[] = {
	/* recorded */
	{"", FORMAT},
	{"a", FORMAT},
	{"1x", FORMAT},
	{"1 Gi", FORMAT},
	{"1Gib", FORMAT},
	{"1e", SUFFIX},
	{"--1", SUFFIX},
	{"1.2.3", FORMAT},
	{"0x10", FORMAT},
	{"1,5", FORMAT},
	{"1ki", SUFFIX},
	{"1mi", SUFFIX},
	{"1K", SUFFIX},
	{"\xd9\xa3", FORMAT},
	{"[]", FORMAT},
	{"{}", FORMAT},
	{"1e5Ki", FORMAT},
	/* more */
	{"   ", FORMAT},
	{"1e99999999999", SUFFIX},
	{"1k3", SUFFIX},
	{"1+3", SUFFIX},
	{"1e3.5", FORMAT},
	{"1i", SUFFIX},
};

static void test_print(void)
{
	for (size_t i = 0; i < ARRAY_LEN(printed); i++) {
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		struct quantity q;

		if (!printed[i].want)
			continue;
		q = parse(printed[i].text);
		quantity_print(&q, &got);
		ok(strcmp(buf_text(&got), printed[i].want) == 0, "%s prints as %s (%s)",
		   printed[i].text, printed[i].want, buf_text(&got));
	}
}

static void test_refused(void)
{
	char text[300];

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct quantity q = {.scale = 77};
		struct err err = {0};

		ok(quantity_parse(str_from(refused[i].text), &q, &err) == -1 && q.scale == 77,
		   "\"%s\" is refused", refused[i].text);
		is(err.text, refused[i].want);
	}
	memset(text, '1', sizeof(text));
	ok(quantity_parse(str_of(text, sizeof(text)), &(struct quantity){0}, NULL) < 0,
	   "300 digits are refused");
	ok(quantity_parse(str_of(text, 128), &(struct quantity){0}, NULL) == 0, "128 are taken");
}

static void test_values(void)
{
	static const struct {
		const char *text;
		int64_t value, milli;
	} rows[] = {
		{"1", 1, 1000},
		{"1.5", 2, 1500},
		{"-1.5", -2, -1500},
		{"1m", 1, 1},
		{"1u", 1, 1},
		{"-1u", -1, -1},
		{"1001u", 1, 2},
		{"1Gi", 1073741824, 1073741824000},
		{"0", 0, 0},
		{"9223372036854775807", INT64_MAX, INT64_MAX},
		{"1E", 1000000000000000000, INT64_MAX},
		{"100E", INT64_MAX, INT64_MAX},
		{"-100E", INT64_MIN, INT64_MIN},
		{"1e40", INT64_MAX, INT64_MAX},
		{"1e1000000", INT64_MAX, INT64_MAX},
		{"0e1000000", 0, 0},
		{"1e-1000000", 1, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct quantity q = parse(rows[i].text);

		ok(quantity_value(&q) == rows[i].value && quantity_milli(&q) == rows[i].milli,
		   "%s is %" PRId64 " (%" PRId64 "), %" PRId64 " milli (%" PRId64 ")", rows[i].text,
		   rows[i].value, quantity_value(&q), rows[i].milli, quantity_milli(&q));
	}
}

static void test_compare(void)
{
	static const struct {
		const char *a, *b;
		int want;
	} rows[] = {
		{"1", "1000m", 0},   {"1", "1001m", -1},  {"1Ki", "1k", 1},
		{"1Ki", "1024", 0},  {"-1", "1", -1},     {"-2", "-1", -1},
		{"-1n", "0", -1},    {"0", "0Gi", 0},     {"1e30", "1e31", -1},
		{"1e300", "1n", 1},  {"-1e300", "1", -1}, {"-1e300", "-1n", -1},
		{"1n", "1e300", -1}, {"1e-9", "1n", 0},   {"-1n", "-1e300", 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct quantity a = parse(rows[i].a);
		struct quantity b = parse(rows[i].b);

		ok(quantity_cmp(&a, &b) == rows[i].want && quantity_cmp(&b, &a) == -rows[i].want,
		   "%s against %s is %d", rows[i].a, rows[i].b, rows[i].want);
	}
}

static void test_arithmetic(void)
{
	static const struct {
		const char *a, *b, *sum, *difference;
	} rows[] = {
		{"1", "500m", "1500m", "500m"},
		{"1Gi", "1Gi", "2Gi", "0"},
		{"0", "1Ki", "1Ki", "-1Ki"},
		{"1Ki", "1", "1025", "1023"},
		{"1k", "1Ki", "2024", "-24"},
		{"1e3", "1e3", "2e3", "0"},
		{"1n", "1E", "1000000000000000000000000001n", "-999999999999999999999999999n"},
		{"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
	};
	char text[QUANTITY_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct quantity a = parse(rows[i].a);
		struct quantity b = parse(rows[i].b);
		struct quantity c = a;

		quantity_add(&a, &b);
		quantity_sub(&c, &b);
		is(quantity_canonical(&a, text), rows[i].sum);
		is(quantity_canonical(&c, text), rows[i].difference);
	}
}

static void test_cap(void)
{
	struct quantity huge = parse("999999999999999999999999999999999999e0");
	struct quantity sum = huge;
	char text[QUANTITY_TEXT_SIZE];

	sum = parse("1e300");
	quantity_add(&sum, &(struct quantity){.value = 1});
	ok(quantity_cmp(&sum, &huge) > 0, "what does not fit next to a huge one is rounded up");
	sum = huge;
	for (int i = 0; i < 1000; i++)
		quantity_add(&sum, &huge);
	ok(quantity_sign(&sum) > 0, "adding up large ones stays positive");
	for (int i = 0; i < 40; i++)
		quantity_mul(&sum, 1000);
	ok(quantity_sign(&sum) > 0 && quantity_value(&sum) == INT64_MAX, "so does multiplying");
	quantity_mul(&sum, -1000);
	ok(quantity_sign(&sum) < 0 && quantity_value(&sum) == INT64_MIN, "and the other way");
	sum = parse("-5m");
	quantity_neg(&sum);
	is(quantity_canonical(&sum, text), "5m");
	sum = quantity_make_scaled(1, 45, QUANTITY_DECIMAL_SI);
	is(quantity_canonical(&sum, text), "1000000000000000000000000000E");
	sum = quantity_make_scaled(1, 400, QUANTITY_DECIMAL_SI);
	is(quantity_canonical(&sum, text), "10e399");
	sum = quantity_make_scaled(2048, 1, QUANTITY_BINARY_SI);
	is(quantity_canonical(&sum, text), "20Ki");
	sum = quantity_make_scaled(10240, -1, QUANTITY_BINARY_SI);
	is(quantity_canonical(&sum, text), "1Ki");
	sum = quantity_make_milli(1500, QUANTITY_DECIMAL_SI);
	is(quantity_canonical(&sum, text), "1500m");
	sum = quantity_make(1 << 20, QUANTITY_BINARY_SI);
	is(quantity_canonical(&sum, text), "1Mi");
}

static void test_round_up(void)
{
	/* recorded: kube-apiserver rounds what containers ask for to milli */
	static const struct {
		const char *text, *want;
		bool exact;
	} rows[] = {
		{"1u", "1m", false},        {"1000u", "1m", true},    {"1n", "1m", false},
		{"100u", "1m", false},      {"1000000n", "1m", true}, {"0.0001", "1m", false},
		{"-1u", "-1m", false},      {"100000m", "100", true}, {"1.000", "1", true},
		{"1e9", "1e9", true},       {"0.1n", "1m", false},    {"1Gi", "1Gi", true},
		{"1.0005", "1001m", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		struct quantity q = parse(rows[i].text);

		ok(quantity_is_whole(&q, -3) == rows[i].exact, "%s %s whole millis", rows[i].text,
		   rows[i].exact ? "is" : "is not");
		ok(quantity_round_up(&q, -3) == rows[i].exact, "and rounding says so");
		quantity_print(&q, &got);
		is(buf_text(&got), rows[i].want);
	}
}

/* Whatever is made prints as something that reads back as the same, and a + b - b is a. */
static void test_properties(void)
{
	uint64_t state = 42;
	int round_trip = 0, inverse = 0, ordered = 0;
	enum { ROUNDS = 20000 };

	for (int i = 0; i < ROUNDS; i++) {
		char text[QUANTITY_TEXT_SIZE];
		int64_t number = (int64_t)(random_next(&state) >> (random_next(&state) % 64));
		struct quantity a = quantity_make_scaled(
			random_next(&state) & 1 ? number : -number,
			(int32_t)(random_next(&state) % 20) - 9,
			(enum quantity_format)(random_next(&state) % QUANTITY_FORMAT_COUNT));
		struct quantity b = quantity_make_scaled(
			(int64_t)random_next(&state) >> (random_next(&state) % 64),
			(int32_t)(random_next(&state) % 10) - 9, QUANTITY_DECIMAL_SI);
		struct quantity back;
		struct quantity c = a;

		if (quantity_parse(str_from(quantity_canonical(&a, text)), &back, NULL) == 0)
			round_trip += quantity_cmp(&a, &back) == 0 ||
				      /* binary ones are capped when they are read */
				      llabs(quantity_value(&back)) == INT64_MAX;
		quantity_add(&c, &b);
		ordered += quantity_cmp(&c, &a) == quantity_sign(&b);
		quantity_sub(&c, &b);
		inverse += quantity_cmp(&a, &c) == 0;
	}
	ok(round_trip == ROUNDS, "print and parse: %d of %d (seed 42)", round_trip, ROUNDS);
	ok(inverse == ROUNDS, "a + b - b is a: %d of %d", inverse, ROUNDS);
	ok(ordered == ROUNDS, "a + b against a is b's sign: %d of %d", ordered, ROUNDS);
}

static void test_real(void)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {{"1.5", 1.5}, {"-250m", -0.25}, {"1Ki", 1024}, {"1e10", 1e10}, {"0", 0}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct quantity q = parse(rows[i].text);

		ok(fabs(quantity_real(&q) - rows[i].want) < 1e-9, "%s is %g", rows[i].text,
		   rows[i].want);
	}
	ok(quantity_real(&(struct quantity){.value = 1, .scale = 5000}) > 1e300, "huge stays huge");
	ok(quantity_real(&(struct quantity){.value = -1, .scale = 5000}) < -1e300, "also below 0");
}

int main(void)
{
	test_print();
	test_refused();
	test_values();
	test_compare();
	test_arithmetic();
	test_cap();
	test_round_up();
	test_properties();
	test_real();
	return tap_done();
}
