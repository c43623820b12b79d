/* SPDX-License-Identifier: Apache-2.0 */
/* base/buf.h - a growing byte buffer whose limit is fixed when it is made.
 *
 *	AUTO(buf_done) struct buf body = BUF_INIT(LIMIT_BODY_BYTES);
 *	if (buf_add(&body, chunk, len, err) < 0)	ERR_TOO_LARGE, becomes 413
 *		return -1;
 *
 * There are two ways to write. buf_add() is for input from outside and fails at the limit. The
 * buf_put* family is for output of the program itself: a piece that does not fit is dropped as a
 * whole and the buffer is marked as over the limit; the writer checks buf_is_over() once at the
 * end. The bytes are always followed by a NUL that does not count. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct buf {
	char *ptr; /* NULL until something is in it; use buf_text() for a C string */
	size_t len;
	size_t size;
	size_t limit;
	bool over;
};

#define BUF_INIT(bound)          \
	{                        \
		.limit = (bound) \
	}
/* For output of the program itself; only a runaway program reaches the limit. */
#define BUF_UNBOUNDED BUF_INIT(SIZE_MAX / 4)

static inline struct buf buf_make(size_t limit)
{
	return (struct buf)BUF_INIT(limit);
}
void buf_done(struct buf *buf);
DEFINE_AUTO_IN_PLACE(struct buf, buf_done);

int buf_add(struct buf *buf, const void *data, size_t len, struct err *err) MUST_CHECK;

void buf_put(struct buf *buf, const void *data, size_t len);
void buf_puts(struct buf *buf, const char *text);
void buf_put_str(struct buf *buf, struct str text);
void buf_putc(struct buf *buf, char c);
void buf_put_int(struct buf *buf, int64_t value);
void buf_put_uint(struct buf *buf, uint64_t value);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF(2, 3);
void buf_vprintf(struct buf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/* Adds text as the inside of a JSON string, without the quotes. Bytes that are not UTF-8 become
 * U+FFFD. */
void buf_put_json(struct buf *buf, struct str text);

static inline bool buf_is_over(const struct buf *buf)
{
	return buf->over;
}

/* Gives space for `len` more bytes after the end, to write into directly; buf_commit() then adds
 * what was written. Aborts if the limit is exceeded: check buf_space() first. */
char *buf_reserve(struct buf *buf, size_t len);
void buf_commit(struct buf *buf, size_t len);
static inline size_t buf_space(const struct buf *buf)
{
	return buf->limit - buf->len;
}

/* Empty it, keeping its memory. */
void buf_clear(struct buf *buf);
/* Drop bytes at the front or keep only the first `len`. */
void buf_consume(struct buf *buf, size_t len);
void buf_truncate(struct buf *buf, size_t len);

static inline struct str buf_str(const struct buf *buf)
{
	return str_of(buf->ptr ? buf->ptr : "", buf->len);
}
/* The content as a C string, lent until the next change. Never NULL. */
const char *buf_text(const struct buf *buf);
/* Hand the content over as a C string for mem_free(); the buffer is empty again. Never NULL. */
char *buf_take(struct buf *buf) __attribute__((returns_nonnull));

#endif
