/* SPDX-License-Identifier: Apache-2.0 */
/* The store: preconditions, the order in which writes become visible, watches, failures. */
#include "apiserver/store/store.h"

#include "apiserver/store/disk.h"
#include "apiserver/store/disk_memory.h"
#include "apiserver/test/stores.h"
#include "base/buf.h"
#include "base/limits.h"

enum { POD_COUNT = 3 };

static void test_preconditions(void)
{
	/* each row starts from: /pods/ns/here with its revision, /pods/ns/gone removed */
	static const struct {
		const char *what;
		enum store_op op;
		const char *key;
		int expect; /* relative to the newest version of "here"; 99: any */
		int64_t want;
	} rows[] = {
		{"create what is not there", STORE_CREATE, "/pods/ns/new", 99, 1},
		{"create what is there", STORE_CREATE, "/pods/ns/here", 99, -ERR_ALREADY_EXISTS},
		{"create what was removed", STORE_CREATE, "/pods/ns/gone", 99, 1},
		{"update any version", STORE_UPDATE, "/pods/ns/here", 99, 1},
		{"update the newest version", STORE_UPDATE, "/pods/ns/here", 0, 1},
		{"update an older version", STORE_UPDATE, "/pods/ns/here", -1, -ERR_CONFLICT},
		{"update a version to come", STORE_UPDATE, "/pods/ns/here", 1, -ERR_CONFLICT},
		{"update what is not there", STORE_UPDATE, "/pods/ns/new", 99, -ERR_NOT_FOUND},
		{"update what was removed", STORE_UPDATE, "/pods/ns/gone", 99, -ERR_NOT_FOUND},
		{"delete any version", STORE_DELETE, "/pods/ns/here", 99, 1},
		{"delete the newest version", STORE_DELETE, "/pods/ns/here", 0, 1},
		{"delete an older version", STORE_DELETE, "/pods/ns/here", -1, -ERR_CONFLICT},
		{"delete what is not there", STORE_DELETE, "/pods/ns/new", 99, -ERR_NOT_FOUND},
		{"delete what was removed", STORE_DELETE, "/pods/ns/gone", 99, -ERR_NOT_FOUND},
		{"a key without a name", STORE_CREATE, "/pods/ns/", 99, -ERR_BAD_REQUEST},
		{"a key without a kind", STORE_CREATE, "//ns/a", 99, -ERR_BAD_REQUEST},
		{"a key that is too short", STORE_CREATE, "/pods/a", 99, -ERR_BAD_REQUEST},
		{"a key with one part more", STORE_CREATE, "/pods/ns/a/b", 99, -ERR_BAD_REQUEST},
		{"a kind without namespaces", STORE_CREATE, "/nodes//n1", 99, 1},
	};

	for (int durable = 0; durable < 2; durable++) {
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			AUTO(loop_free) struct loop *loop = virtual_loop(i);
			AUTO(store_close)
			struct store *store = open_with(loop, &(struct store_options){0});

			(void)put(store, STORE_CREATE, "/pods/ns/gone", 0, "a", NULL);
			(void)put(store, STORE_DELETE, "/pods/ns/gone", 0, "a", NULL);
			int64_t here = put(store, STORE_CREATE, "/pods/ns/here", 0, "a", NULL);

			if (durable)
				store_flush(store);
			int64_t got =
				put(store, rows[i].op, rows[i].key,
				    rows[i].expect == 99 ? 0 : here + rows[i].expect, "b", NULL);

			ok(got == (rows[i].want == 1 ? here + 1 : rows[i].want),
			   "%s (%s): %" PRId64, rows[i].what, durable ? "durable" : "staged", got);
			store_check(store);
		}
	}
}

