/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/pages.h - pages other than resources: discovery, health, version, metrics. A page
 * is a row of the table in pages.c. */
#ifndef APISERVER_PAGES_H
#define APISERVER_PAGES_H

#include "base/str.h"

struct call;
struct http_request;
struct metrics;
struct route;

/* What a page is made from; all of it is lent. */
struct pages_request {
	struct call *call;
	const struct route *route;
	struct http_request *request;
	struct str path;
	const struct metrics *metrics;
};

/* Answers the call, which must not be touched afterwards. */
typedef void pages_fn(const struct pages_request *page);
pages_fn pages_serve;
/* "404 page not found": for what is not below anything that we know. */
void pages_not_found(struct call *call);

#endif
