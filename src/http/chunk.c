/* SPDX-License-Identifier: Apache-2.0 */
/* http/chunk.c - a chunk is one allocation that ends with its bytes, or a small header that owns a
 * buffer's memory; `ptr` distinguishes the two. */
#include "http/chunk.h"

#include <assert.h>

#include "base/mem.h"

#include "base/banned.h"

static char *chunk_tail(struct chunk *chunk)
{
	return (char *)(chunk + 1);
}

struct chunk *chunk_alloc(size_t len)
{
	struct chunk *chunk = mem_alloc(sizeof(*chunk) + len);

	chunk->ptr = chunk_tail(chunk);
	chunk->len = len;
	chunk->refs = 1;
	return chunk;
}

struct chunk *chunk_new(const void *data, size_t len)
{
	struct chunk *chunk = chunk_alloc(len);

	if (len)
		memcpy(chunk->ptr, data, len);
	return chunk;
}

struct chunk *chunk_take(struct buf *buf)
{
	struct chunk *chunk = mem_alloc(sizeof(*chunk));

	chunk->len = buf->len;
	chunk->ptr = buf_take(buf);
	chunk->refs = 1;
	return chunk;
}

void chunk_unref(struct chunk *chunk)
{
	if (!chunk)
		return;
	assert(chunk->refs > 0);
	if (--chunk->refs > 0)
		return;
	if (chunk->ptr != chunk_tail(chunk))
		mem_free(chunk->ptr);
	mem_free(chunk);
}