static void test_limits(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	char key[LIMIT_KEY_BYTES + 2] = "/pods/ns/";
	char *big = mem_alloc(LIMIT_OBJECT_BYTES + 1);

	memset(key + 9, 'x', sizeof(key) - 10);
	key[sizeof(key) - 1] = '\0';
	ok(put(store, STORE_CREATE, key, 0, "v", NULL) == -ERR_TOO_LARGE, "a key that is too long");
	key[sizeof(key) - 2] = '\0';
	ok(put(store, STORE_CREATE, key, 0, "v", NULL) == 2, "one that just fits");
	memset(big, 'x', LIMIT_OBJECT_BYTES);
	big[LIMIT_OBJECT_BYTES] = '\0';
	ok(put(store, STORE_CREATE, "/pods/ns/big", 0, big, NULL) == -ERR_TOO_LARGE,
	   "an object that is too large");
	mem_free(big);
}

static void test_visibility(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	struct acked acked[4] = {0};

	ok(store_revision(store) == 1 && store_compacted(store) == 1, "a new store has revision 1");
	ok(put(store, STORE_CREATE, "/pods/ns/a", 0, "1", &acked[0]) == 2, "the first write is 2");
	ok(put(store, STORE_UPDATE, "/pods/ns/a", 2, "2", &acked[1]) == 3,
	   "a write on a staged version");
	ok(!store_get(store, STR("/pods/ns/a")) && store_revision(store) == 1,
	   "readers see nothing of it");
	ok(store_newest(store, STR("/pods/ns/a"))->revision == 3, "writers see the newest");
	store_check(store);
	(void)loop_turn(loop, 0); /* the commit runs */
	ok(acked[0].calls == 0 && store_revision(store) == 1, "nor while it is being committed");
	ok(put(store, STORE_DELETE, "/pods/ns/a", 3, "2", &acked[2]) == 4, "removed meanwhile");
	ok(!store_newest(store, STR("/pods/ns/a")), "for writers it is deleted");
	ok(put(store, STORE_CREATE, "/pods/ns/a", 0, "3", &acked[3]) == 5, "made again meanwhile");
	store_check(store);
	(void)loop_turn(loop, 0);
	ok(acked[0].calls == 1 && acked[1].calls == 1 && acked[2].calls == 0,
	   "those of the first commit are called");
	is(text_of(store, "/pods/ns/a"), "{\"rv\":\"3\",\"v\":\"2\"}");
	ok(acked[0].seen == 2 && acked[1].seen == 3, "each when the readers' revision is its own");
	is(acked[0].text, "{\"rv\":\"2\",\"v\":\"1\"}");
	store_check(store);
	store_flush(store);
	ok(acked[2].revision == 4 && acked[3].revision == 5 && acked[3].calls == 1,
	   "then the others");
	is(acked[2].text, "{\"rv\":\"4\",\"v\":\"2\"}");
	is(text_of(store, "/pods/ns/a"), "{\"rv\":\"5\",\"v\":\"3\"}");
	store_check(store);
	struct store_stats stats;

	store_stats(store, &stats);
	ok(stats.objects == 1 && stats.commits == 2 && stats.writes == 4 &&
		   stats.history_events == 4,
	   "the numbers fit");
}

/* What a check walks: the newest version of each, in whatever state its write is. */
static const char *walk_newest(struct store *store, const char *prefix, char seen[200])
{
	struct store_newest_walk walk = store_newest_walk(store, str_from(prefix));
	struct object *object;
	size_t len = 0;

	seen[0] = '\0';
	while ((object = store_newest_next(&walk)))
		len += (size_t)snprintf(seen + len, 200 - len, "%.*s@%d ", STR_ARG(object->key),
					(int)object->revision);
	return seen;
}

static void add_change(void *arg, struct object *old, struct object *now)
{
	int *sum = arg;

	*sum += (now ? (int)now->revision : 0) - (old ? (int)old->revision : 0);
}

