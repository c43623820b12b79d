/* SPDX-License-Identifier: Apache-2.0 */
/* http/pieces.h - a queue of bytes that wait to be sent, as pieces of chunks.
 *
 * Long data is kept by reference, short data is copied into free space at the end of the queue. */
#ifndef HTTP_PIECES_H
#define HTTP_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"
#include "base/str.h"

struct chunk;

struct piece {
	struct chunk *chunk;
	size_t from;
	size_t len;
	bool own; /* allocated here: it may have unused space at its end */
};

struct pieces {
	struct piece *ring; /* [head, head + count) */
	size_t head, count, size;
	size_t bytes; /* of all pieces */
};

/* A zeroed struct is empty. */
void pieces_done(struct pieces *pieces);
DEFINE_AUTO_IN_PLACE(struct pieces, pieces_done);

void pieces_copy(struct pieces *pieces, const void *data, size_t len);
void pieces_add(struct pieces *pieces, struct chunk *chunk, size_t from, size_t len);
/* Reserves `len` bytes at the end; then call pieces_commit() with at most as many. */
char *pieces_reserve(struct pieces *pieces, size_t len) __attribute__((returns_nonnull));
void pieces_commit(struct pieces *pieces, size_t len);

/* The piece at `index`, 0 being the oldest. */
static inline const struct piece *pieces_at(const struct pieces *pieces, size_t index)
{
	return &pieces->ring[pieces->head + index];
}
struct str piece_str(const struct piece *piece);

/* Removes the first `len` bytes, which were sent. */
void pieces_consume(struct pieces *pieces, size_t len);
/* Move the first `len` bytes to the end of `to`. */
void pieces_move(struct pieces *pieces, struct pieces *to, size_t len);

#endif
