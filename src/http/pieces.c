/* SPDX-License-Identifier: Apache-2.0 */
/* http/pieces.c - an array used as a queue: its front moves up, and it is moved down when more than
 * half of it is unused.
 *
 * 1. `bytes` is the sum of the lengths; no piece is empty, except the last one after a reserve.
 * 2. An empty queue holds no memory. */
#include "http/pieces.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "http/chunk.h"

#include "base/banned.h"

enum {
	SMALL_PIECE = 2048, /* the first own piece of a queue; later ones are large */
	LARGE_PIECE = 16 * 1024 - 64,
	COPY_BELOW = 1024, /* shorter pieces of chunks are copied */
};

void pieces_done(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		chunk_unref(pieces->ring[pieces->head + i].chunk);
	mem_free(pieces->ring);
	*pieces = (struct pieces){0};
}

static struct piece *add(struct pieces *pieces)
{
	if (pieces->head + pieces->count == pieces->size) {
		if (pieces->ring && pieces->head > pieces->size / 2) {
			memmove(pieces->ring, pieces->ring + pieces->head,
				pieces->count * sizeof(*pieces->ring));
			pieces->head = 0;
		} else {
			pieces->size = pieces->size ? pieces->size * 2 : 4;
			pieces->ring =
				mem_realloc(pieces->ring, pieces->size, sizeof(*pieces->ring));
		}
	}
	return &pieces->ring[pieces->head + pieces->count++];
}

char *pieces_reserve(struct pieces *pieces, size_t len)
{
	struct piece *last = pieces->count ? &pieces->ring[pieces->head + pieces->count - 1] : NULL;
	size_t size = pieces->count ? LARGE_PIECE : SMALL_PIECE;

	if (!last || !last->own || last->chunk->len - last->from - last->len < len) {
		last = add(pieces);
		last->chunk = chunk_alloc(len > size ? len : size);
		last->from = last->len = 0;
		last->own = true;
	}
	return last->chunk->ptr + last->from + last->len;
}

void pieces_commit(struct pieces *pieces, size_t len)
{
	struct piece *last = &pieces->ring[pieces->head + pieces->count - 1];

	assert(pieces->count && last->own && last->from + last->len + len <= last->chunk->len);
	last->len += len;
	pieces->bytes += len;
	if (last->len == 0) {
		chunk_unref(last->chunk);
		pieces->count--;
	}
	if (pieces->count == 0)
		pieces_done(pieces);
}

void pieces_copy(struct pieces *pieces, const void *data, size_t len)
{
	if (len == 0)
		return;
	memcpy(pieces_reserve(pieces, len), data, len);
	pieces_commit(pieces, len);
}

void pieces_add(struct pieces *pieces, struct chunk *chunk, size_t from, size_t len)
{
	struct piece *last;

	assert(from <= chunk->len && len <= chunk->len - from);
	if (len < COPY_BELOW) {
		pieces_copy(pieces, chunk->ptr + from, len);
		return;
	}
	last = add(pieces);
	last->chunk = chunk_ref(chunk);
	last->from = from;
	last->len = len;
	last->own = false;
	pieces->bytes += len;
}

struct str piece_str(const struct piece *piece)
{
	return str_of(piece->chunk->ptr + piece->from, piece->len);
}

void pieces_consume(struct pieces *pieces, size_t len)
{
	assert(len <= pieces->bytes);
	pieces->bytes -= len;
	while (len) {
		struct piece *first = &pieces->ring[pieces->head];
		size_t part = len < first->len ? len : first->len;

		first->from += part;
		first->len -= part;
		len -= part;
		if (first->len)
			return;
		chunk_unref(first->chunk);
		pieces->head++;
		pieces->count--;
	}
	if (pieces->count == 0)
		pieces_done(pieces);
}

void pieces_move(struct pieces *pieces, struct pieces *to, size_t len)
{
	while (len) {
		const struct piece *first = pieces_at(pieces, 0);
		size_t part = len < first->len ? len : first->len;

		pieces_add(to, first->chunk, first->from, part);
		pieces_consume(pieces, part);
		len -= part;
	}
}
