/* SPDX-License-Identifier: Apache-2.0 */
/* http/pieces.h - a queue of bytes that wait to be sent, as pieces of chunks.
 *
 * What is long is kept by reference, what is short is copied into room at the end of the queue. */
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
	bool own; /* made here: there may be unused room behind its end */
};

struct pieces {
	struct piece *ring; /* [head, head + count) */
	size_t head, count, size;
	size_t bytes; /* of all pieces */
};

/* Zeroed is empty. */
void pieces_done(struct pieces *pieces);
DEFINE_AUTO_IN_PLACE(struct pieces, pieces_done);

void pieces_copy(struct pieces *pieces, const void *data, size_t len);
void pieces_add(struct pieces *pieces, struct chunk *chunk, size_t from, size_t len);
/* Room for `len` bytes at the end, then pieces_commit() at most as many. */
char *pieces_reserve(struct pieces *pieces, size_t len) __attribute__((returns_nonnull));
void pieces_commit(struct pieces *pieces, size_t len);

/* The piece at `index`, 0 being the oldest. */
static inline const struct piece *pieces_at(const struct pieces *pieces, size_t index)
{
	return &pieces->ring[pieces->head + index];
}
struct str piece_str(const struct piece *piece);

/* The first `len` bytes are gone. */
void pieces_consume(struct pieces *pieces, size_t len);
/* Move the first `len` bytes to the end of `to`. */
void pieces_move(struct pieces *pieces, struct pieces *to, size_t len);

#endif
