/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/output.c - what a container prints, kept in files of bounded size.
 *
 * Whole lines are written at once; a line without a newline yet is kept in memory, up to LINE_MAX_BYTES. If the
 * disk is full, lines are dropped and counted, and the count is written with the next line that fits: a container
 * never waits for the disk.
 *
 * Always true: a file ends in a whole line, unless the machine crashed. */
#include "programs/volcano-pod/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"

#include "base/banned.h"

enum { LINE_MAX_BYTES = 16 * 1024, NAME_BYTES = 320, PENDING_BYTES = 64 * 1024 };

struct output {
	struct output_options options;
	int fd; /* -1: nothing was written yet */
	uint64_t size;
	uint64_t lost;
	struct buf line;  /* the part of a line that was read */
	struct buf ready; /* lines to be written */
};

static void name_of(const char *name, unsigned run, unsigned part, char text[NAME_BYTES])
{
	if (part)
		(void)snprintf(text, NAME_BYTES, "%s.%u.log.%u", name, run, part);
	else
		(void)snprintf(text, NAME_BYTES, "%s.%u.log", name, run);
}

struct output *output_new(const struct output_options *options)
{
	struct output *output = mem_new(struct output);

	output->options = *options;
	output->fd = -1;
	output->line = buf_make(LINE_MAX_BYTES);
	output->ready = buf_make(SIZE_MAX / 4);
	return output;
}

static void open_file(struct output *output)
{
	char name[NAME_BYTES];
	struct stat status;

	name_of(output->options.name, output->options.run, 0, name);
	output->fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	output->size =
		output->fd >= 0 && fstat(output->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void rotate(struct output *output)
{
	const struct output_options *options = &output->options;
	char from[NAME_BYTES];
	char to[NAME_BYTES];

	fd_close(fd_take(&output->fd));
	if (options->files <= 1) {
		name_of(options->name, options->run, 0, from);
		(void)unlink(from);
	}
	for (unsigned part = options->files; part-- > 1;) {
		name_of(options->name, options->run, part - 1, from);
		name_of(options->name, options->run, part, to);
		(void)rename(from, to);
	}
	open_file(output);
}

/* Writes whole lines, so that the file may be rotated after them. */
static void write_lines(struct output *output, const char *lines, size_t len)
{
	ssize_t done;

	if (output->fd < 0)
		open_file(output);
	if (output->options.file_size && output->size &&
	    output->size + len > output->options.file_size)
		rotate(output);
	done = output->fd < 0 ? -1 : write(output->fd, lines, len);
	if (done == (ssize_t)len) {
		output->size += len;
		return;
	}
	output->lost += len;
	if (done > 0 && ftruncate(output->fd, (off_t)output->size) < 0)
		output->size += (uint64_t)done;
}

static void flush(struct output *output, int64_t now)
{
	char note[128];
	char time[TIME_TEXT_SIZE];

	if (!output->ready.len)
		return;
	if (output->lost) {
		uint64_t lost = output->lost;
		int len = snprintf(note, sizeof(note),
				   "%s stderr F volcano: %" PRIu64 " bytes of output were lost\n",
				   time_print_micro(now, time), lost);

		output->lost = 0;
		write_lines(output, note, (size_t)len);
		output->lost = output->lost ? lost : 0;
	}
	write_lines(output, output->ready.ptr, output->ready.len);
	buf_clear(&output->ready);
}

/* Adds a line, or a part of a line that is too long, to those to be written. */
static void put_line(struct output *output, const char *text, size_t len, bool whole, int64_t now)
{
	char time[TIME_TEXT_SIZE];

	buf_puts(&output->ready, time_print_micro(now, time));
	buf_puts(&output->ready, whole ? " stdout F " : " stdout P ");
	buf_put(&output->ready, text, len);
	buf_putc(&output->ready, '\n');
	if (output->ready.len >= PENDING_BYTES ||
	    (output->options.file_size && output->ready.len * 8 >= output->options.file_size))
		flush(output, now);
}

void output_add(struct output *output, const char *bytes, size_t len, int64_t now)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t piece = end ? (size_t)(end - bytes) : len;
		size_t room = LINE_MAX_BYTES - output->line.len;
		bool whole = end && piece <= room;

		if (piece > room)
			piece = room;
		if (whole && !output->line.len) {
			put_line(output, bytes, piece, true, now);
		} else {
			buf_put(&output->line, bytes, piece);
			if (whole || output->line.len == LINE_MAX_BYTES) {
				put_line(output, output->line.ptr, output->line.len, whole, now);
				buf_clear(&output->line);
			}
		}
		piece += whole;
		bytes += piece;
		len -= piece;
	}
	flush(output, now);
}

void output_free(struct output *output, int64_t now)
{
	if (!output)
		return;
	if (output->line.len)
		put_line(output, output->line.ptr, output->line.len, true, now);
	flush(output, now);
	fd_close(output->fd);
	buf_done(&output->line);
	buf_done(&output->ready);
	mem_free(output);
}

void output_remove(const char *name, unsigned run, unsigned files)
{
	char path[NAME_BYTES];

	for (unsigned part = 0; part < (files ? files : 1); part++) {
		name_of(name, run, part, path);
		(void)unlink(path);
	}
}
