/* SPDX-License-Identifier: Apache-2.0 */
/* YAML in: what kubectl makes of scalars is replayed by test/conformance; here are the reader's own rules,
 * its bounds and its errors. */
#include "json/yaml.h"

#include "base/limits.h"
#include "base/mem.h"
#include "tap.h"

struct notes {
	struct buf text;
};

static void note(void *arg, struct str text)
{
	struct notes *notes = arg;

	buf_put_str(&notes->text, text);
	buf_putc(&notes->text, '|');
}

/* All documents as JSON, one after the other, or "error: ..." */
static char *read_all(struct str text, const struct yaml_options *options)
{
	AUTO(yaml_reader_free) struct yaml_reader *reader = yaml_reader_new(text, options);
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;

	for (;;) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		struct err err = {0};

		if (yaml_reader_next(reader, &doc, &err) < 0) {
			buf_printf(&out, "error: %s", err.text);
			break;
		}
		if (!doc)
			break;
		json_print(json_doc_root(doc), JSON_CANONICAL, &out);
	}
	return buf_take(&out);
}

static void check(const char *text, size_t len, const char *want)
{
	AUTO(mem_free) char *got = read_all(str_of(text, len), NULL);

	is(got, want);
}

struct row {
	const char *text;
	const char *want;
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(rows[i].text, strlen(rows[i].text), rows[i].want);
}

static void test_documents(void)
{
	static const struct row rows[] = {
		{"", ""},
		{"\n# nothing\n", ""},
		{"---\n---\n...\n", ""},
		{"null\n---\n~\n--- !!null\n", ""},
		{"a: 1", "{\"a\":1}"},
		{"a: 1\n---\nb: 2\n---\n- c\n", "{\"a\":1}{\"b\":2}[\"c\"]"},
		{"--- a\n--- [b]\n--- |\n x\n", "\"a\"[\"b\"]\"x\\n\""},
		{"a: 1\n...\n---\nb: 2\n", "{\"a\":1}{\"b\":2}"},
		{"5", "5"},
		{"{}", "{}"},
		{"{}{}\n{} [1]", "{}{}{}[1]"},
		{" \t\r\n{\"a\": \"}{\\\"\"}{}", "{\"a\":\"}{\\\"\"}{}"},
		{"{}\n---\n{}\n---\na: b\n", "{}{}{\"a\":\"b\"}"},
		{"{}{} 1", "{}{}error: line 1, column 6: document 3: expected an object or an "
			   "array"},
		{"{a: 1}", "{\"a\":1}"},
		{"{\"a\": 1,}", "{\"a\":1}"},
		{"{\"a\":1,\"a\":2}", "{\"a\":2}"},
		{"{}\na: b\n", "{}{\"a\":\"b\"}"},
		{"[1, {a: b}]", "[1,{\"a\":\"b\"}]"},
		{"%YAML 1.1\n---\na: 1\n", "{\"a\":1}"},
		{"a: 1\r\nb:\r\n- x\r\n", "{\"a\":1,\"b\":[\"x\"]}"},
		{"\xef\xbb\xbf{a: 1}", "{\"a\":1}"},
		{"a: \"\\0x\"", "{\"a\":\"\\u0000x\"}"},
	};

	check_rows(rows, ARRAY_LEN(rows));
	check("\xff\xfe"
	      "a\0:\0 \0\x3d\xd8\x00\xde\n\0",
	      14, "{\"a\":\"\xf0\x9f\x98\x80\"}");
	check("\xfe\xff\0a\0:\0 \0b", 10, "{\"a\":\"b\"}");
	check(NULL, 0, "");
}

