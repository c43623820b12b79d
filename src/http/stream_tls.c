/* SPDX-License-Identifier: Apache-2.0 */
/* http/stream_tls.c - TLS on one stream, through a BIO of our own.
 *
 * OpenSSL neither reads nor writes the socket. What recv() gave (up to 64 KB, many records) is lent
 * to the BIO while it is decrypted; what OpenSSL writes is collected on the stack and sent by one
 * send(). So a turn costs one system call in each direction, and an idle connection has no buffer.
 *
 * 1. `rest` holds ciphertext that was not decrypted because the stream was paused: it comes before
 *    anything new; its size is at most what one turn reads.
 * 2. `wire` holds ciphertext that the socket did not accept: it is sent before anything new.
 * 3. SSL objects are not in use while callbacks run: those may free the stream. */
#include <arpa/inet.h>
#include <assert.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/mem.h"
#include "base/time.h"
#include "http/stream_internal.h"
#include "http/tls.h"

#include "base/banned.h"

enum {
	RECORD = 16 * 1024, /* plain bytes of the largest record */
	/* Ciphertext collected for one send(); a record adds less than 256 bytes. */
	GATHER = 4 * (RECORD + 256),
	WIRE_LIMIT = 1024 * 1024,
};

struct stream_tls {
	SSL *ssl;
	struct tls *tls;
	struct str in; /* ciphertext being read, lent by the caller */
	bool in_eof;
	struct buf rest;
	struct buf wire;
	char *out; /* collects ciphertext during a flush; NULL: it goes to `wire` */
	size_t out_len;
	bool shut; /* close_notify was written */
	char **groups;
	size_t group_count;
	char *name;
};

static int bio_read(BIO *bio, char *to, int len)
{
	struct stream_tls *tls = BIO_get_data(bio);
	size_t part = (size_t)len < tls->in.len ? (size_t)len : tls->in.len;

	BIO_clear_retry_flags(bio);
	if (part == 0) {
		if (tls->in_eof)
			return 0;
		BIO_set_retry_read(bio);
		return -1;
	}
	memcpy(to, tls->in.ptr, part);
	tls->in = str_skip(tls->in, part);
	return (int)part;
}

static int bio_write(BIO *bio, const char *from, int len)
{
	struct stream_tls *tls = BIO_get_data(bio);

	BIO_clear_retry_flags(bio);
	if (tls->out && tls->wire.len == 0 && tls->out_len + (size_t)len <= GATHER) {
		memcpy(tls->out + tls->out_len, from, (size_t)len);
		tls->out_len += (size_t)len;
		return len;
	}
	buf_put(&tls->wire, from, (size_t)len);
	return buf_is_over(&tls->wire) ? -1 : len;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
	struct stream_tls *tls = BIO_get_data(bio);

	(void)number;
	(void)pointer;
	switch (command) {
	case BIO_CTRL_FLUSH:
		return 1;
	case BIO_CTRL_EOF:
		return tls->in_eof && tls->in.len == 0;
	default:
		return 0;
	}
}

BIO_METHOD *stream_tls_method(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "stream");

	assert(method);
	BIO_meth_set_read(method, bio_read);
	BIO_meth_set_write(method, bio_write);
	BIO_meth_set_ctrl(method, bio_ctrl);
	return method;
}

static BIO *make_bio(struct stream_tls *tls)
{
	BIO *bio = BIO_new(tls_bio_method(tls->tls));

	assert(bio);
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	return bio;
}

/* The server name that the client side expects. */
static void expect_name(SSL *ssl, struct str name)
{
	AUTO(mem_free) char *text = str_dup(name);
	X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
	struct in6_addr ignored;

	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
						       X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
	if (inet_pton(AF_INET, text, &ignored) == 1 || inet_pton(AF_INET6, text, &ignored) == 1) {
		X509_VERIFY_PARAM_set1_ip_asc(param, text);
		return;
	}
	SSL_set_tlsext_host_name(ssl, text);
	X509_VERIFY_PARAM_set1_host(param, text, name.len);
}

struct stream_tls *stream_tls_new(struct stream *stream, struct tls *side, struct str name)
{
	struct stream_tls *tls = mem_new(struct stream_tls);
	BIO *bio;

	tls->tls = tls_ref(side);
	tls->rest = buf_make(SIZE_MAX / 4);
	tls->wire = buf_make(WIRE_LIMIT);
	tls->ssl = SSL_new(tls_context(side));
	assert(tls->ssl);
	bio = make_bio(tls);
	SSL_set_bio(tls->ssl, bio, bio);
	X509_VERIFY_PARAM_set_time(SSL_get0_param(tls->ssl),
				   (time_t)(loop_now(stream->loop) / TIME_SECOND));
	if (tls_is_server(side)) {
		SSL_set_accept_state(tls->ssl);
	} else {
		SSL_set_connect_state(tls->ssl);
		if (tls_server_name(side).len)
			name = tls_server_name(side);
		if (name.len)
			expect_name(tls->ssl, name);
	}
	stream->peer.tls = true;
	return tls;
}

