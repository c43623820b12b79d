/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_log.c - reads what a container has printed.
 *
 * All parts are opened at once, oldest first, so that rotation removes none of them; at the end of the newest one
 * the file of that name is opened again. A watch on the pod's folder wakes a reader that follows: on output, on
 * rotation, and on the record that says how the run has ended, which is written after all output.
 *
 * Always true: whether the run has ended is checked before the last bytes are read, so that none is missed. */
#include "node/pod/pod_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/vec.h"
#include "node/volume/folder_watch.h"
#include "pod/record.h"
#include "pod/records.h"

#include "base/banned.h"

enum { READ_BYTES = 64 * 1024, LINE_BYTES = 32 * 1024, PARTS_MAX = 1000 };

struct pod_log {
	struct folder_watches *watches;
	char *folder;
	char *path; /* of the newest part */
	size_t index;
	unsigned run;
	bool timestamps;
	bool within; /* the first part of a long line was returned */
	int64_t since;
	VEC(int) parts;   /* open files, the one that is being read first */
	struct buf bytes; /* read, and not returned yet */
	struct folder_watch *watch;
};

/* --- the parts --- */

static void open_parts(struct pod_log *log)
{
	unsigned count = 1;
	VEC(int) found = {0};

	for (unsigned part = 0; part < PARTS_MAX && part < count; part++) {
		AUTO(mem_free)
		char *path = part ? mem_printf("%s.%u", log->path, part) : mem_strdup(log->path);
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			vec_push(&found, fd);
			count = part + 2;
		} else if (part == 0) {
			count = 2; /* it is being rotated */
		}
	}
	while (found.len)
		vec_push(&log->parts, found.ptr[--found.len]);
	vec_done(&found);
}

/* The newest part has been read: is there a newer one by now? */
static bool open_newer(struct pod_log *log)
{
	AUTO(fd_close) int fd = open(log->path, O_RDONLY | O_CLOEXEC);
	struct stat now, known;

	if (fd < 0 || fstat(fd, &now) < 0)
		return false;
	if (log->parts.len && fstat(log->parts.ptr[0], &known) == 0 && known.st_ino == now.st_ino)
		return false;
	if (log->parts.len) {
		fd_close(log->parts.ptr[0]);
		vec_remove(&log->parts, 0);
	}
	vec_push(&log->parts, fd_take(&fd));
	return true;
}

/* --- the last lines --- */

/* The offset of the last `*lines` lines of a file; subtracts the lines that it has. */
static off_t find_tail(int fd, int64_t *lines)
{
	AUTO(mem_free) char *bytes = mem_alloc(READ_BYTES);
	off_t end = lseek(fd, 0, SEEK_END);
	off_t at = end;

	while (at > 0) {
		size_t want = at < READ_BYTES ? (size_t)at : READ_BYTES;
		ssize_t got = pread(fd, bytes, want, at - (off_t)want);

		if (got != (ssize_t)want)
			return 0;
		for (size_t i = want; i-- > 0;) {
			off_t place = at - (off_t)want + (off_t)i;

			if (bytes[i] != '\n' || place == end - 1)
				continue;
			if (--*lines == 0)
				return place + 1;
		}
		at -= (off_t)want;
	}
	if (end > 0)
		--*lines; /* the first line has none before it */
	return 0;
}

static void skip_to_tail(struct pod_log *log, int64_t lines)
{
	size_t first = log->parts.len;

	while (first > 0 && lines > 0) {
		off_t at = find_tail(log->parts.ptr[--first], &lines);

		(void)lseek(log->parts.ptr[first], at, SEEK_SET);
	}
	if (lines == 0 && first == log->parts.len && log->parts.len)
		(void)lseek(log->parts.ptr[--first], 0, SEEK_END); /* no line at all */
	while (first-- > 0) {
		fd_close(log->parts.ptr[0]);
		vec_remove(&log->parts, 0);
	}
}

/* --- life --- */

