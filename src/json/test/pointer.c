/* SPDX-License-Identifier: Apache-2.0 */
/* JSON pointers: the examples of RFC 6901, and what is refused. */
#include "json/pointer.h"

#include "base/limits.h"
#include "base/mem.h"
#include "tap.h"

#include "base/banned.h"

static const char document[] = "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
			       "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,"
			       "\"deep\":[{\"x\":[[9]]}]}";

static const struct {
	const char *pointer;
	const char *value; /* "" for absent */
} rows[] = {
	{"/foo", "[\"bar\",\"baz\"]"},
	{"/foo/0", "\"bar\""},
	{"/foo/1", "\"baz\""},
	{"/", "0"},
	{"/a~1b", "1"},
	{"/c%d", "2"},
	{"/e^f", "3"},
	{"/g|h", "4"},
	{"/i\\j", "5"},
	{"/k\"l", "6"},
	{"/ ", "7"},
	{"/m~0n", "8"},
	{"/deep/0/x/0/0", "9"},
	{"/foo/2", ""},
	{"/foo/-", ""},
	{"/foo/01", ""},
	{"/foo/-1", ""},
	{"/foo/+1", ""},
	{"/foo/99999999999999999999", ""},
	{"/foo/", ""},
	{"/foo/0/x", ""},
	{"/none", ""},
	{"foo", ""},
	{"/m~n", ""},
	{"/m~", ""},
};

int main(void)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(document), NULL, &err);
	struct json root = json_doc_root(doc);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json value = json_pointer_get(root, str_from(rows[i].pointer));
		AUTO(mem_free) char *text = json_text(value, JSON_COMPACT);
		is(text, rows[i].value);

		AUTO(json_pointer_done) struct json_pointer pointer = {0};
		AUTO(buf_done) struct buf again = BUF_UNBOUNDED;
		if (json_pointer_parse(str_from(rows[i].pointer), JSON_POINTER_STRICT, &pointer,
				       &err) < 0)
			continue;
		json_pointer_print(&pointer, &again);
		is(buf_text(&again), rows[i].pointer);
	}
	ok(json_eq(json_pointer_get(root, STR("")), root), "the empty pointer is the document");

	AUTO(json_pointer_done) struct json_pointer pointer = {0};
	ok(json_pointer_parse(STR("x"), JSON_POINTER_STRICT, &pointer, &err) < 0, "no slash");
	is(err.text, "JSON pointer \"x\" does not start with /");
	ok(json_pointer_parse(STR("/~2"), JSON_POINTER_STRICT, &pointer, &err) < 0, "bad escape");
	is(err.text, "JSON pointer \"/~2\" has a bad escape");
	ok(json_pointer_parse(STR("/a~b~01~"), JSON_POINTER_LAX, &pointer, &err) == 0, "lax");
	ok(pointer.len == 1 && str_is(pointer.tokens[0], "a~b~1~"), "keeps a bad escape");

	AUTO(buf_done) struct buf deep = BUF_UNBOUNDED;
	for (int i = 0; i <= LIMIT_JSON_DEPTH; i++)
		buf_puts(&deep, "/0");
	AUTO(json_pointer_done) struct json_pointer none = {0};
	ok(json_pointer_parse(buf_str(&deep), JSON_POINTER_LAX, &none, &err) < 0, "too deep");
	return tap_done();
}
