/* SPDX-License-Identifier: Apache-2.0 */
/* JSON patch: examples of RFC 6902, behaviour recorded from a real kube-apiserver, limits, diff. */
#include "json/patch.h"

#include "base/limits.h"
#include "base/mem.h"
#include "patch_rows.h"
#include "tap.h"

#include "base/banned.h"

static const struct patch_row rows[] = {
	/* RFC 6902, appendix A */
	{"{'foo':'bar'}", "[{'op':'add','path':'/baz','value':'qux'}]",
	 "{'foo':'bar','baz':'qux'}"},
	{"{'foo':['bar','baz']}", "[{'op':'add','path':'/foo/1','value':'qux'}]",
	 "{'foo':['bar','qux','baz']}"},
	{"{'baz':'qux','foo':'bar'}", "[{'op':'remove','path':'/baz'}]", "{'foo':'bar'}"},
	{"{'foo':['bar','qux','baz']}", "[{'op':'remove','path':'/foo/1'}]",
	 "{'foo':['bar','baz']}"},
	{"{'baz':'qux','foo':'bar'}", "[{'op':'replace','path':'/baz','value':'boo'}]",
	 "{'baz':'boo','foo':'bar'}"},
	{"{'foo':{'bar':'baz','waldo':'fred'},'qux':{'corge':'grault'}}",
	 "[{'op':'move','from':'/foo/waldo','path':'/qux/thud'}]",
	 "{'foo':{'bar':'baz'},'qux':{'corge':'grault','thud':'fred'}}"},
	{"{'foo':['all','grass','cows','eat']}", "[{'op':'move','from':'/foo/1','path':'/foo/3'}]",
	 "{'foo':['all','cows','eat','grass']}"},
	{"{'baz':'qux','foo':['a',2,'c']}",
	 "[{'op':'test','path':'/baz','value':'qux'},"
	 "{'op':'test','path':'/foo/1','value':2}]",
	 "{'baz':'qux','foo':['a',2,'c']}"},
	{"{'foo':'bar'}", "[{'op':'add','path':'/child','value':{'grandchild':{}}}]",
	 "{'foo':'bar','child':{'grandchild':{}}}"},
	{"{'foo':'bar'}", "[{'op':'add','path':'/baz','value':'qux','xyz':123}]",
	 "{'foo':'bar','baz':'qux'}"},
	{"{'/':9,'~1':10}", "[{'op':'test','path':'/~01','value':10}]", "{'/':9,'~1':10}"},
	{"{'foo':['bar']}", "[{'op':'add','path':'/foo/-','value':['abc','def']}]",
	 "{'foo':['bar',['abc','def']]}"},
	/* recorded: ends and indexes of a list, several operations */
	{"{'metadata':{'finalizers':['a.com/x','a.com/y']}}",
	 "[{'op':'add','path':'/metadata/finalizers/-','value':'a.com/z'},"
	 "{'op':'add','path':'/metadata/finalizers/0','value':'a.com/w'}]",
	 "{'metadata':{'finalizers':['a.com/w','a.com/x','a.com/y','a.com/z']}}"},
	{"{'metadata':{'finalizers':['a.com/w','a.com/y']}}",
	 "[{'op':'test','path':'/metadata/finalizers/0','value':'a.com/w'},"
	 "{'op':'remove','path':'/metadata/finalizers'}]",
	 "{'metadata':{}}"},
	{"{'spec':{'b':{'c':[3]}}}", "[{'op':'add','path':'/spec/b/c/0','value':0}]",
	 "{'spec':{'b':{'c':[0,3]}}}"},
	{"{'metadata':{'annotations':{'a/b':'1'}}}",
	 "[{'op':'replace','path':'/metadata/annotations/a~1b','value':'2'}]",
	 "{'metadata':{'annotations':{'a/b':'2'}}}"},
	/* where kube-apiserver is more generous than the RFC */
	{"{'a':[1,2,3]}", "[{'op':'remove','path':'/a/-1'}]", "{'a':[1,2]}"},
	{"{'a':[1,2]}", "[{'op':'add','path':'/a/-1','value':3}]", "{'a':[1,2,3]}"},
	{"{'a':[1,2]}", "[{'op':'replace','path':'/a/01','value':3}]", "{'a':[1,3]}"},
	{"{'a':[[1]]}", "[{'op':'add','path':'/a/+0/0','value':0}]", "{'a':[[0,1]]}"},
	{"{'a':1}", "[{'op':'replace','path':'/b','value':2}]", "{'a':1,'b':2}"},
	{"{'a':1}", "[{'op':'add','path':'/b'}]", "{'a':1,'b':null}"},
	{"{'a':1}", "[{'op':'copy','from':'/x','path':'/b'}]", "{'a':1,'b':null}"},
	{"{'a':1}", "[{'op':'test','path':'/b','value':null}]", "{'a':1}"},
	{"{'a':null}", "[{'op':'test','path':'/a'}]", "{'a':null}"},
	{"{'a~b':1}", "[{'op':'remove','path':'/a~b'}]", "{}"},
	/* the whole document */
	{"{'a':1}", "[{'op':'replace','path':'','value':[1]}]", "[1]"},
	{"{'a':1}", "[{'op':'test','path':'','value':{'a':1}}]", "{'a':1}"},
	{"[1,2]", "[{'op':'move','from':'/0','path':'/-'}]", "[2,1]"},
	/* copies are copies */
	{"{'a':{'x':1}}",
	 "[{'op':'copy','from':'/a','path':'/b'},"
	 "{'op':'replace','path':'/a/x','value':2},"
	 "{'op':'copy','from':'/b','path':'/b/y'}]",
	 "{'a':{'x':2},'b':{'x':1,'y':{'x':1}}}"},
	{"{'a':[0]}", "[{'op':'replace','path':'/a/0','value':{'b':1}}]", "{'a':[{'b':1}]}"},
	{"{'a':1}", "[]", "{'a':1}"},
};

