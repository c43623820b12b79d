/* SPDX-License-Identifier: Apache-2.0 */
/* http/stream.h - a byte stream on the loop: TCP or a Unix socket, with or without TLS.
 *
 * Nothing here blocks. What arrives is lent to the `data` callback. What is written is queued and
 * sent once at the end of the turn, so that all frames of a turn share one system call and, with
 * TLS, one record. Above LIMIT_SEND_BUFFER_BYTES the queue is full: stream_is_full() means that the
 * writer should wait for `wrote`. If it does not, nothing is dropped, but memory grows.
 *
 * A stream never frees itself: after `closed` it only waits for stream_free(), which may be called
 * at any time, also from its own callbacks. Only stream_free() releases the stream. */
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
	/* Connected; with TLS, the handshake is complete. */
	void (*opened)(struct stream *stream, void *arg);
	/* Bytes arrived; lent for the call. */
	void (*data)(struct stream *stream, const char *data, size_t len, void *arg);
	/* The other side sends no more (it may still read). stream_is_truncated(): it closed
	 * without the TLS close notification. */
	void (*ended)(struct stream *stream, void *arg);
	/* Called at the end of the turn before data is sent: the last chance to add to it. */
	void (*flush)(struct stream *stream, void *arg);
	/* Some was sent, and the queue is not full. */
	void (*wrote)(struct stream *stream, void *arg);
	/* The connection failed, timed out or was never made; `err` says why. No further callback
	 * follows. */
	void (*closed)(struct stream *stream, const struct err *err, void *arg);
};

struct stream_target {
	struct str host;        /* name or IP address; none if `address` is given */
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

/* Replaces the callbacks, to hand a connection to another protocol. */
void stream_set_events(struct stream *stream, const struct stream_events *events, void *arg);

/* Queue bytes. The first copies; the second keeps a reference to [from, from + len) of the chunk
 * (short pieces are copied, which is cheaper). After stream_end() or `closed` they are dropped. */
void stream_write(struct stream *stream, const void *data, size_t len);
void stream_write_chunk(struct stream *stream, struct chunk *chunk, size_t from, size_t len);
/* Move the first `len` bytes of another queue to this one. */
void stream_write_pieces(struct stream *stream, struct pieces *pieces, size_t len);
/* Reserves `len` bytes at the end of the queue to write into directly; then call stream_commit()
 * with the number of bytes written, before any other function of the stream. */
char *stream_reserve(struct stream *stream, size_t len) __attribute__((returns_nonnull));
void stream_commit(struct stream *stream, size_t len);
/* Makes `flush` be called at the end of the turn even if nothing is queued yet. */
void stream_schedule(struct stream *stream);
/* Sends what is queued, then closes the sending direction. Reading goes on. `wrote` is
 * called when that is done; see stream_is_done(). */
void stream_end(struct stream *stream);

/* Stop and restart reading; back-pressure on the other side. Calls count only once. */
void stream_pause(struct stream *stream);
void stream_resume(struct stream *stream);

size_t stream_queued(const struct stream *stream);
bool stream_is_full(const struct stream *stream);
bool stream_is_blocked(const struct stream *stream); /* the socket accepts no more data now */
bool stream_is_open(const struct stream *stream);    /* `opened` came, `closed` did not */
bool stream_is_done(const struct stream *stream);    /* stream_end() was carried out */
bool stream_is_truncated(const struct stream *stream);

/* When bytes last arrived, and when bytes were last sent or began to wait: loop_uptime() of that
 * turn. */
int64_t stream_last_read(const struct stream *stream);
int64_t stream_last_write(const struct stream *stream);

/* The peer; valid as long as the stream. */
struct stream_peer {
	struct address address;
	int64_t uid; /* Unix socket: the user of the other process; else -1 */
	bool tls;
	/* From a client certificate that one of the CAs signed: the subject's common name and
	 * organizations (Kubernetes: user and groups). NULL if there is none. */
	const char *name;
	const char *const *groups;
	size_t group_count;
	bool untrusted; /* sent a certificate that none of the CAs signed */
};
/* Complete after `opened`. */
const struct stream_peer *stream_peer(const struct stream *stream);
/* The protocol that ALPN selected ("h2", "http/1.1"), or "". */
struct str stream_alpn(const struct stream *stream);
/* This side's address. */
int stream_local(const struct stream *stream, struct address *ret, struct err *err) MUST_CHECK;

#endif
