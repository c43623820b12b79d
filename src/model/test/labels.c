/* SPDX-License-Identifier: Apache-2.0 */
/* Label sets, label selectors in both forms, field selectors. Rows marked "recorded" are answers of
 * kube-apiserver 1.34. */
#include "model/value/labels.h"

#include "base/arena.h"
#include "model/value/fieldselector.h"
#include "tap.h"

static struct labels make_labels(struct arena *arena, const char *text)
{
	struct labels labels = {arena_calloc(arena, 16, sizeof(struct label)), 0};
	struct str rest = str_from(text);
	struct str part;

	while (rest.len && str_split(&rest, ' ', &part)) {
		size_t equals = (size_t)str_find_byte(part, '=', 0);

		labels.ptr[labels.len++] =
			(struct label){str_slice(part, 0, equals), str_skip(part, equals + 1)};
	}
	return labels;
}

static const struct {
	const char *text, *printed;
} parsed[] = {
	{"", ""},
	{"a", "a"},
	{"!a", "!a"},
	{"! a", "!a"},
	{"a=b", "a=b"},
	{"a==b", "a==b"},
	{"a!=b", "a!=b"},
	{"a=", "a="},
	{"a=,b", "a=,b"},
	{"b=1,a=2", "a=2,b=1"},
	{"a in (x,y)", "a in (x,y)"},
	{" a  in(y, x,y ) ", "a in (x,y)"},
	{"a notin (x)", "a notin (x)"},
	{"a in ()", "a in ()"},
	{"a in (,)", "a in ()"},
	{"a in (,x)", "a in (,x)"},
	{"a in (x,)", "a in (,x)"},
	{"a in (x,,y)", "a in (,x,y)"},
	{"a>5", "a>5"},
	{"a<-3,b > 7", NULL},
	{"n>0,n<3", "n>0,n<3"},
	{"in in (in,notin)", "in in (in,notin)"},
	{"x.y/z=1", "x.y/z=1"},
	{"parity in (odd, even)", "parity in (even,odd)"},
};

