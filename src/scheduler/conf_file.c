/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/conf_file.c - see conf_file.h. The file is read after a change in its folder, and used only if
 * the text is another. */
#include "scheduler/conf_file.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "loop/file_watch.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

struct conf_file {
	char *path;
	char *text; /* that holds, or was refused */
	struct scheduler *scheduler;
	struct log *log;
	struct file_watch *watch;
};

int conf_file_read(const char *path, struct buf *to, struct err *err)
{
	return fd_read_file(path, to, err);
}

static void on_change(void *arg)
{
	struct conf_file *file = arg;
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	struct err err;

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

struct conf_file *conf_file_watch(struct loop *loop, const char *path, struct scheduler *scheduler,
				  struct log *log, struct err *err)
{
	AUTO(conf_file_free) struct conf_file *file = mem_new(struct conf_file);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);

	file->path = mem_strdup(path);
	file->scheduler = scheduler;
	file->log = log;
	/* One that cannot be read may come. */
	if (conf_file_read(path, &text, NULL) < 0)
		buf_clear(&text);
	file->watch = file_watch_new(loop, path, on_change, file, err);
	if (!file->watch)
		return NULL;
	file->text = mem_strdup(buf_text(&text));
	return TAKE(file);
}

void conf_file_free(struct conf_file *file)
{
	if (!file)
		return;
	file_watch_free(file->watch);
	mem_free(file->text);
	mem_free(file->path);
	mem_free(file);
}
