/* SPDX-License-Identifier: Apache-2.0 */
/* http/stream.c - the queue, plain sockets and the order of a turn.
 *
 * All writing goes through stream_kick(): one deferred call per turn that opens the stream, resumes
 * reading after a pause, lets the protocol add its frames (`flush`) and sends everything with one
 * system call. Reading gets up to 64 KB per call into a buffer on the stack, so that an idle stream
 * has no buffer.
 *
 * 1. No callback runs after `closed`, nor after stream_free().
 * 2. The struct lives while one of its callbacks is on the stack (`depth`). */
#include "http/stream.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/stream_internal.h"

#include "base/banned.h"

enum {
	READ_SIZE = 64 * 1024,
	READ_ROUNDS = 4, /* per turn, so that one stream does not starve the others */
	IOV_COUNT = 64,
};

static const struct stream_events no_events;

void stream_enter(struct stream *stream)
{
	stream->depth++;
}

bool stream_leave(struct stream *stream)
{
	bool alive = !stream->freed && stream->state != STREAM_CLOSED;

	assert(stream->depth > 0);
	if (--stream->depth == 0 && stream->freed)
		mem_free(stream);
	return alive;
}

static void stop_io(struct stream *stream)
{
	stream->state = STREAM_CLOSED;
	loop_defer_cancel(stream->loop, &stream->kick);
	loop_fd_remove(stream->watch);
	stream->watch = NULL;
	fd_close(stream->fd);
	stream->fd = -1;
	loop_timer_free(stream->timer);
	stream->timer = NULL;
	dial_free(stream->dial);
	stream->dial = NULL;
	pieces_done(&stream->queue);
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	assert(!stream->freed);
	if (stream->state != STREAM_CLOSED)
		stop_io(stream);
	pieces_done(&stream->queue);
	stream_tls_free(stream->tls);
	stream->tls = NULL;
	stream->events = &no_events;
	stream->freed = true;
	if (stream->depth == 0)
		mem_free(stream);
}

void stream_fail(struct stream *stream, const struct err *err)
{
	if (stream->state == STREAM_CLOSED)
		return;
	stop_io(stream);
	stream_enter(stream);
	if (stream->events->closed)
		stream->events->closed(stream, err, stream->arg);
	(void)stream_leave(stream); /* the caller must not use the stream again in any case */
}

static void fail_errno(struct stream *stream, int number, const char *what)
{
	struct err err;

	err_errno(&err, number, "%s", what);
	err.code = ERR_UNAVAILABLE;
	stream_fail(stream, &err);
}

bool stream_call_opened(struct stream *stream)
{
	stream->state = STREAM_OPEN;
	loop_timer_free(stream->timer);
	stream->timer = NULL;
	stream_enter(stream);
	if (stream->events->opened)
		stream->events->opened(stream, stream->arg);
	return stream_leave(stream);
}

bool stream_call_data(struct stream *stream, const char *data, size_t len)
{
	stream_enter(stream);
	if (stream->events->data)
		stream->events->data(stream, data, len, stream->arg);
	return stream_leave(stream);
}

bool stream_call_ended(struct stream *stream)
{
	if (stream->read_ended)
		return true;
	stream->read_ended = true;
	stream_enter(stream);
	if (stream->events->ended)
		stream->events->ended(stream, stream->arg);
	return stream_leave(stream);
}

static void on_events(struct loop_fd *watch, int fd, unsigned events, void *arg);

static void update_interest(struct stream *stream)
{
	unsigned wanted = 0;
	struct err err;

	if (stream->state == STREAM_CLOSED || stream->state == STREAM_DIALLING || stream->fd < 0)
		return;
	if (!stream->paused && !stream->read_ended)
		wanted |= LOOP_READ;
	if (stream->blocked)
		wanted |= LOOP_WRITE;
	if (!stream->watch) {
		if (!wanted)
			return;
		stream->watch =
			loop_fd_add(stream->loop, stream->fd, wanted, on_events, stream, &err);
		if (!stream->watch)
			stream_fail(stream, &err);
	} else if (wanted != stream->interest) {
		loop_fd_set(stream->watch, wanted);
	}
	stream->interest = wanted;
}