static void test_newest(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	AUTO(store_close)
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	char seen[200];
	int sum = 0;

	store_observe_staged(store, add_change, &sum);
	is(walk_newest(store, "/pods/", seen), "");
	for (int i = 0; i < 3; i++)
		(void)put(store, STORE_CREATE,
			  (const char *[]){"/pods/a/b", "/pods/a/d", "/pods/b/x"}[i], 0, "x", NULL);
	is(walk_newest(store, "/pods/a/", seen), "/pods/a/b@2 /pods/a/d@3 ");
	(void)loop_turn(loop, 0); /* the commit runs */
	(void)put(store, STORE_CREATE, "/pods/a/a", 0, "x", NULL);
	(void)put(store, STORE_UPDATE, "/pods/a/d", 0, "y", NULL);
	is(walk_newest(store, "/pods/a/", seen), "/pods/a/b@2 /pods/a/a@5 /pods/a/d@6 ");
	store_flush(store);
	is(walk_newest(store, "/pods/", seen), "/pods/a/a@5 /pods/a/b@2 /pods/a/d@6 /pods/b/x@4 ");
	ok(sum == 5 + 2 + 6 + 4, "the observer sees each change once");
	(void)put(store, STORE_DELETE, "/pods/a/a", 0, "x", NULL);
	(void)put(store, STORE_DELETE, "/pods/a/b", 0, "x", NULL);
	(void)put(store, STORE_CREATE, "/pods/a/b", 0, "z", NULL);
	(void)put(store, STORE_CREATE, "/podsx/a/b", 0, "z", NULL);
	is(walk_newest(store, "/pods/a/", seen), "/pods/a/b@9 /pods/a/d@6 ");
	ok(sum == 9 + 6 + 4 + 10, "also those that undo one another");
	disk_memory_set_faults(memory, &(struct disk_memory_faults){.fail = true});
	store_flush(store);
	is(walk_newest(store, "/pods/", seen), "/pods/a/a@5 /pods/a/b@2 /pods/a/d@6 /pods/b/x@4 ");
	ok(sum == 5 + 2 + 6 + 4, "and back when the commit fails");
	store_observe_staged(store, NULL, NULL);
	store_check(store);
}

static void test_batches(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	AUTO(store_close)
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	char key[32];

	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "/pods/ns/p%d", i % 10);
		(void)put(store, i < 10 ? STORE_CREATE : STORE_UPDATE, key, 0, "x", NULL);
	}
	(void)put(store, STORE_CREATE, "/pods/ns/short", 0, "x", NULL);
	(void)put(store, STORE_DELETE, "/pods/ns/short", 0, "x", NULL);
	store_flush(store);
	ok(disk_memory_commits(memory) == 1, "the writes of one turn share a commit");
	ok(disk_memory_changes(memory) == 11, "only the last version of a key goes to disk");
	ok(store_revision(store) == 103, "and each has its revision");
	for (int i = 0; i < LIMIT_COMMIT_WRITES + 1; i++)
		(void)put(store, STORE_UPDATE, "/pods/ns/p1", 0, "y", NULL);
	store_flush(store);
	ok(disk_memory_commits(memory) == 3 && disk_memory_changes(memory) == 13,
	   "a batch is bounded: what is too much waits for the next");
	store_check(store);
}

static void test_reading(void)
{
	static const char *const keys[] = {"/nodes//n1", "/pods/a/1",  "/pods/a/2",
					   "/pods/b/1",  "/podsx/a/1", "apps/deployments/a/1"};
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	char seen[200] = "";

	for (size_t i = ARRAY_LEN(keys); i-- > 0;)
		(void)put(store, STORE_CREATE, keys[i], 0, "x", NULL);
	store_flush(store);
	struct object *object;

	for (struct str at = str_none(); (object = store_next(store, STR("/pods/"), at));
	     at = object->key)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%.*s ",
			 STR_ARG(object->key));
	is(seen, "/pods/a/1 /pods/a/2 /pods/b/1 ");
	object = store_next(store, STR("/pods/b/"), STR("/pods/a/1"));
	ok(object && str_is(object->key, "/pods/b/1"), "a place before the prefix is its start");
	ok(!store_next(store, STR("/pods/b/"), STR("/pods/b/1")), "nothing after the last");
	ok(store_count(store, STR("")) == 6, "all are counted");
	ok(store_count(store, STR("/pods/")) == 3, "a kind is counted");
	ok(store_count(store, STR("/pods/a/")) == 2, "a namespace is counted");
	ok(store_count(store, STR("/pods/a/2")) == 1, "an object is counted");
	ok(store_count(store, STR("/none/")) == 0, "none is counted");
	ok(store_count(store, STR("/po")) == 4, "any prefix is counted");
	object = store_get(store, STR("/pods/a/1"));
	ok(str_is(object_label(object, STR("app")), "x"), "labels are kept");
	ok(str_is(object_field(object, STR("metadata.name")), "1"), "fields are kept");
	ok(str_is_none(object_label(object, STR("no"))) &&
		   str_is_none(object_field(object, STR("no"))),
	   "others are none");
	store_check(store);
}

