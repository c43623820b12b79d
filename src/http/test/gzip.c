/* SPDX-License-Identifier: Apache-2.0 */
#include "http/gzip.h"

#include <stdint.h>

#include "base/mem.h"
#include "random.h"
#include "tap.h"

/* As the gzip command makes it: with a name and a time, and the empty file. */
static const unsigned char by_command[] = {
	0x1f, 0x8b, 0x08, 0x08, 0x00, 0x00, 0x00, 0x5a, 0x00, 0x03, 'h',  'e',  'l',
	'l',  'o',  0x00, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0x28, 0xcf, 0x2f, 0xca,
	0x49, 0xe1, 0x02, 0x00, 0x2d, 0x3b, 0x08, 0xaf, 0x0c, 0x00, 0x00, 0x00};
static const unsigned char by_command_empty[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00,
						 0x00, 0x00, 0x03, 0x03, 0x00, 0x00, 0x00,
						 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

static struct str view(const void *bytes, size_t len)
{
	return str_of(bytes, len);
}

/* Text that compresses as documents do (few symbols), or not at all (256). */
static void fill(struct buf *to, size_t len, unsigned symbols, uint64_t seed)
{
	for (size_t i = 0; i < len; i++)
		buf_putc(to, (char)random_below(&seed, symbols));
}

static void test_round_trip(struct gzip *gzip)
{
	static const size_t lens[] = {0, 1, 2, 17, 100, 4095, 4096, 4097, 100000, 500000};
	static const unsigned symbols[] = {1, 3, 256};

	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		for (size_t j = 0; j < ARRAY_LEN(symbols); j++) {
			AUTO(buf_done) struct buf data = BUF_UNBOUNDED;
			AUTO(buf_done) struct buf packed = BUF_UNBOUNDED;
			AUTO(buf_done) struct buf again = BUF_INIT(lens[i] + 3);
			struct err err = {0};

			fill(&data, lens[i], symbols[j], i);
			buf_puts(&packed, "abc");
			buf_puts(&again, "xyz");
			ok(gzip_compress(gzip, buf_str(&data), &packed, &err) == 0 &&
				   gzip_decompress(gzip, str_skip(buf_str(&packed), 3), &again,
						   &err) == 0 &&
				   again.len == lens[i] + 3 &&
				   str_starts(buf_str(&again), STR("xyz")) &&
				   str_eq(str_skip(buf_str(&again), 3), buf_str(&data)),
			   "%zu bytes of %u symbols come back after the previous content %s",
			   lens[i], symbols[j], err.text);
			ok(gzip_is_gzip(str_skip(buf_str(&packed), 3)), "and look like gzip");
		}
	}
}

static void test_bounds(struct gzip *gzip)
{
	static const size_t bounds[] = {0, 1, 99999, 50000};
	AUTO(buf_done) struct buf data = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf packed = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf small = BUF_INIT(30);
	struct err err = {0};

	fill(&data, 100000, 1, 1);
	ok(gzip_compress(gzip, buf_str(&data), &packed, &err) == 0 && packed.len < 1000,
	   "100,000 equal bytes are small");
	for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
		AUTO(buf_done) struct buf to = BUF_INIT(bounds[i] + 4);

		buf_puts(&to, "keep");
		ok(gzip_decompress(gzip, buf_str(&packed), &to, &err) < 0 &&
			   err.code == ERR_TOO_LARGE && str_is(buf_str(&to), "keep"),
		   "a bomb stops at %zu bytes: %s", bounds[i], err.text);
	}
	ok(gzip_compress(gzip, buf_str(&data), &small, &err) < 0 && err.code == ERR_TOO_LARGE &&
		   small.len == 0,
	   "compressed data is bounded as well: %s", err.text);
	buf_puts(&small, "123456789012345678901234567890");
	ok(gzip_compress(gzip, STR(""), &small, &err) < 0 && err.code == ERR_TOO_LARGE,
	   "also by a buffer that is full");
	buf_truncate(&small, 0);
	ok(gzip_compress(gzip, STR(""), &small, &err) == 0 && small.len > 0,
	   "the empty member fits into 30 bytes");
}

