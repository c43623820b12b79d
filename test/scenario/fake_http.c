/* SPDX-License-Identifier: Apache-2.0 */
/* fake_http.c - see the header. */
#include "fake_http.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/url.h"

#include "base/banned.h"

static bool matches(struct json entry, struct str path, struct str text)
{
	struct json wanted = json_get(entry, "path");
	struct json_iter it = json_iter(json_get(entry, "has"));

	if (!json_is_absent(wanted) && !str_eq(json_str(wanted), path))
		return false;
	while (json_next(&it))
		if (str_find(text, json_str(it.value), 0) < 0)
			return false;
	return true;
}

static void put_reply(struct json reply, int64_t now, struct buf *ret)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str rest;
	ptrdiff_t at;

	if (json_is_absent(reply))
		buf_puts(&text, "{}");
	else
		json_print(reply, JSON_COMPACT, &text);
	rest = buf_str(&text);
	while ((at = str_find(rest, STR("\"@now\""), 0)) >= 0) {
		buf_put_str(ret, str_slice(rest, 0, (size_t)at));
		buf_printf(ret, "%lld", (long long)(now / TIME_SECOND));
		rest = str_skip(rest, (size_t)at + strlen("\"@now\""));
	}
	buf_put_str(ret, rest);
}

int fake_http_answer(struct json replies, struct str target, struct str body, int64_t now,
		     struct buf *ret)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(replies);
	struct str query = target, path;

	(void)str_split(&query, '?', &path);
	if (path.len < target.len && url_decode_query(query, &text, NULL) < 0)
		return 400;
	buf_putc(&text, '\n');
	buf_put_str(&text, body);
	while (json_next(&it)) {
		struct json status = json_get(it.value, "status");

		if (!matches(it.value, path, buf_str(&text)))
			continue;
		put_reply(json_get(it.value, "reply"), now, ret);
		return json_is(status, JSON_INT) ? (int)json_int(status) : 200;
	}
	return 404;
}
