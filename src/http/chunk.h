/* SPDX-License-Identifier: Apache-2.0 */
/* http/chunk.h - immutable bytes with a count of owners, so that one serialised watch event waits
 *in the queues of a thousand watchers without being copied.
 *
 *	AUTO(chunk_unref) struct chunk *event = chunk_take(&text);
 *	for each watcher: http_reply_write_chunk(watcher->request, event);
 *
 * The bytes do not change after a second owner has a reference. The count is not atomic: one thread
 * only. */
#ifndef HTTP_CHUNK_H
#define HTTP_CHUNK_H

#include <stddef.h>

#include "base/buf.h"
#include "base/macro.h"
#include "base/str.h"

struct chunk {
	char *ptr; /* at the end of the struct, or memory taken from a buffer */
	size_t len;
	size_t refs;
};

/* Each returns one reference. chunk_new() copies; chunk_alloc() leaves `len` bytes unset, which its
 * only owner fills in; chunk_take() takes the buffer's memory and leaves the buffer empty. */
struct chunk *chunk_new(const void *data, size_t len) __attribute__((returns_nonnull));
struct chunk *chunk_alloc(size_t len) __attribute__((returns_nonnull));
struct chunk *chunk_take(struct buf *buf) __attribute__((returns_nonnull));

/* One more owner; gives `chunk` back. */
static inline struct chunk *chunk_ref(struct chunk *chunk)
{
	chunk->refs++;
	return chunk;
}
/* One owner less; the last one frees. Takes NULL. */
void chunk_unref(struct chunk *chunk);
DEFINE_AUTO(struct chunk *, chunk_unref);

static inline struct str chunk_str(const struct chunk *chunk)
{
	return str_of(chunk->ptr, chunk->len);
}

#endif
