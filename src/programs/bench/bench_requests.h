/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_requests.h - requests of a benchmark that must all succeed, and a count of those that are not
 * answered yet. */
#ifndef PROGRAMS_BENCH_REQUESTS_H
#define PROGRAMS_BENCH_REQUESTS_H

#include <stddef.h>

#include "client/client.h"

struct json_doc;
struct loop;

/* Send a request; `left` is one more until it is answered. A failure ends the run. */
void bench_send(struct client *client, struct client_ask ask, size_t *left);
/* Turn the loop until all are answered. */
void bench_wait(struct loop *loop, const size_t *left);
/* A document of the benchmark's own text. */
struct json_doc *bench_parse(const char *text);

#endif
