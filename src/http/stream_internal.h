/* SPDX-License-Identifier: Apache-2.0 */
/* http/stream_internal.h - shared by stream.c (queue, plain sockets), stream_tls.c (TLS on one
 * stream) and dial.c (names and connecting). */
#ifndef HTTP_STREAM_INTERNAL_H
#define HTTP_STREAM_INTERNAL_H

#include <openssl/ssl.h>

#include "base/buf.h"
#include "http/chunk.h"
#include "http/pieces.h"
#include "http/stream.h"
#include "loop/loop.h"

struct dial;
struct stream_tls;

enum stream_state {
	STREAM_STARTING, /* stream_kick() will begin: dial, start the handshake or just open */
	STREAM_DIALLING, /* dial.c is connecting */
	STREAM_SHAKING,  /* TLS handshake */
	STREAM_OPEN,
	STREAM_CLOSED, /* nothing is watched any more */
};

struct stream {
	struct loop *loop;
	struct loop_fd *watch;
	int fd;
	unsigned interest; /* what `watch` was last asked for */
	enum stream_state state;
	const struct stream_events *events;
	void *arg;

	unsigned depth; /* our callbacks on the stack: memory stays until they return */
	bool freed;
	bool paused;
	bool resumed;    /* stream_kick() must check for input that was held back */
	bool read_ended; /* the other side sends no more */
	bool truncated;
	bool blocked; /* the socket accepts no more; wait for LOOP_WRITE */
	bool end_wanted;
	bool end_done;

	struct loop_defer kick;
	struct pieces queue;

	int64_t last_read, last_write;
	struct stream_peer peer;
	struct stream_tls *tls;   /* NULL: plain */
	struct dial *dial;        /* while connecting */
	struct loop_timer *timer; /* until `opened`; NULL: no limit */
	int64_t timeout_us;
};

/* Callbacks are called between these two. stream_leave() completes a stream_free() that was called
 * meanwhile, and returns whether the stream still exists and is not closed. */
void stream_enter(struct stream *stream);
bool stream_leave(struct stream *stream);
/* Each calls one callback between enter and leave; after the last one no callback follows. */
bool stream_call_opened(struct stream *stream);
bool stream_call_data(struct stream *stream, const char *data, size_t len);
bool stream_call_ended(struct stream *stream);
void stream_fail(struct stream *stream, const struct err *err);

/* The socket is connected: watches it, and starts the handshake or opens. */
void stream_connected(struct stream *stream, int fd);
/* At the end of the turn: begins, resumes reading, sends. */
void stream_kick(struct stream *stream);
/* Sends; returns the number of bytes sent, 0 if the socket is full, -1 after stream_fail(). */
ssize_t stream_send(struct stream *stream, const void *data, size_t len);

/* The socket accepts no more: waits until it does. */
void stream_block(struct stream *stream);

/* stream_tls.c */
struct stream_tls *stream_tls_new(struct stream *stream, struct tls *side, struct str name);
void stream_tls_free(struct stream_tls *tls);
/* Ciphertext (`eof`: or its end) arrived: continues the handshake, decrypts, delivers. */
void stream_tls_input(struct stream *stream, const char *data, size_t len, bool eof);
/* Start the handshake. */
void stream_tls_start(struct stream *stream);
/* Encrypt and send the queue. False when blocked or failed. */
bool stream_tls_flush(struct stream *stream);
/* Continues with what was held back while paused. */
void stream_tls_resume(struct stream *stream);

/* The BIO through which OpenSSL reads and writes a stream; one per struct tls. */
BIO_METHOD *stream_tls_method(void);

/* dial.c */
struct dial *dial_new(const struct stream_target *target);
void dial_free(struct dial *dial);
void dial_start(struct stream *stream);
/* stream_fail() with a text that names the address. */
void dial_fail(struct stream *stream, const struct err *why);

/* tls.c */
SSL_CTX *tls_context(const struct tls *tls);
BIO_METHOD *tls_bio_method(const struct tls *tls);
bool tls_is_server(const struct tls *tls);
/* The name that overrides the host, or none. */
struct str tls_server_name(const struct tls *tls);
bool tls_is_insecure(const struct tls *tls);
/* OpenSSL's oldest queued error as text. */
int tls_error(struct err *err, const char *context);

#endif