/* --- watches -------------------------------------------------------------------------------- */

struct watcher {
	struct store *store;
	struct store_watch *watch;
	struct watcher *victim; /* ended at the first event */
	struct watcher *friend; /* started at the first event */
	bool end_itself;
	int calls;
	char seen[2000];
};

static void watcher_event(void *arg, const struct store_event *event)
{
	static const char marks[] = {
		[STORE_ADDED] = '+', [STORE_MODIFIED] = '=', [STORE_DELETED] = '-'};
	struct watcher *watcher = arg;
	size_t len = strlen(watcher->seen);

	watcher->calls++;
	snprintf(watcher->seen + len, sizeof(watcher->seen) - len,
		 "%c%.*s@%" PRId64 "/%" PRId64 " ", marks[event->type], STR_ARG(event->object->key),
		 event->revision, event->previous ? event->previous->revision : 0);
	if (watcher->victim && watcher->victim->watch)
		store_unwatch(TAKE(watcher->victim->watch));
	if (watcher->friend && !watcher->friend->watch)
		watcher->friend->watch = store_watch(watcher->store, STR("/pods/"), 1,
						     watcher_event, watcher->friend, NULL);
	if (watcher->end_itself)
		store_unwatch(TAKE(watcher->watch));
}

static void watcher_start(struct watcher *watcher, struct store *store, const char *prefix,
			  int64_t revision)
{
	struct err err;

	watcher->store = store;
	watcher->watch =
		store_watch(store, str_from(prefix), revision, watcher_event, watcher, &err);
	if (!watcher->watch)
		bail_out(err.text);
}

static void test_watching(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	struct watcher all = {0}, kind = {0}, namespace = {0}, late = {0}, future = {0};

	watcher_start(&all, store, "", 1);
	watcher_start(&kind, store, "/pods/", 1);
	watcher_start(&namespace, store, "/pods/a/", 1);
	watcher_start(&future, store, "/pods/", 4);
	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", NULL);
	(void)put(store, STORE_CREATE, "/pods/b/1", 0, "x", NULL);
	(void)put(store, STORE_CREATE, "/nodes//n", 0, "x", NULL);
	ok(all.calls == 0, "nothing is reported that could still be lost");
	store_flush(store);
	(void)put(store, STORE_UPDATE, "/pods/a/1", 0, "y", NULL);
	(void)put(store, STORE_DELETE, "/pods/a/1", 0, "y", NULL);
	store_flush(store);
	is(all.seen, "+/pods/a/1@2/0 +/pods/b/1@3/0 +/nodes//n@4/0 =/pods/a/1@5/2 -/pods/a/1@6/5 ");
	is(kind.seen, "+/pods/a/1@2/0 +/pods/b/1@3/0 =/pods/a/1@5/2 -/pods/a/1@6/5 ");
	is(namespace.seen, "+/pods/a/1@2/0 =/pods/a/1@5/2 -/pods/a/1@6/5 ");
	is(future.seen, "=/pods/a/1@5/2 -/pods/a/1@6/5 ");
	watcher_start(&late, store, "/pods/", 3);
	is(late.seen, "=/pods/a/1@5/2 -/pods/a/1@6/5 ");
	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "z", NULL);
	store_flush(store);
	is(late.seen, "=/pods/a/1@5/2 -/pods/a/1@6/5 +/pods/a/1@7/0 ");
	store_check(store);
	store_unwatch(all.watch);
	store_unwatch(kind.watch);
	store_unwatch(namespace.watch);
	store_unwatch(late.watch);
	store_unwatch(future.watch);
	store_unwatch(NULL);
}

