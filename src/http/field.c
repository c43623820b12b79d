/* SPDX-License-Identifier: Apache-2.0 */
/* http/field.c - header field values, parsed in place by RFC 9110 (5.6, 12.4, 12.5).
 * Separators inside quoted strings do not count. */
#include "http/field.h"

#include <stdio.h>

#include "base/number.h"
#include "base/time.h"
#include "http/headers.h"

#include "base/banned.h"

static const char *const day_names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char *const month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* Cut the part before `separator` off the front, leaving quoted strings whole. */
static bool split_quoted(struct str *rest, char separator, struct str *part)
{
	bool quoted = false;

	if (str_is_none(*rest))
		return false;
	for (size_t i = 0; i < rest->len; i++) {
		if (quoted && rest->ptr[i] == '\\')
			i++;
		else if (rest->ptr[i] == '"')
			quoted = !quoted;
		else if (!quoted && rest->ptr[i] == separator) {
			*part = str_slice(*rest, 0, i);
			*rest = str_skip(*rest, i + 1);
			return true;
		}
	}
	*part = *rest;
	*rest = str_none();
	return true;
}

/* "0", "1", "0.25": thousandths; -1 when malformed. */
static int parse_quality(struct str text)
{
	int value, scale = 100;

	if (text.len == 0 || text.len > 5 || (text.ptr[0] != '0' && text.ptr[0] != '1'))
		return -1;
	value = (text.ptr[0] - '0') * 1000;
	if (text.len > 1 && text.ptr[1] != '.')
		return -1;
	for (size_t i = 2; i < text.len; i++, scale /= 10) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return -1;
		value += (text.ptr[i] - '0') * scale;
	}
	return value > 1000 ? -1 : value;
}

struct str field_param(struct str params, struct str name)
{
	struct str part;

	while (split_quoted(&params, ';', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);
		struct str value;

		if (equals < 0 ||
		    !str_eq_nocase(str_trim(str_slice(part, 0, (size_t)equals)), name))
			continue;
		value = str_trim(str_skip(part, (size_t)equals + 1));
		if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"')
			value = str_slice(value, 1, value.len - 1);
		return value;
	}
	return str_none();
}

int field_parse_media(struct str value, struct field_media *ret, struct err *err)
{
	struct field_media media = {.quality = 1000};
	struct str params = value, type, quality;
	ptrdiff_t slash;

	if (!split_quoted(&params, ';', &type))
		return err_set(err, ERR_BAD_REQUEST, "no media type");
	type = str_trim(type);
	slash = str_find_byte(type, '/', 0);
	if (slash < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not a media type",
			       STR_ARG(value));
	media.type = str_slice(type, 0, (size_t)slash);
	media.subtype = str_skip(type, (size_t)slash + 1);
	media.params = str_is_none(params) ? STR("") : params;
	quality = field_param(media.params, STR("q"));
	if (!str_is_none(quality))
		media.quality = parse_quality(quality);
	if (!headers_name_is_valid(media.type) || !headers_name_is_valid(media.subtype) ||
	    media.quality < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not a media type",
			       STR_ARG(value));
	*ret = media;
	return 0;
}

bool field_next_media(struct str *rest, struct field_media *ret)
{
	struct str part;

	while (split_quoted(rest, ',', &part))
		if (field_parse_media(part, ret, NULL) == 0)
			return true;
	return false;
}

bool field_is_media(struct str value, struct str media)
{
	struct str type;

	return split_quoted(&value, ';', &type) && str_eq_nocase(str_trim(type), media);
}

int field_quality(struct str value, struct str item)
{
	struct str part;
	int any = -1;

	while (split_quoted(&value, ',', &part)) {
		struct str params = part, name, text;
		int quality = 1000;

		if (!split_quoted(&params, ';', &name))
			continue;
		name = str_trim(name);
		text = field_param(params, STR("q"));
		if (!str_is_none(text))
			quality = parse_quality(text);
		if (quality < 0)
			continue;
		if (str_eq_nocase(name, item))
			return quality;
		if (str_eq(name, STR("*")))
			any = quality;
	}
	return any;
}

int field_parse_retry_after(struct str value, int64_t now, int64_t *ret, struct err *err)
{
	int64_t number;

	value = str_trim(value);
	if (number_parse_range(value, 0, INT64_MAX / TIME_SECOND, &number, NULL) == 0) {
		*ret = time_span(number);
		return 0;
	}
	if (field_parse_date(value, &number, err) < 0)
		return err_wrap(err, "retry-after");
	*ret = number > now ? number - now : 0;
	return 0;
}

const char *field_print_date(int64_t time, char text[FIELD_DATE_SIZE])
{
	struct time_fields at;

	time_split(time, &at);
	snprintf(text, FIELD_DATE_SIZE, "%s, %02d %s %04d %02d:%02d:%02d GMT",
		 day_names[at.weekday % 7], at.day, month_names[(at.month + 11) % 12], at.year,
		 at.hour, at.minute, at.second);
	return text;
}

static int find_month(struct str name)
{
	for (int i = 0; i < 12; i++)
		if (str_is(name, month_names[i]))
			return i + 1;
	return 0;
}

static int two_digits(struct str text, size_t at, int max)
{
	int64_t value;

	if (number_parse_range(str_slice(text, at, at + 2), 0, max, &value, NULL) < 0)
		return -1;
	return (int)value;
}

int field_parse_date(struct str text, int64_t *ret, struct err *err)
{
	struct time_fields at = {0};
	int64_t year;

	if (text.len != 29 || !str_ends(text, STR(" GMT")) || text.ptr[3] != ',' ||
	    text.ptr[19] != ':' || text.ptr[22] != ':' ||
	    number_parse_range(str_slice(text, 12, 16), 1, 9999, &year, NULL) < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not an HTTP date", STR_ARG(text));
	at.year = (int)year;
	at.month = find_month(str_slice(text, 8, 11));
	at.day = two_digits(text, 5, 31);
	at.hour = two_digits(text, 17, 23);
	at.minute = two_digits(text, 20, 59);
	at.second = two_digits(text, 23, 60);
	if (at.month < 1 || at.day < 1 || at.hour < 0 || at.minute < 0 || at.second < 0)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not an HTTP date", STR_ARG(text));
	*ret = time_join(&at);
	return 0;
}
