/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules and time zones: what is taken and refused, and the next times, also if clocks change. */
#include "model/value/cron.h"

#include <stdio.h>

#include "base/buf.h"
#include "model/value/zone.h"
#include "tap.h"

#include "base/banned.h"

/* --- zones ----------------------------------------------------------------------------------- */

static void put_number(struct buf *to, uint64_t value, int len)
{
	while (len-- > 0)
		buf_putc(to, (char)(value >> 8 * len));
}

/* A file of tzdata with one transition, from `before` to `after` seconds, and a rule. */
static struct zone *make_zone(const char *rule, int64_t at, int before, int after, struct err *err)
{
	AUTO(buf_done) struct buf file = BUF_UNBOUNDED;

	for (int part = 0; part < 2; part++) {
		bool full = part == 1;

		buf_puts(&file, "TZif2");
		for (int i = 0; i < 15; i++)
			buf_putc(&file, 0);
		for (int i = 0; i < 3; i++)
			put_number(&file, 0, 4);
		put_number(&file, full, 4); /* transitions */
		put_number(&file, 2, 4);    /* types */
		put_number(&file, 4, 4);    /* letters */
		if (full) {
			put_number(&file, (uint64_t)at, 8);
			put_number(&file, 1, 1);
		}
		put_number(&file, (uint32_t)before, 4);
		put_number(&file, 0, 2);
		put_number(&file, (uint32_t)after, 4);
		put_number(&file, 0, 2);
		buf_put(&file, "LMT", 4);
	}
	buf_printf(&file, "\n%s\n", rule);
	return zone_parse(buf_str(&file), err);
}

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"

static int64_t time_of(const char *text)
{
	int64_t time = 0;
	struct err err;

	if (time_parse(str_from(text), &time, &err) < 0)
		printf("# %s\n", err.text);
	return time;
}

static void test_zones(void)
{
	static const struct {
		const char *rule;
		const char *utc;
		const char *local;
	} rows[] = {
		{BERLIN, "2026-01-15T12:00:00Z", "2026-01-15T13:00:00+01:00"},
		{BERLIN, "2026-07-15T12:00:00Z", "2026-07-15T14:00:00+02:00"},
		{BERLIN, "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"},
		{BERLIN, "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"},
		{BERLIN, "2026-10-25T00:59:59Z", "2026-10-25T02:59:59+02:00"},
		{BERLIN, "2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"},
		{NEW_YORK, "2026-03-08T06:59:59Z", "2026-03-08T01:59:59-05:00"},
		{NEW_YORK, "2026-03-08T07:00:00Z", "2026-03-08T03:00:00-04:00"},
		{NEW_YORK, "2026-11-01T05:59:59Z", "2026-11-01T01:59:59-04:00"},
		{NEW_YORK, "2026-11-01T06:00:00Z", "2026-11-01T01:00:00-05:00"},
		{NEW_YORK, "2031-12-31T23:00:00Z", "2031-12-31T18:00:00-05:00"},
		{"<+0530>-5:30", "2026-01-01T00:00:00Z", "2026-01-01T05:30:00+05:30"},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z",
		 "2026-01-01T11:00:00+11:00"},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-06-01T00:00:00Z",
		 "2026-06-01T10:00:00+10:00"},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-12-31T23:59:59Z",
		 "2027-01-01T10:59:59+11:00"},
		{"XXX3YYY,J60/0,J300/0", "2028-03-01T02:59:59Z", "2028-02-29T23:59:59-03:00"},
		{"XXX3YYY,J60/0,J300/0", "2028-03-01T03:00:00Z", "2028-03-01T01:00:00-02:00"},
		{"XXX3YYY,59/0,300/0", "2028-02-29T03:00:00Z", "2028-02-29T01:00:00-02:00"},
		{"UTC0", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		{"", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"},
		{BERLIN, "1890-01-01T00:00:00Z", "1890-01-01T00:53:20+00:53"},
	};
	char text[ZONE_TEXT_SIZE];
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(zone_free)
		struct zone *zone =
			make_zone(rows[i].rule, time_of("1893-03-31T23:06:32Z") / TIME_SECOND, 3200,
				  3600, &err);

		if (ok(zone != NULL, "the rule \"%s\" is read", rows[i].rule))
			is(zone_print(zone, time_of(rows[i].utc), text), rows[i].local);
	}
	is(zone_print(NULL, time_of("2026-01-01T00:00:00Z"), text), "2026-01-01T00:00:00Z");
}

