/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: what parses and what does not, reading, building, comparing, printing. */
#include "json/doc.h"

#include "base/mem.h"
#include "tap.h"

#include "base/banned.h"

static struct json_doc *parse(const char *text)
{
	struct err err = {0};
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	if (!doc)
		printf("# %s: %s\n", text, err.text);
	return doc;
}

/* --- text in, text out ----------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *compact;
} round_trips[] = {
	{"null", "null"},
	{" true ", "true"},
	{"false", "false"},
	{"0", "0"},
	{"-1", "-1"},
	{"-0", "0"},
	{"-0.0", "0"},
	{"9223372036854775807", "9223372036854775807"},
	{"-9223372036854775808", "-9223372036854775808"},
	{"18446744073709551615", "18446744073709551615"},
	{"1.0", "1"},
	{"0.5", "0.5"},
	{"-0.5", "-0.5"},
	{"0.0", "0"},
	{"1e3", "1000"},
	{"123456789.125", "123456789.125"},
	{"1e-6", "0.000001"},
	{"1e-7", "1e-7"},
	{"1.5e-9", "1.5e-9"},
	{"1e20", "100000000000000000000"},
	{"1e21", "1e+21"},
	{"1.25e+100", "1.25e+100"},
	{"123456789012345678901234567890", "1.2345678901234568e+29"},
	{"5.684341886080802e-14", "5.684341886080802e-14"},
	{"1.7976931348623157e308", "1.7976931348623157e+308"},
	{"5e-324", "5e-324"},
	{"100.0", "100"},
	{"10.05", "10.05"},
	{"0.1", "0.1"},
	{"\"\"", "\"\""},
	{"\"a\\u0000b\"", "\"a\\u0000b\""},
	{"\"\\u00e9\\/\"", "\"\xC3\xA9/\""},
	{"\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\""},
	{"\"\\\"\\\\\\b\\f\\n\\r\\t\\u001f\"", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u001f\""},
	{"\"<a>&\\u2028\\u2029\xE2\x82\xAC\"",
	 "\"\\u003ca\\u003e\\u0026\\u2028\\u2029\xE2\x82\xAC\""},
	{"\"\x7F\"", "\"\x7F\""},
	{"[]", "[]"},
	{"{}", "{}"},
	{"[ 1 , [ ] , { } , \"x\" ]", "[1,[],{},\"x\"]"},
	{"{ \"b\" : 1 , \"a\" : { \"c\" : null } }", "{\"b\":1,\"a\":{\"c\":null}}"},
	{"{\"\":1,\"\\u0000\":2}", "{\"\":1,\"\\u0000\":2}"},
};

static void test_round_trips(void)
{
	for (size_t i = 0; i < ARRAY_LEN(round_trips); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(round_trips[i].text);
		AUTO(mem_free) char *text = json_text(json_doc_root(doc), JSON_COMPACT);
		is(text, round_trips[i].compact);

		AUTO(json_doc_unref) struct json_doc *again = parse(text);
		AUTO(mem_free) char *same = json_text(json_doc_root(again), JSON_COMPACT);
		is(same, round_trips[i].compact);
	}
}

static const struct {
	const char *text;
	const char *error;
} refused[] = {
	{"", "invalid JSON at line 1, column 1: input length is 0"},
	{"  ", "invalid JSON at line 1, column 1: input data is empty"},
	{"{\n  \"a\": x\n}",
	 "invalid JSON at line 2, column 8: unexpected character, expected a valid JSON value"},
	{"{\"\xC3\xA9\": x}",
	 "invalid JSON at line 1, column 7: unexpected character, expected a valid JSON value"},
	{"[1,]", NULL},
	{"{\"a\":1,}", NULL},
	{"{'a':1}", NULL},
	{"[1] 2", NULL},
	{"// c\n1", NULL},
	{"NaN", NULL},
	{"01", NULL},
	{"+1", NULL},
	{".5", NULL},
	{"1.", NULL},
	{"1e400", NULL},
	{"-1e400", NULL},
	{"\"\xFF\"", NULL},
	{"\"\xED\xA0\x80\"", NULL},
	{"\"\xC0\x80\"", NULL},
	{"\"\\ud800\"", NULL},
	{"\"\t\"", NULL},
	{"\"a", NULL},
	{"[", NULL},
	{"tru", NULL},
	{"\xEF\xBB\xBF{}", NULL},
};

static void test_refused(void)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct err err = {0};
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(str_from(refused[i].text), NULL, &err);

		ok(!doc && err.code == ERR_BAD_REQUEST, "refused: %s", err.text);
		if (refused[i].error)
			is(err.text, refused[i].error);
	}
	ok(!json_parse(str_none(), NULL, NULL),
	   "empty text is not JSON, and the error may be NULL");
}

static struct json_doc *nested(size_t depth, const char *open, char close, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < depth; i++)
		buf_puts(&text, open);
	buf_puts(&text, "1");
	for (size_t i = 0; i < depth; i++)
		buf_putc(&text, close);
	return json_parse(buf_str(&text), NULL, err);
}

static void test_bounds(void)
{
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *arrays = nested(LIMIT_JSON_DEPTH, "[", ']', &err);
	AUTO(json_doc_unref)
	struct json_doc *objects = nested(LIMIT_JSON_DEPTH, "{\"a\":", '}', &err);
	ok(arrays && objects, "nested as deep as allowed");

	AUTO(mem_free) char *text = json_text(json_doc_root(arrays), JSON_CANONICAL);
	ok(strlen(text) == 2 * LIMIT_JSON_DEPTH + 1, "and printed");
	ok(json_eq(json_doc_root(objects), json_doc_root(objects)), "and compared");
	ok(!nested(LIMIT_JSON_DEPTH + 1, "[", ']', &err) && err.code == ERR_TOO_LARGE,
	   "not deeper");
	is(err.text, "JSON is nested deeper than 576 levels");
	ok(!nested(200000, "{\"a\":", '}', &err) && err.code == ERR_TOO_LARGE, "nor much deeper");

	struct json_options options = {.max_depth = 2, .max_bytes = 7};
	AUTO(json_doc_unref) struct json_doc *two = json_parse(STR("[[],{}]"), &options, &err);
	ok(two != NULL, "within the bounds given");
	ok(!json_parse(STR("[[[]]]"), &options, &err), "deeper than the bound given");
	ok(!json_parse(STR("[1,2,3,4]"), &options, &err), "larger than the bound given");
	is(err.text, "JSON text of 9 bytes is over the limit of 7");
}

/* --- duplicate keys -------------------------------------------------------------------------- */

