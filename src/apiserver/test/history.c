/* SPDX-License-Identifier: Apache-2.0 */
/* The history: found by revision, bounded by count and by bytes. */
#include "apiserver/store/history.h"

#include "apiserver/store/store.h"
#include "apiserver/test/stores.h"
#include "base/buf.h"

static struct object *make(int64_t revision, size_t len)
{
	struct object_names *names = NULL;
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	AUTO(mem_free) char *text = mem_zalloc(len + 1);
	struct object_parts parts = {.key = STR("/pods/a/1"), .tail = str_of(text, len)};
	struct object *object = object_new(&parts, revision, &names, &scratch);

	object_names_unref(names);
	return object;
}

static void add(struct history *history, int64_t revision, size_t len)
{
	AUTO(object_unref) struct object *object = make(revision, len);
	const struct store_event *before = history_find(history, revision - 1);
	struct store_event event = {
		.type = before ? STORE_MODIFIED : STORE_ADDED,
		.revision = revision,
		.object = object,
		.previous = before ? before->object : NULL,
	};

	history_add(history, &event);
	history_check(history);
}

static void test_count(void)
{
	AUTO(history_free) struct history *history = history_new(10, 100, SIZE_MAX);

	ok(history_compacted(history) == 10 && history_len(history) == 0, "it starts with nothing");
	ok(!history_find(history, 10) && !history_find(history, 11), "and finds nothing");
	for (int64_t i = 11; i <= 110; i++)
		add(history, i, 10);
	ok(history_compacted(history) == 10 && history_len(history) == 100,
	   "as many as it may have");
	add(history, 111, 10);
	ok(history_compacted(history) == 11 && history_len(history) == 100, "then the oldest goes");
	for (int64_t i = 112; i <= 500; i++)
		add(history, i, 10);
	ok(history_compacted(history) == 400, "and so on");
	bool found = true;

	for (int64_t i = 401; i <= 500; i++)
		found &= history_find(history, i)->revision == i;
	ok(found, "each is found by its revision");
	ok(!history_find(history, 400) && !history_find(history, 501), "others are not");
}

static void test_bytes(void)
{
	AUTO(history_free) struct history *history = history_new(1, 1000, 10000);

	for (int64_t i = 2; i < 100; i++)
		add(history, i, 900);
	ok(history_bytes(history) <= 10000 && history_bytes(history) > 8000,
	   "%zu bytes of 10000 are used", history_bytes(history));
	ok(history_len(history) == 5, "five events fit, with the versions that they replaced");
	add(history, 100, 5000);
	ok(history_len(history) < 5 && history_find(history, 100), "a large one takes their space");
	add(history, 101, 20000);
	ok(history_len(history) == 0 && history_compacted(history) == 101,
	   "one that is too large goes at once");
	add(history, 102, 10);
	ok(history_find(history, 102)->revision == 102, "and the next is kept again");
	history_free(NULL);
}

/* An object that was removed is held by its last event alone, and counts all the same. */
static void test_removed(void)
{
	AUTO(history_free) struct history *history = history_new(1, 1000, 100000);

	for (int64_t i = 2; i < 100; i++) {
		AUTO(object_unref) struct object *gone = make(i, 9000);
		AUTO(object_unref) struct object *last = make(i, 100);

		history_add(history, &(struct store_event){.type = STORE_DELETED,
							   .revision = i,
							   .object = last,
							   .previous = gone});
		history_check(history);
	}
	ok(history_len(history) >= 9 && history_len(history) <= 11 &&
		   history_bytes(history) <= 100000,
	   "what was removed counts: %zu events", history_len(history));
	history_trim(history, 95, 10000);
	ok(history_compacted(history) == 95 && history_len(history) == 4,
	   "what is old can be dropped");
	history_trim(history, 99, 30000);
	ok(history_len(history) == 3, "as far as it is too much: %zu", history_len(history));
	history_check(history);
}

int main(void)
{
	test_removed();
	test_count();
	test_bytes();
	return tap_done();
}