static void test_bad_zones(void)
{
	static const char *const rules[] = {"CET",
					    "C-1",
					    "CET-1CEST",
					    "CET-1CEST,M13.5.0,M10.5.0",
					    "CET-1CEST,M3.6.0,M10.5.0",
					    "CET-1CEST,M3.5.0",
					    "CET-1CEST,M3.5.0,M10.5.0x",
					    "<CET-1",
					    "CET-999"};
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		AUTO(zone_free) struct zone *zone = make_zone(rules[i], 0, 0, 0, &err);

		ok(zone == NULL, "the rule \"%s\" is refused", rules[i]);
	}
	ok(!zone_parse(STR(""), &err), "an empty file is refused");
	is(err.text, "malformed time zone information");
	ok(!zone_parse(STR("TZif2 and then nothing that makes sense, for long enough to be read"),
		       &err),
	   "a damaged file is refused");
	ok(zone_name_is_safe(STR("America/Argentina/Ushuaia")) &&
		   zone_name_is_safe(STR("Etc/GMT+1")),
	   "names of zones are names of zones");
	ok(!zone_name_is_safe(STR("../passwd")) && !zone_name_is_safe(STR("/etc")) &&
		   !zone_name_is_safe(STR("")) && !zone_name_is_safe(STR("loCal")) &&
		   !zone_name_is_safe(STR("A\\b")) && !zone_name_is_safe(STR("-x")),
	   "paths that lead elsewhere are not");
}

/* --- schedules ------------------------------------------------------------------------------- */

