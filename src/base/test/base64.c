/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include "base/hash.h"
#include "tap.h"

static const struct {
	const char *plain;
	const char *encoded;
} rows[] = {
	{"", ""},
	{"f", "Zg=="},
	{"fo", "Zm8="},
	{"foo", "Zm9v"},
	{"foob", "Zm9vYg=="},
	{"fooba", "Zm9vYmE="},
	{"foobar", "Zm9vYmFy"},
};

static const char *const bad[] = {
	"Zg=", "Zg", "Z", "=", "Zg==Zg==", "Zm9v!", "Z===", "Zg=x", "Zm 9v"};

int main(void)
{
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf small = BUF_INIT(2);
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		buf_clear(&out);
		base64_print(&out, rows[i].plain, strlen(rows[i].plain));
		is(buf_text(&out), rows[i].encoded);
		buf_clear(&out);
		ok(base64_parse(str_from(rows[i].encoded), &out, &err) == 0, "decodes");
		is(buf_text(&out), rows[i].plain);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		buf_clear(&out);
		buf_puts(&out, "kept");
		ok(base64_parse(str_from(bad[i]), &out, &err) < 0, "\"%s\" is refused", bad[i]);
		is(buf_text(&out), "kept");
	}
	buf_clear(&out);
	ok(base64_parse(STR("Zm9vZg"), &out, &err) < 0, "cut off");
	is(err.text, "illegal base64 data at input byte 4");
	ok(base64_parse(STR("Zm9vZg="), &out, &err) < 0, "padding cut off");
	is(err.text, "illegal base64 data at input byte 7");
	ok(base64_parse(STR("Zm\r\n9v\n"), &out, &err) == 0, "line breaks are skipped");
	is(buf_text(&out), "foo");
	ok(base64_parse(STR("Zm9v"), &small, &err) < 0 && err.code == ERR_TOO_LARGE, "bounded");

	ok(!buf_is_over(&small), "and the buffer is not marked");
	ok(base64_parse(STR("Zm9vZm9v!"), &small, &err) < 0 && err.code == ERR_BAD_REQUEST &&
		   !buf_is_over(&small),
	   "nor by what is both too long and wrong");
	buf_puts(&small, "long");
	ok(base64_parse(STR("Zg=="), &small, &err) == 0 && buf_is_over(&small),
	   "a mark that was there stays");
	is(buf_text(&small), "f");

	ok(hash_fnv1_32(STR("foobar")) == 0x31f0b262, "FNV-1");
	ok(hash_fnv1a_32(STR("foobar")) == 0xbf9cf968, "FNV-1a");
	ok(hash_fnv1a_64(STR("foobar")) == 0x85944171f73967e8, "FNV-1a, 64 bit");
	ok(hash_str(STR("a"), 1) != hash_str(STR("a"), 2), "the seed counts");
	ok(hash_checksum("", 0) == 0x2d06800538d394c2, "XXH3, 64 bit, as in files");
	return tap_done();
}
