/* SPDX-License-Identifier: Apache-2.0 */
/* admission/hypernodes_validate.c - a HyperNode has members, and their patterns are valid. The
 * schema checks that each member has exactly one selector; here only members without any selector
 * are left to check. */
#include "admission/hooks.h"
#include "regexp/regexp.h"

#include "base/banned.h"

/* Paths begin with an empty name, as in upstream's messages. */
#define MEMBERS "[].spec.members"

static void put_error(struct buf *to, const char *field, struct str value, const char *why)
{
	buf_puts(to, to->len ? ", " MEMBERS : MEMBERS);
	buf_printf(to, "%s: Invalid value: ", field);
	if (str_is_none(value))
		buf_puts(to, "null");
	else
		causes_quote(to, value);
	buf_printf(to, ": %s", why);
}

/* Returns the number of errors. */
static size_t check_member(struct json member, size_t index, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json selector = json_get(member, "selector");
	struct str pattern = json_str(json_get(json_get(selector, "regexMatch"), "pattern"));
	AUTO(regexp_free) struct regexp *re = NULL;
	struct err err;

	if (!json_len(selector)) {
		buf_printf(&text, "[%zu].selector", index);
		put_error(to, buf_text(&text), str_none(),
			  "Either ExactMatch or RegexMatch or LabelMatch must be specified");
		return 1;
	}
	if (!pattern.len)
		return 0;
	re = regexp_parse(pattern, &err);
	if (re)
		return 0;
	buf_printf(&text, "member regexMatch pattern is invalid: %s", err.text);
	put_error(to, ".selector.regexMatch.pattern", pattern, buf_text(&text));
	return 1;
}

int hypernodes_validate(const struct admission_case *c)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json members = json_get(json_get(c->review->object, "spec"), "members");
	struct json_iter it = json_iter(members);
	size_t errors = 0;

	if (!json_len(members)) {
		put_error(&text, "", str_none(), "member must have at least one member");
		errors = 1;
	}
	while (json_next(&it))
		errors += check_member(it.value, it.index, &text);
	if (errors > 1)
		return hook_deny(c, "[%s]", buf_text(&text));
	return errors ? hook_deny_str(c, buf_str(&text)) : 0;
}
