/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_list.c - many objects, whole or page by page.
 *
 * A list is of one state: the newest that readers see, or, for the pages behind the first one, the
 * state of the first. That older state is had without keeping copies: it is the present one, with
 * what the history says has changed since put back (store_at()). A page token names the state and
 * the last key, and is of no use to anybody else. */
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