static void note(void *arg, struct str path)
{
	struct buf *reported = arg;

	buf_printf(reported, "%s%.*s", reported->len ? " " : "", STR_ARG(path));
}

static const struct {
	const char *text;
	const char *kept;
	const char *reported;
} duplicates[] = {
	{"{\"a\":1,\"a\":2}", "{\"a\":2}", "a"},
	{"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}", "a"},
	{"{\"a\":1,\"a\":2,\"a\":3}", "{\"a\":3}", "a"},
	{"{\"a\":{\"x\":1},\"a\":{\"y\":1}}", "{\"a\":{\"y\":1}}", "a"},
	{"{\"spec\":{\"containers\":[{\"name\":\"a\",\"name\":\"b\"}]}}",
	 "{\"spec\":{\"containers\":[{\"name\":\"b\"}]}}", "spec.containers[0].name"},
	{"[[{}],[1,{\"k\":1,\"k\":{\"j\":1,\"j\":2}}]]", "[[{}],[1,{\"k\":{\"j\":2}}]]",
	 "[1][1].k [1][1].k.j"},
	{"{\"a\":{\"b\":1,\"b\":2},\"a\":3}", "{\"a\":3}", "a.b a"},
	{"{\"a\\u0062\":1,\"ab\":2}", "{\"ab\":2}", "ab"},
	{"{\"\":1,\"\":2}", "{\"\":2}", ""},
	{"{\"a\":1,\"A\":2}", "{\"a\":1,\"A\":2}", ""},
	{"{\"a\":1,\"a\\u0000\":2}", "{\"a\":1,\"a\\u0000\":2}", ""},
};