static void test_unwatching(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	struct watcher w[4] = {0};
	struct watcher born = {0};

	w[0].victim = &w[1];
	w[2].end_itself = true;
	w[3].victim = &w[0];
	w[3].friend = &born;
	for (int i = 0; i < 4; i++)
		watcher_start(&w[i], store, "/pods/", 1);
	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", NULL);
	(void)put(store, STORE_CREATE, "/pods/a/2", 0, "x", NULL);
	store_flush(store);
	ok(w[1].calls == 0, "one that another ended before its turn is not called");
	ok(w[2].calls == 1, "one that ended itself is not called again");
	ok(w[0].calls == 1 && w[3].calls == 2, "one that a later one ended had its turn");
	is(born.seen, "+/pods/a/1@2/0 +/pods/a/2@3/0 ");
	store_unwatch(w[3].watch);
	store_unwatch(born.watch);
}

static void test_compaction(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close)
	struct store *store = open_with(loop, &(struct store_options){.history_events = 4});
	struct watcher watcher = {0};
	struct err err;

	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", NULL);
	for (int i = 0; i < 9; i++)
		(void)put(store, STORE_UPDATE, "/pods/a/1", 0, "x", NULL);
	store_flush(store);
	ok(store_revision(store) == 11 && store_compacted(store) == 7, "four events are kept");
	ok(!store_watch(store, STR("/pods/"), 6, watcher_event, &watcher, &err) &&
		   err.code == ERR_EXPIRED,
	   "a watch from before them is refused");
	is(err.text, "too old resource version: 6 (7)");
	watcher_start(&watcher, store, "/pods/", 7);
	ok(watcher.calls == 4, "one from their start sees all of them");
	store_unwatch(watcher.watch);
	store_check(store);
}

/* Writes from within the callbacks of a write. */
static void chain_done(void *arg, struct object *object, const struct err *err)
{
	struct acked *acked = arg;
	char key[32];

	told_done(arg, object, err);
	if (acked->calls < 5) {
		snprintf(key, sizeof(key), "/pods/a/%d", acked->calls);
		struct store_write write = {
			.op = STORE_CREATE, .key = str_from(key), .done = chain_done, .arg = acked};

		(void)!store_write(acked->store, &write, NULL, NULL);
	}
}

static void test_chain(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	struct acked acked = {.store = store};

	chain_done(&acked, NULL, &(struct err){0});
	while (acked.calls < 5)
		(void)loop_turn(loop, -1);
	ok(store_revision(store) == 5 && store_count(store, STR("/pods/")) == 4,
	   "writers write again when they are called");
	store_check(store);
}

/* --- failures ------------------------------------------------------------------------------- */

static void test_failure(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	AUTO(store_close)
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	struct acked acked[4] = {0};
	struct watcher watcher = {0};

	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", &acked[0]);
	store_flush(store);
	ok(!store_failure(store), "all is well");
	disk_memory_set_faults(memory, &(struct disk_memory_faults){.fail = true,
								    .code = ERR_INTERNAL,
								    .text = "Input/output error"});
	(void)put(store, STORE_UPDATE, "/pods/a/1", 0, "y", &acked[1]);
	(void)loop_turn(loop, 0);
	(void)put(store, STORE_UPDATE, "/pods/a/1", 0, "z", &acked[2]);
	(void)put(store, STORE_CREATE, "/pods/a/2", 0, "z", &acked[3]);
	store_check(store);
	store_flush(store);
	is(store_failure(store), "Input/output error");
	ok(!store_is_suspended(store), "for good");
	ok(acked[1].code == ERR_UNAVAILABLE && acked[2].code == ERR_UNAVAILABLE &&
		   acked[3].code == ERR_UNAVAILABLE && acked[1].calls == 1 && acked[3].calls == 1,
	   "everything that was staged is answered");
	is(acked[2].text, "the write may be lost: Input/output error");
	ok(put(store, STORE_UPDATE, "/pods/a/1", 0, "w", NULL) == -ERR_UNAVAILABLE,
	   "further writes are refused");
	is(text_of(store, "/pods/a/1"), "{\"rv\":\"2\",\"v\":\"x\"}");
	ok(store_newest(store, STR("/pods/a/1"))->revision == 2, "nothing is staged any more");
	watcher_start(&watcher, store, "", 1);
	is(watcher.seen, "+/pods/a/1@2/0 ");
	store_unwatch(watcher.watch);
	store_check(store);
}

