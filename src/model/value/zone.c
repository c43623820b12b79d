/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/zone.c - reading tzdata, and walking its transitions.
 *
 * Only the second, 64-bit part of a file is read, and the rule after it. Version 1 files, which
 * have only 32-bit times, have not been made for twenty years and are rejected. */
#include "model/value/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "base/banned.h"

enum {
	HEADER_SIZE = 44,
	TYPE_SIZE = 6,
	TRANSITIONS_MAX = 20000,
	DAY_SECONDS = 86400,
	HOUR_SECONDS = 3600,
	CHANGE_HOUR = 2, /* if a rule does not say when */
	WEEK = 7,
	HOURS_MAX = 167,
	NAME_PART_MAX = 14,
};

/* When clocks change, each year. */
struct change {
	enum { CHANGE_MONTH_WEEK, CHANGE_DAY, CHANGE_DAY_NO_LEAP } kind;
	int month;    /* 1 to 12 */
	int week;     /* 1 to 5; 5 is the last */
	int day;      /* of the week, or of the year */
	int64_t time; /* seconds of that day, local; may be negative */
};

struct rule {
	bool there;
	bool summer; /* are there two offsets? */
	int64_t offset;
	int64_t summer_offset;
	struct change begin;
	struct change end;
};

struct zone {
	int64_t *times;
	int32_t *offsets; /* from that time on */
	size_t len;
	int32_t first; /* before all */
	struct rule rule;
};

/* --- the rule -------------------------------------------------------------------------------- */

static bool take_byte(struct str *rest, char byte)
{
	if (!rest->len || rest->ptr[0] != byte)
		return false;
	*rest = str_skip(*rest, 1);
	return true;
}

static bool take_number(struct str *rest, int64_t max, int64_t *ret)
{
	int64_t value = 0;
	size_t digits = 0;

	while (rest->len && rest->ptr[0] >= '0' && rest->ptr[0] <= '9' && value <= max) {
		value = value * 10 + (rest->ptr[0] - '0');
		*rest = str_skip(*rest, 1);
		digits++;
	}
	*ret = value;
	return digits > 0 && value <= max;
}

/* "EST", "<+03>" */
static bool take_name(struct str *rest)
{
	size_t len = 0;

	if (take_byte(rest, '<')) {
		ptrdiff_t end = str_find_byte(*rest, '>', 0);

		if (end < 0)
			return false;
		*rest = str_skip(*rest, (size_t)end + 1);
		return end > 0;
	}
	while (len < rest->len &&
	       ((rest->ptr[len] | 0x20) >= 'a' && (rest->ptr[len] | 0x20) <= 'z'))
		len++;
	*rest = str_skip(*rest, len);
	return len >= 3;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool take_time(struct str *rest, int64_t *ret)
{
	bool negative = take_byte(rest, '-');
	int64_t part;
	int64_t seconds;

	if (!negative)
		(void)take_byte(rest, '+');
	if (!take_number(rest, HOURS_MAX, &part))
		return false;
	seconds = part * HOUR_SECONDS;
	for (int64_t unit = 60; unit > 0 && take_byte(rest, ':'); unit /= 60) {
		if (!take_number(rest, 59, &part))
			return false;
		seconds += part * unit;
	}
	*ret = negative ? -seconds : seconds;
	return true;
}

static bool take_change(struct str *rest, struct change *ret)
{
	int64_t parts[3] = {0};

	ret->time = INT64_C(1) * CHANGE_HOUR * HOUR_SECONDS;
	if (take_byte(rest, 'M')) {
		ret->kind = CHANGE_MONTH_WEEK;
		if (!take_number(rest, 12, &parts[0]) || !take_byte(rest, '.') ||
		    !take_number(rest, 5, &parts[1]) || !take_byte(rest, '.') ||
		    !take_number(rest, 6, &parts[2]) || !parts[0] || !parts[1])
			return false;
		ret->month = (int)parts[0];
		ret->week = (int)parts[1];
		ret->day = (int)parts[2];
	} else {
		ret->kind = take_byte(rest, 'J') ? CHANGE_DAY_NO_LEAP : CHANGE_DAY;
		if (!take_number(rest, 365, &parts[0]))
			return false;
		ret->day = (int)parts[0];
	}
	return !take_byte(rest, '/') || take_time(rest, &ret->time);
}

static bool parse_rule(struct str text, struct rule *ret)
{
	int64_t time;

	*ret = (struct rule){0};
	if (!text.len)
		return true;
	if (!take_name(&text) || !take_time(&text, &time))
		return false;
	ret->there = true;
	ret->offset = -time; /* POSIX counts to the west */
	if (!text.len)
		return true;
	if (!take_name(&text))
		return false;
	ret->summer = true;
	ret->summer_offset = ret->offset + HOUR_SECONDS;
	if (text.len && text.ptr[0] != ',') {
		if (!take_time(&text, &time))
			return false;
		ret->summer_offset = -time;
	}
	return take_byte(&text, ',') && take_change(&text, &ret->begin) && take_byte(&text, ',') &&
	       take_change(&text, &ret->end) && !text.len;
}

/* --- the file -------------------------------------------------------------------------------- */

static int64_t big_endian(const char *bytes, size_t len)
{
	uint64_t value = (unsigned char)bytes[0] & 0x80 ? UINT64_MAX : 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | (unsigned char)bytes[i];
	return (int64_t)value;
}

struct counts {
	size_t is_ut, is_std, leaps, times, types, chars;
};

/* The counts of a header; false if there is none. */
static bool read_header(struct str bytes, struct counts *ret)
{
	size_t *counts[] = {&ret->is_ut, &ret->is_std, &ret->leaps,
			    &ret->times, &ret->types,  &ret->chars};

	if (bytes.len < HEADER_SIZE || memcmp(bytes.ptr, "TZif", 4) != 0 || bytes.ptr[4] < '2')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		int64_t value = big_endian(bytes.ptr + 20 + 4 * i, 4);

		if (value < 0 || value > TRANSITIONS_MAX)
			return false;
		*counts[i] = (size_t)value;
	}
	return ret->types > 0;
}

