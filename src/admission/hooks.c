/* SPDX-License-Identifier: Apache-2.0 */
/* admission/hooks.c - shared by the rules of several paths: rejecting, reading, common checks. */
#include "admission/hooks.h"

#include <string.h>

#include "base/banned.h"

/* --- rejecting ------------------------------------------------------------------------------- */

int hook_deny_str(const struct admission_case *c, struct str message)
{
	c->refusal->code = ERR_DENIED;
	c->refusal->message = arena_str(c->arena, message);
	return -1;
}

int hook_deny(const struct admission_case *c, const char *format, ...)
{
	va_list args;

	c->refusal->code = ERR_DENIED;
	va_start(args, format);
	c->refusal->message = str_from(arena_vprintf(c->arena, format, args));
	va_end(args);
	return -1;
}

static bool is_reported(const struct causes *causes, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_is(str_from(causes->ptr[i].field), causes->ptr[at].field) &&
		    str_is(str_from(causes->ptr[i].message), causes->ptr[at].message))
			return true;
	return false;
}

int hook_deny_causes(const struct admission_case *c, const struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t reported = 0;

	for (size_t i = 0; i < causes->len; i++)
		if (!is_reported(causes, i))
			buf_printf(&text, "%s%s: %s", reported++ ? ", " : "", causes->ptr[i].field,
				   causes->ptr[i].message);
	if (reported > 1)
		return hook_deny(c, "[%s]", buf_text(&text));
	return hook_deny_str(c, buf_str(&text));
}

int hook_deny_no_spec(const struct admission_case *c)
{
	c->refusal->code = ERR_INVALID;
	c->refusal->message = STR("spec: Required value");
	return -1;
}

/* --- reading --------------------------------------------------------------------------------- */

int hook_check_types(const struct admission_case *c, const struct type *type)
{
	struct err err;

	if (type_check_types(type, c->review->object, &err) < 0)
		return hook_deny(c, "%s", err.text);
	return 0;
}

int hook_decode(const struct admission_case *c, const struct type *type, struct json object,
		void *view)
{
	struct err err = {0};

	if (type_decode(type, object, c->arena, view, &err) < 0)
		return hook_deny(c, "%s", err.text);
	return 0;
}

struct json hook_annotation(struct json object, const char *key)
{
	return json_get(json_get(json_get(object, "metadata"), "annotations"), key);
}

/* --- common checks --------------------------------------------------------------------------- */

bool hook_has_both_tiers(const struct network_topology *topology)
{
	return topology && topology->highest_tier_allowed.set && topology->highest_tier_name.len;
}

void hook_put_words(struct buf *to, const char *message)
{
	static const struct str until = STR_INIT(" characters");
	const char *limit = strstr(message, "must be no more than ");
	struct str rest = str_from(message);
	ptrdiff_t at = limit ? str_find(rest, until, (size_t)(limit - message)) : -1;

	if (at < 0) {
		buf_puts(to, message);
		return;
	}
	buf_printf(to, "%.*s bytes%s", (int)at, message, message + (size_t)at + until.len);
}

static void put_problem(void *arg, const char *message)
{
	struct buf *to = arg;

	if (to->len)
		buf_putc(to, ' ');
	hook_put_words(to, message);
}

bool hook_name_problems(enum name_format format, struct str name, struct buf *to)
{
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;

	if (name_check(format, name, put_problem, &list))
		return false;
	buf_printf(to, "[%s]", buf_text(&list));
	return true;
}
