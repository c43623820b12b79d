/* SPDX-License-Identifier: Apache-2.0 */
/* YAML out: the layout by rows (test/conformance compares with kubectl's own), and the inverse with
 * random documents: whatever is printed reads back to the same content, at any width. */
#include "base/mem.h"
#include "json/yaml.h"
#include "random.h"
#include "tap.h"

static const struct row {
	const char *json;
	const char *yaml;
} rows[] = {
	{"{}", "{}\n"},
	{"[]", "[]\n"},
	{"null", "null\n"},
	{"true", "true\n"},
	{"\"\"", "\"\"\n"},
	{"\"a\\nb\"", "|-\n  a\n  b\n"},
	{"-1.50", "-1.5\n"},
	{"1e21", "1e+21\n"},
	{"1e-7", "1e-07\n"},
	{"2.0", "2\n"},
	{"-0.0", "0\n"},
	{"12345678901234567890", "12345678901234567000\n"},
	{"0.00012", "0.00012\n"},
	{"5e-324", "5e-324\n"},
	{"{\"b\":1,\"a\":[1,{\"c\":2,\"d\":[]},[3,[4]]]}",
	 "a:\n- 1\n- c: 2\n  d: []\n- - 3\n  - - 4\nb: 1\n"},
	{"{\"a\":{\"b\":{\"c\":null}}}", "a:\n  b:\n    c: null\n"},
	{"[[[{\"a\":[{\"b\":1}]}]]]", "- - - a:\n      - b: 1\n"},
	{"{\"yes\":\"yes\",\"1\":\"1\",\"<<\":\"<<\"}",
	 "\"<<\": \"<<\"\n\"1\": \"1\"\n\"yes\": \"yes\"\n"},
	{"{\"a\\nb\":{\"c\":1}}", "? |-\n  a\n  b\n: c: 1\n"},
	{"{\"a\\nb\":[1]}", "? |-\n  a\n  b\n: - 1\n"},
	{"{\"a\\u0001\\nb\":\"x\"}", "? \"a\\x01\\nb\"\n: x\n"},
	{"[\"a \\nb\",\"a\\n b\\n\",\" a\\nb\\n\\n\",\"\\n\"]",
	 "- \"a \\nb\"\n- |\n  a\n   b\n- |2+\n   a\n  b\n\n- |2+\n\n"},
	{"[\"\\u0085\",\"\\u2028\",\"\\u2029x\",\"\\ud83d\\ude00\",\"\\u00e9\",\"\\ufeff\"]",
	 "- \"\\N\"\n- \"\\L\"\n- \"\\Px\"\n- \"\\U0001F600\"\n- \xc3\xa9\n- \"\\uFEFF\"\n"},
	{"{\"a10\":1,\"a9\":2,\"b\":3,\"B\":4,\"a.b\":5,\"\\u00e9\":6,\"a\":7,\"a09\":8,\"a100\":"
	 "9}",
	 "B: 4\na: 7\na.b: 5\na9: 2\na09: 8\na10: 1\na100: 9\nb: 3\n\xc3\xa9: 6\n"},
	{"[\"it's\",\"'q'\",\"it's: x\",\"#\",\"-\",\"a #\",\"~\",\"1:30\",\"=\",\" x\",\"x \"]",
	 "- it's\n- '''q'''\n- 'it''s: x'\n- '#'\n- '-'\n- 'a #'\n- \"~\"\n- \"1:30\"\n- =\n"
	 "- ' x'\n- 'x '\n"},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
		struct err err = {0};
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(str_from(rows[i].json), NULL, &err);

		if (!ok(doc != NULL, "%s %s", rows[i].json, err.text))
			continue;
		yaml_print(json_doc_root(doc), &out);
		is(buf_text(&out), rows[i].yaml);
	}
	AUTO(buf_done) struct buf out = BUF_UNBOUNDED;
	yaml_print(JSON_NONE, &out);
	ok(out.len == 0, "nothing prints nothing");
}

