/* SPDX-License-Identifier: Apache-2.0 */
/* Watched files: written, replaced, swapped as kubelet swaps mounted Secrets, and not there yet. */
#include "loop/file_watch.h"

#include "folder.h"
#include "loop/loop.h"
#include "tap.h"

struct seen {
	struct file_watch *watch;
	int calls;
	bool frees;
};

static void on_change(void *arg)
{
	struct seen *seen = arg;

	seen->calls++;
	if (seen->frees)
		file_watch_free(TAKE(seen->watch));
}

static void turn_until(struct loop *loop, const struct seen *seen, int calls)
{
	while (seen->calls < calls)
		(void)loop_turn(loop, -1);
}

int main(void)
{
	struct err err = {0};
	AUTO(loop_free) struct loop *loop = loop_new(&err);
	struct seen seen = {0};
	struct folder folder;

	folder_open(&folder);
	seen.watch = file_watch_new(loop, folder_at(&folder, "no/such"), on_change, &seen, &err);
	ok(!seen.watch && strstr(err.text, "no/"), "a folder that is not there is an error: %s",
	   err.text);
	seen.watch = file_watch_new(loop, folder_at(&folder, "f"), on_change, &seen, &err);
	ok(seen.watch != NULL, "a file that is not there yet can be watched");
	folder_write(&folder, "f", "one");
	turn_until(loop, &seen, 1);
	ok(seen.calls == 1, "it is reported when it is written");
	folder_write(&folder, "g", "two");
	assert(rename(folder_at(&folder, "g"), folder_at(&folder, "f")) == 0);
	turn_until(loop, &seen, 2);
	ok(seen.calls == 2, "and once when it is replaced");
	folder_write(&folder, "..v1/f", "three");
	assert(symlink("..v1", folder_at(&folder, "..tmp")) == 0);
	assert(rename(folder_at(&folder, "..tmp"), folder_at(&folder, "..data")) == 0);
	turn_until(loop, &seen, 3);
	ok(seen.calls == 3, "and when a link in the folder is swapped");
	seen.frees = true;
	assert(unlink(folder_at(&folder, "f")) == 0);
	turn_until(loop, &seen, 4);
	ok(seen.watch == NULL, "the callback may free the watch");
	folder_close(&folder);
	return tap_done();
}