struct pod_log *pod_log_open(struct folder_watches *watches, const struct pod_log_request *request)
{
	struct pod_log *log = mem_new(struct pod_log);

	log->watches = watches;
	log->folder = mem_strdup(request->folder);
	log->path = mem_printf("%s/%s.%u.log", request->folder, request->container, request->run);
	log->index = request->index;
	log->run = request->run;
	log->timestamps = request->timestamps;
	log->since = request->since;
	log->bytes = buf_make(READ_BYTES + LINE_BYTES);
	open_parts(log);
	if (request->tail_lines >= 0)
		skip_to_tail(log, request->tail_lines);
	return log;
}

void pod_log_close(struct pod_log *log)
{
	if (!log)
		return;
	folder_watch_free(log->watch);
	for (size_t i = 0; i < log->parts.len; i++)
		fd_close(log->parts.ptr[i]);
	vec_done(&log->parts);
	buf_done(&log->bytes);
	mem_free(log->folder);
	mem_free(log->path);
	mem_free(log);
}

/* --- reading --- */

static bool has_ended(const struct pod_log *log)
{
	AUTO(fd_close) int fd = open(log->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct record record;

	if (fd < 0 || !records_get(fd, log->index, &record))
		return true; /* the run has ended: nothing will be written any more */
	return record.run != log->run || record.state != RECORD_RUNNING;
}

/* Formats "TIME stdout F text" for the reader. */
static void show_line(struct pod_log *log, struct str line, struct buf *to)
{
	struct str time, stream, tag;
	struct str rest = line;
	int64_t at;
	bool whole;

	if (!str_split(&rest, ' ', &time) || !str_split(&rest, ' ', &stream) ||
	    !str_split(&rest, ' ', &tag))
		return; /* cut off by a crash of the machine */
	whole = str_is(tag, "F");
	if (!log->since || (time_parse(time, &at, NULL) == 0 && at >= log->since)) {
		if (log->timestamps && !log->within) {
			buf_put_str(to, time);
			buf_putc(to, ' ');
		}
		buf_put_str(to, rest);
		if (whole)
			buf_putc(to, '\n');
	}
	log->within = !whole;
}

static bool show_lines(struct pod_log *log, struct buf *to, size_t most)
{
	size_t used = 0;
	ptrdiff_t end;
	bool room = true;

	while (room && (end = str_find_byte(buf_str(&log->bytes), '\n', used)) >= 0) {
		struct str line = str_slice(buf_str(&log->bytes), used, (size_t)end);

		room = to->len + line.len <= most;
		if (!room && to->len == 0) { /* it would never fit: return what does */
			show_line(log, str_slice(line, 0, most), to);
			room = true;
		} else if (room) {
			show_line(log, line, to);
		}
		if (room)
			used = (size_t)end + 1;
	}
	buf_consume(&log->bytes, used);
	return !room;
}

enum pod_log_state pod_log_read(struct pod_log *log, struct buf *to, size_t most)
{
	bool ended = has_ended(log);

	for (;;) {
		ssize_t got = 0;

		if (show_lines(log, to, most))
			return POD_LOG_MORE;
		if (buf_space(&log->bytes) < READ_BYTES)
			buf_clear(&log->bytes); /* no line is that long: the file is damaged */
		if (log->parts.len)
			got = read(log->parts.ptr[0], buf_reserve(&log->bytes, READ_BYTES),
				   READ_BYTES);
		if (got > 0) {
			buf_commit(&log->bytes, (size_t)got);
			continue;
		}
		if (log->parts.len > 1) {
			fd_close(log->parts.ptr[0]);
			vec_remove(&log->parts, 0);
			continue;
		}
		if (open_newer(log))
			continue;
		return ended ? POD_LOG_END : POD_LOG_WAIT;
	}
}

/* --- following --- */

void pod_log_follow(struct pod_log *log, void (*wake)(void *arg), void *arg)
{
	log->watch = folder_watch_new(log->watches, log->folder, wake, arg);
}
