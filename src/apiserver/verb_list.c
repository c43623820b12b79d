/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb_list.c - many objects, whole or page by page.
 *
 * A list is of one state: the newest that readers see, or, for the pages behind the first one, the
 * state of the first. That older state is had without keeping copies: it is the present one, with
 * what the history says has changed since put back (store_at()). A page token names the state and
 * the last key, and is of no use to anybody else. */
#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/filter.h"
#include "apiserver/form.h"
#include "apiserver/list.h"
#include "apiserver/page.h"
#include "apiserver/reading.h"
#include "base/buf.h"
#include "base/limits.h"
#include "http/chunk.h"

#include "base/banned.h"

/* The head of the list up to its items; for custom kinds `continue` is there even when it is empty.
 * */
static void put_head(struct call *call, int64_t revision, struct str token, int64_t remaining,
		     struct buf *to)
{
	const struct kind *kind = call->kind;

	buf_printf(to, "{\"kind\":\"%.*s\",\"apiVersion\":\"%.*s\",\"metadata\":{",
		   STR_ARG(kind->list_name), STR_ARG(kind->api_version));
	if (token.len || kind->custom) {
		buf_puts(to, "\"continue\":\"");
		buf_put_json(to, token);
		buf_puts(to, "\",");
	}
	if (remaining >= 0)
		buf_printf(to, "\"remainingItemCount\":%" PRId64 ",", remaining);
	buf_printf(to, "\"resourceVersion\":\"%" PRId64 "\"},\"items\":[", revision);
}

/* Items of built-in kinds stand without apiVersion and kind. */
static void put_item(const struct kind *kind, const struct object *object, struct buf *to)
{
	reading_print(kind, object, kind->custom, to);
}

void list_answer_text(struct call *call, struct buf *text)
{
	struct err err;

	if (!buf_is_over(text)) {
		call_answer_text(call, 200, chunk_take(text), NULL);
		return;
	}
	(void)err_set(&err, ERR_TOO_LARGE,
		      "the list is larger than %zu bytes; ask for it in pages (limit)",
		      call->api->options.list_bytes);
	call_answer_err(call, &err);
}

void list_answer(struct call *call, const struct page *page)
{
	AUTO(buf_done) struct buf text = buf_make(call->api->options.list_bytes);

	if (call->options.form != CALL_FORM_OBJECT) {
		form_answer_list(call, page);
		return;
	}
	put_head(call, page->revision, page->token, page->remaining, &text);
	for (size_t i = 0; i < page->objects.len; i++) {
		if (i)
			buf_putc(&text, ',');
		put_item(call->kind, page->objects.ptr[i], &text);
	}
	buf_puts(&text, "]}");
	list_answer_text(call, &text);
}

void verb_list(struct call *call)
{
	struct err err;
	struct filter *filter = filter_new(call, &err);
	AUTO(page_done) struct page page = {0};

	if (!filter || page_read(call, filter, &page, &err) < 0)
		call_answer_err(call, &err);
	else
		list_answer(call, &page);
}
