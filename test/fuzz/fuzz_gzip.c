/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_gzip.c - any bytes: read within the bound or refused, leaving the buffer as it was; and as
 * data: compressed, they come back. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "http/gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(gzip_free) struct gzip *gzip = gzip_new(GZIP_LEVEL_FAST);
	AUTO(buf_done) struct buf plain = BUF_INIT(100000);
	AUTO(buf_done) struct buf packed = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf again = BUF_INIT(size);
	struct str input = str_of((const char *)data, size);
	struct err err = {0};

	buf_puts(&plain, "keep");
	if (gzip_decompress(gzip, input, &plain, &err) < 0)
		must(err.text[0] && str_is(buf_str(&plain), "keep"));
	else
		must(plain.len <= 100000 && str_starts(buf_str(&plain), STR("keep")));
	if (gzip_compress(gzip, input, &packed, &err) < 0 ||
	    gzip_decompress(gzip, buf_str(&packed), &again, &err) < 0)
		must(false);
	must(str_eq(buf_str(&again), input));
	return 0;
}
