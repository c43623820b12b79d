/* SPDX-License-Identifier: Apache-2.0 */
/* cli/logstream.h - the output of one container, as lines, each once.
 *
 * Lines are asked for with their times, so that a stream which breaks is taken up where it was; the
 * times are shown only where they are wanted. */
#ifndef CLI_LOGSTREAM_H
#define CLI_LOGSTREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct client;
struct logstream;

struct logstream_options {
	struct str namespace;
	struct str pod;
	struct str container;
	bool follow;
	bool previous;
	bool timestamps;
	int64_t tail;     /* below 0: all */
	int64_t since_us; /* how far back; 0: to the beginning */
	/* A line without its end, lent. */
	void (*line)(void *arg, struct str line);
	/* No more lines. `err` is NULL if everything came. The stream may be freed here. */
	void (*ended)(void *arg, const struct err *err);
	void *arg;
};

/* Texts are copied. */
struct logstream *logstream_new(struct client *client, const struct logstream_options *options)
	__attribute__((returns_nonnull));
/* Open it again after the last line that came. Only after `ended`. */
void logstream_again(struct logstream *stream);
/* Takes NULL. */
void logstream_free(struct logstream *stream);
DEFINE_AUTO(struct logstream *, logstream_free);

/* --- for tests --- */

/* The path that is asked for; `from` (a time) may be none. */
struct buf;
void logstream_put_path(const struct logstream_options *options, struct str from, struct buf *to);
/* Cut "<time> " off the front of a line; none if there is no time. */
struct str logstream_cut_time(struct str *line);

#endif
