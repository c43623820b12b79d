/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of header field values. */
#include "http/field.h"

#include "base/mem.h"
#include "base/time.h"
#include "tap.h"

#include "base/banned.h"

static void test_media(void)
{
	static const char *const bad[] = {"",        "json",         "a/",    "/b",
					  "a/b;q=2", "a/b;q=0.1234", "a b/c", "a/b;q=x"};
	struct field_media media;
	struct err err;
	struct str rest;

	ok(field_parse_media(STR("application/json; charset=\"utf;8\" ; As=Table;q=0.25"), &media,
			     &err) == 0 &&
		   str_is(media.type, "application") && str_is(media.subtype, "json") &&
		   media.quality == 250,
	   "a media type");
	ok(str_is(field_param(media.params, STR("charset")), "utf;8"), "a quoted parameter");
	ok(str_is(field_param(media.params, STR("as")), "Table"), "a parameter without case");
	ok(str_is_none(field_param(media.params, STR("v"))), "an absent one");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ok(field_parse_media(str_from(bad[i]), &media, &err) < 0, "refuses \"%s\"", bad[i]);
	ok(field_is_media(STR("Application/JSON; charset=utf-8"), STR("application/json")) &&
		   !field_is_media(STR("application/json-patch+json"), STR("application/json")),
	   "is it that media type?");

	rest = STR(
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json, junk ,*/*;q=0.1");
	ok(field_next_media(&rest, &media) &&
		   str_is(field_param(media.params, STR("g")), "meta.k8s.io"),
	   "the first range");
	ok(field_next_media(&rest, &media) && str_is(media.subtype, "json") &&
		   media.quality == 1000,
	   "the second");
	ok(field_next_media(&rest, &media) && str_is(media.type, "*") && media.quality == 100,
	   "junk is skipped");
	ok(!field_next_media(&rest, &media), "the end");
}

static void test_quality(void)
{
	ok(field_quality(STR("gzip, br;q=0.5, *;q=0"), STR("gzip")) == 1000, "named");
	ok(field_quality(STR("gzip, br;q=0.5, *;q=0"), STR("BR")) == 500, "with quality");
	ok(field_quality(STR("gzip, br;q=0.5, *;q=0"), STR("zstd")) == 0, "the rest is refused");
	ok(field_quality(STR("gzip;q=1.0"), STR("identity")) == -1, "nothing was said");
	ok(field_quality(str_none(), STR("gzip")) == -1, "no field");
	ok(field_quality(STR("gzip;q=oops"), STR("gzip")) == -1, "malformed counts as not said");
}

static void test_dates(void)
{
	char text[FIELD_DATE_SIZE];
	struct err err;
	int64_t time, delay;

	is(field_print_date(784111777 * TIME_SECOND, text), "Sun, 06 Nov 1994 08:49:37 GMT");
	ok(field_parse_date(str_from(text), &time, &err) == 0 && time == 784111777 * TIME_SECOND,
	   "it reads back");
	ok(field_parse_date(STR("Sun, 06 Nix 1994 08:49:37 GMT"), &time, &err) < 0 &&
		   field_parse_date(STR("Sunday, 06-Nov-94 08:49:37 GMT"), &time, &err) < 0 &&
		   field_parse_date(STR("Sun, 06 Nov 1994 25:49:37 GMT"), &time, &err) < 0 &&
		   field_parse_date(STR("Sun, 00 Nov 1994 05:49:37 GMT"), &time, &err) < 0,
	   "what is no date");
	ok(field_parse_retry_after(STR(" 120 "), 0, &delay, &err) == 0 &&
		   delay == 120 * TIME_SECOND,
	   "seconds");
	ok(field_parse_retry_after(str_from(text), 784111770 * TIME_SECOND, &delay, &err) == 0 &&
		   delay == 7 * TIME_SECOND,
	   "a date to come");
	ok(field_parse_retry_after(str_from(text), 884111770 * TIME_SECOND, &delay, &err) == 0 &&
		   delay == 0,
	   "a date gone by");
	ok(field_parse_retry_after(STR("-1"), 0, &delay, &err) < 0 &&
		   field_parse_retry_after(STR("soon"), 0, &delay, &err) < 0,
	   "what is neither: %s", err.text);
}

int main(void)
{
	test_media();
	test_quality();
	test_dates();
	return tap_done();
}
