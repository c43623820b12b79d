/* SPDX-License-Identifier: Apache-2.0 */
/* admission/pods_validate.c - the disruption budget that a new pod may have as an annotation: a
 * count above 0 or 1% to 99%, and one of the two kinds.
 *
 * Upstream removes percent signs anywhere, and so reads "5%0" as 50; this code does not. */
#include "admission/hooks.h"
#include "base/number.h"
#include "model/value/intstr.h"

#include "base/banned.h"

static bool is_ours(const struct admission_case *c)
{
	const struct strs *names = &c->admission->config.scheduler_names;
	struct str name = json_str(json_get(json_get(c->review->object, "spec"), "schedulerName"));

	for (size_t i = 0; i < names->len; i++)
		if (str_eq(names->ptr[i], name))
			return true;
	return false;
}

static int deny_text(const struct admission_case *c, struct str text, const char *key)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	causes_quote(&quoted, text);
	return hook_deny(c, "invalid value strconv.Atoi: parsing %s: invalid syntax for %s",
			 buf_text(&quoted), key);
}

static int check_budget(const struct admission_case *c, const char *key, struct str text)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	struct intstr value = intstr_parse(text);
	bool percent = str_ends(text, STR("%"));
	int64_t number;

	causes_quote(&quoted, text);
	if (value.kind == INTSTR_INT) {
		if (value.number > 0)
			return 0;
		return hook_deny(c, "invalid value <%s> for %s, it must be a positive integer",
				 buf_text(&quoted), key);
	}
	if (percent)
		text = str_slice(text, 0, text.len - 1);
	if (number_parse_i64(text, &number, NULL) < 0)
		return deny_text(c, text, key);
	if (!percent || number <= 0 || number >= 100)
		return hook_deny(c,
				 "invalid value <%s> for %s, it must be a valid percentage which "
				 "between 1%% ~ 99%%",
				 buf_text(&quoted), key);
	return 0;
}

int pods_validate(const struct admission_case *c)
{
	static const char *const keys[] = {"volcano.sh/jdb-min-available",
					   "volcano.sh/jdb-max-unavailable"};
	size_t found = 0;

	for (size_t i = 0; is_ours(c) && i < ARRAY_LEN(keys); i++) {
		struct json value = hook_annotation(c->review->object, keys[i]);

		if (!json_is(value, JSON_STR))
			continue;
		found++;
		if (check_budget(c, keys[i], json_str(value)) < 0)
			return -1;
	}
	if (found > 1)
		return hook_deny(c,
				 "not allow configure multiple annotations <[%s %s]> at same time",
				 keys[0], keys[1]);
	return 0;
}
