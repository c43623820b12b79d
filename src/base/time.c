/* SPDX-License-Identifier: Apache-2.0 */
/* base/time.c - RFC 3339 and the proleptic Gregorian calendar, by arithmetic alone: no locale, no
 * zone data, no static results. Days are counted from 1970-01-01; eras are 400 years from a March
 * 1st, so that a leap day is the last of its year. */
#include "base/time.h"

#include <stdbool.h>

#include "base/banned.h"

enum { DAYS_PER_ERA = 146097, ERA_TO_EPOCH = 719468, YEARS_PER_ERA = 400 };

/* Floor of a / b for b > 0. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
	int64_t shifted = year - (month <= 2);
	int64_t era = floor_div(shifted, YEARS_PER_ERA);
	int64_t year_of_era = shifted - era * YEARS_PER_ERA;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * DAYS_PER_ERA + day_of_era - ERA_TO_EPOCH;
}

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int64_t year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

void time_split(int64_t time, struct time_fields *ret)
{
	int64_t days = floor_div(time, TIME_DAY);
	int64_t rest = (time % TIME_DAY + TIME_DAY) % TIME_DAY;
	int64_t shifted = days + ERA_TO_EPOCH;
	int64_t era = floor_div(shifted, DAYS_PER_ERA);
	int64_t day_of_era = shifted - era * DAYS_PER_ERA;
	int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
			       day_of_era / (DAYS_PER_ERA - 1)) /
			      365;
	int64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t shifted_month = (5 * day_of_year + 2) / 153;
	int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
	int64_t year = year_of_era + era * YEARS_PER_ERA + (month <= 2);

	*ret = (struct time_fields){
		.year = (int)year,
		.month = (int)month,
		.day = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1),
		.hour = (int)(rest / TIME_HOUR),
		.minute = (int)(rest / TIME_MINUTE % 60),
		.second = (int)(rest / TIME_SECOND % 60),
		.microsecond = (int)(rest % TIME_SECOND),
		.weekday = (int)((days % 7 + 11) % 7), /* 1970-01-01 was a Thursday */
		.yearday = (int)(days - days_from_date(year, 1, 1) + 1),
	};
}

int64_t time_join(const struct time_fields *fields)
{
	int64_t months = (int64_t)fields->month - 1;
	int64_t year = fields->year + floor_div(months, 12);
	int64_t month = months - floor_div(months, 12) * 12 + 1;
	int64_t days = days_from_date(year, month, 1) + fields->day - 1;
	int64_t rest = fields->hour * TIME_HOUR + fields->minute * TIME_MINUTE +
		       fields->second * TIME_SECOND + fields->microsecond;

	/* Computed from the next day backwards, because the first day begins before the smallest
	 * int64. */
	if (days < 0)
		return (days + 1) * TIME_DAY + (rest - TIME_DAY);
	return days * TIME_DAY + rest;
}

/* Can it be printed (years 0001 to 9999)? */
static bool is_printable(int64_t time)
{
	return time >= days_from_date(1, 1, 1) * TIME_DAY &&
	       time < days_from_date(10000, 1, 1) * TIME_DAY;
}

int64_t time_span(int64_t seconds)
{
	static const int64_t most = TIME_SPAN_MAX / TIME_SECOND;

	if (seconds > most)
		return TIME_SPAN_MAX;
	return seconds < -most ? -TIME_SPAN_MAX : seconds * TIME_SECOND;
}

int64_t time_after(int64_t time, int64_t span)
{
	int64_t first = days_from_date(1, 1, 1) * TIME_DAY;
	int64_t last = days_from_date(10000, 1, 1) * TIME_DAY - TIME_SECOND;
	int64_t sum;

	if (__builtin_add_overflow(time, span, &sum))
		return span > 0 ? last : first;
	return sum < first ? first : sum > last ? last : sum;
}

/* A cursor over the text: each step consumes what it names; after a failure all later steps fail. */
struct scan {
	struct str text;
	size_t at;
	bool failed;
};

static char scan_peek(const struct scan *scan)
{
	return scan->at < scan->text.len ? scan->text.ptr[scan->at] : '\0';
}

