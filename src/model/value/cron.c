/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/cron.c - parsing schedules, and walking to the next time.
 *
 * The walk goes from months down to minutes: a field that does not match moves on to its next value
 * with the smaller ones reset, and one that wraps starts over from the top. When clocks change, the
 * result is that of the library that Volcano uses: a time that does not exist is skipped that day,
 * a time that occurs twice counts once or twice as in its algorithm. */
#include "model/value/cron.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "model/value/zone.h"

#include "base/banned.h"

enum { YEARS = 5, VALUE_MAX = 1000 };

struct bounds {
	const char *what;
	unsigned min;
	unsigned max;
	const char *const *names; /* from `min` on; NULL: none */
	unsigned name_count;
};

static const char *const month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
					  "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

static const struct bounds bounds[CRON_FIELD_COUNT] = {
	[CRON_MINUTE] = {"minute", 0, 59, NULL, 0},
	[CRON_HOUR] = {"hour", 0, 23, NULL, 0},
	[CRON_DAY] = {"day of the month", 1, 31, NULL, 0},
	[CRON_MONTH] = {"month", 1, 12, month_names, ARRAY_LEN(month_names)},
	[CRON_WEEKDAY] = {"day of the week", 0, 6, weekday_names, ARRAY_LEN(weekday_names)},
};

/* --- parsing --------------------------------------------------------------------------------- */

/* Errors have the messages of the library that Kubernetes and Volcano use: people search for them. */
static int parse_number(struct str text, unsigned *ret, struct err *err)
{
	int64_t value;

	if (number_parse_i64(text, &value, NULL) < 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "failed to parse int from %.*s: strconv.Atoi: parsing \"%.*s\": "
			       "invalid syntax",
			       STR_ARG(text), STR_ARG(text));
	if (value < 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "negative number (%" PRId64 ") not allowed: %.*s", value,
			       STR_ARG(text));
	*ret = value > VALUE_MAX ? VALUE_MAX : (unsigned)value;
	return 0;
}

static int parse_value(struct str text, const struct bounds *b, unsigned *ret, struct err *err)
{
	for (unsigned i = 0; i < b->name_count; i++)
		if (str_eq_nocase(text, str_from(b->names[i]))) {
			*ret = b->min + i;
			return 0;
		}
	return parse_number(text, ret, err);
}

/* One element of a list: the bits from `low` to `high` in steps. */
struct range {
	unsigned low;
	unsigned high;
	unsigned step;
	bool any; /* '*', not thinned out by a step */
};

static int parse_span(struct str text, const struct bounds *b, struct range *ret, bool *single,
		      struct err *err)
{
	struct str part;
	struct str rest = text;

	(void)str_split(&rest, '-', &part);
	*single = str_is_none(rest);
	if (str_is(part, "*") || str_is(part, "?")) {
		*ret = (struct range){b->min, b->max, 1, true};
		return 0;
	}
	*ret = (struct range){.step = 1};
	if (parse_value(part, b, &ret->low, err) < 0)
		return -1;
	ret->high = ret->low;
	if (*single)
		return 0;
	if (str_find_byte(rest, '-', 0) >= 0)
		return err_set(err, ERR_BAD_REQUEST, "too many hyphens: %.*s", STR_ARG(text));
	return parse_value(rest, b, &ret->high, err);
}

static int check_range(const struct range *range, const struct bounds *b, struct str text,
		       struct err *err)
{
	if (range->low < b->min)
		return err_set(err, ERR_BAD_REQUEST,
			       "beginning of range (%u) below minimum (%u): %.*s", range->low,
			       b->min, STR_ARG(text));
	if (range->high > b->max)
		return err_set(err, ERR_BAD_REQUEST, "end of range (%u) above maximum (%u): %.*s",
			       range->high, b->max, STR_ARG(text));
	if (range->low > range->high)
		return err_set(err, ERR_BAD_REQUEST,
			       "beginning of range (%u) beyond end of range (%u): %.*s", range->low,
			       range->high, STR_ARG(text));
	if (range->step == 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "step of range should be a positive number: %.*s", STR_ARG(text));
	return 0;
}