/* One round of reading; true: read again at once. The caller holds the stream. */
static bool read_round(struct stream *stream)
{
	char data[READ_SIZE];
	ssize_t got = recv(stream->fd, data, sizeof(data), 0);

	if (got < 0) {
		if (errno == EINTR)
			return true;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			fail_errno(stream, errno, "read");
		return false;
	}
	if (got > 0)
		stream->last_read = loop_uptime(stream->loop);
	if (stream->tls)
		stream_tls_input(stream, data, (size_t)got, got == 0);
	else if (got == 0)
		(void)stream_call_ended(stream); /* the caller checks */
	else
		(void)stream_call_data(stream, data, (size_t)got);
	return got == (ssize_t)sizeof(data);
}

/* The socket was closed in both directions while reading is paused. Either nothing more can be done
 * with it, or (a Unix socket) there may be unread bytes; then it is no longer watched. */
static void hung_up_unread(struct stream *stream)
{
	socklen_t len = sizeof(int);
	int number = 0;

	if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &number, &len) < 0)
		number = errno;
	if (number || stream->read_ended) {
		fail_errno(stream, number ? number : ECONNRESET, "connection");
		return;
	}
	loop_fd_remove(stream->watch);
	stream->watch = NULL;
	stream->interest = 0;
}

static void on_events(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct stream *stream = arg;

	(void)watch;
	(void)fd;
	stream_enter(stream);
	if (events & (LOOP_READ | LOOP_HANGUP)) {
		if (stream->paused || stream->read_ended) {
			if (events & LOOP_HANGUP)
				hung_up_unread(stream);
		} else {
			for (int i = 0; i < READ_ROUNDS && read_round(stream); i++)
				if (stream->state == STREAM_CLOSED || stream->paused ||
				    stream->read_ended)
					break;
		}
	}
	if (stream->state != STREAM_CLOSED && (events & LOOP_WRITE)) {
		stream->blocked = false;
		stream_kick(stream);
	}
	if (stream->state != STREAM_CLOSED)
		update_interest(stream);
	(void)stream_leave(stream); /* the stream may be freed here */
}

void stream_connected(struct stream *stream, int fd)
{
	stream->fd = fd;
	stream->state = stream->tls ? STREAM_SHAKING : STREAM_OPEN;
	stream->last_read = stream->last_write = loop_uptime(stream->loop);
	stream_enter(stream);
	update_interest(stream);
	if (stream->state == STREAM_SHAKING)
		stream_tls_start(stream);
	else if (stream->state == STREAM_OPEN)
		(void)stream_call_opened(stream); /* the stream may be freed here */
	(void)stream_leave(stream);               /* the stream may be freed here */
}

/* ---- Sending ---- */

void stream_block(struct stream *stream)
{
	stream->blocked = true;
	stream->last_write = loop_uptime(stream->loop);
}

ssize_t stream_send(struct stream *stream, const void *data, size_t len)
{
	ssize_t sent;

	do
		sent = send(stream->fd, data, len, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent > 0)
		stream->last_write = loop_uptime(stream->loop);
	if (sent >= 0)
		return sent;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return 0;
	fail_errno(stream, errno, "write");
	return -1;
}