static const char *const nasty[] = {
	"",
	" ",
	"  ",
	"\t",
	"\n",
	"\n\n",
	" \n",
	"\n ",
	"\r",
	"\r\n",
	"a\r\nb",
	"a\tb",
	"yes",
	"No",
	"on",
	"y",
	"true",
	"null",
	"~",
	"Null",
	"0",
	"-0",
	"1",
	"+1",
	"0x1",
	"0o7",
	"010",
	"08",
	"0b1",
	"0b2",
	"1_000",
	"_1",
	"1e3",
	"1E-3",
	".5",
	"5.",
	".",
	"..",
	"...",
	"....",
	"-",
	"--",
	"---",
	"----",
	"--- a",
	".inf",
	"-.inf",
	".nan",
	"inf",
	"1e400",
	"2001-01-01",
	"2001-1-1T1:1:1Z",
	"2001-01-01 1:2:3",
	"2001-02-30",
	"12:30",
	"12:30:45.5",
	"1:60",
	"=",
	"<<",
	"<",
	"a: b",
	"a:",
	": a",
	":",
	"a:b",
	"::",
	"#",
	"a #b",
	"a#b",
	"# a",
	"?",
	"? a",
	"?a",
	"- a",
	"-a",
	"[",
	"]",
	"{",
	"}",
	"[a",
	"{a: b}",
	",",
	", a",
	"a,b",
	"&a",
	"*a",
	"!a",
	"!!str a",
	"|",
	"|-",
	">",
	">2",
	"'",
	"''",
	"'a'",
	"a'b",
	"\"",
	"\"a\"",
	"a\"b",
	"%",
	"%a",
	"@",
	"`",
	"\\",
	"\\n",
	"a\\",
	" lead",
	"trail ",
	" both ",
	"a  b",
	"a\nb",
	"a\nb\n",
	"a\nb\n\n",
	"a\n\nb",
	"\na",
	"\n\na",
	"\n a",
	" a\nb",
	"  a\n b\n",
	"a\n b",
	"a\n\tb",
	"a \nb",
	"a\n ",
	"a\n\n ",
	"a\n---\nb",
	"---\na",
	"a\n...\n",
	"%a\nb",
	"#a\n#b",
	"- a\n- b",
	"a: b\nc: d\n",
	"\n# a\n",
	"\x01",
	"\x07",
	"\x1b",
	"\x7f",
	"a\x01\nb",
	"\xc2\x80",
	"\xc2\x85",
	"a\xc2\x85z",
	"\xc2\xa0",
	"\xc3\xa9",
	"\xc3\xa9\n\xc3\xa9",
	"\xe2\x80\xa8",
	"a\xe2\x80\xa9\nb",
	"\xef\xbb\xbf",
	"\xef\xbb\xbfz",
	"\xef\xbf\xbd",
	"\xef\xbf\xbe",
	"\xf0\x9f\x98\x80",
	"\xf0\x9f\x98\x80\nx",
	"\xe6\x97\xa5\xe6\x9c\xac",
	"tru",
	"nope",
	"a b c d e f g h i j k l m n o p q r s t u v w x y z",
	"{{ .Values.x }}",
	"$(A)",
	"echo \"a: b\" # c\n",
	"key: |\n  text\n",
	"\xd9\xa1\xd9\xa2",
};

/* --- random documents ---------------------------------------------------------------------- */

struct chance {
	uint64_t state;
};

static size_t below(struct chance *chance, size_t bound)
{
	return (size_t)random_below(&chance->state, bound);
}

static void put_random_string(struct chance *chance, struct buf *to)
{
	static const char *const pieces[] = {
		"a",        "b",
		" ",        "  ",
		"\n",       "\t",
		":",        ": ",
		"#",        " #",
		"-",        "- ",
		"'",        "\"",
		"\\",       "1",
		"0",        ".",
		"e",        "_",
		"\xc3\xa9", "\xe2\x80\xa8",
		"\xc2\x85", "\xf0\x9f\x98\x80",
		"word",     "---",
		"{",        "]",
		",",        "&",
		"*",        "!",
		"|",        ">",
		"%",        "\r",
		"\x01",     "<<",
		"~",
	};

	switch (below(chance, 4)) {
	case 0:
		buf_puts(to, nasty[below(chance, ARRAY_LEN(nasty))]);
		break;
	case 1: /* long */
		for (size_t n = below(chance, 150); n > 0; n--)
			buf_puts(to, pieces[below(chance, ARRAY_LEN(pieces))]);
		break;
	case 2: /* words */
		for (size_t n = below(chance, 60); n > 0; n--)
			buf_printf(to, "%s%s", n % 3 ? "word" : "x", below(chance, 9) ? " " : "  ");
		break;
	default:
		for (size_t n = below(chance, 6); n > 0; n--)
			buf_puts(to, pieces[below(chance, ARRAY_LEN(pieces))]);
		break;
	}
}