static const struct patch_failure failures[] = {
	{"{}", "{}", ERR_BAD_REQUEST, "a JSON patch is a list, not object"},
	{"{}", "[1]", ERR_BAD_REQUEST, "operation 0 is not an object"},
	{"{}", "[{'op':'spam','path':'/a'}]", ERR_INVALID,
	 "operation 0: unknown operation \"spam\""},
	{"{}", "[{'path':'/a'}]", ERR_INVALID, "operation 0: unknown operation \"\""},
	{"{}", "[{'op':'add','value':1}]", ERR_INVALID,
	 "operation 0: add \"\": \"path\" is missing or not a string"},
	{"{}", "[{'op':'add','path':1}]", ERR_INVALID, NULL},
	{"{}", "[{'op':'add','path':'a','value':1}]", ERR_INVALID, NULL},
	{"{}", "[{'op':'add','path':'','value':1}]", ERR_INVALID, NULL},
	{"{}", "[{'op':'remove','path':''}]", ERR_INVALID, NULL},
	{"{}", "[{'op':'add','path':'/a/b','value':1}]", ERR_INVALID,
	 "operation 0: add \"/a/b\": path not found"},
	{"{'a':null}", "[{'op':'add','path':'/a/b','value':1}]", ERR_INVALID, NULL},
	{"{'a':'s'}", "[{'op':'add','path':'/a/b','value':1}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'add','path':'/a/2','value':1}]", ERR_INVALID,
	 "operation 0: add \"/a/2\": index out of range or no number"},
	{"{'a':[1]}", "[{'op':'add','path':'/a/-3','value':1}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'add','path':'/a/x','value':1}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'remove','path':'/a/9'}]", ERR_INVALID,
	 "operation 0: remove \"/a/9\": path not found"},
	{"{'a':[1]}", "[{'op':'remove','path':'/a/-'}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'remove','path':'/b'}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'replace','path':'/a/1','value':2}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'replace','path':'/a/-','value':2}]", ERR_INVALID, NULL},
	{"{'a':[1]}", "[{'op':'replace','path':'/b/c','value':2}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'move','from':'/b','path':'/c'}]", ERR_INVALID,
	 "operation 0: move \"/c\": from: path not found"},
	{"{'a':{'b':1}}", "[{'op':'move','from':'/a','path':'/a/c'}]", ERR_INVALID,
	 "operation 0: move \"/a/c\": path not found"},
	{"{'a':1}", "[{'op':'move','path':'/c'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'move','from':'/a'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'copy','from':'/b/c','path':'/c'}]", ERR_INVALID,
	 "operation 0: copy \"/c\": from: path not found"},
	{"{'a':1}", "[{'op':'copy','path':'/c'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'copy','from':'/a'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'copy','from':'/a','path':'/b/c'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'test','path':'/a','value':2}]", ERR_INVALID,
	 "operation 0: test \"/a\": test failed"},
	{"{'a':1}", "[{'op':'test','path':'/a','value':'1'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'test','path':'/a'}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'test','path':'/b','value':1}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'test','path':'/b/c','value':null}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'test','value':null}]", ERR_INVALID, NULL},
	{"{'a':[]}", "[{'op':'test','path':'/a/0','value':null}]", ERR_INVALID, NULL},
	{"{'a':1}", "[{'op':'remove','path':'/a'},{'op':'remove','path':'/a'}]", ERR_INVALID,
	 "operation 1: remove \"/a\": path not found"},
};

static struct json_doc *parse(const char *text)
{
	return json_parse(str_from(text), NULL, NULL);
}