void stream_tls_free(struct stream_tls *tls)
{
	if (!tls)
		return;
	SSL_free(tls->ssl);
	tls_unref(tls->tls);
	buf_done(&tls->rest);
	buf_done(&tls->wire);
	for (size_t i = 0; i < tls->group_count; i++)
		mem_free(tls->groups[i]);
	mem_free(tls->groups);
	mem_free(tls->name);
	mem_free(tls);
}

/* ---- The peer ---- */

/* NULL if the entry is not text. */
static char *entry_text(X509_NAME *subject, int index)
{
	ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index));
	unsigned char *utf8 = NULL;
	int len = ASN1_STRING_to_UTF8(&utf8, value);
	char *text = NULL;

	if (len > 0 && !memchr(utf8, '\0', (size_t)len))
		text = mem_strdup_len((const char *)utf8, (size_t)len);
	OPENSSL_free(utf8);
	return text;
}

/* Common name and organizations of a client whose certificate one of the CAs signed. */
static void read_identity(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;
	X509 *certificate;
	X509_NAME *subject;
	int at = -1;

	if (!tls_is_server(tls->tls))
		return;
	certificate = SSL_get1_peer_certificate(tls->ssl);
	if (!certificate)
		return;
	stream->peer.untrusted = SSL_get_verify_result(tls->ssl) != X509_V_OK;
	if (stream->peer.untrusted) {
		X509_free(certificate);
		return;
	}
	subject = X509_get_subject_name(certificate);
	while ((at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0) {
		mem_free(tls->name); /* the last one counts, as in Go */
		tls->name = entry_text(subject, at);
	}
	tls->groups = mem_calloc((size_t)X509_NAME_entry_count(subject) + 1, sizeof(char *));
	at = -1;
	while ((at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0) {
		char *group = entry_text(subject, at);

		if (group)
			tls->groups[tls->group_count++] = group;
	}
	X509_free(certificate);
	if (!tls->name)
		return;
	stream->peer.name = tls->name;
	stream->peer.groups = (const char *const *)tls->groups;
	stream->peer.group_count = tls->group_count;
}

struct str stream_alpn(const struct stream *stream)
{
	const unsigned char *name = NULL;
	unsigned len = 0;

	if (stream->tls)
		SSL_get0_alpn_selected(stream->tls->ssl, &name, &len);
	return len ? str_of((const char *)name, len) : STR("");
}

/* ---- Reading ---- */

/* The reply to plain HTTP on a TLS port, the same as Go's: browsers and curl show it. */
static const char plain_reply[] = "HTTP/1.0 400 Bad Request\r\n\r\n"
				  "Client sent an HTTP request to an HTTPS server.\n";

static void fail_tls(struct stream *stream, const char *what)
{
	struct stream_tls *tls = stream->tls;
	long verdict = SSL_get_verify_result(tls->ssl);
	unsigned long code = ERR_peek_error();
	struct err err;

	if (ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST)
		(void)stream_send(stream, plain_reply, sizeof(plain_reply) - 1);
	else if (tls->wire.len) /* the alert; if the socket is full, the peer gets none */
		(void)stream_send(stream, tls->wire.ptr, tls->wire.len);
	if (stream->state == STREAM_CLOSED)
		return;
	if (verdict != X509_V_OK && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
		ERR_clear_error();
		err_set(&err, ERR_UNAVAILABLE, "%s: certificate: %s", what,
			X509_verify_cert_error_string(verdict));
	} else {
		tls_error(&err, what);
		err.code = ERR_UNAVAILABLE;
	}
	stream_fail(stream, &err);
}

/* Has the peer closed, with or without notification? */
static bool was_end(struct stream *stream, int code)
{
	unsigned long number = ERR_peek_error();

	if (code == SSL_ERROR_ZERO_RETURN)
		return true;
	if ((code == SSL_ERROR_SYSCALL && stream->tls->in_eof) ||
	    (code == SSL_ERROR_SSL &&
	     ERR_GET_REASON(number) == SSL_R_UNEXPECTED_EOF_WHILE_READING)) {
		stream->truncated = true;
		return true;
	}
	return false;
}

/* True if the stream is open and reading may continue. */
static bool shake(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;
	struct err err;
	int done, code;

	ERR_clear_error();
	done = SSL_do_handshake(tls->ssl);
	if (done == 1) {
		read_identity(stream);
		return stream_call_opened(stream);
	}
	code = SSL_get_error(tls->ssl, done);
	if (code == SSL_ERROR_WANT_READ)
		return false;
	if (was_end(stream, code)) {
		err_set(&err, ERR_UNAVAILABLE, "TLS handshake: the peer closed the connection");
		stream_fail(stream, &err);
	} else {
		fail_tls(stream, "TLS handshake");
	}
	return false;
}

/* Decrypts and delivers what has arrived. */
static void pump(struct stream *stream)
{
	char plain[RECORD];

	if (stream->state == STREAM_SHAKING && !shake(stream))
		return;
	while (stream->state == STREAM_OPEN && !stream->paused && !stream->read_ended) {
		int got, code;

		ERR_clear_error();
		got = SSL_read(stream->tls->ssl, plain, sizeof(plain));
		if (got > 0) {
			if (!stream_call_data(stream, plain, (size_t)got))
				return;
			continue;
		}
		code = SSL_get_error(stream->tls->ssl, got);
		if (code == SSL_ERROR_WANT_READ)
			return;
		if (was_end(stream, code))
			(void)stream_call_ended(stream); /* nothing follows */
		else
			fail_tls(stream, "TLS");
		return;
	}
}

/* After pump(): keeps the rest of the input and sends the output. */
static void settle(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;

	if (stream->freed)
		return;
	if (tls->in.len && stream->state != STREAM_CLOSED)
		buf_put(&tls->rest, tls->in.ptr, tls->in.len);
	tls->in = str_none();
	if (tls->wire.len)
		stream_kick(stream);
}

void stream_tls_input(struct stream *stream, const char *data, size_t len, bool eof)
{
	struct stream_tls *tls = stream->tls;

	tls->in_eof = eof;
	if (tls->rest.len) { /* resumed a moment ago, but `rest` was not read yet */
		buf_put(&tls->rest, data, len);
		stream_tls_resume(stream);
		return;
	}
	tls->in = str_of(data, len);
	pump(stream);
	settle(stream);
}

void stream_tls_resume(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;
	struct buf held = tls->rest;

	tls->rest = buf_make(SIZE_MAX / 4);
	tls->in = buf_str(&held);
	pump(stream);
	settle(stream);
	buf_done(&held);
}

void stream_tls_start(struct stream *stream)
{
	stream_tls_resume(stream);
}

/* ---- Writing ---- */

/* Up to one record from the front of the queue: in place, or copied together. */
static struct str next_record(const struct pieces *queue, char *slots)
{
	struct str first = piece_str(pieces_at(queue, 0));
	size_t len = 0;

	if (queue->count == 1 || first.len >= RECORD)
		return str_slice(first, 0, RECORD);
	for (size_t i = 0; i < queue->count && len < RECORD; i++) {
		struct str part = str_slice(piece_str(pieces_at(queue, i)), 0, RECORD - len);

		memcpy(slots + len, part.ptr, part.len);
		len += part.len;
	}
	return str_of(slots, len);
}

/* Encrypts as much as one send() may take. -1 after stream_fail(). */
static int encrypt_queue(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;
	char slots[RECORD];

	while (stream->queue.bytes && tls->out_len + RECORD + 256 <= GATHER && tls->wire.len == 0) {
		struct str record = next_record(&stream->queue, slots);
		int wrote;

		ERR_clear_error();
		wrote = SSL_write(tls->ssl, record.ptr, (int)record.len);
		if (wrote <= 0) {
			fail_tls(stream, "TLS write");
			return -1;
		}
		pieces_consume(&stream->queue, (size_t)wrote);
	}
	return 0;
}

/* Send what could not be sent before. False when blocked or failed. */
static bool send_wire(struct stream *stream)
{
	struct buf *wire = &stream->tls->wire;
	ssize_t sent;

	if (wire->len == 0)
		return true;
	sent = stream_send(stream, wire->ptr, wire->len);
	if (sent < 0)
		return false;
	if ((size_t)sent < wire->len) {
		buf_consume(wire, (size_t)sent);
		stream_block(stream);
		return false;
	}
	buf_done(wire);
	*wire = buf_make(WIRE_LIMIT);
	return true;
}

/* One round: encrypt onto the stack, send. False when blocked or failed. */
static bool flush_round(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;
	char gathered[GATHER];
	ssize_t sent;
	int rc;

	tls->out = gathered;
	tls->out_len = 0;
	rc = encrypt_queue(stream);
	if (stream->freed)
		return false;
	tls->out = NULL;
	if (rc < 0)
		return false;
	sent = tls->out_len ? stream_send(stream, gathered, tls->out_len) : 0;
	if (sent < 0)
		return false;
	if ((size_t)sent < tls->out_len) {
		struct buf added = tls->wire; /* what was added after, if anything */

		tls->wire = buf_make(WIRE_LIMIT);
		buf_put(&tls->wire, gathered + sent, tls->out_len - (size_t)sent);
		buf_put(&tls->wire, added.ptr, added.len);
		buf_done(&added);
		stream_block(stream);
		return false;
	}
	return true;
}

bool stream_tls_flush(struct stream *stream)
{
	struct stream_tls *tls = stream->tls;

	if (!send_wire(stream))
		return false;
	if (stream->state != STREAM_OPEN)
		return true;
	while (stream->queue.bytes)
		if (!flush_round(stream) || !send_wire(stream))
			return false;
	if (stream->end_wanted && !tls->shut) {
		tls->shut = true;
		ERR_clear_error();
		(void)SSL_shutdown(tls->ssl); /* one direction; the peer need not reply */
		return send_wire(stream);
	}
	return true;
}
