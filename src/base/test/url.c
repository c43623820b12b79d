/* SPDX-License-Identifier: Apache-2.0 */
/* URLs and queries: tables of what Go's net/url makes of the same texts. */
#include "base/url.h"

#include "base/mem.h"
#include "tap.h"

#include "base/banned.h"

static void test_parse(void)
{
	static const struct {
		const char *text, *scheme, *host;
		int port;
		const char *path, *query, *user;
	} rows[] = {
		{"https://example.com", "https", "example.com", 443, "", NULL, NULL},
		{"HTTP://example.com/", "http", "example.com", 80, "/", NULL, NULL},
		{"https://10.0.0.1:6443/a/b?x=1#frag", "https", "10.0.0.1", 6443, "/a/b", "x=1",
		 NULL},
		{"https://[::1]:6443/", "https", "::1", 6443, "/", NULL, NULL},
		{"https://[fe80::1]", "https", "fe80::1", 443, "", NULL, NULL},
		{"http://me:secret@host:80/?", "http", "host", 80, "/", "", "me:secret"},
		{"http://host:/x", "http", "host", 80, "/x", NULL, NULL},
		{"http://host?q", "http", "host", 80, "", "q", NULL},
	};
	static const char *const bad[] = {
		"",
		"example.com",
		"ftp://example.com",
		"https://",
		"https:///path",
		"http://[::1",
		"http://[::1]x/",
		"http://::1:80/",
		"http://h:99999/",
		"http://h:0/",
		"http://h:1x/",
		"http://a b/",
		"http://host\x7f/",
	};
	struct url url;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool good = url_parse(str_from(rows[i].text), &url, &err) == 0;

		ok(good && str_is(url.scheme, rows[i].scheme) && str_is(url.host, rows[i].host) &&
			   url.port == rows[i].port && str_is(url.path, rows[i].path) &&
			   str_is(url.query, rows[i].query) &&
			   str_is_none(url.query) == !rows[i].query &&
			   str_is(url.user, rows[i].user),
		   "%s", rows[i].text);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ok(url_parse(str_from(bad[i]), &url, &err) < 0 && err.code == ERR_BAD_REQUEST,
		   "refuses \"%s\": %s", bad[i], err.text);
}

static void test_target(void)
{
	static const struct {
		const char *target, *path, *query;
	} rows[] = {
		{"/api/v1/pods?watch=1", "/api/v1/pods", "watch=1"},
		{"/", "/", NULL},
		{"/?", "/", ""},
		{"*", "*", NULL},
		{"http://host/x?y", "/x", "y"},
		{"http://host", "/", NULL},
		{"/a#b?c", "/a", NULL},
	};
	struct str path, query;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ok(url_split_target(str_from(rows[i].target), &path, &query, &err) == 0 &&
			   str_is(path, rows[i].path) && str_is(query, rows[i].query) &&
			   str_is_none(query) == !rows[i].query,
		   "target %s", rows[i].target);
	ok(url_split_target(STR(""), &path, &query, &err) < 0, "no target is none");
	ok(url_split_target(STR("/a b"), &path, &query, &err) < 0, "a blank is refused");
	ok(url_split_target(STR("a/b"), &path, &query, &err) < 0, "a relative path is refused");
}

static void test_decode(void)
{
	struct buf text = BUF_INIT(16);
	struct buf coded = BUF_UNBOUNDED;
	struct err err;
	char all[256];

	ok(url_decode_path(STR("/a%2Fb+c%20"), &text, &err) == 0 &&
		   str_is(buf_str(&text), "/a/b+c "),
	   "a path is decoded");
	buf_clear(&text);
	ok(url_decode_query(STR("a%2fb+c"), &text, &err) == 0 && str_is(buf_str(&text), "a/b c"),
	   "in a query + is a blank");
	ok(url_decode_path(STR("%"), &text, &err) < 0 &&
		   url_decode_path(STR("%4"), &text, &err) < 0 &&
		   url_decode_path(STR("%zz"), &text, &err) < 0 && str_is(buf_str(&text), "a/b c"),
	   "bad sequences are errors and change nothing");
	is(err.text, "invalid URL escape \"%zz\"");
	ok(url_decode_path(STR("0123456789abcdef"), &text, &err) < 0 && err.code == ERR_TOO_LARGE,
	   "the bound holds");
	ok(url_decode_path(STR(""), &text, &err) == 0, "nothing decodes to nothing");
	buf_done(&text);

	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	text = buf_make(1024);
	url_encode_path(str_of(all, 256), &coded);
	ok(url_decode_path(buf_str(&coded), &text, &err) == 0 &&
		   str_eq(buf_str(&text), str_of(all, 256)),
	   "what was encoded for a path reads back");
	buf_clear(&coded);
	buf_clear(&text);
	url_encode_query(str_of(all, 256), &coded);
	ok(url_decode_query(buf_str(&coded), &text, &err) == 0 &&
		   str_eq(buf_str(&text), str_of(all, 256)),
	   "what was encoded for a query reads back");
	buf_clear(&coded);
	url_encode_query(STR("a b/c=d&e~"), &coded);
	is(buf_text(&coded), "a+b%2Fc%3Dd%26e~");
	buf_clear(&coded);
	url_encode_path(STR("a b/c=d&e"), &coded);
	is(buf_text(&coded), "a%20b%2Fc=d&e");
	buf_done(&coded);
	buf_done(&text);
}

static void test_query(void)
{
	struct query query;

	query_init(&query, STR("a=1&b=%20x+y&a=2&&c&d=&e=%zz&f;g=1&=v"));
	ok(query.count == 6 && query.skipped == 2, "six pairs, two malformed");
	ok(str_is(query_get(&query, STR("a")), "1"), "the first value counts");
	ok(str_is(query_get(&query, STR("b")), " x y"), "values are decoded");
	ok(query_has(&query, STR("c")) && str_is(query_get(&query, STR("c")), ""), "a bare name");
	ok(query_has(&query, STR("d")) && !query_has(&query, STR("e")), "malformed pairs are out");
	ok(str_is(query_get(&query, STR("")), "v"), "an empty name is a name");
	ok(str_is_none(query_get(&query, STR("nope"))), "an absent name has no value");
	query_done(&query);
	query_init(&query, str_none());
	ok(query.count == 0 && str_is_none(query_get(&query, STR("a"))), "no query, no pairs");
	query_done(&query);
}

int main(void)
{
	test_parse();
	test_target();
	test_decode();
	test_query();
	return tap_done();
}
