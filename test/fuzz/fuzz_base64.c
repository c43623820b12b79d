/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_base64.c - any bytes as base64: what is read prints and reads back to the same, and what is
 * not leaves the buffer alone; and as data: printed, they come back. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void check_round_trip(struct str bytes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf again = BUF_INIT(bytes.len);

	base64_print(&text, bytes.ptr, bytes.len);
	must(text.len == (bytes.len + 2) / 3 * 4);
	must(base64_parse(buf_str(&text), &again, NULL) == 0 && str_eq(buf_str(&again), bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = str_of((const char *)data, size);
	AUTO(buf_done) struct buf bytes = BUF_INIT(100);
	struct err err = {0};

	check_round_trip(input);
	if (base64_parse(input, &bytes, &err) == 0)
		check_round_trip(buf_str(&bytes));
	else
		must(err.text[0] && bytes.len == 0 && !buf_is_over(&bytes));
	return 0;
}
