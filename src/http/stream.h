/* SPDX-License-Identifier: Apache-2.0 */
/* http/stream.h - a byte stream on the loop: TCP or a Unix socket, with or without TLS.
 *
 * Nothing here blocks. What arrives is lent to the `data` callback. What is written is queued and
 * leaves once at the end of the turn, so that all frames of a turn share one system call and, with
 * TLS, one record. Above LIMIT_SEND_BUFFER_BYTES the queue is full: stream_is_full() asks the
 * writer to wait for `wrote`. Nothing is dropped if it does not, but memory is then its own
 * concern.
 *
 * A stream never frees itself: after `closed` it only waits for stream_free(), which may be called
 * at any time, from its own callbacks as well. Without stream_free() nothing ends for good. */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "http/address.h"

struct chunk;
struct loop;
struct pieces;
struct stream;
struct tls;

/* Every member may be NULL. None is called from within a function of this header. */
struct stream_events {
	/* Connected and, with TLS, shaken hands. */
	void (*opened)(struct stream *stream, void *arg);
	/* Bytes arrived; lent for the call. */
	void (*data)(struct stream *stream, const char *data, size_t len, void *arg);
	/* The other side sends no more (it may still read). stream_is_truncated() tells whether it
	 * left without saying so in TLS. */
	void (*ended)(struct stream *stream, void *arg);
	/* The turn ends and something is about to be sent: the last moment to add to it. */
	void (*flush)(struct stream *stream, void *arg);
	/* Some was sent, and the queue is not full. */
	void (*wrote)(struct stream *stream, void *arg);
	/* Broken, timed out or never connected: nothing else follows. `err` says why. */
	void (*closed)(struct stream *stream, const struct err *err, void *arg);
};

struct stream_target {
	struct str host;        /* name or IP number; none where `address` is given */
	int port;               /* with `host` */
	struct address address; /* or an address, which may be a Unix socket */
	struct tls *tls;        /* NULL: plain; otherwise from tls_client_new() */
	int64_t timeout_us;     /* for name, connection and handshake together; 0: none */
};

/* Start connecting; the result comes by `opened` or `closed`, in a later turn. Only reads `target`
 * during the call. A name's addresses are tried one after the other. */
struct stream *stream_connect(struct loop *loop, const struct stream_target *target,
			      const struct stream_events *events, void *arg)
	__attribute__((returns_nonnull));

/* Put a stream on a socket that is connected; takes the descriptor. `tls` (NULL: plain) makes it
 * the server side of TLS when it comes from tls_server_new(), else the client side, with `name` as
 * the server's name. `opened` comes in a later turn. */
struct stream *stream_adopt(struct loop *loop, int fd, struct tls *tls, struct str name,
			    const struct stream_events *events, void *arg)
	__attribute__((returns_nonnull));

/* Closes at once; what is still queued is lost. Takes NULL. */
void stream_free(struct stream *stream);
DEFINE_AUTO(struct stream *, stream_free);

/* From now on other callbacks: a connection is handed to another protocol. */
void stream_set_events(struct stream *stream, const struct stream_events *events, void *arg);

/* Queue bytes. The first copies; the second keeps a reference to [from, from + len) of the chunk
 * (short pieces are copied, being cheaper so). After stream_end() or `closed` they are dropped. */
void stream_write(struct stream *stream, const void *data, size_t len);
void stream_write_chunk(struct stream *stream, struct chunk *chunk, size_t from, size_t len);
/* Move the first `len` bytes of another queue to this one. */
void stream_write_pieces(struct stream *stream, struct pieces *pieces, size_t len);
/* Room for `len` bytes at the end of the queue to write into directly, then stream_commit() as many
 * as were written, before anything else is done with the stream. */
char *stream_reserve(struct stream *stream, size_t len) __attribute__((returns_nonnull));
void stream_commit(struct stream *stream, size_t len);
/* Have `flush` called at the end of the turn even if nothing is queued yet. */
void stream_wake(struct stream *stream);
/* Send what is queued, then tell the other side that nothing follows. Reading goes on. `wrote` is
 * called when that is done; see stream_is_done(). */
void stream_end(struct stream *stream);

/* Stop and restart reading; back-pressure on the other side. Calls count only once. */
void stream_pause(struct stream *stream);
void stream_resume(struct stream *stream);

size_t stream_queued(const struct stream *stream);
bool stream_is_full(const struct stream *stream);
bool stream_is_blocked(const struct stream *stream); /* the socket takes no more now */
bool stream_is_open(const struct stream *stream);    /* `opened` came, `closed` did not */
bool stream_is_done(const struct stream *stream);    /* stream_end() has reached the wire */
bool stream_is_truncated(const struct stream *stream);

/* When bytes last arrived, and left or began to be stuck: loop_uptime() of that turn. */
int64_t stream_last_read(const struct stream *stream);
int64_t stream_last_write(const struct stream *stream);

/* Who is at the other end; lent as long as the stream. */
struct stream_peer {
	struct address address;
	int64_t uid; /* Unix socket: the user of the other process; else -1 */
	bool tls;
	/* From a client certificate that the CAs vouch for: the subject's common name and
	 * organizations (Kubernetes: user and groups). NULL where there is none. */
	const char *name;
	const char *const *groups;
	size_t group_count;
	bool untrusted; /* showed a certificate that the CAs do not vouch for */
};
/* Complete once `opened` came. */
const struct stream_peer *stream_peer(const struct stream *stream);
/* What ALPN chose ("h2", "http/1.1"), or "" where there was no choice. */
struct str stream_alpn(const struct stream *stream);
/* This side's address. */
int stream_local(const struct stream *stream, struct address *ret, struct err *err) MUST_CHECK;

#endif