static void test_duplicates(void)
{
	for (size_t i = 0; i < ARRAY_LEN(duplicates); i++) {
		AUTO(buf_done) struct buf reported = BUF_UNBOUNDED;
		struct json_options options = {.on_duplicate = note, .arg = &reported};
		struct err err;
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(str_from(duplicates[i].text), &options, &err);
		AUTO(mem_free) char *text = json_text(json_doc_root(doc), JSON_COMPACT);

		is(text, duplicates[i].kept);
		is(buf_text(&reported), duplicates[i].reported);
		AUTO(json_doc_unref) struct json_doc *silent = parse(duplicates[i].text);
		ok(json_eq(json_doc_root(doc), json_doc_root(silent)), "the same untold");
	}
}

static void test_many_members(void)
{
	enum { COUNT = 200000 };
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf reported = BUF_UNBOUNDED;
	struct json_options options = {.on_duplicate = note, .arg = &reported};
	struct err err;

	buf_puts(&text, "{");
	for (int i = 0; i < COUNT; i++)
		buf_printf(&text, "\"key-%d\":%d,", i, i);
	buf_puts(&text, "\"key-17\":-1}");
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(buf_str(&text), &options, &err);
	struct json root = json_doc_root(doc);

	ok(json_len(root) == COUNT, "a large object is normalised");
	is(buf_text(&reported), "key-17");
	ok(json_int(json_get(root, "key-17")) == -1, "the last one won");

	/* Compare with the members in another order. */
	AUTO(json_doc_unref) struct json_doc *other = json_doc_new();
	struct json turned = json_new_obj(other);
	json_doc_set_root(other, turned);
	for (int i = COUNT - 1; i >= 0; i--) {
		char key[32];

		snprintf(key, sizeof(key), "key-%d", i);
		json_add(other, turned, str_from(key), json_new_int(other, i == 17 ? -1 : i));
	}
	ok(json_eq(root, turned) && json_eq(turned, root), "equal in any order");
	ok(json_hash(root, 1) == json_hash(turned, 1), "and so is the hash");
	json_set_int(other, turned, "key-99", 0);
	ok(!json_eq(root, turned), "one value differs");
}

/* --- reading --------------------------------------------------------------------------------- */

static void check_reading(struct json root, const char *form)
{
	struct json list = json_get(root, "list");
	struct json huge = json_get(root, "huge");

	ok(json_len(root) == 8 && json_len(list) == 3, "%s: lengths", form);
	ok(str_is(json_str(json_get(root, "text")), "hello"), "%s: a string", form);
	ok(json_bool(json_get(root, "yes")) && !json_bool(json_get(root, "no")), "%s: booleans",
	   form);
	ok(json_int(json_get(root, "int")) == -7, "%s: an integer", form);
	ok(json_real(json_get(root, "int")) == -7.0, "%s: as a real", form);
	ok(json_real(json_get(root, "real")) == 2.5, "%s: a real", form);
	ok(json_int(json_get(root, "real")) == 0, "%s: is not an integer", form);
	ok(json_is(huge, JSON_INT) && !json_is_i64(huge) && json_int(huge) == 0, "%s: above int64",
	   form);
	ok(json_real(huge) == 18446744073709551615.0, "%s: as a real", form);
	ok(json_int(json_at(list, 0)) == 1 && json_is(json_at(list, 1), JSON_OBJ) &&
		   json_is(json_at(list, 2), JSON_NULL),
	   "%s: elements", form);
	ok(json_is_absent(json_at(list, 3)) && json_is_absent(json_at(root, 0)), "%s: no element",
	   form);
	ok(json_is_absent(json_get(list, "x")) && json_is_absent(json_get(root, "x")),
	   "%s: no member", form);

	AUTO(buf_done) struct buf seen = BUF_UNBOUNDED;
	struct json_iter it = json_iter(root);
	while (json_next(&it))
		buf_printf(&seen, "%zu%.*s:%s ", it.index, STR_ARG(it.key),
			   json_type_name(json_type(it.value)));
	is(buf_text(&seen), "0text:string 1yes:boolean 2no:boolean 3int:integer 4real:number "
			    "5huge:integer 6list:array 7flat:array ");
	ok(json_int(json_at(json_get(root, "flat"), 2)) == 6, "%s: in a flat array", form);
}

