/* SPDX-License-Identifier: Apache-2.0 */
/* base/buf.c - bounded byte buffers.
 *
 * Always true: len <= limit; if ptr is set, len < size and ptr[len] is NUL. */
#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#include "base/banned.h"

enum { SIZE_FIRST = 128 };

void buf_done(struct buf *buf)
{
	mem_free(buf->ptr);
	*buf = buf_make(buf->limit);
}

/* Makes space for `len` more bytes and the NUL. */
static void grow(struct buf *buf, size_t len)
{
	size_t need = buf->len + len + 1;
	size_t size = buf->size ? buf->size + buf->size / 2 : SIZE_FIRST;

	if (need <= buf->size)
		return;
	if (size < need)
		size = need + need / 8; /* after one large piece little is added */
	buf->ptr = mem_realloc(buf->ptr, size, 1);
	buf->size = size;
	buf->ptr[buf->len] = '\0';
}

int buf_add(struct buf *buf, const void *data, size_t len, struct err *err)
{
	if (len > buf_space(buf))
		return err_set(err, ERR_TOO_LARGE, "more than %zu bytes", buf->limit);
	buf_put(buf, data, len);
	return 0;
}

void buf_put(struct buf *buf, const void *data, size_t len)
{
	if (len > buf_space(buf)) {
		buf->over = true;
		return;
	}
	grow(buf, len);
	if (len)
		memcpy(buf->ptr + buf->len, data, len);
	buf_commit(buf, len);
}

void buf_puts(struct buf *buf, const char *text)
{
	buf_put(buf, text, strlen(text));
}

void buf_put_str(struct buf *buf, struct str text)
{
	buf_put(buf, text.ptr, text.len);
}

void buf_putc(struct buf *buf, char c)
{
	buf_put(buf, &c, 1);
}

static void put_number(struct buf *buf, bool negative, uint64_t value)
{
	char digits[21];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (negative)
		digits[--at] = '-';
	buf_put(buf, digits + at, sizeof(digits) - at);
}

void buf_put_int(struct buf *buf, int64_t value)
{
	put_number(buf, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void buf_put_uint(struct buf *buf, uint64_t value)
{
	put_number(buf, false, value);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(buf, format, args);
	va_end(args);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	size_t free_bytes = buf->size - buf->len;
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(buf->ptr ? buf->ptr + buf->len : NULL, free_bytes, format, again);
	va_end(again);
	if (len < 0 || (size_t)len > buf_space(buf)) {
		if (buf->ptr)
			buf->ptr[buf->len] = '\0'; /* vsnprintf() may have printed a part */
		buf->over = true;
		return;
	}
	if ((size_t)len >= free_bytes) { /* vsnprintf() only measured it */
		grow(buf, (size_t)len);
		(void)vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, args);
	}
	buf->len += (size_t)len;
}

static void put_json_escape(struct buf *buf, unsigned char c)
{
	static const char *const shorts[32] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};

	if (c == '"' || c == '\\') {
		buf_putc(buf, '\\');
		buf_putc(buf, (char)c);
	} else if (shorts[c]) {
		buf_puts(buf, shorts[c]);
	} else {
		buf_printf(buf, "\\u%04x", c);
	}
}

void buf_put_json(struct buf *buf, struct str text)
{
	while (text.len) {
		size_t whole = str_utf8_prefix(text);
		size_t from = 0;

		for (size_t i = 0; i < whole; i++) {
			unsigned char c = (unsigned char)text.ptr[i];

			if (c >= 0x20 && c != '"' && c != '\\')
				continue;
			buf_put(buf, text.ptr + from, i - from);
			put_json_escape(buf, c);
			from = i + 1;
		}
		buf_put(buf, text.ptr + from, whole - from);
		if (whole < text.len)
			buf_puts(buf, "\\ufffd");
		text = str_skip(text, whole + 1);
	}
}

char *buf_reserve(struct buf *buf, size_t len)
{
	assert(len <= buf_space(buf));
	grow(buf, len);
	return buf->ptr + buf->len;
}

void buf_commit(struct buf *buf, size_t len)
{
	assert(buf->len + len < buf->size);
	buf->len += len;
	buf->ptr[buf->len] = '\0';
}

void buf_clear(struct buf *buf)
{
	buf_truncate(buf, 0);
	buf->over = false;
}

void buf_consume(struct buf *buf, size_t len)
{
	assert(len <= buf->len);
	if (len == 0)
		return;
	memmove(buf->ptr, buf->ptr + len, buf->len - len);
	buf->len -= len;
	buf->ptr[buf->len] = '\0';
}

void buf_truncate(struct buf *buf, size_t len)
{
	assert(len <= buf->len);
	buf->len = len;
	if (buf->ptr)
		buf->ptr[len] = '\0';
}

const char *buf_text(const struct buf *buf)
{
	return buf->ptr ? buf->ptr : "";
}

char *buf_take(struct buf *buf)
{
	char *text = buf->ptr ? buf->ptr : mem_strdup("");

	*buf = buf_make(buf->limit);
	return text;
}
