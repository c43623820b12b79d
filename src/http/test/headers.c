/* SPDX-License-Identifier: Apache-2.0 */
/* Header fields: case, order, bounds, and nothing that breaks a line. */
#include "http/headers.h"

#include "base/limits.h"
#include "base/mem.h"
#include "tap.h"

#include "base/banned.h"

static void test_use(void)
{
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	AUTO(headers_done) struct headers copy = HEADERS_INIT;
	struct err err;

	ok(headers_count(&headers) == 0 && str_is_none(headers_get(&headers, STR("x"))), "empty");
	ok(headers_add(&headers, STR("Content-Type"), STR(" text/plain\t"), &err) == 0, "add");
	ok(headers_add(&headers, STR("Accept"), STR("a, b"), &err) == 0, "add another");
	ok(headers_add(&headers, STR("ACCEPT"), STR("c,d"), &err) == 0, "and the same again");
	ok(str_is(headers_name(&headers, 0), "content-type"), "names are in lower case");
	ok(str_is(headers_get(&headers, STR("CONTENT-type")), "text/plain"),
	   "values are trimmed, names compare without case");
	ok(str_is(headers_get(&headers, STR("accept")), "a, b"), "the first one counts");
	ok(headers_lists(&headers, STR("accept"), STR("B")) &&
		   headers_lists(&headers, STR("accept"), STR("d")) &&
		   !headers_lists(&headers, STR("accept"), STR("e")),
	   "items of all fields of a name");
	ok(headers_copy(&copy, &headers, &err) == 0 && headers_count(&copy) == 3 &&
		   headers_bytes(&copy) == headers_bytes(&headers),
	   "a copy");
	ok(headers_set(&headers, STR("accept"), STR("z"), &err) == 0 &&
		   headers_count(&headers) == 2 &&
		   str_is(headers_get(&headers, STR("accept")), "z"),
	   "set replaces all of that name");
	ok(headers_set(&headers, STR("new"), STR(""), &err) == 0 &&
		   headers_has(&headers, STR("new")),
	   "set adds, and an empty value is a value");
	headers_remove(&headers, STR("Accept"));
	ok(!headers_has(&headers, STR("accept")) && headers_count(&headers) == 2, "remove");
	headers_printf(&headers, STR("retry-after"), "%d", 3);
	ok(str_is(headers_get(&headers, STR("retry-after")), "3"), "printed");
	headers_clear(&headers);
	ok(headers_count(&headers) == 0 && !headers_has(&headers, STR("new")), "cleared");
	headers_remove(&copy, STR("accept"));
	headers_remove(&copy, STR("content-type"));
	ok(headers_bytes(&copy) == 0, "removing all leaves nothing");
}

static void test_refused(void)
{
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	struct err err;

	ok(headers_add(&headers, STR(""), STR("v"), &err) < 0 && err.code == ERR_BAD_REQUEST,
	   "no name");
	ok(headers_add(&headers, STR("a b"), STR("v"), &err) < 0, "a blank in a name");
	ok(headers_add(&headers, STR("a:"), STR("v"), &err) < 0, "a colon in a name");
	ok(headers_add(&headers, STR("a\n"), STR("v"), &err) < 0, "a line break in a name");
	ok(headers_add(&headers, STR("a"), STR("v\r\nx: y"), &err) < 0, "a line break in a value");
	ok(headers_add(&headers, STR("a"), STR("v\0w"), &err) < 0, "NUL in a value");
	ok(headers_add(&headers, STR("a"), STR("v\tw"), &err) == 0, "a tab is fine");
	ok(headers_set(&headers, STR("a"), STR("\n\n"), &err) < 0 &&
		   str_is(headers_get(&headers, STR("a")), "v\tw"),
	   "a failing set changes nothing");
	ok(headers_name_is_valid(STR("X-!#$%&'*+-.^_`|~09az")) && !headers_name_is_valid(STR("(")),
	   "what a token is");
	ok(headers_value_is_valid(STR("caf\xc3\xa9")) && !headers_value_is_valid(STR("\x7f")),
	   "what a value is");
}

static void test_bounds(void)
{
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	AUTO(mem_free) char *big = mem_zalloc(LIMIT_HEADER_BYTES + 1);
	struct err err;
	int rc = 0;

	memset(big, 'x', LIMIT_HEADER_BYTES);
	for (int i = 0; i < LIMIT_HEADER_COUNT && rc == 0; i++)
		rc = headers_add(&headers, STR("name"), STR("value"), &err);
	ok(rc == 0, "%d fields fit", LIMIT_HEADER_COUNT);
	ok(headers_add(&headers, STR("name"), STR("value"), &err) < 0 && err.code == ERR_TOO_LARGE,
	   "one more does not");
	headers_clear(&headers);
	ok(headers_add(&headers, STR("n"), str_of(big, LIMIT_HEADER_BYTES - 1), &err) == 0,
	   "as many bytes as allowed");
	ok(headers_add(&headers, STR("n"), STR(""), &err) < 0 && err.code == ERR_TOO_LARGE,
	   "not one more");
	ok(headers_add(&headers, str_of(big, LIMIT_HEADER_BYTES + 1), STR(""), &err) < 0,
	   "nor a giant name");
}

int main(void)
{
	test_use();
	test_refused();
	test_bounds();
	return tap_done();
}
