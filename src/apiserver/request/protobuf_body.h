/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/protobuf_body.h - bodies in protobuf, as Go clients send them. Answers are JSON: clients that
 * use protobuf accept both. */
#ifndef APISERVER_PROTOBUF_BODY_H
#define APISERVER_PROTOBUF_BODY_H

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct call;
struct json_doc;

/* The body as a document, with apiVersion and kind; the caller's. Unknown numbers are recorded as
 * unknown fields. ERR_BAD_REQUEST if it cannot be decoded. */
/* Look for the type of a body now, for a worker that will read it and cannot look for kinds. */
void protobuf_body_find(struct call *call, struct str body);
struct json_doc *protobuf_body_read(struct call *call, struct str body, struct err *err) MUST_CHECK;

#endif