static int scan_digits(struct scan *scan, int count)
{
	int value = 0;

	for (int i = 0; i < count; i++) {
		char c = scan_peek(scan);

		if (c < '0' || c > '9') {
			scan->failed = true;
			return 0;
		}
		value = value * 10 + (c - '0');
		scan->at++;
	}
	return value;
}

static void scan_one_of(struct scan *scan, const char *allowed)
{
	char c = scan_peek(scan);

	if (c == '\0' || !strchr(allowed, c))
		scan->failed = true;
	else
		scan->at++;
}

/* ".678" in microseconds; digits past the sixth are read and dropped. */
static int scan_fraction(struct scan *scan)
{
	int value = 0;
	int scale = 100000;

	if (scan_peek(scan) != '.')
		return 0;
	scan->at++;
	do {
		value += scan_digits(scan, 1) * scale;
		scale /= 10;
	} while (scan_peek(scan) >= '0' && scan_peek(scan) <= '9');
	return value;
}

/* "Z" or "+02:00", in microseconds east of UTC. */
static int64_t scan_zone(struct scan *scan)
{
	char sign = scan_peek(scan);
	int hour;
	int minute;

	scan_one_of(scan, "Zz+-");
	if (sign == 'Z' || sign == 'z')
		return 0;
	hour = scan_digits(scan, 2);
	scan_one_of(scan, ":");
	minute = scan_digits(scan, 2);
	if (hour > 23 || minute > 59)
		scan->failed = true;
	return (sign == '-' ? -1 : 1) * (hour * TIME_HOUR + minute * TIME_MINUTE);
}

static bool in_range(const struct time_fields *f)
{
	return f->year >= 1 && f->month >= 1 && f->month <= 12 && f->day >= 1 &&
	       f->day <= days_in_month(f->year, f->month) && f->hour <= 23 && f->minute <= 59 &&
	       f->second <= 59; /* leap seconds are rejected, as in Go */
}

int time_parse(struct str text, int64_t *ret, struct err *err)
{
	struct scan scan = {.text = text};
	struct time_fields f = {0};
	int64_t time;
	int64_t east;

	f.year = scan_digits(&scan, 4);
	scan_one_of(&scan, "-");
	f.month = scan_digits(&scan, 2);
	scan_one_of(&scan, "-");
	f.day = scan_digits(&scan, 2);
	scan_one_of(&scan, "Tt");
	f.hour = scan_digits(&scan, 2);
	scan_one_of(&scan, ":");
	f.minute = scan_digits(&scan, 2);
	scan_one_of(&scan, ":");
	f.second = scan_digits(&scan, 2);
	f.microsecond = scan_fraction(&scan);
	east = scan_zone(&scan);
	time = in_range(&f) ? time_join(&f) - east : INT64_MIN;
	if (scan.failed || scan.at != text.len || !is_printable(time))
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%.*s\" is not a time such as 2006-01-02T15:04:05Z",
			       text.len < 64 ? (int)text.len : 64, text.ptr ? text.ptr : "");
	*ret = time;
	return 0;
}

/* `count` digits of a number, and a separator. Not printf(), which takes ten times as long: every
 * object has several times. */
static char *put_digits(char *to, int number, int count, char separator)
{
	for (int i = count; i-- > 0; number /= 10)
		to[i] = (char)('0' + number % 10);
	to[count] = separator;
	return to + count + 1;
}

static char *put_seconds(char *to, const struct time_fields *f, char separator)
{
	to = put_digits(to, f->year, 4, '-');
	to = put_digits(to, f->month, 2, '-');
	to = put_digits(to, f->day, 2, 'T');
	to = put_digits(to, f->hour, 2, ':');
	to = put_digits(to, f->minute, 2, ':');
	return put_digits(to, f->second, 2, separator);
}

const char *time_print(int64_t time, char text[TIME_TEXT_SIZE])
{
	struct time_fields f;

	time_split(time, &f);
	*put_seconds(text, &f, 'Z') = '\0';
	return text;
}

const char *time_print_micro(int64_t time, char text[TIME_TEXT_SIZE])
{
	struct time_fields f;

	time_split(time, &f);
	*put_digits(put_seconds(text, &f, '.'), f.microsecond, 6, 'Z') = '\0';
	return text;
}
