/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_list.c - many objects, whole or page by page.
 *
 * A list is of one state: the newest that readers see, or, for pages after the first one, the state
 * of the first. That older state needs no copy: it is the current one with the later changes of the
 * history undone (store_at()). A page token names the state and the last key, and works for its
 * user only. */
#include "apiserver/api_internal.h"
#include "apiserver/request/filter.h"
#include "apiserver/request/listing.h"
#include "apiserver/request/page.h"

#include "base/banned.h"

void verb_list(struct call *call)
{
	struct err err;
	struct filter *filter = filter_new(call, &err);
	AUTO(page_done) struct page page = {0};

	if (!filter || page_read(call, filter, &page, &err) < 0)
		call_answer_err(call, &err);
	else
		listing_answer(call, &page);
}
