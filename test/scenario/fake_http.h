/* SPDX-License-Identifier: Apache-2.0 */
/* fake_http.h - the server of a case (`http` in the README of the recorded cases), without a network: a list of
 * {path, has, status, reply}, of which the first counts that matches. */
#ifndef TEST_SCHED_FAKE_HTTP_H
#define TEST_SCHED_FAKE_HTTP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/doc.h"

/* The status of the answer to a request; `target` is path and query as they are sent, `now` stands for "@now". */
int fake_http_answer(struct json replies, struct str target, struct str body, int64_t now,
		     struct buf *ret);

#endif