/* Send the queue of a plain stream. False when blocked or failed. */
static bool flush_plain(struct stream *stream)
{
	while (stream->queue.bytes) {
		struct iovec iov[IOV_COUNT];
		struct msghdr message = {.msg_iov = iov};
		size_t total = 0;
		ssize_t sent;

		for (size_t i = 0; i < stream->queue.count && i < IOV_COUNT; i++) {
			const struct piece *piece = pieces_at(&stream->queue, i);

			iov[i].iov_base = piece->chunk->ptr + piece->from;
			iov[i].iov_len = piece->len;
			total += piece->len;
			message.msg_iovlen++;
		}
		do
			sent = sendmsg(stream->fd, &message, MSG_NOSIGNAL);
		while (sent < 0 && errno == EINTR);
		if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
			fail_errno(stream, errno, "write");
			return false;
		}
		if (sent > 0) {
			stream->last_write = loop_uptime(stream->loop);
			pieces_consume(&stream->queue, (size_t)sent);
		}
		if (sent < (ssize_t)total) {
			stream_block(stream);
			return false;
		}
	}
	return true;
}

static void flush(struct stream *stream)
{
	size_t before;
	bool emptied;

	if (stream->state == STREAM_OPEN && stream->events->flush && !stream->end_wanted)
		stream->events->flush(stream, stream->arg);
	if (stream->state == STREAM_CLOSED || stream->blocked)
		return;
	before = stream->queue.bytes;
	emptied = stream->tls ? stream_tls_flush(stream)
			      : (stream->state != STREAM_OPEN || flush_plain(stream));
	if (stream->state != STREAM_OPEN)
		return;
	if (emptied && stream->end_wanted && !stream->end_done) {
		stream->end_done = true;
		(void)shutdown(stream->fd, SHUT_WR); /* reading reports a broken socket */
	} else if (stream->queue.bytes == before) {
		return;
	}
	if (!stream_is_full(stream) && stream->events->wrote)
		stream->events->wrote(stream, stream->arg);
}

static void on_kick(void *arg)
{
	struct stream *stream = arg;

	stream_enter(stream);
	if (stream->state == STREAM_STARTING) {
		if (stream->dial)
			dial_start(stream);
		else
			stream_connected(stream, stream->fd);
	}
	if (stream->resumed && (stream->state == STREAM_OPEN || stream->state == STREAM_SHAKING)) {
		stream->resumed = false;
		if (stream->tls)
			stream_tls_resume(stream);
	}
	if (stream->state == STREAM_OPEN || stream->state == STREAM_SHAKING)
		flush(stream);
	if (stream->state != STREAM_CLOSED)
		update_interest(stream);
	(void)stream_leave(stream); /* the stream may be freed here */
}

void stream_kick(struct stream *stream)
{
	if (stream->state != STREAM_CLOSED && !stream->kick.queued)
		loop_defer(stream->loop, &stream->kick, on_kick, stream);
}

static bool takes_writes(const struct stream *stream)
{
	return stream->state != STREAM_CLOSED && !stream->end_wanted;
}

char *stream_reserve(struct stream *stream, size_t len)
{
	return pieces_reserve(&stream->queue, len);
}

void stream_commit(struct stream *stream, size_t len)
{
	pieces_commit(&stream->queue, takes_writes(stream) ? len : 0);
	stream_kick(stream);
}

void stream_write(struct stream *stream, const void *data, size_t len)
{
	if (!takes_writes(stream))
		return;
	pieces_copy(&stream->queue, data, len);
	stream_kick(stream);
}

void stream_write_chunk(struct stream *stream, struct chunk *chunk, size_t from, size_t len)
{
	if (!takes_writes(stream))
		return;
	pieces_add(&stream->queue, chunk, from, len);
	stream_kick(stream);
}

void stream_write_pieces(struct stream *stream, struct pieces *pieces, size_t len)
{
	if (takes_writes(stream))
		pieces_move(pieces, &stream->queue, len);
	else
		pieces_consume(pieces, len);
	stream_kick(stream);
}

void stream_schedule(struct stream *stream)
{
	stream_kick(stream);
}

void stream_end(struct stream *stream)
{
	if (!takes_writes(stream))
		return;
	stream->end_wanted = true;
	stream_kick(stream);
}

/* ---- Creating, pausing, properties ---- */

static struct stream *new_stream(struct loop *loop, const struct stream_events *events, void *arg)
{
	struct stream *stream = mem_new(struct stream);

