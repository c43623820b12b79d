/* SPDX-License-Identifier: Apache-2.0 */
/* loop/file_watch.c - see file_watch.h. What happened to which file does not matter, only that something
 * did: the reader compares what it reads with what it has. */
#include "loop/file_watch.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

#define QUIET (50 * TIME_MILLISECOND)

struct file_watch {
	file_watch_fn *changed;
	void *arg;
	int fd;
	struct loop_fd *watch;
	struct loop_timer *timer;
};

static void on_quiet(struct loop_timer *timer, void *arg)
{
	const struct file_watch *watch = arg;

	(void)timer;
	watch->changed(watch->arg); /* may free the watch: not used after this */
}

static void on_change(struct loop_fd *fd_watch, int fd, unsigned events, void *arg)
{
	struct file_watch *watch = arg;
	char sink[4096] __attribute__((aligned(8)));

	(void)fd_watch;
	(void)events;
	while (read(fd, sink, sizeof(sink)) > 0)
		;
	loop_timer_set(watch->timer, QUIET);
}

struct file_watch *file_watch_new(struct loop *loop, const char *path, file_watch_fn *changed,
				  void *arg, struct err *err)
{
	AUTO(file_watch_free) struct file_watch *watch = mem_new(struct file_watch);
	const char *slash = strrchr(path, '/');
	AUTO(mem_free)
	char *folder = slash ? mem_strdup_len(path, (size_t)(slash - path) + 1) : mem_strdup(".");

	watch->changed = changed;
	watch->arg = arg;
	watch->timer = loop_timer_new(loop, on_quiet, watch);
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->fd < 0) {
		(void)err_errno(err, errno, "inotify");
		return NULL;
	}
	if (inotify_add_watch(watch->fd, folder,
			      IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_DELETE) < 0) {
		(void)err_errno(err, errno, "%s", folder);
		return NULL;
	}
	watch->watch = loop_fd_add(loop, watch->fd, LOOP_READ, on_change, watch, err);
	return watch->watch ? TAKE(watch) : NULL;
}

void file_watch_free(struct file_watch *watch)
{
	if (!watch)
		return;
	loop_fd_remove(watch->watch);
	fd_close(watch->fd);
	loop_timer_free(watch->timer);
	mem_free(watch);
}