static void test_reading(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = parse("{\"text\":\"hello\",\"yes\":true,\"no\":false,\"int\":-7,"
				     "\"real\":2.5,\"huge\":18446744073709551615,"
				     "\"list\":[1,{},null],\"flat\":[4,5,6]}");
	AUTO(json_doc_unref) struct json_doc *built = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *frozen = json_doc_freeze(json_doc_root(built));
	AUTO(json_doc_unref) struct json_doc *packed = json_doc_freeze(json_doc_root(doc));

	check_reading(json_doc_root(doc), "parsed");
	check_reading(json_doc_root(built), "built");
	check_reading(json_doc_root(frozen), "frozen");
	check_reading(json_doc_root(packed), "packed");
	ok(json_doc_is_mutable(built) && !json_doc_is_mutable(doc) && !json_doc_is_mutable(frozen),
	   "which can be changed");
	ok(json_doc_bytes(packed) <= json_doc_bytes(doc) && json_doc_bytes(built) > 0,
	   "bytes are counted: %zu parsed, %zu packed, %zu built", json_doc_bytes(doc),
	   json_doc_bytes(packed), json_doc_bytes(built));
}

static void test_absent(void)
{
	struct json none = JSON_NONE;
	struct json_iter it = json_iter(none);
	AUTO(mem_free) char *text = json_text(none, JSON_PRETTY);

	ok(json_type(none) == JSON_ABSENT && json_len(none) == 0 && !json_next(&it), "absent");
	ok(str_is_none(json_str(none)) && json_int(none) == 0 && json_real(none) == 0.0 &&
		   !json_bool(none),
	   "absent has fallbacks");
	ok(json_is_absent(json_get(json_get(none, "a"), "b")) && json_is_absent(json_at(none, 0)),
	   "look-ups chain");
	is(text, "");
	ok(json_is_absent(json_doc_root(NULL)), "no document, no root");
	json_doc_unref(NULL);

	AUTO(json_doc_unref) struct json_doc *empty = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *thawed = json_doc_thaw(json_doc_root(empty));
	AUTO(json_doc_unref) struct json_doc *frozen = json_doc_freeze(json_doc_root(empty));
	ok(json_is_absent(json_doc_root(thawed)) && json_is_absent(json_doc_root(frozen)),
	   "a document without root");
}

/* --- building -------------------------------------------------------------------------------- */

static void check_text(struct json j, const char *want)
{
	AUTO(mem_free) char *text = json_text(j, JSON_COMPACT);
	AUTO(json_doc_unref) struct json_doc *frozen = json_doc_freeze(j);
	AUTO(mem_free) char *same = json_text(json_doc_root(frozen), JSON_COMPACT);

	is(text, want);
	is(same, want);
}

