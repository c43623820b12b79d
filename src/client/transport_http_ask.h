/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport_http_ask.h - the HTTP form of a request: method, target, body. Pure. */
#ifndef CLIENT_TRANSPORT_HTTP_ASK_H
#define CLIENT_TRANSPORT_HTTP_ASK_H

#include "base/buf.h"
#include "base/macro.h"
#include "base/str.h"

struct transport_ask;

struct transport_http_ask {
	struct str method;
	struct buf target;
	struct str content_type; /* none if there is no body */
	struct str body;         /* in `text`, or the caller's */
	struct buf text;
};

void transport_http_ask_init(struct transport_http_ask *made, const struct transport_ask *from);
void transport_http_ask_done(struct transport_http_ask *made);
DEFINE_AUTO_IN_PLACE(struct transport_http_ask, transport_http_ask_done);

#endif
