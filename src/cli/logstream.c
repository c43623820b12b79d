/* SPDX-License-Identifier: Apache-2.0 */
/* cli/logstream.c - see logstream.h. */
#include "cli/logstream.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/time.h"
#include "base/url.h"
#include "client/client.h"
#include "client/resource.h"

#include "base/banned.h"

enum { LINE_MAX_BYTES = 1 << 20 };

struct logstream {
	struct client *client;
	struct arena *arena;
	struct logstream_options options;
	struct client_request *request; /* NULL: ended */
	struct buf pending;             /* a line that is not complete yet */
	char last[TIME_TEXT_SIZE + 16]; /* time of the last line */
	int64_t last_us;
	bool resumed; /* lines up to `last` were delivered already */
};

void logstream_put_path(const struct logstream_options *options, struct str from, struct buf *to)
{
	resource_put_path(&resources[RESOURCE_PODS], options->namespace, options->pod, STR("log"),
			  to);
	buf_puts(to, "?container=");
	url_encode_query(options->container, to);
	buf_puts(to, "&timestamps=true");
	if (options->follow)
		buf_puts(to, "&follow=true");
	if (options->previous)
		buf_puts(to, "&previous=true");
	if (from.len) {
		buf_puts(to, "&sinceTime=");
		url_encode_query(from, to);
		return;
	}
	if (options->tail >= 0)
		buf_printf(to, "&tailLines=%lld", (long long)options->tail);
	if (options->since_us > 0)
		buf_printf(to, "&sinceSeconds=%lld",
			   (long long)((options->since_us + 999999) / 1000000));
}

struct str logstream_cut_time(struct str *line)
{
	ptrdiff_t blank = str_find_byte(*line, ' ', 0);
	struct str time = str_slice(*line, 0, blank < 0 ? line->len : (size_t)blank);
	int64_t then;
	struct err err;

	if (time_parse(time, &then, &err) < 0)
		return str_none();
	*line = str_skip(*line, time.len + 1);
	return time;
}

/* Than the last line; texts decide below the microsecond. */
static bool is_later(const struct logstream *stream, struct str time)
{
	int64_t then = 0;
	struct err err;

	(void)!time_parse(time, &then, &err);
	return then > stream->last_us ||
	       (then == stream->last_us && str_cmp(time, str_from(stream->last)) > 0);
}

static void deliver(struct logstream *stream, struct str line)
{
	struct err err;
	struct str whole = line;
	struct str time = logstream_cut_time(&line);

	if (time.len && time.len < sizeof(stream->last)) {
		/* What was delivered before the stream broke comes again. */
		if (stream->resumed && !is_later(stream, time))
			return;
		(void)!time_parse(time, &stream->last_us, &err);
		memcpy(stream->last, time.ptr, time.len);
		stream->last[time.len] = 0;
		stream->resumed = false;
	}
	stream->options.line(stream->options.arg, stream->options.timestamps ? whole : line);
}

static void got_data(void *arg, struct str data)
{
	struct logstream *stream = arg;
	ptrdiff_t end;

	while ((end = str_find_byte(data, '\n', 0)) >= 0) {
		struct str line = str_slice(data, 0, (size_t)end);

		if (stream->pending.len) {
			buf_put_str(&stream->pending, line);
			deliver(stream, buf_str(&stream->pending));
			buf_clear(&stream->pending);
		} else {
			deliver(stream, line);
		}
		data = str_skip(data, (size_t)end + 1);
	}
	/* A very long line is delivered in pieces. */
	while (data.len > buf_space(&stream->pending)) {
		struct str piece = str_slice(data, 0, buf_space(&stream->pending));

		buf_put_str(&stream->pending, piece);
		deliver(stream, buf_str(&stream->pending));
		buf_clear(&stream->pending);
		data = str_skip(data, piece.len);
	}
	buf_put_str(&stream->pending, data);
}

static void got_end(void *arg, const struct err *err)
{
	struct logstream *stream = arg;

	stream->request = NULL;
	if (stream->pending.len && !err)
		deliver(stream, buf_str(&stream->pending));
	buf_clear(&stream->pending);
	stream->options.ended(stream->options.arg, err);
}

static void open_from(struct logstream *stream, struct str from)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

	logstream_put_path(&stream->options, from, &path);
	stream->request = client_stream(stream->client, &(struct client_stream){
								.path = buf_str(&path),
								.data = got_data,
								.ended = got_end,
								.arg = stream,
							});
}

struct logstream *logstream_new(struct client *client, const struct logstream_options *options)
{
	struct arena *arena = arena_new(0);
	struct logstream *stream = arena_new_of(arena, struct logstream);

	stream->client = client;
	stream->arena = arena;
	stream->options = *options;
	stream->options.namespace = arena_str(arena, options->namespace);
	stream->options.pod = arena_str(arena, options->pod);
	stream->options.container = arena_str(arena, options->container);
	stream->pending = buf_make(LINE_MAX_BYTES);
	open_from(stream, str_none());
	return stream;
}

void logstream_again(struct logstream *stream)
{
	stream->resumed = stream->last[0] != 0;
	open_from(stream, str_from(stream->last));
}

void logstream_free(struct logstream *stream)
{
	if (!stream)
		return;
	client_cancel(stream->request);
	buf_done(&stream->pending);
	arena_free(stream->arena);
}