static void test_objects(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	ok(!json_remove(doc, root, STR("a")), "nothing to remove");
	json_set_str(doc, root, "a", STR("x"));
	json_set_int(doc, root, "b", 2);
	json_set_bool(doc, root, "c", true);
	check_text(root, "{\"a\":\"x\",\"b\":2,\"c\":true}");
	json_set(doc, root, STR("b"), json_new_null(doc));
	check_text(root, "{\"a\":\"x\",\"b\":null,\"c\":true}");
	json_set_int(doc, root, "c", INT64_MIN);
	check_text(root, "{\"a\":\"x\",\"b\":null,\"c\":-9223372036854775808}");
	ok(json_remove(doc, root, STR("b")), "from the middle");
	ok(json_remove(doc, root, STR("c")), "from the end");
	json_set(doc, root, STR("d"), json_new_printf(doc, "%d-%s", 7, "z"));
	check_text(root, "{\"a\":\"x\",\"d\":\"7-z\"}");
	ok(json_remove(doc, root, STR("a")) && json_remove(doc, root, STR("d")), "all of it");
	check_text(root, "{}");
	struct json inner = json_ensure_obj(doc, root, "o");
	json_append(doc, json_ensure_arr(doc, inner, "l"), json_new_real(doc, 0.25));
	json_append(doc, json_ensure_arr(doc, json_ensure_obj(doc, root, "o"), "l"),
		    json_new_uint(doc, UINT64_MAX));
	check_text(root, "{\"o\":{\"l\":[0.25,18446744073709551615]}}");
	(void)json_ensure_arr(doc, root, "o");
	check_text(root, "{\"o\":[]}");
	json_set(doc, root, STR("p"), json_new_null(doc));
	(void)json_ensure_obj(doc, root, "p");
	check_text(root, "{\"o\":[],\"p\":{}}");
	json_set(doc, root, STR("q"), json_new_copy(doc, root));
	check_text(root, "{\"o\":[],\"p\":{},\"q\":{\"o\":[],\"p\":{}}}");

	struct json q = json_get(root, "q");
	ok(json_remove(doc, root, STR("q")), "what was taken out");
	json_add(doc, root, STR("r"), q);
	check_text(root, "{\"o\":[],\"p\":{},\"r\":{\"o\":[],\"p\":{}}}");

	struct json_iter it = json_iter(root);
	while (json_next(&it)) {
		if (json_is(it.value, JSON_ARR))
			ok(json_remove(doc, root, it.key), "removing while walking");
		else
			json_set(doc, root, it.key, json_new_int(doc, (int64_t)it.index));
	}
	check_text(root, "{\"p\":1,\"r\":2}");
}

static bool is_odd(void *arg, struct str key, struct json value)
{
	(void)key;
	++*(size_t *)arg;
	return json_int(value) % 2;
}

static void test_remove_if(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"{\"a\":1,\"b\":2,\"c\":3}", "{\"b\":2}"},
		{"{\"a\":2,\"b\":4}", "{\"a\":2,\"b\":4}"},
		{"{\"a\":1}", "{}"},
		{"[1,2,3,4,5]", "[2,4]"},
		{"[1,3]", "[]"},
		{"[]", "[]"},
		{"7", "7"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err;
		AUTO(json_doc_unref)
		struct json_doc *read = json_parse(str_from(rows[i].text), NULL, &err);
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(json_doc_root(read));
		size_t asked = 0;

		json_remove_if(doc, json_doc_root(doc), is_odd, &asked);
		check_text(json_doc_root(doc), rows[i].want);
		ok(asked == json_len(json_doc_root(read)), "each is asked about once");
	}
}