static struct json random_value(struct chance *chance, struct json_doc *doc, int depth)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json value;

	switch (below(chance, depth > 0 ? 10 : 7)) {
	case 0:
		return json_new_null(doc);
	case 1:
		return json_new_bool(doc, below(chance, 2));
	case 2:
		return json_new_int(doc, (int64_t)chance->state >> below(chance, 64));
	case 3:
		return json_new_real(
			doc, (double)(int64_t)chance->state / (double)(1 + below(chance, 1000000)));
	case 7:
	case 8:
		value = json_new_obj(doc);
		for (size_t n = below(chance, 6); n > 0; n--) {
			buf_clear(&text);
			put_random_string(chance, &text);
			json_set(doc, value, buf_str(&text), random_value(chance, doc, depth - 1));
		}
		return value;
	case 9:
		value = json_new_arr(doc);
		for (size_t n = below(chance, 6); n > 0; n--)
			json_append(doc, value, random_value(chance, doc, depth - 1));
		return value;
	default:
		put_random_string(chance, &text);
		return json_new_str(doc, buf_str(&text));
	}
}

/* Is it the same after printing and reading? */
static bool survives(struct json root, size_t width)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free) char *before = json_text(root, JSON_CANONICAL);
	struct err err = {0};

	yaml_print_wrapped(root, width, &text);
	AUTO(json_doc_unref) struct json_doc *again = yaml_parse(buf_str(&text), NULL, &err);
	if (!again) {
		printf("# %s\n# %s\n%s\n", err.text, before, buf_text(&text));
		return false;
	}
	AUTO(mem_free) char *after = json_text(json_doc_root(again), JSON_CANONICAL);
	if (strcmp(before, after) != 0)
		printf("# before %s\n# after  %s\n%s\n", before, after, buf_text(&text));
	return strcmp(before, after) == 0;
}

/* As a document, a value, an element, a name; among others and last. */
static bool survives_everywhere(struct str text, size_t width)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json list = json_new_arr(doc);
	struct json inner = json_new_obj(doc);

	json_set_str(doc, root, "value", text);
	json_set(doc, root, text, json_new_str(doc, text));
	json_set(doc, inner, text, list);
	json_append(doc, list, json_new_str(doc, text));
	json_append(doc, list, json_new_copy(doc, root));
	json_set_str(doc, root, "w", text);
	json_set(doc, root, STR("inner"), inner);
	json_set_str(doc, root, "zz", text);
	return survives(root, width) && survives(json_get(root, "value"), width) &&
	       survives(list, width) && survives(inner, width);
}

static void test_nasty(void)
{
	AUTO(mem_free) char *line = mem_printf("%01000d", 7);
	AUTO(mem_free) char *words = mem_printf("%s x%s y: %s", line, line, line);

	for (size_t i = 0; i < ARRAY_LEN(nasty); i++) {
		AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;

		buf_put_json(&shown, str_from(nasty[i]));
		ok(survives_everywhere(str_from(nasty[i]), 0) &&
			   survives_everywhere(str_from(nasty[i]), 8),
		   "\"%s\" survives", buf_text(&shown));
	}
	ok(survives_everywhere(str_of("a\0b", 3), 0), "so does a NUL");
	ok(survives_everywhere(STR("\0"), 0), "alone, too");
	ok(survives_everywhere(str_from(line), 80), "and a line of 1000 digits");
	ok(survives_everywhere(str_from(words), 80), "and one of 3000");
}

static void test_chance(void)
{
	enum { ROUNDS = 3000 };
	struct chance chance = {.state = 88172645463325252};
	int failed = 0;

	for (int i = 0; i < ROUNDS && failed == 0; i++) {
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
		uint64_t seed = chance.state;

		json_doc_set_root(doc, random_value(&chance, doc, 5));
		if (!survives(json_doc_root(doc), 0) ||
		    !survives(json_doc_root(doc), 1 + below(&chance, 100))) {
			printf("# seed %llu\n", (unsigned long long)seed);
			failed++;
		}
	}
	ok(failed == 0, "%d documents survive printing and reading", ROUNDS);
}

static void test_width(void)
{
	static const struct {
		const char *text;
		const char *yaml;
	} wrapped[] = {
		{"aaa bbb ccc ddd", "aaa bbb\n  ccc ddd\n"},
		{"aaa bbb: ccc ddd", "'aaa bbb:\n  ccc ddd'\n"},
		{"aaa bbb  ccc ddd", "aaa bbb  ccc\n  ddd\n"},
		{"aaa\tbbb  ccc ddd", "\"aaa\\tbbb\n  \\ ccc\n  ddd\"\n"},
		{"aaaaaaaaaaa", "aaaaaaaaaaa\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(wrapped); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
		AUTO(buf_done) struct buf out = BUF_UNBOUNDED;

		yaml_print_wrapped(json_new_str(doc, str_from(wrapped[i].text)), 6, &out);
		is(buf_text(&out), wrapped[i].yaml);
	}
}

int main(void)
{
	test_rows();
	test_nasty();
	test_chance();
	test_width();
	return tap_done();
}
