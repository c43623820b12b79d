/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/mem.h"
#include "tap.h"

int main(void)
{
	AUTO(buf_done) struct buf small = BUF_INIT(8);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free) char *taken = NULL;
	struct err err;

	is(buf_text(&small), "");
	ok(buf_str(&small).len == 0, "an empty buffer");
	ok(buf_add(&small, "12345678", 8, &err) == 0, "full to the bound");
	ok(buf_add(&small, "9", 1, &err) < 0 && err.code == ERR_TOO_LARGE, "past it is an error");
	is(err.text, "more than 8 bytes");
	is(buf_text(&small), "12345678");
	buf_puts(&small, "x");
	ok(buf_is_over(&small), "printing past it marks the buffer");
	buf_clear(&small);
	ok(!buf_is_over(&small) && small.len == 0, "clearing it resets it");
	buf_printf(&small, "%d", 123456789);
	ok(buf_is_over(&small) && small.len == 0, "what does not fit whole is not printed");

	buf_clear(&small);
	buf_put_int(&small, -12345678);
	ok(buf_is_over(&small) && small.len == 0, "nor the sign of a number");
	buf_clear(&small);
	buf_puts(&small, "1234");
	buf_printf(&small, "%s", "56789");
	ok(buf_is_over(&small), "printf past the bound marks the buffer ...");
	is(buf_text(&small), "1234"); /* and leaves what was there */

	buf_put_int(&text, INT64_MIN);
	buf_putc(&text, ' ');
	buf_put_uint(&text, UINT64_MAX);
	buf_putc(&text, ' ');
	buf_put_str(&text, STR("view"));
	buf_printf(&text, " %s", "printf");
	is(buf_text(&text), "-9223372036854775808 18446744073709551615 view printf");
	buf_consume(&text, 21);
	buf_consume(&text, 0);
	buf_truncate(&text, 20);
	is(buf_text(&text), "18446744073709551615");
	buf_clear(&text);
	memcpy(buf_reserve(&text, 3), "abc", 3);
	buf_commit(&text, 3);
	is(buf_text(&text), "abc");
	buf_clear(&text);
	buf_put_json(&text, STR("q\" b\\ \b\t\n\f\r \x01 \xc3\xa9 \xff \xe2\x82"));
	is(buf_text(&text), "q\\\" b\\\\ \\b\\t\\n\\f\\r \\u0001 \xc3\xa9 \\ufffd \\ufffd\\ufffd");
	buf_clear(&text);
	for (int i = 0; i < 100; i++) /* within the allocated space, and past it */
		buf_printf(&text, "%0*d,", i, 7);
	ok(text.len == 1 + 99 * 100 / 2 + 100 && buf_text(&text)[text.len - 1] == ',' &&
		   strlen(buf_text(&text)) == text.len,
	   "texts of all lengths are printed whole");
	taken = buf_take(&text);
	ok(taken && text.len == 0 && text.ptr == NULL, "taking it leaves it empty");
	mem_free(taken);
	taken = buf_take(&text);
	is(taken, "");
	return tap_done();
}