static void test_arrays(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json list = json_new_arr(doc);

	json_doc_set_root(doc, list);
	ok(!json_remove_at(doc, list, 0), "nothing to remove");
	json_insert(doc, list, 0, json_new_int(doc, 2));
	json_replace_at(doc, list, 0, json_new_int(doc, 3));
	json_insert(doc, list, 0, json_new_int(doc, 1));
	json_insert(doc, list, 1, json_new_int(doc, 2));
	json_insert(doc, list, 3, json_new_int(doc, 4));
	check_text(list, "[1,2,3,4]");
	json_replace_at(doc, list, 3, json_new_bool(doc, false));
	json_replace_at(doc, list, 0, json_new_bool(doc, true));
	json_append(doc, list, json_new_str(doc, str_none()));
	check_text(list, "[true,2,3,false,\"\"]");
	ok(json_remove_at(doc, list, 4) && json_remove_at(doc, list, 0), "both ends");
	json_append(doc, list, json_new_int(doc, 9));
	check_text(list, "[2,3,false,9]");
	ok(!json_remove_at(doc, list, 4), "past the end");
	struct json_iter it = json_iter(list);
	while (json_next(&it))
		ok(json_remove_at(doc, list, 0), "removing while walking");
	check_text(list, "[]");
	ok(json_remove_str(doc, list, STR("a")) == 0, "no string in an empty list");
	ok(json_remove_str(doc, JSON_NONE, STR("a")) == 0, "nor in none");
	for (const char *at = "aabacaa"; *at; at++)
		json_append(doc, list, json_new_str(doc, str_of(at, 1)));
	json_append(doc, list, json_new_int(doc, 1));
	ok(json_remove_str(doc, list, STR("a")) == 5, "every one that is the same string");
	check_text(list, "[\"b\",\"c\",1]");
	json_append(doc, list, json_new_str(doc, STR("a")));
	ok(json_remove_str(doc, list, STR("a")) == 1, "the last one");
	json_append(doc, list, json_new_bool(doc, true));
	check_text(list, "[\"b\",\"c\",1,true]");
}