static void test_nodes(void)
{
	static const struct row rows[] = {
		{"[y, No, on, 0x1F, 010, 0o10, 1_0, 1e2, 1.5, ~, 2001-01-01, '1', !!str 1]",
		 "[true,false,true,31,8,8,10,100,1.5,null,\"2001-01-01\",\"1\",\"1\"]"},
		{"{1: a, 1.5: b, yes: c, 2001-01-01: d}",
		 "{\"1\":\"a\",\"1.5\":\"b\",\"2001-01-01\":\"d\",\"true\":\"c\"}"},
		{"- &a 010\n- *a\n- {*a : *a}\n", "[8,8,{\"8\":8}]"},
		{"- &a 1e7\n- {*a : x}\n", "[10000000,{\"1e+07\":\"x\"}]"},
		{"a: &x [1, &y {b: 2}]\nc: *x\nd: *y\n",
		 "{\"a\":[1,{\"b\":2}],\"c\":[1,{\"b\":2}],\"d\":{\"b\":2}}"},
		{"- &a 1\n- &a 2\n- *a\n", "[1,2,2]"},
		{"<<: {a: 1, b: 1}\na: 2\n", "{\"a\":2,\"b\":1}"},
		{"a: 2\n<<: {a: 1, b: 1}\n", "{\"a\":1,\"b\":1}"},
		{"<<: [{a: 1}, {a: 2, b: 2}]\n", "{\"a\":1,\"b\":2}"},
		{"x: &x {a: {b: 1}}\nz:\n  <<: *x\n  c: 2\n",
		 "{\"x\":{\"a\":{\"b\":1}},\"z\":{\"a\":{\"b\":1},\"c\":2}}"},
		{"- <<\n- '<<'\n- {'<<': 1}\n- {!!merge <<: {a: 1}}\n",
		 "[\"\\u003c\\u003c\",\"\\u003c\\u003c\",{\"\\u003c\\u003c\":1},{\"a\":1}]"},
		{"- !!binary aGk=\n- !!binary \"/w==\"\n- !!binary \"4oKs4oI=\"\n",
		 "[\"hi\",\"\xef\xbf\xbd\",\"\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\"]"},
		{"- !x 1\n- !!foo 1\n- !!averyverylongtagindeed 1\n- !!merge x\n",
		 "[\"1\",\"1\",\"1\",\"x\"]"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void test_errors(void)
{
	static const struct row rows[] = {
		{"a: 1\nb: 2\na: 3\n", "error: line 3, column 1: key \"a\" already set in map, "
				       "first at line 1, column 1"},
		{"- x\n- {a: 1, \"a\": 2}\n",
		 "error: line 2, column 10: key \"a\" already set in map, first at line 2, column "
		 "4"},
		{"1: a\n0x1: b\n",
		 "error: line 2, column 1: key \"1\" already set in map, first at line 1, column "
		 "1"},
		{"a: 1\n<<: {a: 2}\na: 3\n",
		 "error: line 3, column 1: key \"a\" already set in map, first at line 1, column "
		 "1"},
		{"ok: 1\n---\nx:\n\ty: 1\n",
		 "{\"ok\":1}error: line 4, column 1: found a tab character that violates "
		 "indentation, expected spaces while scanning for the next token at line 4, "
		 "column 1: found \"\\ty: 1\""},
		{"a: b: c\n", "error: line 1, column 5: mapping values are not allowed in this "
			      "context: found \": c\""},
		{"{} \n\xc3\xa9: b: c\n", "{}error: line 2, column 5: mapping values are not "
					  "allowed in this context: found \": c\""},
		{"{} a: b: c\n", "{}error: line 1, column 8: mapping values are not allowed in "
				 "this context: found \": c\""},
		{"a: \"x", "error: line 1, column 6: found unexpected end of stream while scanning "
			   "a quoted scalar at line 1, column 4"},
		{"a: \xff", "error: line 1, column 4: found the character or byte 0xff: invalid "
			    "leading UTF-8 octet, expected printable UTF-8 text"},
		{"a: \xc3", "error: line 1, column 4: incomplete UTF-8 octet sequence"},
		{"a: \x01", "error: line 1, column 4: found the character or byte 0x01: control "
			    "characters are not allowed, expected printable UTF-8 text"},
		{"a: .inf", "error: line 1, column 4: found the number .inf, expected one that "
			    "JSON can hold"},
		{"[.nan]", "error: line 1, column 2: found the number .nan, expected one that JSON "
			   "can hold"},
		{"~: 1", "error: line 1, column 1: found null as a key in a map, expected a "
			 "string"},
		{"18446744073709551615: 1",
		 "error: line 1, column 1: found the key 18446744073709551615 in a map, expected a "
		 "string or a number within 64 bits"},
		{"[a]: 1", "error: line 1, column 1: found a sequence as a key in a map, expected "
			   "a scalar"},
		{"? {}\n: 1", "error: line 1, column 3: found a map as a key in a map, expected a "
			      "scalar"},
		{"- &a []\n- {*a : 1}", "error: line 2, column 4: found a map or a sequence as a "
					"key in a map, expected a scalar"},
		{"*x", "error: line 1, column 1: unknown anchor 'x' referenced, expected one "
		       "defined above"},
		{"a: &x 1\n---\n*x", "{\"a\":1}error: line 3, column 1: unknown anchor 'x' "
				     "referenced, expected one defined above"},
		{"&x [*x]", "error: line 1, column 5: anchor 'x' value contains itself"},
		{"<<: 1", "error: line 1, column 1: map merge requires map or sequence of maps as "
			  "the value, found integer"},
		{"<<: [x]", "error: line 1, column 1: map merge requires map or sequence of maps "
			    "as the value, found string"},
		{"- &a [{}]\n- <<: *a", "error: line 2, column 3: map merge requires map or "
					"sequence of maps as the value, found array"},
		{"a: !!int x", "error: line 1, column 4: cannot decode !!str \"x\" as a !!int"},
		{"a: !!binary '*'", "error: line 1, column 4: a !!binary value must be base64: "
				    "illegal base64 data at input byte 0"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

/* `count` times `part`, between two ends. */
static char *repeat(const char *start, const char *part, size_t count, const char *end)
{
	struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, start);
	for (size_t i = 0; i < count; i++)
		buf_puts(&text, part);
	buf_puts(&text, end);
	return buf_take(&text);
}

static void check_limit(const char *text, const struct yaml_options *options, const char *want)
{
	AUTO(mem_free) char *got = read_all(str_from(text), options);

	ok(strstr(got, want), "%s", want);
	if (!strstr(got, want))
		printf("# got %.200s\n", got);
}

static void test_limits(void)
{
	const struct yaml_options small = {.max_bytes = 1000, .max_nodes = 50, .max_depth = 8};
	const struct yaml_options middle = {.max_nodes = 100000};
	AUTO(mem_free) char *bytes = repeat("a: ", "x", 1000, "");
	AUTO(mem_free) char *nodes = repeat("[", "1,", 60, "]");
	AUTO(mem_free) char *deep = repeat("", "[", 577, "");
	AUTO(mem_free) char *deeper = repeat("", "- ", 577, "x");
	AUTO(mem_free) char *most = repeat("", "- ", 576, "x");
	AUTO(mem_free) char *tags = repeat("", "%TAG !a! b\n", 300, "--- a\n");
	AUTO(mem_free) char *json = repeat("", "{\"a\":", 600, "1");
	AUTO(mem_free) char *elements = repeat("", "1,", 10000, "");
	AUTO(mem_free) char *steep = repeat("", "[", 510, elements);
	AUTO(mem_free) char *big = repeat("- &a ", "x", 400, "\n- *a\n- *a\n- *a\n");
	AUTO(mem_free)
	char *laughs = repeat("a: &a [1,2,3,4,5,6,7,8,9,10]\n"
			      "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
			      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
			      "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
			      "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
			      "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
			      "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
			      "", 0, "");

	check_limit(bytes, &small, "error: the text has 1003 bytes, expected at most 1000");
	check_limit(nodes, &small,
		    "error: line 1, column 100: the document has more than 50 nodes");
	check_limit("[[[[[[[[[1]]]]]]]]]", &small,
		    "error: line 1, column 9: the document is nested deeper than 8 levels");
	check_limit("- &a [[[[1]]]]\n- [[[[*a]]]]", &small,
		    "error: line 2, column 7: the document is nested deeper than 8 levels");
	check_limit("- &a {a: [[[[1]]]]}\n- [[[{<<: *a}]]]", &small,
		    "error: line 2, column 7: the document is nested deeper than 8 levels");
	check_limit("- &a {a: 1, b: [1]}\n- <<: *a\n- <<: [*a, *a]", &small, "[{");
	check_limit(deep, NULL,
		    "error: line 1, column 577: the document is nested deeper than 576");
	check_limit(deeper, NULL,
		    "error: line 1, column 1153: the document is nested deeper than 576");
	check_limit(most, NULL, "[\"x\"]");
	check_limit(tags, NULL, "error: line 257, column 1: found more than 256 %TAG directives");
	check_limit(json, NULL, "nested deeper than 576");
	check_limit(steep, &middle, "the document is too large for being so deeply nested");
	check_limit(big, &small, "error: line 4, column 3: aliases copy more than 1000 bytes");
	check_limit(laughs, &middle, "the document has more than 100000 nodes, aliases included");
}

/* Many keys, so that the index of a long map is used. */
static void test_long_map(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err = {0};

	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "key%d: %d\n", i, i);
	AUTO(json_doc_unref) struct json_doc *doc = yaml_parse(buf_str(&text), NULL, &err);
	ok(doc && json_len(json_doc_root(doc)) == 100000, "a map of 100000 keys %s", err.text);
	buf_puts(&text, "key77: 1\n");
	AUTO(json_doc_unref) struct json_doc *none = yaml_parse(buf_str(&text), NULL, &err);
	ok(!none, "in which one is set twice");
	is(err.text, "line 100001, column 1: key \"key77\" already set in map, first at line 78, "
		     "column 1");
}

static void test_duplicates(void)
{
	struct notes notes = {.text = BUF_UNBOUNDED};
	const struct yaml_options options = {.on_duplicate = note, .arg = &notes};
	AUTO(mem_free) char *yaml = read_all(STR("a: 1\na: 2\n<<: {b: 1}\nb: 2\na: 3\n"), &options);
	AUTO(mem_free) char *json = read_all(STR("{\"s\":{\"a\":1,\"a\":2}}"), &options);

	is(yaml, "{\"a\":3,\"b\":2}");
	is(json, "{\"s\":{\"a\":2}}");
	is(buf_text(&notes.text),
	   "line 2, column 1: key \"a\" already set in map, first at line 1, column 1|"
	   "line 5, column 1: key \"a\" already set in map, first at line 2, column 1|"
	   "duplicate field \"s.a\"|");
	buf_done(&notes.text);
}

static void test_reader(void)
{
	struct err err = {0};
	struct json_doc *doc = NULL;
	AUTO(yaml_reader_free)
	struct yaml_reader *reader = yaml_reader_new(STR("a: 1\n---\n\nb: 2\n---\nc: [\n"), NULL);

	yaml_reader_free(NULL);
	ok(yaml_reader_next(reader, &doc, &err) == 0 && doc, "the first document");
	ok(yaml_reader_line(reader) == 1, "begins on line 1");
	ok(json_doc_is_mutable(doc), "and can be changed");
	json_doc_unref(doc);
	ok(yaml_reader_next(reader, &doc, &err) == 0 && doc, "the second");
	ok(yaml_reader_line(reader) == 2, "on line 2, where its mark is");
	json_doc_unref(doc);
	doc = NULL;
	ok(yaml_reader_next(reader, &doc, &err) < 0 && !doc, "the third is broken: %s", err.text);
	struct err again = {0};
	ok(yaml_reader_next(reader, &doc, &again) < 0 && strcmp(err.text, again.text) == 0,
	   "and stays so");
	ok(yaml_reader_next(reader, &doc, NULL) < 0, "also without asking why");

	AUTO(yaml_reader_free) struct yaml_reader *rest = yaml_reader_new(STR("{}\n\n {}"), NULL);
	ok(yaml_reader_next(rest, &doc, &err) == 0 && doc, "JSON");
	json_doc_unref(doc);
	ok(yaml_reader_next(rest, &doc, &err) == 0 && doc, "and more of it");
	json_doc_unref(doc);
	ok(yaml_reader_line(rest) == 3, "on line 3");
	ok(yaml_reader_next(rest, &doc, &err) == 0 && !doc, "and the end");
	ok(yaml_reader_next(rest, &doc, &err) == 0 && !doc, "which stays");
}

static void test_one(void)
{
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *none = yaml_parse(STR("# empty\n"), NULL, &err);
	AUTO(json_doc_unref) struct json_doc *one = yaml_parse(STR("a: 1\n---\n"), NULL, &err);
	AUTO(json_doc_unref) struct json_doc *two = yaml_parse(STR("a: 1\n---\nb\n"), NULL, &err);

	ok(none && json_is(json_doc_root(none), JSON_NULL), "no document is null");
	ok(one && json_int(json_get(json_doc_root(one), "a")) == 1, "one document is it");
	ok(!two, "two are too many");
	is(err.text, "line 2, column 1: found a second document, expected one");
	ok(err.code == ERR_BAD_REQUEST, "which is a bad request");
	AUTO(json_doc_unref) struct json_doc *bad = yaml_parse(STR("a: ["), NULL, &err);
	AUTO(json_doc_unref) struct json_doc *worse = yaml_parse(STR("a: 1\n---\n["), NULL, &err);
	ok(!bad && !worse, "a broken one fails");
}

int main(void)
{
	test_documents();
	test_nodes();
	test_errors();
	test_limits();
	test_long_map();
	test_duplicates();
	test_reader();
	test_one();
	return tap_done();
}
