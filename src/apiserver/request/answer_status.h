/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/answer_status.h - a Status as a document or a text, for those who do not answer with it at once. */
#ifndef APISERVER_ANSWER_STATUS_H
#define APISERVER_ANSWER_STATUS_H

#include "json/doc.h"

struct buf;
struct call;
struct err;

/* A Status of kind Success with a code. */
struct json_doc *status_success(int code);
/* A Status of kind Success, with the removed object in its details. */
struct json_doc *status_removed(const struct call *call, struct json object);
/* Append the Status of an error, as JSON. */
void status_print(const struct err *err, struct buf *to);

#endif