static const struct {
	struct str bytes;
	const char *text;
} repairs[] = {
	{STR_INIT("plain"), "\"plain\""},
	{STR_INIT("a\0b"), "\"a\\u0000b\""},
	{STR_INIT("a\xFF!"), "\"a\xEF\xBF\xBD!\""},
	{STR_INIT("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
	{STR_INIT("\xE2\x82\xAC\xC3"), "\"\xE2\x82\xAC\xEF\xBF\xBD\""},
};

static void test_repairs(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	for (size_t i = 0; i < ARRAY_LEN(repairs); i++) {
		AUTO(mem_free)
		char *text = json_text(json_new_str(doc, repairs[i].bytes), JSON_COMPACT);
		is(text, repairs[i].text);
	}
}

/* --- comparing ------------------------------------------------------------------------------- */

static const struct {
	const char *a;
	const char *b;
	bool equal;
} pairs[] = {
	{"null", "null", true},
	{"null", "false", false},
	{"true", "true", true},
	{"true", "false", false},
	{"1", "1", true},
	{"1", "1.0", false},
	{"1", "2", false},
	{"-1", "18446744073709551615", false},
	{"0.5", "0.5", true},
	{"0.5", "0.25", false},
	{"0.0", "-0.0", true},
	{"\"a\"", "\"\\u0061\"", true},
	{"\"a\"", "\"a\\u0000\"", false},
	{"[]", "{}", false},
	{"[1,2]", "[1,2]", true},
	{"[1,2]", "[2,1]", false},
	{"[1,2]", "[1]", false},
	{"{\"a\":1,\"b\":[]}", "{\"b\":[],\"a\":1}", true},
	{"{\"a\":1,\"b\":[]}", "{\"a\":1,\"b\":{}}", false},
	{"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
	{"{\"a\":1}", "{\"a\":1,\"c\":2}", false},
	{"{\"a\":null}", "{\"b\":null}", false},
};

static void test_compare(void)
{
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		AUTO(json_doc_unref) struct json_doc *a = parse(pairs[i].a);
		AUTO(json_doc_unref) struct json_doc *b = parse(pairs[i].b);
		AUTO(json_doc_unref) struct json_doc *built = json_doc_thaw(json_doc_root(a));
		struct json left = json_doc_root(a);
		struct json right = json_doc_root(b);

		ok(json_eq(left, right) == pairs[i].equal && json_eq(right, left) == pairs[i].equal,
		   "%s and %s: %d", pairs[i].a, pairs[i].b, pairs[i].equal);
		ok(json_eq(json_doc_root(built), right) == pairs[i].equal, "also across forms");
		ok((json_hash(left, 7) == json_hash(right, 7)) == pairs[i].equal, "hash agrees");
		ok(json_hash(left, 7) == json_hash(json_doc_root(built), 7), "also across forms");
	}
	ok(json_eq(JSON_NONE, JSON_NONE), "absent equals absent");
}

/* --- printing -------------------------------------------------------------------------------- */

static void test_styles(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = parse("{\"b\":[1,{\"z\":[],\"y\":{}}],\"a\":{\"k\":\"v\"},\"\":0}");
	AUTO(mem_free) char *pretty = json_text(json_doc_root(doc), JSON_PRETTY);
	AUTO(mem_free) char *canonical = json_text(json_doc_root(doc), JSON_CANONICAL);

	is(pretty, "{\n"
		   "    \"b\": [\n"
		   "        1,\n"
		   "        {\n"
		   "            \"z\": [],\n"
		   "            \"y\": {}\n"
		   "        }\n"
		   "    ],\n"
		   "    \"a\": {\n"
		   "        \"k\": \"v\"\n"
		   "    },\n"
		   "    \"\": 0\n"
		   "}");
	is(canonical, "{\"\":0,\"a\":{\"k\":\"v\"},\"b\":[1,{\"y\":{},\"z\":[]}]}");

	AUTO(buf_done) struct buf member = BUF_UNBOUNDED;
	json_print_member(STR("<"), json_get(json_doc_root(doc), "a"), &member);
	is(buf_text(&member), "\"\\u003c\":{\"k\":\"v\"}");

	AUTO(buf_done) struct buf small = BUF_INIT(8);
	json_print(json_doc_root(doc), JSON_COMPACT, &small);
	ok(buf_is_over(&small) && small.len <= 8, "a bounded buffer is marked as over");
}

/* What a character of one byte is printed as. */
static const char *escaped(char c, char text[8])
{
	static const char letters[] = "\b\f\n\r\t\"\\";
	const char *found = c ? strchr(letters, c) : NULL;

	if (found)
		snprintf(text, 8, "\\%c", "bfnrt\"\\"[found - letters]);
	else if (c < 0x20 || strchr("<>&", c))
		snprintf(text, 8, "\\u%04x", (unsigned)c);
	else
		snprintf(text, 8, "%c", c);
	return text;
}

/* In strings of every length, at every place. */
static void test_escapes(void)
{
	enum { LEN_MAX = 36 };
	char text[LEN_MAX];
	char escape[8];
	int wrong = 0;

	memset(text, 'a', sizeof(text));
	for (int c = 0; c < 0x80; c++) {
		for (size_t len = 1; len <= LEN_MAX; len++) {
			size_t at = (size_t)c * 7 % len;
			AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
			AUTO(mem_free) char *got = NULL;
			AUTO(mem_free) char *want = NULL;

			text[at] = (char)c;
			want = mem_printf("\"%.*s%s%.*s\"", (int)at, text, escaped((char)c, escape),
					  (int)(len - at - 1), text + at + 1);
			got = json_text(json_new_str(doc, str_of(text, len)), JSON_COMPACT);
			wrong += strcmp(got, want) != 0;
			text[at] = 'a';
		}
	}
	ok(wrong == 0, "every character is escaped or not, whatever is around it");
}

static void test_deep_pretty(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse("[[[[[[[[[[1]]]]]]]]]]");
	AUTO(mem_free) char *text = json_text(json_doc_root(doc), JSON_PRETTY);

	ok(strstr(text, "\n                                        1\n") != NULL,
	   "indented past one row of spaces");
}

/* --- life ------------------------------------------------------------------------------------ */

static void test_pool(void)
{
	struct json_pool *pool = json_pool_new(1 << 20);
	struct json_options options = {.pool = pool};
	AUTO(json_doc_unref) struct json_doc *last = NULL;

	for (int i = 0; i < 20; i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct err err;

		buf_puts(&text, "[");
		for (int k = 0; k < 100 * (i % 5) + 1; k++)
			buf_printf(&text, "\"%d\",", k);
		buf_puts(&text, "0]");
		json_doc_unref(last);
		last = json_parse(buf_str(&text), &options, &err);
		ok(json_len(json_doc_root(last)) == (size_t)(100 * (i % 5) + 2), "pooled %d", i);
		ok(!json_parse(STR("[1"), &options, &err), "a failure gives back its memory");
	}
	json_pool_free(pool);
	ok(str_is(json_str(json_at(json_doc_root(last), 0)), "0"), "documents outlive the pool");
	json_pool_free(NULL);

	/* Many small values in little text: more than was guessed. */
	AUTO(json_pool_free) struct json_pool *tiny = json_pool_new(0);
	struct json_options from_tiny = {.pool = tiny};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	buf_puts(&text, "[0");
	for (int i = 0; i < 5000; i++)
		buf_puts(&text, ",1");
	buf_puts(&text, "]");
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(buf_str(&text), &from_tiny, NULL);
	ok(json_len(json_doc_root(doc)) == 5001, "blocks grow");
}

/* Documents of megabytes keep the space that was estimated for them (parse.c). */
static void test_large(void)
{
	AUTO(json_pool_free) struct json_pool *pool = json_pool_new(SIZE_MAX / 2);
	struct json_options from_pool = {.pool = pool};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf again = BUF_UNBOUNDED;

	buf_puts(&text, "[\"\"");
	while (text.len < (size_t)6 << 20)
		buf_printf(&text, ",{\"name\":\"pod-%zu\",\"n\":[1,2,3,4,5,6,7,8,9]}", text.len);
	buf_puts(&text, "]");
	for (int i = 0; i < 4; i++) {
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(buf_str(&text), i % 2 ? &from_pool : NULL, NULL);

		buf_clear(&again);
		json_print(json_doc_root(doc), JSON_COMPACT, &again);
		ok(str_eq(buf_str(&again), buf_str(&text)), "6 MB read and printed, %s memory",
		   i % 2 ? "pooled" : "new");
	}
}

/* As many values per byte as possible, around the size that is read on the stack, and a copy that
 * outgrows its initial space. */
static void test_dense(void)
{
	for (size_t count = 1000; count <= 5000; count += 1000) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		buf_putc(&text, '[');
		for (size_t i = 0; i < count; i++)
			buf_puts(&text, i ? ",1" : "1");
		buf_putc(&text, ']');
		AUTO(json_doc_unref) struct json_doc *doc = parse(buf_text(&text));
		AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));

		ok(json_len(json_doc_root(doc)) == count, "%zu values close together", count);
		for (size_t i = 0; i < count; i++)
			json_append(copy, json_doc_root(copy),
				    json_new_str(copy, STR("more text")));
		ok(json_len(json_doc_root(copy)) == 2 * count, "a copy takes twice as many");
		is(json_str(json_at(json_doc_root(copy), 2 * count - 1)).ptr, "more text");
	}
}