static void test_command(struct gzip *gzip)
{
	AUTO(buf_done) struct buf to = BUF_INIT(100);
	struct err err = {0};

	ok(gzip_decompress(gzip, view(by_command, sizeof(by_command)), &to, &err) == 0 &&
		   str_is(buf_str(&to), "hello world\n"),
	   "what the gzip command made is read %s", err.text);
	ok(gzip_decompress(gzip, view(by_command_empty, sizeof(by_command_empty)), &to, &err) ==
			   0 &&
		   to.len == 12,
	   "so is its empty file %s", err.text);
}

/* A buffer with the limit 0 accepts empty output only. */
static void test_nothing(struct gzip *gzip)
{
	AUTO(buf_done) struct buf to = BUF_INIT(0);
	struct err err = {0};

	ok(gzip_decompress(gzip, view(by_command_empty, sizeof(by_command_empty)), &to, &err) ==
			   0 &&
		   to.len == 0,
	   "an empty member fits into no bytes at all %s", err.text);
}

static void test_members(struct gzip *gzip)
{
	AUTO(buf_done) struct buf packed = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf to = BUF_INIT(13);
	AUTO(buf_done) struct buf tight = BUF_INIT(12);
	struct err err = {0};

	ok(gzip_compress(gzip, STR("hello "), &packed, &err) == 0 &&
		   gzip_compress(gzip, STR(""), &packed, &err) == 0 &&
		   gzip_compress(gzip, STR("members"), &packed, &err) == 0 &&
		   gzip_compress(gzip, STR(""), &packed, &err) == 0,
	   "four members, two of them empty");
	ok(gzip_decompress(gzip, buf_str(&packed), &to, &err) == 0 &&
		   str_is(buf_str(&to), "hello members"),
	   "read as one, up to the last byte of the bound %s", err.text);
	ok(gzip_decompress(gzip, buf_str(&packed), &tight, &err) < 0 && err.code == ERR_TOO_LARGE &&
		   tight.len == 0,
	   "the bound is on all together: %s", err.text);
	buf_puts(&packed, "garbage");
	buf_clear(&to);
	ok(gzip_decompress(gzip, buf_str(&packed), &to, &err) < 0 && err.code == ERR_BAD_REQUEST &&
		   to.len == 0,
	   "anything after them is an error: %s", err.text);
}

/* Every cut and every flipped bit is seen, or does no harm to what comes out. */
static void test_damage(struct gzip *gzip)
{
	struct err err = {0};
	size_t cuts = 0, silent = 0, harmless = 0;

	for (size_t len = 0; len < sizeof(by_command); len++) {
		AUTO(buf_done) struct buf to = BUF_INIT(100);

		cuts += gzip_decompress(gzip, view(by_command, len), &to, &err) < 0 &&
			err.code == ERR_BAD_REQUEST && to.len == 0;
	}
	ok(cuts == sizeof(by_command), "%zu cuts are seen: %s", cuts, err.text);
	for (size_t bit = 0; bit < 8 * sizeof(by_command); bit++) {
		AUTO(buf_done) struct buf to = BUF_INIT(100);
		unsigned char copy[sizeof(by_command)];

		memcpy(copy, by_command, sizeof(copy));
		copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
		if (gzip_decompress(gzip, view(copy, sizeof(copy)), &to, &err) < 0)
			continue;
		if (str_is(buf_str(&to), "hello world\n"))
			harmless++;
		else
			silent++;
	}
	ok(silent == 0, "no flipped bit changes the content (%zu of them are in the header)",
	   harmless);
	ok(gzip_decompress(gzip, STR("no gzip at all, this is"), &(struct buf)BUF_INIT(10), &err) <
			   0 &&
		   strcmp(err.text, "this is not gzip data") == 0,
	   "%s", err.text);
}

int main(void)
{
	AUTO(gzip_free) struct gzip *gzip = gzip_new(GZIP_LEVEL_FAST);
	AUTO(gzip_free) struct gzip *best = gzip_new(GZIP_LEVEL_MAX);

	test_round_trip(gzip);
	test_round_trip(best);
	test_bounds(gzip);
	test_command(gzip);
	test_nothing(gzip);
	test_members(gzip);
	test_damage(gzip);
	gzip_free(NULL);
	ok(true, "freeing nothing is fine");
	return tap_done();
}
