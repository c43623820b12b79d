/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_requests.c - see the header. The answer's callback gets the count itself, so that worlds of
 * any shape can have one. */
#include "programs/bench/bench_requests.h"

#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/bench.h"

#include "base/banned.h"

static void on_answer(void *arg, const struct client_result *result)
{
	size_t *left = arg;

	bench_require(!result->err, result->err);
	(*left)--;
}

void bench_send(struct client *client, struct client_ask ask, size_t *left)
{
	ask.done = on_answer;
	ask.arg = left;
	(*left)++;
	client_send(client, &ask);
}

void bench_wait(struct loop *loop, const size_t *left)
{
	while (*left)
		(void)loop_turn(loop, -1);
}

struct json_doc *bench_parse(const char *text)
{
	struct err err;
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	bench_require(doc, &err);
	return doc;
}
