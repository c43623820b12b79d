/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/page.h - the objects of a list, or of one page of it. */
#ifndef APISERVER_PAGE_H
#define APISERVER_PAGE_H

#include <stdint.h>

#include "apiserver/store/store.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"

struct call;
struct filter;

struct page {
	VEC(struct object *) objects; /* one reference each */
	int64_t revision;             /* of the state that they are from */
	struct str token;             /* for the next page; none at the end. In the call's arena. */
	int64_t remaining;            /* objects after this page; -1: not known */
};

/* Read what the call's options ask for: limit, continue, resourceVersion and its match.
 * ERR_BAD_REQUEST for a token that is none, ERR_EXPIRED for one that is too old, ERR_TIMEOUT for a
 * version that is not there yet. */
int page_read(struct call *call, const struct filter *filter, struct page *page,
	      struct err *err) MUST_CHECK;
/* Which state resourceVersion and its match ask for: the present one, or an older one by "Exact".
 * For one object as well as for a list. */
int page_check_version(struct call *call, int64_t *ret_revision, struct err *err) MUST_CHECK;
void page_done(struct page *page);
DEFINE_AUTO_IN_PLACE(struct page, page_done);

#endif
