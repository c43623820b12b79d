/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/intstr.c - numbers or texts. Percentages are computed in whole numbers: no rounding but the
 * one that is asked for. */
#include "model/value/intstr.h"

#include "base/number.h"
#include "model/rules/causes.h"

#include "base/banned.h"

struct intstr intstr_parse(struct str text)
{
	int64_t number;

	if (number_parse_range(text, INT32_MIN, INT32_MAX, &number, NULL))
		return (struct intstr){.kind = INTSTR_STR, .text = text};
	return (struct intstr){.kind = INTSTR_INT, .number = (int32_t)number};
}

void intstr_print(const struct intstr *value, struct buf *to)
{
	if (value->kind == INTSTR_STR)
		buf_put_str(to, value->text);
	else if (value->kind == INTSTR_INT)
		buf_put_int(to, value->number);
}

bool intstr_is_percent(const struct intstr *value)
{
	struct str text = value->text;

	if (value->kind != INTSTR_STR || text.len < 2 || text.ptr[text.len - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

/* floor or ceil of percent * total / 100, capped */
static int64_t part_of(int64_t percent, int64_t total, bool round_up)
{
	int128_t product = (int128_t)percent * total;
	int128_t whole = product / 100;
	int128_t rest = product % 100;

	if (round_up && rest > 0)
		whole++;
	if (!round_up && rest < 0)
		whole--;
	if (whole > INT64_MAX)
		return INT64_MAX;
	return whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
}

int intstr_scale(const struct intstr *value, int64_t total, bool round_up, int64_t *ret,
		 struct err *err)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	int64_t percent;

	if (value->kind == INTSTR_NONE)
		return err_set(err, ERR_INVALID, "nil value for IntOrString");
	if (value->kind == INTSTR_INT) {
		*ret = value->number;
		return 0;
	}
	if (!str_ends(value->text, STR("%")))
		return err_set(err, ERR_INVALID,
			       "invalid value for IntOrString: invalid type: string is not a "
			       "percentage");
	if (number_parse_i64(str_slice(value->text, 0, value->text.len - 1), &percent, NULL)) {
		causes_quote(&quoted, value->text);
		return err_set(err, ERR_INVALID,
			       "invalid value for IntOrString: invalid value %s: not a number",
			       buf_text(&quoted));
	}
	*ret = part_of(percent, total, round_up);
	return 0;
}