static size_t body_size(const struct counts *c, size_t time_size)
{
	return c->times * (time_size + 1) + c->types * TYPE_SIZE + c->chars +
	       c->leaps * (time_size + 4) + c->is_std + c->is_ut;
}

static bool read_body(struct zone *zone, struct str body, const struct counts *c)
{
	const char *indexes = body.ptr + c->times * 8;
	const char *types = indexes + c->times;

	zone->len = c->times;
	zone->times = mem_calloc(c->times + 1, sizeof(*zone->times));
	zone->offsets = mem_calloc(c->times + 1, sizeof(*zone->offsets));
	zone->first = (int32_t)big_endian(types, 4);
	for (size_t i = 0; i < c->times; i++) {
		size_t type = (unsigned char)indexes[i];

		zone->times[i] = big_endian(body.ptr + 8 * i, 8);
		if (type >= c->types || (i && zone->times[i] <= zone->times[i - 1]))
			return false;
		zone->offsets[i] = (int32_t)big_endian(types + type * TYPE_SIZE, 4);
	}
	return true;
}

struct zone *zone_parse(struct str bytes, struct err *err)
{
	AUTO(zone_free) struct zone *zone = mem_new(struct zone);
	struct counts counts;
	struct str rule;
	bool good = read_header(bytes, &counts) && bytes.len >= HEADER_SIZE + body_size(&counts, 4);

	if (good) {
		bytes = str_skip(bytes, HEADER_SIZE + body_size(&counts, 4));
		good = read_header(bytes, &counts) &&
		       bytes.len >= HEADER_SIZE + body_size(&counts, 8);
	}
	if (good) {
		bytes = str_skip(bytes, HEADER_SIZE);
		good = read_body(zone, bytes, &counts);
		rule = str_trim(str_skip(bytes, body_size(&counts, 8)));
		good = good && parse_rule(rule, &zone->rule);
	}
	if (!good) {
		(void)err_set(err, ERR_BAD_REQUEST, "malformed time zone information");
		return NULL;
	}
	return TAKE(zone);
}

void zone_free(struct zone *zone)
{
	if (!zone)
		return;
	mem_free(zone->times);
	mem_free(zone->offsets);
	mem_free(zone);
}

/* --- looking up ------------------------------------------------------------------------------ */

