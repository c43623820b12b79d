/* SPDX-License-Identifier: Apache-2.0 */
/* Merge patch: the table of RFC 7386, what kube-apiserver does beyond it, and large objects. */
#include "json/merge.h"

#include "base/mem.h"
#include "patch_rows.h"
#include "tap.h"

#include "base/banned.h"

static const struct patch_row rows[] = {
	/* RFC 7386, appendix A */
	{"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
	{"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
	{"{'a':'b'}", "{'a':null}", "{}"},
	{"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
	{"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
	{"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
	{"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
	{"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
	{"['a','b']", "['c','d']", "['c','d']"},
	{"{'a':'b'}", "['c']", "['c']"},
	{"{'a':'foo'}", "null", "null"},
	{"{'a':'foo'}", "'bar'", "'bar'"},
	{"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
	{"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
	{"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"},
	/* as recorded from a real server: null removes, objects merge, lists are replaced */
	{"{'metadata':{'labels':{'l':'1'},'finalizers':['a.com/x','a.com/y']},"
	 "'data':{'x':'1','y':'2'}}",
	 "{'data':{'x':null,'z':'3'}}",
	 "{'metadata':{'labels':{'l':'1'},'finalizers':['a.com/x','a.com/y']},"
	 "'data':{'y':'2','z':'3'}}"},
	{"{'metadata':{'labels':{'l':'1'},'finalizers':['a.com/x','a.com/y']},"
	 "'data':{'y':'2'}}",
	 "{'data':null,'metadata':{'labels':null,'finalizers':['a.com/z']}}",
	 "{'metadata':{'finalizers':['a.com/z']}}"},
	{"{'spec':{'a':1,'b':{'c':[1,2]}}}", "{'spec':{'b':{'c':[3],'d':null},'a':null}}",
	 "{'spec':{'b':{'c':[3]}}}"},
	{"{'a':1}", "{}", "{'a':1}"},
	/* null members go from what the patch brings, also inside lists; null elements stay */
	{"{}", "{'l':[{'x':null,'y':1},null]}", "{'l':[{'y':1},null]}"},
	{"{'l':[1]}", "{'l':[{'x':null,'y':1}]}", "{'l':[{'y':1}]}"},
	{"{'a':1,'b':2,'c':3}", "{'c':null,'a':null}", "{'b':2}"},
};

static struct json_doc *apply(struct json target, struct json patch, struct err *err)
{
	(void)err;
	return json_merge_apply(target, patch);
}

static const struct {
	const char *from;
	const char *to;
	const char *patch;
} diffs[] = {
	{"{\"a\":1}", "{\"a\":1}", "{}"},
	{"{\"a\":1,\"b\":{\"c\":1,\"d\":2}}", "{\"b\":{\"c\":3,\"d\":2},\"e\":[]}",
	 "{\"a\":null,\"b\":{\"c\":3},\"e\":[]}"},
	{"{\"a\":{}}", "{\"a\":[]}", "{\"a\":[]}"},
	{"{\"a\":1}", "{\"a\":1.0}", "{\"a\":1}"},
	{"[1]", "[2]", "[2]"},
	{"{}", "3", "3"},
};

static void test_diffs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(diffs); i++) {
		AUTO(json_doc_unref)
		struct json_doc *from = json_parse(str_from(diffs[i].from), NULL, NULL);
		AUTO(json_doc_unref)
		struct json_doc *to = json_parse(str_from(diffs[i].to), NULL, NULL);
		AUTO(json_doc_unref)
		struct json_doc *patch = json_merge_diff(json_doc_root(from), json_doc_root(to));
		AUTO(mem_free) char *text = json_text(json_doc_root(patch), JSON_COMPACT);
		AUTO(json_doc_unref)
		struct json_doc *result =
			json_merge_apply(json_doc_root(from), json_doc_root(patch));

		is(text, diffs[i].patch);
		ok(json_eq(json_doc_root(result), json_doc_root(to)), "and back");
	}
}

/* Would take hours if a look-up were linear in the members. */
static void test_large(void)
{
	enum { COUNT = 300000 };
	AUTO(buf_done) struct buf target = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf patch = BUF_UNBOUNDED;

	buf_puts(&target, "{");
	buf_puts(&patch, "{");
	for (int i = 0; i < COUNT; i++) {
		buf_printf(&target, "%s\"k%d\":1", i ? "," : "", i);
		buf_printf(&patch, "%s\"k%d\":%s", i ? "," : "", COUNT - i + COUNT / 2,
			   i % 2 ? "2" : "null");
	}
	buf_puts(&target, "}");
	buf_puts(&patch, "}");
	AUTO(json_doc_unref) struct json_doc *a = json_parse(buf_str(&target), NULL, NULL);
	AUTO(json_doc_unref) struct json_doc *b = json_parse(buf_str(&patch), NULL, NULL);
	AUTO(json_doc_unref)
	struct json_doc *result = json_merge_apply(json_doc_root(a), json_doc_root(b));
	AUTO(json_doc_unref)
	struct json_doc *back = json_merge_diff(json_doc_root(a), json_doc_root(result));
	AUTO(json_doc_unref)
	struct json_doc *again = json_merge_apply(json_doc_root(a), json_doc_root(back));

	ok(json_len(json_doc_root(result)) == COUNT + 1, "%zu members after a large patch",
	   json_len(json_doc_root(result)));
	ok(json_eq(json_doc_root(result), json_doc_root(again)), "and its diff");
}

/* A walk from the start for each added key would take minutes. */
static void test_growing(void)
{
	enum { COUNT = 300000 };
	AUTO(buf_done) struct buf patch = BUF_UNBOUNDED;

	for (int i = 0; i < COUNT; i++)
		buf_printf(&patch, "%s\"k%d\":1", i ? "," : "{", i);
	buf_puts(&patch, "}");
	AUTO(json_doc_unref) struct json_doc *empty = json_parse(STR("{\"k7\":2}"), NULL, NULL);
	AUTO(json_doc_unref) struct json_doc *many = json_parse(buf_str(&patch), NULL, NULL);
	AUTO(json_doc_unref)
	struct json_doc *result = json_merge_apply(json_doc_root(empty), json_doc_root(many));

	ok(json_eq(json_doc_root(result), json_doc_root(many)), "a small object becomes large");
}

int main(void)
{
	patch_rows_check(rows, ARRAY_LEN(rows), apply);
	test_diffs();
	test_large();
	test_growing();
	return tap_done();
}
