/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/conf_file.c - see conf_file.h. Changes come in bursts (a file is written, closed,
 * renamed); it is read a moment after the last of them, and used only if the text is another. */
#include "scheduler/conf_file.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "loop/loop.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

#define QUIET (50 * TIME_MILLISECOND)

struct conf_file {
	char *path;
	char *text; /* that holds, or was refused */
	struct scheduler *scheduler;
	struct log *log;
	int fd;
	struct loop_fd *watch;
	struct loop_timer *timer;
};

int conf_file_read(const char *path, struct buf *to, struct err *err)
{
	return fd_read_file(path, to, err);
}

static void on_quiet(struct loop_timer *timer, void *arg)
{
	struct conf_file *file = arg;
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	struct err err;

	(void)timer;
	if (conf_file_read(file->path, &text, &err) < 0) {
		log_warn(file->log, "the configuration cannot be read, the last one holds on",
			 LOG_STR("why", err.text));
		return;
	}
	if (str_is(buf_str(&text), file->text))
		return;
	mem_free(file->text);
	file->text = mem_strdup(buf_text(&text));
	if (scheduler_configure(file->scheduler, buf_str(&text), &err) < 0)
		log_error(file->log, "the configuration is refused, the last one holds on",
			  LOG_STR("file", file->path), LOG_STR("why", err.text));
	else
		log_info(file->log, "the configuration is read again", LOG_STR("file", file->path));
}

/* What happened does not matter, only that something did. */
static void on_change(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct conf_file *file = arg;
	char sink[4096] __attribute__((aligned(8)));

	(void)watch;
	(void)events;
	while (read(fd, sink, sizeof(sink)) > 0)
		;
	loop_timer_set(file->timer, QUIET);
}

static int watch_folder(struct conf_file *file, struct loop *loop, struct err *err)
{
	const char *slash = strrchr(file->path, '/');
	AUTO(mem_free)
	char *folder = slash ? mem_strdup_len(file->path, (size_t)(slash - file->path) + 1)
			     : mem_strdup(".");

	file->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (file->fd < 0)
		return err_errno(err, errno, "inotify");
	if (inotify_add_watch(file->fd, folder,
			      IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_DELETE) < 0)
		return err_errno(err, errno, "%s", folder);
	file->watch = loop_fd_add(loop, file->fd, LOOP_READ, on_change, file, err);
	return file->watch ? 0 : -1;
}

struct conf_file *conf_file_watch(struct loop *loop, const char *path, struct scheduler *scheduler,
				  struct log *log, struct err *err)
{
	AUTO(conf_file_free) struct conf_file *file = mem_new(struct conf_file);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);

	file->fd = -1;
	file->path = mem_strdup(path);
	file->scheduler = scheduler;
	file->log = log;
	file->timer = loop_timer_new(loop, on_quiet, file);
	/* One that cannot be read may come. */
	if (conf_file_read(path, &text, NULL) < 0)
		buf_clear(&text);
	if (watch_folder(file, loop, err) < 0)
		return NULL;
	file->text = mem_strdup(buf_text(&text));
	return TAKE(file);
}

void conf_file_free(struct conf_file *file)
{
	if (!file)
		return;
	loop_fd_remove(file->watch);
	fd_close(file->fd);
	loop_timer_free(file->timer);
	mem_free(file->text);
	mem_free(file->path);
	mem_free(file);
}
