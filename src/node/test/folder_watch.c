/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/folder_watch.h: with real folders. */
#include "node/volume/folder_watch.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "folder.h"
#include "loop/loop.h"
#include "pod/record.h"
#include "pod/records.h"
#include "tap.h"

enum { MANY = 300 }; /* more than a user may have descriptors of inotify */

struct watcher {
	struct folder_watch *watch;
	unsigned calls;
	bool once; /* it is freed at its first call */
};

static void on_changed(void *arg)
{
	struct watcher *watcher = arg;

	watcher->calls++;
	if (watcher->once)
		folder_watch_free(TAKE(watcher->watch));
}

static void on_late(struct loop_timer *timer, void *arg)
{
	(void)timer;
	*(bool *)arg = true;
}

/* Waits until every watch was called. */
static bool wait_for(struct loop *loop, const struct watcher *watchers, size_t count)
{
	bool late = false;
	struct loop_timer *timer = loop_timer_new(loop, on_late, &late);
	size_t calls = 0;

	loop_timer_set(timer, 60 * TIME_SECOND);
	while (calls < count && !late) {
		(void)loop_turn(loop, 20 * TIME_MILLISECOND);
		while (calls < count && watchers[calls].calls)
			calls++;
	}
	loop_timer_free(timer);
	return calls == count;
}

static void put_record(const char *path)
{
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	records_put(fd, 0, &(struct record){.state = RECORD_ENDED});
}

static void test_some(struct loop *loop, struct folder_watches *watches, struct folder *in)
{
	struct watcher watchers[3] = {{.once = true}};

	folder_write(in, "a/file", "");
	folder_write(in, "b/file", "");
	for (size_t i = 0; i < ARRAY_LEN(watchers); i++)
		watchers[i].watch = folder_watch_new(watches, folder_at(in, i < 2 ? "a" : "b"),
						     on_changed, &watchers[i]);
	ok(watchers[0].watch && watchers[1].watch && watchers[2].watch, "three watch two folders");
	folder_write(in, "a/file", "more");
	ok(wait_for(loop, watchers, 2), "both watches of a folder are called after a write");
	ok(!watchers[2].calls, "a watch of another folder is not");
	ok(!watchers[0].watch, "one has ended");
	watchers[1].calls = 0;
	folder_write(in, "a/other", "");
	ok(wait_for(loop, &watchers[1], 1), "the other is still called");
	watchers[1].calls = 0;
	put_record(folder_at(in, "a"));
	ok(wait_for(loop, &watchers[1], 1), "also of a record that is kept with the folder");
	(void)unlink(folder_at(in, "b/file"));
	(void)rmdir(folder_at(in, "b"));
	ok(wait_for(loop, &watchers[2], 1), "a removed folder is a change, too");
	folder_watch_free(watchers[1].watch);
	folder_watch_free(watchers[2].watch);
	ok(!folder_watch_new(watches, folder_at(in, "b"), on_changed, NULL),
	   "what is not there cannot be watched");
}

static void test_many(struct loop *loop, struct folder_watches *watches, struct folder *in)
{
	struct watcher *watchers = mem_calloc(MANY, sizeof(*watchers));
	size_t made = 0;

	for (size_t i = 0; i < MANY; i++) {
		const char *name = arena_printf(in->arena, "many/%zu", i);

		folder_write(in, arena_printf(in->arena, "%s/file", name), "");
		watchers[i].watch =
			folder_watch_new(watches, folder_at(in, name), on_changed, &watchers[i]);
		made += watchers[i].watch != NULL;
	}
	ok(made == MANY, "%d folders are watched", MANY);
	for (size_t i = 0; i < MANY; i++)
		folder_write(in, arena_printf(in->arena, "many/%zu/file", i), "x");
	ok(wait_for(loop, watchers, MANY), "each is called for its own folder");
	folder_watches_unref(watches); /* those who watch may stay longer */
	for (size_t i = 0; i < MANY; i++)
		folder_watch_free(watchers[i].watch);
	mem_free(watchers);
}

int main(void)
{
	struct err err;
	struct loop *loop = loop_new(&err);
	struct folder_watches *watches;
	struct folder in;

	if (!loop)
		return 1;
	folder_open(&in);
	watches = folder_watches_new(loop);
	test_some(loop, watches, &in);
	test_many(loop, watches, &in);
	folder_close(&in);
	loop_free(loop);
	return tap_done();
}