static void note_resumed(void *arg)
{
	++*(int *)arg;
}

/* A full disk suspends writes until there is space; what the failed commit has written is undone then. */
static void test_suspension(bool keep)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	struct acked acked[4] = {0};
	struct watcher watcher = {0};
	int resumed = 0;

	store_observe_resumed(store, note_resumed, &resumed);
	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", NULL);
	(void)put(store, STORE_CREATE, "/pods/a/2", 0, "x", NULL);
	store_flush(store);
	disk_memory_set_faults(memory, &(struct disk_memory_faults){.fail = true, .keep = keep});
	(void)put(store, STORE_UPDATE, "/pods/a/1", 0, "lost", &acked[0]);
	(void)put(store, STORE_DELETE, "/pods/a/2", 0, "x", &acked[1]);
	(void)put(store, STORE_CREATE, "/pods/a/3", 0, "lost", &acked[2]);
	store_flush(store);
	is(store_failure(store), "No space left on device");
	ok(store_is_suspended(store) && acked[0].code == ERR_UNAVAILABLE &&
		   acked[1].code == ERR_UNAVAILABLE && acked[2].code == ERR_UNAVAILABLE,
	   "a full disk suspends writes");
	ok(put(store, STORE_CREATE, "/pods/a/4", 0, "x", NULL) == -ERR_UNAVAILABLE,
	   "they are refused");
	for (int i = 0; i < 50; i++)
		(void)loop_turn(loop, 100000);
	ok(store_is_suspended(store) && !resumed && disk_memory_commits(memory) > 4,
	   "it is tried again and again");
	disk_memory_set_faults(memory, &(struct disk_memory_faults){0});
	while (store_failure(store))
		(void)loop_turn(loop, -1);
	ok(resumed == 1 && !store_is_suspended(store), "until there is space");
	store_check(store);
	watcher_start(&watcher, store, "", store_revision(store));
	ok(put(store, STORE_UPDATE, "/pods/a/1", 2, "y", &acked[3]) == 4, "then it goes on");
	store_flush(store);
	is(watcher.seen, "=/pods/a/1@4/2 ");
	store_unwatch(watcher.watch);
	store_close(store);
	store = open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	is(text_of(store, "/pods/a/1"), "{\"rv\":\"4\",\"v\":\"y\"}");
	is(text_of(store, "/pods/a/2"), "{\"rv\":\"3\",\"v\":\"x\"}");
	ok(store_revision(store) == 4 && store_count(store, STR("")) == 2,
	   "a restart finds what was acknowledged, and nothing else");
	store_close(store);
}

static void test_open_failures(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	struct err err;
	size_t len;

	ok(!disk_memory_open(memory, &err) && err.code == ERR_UNAVAILABLE, "opened only once");
	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", NULL);
	store_close(store);
	char *record = disk_memory_record(memory, STR("/pods/a/1"), &len);

	for (size_t i = 0; i < len; i++) {
		record[i] ^= 0x10;
		store = store_open(loop,
				   &(struct store_options){.disk = disk_memory_open(memory, NULL)},
				   &err);
		record[i] ^= 0x10;
		if (store || err.code != ERR_STORE_READ)
			break;
	}
	ok(!store && err.code == ERR_STORE_READ, "a damaged record is refused, whatever its byte");
	is(err.text, "object \"/pods/a/1\": the checksum of its record is wrong");
	ok(!disk_memory_record(memory, STR("/pods/a/2"), &len), "no record where none was written");
	store_close(NULL);
	ok(!store_open(loop, &(struct store_options){.folder = "/dev/null/no"}, &err) &&
		   err.text[0],
	   "a folder that cannot be: %s", err.text);
}

