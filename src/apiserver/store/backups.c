/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/backups.c - see backups.h.
 *
 * A round is: look (which copies are there; remove what is too many, and what an old run left unfinished),
 * wait until the next is due, copy, look again. Looking and copying are work of the lane for backups.
 *
 * What is removed is a folder with exactly our name and our mark in it, file by file by the names that a
 * copy has; anything else in it makes it stay, with a warning.
 *
 * Always true: at most one piece of work or one timer is under way. The struct lives until its last piece
 * of work is done. */
#include "apiserver/store/backups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/store/store.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/vec.h"
#include "loop/loop.h"

#include "base/banned.h"

#define PREFIX "volcano-"
#define RETRY_AFTER (60 * TIME_SECOND)
#define BUSY_AFTER (5 * TIME_SECOND)
#define LEFTOVER_AGE (24 * TIME_HOUR)

enum { STAMP_LEN = 16 }; /* 20260102T030405Z */

/* Input and result of the worker. */
struct look {
	int64_t now;
	int64_t newest; /* 0: none */
	size_t removed;
	bool failed;
	struct err err;
};

struct backups {
	struct loop *loop;
	struct store *store;
	struct log *log;
	char *folder;
	int64_t every_us;
	int64_t keep;
	struct loop_timer *timer;
	struct look look;
	int64_t last;
	char *error;
	uint64_t done;
	uint64_t failed;
	bool working;
	bool closed;
};

static void backups_destroy(struct backups *backups)
{
	mem_free(backups->folder);
	mem_free(backups->error);
	mem_free(backups);
}

/* --- names --- */

static char *name_of(int64_t time, int64_t revision)
{
	char text[TIME_TEXT_SIZE];
	char stamp[STAMP_LEN + 1];
	size_t len = 0;

	(void)time_print(time, text);
	for (const char *c = text; *c && len < STAMP_LEN; c++)
		if (*c != '-' && *c != ':')
			stamp[len++] = *c;
	stamp[len] = '\0';
	return mem_printf(PREFIX "%s-r%" PRId64, stamp, revision);
}

/* The time in a name of ours, or 0. */
static int64_t time_in(const char *name)
{
	const char *stamp = name + strlen(PREFIX);
	char text[TIME_TEXT_SIZE];
	int64_t time;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || strlen(stamp) < STAMP_LEN + 3 ||
	    strncmp(stamp + STAMP_LEN, "-r", 2) != 0 ||
	    strspn(stamp + STAMP_LEN + 2, "0123456789") != strlen(stamp + STAMP_LEN + 2))
		return 0;
	(void)snprintf(text, sizeof(text), "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", stamp, stamp + 4,
		       stamp + 6, stamp + 9, stamp + 11, stamp + 13);
	return time_parse(str_from(text), &time, NULL) == 0 && stamp[8] == 'T' && stamp[15] == 'Z'
		       ? time
		       : 0;
}

/* --- on a worker --- */

struct names VEC_FIELDS(char *);

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->len; i++)
		mem_free(names->ptr[i]);
	vec_done(names);
}
DEFINE_AUTO_IN_PLACE(struct names, names_done);

static int newest_first(const void *a, const void *b)
{
	return -strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a copy, and the folder if nothing else is in it. 0 or -1. */
static int remove_copy(int dir, const char *name)
{
	static const char *const files[] = {"format", "data.mdb", "lock"};
	AUTO(fd_close)
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (unlinkat(fd, files[i], 0) < 0 && errno != ENOENT)
			return -1;
	return unlinkat(dir, name, AT_REMOVEDIR);
}

static bool is_copy(int dir, const char *name)
{
	AUTO(mem_free) char *mark = mem_printf("%s/format", name);
	struct stat info;

	return time_in(name) && fstatat(dir, mark, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(info.st_mode);
}

/* A copy that was cut short by the end of its process; not one that may still be written. */
static bool is_leftover(int dir, const char *name, int64_t now)
{
	struct stat info;

	return strncmp(name, "." PREFIX, strlen("." PREFIX)) == 0 && strstr(name, ".partial-") &&
	       fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode) &&
	       (int64_t)info.st_mtim.tv_sec * TIME_SECOND < now - LEFTOVER_AGE;
}

/* 0, or -1 with errno. */
static int read_names(int dir, const struct look *look, struct names *ret)
{
	struct dirent **entries = NULL;
	int count = scandirat(dir, ".", &entries, NULL, NULL);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (is_copy(dir, name))
			vec_push(ret, mem_strdup(name));
		else if (is_leftover(dir, name, look->now))
			(void)remove_copy(dir, name); /* or the next time */
		free(entries[i]);                     /* the C library's */
	}
	free(entries); /* the C library's */
	if (ret->len)
		qsort(ret->ptr, ret->len, sizeof(*ret->ptr), newest_first);
	return count < 0 ? -1 : 0;
}

