/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks and queues of pieces of them; a seeded random run against a plain buffer. */
#include "http/pieces.h"

#include "base/buf.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "random.h"
#include "tap.h"

#include "base/banned.h"

static uint64_t state = 42;

static size_t below(size_t bound)
{
	return (size_t)random_below(&state, bound);
}

static void test_chunks(void)
{
	struct buf text = BUF_UNBOUNDED;
	struct chunk *taken, *copied = chunk_new("abc", 3);

	buf_puts(&text, "taken over");
	taken = chunk_take(&text);
	ok(str_is(chunk_str(copied), "abc"), "copied");
	ok(str_is(chunk_str(taken), "taken over") && text.len == 0, "taken over");
	chunk_unref(chunk_ref(taken));
	ok(taken->refs == 1, "counted");
	chunk_unref(taken);
	chunk_unref(copied);
	chunk_unref(NULL);
}

static bool same(const struct pieces *pieces, const struct buf *model)
{
	size_t at = 0;

	if (pieces->bytes != model->len)
		return false;
	for (size_t i = 0; i < pieces->count; i++) {
		struct str piece = piece_str(pieces_at(pieces, i));

		if (piece.len > model->len - at ||
		    memcmp(piece.ptr, model->ptr + at, piece.len) != 0)
			return false;
		at += piece.len;
	}
	return at == model->len;
}

static void step(struct pieces *pieces, struct buf *model, struct pieces *other,
		 struct buf *other_model)
{
	struct chunk *chunk = chunk_alloc(below(5000) + 1);
	size_t from = below(chunk->len), len = below(chunk->len - from + 1);

	for (size_t i = 0; i < chunk->len; i++)
		chunk->ptr[i] = (char)below(256);
	switch (below(5)) {
	case 0:
		pieces_add(pieces, chunk, from, len);
		buf_put(model, chunk->ptr + from, len);
		break;
	case 1:
		pieces_copy(pieces, chunk->ptr, len);
		buf_put(model, chunk->ptr, len);
		break;
	case 2:
		memcpy(pieces_reserve(pieces, chunk->len), chunk->ptr, chunk->len);
		pieces_commit(pieces, len);
		buf_put(model, chunk->ptr, len);
		break;
	case 3:
		len = below(model->len + 1);
		pieces_consume(pieces, len);
		buf_consume(model, len);
		break;
	default:
		len = below(model->len + 1);
		pieces_move(pieces, other, len);
		buf_put(other_model, model->ptr, len);
		buf_consume(model, len);
		break;
	}
	chunk_unref(chunk);
}

int main(void)
{
	AUTO(pieces_done) struct pieces a = {0};
	AUTO(pieces_done) struct pieces b = {0};
	AUTO(buf_done) struct buf model_a = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf model_b = BUF_UNBOUNDED;
	bool good = true;

	test_chunks();
	for (int i = 0; i < 5000 && good; i++) {
		if (below(2))
			step(&a, &model_a, &b, &model_b);
		else
			step(&b, &model_b, &a, &model_a);
		good = same(&a, &model_a) && same(&b, &model_b);
	}
	ok(good, "5,000 random steps equal those on a buffer");
	pieces_consume(&a, a.bytes);
	ok(a.ring == NULL, "an empty queue holds no memory");
	return tap_done();
}
