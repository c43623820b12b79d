/* SPDX-License-Identifier: Apache-2.0 */
/* http/h2.c - see the header. */
#include "http/h2.h"

#include <assert.h>

#include "http/stream.h"

#include "base/banned.h"

enum { FRAME_HEAD = 9 };

nghttp2_option *h2_option_new(void)
{
	nghttp2_option *option;
	int rc = nghttp2_option_new(&option);

	assert(rc == 0); /* out of memory only */
	nghttp2_option_set_no_auto_window_update(option, 1);
	nghttp2_option_set_no_closed_streams(option, 1);
	return option;
}

nghttp2_session *h2_session_new(h2_make_fn *make, const struct h2_calls *calls, void *arg,
				nghttp2_option *option)
{
	nghttp2_session_callbacks *callbacks;
	nghttp2_session *session;
	int rc = nghttp2_session_callbacks_new(&callbacks);

	assert(rc == 0);
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, calls->begin_headers);
	nghttp2_session_callbacks_set_on_header_callback2(callbacks, calls->header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, calls->frame_recv);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, calls->data_chunk);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, calls->stream_close);
	nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, calls->frame_send);
	nghttp2_session_callbacks_set_send_data_callback(callbacks, calls->send_data);
	rc = make(&session, callbacks, arg, option);
	assert(rc == 0);
	nghttp2_option_del(option);
	nghttp2_session_callbacks_del(callbacks);
	return session;
}

int h2_settle(nghttp2_session *session, const nghttp2_settings_entry *entries, size_t count,
	      int32_t window)
{
	if (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, entries, count) ||
	    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, window))
		return -1;
	return 0;
}

int h2_send_frames(nghttp2_session *session, struct stream *stream)
{
	while (!stream_is_full(stream)) {
		const uint8_t *frames;
		ssize_t len = nghttp2_session_mem_send(session, &frames);

		if (len <= 0)
			return (int)len;
		stream_write(stream, frames, (size_t)len);
	}
	return 0;
}

bool h2_is_over(nghttp2_session *session)
{
	return !nghttp2_session_want_read(session) && !nghttp2_session_want_write(session);
}

ssize_t h2_offer_body(const struct pieces *body, bool ended, size_t size, uint32_t *flags)
{
	size_t len = body->bytes < size ? body->bytes : size;

	if (len == 0 && !ended)
		return NGHTTP2_ERR_DEFERRED;
	*flags |= NGHTTP2_DATA_FLAG_NO_COPY;
	if (len == body->bytes && ended)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)len;
}

void h2_send_body(struct stream *stream, const uint8_t *head, struct pieces *body, size_t len)
{
	stream_write(stream, head, FRAME_HEAD);
	stream_write_pieces(stream, body, len);
}

struct str h2_text(nghttp2_rcbuf *buffer)
{
	nghttp2_vec bytes = nghttp2_rcbuf_get_buf(buffer);

	return str_of((const char *)bytes.base, bytes.len);
}

nghttp2_nv h2_field(struct str name, struct str value, uint8_t flags)
{
	return (nghttp2_nv){
		.name = (uint8_t *)(uintptr_t)name.ptr,
		.namelen = name.len,
		.value = (uint8_t *)(uintptr_t)value.ptr,
		.valuelen = value.len,
		.flags = flags,
	};
}