	stream->loop = loop;
	stream->fd = -1;
	stream->events = events;
	stream->arg = arg;
	stream->peer.uid = -1;
	stream->last_read = stream->last_write = loop_uptime(loop);
	return stream;
}

static void on_timeout(struct loop_timer *timer, void *arg)
{
	struct stream *stream = arg;
	struct err err;

	(void)timer;
	err_set(&err, ERR_TIMEOUT, "no answer within %.3g s",
		(double)stream->timeout_us / (double)TIME_SECOND);
	stream_enter(stream);
	if (stream->dial) {
		dial_fail(stream, &err);
	} else {
		err_wrap(&err, "TLS handshake");
		stream_fail(stream, &err);
	}
	(void)stream_leave(stream); /* the stream may be freed here */
}

struct stream *stream_connect(struct loop *loop, const struct stream_target *target,
			      const struct stream_events *events, void *arg)
{
	struct stream *stream = new_stream(loop, events, arg);

	stream->dial = dial_new(target);
	stream->peer.address = target->address;
	if (target->timeout_us > 0) {
		stream->timeout_us = target->timeout_us;
		stream->timer = loop_timer_new(loop, on_timeout, stream);
		loop_timer_set(stream->timer, target->timeout_us);
	}
	if (target->tls)
		stream->tls = stream_tls_new(stream, target->tls, target->host);
	stream_kick(stream);
	return stream;
}

struct stream *stream_adopt(struct loop *loop, int fd, struct tls *tls, struct str name,
			    const struct stream_events *events, void *arg)
{
	struct stream *stream = new_stream(loop, events, arg);
	struct stream_peer *peer = &stream->peer;
	struct ucred user;
	socklen_t len = sizeof(user);

	stream->fd = fd;
	peer->address.len = sizeof(peer->address.sockaddr);
	if (getpeername(fd, (struct sockaddr *)&peer->address.sockaddr, &peer->address.len) < 0)
		peer->address.len = 0;
	if (address_is_unix(&peer->address) &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &len) == 0)
		peer->uid = user.uid;
	if (tls)
		stream->tls = stream_tls_new(stream, tls, name);
	stream_kick(stream);
	return stream;
}

void stream_set_events(struct stream *stream, const struct stream_events *events, void *arg)
{
	stream->events = events;
	stream->arg = arg;
}

void stream_pause(struct stream *stream)
{
	if (stream->paused)
		return;
	stream->paused = true;
	stream_kick(stream);
}

void stream_resume(struct stream *stream)
{
	if (!stream->paused)
		return;
	stream->paused = false;
	stream->resumed = true;
	stream_kick(stream);
}

size_t stream_queued(const struct stream *stream)
{
	return stream->queue.bytes;
}

bool stream_is_full(const struct stream *stream)
{
	return stream->queue.bytes > LIMIT_SEND_BUFFER_BYTES;
}

bool stream_is_blocked(const struct stream *stream)
{
	return stream->blocked;
}

bool stream_is_open(const struct stream *stream)
{
	return stream->state == STREAM_OPEN;
}

bool stream_is_done(const struct stream *stream)
{
	return stream->end_done;
}

bool stream_is_truncated(const struct stream *stream)
{
	return stream->truncated;
}

int64_t stream_last_read(const struct stream *stream)
{
	return stream->last_read;
}

int64_t stream_last_write(const struct stream *stream)
{
	return stream->last_write;
}

const struct stream_peer *stream_peer(const struct stream *stream)
{
	return &stream->peer;
}

int stream_local(const struct stream *stream, struct address *ret, struct err *err)
{
	struct address address = {.len = sizeof(address.sockaddr)};

	if (stream->fd < 0)
		return err_set(err, ERR_UNAVAILABLE, "not connected");
	if (getsockname(stream->fd, (struct sockaddr *)&address.sockaddr, &address.len) < 0)
		return err_errno(err, errno, "getsockname");
	*ret = address;
	return 0;
}