static void test_refused(void)
{
	static const struct {
		const char *text;
		const char *why;
	} rows[] = {
		{"", "empty spec string"},
		{"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
		{"* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"},
		{"60 * * * *", "end of range (60) above maximum (59): 60"},
		{"* 24 * * *", "end of range (24) above maximum (23): 24"},
		{"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
		{"* * * 13 *", "end of range (13) above maximum (12): 13"},
		{"* * * * 7", "end of range (7) above maximum (6): 7"},
		{"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
		{"1-2-3 * * * *", "too many hyphens: 1-2-3"},
		{"1-2-3 * * * * ", "too many hyphens: 1-2-3"},
		{", * * * *", "minute \",\" is empty"},
		{"x * * * *",
		 "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
		{"1/0 * * * *", "step of range should be a positive number: 1/0"},
		{"1/2/3 * * * *", "too many slashes: 1/2/3"},
		{"@reboot", "unrecognized descriptor: @reboot"},
		{"@DAILY", "unrecognized descriptor: @DAILY"},
		{"@every x", "failed to parse duration @every x: time: invalid duration \"x\""},
		{"@every", "unrecognized descriptor: @every"},
	};
	static const char *const others[] = {"x * * * *",    "1/0 * * * *", "1//2 * * * *",
					     "*/x * * * *",  "-1 * * * *",  "* * * foo *",
					     "* * * * mond", "*/ * * * *"};
	struct cron cron;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (ok(cron_parse(str_from(rows[i].text), &cron, &err) < 0, "\"%s\" is refused",
		       rows[i].text))
			is(err.text, rows[i].why);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		ok(cron_parse(str_from(others[i]), &cron, &err) < 0, "\"%s\" is refused: %s",
		   others[i], err.text);
}

static void check_next(const char *schedule, const struct zone *zone, const char *from,
		       const char *want)
{
	char text[ZONE_TEXT_SIZE];
	struct cron cron;
	struct err err;
	int64_t next;

	if (!ok(cron_parse(str_from(schedule), &cron, &err) == 0, "\"%s\" is taken", schedule))
		return;
	next = cron_next(&cron, zone, time_of(from));
	is(next ? zone_print(zone, next, text) : "never", want);
}

static void test_next(void)
{
	static const struct {
		const char *schedule;
		const char *from;
		const char *next;
	} rows[] = {
		{"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
		{"* * * * *", "2026-01-01T00:00:59Z", "2026-01-01T00:01:00Z"},
		{"*/15 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z"},
		{"*/15 * * * *", "2026-01-01T00:45:00Z", "2026-01-01T01:00:00Z"},
		{"5/15 * * * *", "2026-01-01T00:50:00Z", "2026-01-01T01:05:00Z"},
		{"0 0 * * *", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z"},
		{"30 2 1 * *", "2026-01-01T02:30:00Z", "2026-02-01T02:30:00Z"},
		{"0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 30 2 *", "2026-01-01T00:00:00Z", "never"},
		{"0 9 * * MON-fri", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"},
		{"0 9 ? * sun", "2026-01-01T00:00:00Z", "2026-01-04T09:00:00Z"},
		{"0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
		{"0 0 */2 * 5", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"},
		{"0 0 1,15 jan,JUL *", "2026-01-15T00:00:00Z", "2026-07-01T00:00:00Z"},
		{"1,2,,3 * * * *", "2026-01-01T00:02:00Z", "2026-01-01T00:03:00Z"},
		{"@hourly", "2026-01-01T00:30:00Z", "2026-01-01T01:00:00Z"},
		{"@daily", "2026-01-01T00:30:00Z", "2026-01-02T00:00:00Z"},
		{"@midnight", "2026-01-01T00:30:00Z", "2026-01-02T00:00:00Z"},
		{"@weekly", "2026-01-01T00:30:00Z", "2026-01-04T00:00:00Z"},
		{"@monthly", "2026-01-01T00:30:00Z", "2026-02-01T00:00:00Z"},
		{"@yearly", "2026-01-01T00:30:00Z", "2027-01-01T00:00:00Z"},
		{"@annually", "2026-01-01T00:30:00Z", "2027-01-01T00:00:00Z"},
		{"@every 90m", "2026-01-01T00:30:10.5Z", "2026-01-01T02:00:10Z"},
		{"@every 1ms", "2026-01-01T00:30:10Z", "2026-01-01T00:30:11Z"},
		{"  0\t4  * * *  ", "2026-01-01T00:00:00Z", "2026-01-01T04:00:00Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_next(rows[i].schedule, NULL, rows[i].from, rows[i].next);
}

static void test_next_in_zone(void)
{
	struct err err;
	AUTO(zone_free) struct zone *berlin = make_zone(BERLIN, 0, 3600, 3600, &err);
	struct cron cron;

	check_next("0 9 * * *", berlin, "2026-01-01T09:00:00Z", "2026-01-02T09:00:00+01:00");
	check_next("0 9 * * *", berlin, "2026-03-28T08:00:00Z", "2026-03-29T09:00:00+02:00");
	/* 02:30 is not there on 29 March, and twice on 25 October */
	check_next("30 2 * * *", berlin, "2026-03-28T01:30:00Z", "2026-03-30T02:30:00+02:00");
	check_next("30 2 * * *", berlin, "2026-10-24T00:30:00Z", "2026-10-25T02:30:00+02:00");
	check_next("30 2 * * *", berlin, "2026-10-25T00:30:00Z", "2026-10-25T02:30:00+01:00");
	check_next("30 2 * * *", berlin, "2026-10-25T01:30:00Z", "2026-10-26T02:30:00+01:00");
	check_next("0 * * * *", berlin, "2026-03-29T00:00:00Z", "2026-03-29T03:00:00+02:00");

	ok(cron_parse(STR("TZ=Europe/Berlin 0 9 * * *"), &cron, &err) == 0 &&
		   str_is(cron.zone, "Europe/Berlin"),
	   "a schedule may begin with its zone");
	ok(cron_parse(STR("CRON_TZ=UTC @daily"), &cron, &err) == 0 && str_is(cron.zone, "UTC"),
	   "also before a descriptor");
}

int main(void)
{
	test_zones();
	test_bad_zones();
	test_refused();
	test_next();
	test_next_in_zone();
	return tap_done();
}