static int64_t year_start(int year)
{
	return time_join(&(struct time_fields){.year = year, .month = 1, .day = 1}) / TIME_SECOND;
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* When clocks change in a year, in local seconds from its start. */
static int64_t change_in(const struct change *change, int year)
{
	struct time_fields first = {.year = year, .month = change->month, .day = 1};
	int64_t day = change->day;
	int length;

	if (change->kind == CHANGE_DAY_NO_LEAP && !(is_leap(year) && day > 59))
		day--;
	if (change->kind == CHANGE_MONTH_WEEK) {
		time_split(time_join(&first), &first);
		length = first.month == 2 ? 28 + is_leap(year)
					  : 30 + ((first.month + (first.month > 7)) & 1);
		day = (change->day - first.weekday + WEEK) % WEEK;
		day += (int64_t)(change->week - 1) * WEEK;
		if (day >= length)
			day -= WEEK;
		day += first.yearday - 1;
	}
	return day * DAY_SECONDS + change->time;
}

/* What the rule says, between the changes before and after. */
static struct zone_span follow_rule(const struct rule *rule, int64_t seconds, int64_t start)
{
	struct zone_span span = {rule->offset, start, INT64_MAX};
	struct time_fields fields;

	if (!rule->summer)
		return span;
	time_split((seconds + rule->offset) * TIME_SECOND, &fields);
	for (int year = fields.year - 1; year <= fields.year + 1; year++) {
		int64_t base = year_start(year);
		int64_t begin = base + change_in(&rule->begin, year) - rule->offset;
		int64_t end = base + change_in(&rule->end, year) - rule->summer_offset;
		struct {
			int64_t at;
			int64_t offset;
		} both[2] = {{begin, rule->summer_offset}, {end, rule->offset}};

		for (size_t i = 0; i < 2; i++) {
			size_t k = begin < end ? i : 1 - i;

			if (both[k].at <= seconds) {
				span.offset = both[k].offset;
				span.start = both[k].at > start ? both[k].at : start;
			} else if (both[k].at < span.end) {
				span.end = both[k].at;
			}
		}
	}
	return span;
}

struct zone_span zone_at(const struct zone *zone, int64_t seconds)
{
	size_t low = 0;
	size_t high;

	if (!zone)
		return (struct zone_span){0, INT64_MIN, INT64_MAX};
	high = zone->len;
	while (low < high) { /* the first later transition */
		size_t middle = low + (high - low) / 2;

		if (zone->times[middle] <= seconds)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == zone->len && zone->rule.there)
		return follow_rule(&zone->rule, seconds, low ? zone->times[low - 1] : INT64_MIN);
	return (struct zone_span){
		.offset = low ? zone->offsets[low - 1] : zone->first,
		.start = low ? zone->times[low - 1] : INT64_MIN,
		.end = low < zone->len ? zone->times[low] : INT64_MAX,
	};
}

static int64_t floor_seconds(int64_t time)
{
	return time >= 0 ? time / TIME_SECOND : -((-time + TIME_SECOND - 1) / TIME_SECOND);
}

void zone_split(const struct zone *zone, int64_t time, struct time_fields *ret)
{
	time_split(time + zone_at(zone, floor_seconds(time)).offset * TIME_SECOND, ret);
}

int64_t zone_join(const struct zone *zone, const struct time_fields *fields)
{
	int64_t time = time_join(fields);
	int64_t seconds = floor_seconds(time);
	struct zone_span span = zone_at(zone, seconds);
	int64_t utc = seconds - span.offset;

	if (span.offset && (utc < span.start || utc >= span.end))
		span = zone_at(zone, utc);
	return time - span.offset * TIME_SECOND;
}

const char *zone_print(const struct zone *zone, int64_t time, char text[ZONE_TEXT_SIZE])
{
	struct zone_span span = zone_at(zone, floor_seconds(time));
	char local[TIME_TEXT_SIZE];
	int64_t minutes = span.offset / 60;
	size_t len;

	(void)time_print(time + span.offset * TIME_SECOND, local);
	len = strlen(local);
	if (!span.offset) {
		snprintf(text, ZONE_TEXT_SIZE, "%s", local);
		return text;
	}
	snprintf(text, ZONE_TEXT_SIZE, "%.*s%c%02d:%02d", (int)(len - 1), local,
		 minutes < 0 ? '-' : '+', (int)(llabs(minutes) / 60), (int)(llabs(minutes) % 60));
	return text;
}

/* --- names ----------------------------------------------------------------------------------- */

static bool is_name_byte(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
	       c == '-' || c == '_' || c == '+';
}

bool zone_part_is_safe(struct str part)
{
	if (!part.len || part.len > NAME_PART_MAX || part.ptr[0] == '-' || str_is(part, ".") ||
	    str_is(part, ".."))
		return false;
	for (size_t i = 0; i < part.len; i++)
		if (!is_name_byte(part.ptr[i]))
			return false;
	return true;
}

bool zone_name_is_safe(struct str name)
{
	struct str part;

	if (!name.len || str_eq_nocase(name, STR("Local")))
		return false;
	while (str_split(&name, '/', &part))
		if (!zone_part_is_safe(part))
			return false;
	return true;
}
