/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/options.h - what a query says, decoded and checked as kube-apiserver does. */
#ifndef APISERVER_OPTIONS_H
#define APISERVER_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct call;
struct causes;
struct query;

/* Sets call->options from the query. A number that is none: ERR_BAD_REQUEST in Go's words. */
int options_from_query(struct call *call, const struct query *query, struct err *err) MUST_CHECK;
/* Does the query say watch? A GET is a watch then. */
bool options_ask_for_watch(const struct query *query);
/* Adds what DeleteOptions in a body say; those in the query come first. */
int options_from_body(struct call *call, struct json body, struct err *err) MUST_CHECK;

/* Do they fit together for this verb? `ret_kind` gets the name that the causes are for
 * ("ListOptions"). */
void options_validate(const struct call *call, const char **ret_kind, struct causes *causes);

#endif
