/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are kept for other readers: which, and how much of them. */
#include "apiserver/store/decoded.h"

#include "apiserver/store/object.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/time.h"
#include "loop/loop.h"
#include "tap.h"

static struct object *make(int64_t revision, size_t len)
{
	struct object_names *names = NULL;
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct object_parts parts = {.key = STR("/pods/a/1"), .before = STR("{\"r\":\"")};
	struct object *object;

	buf_puts(&text, "\",\"t\":\"");
	for (size_t i = 0; i < len; i++)
		buf_putc(&text, 'x');
	buf_puts(&text, "\"}");
	parts.tail = buf_str(&text);
	object = object_new(&parts, revision, &names, &scratch);
	object_names_unref(names);
	return object;
}

int main(void)
{
	AUTO(loop_free) struct loop *loop = loop_new_virtual(1, 0, NULL);
	AUTO(decoded_free) struct decoded *decoded = decoded_new(loop);
	AUTO(object_unref) struct object *small = make(7, 10);
	AUTO(object_unref) struct object *huge = make(8, LIMIT_DECODED_BYTES);
	bool bounded = true;
	uint64_t parses;

	json_doc_unref(decoded_get(decoded, small));
	json_doc_unref(decoded_get(decoded, small));
	ok(decoded_parses(decoded) == 1, "the second reader gets what the first one got");
	json_doc_unref(decoded_get(decoded, huge));
	json_doc_unref(decoded_get(decoded, huge));
	ok(decoded_parses(decoded) == 3 && decoded_bytes(decoded) < 10000,
	   "what is very large is not kept");
	json_doc_unref(decoded_get(decoded, small));
	ok(decoded_parses(decoded) == 3, "and drives nothing out");
	for (int64_t i = 100; i < 700; i++) {
		AUTO(object_unref) struct object *object = make(i, 100000);

		json_doc_unref(decoded_get(decoded, object));
		bounded = bounded && decoded_bytes(decoded) <= LIMIT_DECODED_BYTES;
	}
	ok(bounded && decoded_bytes(decoded) > LIMIT_DECODED_BYTES / 2,
	   "what is kept is bounded in bytes: %zu", decoded_bytes(decoded));
	for (int turn = 0; turn < 2; turn++) {
		json_doc_unref(decoded_get(decoded, small));
		(void)loop_turn(loop, TIME_MINUTE);
	}
	ok(decoded_bytes(decoded) > 0 && decoded_bytes(decoded) < 10000,
	   "what is not used is dropped: %zu", decoded_bytes(decoded));
	parses = decoded_parses(decoded);
	json_doc_unref(decoded_get(decoded, small));
	ok(decoded_parses(decoded) == parses, "what is asked for stays");
	decoded_free(NULL);
	return tap_done();
}
