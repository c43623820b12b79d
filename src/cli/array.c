/* SPDX-License-Identifier: Apache-2.0 */
/* cli/array.c - see array.h. */
#include "cli/array.h"

#include "base/number.h"

#include "base/banned.h"

static int read_number(struct str text, struct str what, int64_t *ret, struct err *err)
{
	if (number_parse_range(text, 0, INT32_MAX, ret, err) == 0)
		return 0;
	return err_set(err, ERR_BAD_REQUEST,
		       "\"%.*s\": \"%.*s\" must be a number from 0 to 2147483647; arrays are "
		       "written as 1-100, 0-9:3, 1,5,7-9 or 1-100%%8",
		       STR_ARG(what), STR_ARG(text));
}

/* "5", "1-9", "1-9:2" */
static int read_range(struct str text, struct array_range *ret, struct err *err)
{
	ptrdiff_t colon = str_find_byte(text, ':', 0);
	struct str bounds = colon < 0 ? text : str_slice(text, 0, (size_t)colon);
	ptrdiff_t dash = str_find_byte(bounds, '-', 0);
	int64_t last = 0;

	ret->step = 1;
	if (read_number(dash < 0 ? bounds : str_slice(bounds, 0, (size_t)dash), text, &ret->first,
			err) < 0)
		return -1;
	last = ret->first;
	if (dash >= 0 && read_number(str_skip(bounds, (size_t)dash + 1), text, &last, err) < 0)
		return -1;
	if (colon >= 0 && read_number(str_skip(text, (size_t)colon + 1), text, &ret->step, err) < 0)
		return -1;
	if (last < ret->first)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\": ends before it begins",
			       STR_ARG(text));
	if (ret->step < 1)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\": the step must be at least 1",
			       STR_ARG(text));
	ret->count = (last - ret->first) / ret->step + 1;
	return 0;
}

static void add_range(struct array *array, const struct array_range *range)
{
	int64_t last = range->first + (range->count - 1) * range->step;

	if (!array->len || range->first < array->least)
		array->least = range->first;
	if (!array->len || last > array->most)
		array->most = last;
	array->ranges[array->len++] = *range;
	array->count += range->count;
}

int array_parse(struct str text, struct array *ret, struct err *err)
{
	ptrdiff_t percent = str_find_byte(text, '%', 0);
	struct str rest = percent < 0 ? text : str_slice(text, 0, (size_t)percent);
	struct array array = {0};
	struct str part;

	if (percent >= 0 &&
	    read_number(str_skip(text, (size_t)percent + 1), text, &array.at_once, err) < 0)
		return -1;
	while (str_split(&rest, ',', &part)) {
		struct array_range range;

		if (read_range(part, &range, err) < 0)
			return -1;
		if (array.len == ARRAY_RANGES_MAX)
			return err_set(err, ERR_TOO_LARGE, "at most %d ranges can be given",
				       ARRAY_RANGES_MAX);
		add_range(&array, &range);
		if (array.count > ARRAY_COUNT_MAX)
			return err_set(err, ERR_TOO_LARGE, "at most %d elements can be given",
				       ARRAY_COUNT_MAX);
	}
	if (array.at_once > array.count)
		array.at_once = array.count;
	*ret = array;
	return 0;
}

void array_put_shell(const struct array *array, struct buf *to)
{
	int64_t before = 0;

	buf_puts(to, "id() {\n");
	for (size_t i = 0; i < array->len; i++) {
		const struct array_range *range = &array->ranges[i];
		int64_t end = before + range->count;

		buf_printf(to, "\t%s [ \"$1\" -lt %lld ]; then ID=$((%lld + %lld * ($1 - %lld)))\n",
			   i ? "elif" : "if", (long long)end, (long long)range->first,
			   (long long)range->step, (long long)before);
		before = end;
	}
	buf_puts(to, "\tfi\n}\n");
}
