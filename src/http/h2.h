/* SPDX-License-Identifier: Apache-2.0 */
/* http/h2.h - what client and server of HTTP/2 share; no other file includes it.
 *
 * nghttp2 never extends windows itself: the code that has consumed the bytes does that. A session
 * cannot be made only if memory runs out, which aborts. */
#ifndef HTTP_H2_H
#define HTTP_H2_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>

#include "base/macro.h"
#include "base/str.h"
#include "http/pieces.h"

struct stream;

/* nghttp2_session_client_new2() or nghttp2_session_server_new2(). */
typedef int h2_make_fn(nghttp2_session **ret, const nghttp2_session_callbacks *callbacks, void *arg,
		       const nghttp2_option *option);

struct h2_calls {
	nghttp2_on_begin_headers_callback begin_headers;
	nghttp2_on_header_callback2 header;
	nghttp2_on_frame_recv_callback frame_recv;
	nghttp2_on_data_chunk_recv_callback data_chunk;
	nghttp2_on_stream_close_callback stream_close;
	nghttp2_on_frame_send_callback frame_send;
	nghttp2_send_data_callback send_data;
};
/* The functions of these names in the file that has them. */
#define H2_CALLS                                                              \
	{                                                                     \
		.begin_headers = on_begin_headers, .header = on_header,       \
		.frame_recv = on_frame_recv, .data_chunk = on_data_chunk,     \
		.stream_close = on_stream_close, .frame_send = on_frame_send, \
		.send_data = send_data,                                       \
	}

/* The caller adds callbacks and passes it to h2_session_new(), which frees it. */
nghttp2_option *h2_option_new(void) __attribute__((returns_nonnull));
nghttp2_session *h2_session_new(h2_make_fn *make, const struct h2_calls *calls, void *arg,
				nghttp2_option *option) __attribute__((returns_nonnull));
/* Sends our settings and the connection's window to the peer. */
int h2_settle(nghttp2_session *session, const nghttp2_settings_entry *entries, size_t count,
	      int32_t window) MUST_CHECK;

/* Sends pending frames, as many as the stream accepts. Returns nghttp2's error, or 0. */
int h2_send_frames(nghttp2_session *session, struct stream *stream) MUST_CHECK;
/* Has the session nothing left to send or to receive? */
bool h2_is_over(nghttp2_session *session);

/* The result of a read callback for a body of pieces, which has `ended` or will grow; and the DATA
 * frame with `len` bytes of it. Nothing is copied. */
ssize_t h2_offer_body(const struct pieces *body, bool ended, size_t size, uint32_t *flags);
void h2_send_body(struct stream *stream, const uint8_t *head, struct pieces *body, size_t len);

struct str h2_text(nghttp2_rcbuf *buffer);
nghttp2_nv h2_field(struct str name, struct str value, uint8_t flags);

#endif