static int parse_range(struct str text, const struct bounds *b, struct range *ret, struct err *err)
{
	struct str rest = text;
	struct str part;
	bool single;

	(void)str_split(&rest, '/', &part);
	if (parse_span(part, b, ret, &single, err) < 0)
		return -1;
	if (!str_is_none(rest)) {
		if (str_find_byte(rest, '/', 0) >= 0)
			return err_set(err, ERR_BAD_REQUEST, "too many slashes: %.*s",
				       STR_ARG(text));
		if (parse_number(rest, &ret->step, err) < 0)
			return -1;
		ret->any = ret->any && ret->step == 1;
		if (single)
			ret->high = b->max;
	}
	return check_range(ret, b, text, err);
}

static int parse_field(struct str text, const struct bounds *b, uint64_t *ret_bits, bool *ret_any,
		       struct err *err)
{
	struct str rest = text;
	struct str part;
	struct range range;

	*ret_bits = 0;
	while (str_split(&rest, ',', &part)) {
		if (!part.len)
			continue;
		if (parse_range(part, b, &range, err) < 0)
			return -1;
		for (unsigned i = range.low; i <= range.high; i += range.step)
			*ret_bits |= UINT64_C(1) << (i & 63); /* within the bounds of the field */
		*ret_any = *ret_any || range.any;
	}
	if (!*ret_bits)
		return err_set(err, ERR_BAD_REQUEST, "%s \"%.*s\" is empty", b->what,
			       STR_ARG(text));
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct str take_word(struct str *rest)
{
	size_t len = 0;
	struct str word;

	*rest = str_trim(*rest);
	while (len < rest->len && !is_blank(rest->ptr[len]))
		len++;
	word = str_slice(*rest, 0, len);
	*rest = str_skip(*rest, len);
	return word;
}

static int wrong_count(struct str text, struct err *err)
{
	AUTO(buf_done) struct buf words = BUF_UNBOUNDED;
	struct str word;
	size_t count = 0;

	while ((word = take_word(&text)).len)
		buf_printf(&words, "%s%.*s", count++ ? " " : "", STR_ARG(word));
	return err_set(err, ERR_BAD_REQUEST, "expected exactly %d fields, found %zu: [%s]",
		       CRON_FIELD_COUNT, count, buf_text(&words));
}

static int parse_fields(struct str text, struct cron *ret, struct err *err)
{
	bool any[CRON_FIELD_COUNT] = {false};
	struct str words[CRON_FIELD_COUNT];
	struct str rest = text;

	for (size_t i = 0; i < CRON_FIELD_COUNT; i++)
		words[i] = take_word(&rest);
	if (!words[CRON_FIELD_COUNT - 1].len || str_trim(rest).len)
		return wrong_count(text, err);
	for (size_t i = 0; i < CRON_FIELD_COUNT; i++)
		if (parse_field(words[i], &bounds[i], &ret->bits[i], &any[i], err) < 0)
			return -1;
	ret->any_day = any[CRON_DAY];
	ret->any_weekday = any[CRON_WEEKDAY];
	return 0;
}

static int parse_descriptor(struct str text, struct cron *ret, struct err *err)
{
	static const struct {
		const char *name;
		const char *fields;
	} rows[] = {
		{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
		{"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
		{"@hourly", "0 * * * *"},
	};
	int64_t nanoseconds;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(text, rows[i].name))
			return parse_fields(str_from(rows[i].fields), ret, err);
	if (!str_starts(text, STR("@every ")))
		return err_set(err, ERR_BAD_REQUEST, "unrecognized descriptor: %.*s",
			       STR_ARG(text));
	if (duration_parse(str_skip(text, sizeof("@every ") - 1), &nanoseconds, err) < 0)
		return err_wrap(err, "failed to parse duration %.*s", STR_ARG(text));
	ret->every = nanoseconds / DURATION_SECOND * TIME_SECOND;
	if (ret->every < TIME_SECOND)
		ret->every = TIME_SECOND;
	return 0;
}

int cron_parse(struct str text, struct cron *ret, struct err *err)
{
	*ret = (struct cron){.zone = str_none()};
	if (!text.len)
		return err_set(err, ERR_BAD_REQUEST, "empty spec string");
	if (str_starts(text, STR("TZ=")) || str_starts(text, STR("CRON_TZ="))) {
		ret->zone = take_word(&text);
		ret->zone = str_skip(ret->zone, (size_t)str_find_byte(ret->zone, '=', 0) + 1);
		text = str_trim(text);
	}
	if (str_starts(text, STR("@")))
		return parse_descriptor(text, ret, err);
	return parse_fields(text, ret, err);
}

/* --- walking --------------------------------------------------------------------------------- */

struct walk {
	const struct cron *cron;
	const struct zone *zone;
	int64_t time;
	struct time_fields at; /* of `time` */
	bool reset;            /* have the smaller fields been set to their first value? */
};

static void move_to(struct walk *walk, const struct time_fields *fields)
{
	walk->time = zone_join(walk->zone, fields);
	zone_split(walk->zone, walk->time, &walk->at);
}

static void move_by(struct walk *walk, int64_t microseconds)
{
	walk->time += microseconds;
	zone_split(walk->zone, walk->time, &walk->at);
}

static bool has(const struct cron *cron, enum cron_field field, int value)
{
	return cron->bits[field] >> value & 1;
}

static bool is_day(const struct walk *walk)
{
	const struct cron *cron = walk->cron;
	bool day = has(cron, CRON_DAY, walk->at.day);
	bool weekday = has(cron, CRON_WEEKDAY, walk->at.weekday);

	return cron->any_day || cron->any_weekday ? day && weekday : day || weekday;
}

/* Each step returns false if its field has wrapped; then the walk starts over. */

static bool step_month(struct walk *walk)
{
	while (!has(walk->cron, CRON_MONTH, walk->at.month)) {
		struct time_fields next = {
			.year = walk->at.year, .month = walk->at.month + 1, .day = 1};

		walk->reset = true;
		move_to(walk, &next);
		if (walk->at.month == 1)
			return false;
	}
	return true;
}

static bool step_day(struct walk *walk)
{
	while (!is_day(walk)) {
		struct time_fields next = {
			.year = walk->at.year, .month = walk->at.month, .day = walk->at.day + 1};

		walk->reset = true;
		move_to(walk, &next);
		/* midnight may not exist, or may occur twice */
		if (walk->at.hour != 0)
			move_by(walk, walk->at.hour > 12 ? (24 - walk->at.hour) * TIME_HOUR
							 : -walk->at.hour * TIME_HOUR);
		if (walk->at.day == 1)
			return false;
	}
	return true;
}

static bool step_hour(struct walk *walk)
{
	while (!has(walk->cron, CRON_HOUR, walk->at.hour)) {
		if (!walk->reset) {
			struct time_fields start = walk->at;

			walk->reset = true;
			start.minute = start.second = start.microsecond = 0;
			move_to(walk, &start);
		}
		move_by(walk, TIME_HOUR);
		if (walk->at.hour == 0)
			return false;
	}
	return true;
}

static bool step_minute(struct walk *walk)
{
	while (!has(walk->cron, CRON_MINUTE, walk->at.minute)) {
		if (!walk->reset) {
			walk->reset = true;
			walk->time -= walk->time % TIME_MINUTE;
		}
		move_by(walk, TIME_MINUTE);
		if (walk->at.minute == 0)
			return false;
	}
	return true;
}

/* Up to the next whole minute. */
static bool step_second(struct walk *walk)
{
	while (walk->at.second != 0) {
		walk->reset = true;
		move_by(walk, (60 - walk->at.second) * TIME_SECOND);
		if (walk->at.second == 0)
			return false;
	}
	return true;
}

int64_t cron_next(const struct cron *cron, const struct zone *zone, int64_t after)
{
	struct walk walk = {cron, zone, 0, {0}, false};
	int last;

	after -= after % TIME_SECOND;
	if (cron->every)
		return after + cron->every;
	walk.time = after;
	move_by(&walk, TIME_SECOND);
	last = walk.at.year + YEARS;
	while (walk.at.year <= last)
		if (step_month(&walk) && step_day(&walk) && step_hour(&walk) &&
		    step_minute(&walk) && step_second(&walk))
			return walk.time;
	return 0;
}