/* What this program printed has no duplicate keys, so they are not searched for. */
static void test_own(void)
{
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *doc = json_parse(STR("{\"a\":[{\"b\":\"c\"}]}"),
					  &(struct json_options){.own = true}, &err);
	AUTO(json_doc_unref)
	struct json_doc *bad =
		json_parse(STR("{\"a\":"), &(struct json_options){.own = true}, &err);

	is(json_str(json_get(json_at(json_get(json_doc_root(doc), "a"), 0), "b")).ptr, "c");
	ok(!bad, "our own text is read as strictly");
}

static void test_reference(void)
{
	struct json_doc *doc = parse("{\"a\":[1,2]}");
	struct json_doc *same = json_doc_ref(doc);

	json_doc_unref(doc);
	ok(json_len(json_get(json_doc_root(same), "a")) == 2, "the last reference keeps it");
	json_doc_unref(same);
}

int main(void)
{
	test_round_trips();
	test_refused();
	test_bounds();
	test_duplicates();
	test_many_members();
	test_reading();
	test_absent();
	test_objects();
	test_remove_if();
	test_arrays();
	test_repairs();
	test_compare();
	test_styles();
	test_escapes();
	test_deep_pretty();
	test_pool();
	test_large();
	test_dense();
	test_own();
	test_reference();
	return tap_done();
}