static const struct {
	const char *text, *error;
} refused[] = {
	/* recorded */
	{"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
	{"a in", "unable to parse requirement: found '' expected: '('"},
	{"a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"},
	{"a=b=c", "found '=', expected: ',' or 'end of string'"},
	{"=x", "found '=', expected: !, identifier, or 'end of string'"},
	{"!", "unable to parse requirement: found '', expected: identifier"},
	{"a,,b", "found ',', expected: identifier after ','"},
	{"a=b,", "found '', expected: identifier after ','"},
	{"a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
		"operators, the value must be an integer"},
	{"(a)", "found '(', expected: !, identifier, or 'end of string'"},
	{"a notin b", "unable to parse requirement: found 'b' expected: '('"},
	{"-a=b",
	 "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist "
	 "of alphanumeric characters, '-', '_' or '.', and must start and end with an "
	 "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used "
	 "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
	{"a=b c", "found 'c', expected: ',' or 'end of string'"},
	/* more of the grammar */
	{"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
	{"a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"},
	{"a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"},
	{"a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
	{"a==(", "unable to parse requirement: found '(', expected: identifier"},
	{"!a=b", "found '=', expected: ',' or 'end of string'"},
	{"a/b/c",
	 "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a qualified name "
	 "must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
	 "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
	 "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an "
	 "optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
	{"a=-b", "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label "
		 "must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
		 "and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
		 "'my_value',  or '12345', regex used for validation is "
		 "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
};

static void test_parse(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	static char large[70000];

	for (size_t i = 0; i < ARRAY_LEN(parsed); i++) {
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf again = BUF_UNBOUNDED;
		struct selector selector;
		struct selector second;
		struct err err = {0};

		if (!parsed[i].printed)
			continue;
		ok(selector_parse(str_from(parsed[i].text), arena, &selector, &err) == 0,
		   "\"%s\" %s", parsed[i].text, err.text);
		selector_print(&selector, &got);
		is(buf_text(&got), parsed[i].printed);
		ok(selector_parse(buf_str(&got), arena, &second, &err) == 0, "reads back");
		selector_print(&second, &again);
		is(buf_text(&again), parsed[i].printed);
	}
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct selector selector = {.len = 77};
		struct err err = {0};

		ok(selector_parse(str_from(refused[i].text), arena, &selector, &err) < 0 &&
			   selector.len == 77 && err.code == ERR_BAD_REQUEST,
		   "\"%s\" is refused", refused[i].text);
		is(err.text, refused[i].error);
	}
	memset(large, 'a', sizeof(large));
	ok(selector_parse(str_of(large, sizeof(large)), arena, &(struct selector){0}, NULL) < 0,
	   "a large one is refused");
}

static void test_many_errors(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct selector selector;
	struct err err = {0};

	ok(selector_parse(STR("a>-"), arena, &selector, &err) < 0, "two things are wrong");
	ok(str_starts(
		   str_from(err.text),
		   STR("unable to parse requirement: [values[0]: Invalid value: \"-\": for 'Gt', "
		       "'Lt' operators, the value must be an integer, values[0][a]: Invalid ")),
	   "%s", err.text);
}

static void test_match(void)
{
	static const struct {
		const char *selector, *labels;
		bool want;
	} rows[] = {
		{"", "", true},
		{"", "a=1", true},
		{"a=1", "a=1 b=2", true},
		{"a=1", "a=2", false},
		{"a=1", "b=1", false},
		{"a==1", "a=1", true},
		{"a!=1", "a=2", true},
		{"a!=1", "b=2", true},
		{"a!=1", "a=1", false},
		{"a", "a=", true},
		{"a", "b=", false},
		{"!a", "b=", true},
		{"!a", "a=", false},
		{"a in (1,2)", "a=2", true},
		{"a in (1,2)", "a=3", false},
		{"a in (1,2)", "b=1", false},
		{"a notin (1,2)", "a=3", true},
		{"a notin (1,2)", "b=1", true},
		{"a notin (1,2)", "a=1", false},
		{"a>5", "a=6", true},
		{"a>5", "a=5", false},
		{"a>5", "a=x", false},
		{"a>5", "b=6", false},
		{"a<5", "a=-6", true},
		{"a=1,b=2", "a=1 b=2 c=3", true},
		{"a=1,b=2", "a=1 b=3", false},
		{"a=", "a=", true},
		{"a=", "b=1", false},
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct selector selector;
		struct labels labels = make_labels(arena, rows[i].labels);

		ok(selector_parse(str_from(rows[i].selector), arena, &selector, NULL) == 0 &&
			   selector_matches(&selector, &labels) == rows[i].want,
		   "\"%s\" %s [%s]", rows[i].selector, rows[i].want ? "matches" : "does not match",
		   rows[i].labels);
	}
}

static void test_labels(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct labels labels = make_labels(arena, "a=1 b=2 c=3 d=4 e=5");
	struct labels some = make_labels(arena, "b=2 e=5");
	struct labels other = make_labels(arena, "b=2 e=6");
	struct labels none = {0};

	ok(str_is(labels_get(&labels, STR("a")), "1") &&
		   str_is(labels_get(&labels, STR("e")), "5") &&
		   str_is(labels_get(&labels, STR("c")), "3"),
	   "finds what is there");
	ok(str_is_none(labels_get(&labels, STR("aa"))) && str_is_none(labels_get(&none, STR("a"))),
	   "and nothing else");
	ok(labels_contain(&labels, &some) && !labels_contain(&labels, &other) &&
		   labels_contain(&labels, &none) && !labels_contain(&none, &some),
	   "subsets");
}

static const struct {
	const char *object, *printed, *causes, *error;
} object_rows[] = {
	{"{}", "", "", NULL},
	{"{\"matchLabels\":{\"b\":\"1\",\"a\":\"2\"}}", "a=2,b=1", "", NULL},
	{"{\"matchLabels\":{\"b\":\"1\"},\"matchExpressions\":[{\"key\":\"a\",\"operator\":"
	 "\"In\","
	 "\"values\":[\"x\",\"y\"]},{\"key\":\"c\",\"operator\":\"Exists\"},{\"key\":\"d\","
	 "\"operator\":\"DoesNotExist\"},{\"key\":\"e\",\"operator\":\"NotIn\",\"values\":["
	 "\"z\"]}]}",
	 "a in (x,y),b=1,c,!d,e notin (z)", "", NULL},
	{"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Bad\"}]}", NULL,
	 "matchExpressions[0].operator: Invalid value: \"Bad\": not a valid selector "
	 "operator\n",
	 "not a valid label selector operator"},
	{"{\"matchExpressions\":[{\"key\":\"a\"}]}", NULL,
	 "matchExpressions[0].operator: Invalid value: \"\": not a valid selector "
	 "operator\n",
	 "not a valid label selector operator"},
	{"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}", NULL,
	 "matchExpressions[0].values: Required value: must be specified when `operator` is "
	 "'In' "
	 "or 'NotIn'\n",
	 "values: Invalid value: []: for 'in', 'notin' operators, values set can't be "
	 "empty"},
	{"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"x\"]}"
	 "]}",
	 NULL,
	 "matchExpressions[0].values: Forbidden: may not be specified when `operator` is "
	 "'Exists' or 'DoesNotExist'\n",
	 "values: Invalid value: [\"x\"]: values set must be empty for exists and does not "
	 "exist"},
	{"{\"matchLabels\":{\"/a\":\"1\"}}", NULL,
	 "matchLabels: Invalid value: \"/a\": prefix part must be non-empty\n",
	 "key: Invalid value: \"/a\": prefix part must be non-empty"},
};

static void test_objects(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct labels labels = make_labels(arena, "a=1");
	struct selector selector;

	is(type_check(&label_selector_type, arena), NULL);
	for (size_t i = 0; i < ARRAY_LEN(object_rows); i++) {
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(str_from(object_rows[i].object), NULL, NULL);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		struct label_selector view;
		struct err err = {0};
		int failed;

		ok(type_decode(&label_selector_type, json_doc_root(doc), arena, &view, &err) == 0,
		   "%s %s", object_rows[i].object, err.text);
		failed = selector_from_object(&view, arena, &selector, &err);
		if (object_rows[i].printed) {
			selector_print(&selector, &got);
			is(buf_text(&got), object_rows[i].printed);
		} else {
			ok(failed, "is refused");
			is(err.text, object_rows[i].error);
		}
		type_validate(&label_selector_type, json_doc_root(doc), &causes);
		buf_clear(&got);
		for (size_t k = 0; k < causes.len; k++)
			buf_printf(&got, "%s: %s\n", causes.ptr[k].field, causes.ptr[k].message);
		is(buf_text(&got), object_rows[i].causes);
	}
	ok(selector_from_object(NULL, arena, &selector, NULL) == 0 &&
		   !selector_matches(&selector, &labels),
	   "an absent one matches nothing");
	ok(selector_from_object(&(struct label_selector){0}, arena, &selector, NULL) == 0 &&
		   selector_matches(&selector, &labels),
	   "an empty one matches everything");
}

static struct str field_value(void *arg, struct str field)
{
	return labels_get(arg, field);
}

static void test_fields(void)
{
	static const struct {
		const char *text, *printed, *error;
		bool matches; /* metadata.name=a,b and status.phase=Running */
	} rows[] = {
		{"", "", NULL, true},
		{"status.phase=Running", "status.phase=Running", NULL, true},
		{"status.phase==Running", "status.phase=Running", NULL, true},
		{"status.phase!=Running", "status.phase!=Running", NULL, false},
		{"status.phase=Running,metadata.name=a\\,b",
		 "metadata.name=a\\,b,status.phase=Running", NULL, true},
		{"metadata.name=x,,", "metadata.name=x", NULL, false},
		{"spec.nodeName=", "spec.nodeName=", NULL, true},
		{"spec.nodeName!=", "spec.nodeName!=", NULL, false},
		{"a=b\\\\c\\=", "a=b\\\\c\\=", NULL, false},
		{"=", "=", NULL, true},
		/* recorded */
		{"bad", NULL, "invalid selector: 'bad'; can't understand 'bad'", false},
		{"metadata.name", NULL,
		 "invalid selector: 'metadata.name'; can't understand 'metadata.name'", false},
		{"a=b=c", NULL, "invalid field selector: unescaped character in value: 61", false},
		{"a=b\\c", NULL, "invalid field selector: invalid escape sequence: \\c", false},
		{"a=b\\\xc3\xa4", NULL,
		 "invalid field selector: invalid escape sequence: \\\xc3\xa4", false},
		{"a=b\\", NULL, "invalid field selector: invalid escape sequence: \\", false},
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct labels object = make_labels(arena, "metadata.name=a,b status.phase=Running");
	struct field_selector selector;
	static char large[70000];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		struct err err = {0};
		int failed = field_selector_parse(str_from(rows[i].text), arena, &selector, &err);

		if (rows[i].error) {
			ok(failed < 0, "\"%s\" is refused", rows[i].text);
			is(err.text, rows[i].error);
			continue;
		}
		ok(failed == 0, "\"%s\" %s", rows[i].text, err.text);
		field_selector_print(&selector, &got);
		is(buf_text(&got), rows[i].printed);
		ok(field_selector_matches(&selector, field_value, &object) == rows[i].matches,
		   "matches: %d", rows[i].matches);
	}
	ok(field_selector_parse(STR("a=1,b!=2"), arena, &selector, NULL) == 0 &&
		   field_selector_exact(&selector, STR("a")) &&
		   str_is(*field_selector_exact(&selector, STR("a")), "1") &&
		   !field_selector_exact(&selector, STR("b")),
	   "what a field must be");
	memset(large, 'a', sizeof(large));
	ok(field_selector_parse(str_of(large, sizeof(large)), arena, &selector, NULL) < 0,
	   "a large one is refused");
}

int main(void)
{
	test_parse();
	test_many_errors();
	test_match();
	test_labels();
	test_objects();
	test_fields();
	return tap_done();
}
