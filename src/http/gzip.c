/* SPDX-License-Identifier: Apache-2.0 */
/* http/gzip.c - gzip of whole messages, by libdeflate.
 *
 * libdeflate writes the whole output at once and does not say how large it will be. So
 * decompression estimates the size and tries again with four times the space, up to the buffer's
 * limit. The first estimate is the length that the data claims (its last four bytes), limited by a
 * likely ratio: a short message with a false length causes no large allocation.
 *
 * 1. Data is appended only on success: if damaged data follows a member, that member is removed again.
 * 2. Never allocates more than the buffer's limit, whatever the data claims. */
#include "http/gzip.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#include "base/banned.h"

enum {
	MEMBER_MIN = 18,  /* ten bytes of header, eight of trailer */
	GUESS_MIN = 4096, /* bytes; below this a second attempt costs more than it saves */
	GUESS_RATIO = 32, /* largest ratio of the first estimate; lists of pods reach 16 */
	GUESS_GROWTH = 4,
};

struct gzip {
	struct libdeflate_compressor *compressor;
	struct libdeflate_decompressor *decompressor;
};

struct gzip *gzip_new(int level)
{
	struct gzip *gzip = mem_new(struct gzip);

	assert(level >= GZIP_LEVEL_FAST && level <= GZIP_LEVEL_MAX);
	gzip->compressor = libdeflate_alloc_compressor(level);
	gzip->decompressor = libdeflate_alloc_decompressor();
	if (!gzip->compressor || !gzip->decompressor)
		abort(); /* out of memory, as mem_alloc() does */
	return gzip;
}

void gzip_free(struct gzip *gzip)
{
	if (!gzip)
		return;
	libdeflate_free_compressor(gzip->compressor);
	libdeflate_free_decompressor(gzip->decompressor);
	mem_free(gzip);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

int gzip_compress(struct gzip *gzip, struct str data, struct buf *to, struct err *err)
{
	size_t bound = libdeflate_gzip_compress_bound(gzip->compressor, data.len);
	size_t slots = least(bound, buf_space(to));
	size_t len = 0;

	if (slots > 0)
		len = libdeflate_gzip_compress(gzip->compressor, data.len ? data.ptr : "", data.len,
					       buf_reserve(to, slots), slots);
	if (len == 0)
		return err_set(err, ERR_TOO_LARGE, "%zu bytes do not fit into %zu when compressed",
			       data.len, buf_space(to));
	buf_commit(to, len);
	return 0;
}

bool gzip_is_gzip(struct str data)
{
	return data.len >= 2 && (uint8_t)data.ptr[0] == 0x1f && (uint8_t)data.ptr[1] == 0x8b;
}

/* The length of the last member as its last four bytes give it, little-endian. */
static size_t claimed_len(struct str data)
{
	size_t len = 0;

	for (size_t i = 1; i <= 4; i++)
		len = len << 8 | (uint8_t)data.ptr[data.len - i];
	return len;
}

static size_t first_guess(struct str data)
{
	size_t likely = SIZE_MAX;

	if (data.len < (SIZE_MAX - GUESS_MIN) / GUESS_RATIO)
		likely = data.len * GUESS_RATIO + GUESS_MIN;
	/* One byte more, so that the buffer is not empty if the claimed length is 0. */
	return least(claimed_len(data) + 1, likely);
}

/* Decompresses the first member of `data` into `to` and removes it from `data`. */
static int read_member(struct gzip *gzip, struct str *data, struct buf *to, struct err *err)
{
	enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
	size_t used = 0, len = 0;
	size_t guess = first_guess(*data);
	char none[1] = {0};

	for (;;) {
		size_t slots = least(guess, buf_space(to));
		char *out = slots ? buf_reserve(to, slots) : none;

		result = libdeflate_gzip_decompress_ex(gzip->decompressor, data->ptr, data->len,
						       out, slots, &used, &len);
		if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (slots == buf_space(to))
			return err_set(err, ERR_TOO_LARGE,
				       "gzip data holds more than the %zu bytes that are allowed",
				       to->limit);
		guess = slots > SIZE_MAX / GUESS_GROWTH ? SIZE_MAX : slots * GUESS_GROWTH;
	}
	if (result != LIBDEFLATE_SUCCESS)
		return err_set(err, ERR_BAD_REQUEST, "gzip data is damaged or cut short");
	assert(used >= MEMBER_MIN && used <= data->len);
	if (len > 0)
		buf_commit(to, len);
	*data = str_skip(*data, used);
	return 0;
}

int gzip_decompress(struct gzip *gzip, struct str data, struct buf *to, struct err *err)
{
	const size_t before = to->len;
	const size_t total = data.len;

	do {
		int failed = 0;

		if (!gzip_is_gzip(data))
			failed = err_set(err, ERR_BAD_REQUEST, "this is not gzip data");
		else if (data.len < MEMBER_MIN)
			failed = err_set(err, ERR_BAD_REQUEST, "gzip data is cut short");
		else
			failed = read_member(gzip, &data, to, err);
		if (failed) {
			buf_truncate(to, before);
			return total == data.len ? -1
						 : err_wrap(err, "at byte %zu", total - data.len);
		}
	} while (data.len > 0);
	return 0;
}
