/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/status.h - errors as a Status, where there is no call to answer. */
#ifndef APISERVER_STATUS_H
#define APISERVER_STATUS_H

struct buf;
struct err;

/* Append the Status of an error, as JSON. */
/* A Status of kind Success with a code. */
struct json_doc *status_success(int code);
void status_print(const struct err *err, struct buf *to);

#endif