/* --- limits ---------------------------------------------------------------------------------- */

static struct json_doc *apply_many(const char *target, const char *op, int count, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "[");
	for (int i = 0; i < count; i++) {
		buf_puts(&text, i ? "," : "");
		buf_puts(&text, op);
	}
	buf_puts(&text, "]");
	AUTO(json_doc_unref) struct json_doc *doc = parse(target);
	AUTO(json_doc_unref) struct json_doc *patch = json_parse(buf_str(&text), NULL, err);
	return json_patch_apply(json_doc_root(doc), json_doc_root(patch), err);
}

static void test_limits(void)
{
	static const char append[] = "{\"op\":\"add\",\"path\":\"/a/-\",\"value\":1}";
	static const char nest[] = "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}";
	static const char deepen[] = "{\"op\":\"add\",\"path\":\"/b\",\"value\":{}},"
				     "{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b/a\"},"
				     "{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a\"}";
	struct err err = {0};
	AUTO(json_doc_unref)
	struct json_doc *most = apply_many("{\"a\":[]}", append, LIMIT_PATCH_OPS, &err);

	ok(json_len(json_get(json_doc_root(most), "a")) == LIMIT_PATCH_OPS, "as many as allowed");
	ok(!apply_many("{\"a\":[]}", append, LIMIT_PATCH_OPS + 1, &err) &&
		   err.code == ERR_TOO_LARGE,
	   "not more: %s", err.text);
	ok(!apply_many("{\"a\":[\"0123456789\"]}", nest, 40, &err) && err.code == ERR_INVALID,
	   "copies do not add up: %s", err.text);
	ok(!apply_many("{\"a\":{}}", deepen, 1000, &err) && err.code == ERR_INVALID,
	   "moves do not nest without end: %s", err.text);
	AUTO(json_doc_unref) struct json_doc *deep = apply_many("{\"a\":{}}", deepen, 500, &err);
	ok(deep != NULL, "but deep enough");

	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	for (int i = 0; i < LIMIT_OBJECT_DEPTH - 2; i++)
		buf_puts(&text, "[");
	for (int i = 0; i < LIMIT_OBJECT_DEPTH - 2; i++)
		buf_puts(&text, "]");
	AUTO(mem_free)
	char *add = mem_printf("[{\"op\":\"replace\",\"path\":\"/a/0/0/0\",\"value\":%s}]",
			       buf_text(&text));
	AUTO(json_doc_unref) struct json_doc *patch = parse(add);
	AUTO(json_doc_unref) struct json_doc *target = parse("{\"a\":[[[0]]]}");
	ok(!json_patch_apply(json_doc_root(target), json_doc_root(patch), &err),
	   "nor does replace: %s", err.text);
}

/* --- diff ------------------------------------------------------------------------------------ */

static const struct {
	const char *from;
	const char *to;
	const char *patch;
} diffs[] = {
	{"{\"a\":1}", "{\"a\":1}", "[]"},
	{"1", "{}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":{}}]"},
	{"{\"a\":1,\"b/c\":2}", "{\"b/c\":3,\"d\":null}",
	 "[{\"op\":\"remove\",\"path\":\"/a\"},"
	 "{\"op\":\"replace\",\"path\":\"/b~1c\",\"value\":3},"
	 "{\"op\":\"add\",\"path\":\"/d\",\"value\":null}]"},
	{"[1,2,3,4]", "[1,4]",
	 "[{\"op\":\"remove\",\"path\":\"/2\"},{\"op\":\"remove\",\"path\":\"/1\"}]"},
	{"[1,4]", "[1,2,3,4]",
	 "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2},"
	 "{\"op\":\"add\",\"path\":\"/2\",\"value\":3}]"},
	{"[{\"x\":1},5]", "[{\"x\":2},6,7]",
	 "[{\"op\":\"replace\",\"path\":\"/0/x\",\"value\":2},"
	 "{\"op\":\"replace\",\"path\":\"/1\",\"value\":6},"
	 "{\"op\":\"add\",\"path\":\"/2\",\"value\":7}]"},
};

static void test_diffs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(diffs); i++) {
		AUTO(json_doc_unref) struct json_doc *from = parse(diffs[i].from);
		AUTO(json_doc_unref) struct json_doc *to = parse(diffs[i].to);
		AUTO(json_doc_unref)
		struct json_doc *patch = json_patch_diff(json_doc_root(from), json_doc_root(to));
		AUTO(mem_free) char *text = json_text(json_doc_root(patch), JSON_COMPACT);
		AUTO(json_doc_unref)
		struct json_doc *result =
			json_patch_apply(json_doc_root(from), json_doc_root(patch), NULL);

		is(text, diffs[i].patch);
		ok(json_eq(json_doc_root(result), json_doc_root(to)), "and back");
	}
}

