/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/media.h - in what form bodies come and answers go. */
#ifndef APISERVER_MEDIA_H
#define APISERVER_MEDIA_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct buf;
struct call;

/* Choose the answer's form by the Accept header: call->options.form and .yaml. ERR_NOT_ACCEPTABLE
 * if nothing that the client takes can be made. */
int media_negotiate(struct call *call, struct str accept, struct err *err) MUST_CHECK;

/* Read a body by its Content-Type into call->body.doc, and call->patch for a PATCH. An empty body is
 * none. ERR_UNSUPPORTED_MEDIA_TYPE or, in kube-apiserver's words, ERR_BAD_REQUEST. */
int media_read_body(struct call *call, struct str type, struct str body,
		    struct err *err) MUST_CHECK;

/* What media_read_body() needs of the API, so that a worker can call it afterwards. */
void media_prepare_body(struct call *call, struct str type, struct str body);

/* Does this Accept-Encoding take gzip? */
bool media_takes_gzip(struct str accept);

/* The inside of a quoted string of a header: quotes and backslashes escaped, other bytes that a
 * header cannot carry dropped. */
void media_quote(struct buf *to, const char *text);

#endif