static void scan_work(void *arg)
{
	struct backups *backups = arg;
	struct look *look = &backups->look;
	AUTO(names_done) struct names names = {0};
	AUTO(fd_close) int dir = -1;

	look->failed = (mkdir(backups->folder, 0700) < 0 && errno != EEXIST) ||
		       (dir = open(backups->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
		       read_names(dir, look, &names) < 0;
	if (look->failed) {
		(void)err_errno(&look->err, errno, "%s", backups->folder);
		return;
	}
	look->newest = names.len ? time_in(names.ptr[0]) : 0;
	for (size_t i = (size_t)backups->keep; i < names.len; i++) {
		if (remove_copy(dir, names.ptr[i]) == 0) {
			look->removed++;
			continue;
		}
		look->failed = true;
		(void)err_errno(&look->err, errno, "cannot remove the old backup %s/%s",
				backups->folder, names.ptr[i]);
	}
}

/* --- on the loop --- */

static void note_failure(struct backups *backups, const struct err *err)
{
	backups->failed++;
	mem_free(backups->error);
	backups->error = mem_strdup(err->text);
	log_error(backups->log, "a scheduled backup has failed", LOG_STR("folder", backups->folder),
		  LOG_STR("error", err->text));
}

/* The end of a piece of work. False: it must not continue. */
static bool go_on(struct backups *backups)
{
	backups->working = false;
	if (backups->closed)
		backups_destroy(backups);
	else
		return true;
	return false;
}

static void wait_for(struct backups *backups, int64_t after)
{
	loop_timer_set(backups->timer, after);
}

static void scan_done(void *arg)
{
	struct backups *backups = arg;
	int64_t now = loop_now(backups->loop);
	int64_t due;

	if (!go_on(backups))
		return;
	if (backups->look.failed)
		note_failure(backups, &backups->look.err);
	backups->last = backups->look.newest;
	due = backups->last + backups->every_us;
	if (backups->last > now) /* the clock was set back */
		due = now + backups->every_us;
	if (backups->error && due < now + RETRY_AFTER)
		due = now + (backups->every_us < RETRY_AFTER ? backups->every_us : RETRY_AFTER);
	wait_for(backups, due - now);
}

static void start_scan(struct backups *backups)
{
	struct err err;

	backups->look = (struct look){.now = loop_now(backups->loop)};
	backups->working = loop_work(backups->loop, LOOP_LANE_BACKUP, scan_work, scan_done, backups,
				     &err) == 0;
	if (!backups->working)
		wait_for(backups, BUSY_AFTER);
}

static void on_copied(void *arg, const struct err *err)
{
	struct backups *backups = arg;

	if (!go_on(backups))
		return;
	if (err) {
		note_failure(backups, err);
	} else {
		backups->done++;
		mem_free(TAKE(backups->error));
		log_info(backups->log, "backup written", LOG_STR("folder", backups->folder));
	}
	start_scan(backups);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct backups *backups = arg;
	int64_t now = loop_now(backups->loop);
	AUTO(mem_free) char *name = name_of(now, store_revision(backups->store));
	AUTO(mem_free) char *path = mem_printf("%s/%s", backups->folder, name);

	(void)timer;
	if (store_is_copying(backups->store)) { /* a client has requested a copy */
		wait_for(backups, BUSY_AFTER);
		return;
	}
	backups->working = true;
	store_backup(backups->store, path, on_copied, backups);
}

struct backups *backups_new(struct loop *loop, struct store *store,
			    const struct backups_options *options)
{
	struct backups *backups = mem_new(struct backups);

	backups->loop = loop;
	backups->store = store;
	backups->log = options->log;
	backups->folder = mem_strdup(options->folder);
	backups->every_us = options->every_us;
	backups->keep = options->keep < 1 ? 1 : options->keep;
	backups->timer = loop_timer_new(loop, on_timer, backups);
	start_scan(backups);
	return backups;
}

void backups_free(struct backups *backups)
{
	if (!backups)
		return;
	loop_timer_free(TAKE(backups->timer));
	backups->closed = true;
	if (!backups->working)
		backups_destroy(backups);
}

void backups_stats(const struct backups *backups, struct backups_stats *ret)
{
	*ret = (struct backups_stats){
		.folder = backups->folder,
		.every_us = backups->every_us,
		.keep = backups->keep,
		.last = backups->last,
		.error = backups->error,
		.done = backups->done,
		.failed = backups->failed,
	};
}