static void test_large_diff(void)
{
	AUTO(json_doc_unref) struct json_doc *from = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *to = json_doc_new();
	struct json a = json_new_arr(from);
	struct json b = json_new_arr(to);

	json_doc_set_root(from, a);
	json_doc_set_root(to, b);
	for (int i = 0; i < LIMIT_PATCH_OPS + 5; i++) {
		json_append(from, a, json_new_int(from, i));
		json_append(to, b, json_new_int(to, -i - 1));
	}
	AUTO(json_doc_unref) struct json_doc *patch = json_patch_diff(a, b);
	AUTO(json_doc_unref)
	struct json_doc *result = json_patch_apply(a, json_doc_root(patch), NULL);
	ok(json_len(json_doc_root(patch)) == 1, "too many differences: one replacement");
	ok(json_eq(json_doc_root(result), b), "that makes the same");
}

/* --- large objects --- */

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

/* A place in a document of two large objects and one that becomes large. */
static void put_place(struct buf *to, unsigned *seed)
{
	static const char *const tops[] = {"a", "b", "c", "a/deep"};
	unsigned top = next_random(seed) % 4;

	buf_printf(to, "/%s", tops[top]);
	if (next_random(seed) % 16)
		buf_printf(to, "/k%u", next_random(seed) % 120);
}

static void put_op(struct buf *to, unsigned *seed)
{
	static const char *const names[] = {"add", "remove", "replace", "move", "copy", "test"};
	const char *name = names[next_random(seed) % 6];

	buf_printf(to, "{\"op\":\"%s\",\"path\":\"", name);
	put_place(to, seed);
	buf_puts(to, "\",\"from\":\"");
	put_place(to, seed);
	if (next_random(seed) % 8)
		buf_printf(to, "\",\"value\":\"v%u\"}", next_random(seed) % 3);
	else
		buf_puts(to, "\",\"value\":{\"k1\":\"x\",\"deep\":{}}}");
}

static struct json_doc *new_large(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (int top = 'a'; top <= 'c'; top++) {
		buf_printf(&text, "%s\"%c\":{\"deep\":{}", top == 'a' ? "{" : ",", top);
		for (int i = 0; top != 'c' && i < 100; i++)
			buf_printf(&text, ",\"k%d\":\"v%d\"", i, i % 3);
		buf_putc(&text, '}');
	}
	buf_putc(&text, '}');
	return json_parse(buf_str(&text), NULL, NULL);
}

/* Operations at once make the same, in the same order, as one after the other. */
static void test_large_objects(unsigned seed)
{
	enum { ROUNDS = 60, OPS = 300 };
	AUTO(buf_done) struct buf all = BUF_UNBOUNDED;
	unsigned done = 0;

	printf("# seed %u\n", seed);
	for (int round = 0; round < ROUNDS; round++) {
		struct json_doc *step = new_large();
		AUTO(json_doc_unref) struct json_doc *start = json_doc_ref(step);

		buf_clear(&all);
		buf_putc(&all, '[');
		for (int i = 0; i < OPS; i++) {
			AUTO(buf_done) struct buf one = BUF_UNBOUNDED;
			AUTO(json_doc_unref) struct json_doc *patch = NULL;
			struct json_doc *next;

			buf_putc(&one, '[');
			put_op(&one, &seed);
			buf_putc(&one, ']');
			patch = json_parse(buf_str(&one), NULL, NULL);
			next = json_patch_apply(json_doc_root(step), json_doc_root(patch), NULL);
			if (!next)
				continue; /* it would end the whole patch */
			json_doc_unref(step);
			step = next;
			done++;
			buf_printf(&all, "%s%.*s", all.len > 1 ? "," : "", (int)(one.len - 2),
				   buf_text(&one) + 1);
		}
		buf_putc(&all, ']');
		AUTO(json_doc_unref) struct json_doc *patch = json_parse(buf_str(&all), NULL, NULL);
		AUTO(json_doc_unref)
		struct json_doc *whole =
			json_patch_apply(json_doc_root(start), json_doc_root(patch), NULL);
		AUTO(mem_free) char *want = json_text(json_doc_root(step), JSON_COMPACT);
		AUTO(mem_free) char *got = json_text(json_doc_root(whole), JSON_COMPACT);

		json_doc_unref(step);
		if (strcmp(got, want) != 0) {
			is(got, want);
			return;
		}
	}
	ok(done > ROUNDS * OPS / 8, "%u operations on large objects at once are as one by one",
	   done);
}

int main(void)
{
	test_large_objects(7);
	patch_rows_check(rows, ARRAY_LEN(rows), json_patch_apply);
	patch_failures_check(failures, ARRAY_LEN(failures), json_patch_apply);
	test_limits();
	test_diffs();
	test_large_diff();
	return tap_done();
}
