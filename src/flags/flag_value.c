/* SPDX-License-Identifier: Apache-2.0 */
/* flags/flag_value.c - see flag_value.h. The texts about numbers and booleans without a range are those of
 * the Go library pflag, because scripts look for them. */
#include "flags/flag_value.h"

#include "base/number.h"
#include "model/value/duration.h"

#include "base/banned.h"

/* Nothing but digits, and perhaps a sign? */
static bool is_digits(struct str text)
{
	size_t sign = str_starts(text, STR("-")) || str_starts(text, STR("+"));

	for (size_t i = sign; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return text.len > sign;
}

static int check_int(const struct flag *flag, struct str text, struct err *err)
{
	bool bounded = flag->min || flag->max;
	int64_t number;

	if (number_parse_range(text, bounded ? flag->min : INT32_MIN,
			       bounded ? flag->max : INT32_MAX, &number, err) == 0)
		return 0;
	if (bounded)
		return err_set(err, ERR_BAD_REQUEST, "must be a whole number from %lld to %lld",
			       (long long)flag->min, (long long)flag->max);
	return err_set(err, ERR_BAD_REQUEST, "strconv.ParseInt: parsing \"%.*s\": %s",
		       STR_ARG(text), is_digits(text) ? "value out of range" : "invalid syntax");
}

static int check_choice(const struct flag *flag, struct str text, struct err *err)
{
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;
	struct str rest = str_from(flag->choices);
	struct str word;

	while (str_split(&rest, ' ', &word)) {
		if (str_eq(word, text))
			return 0;
		buf_printf(&list, "%s%.*s", list.len ? ", " : "", STR_ARG(word));
	}
	return err_set(err, ERR_BAD_REQUEST, "must be one of %s", buf_text(&list));
}

static int check_type(const struct flag *flag, struct str text, struct err *err)
{
	int64_t number;
	double fraction;
	bool truth;

	switch (flag->type) {
	case FLAG_INT:
		return check_int(flag, text, err);
	case FLAG_NUMBER:
		if (number_parse_double(text, &fraction, err) == 0)
			return 0;
		return err_set(err, ERR_BAD_REQUEST, "must be a number");
	case FLAG_BOOL:
		if (number_parse_bool(text, &truth, err) == 0)
			return 0;
		return err_set(err, ERR_BAD_REQUEST,
			       "strconv.ParseBool: parsing \"%.*s\": invalid syntax",
			       STR_ARG(text));
	case FLAG_DURATION:
		if (duration_parse(text, &number, err) == 0)
			return 0;
		return err_set(err, ERR_BAD_REQUEST, "must be a time such as 30s, 5m or 1h30m");
	case FLAG_CHOICE:
		return check_choice(flag, text, err);
	case FLAG_STRING:
	case FLAG_LIST:
		break;
	}
	return 0;
}

int flag_check(const struct flag *flag, struct str text, struct err *err)
{
	char letter[] = {'-', flag->letter, ',', ' ', 0};

	if (check_type(flag, text, err) == 0 && (!flag->check || flag->check(text.ptr, err) == 0))
		return 0;
	return err_wrap(err, "invalid argument \"%.*s\" for \"%s--%s\" flag", STR_ARG(text),
			flag->letter ? letter : "", flag->name);
}

const char *flag_noun(const struct flag *flag)
{
	static const char *const nouns[] = {
		[FLAG_STRING] = "string",     [FLAG_INT] = "int",
		[FLAG_NUMBER] = "number",     [FLAG_BOOL] = "",
		[FLAG_LIST] = "strings",      [FLAG_CHOICE] = "string",
		[FLAG_DURATION] = "duration",
	};

	return flag->noun ? flag->noun : nouns[flag->type];
}

bool flag_shows_default(const struct flag *flag)
{
	return flag->value && *flag->value && flag->type != FLAG_BOOL;
}