/* What only a bug, or a hand, could have written. */
static void test_nonsense(const char *key, int64_t revision, int64_t counter)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	struct object_names *names = NULL;
	AUTO(object_unref)
	struct object *object = object_new(&(struct object_parts){.key = str_from(key)}, revision,
					   &names, &scratch);
	struct disk_change change = {.key = object->key, .object = object};
	struct disk *disk = disk_memory_open(memory, NULL);
	struct err err;

	ok(disk_commit(disk, &(struct disk_batch){&change, 1, counter}, &err) == 0, "(nonsense)");
	ok(!store_open(loop, &(struct store_options){.disk = disk}, &err) &&
		   err.code == ERR_STORE_READ,
	   "is refused: %s", err.text);
	object_names_unref(names);
}

/* A writer that writes again from its callback is rejected while the store closes, so that closing
 * ends. */
static void test_closing(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	struct store *store = open_with(loop, &(struct store_options){0});
	struct acked acked = {.store = store};

	chain_done(&acked, NULL, &(struct err){0});
	store_close(store);
	ok(acked.calls == 2, "nothing new is taken while closing");
}

/* --- on a real loop -------------------------------------------------------------------------- */

struct gate {
	int open[2]; /* a byte lets a commit pass */
};

static void gate_wait(void *arg)
{
	struct gate *gate = arg;
	char byte;

	if (read(gate->open[0], &byte, 1) != 1)
		abort();
}

static void test_slow_disk(void)
{
	AUTO(loop_free) struct loop *loop = real_loop();
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	AUTO(store_close)
	struct store *store =
		open_with(loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});
	struct gate gate;
	struct acked first = {0}, last = {0};
	char key[32];

	if (pipe(gate.open) < 0)
		bail_out("pipe");
	disk_memory_set_faults(memory,
			       &(struct disk_memory_faults){.during = gate_wait, .arg = &gate});
	(void)put(store, STORE_CREATE, "/pods/a/0", 0, "x", &first);
	(void)loop_turn(loop, 0); /* the worker waits at the gate */
	for (int i = 1; i < 100; i++) {
		snprintf(key, sizeof(key), "/pods/a/%d", i);
		(void)put(store, STORE_CREATE, key, 0, "x", &last);
		loop_drain(loop);
	}
	ok(first.calls == 0 && store_revision(store) == 1, "a slow disk blocks nothing");
	ok(write(gate.open[1], "12", 2) == 2, "(the gate opens)");
	store_flush(store);
	ok(first.calls == 1 && last.calls == 99 && last.revision == 101, "then all are called");
	ok(disk_memory_commits(memory) == 2, "and those who waited shared a commit");
	store_check(store);
	close(gate.open[0]);
	close(gate.open[1]);
	disk_memory_set_faults(memory, &(struct disk_memory_faults){0});
}

static void test_close_with_work(void)
{
	AUTO(disk_memory_free) struct disk_memory *memory = disk_memory_new();
	struct acked acked[2] = {0};

	for (int virtual = 0; virtual < 2; virtual ++) {
		AUTO(loop_free) struct loop *loop = virtual ? virtual_loop(1) : real_loop();
		struct store *store = open_with(
			loop, &(struct store_options){.disk = disk_memory_open(memory, NULL)});

		(void)put(store, virtual ? STORE_UPDATE : STORE_CREATE, "/pods/a/1", 0, "x",
			  &acked[virtual]);
		(void)loop_turn(loop, 0);
		(void)put(store, virtual ? STORE_UPDATE : STORE_CREATE, "/pods/a/2", 0, "x",
			  &acked[virtual]);
		store_close(store);
		ok(acked[virtual].calls == 2 && acked[virtual].revision == 3 + 2 * virtual,
		   "closing commits what is staged");
	}
}

int main(void)
{
	test_preconditions();
	test_limits();
	test_visibility();
	test_newest();
	test_batches();
	test_reading();
	test_watching();
	test_unwatching();
	test_compaction();
	test_chain();
	test_failure();
	test_suspension(false);
	test_suspension(true);
	test_open_failures();
	test_nonsense("pods", 2, 2);
	test_nonsense("/pods/a/1", 3, 2);
	test_closing();
	test_slow_disk();
	test_close_with_work();
	return tap_done();
}
