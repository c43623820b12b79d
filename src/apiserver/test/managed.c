/* SPDX-License-Identifier: Apache-2.0 */
/* Server-side apply and the managers of fields: what each step leaves of an object and who has what.
 * ' stands for ". */
#include "apiserver/apply/managed.h"

#include "apiserver/apply/fieldset.h"
#include "apiserver/test/quotes.h"

#define CONFIG "/api/v1/namespaces/default/configmaps/c"
#define HEAD "'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c'}"
#define SERVICE "/api/v1/namespaces/default/services/s"
#define SERVICE_HEAD "'apiVersion':'v1','kind':'Service','metadata':{'name':'s'}"
#define PORT(name, port) "{'name':'" name "','port':" port ",'protocol':'TCP'}"
#define WIDGET "/apis/x.io/v1/namespaces/default/widgets/w"
#define WIDGET_HEAD "'apiVersion':'x.io/v1','kind':'Widget','metadata':{'name':'w'}"
#define WIDGETS "/apis/x.io/v1/namespaces/default/widgets"
#define NULLS WIDGETS "/n"
#define NULLS_HEAD "'apiVersion':'x.io/v1','kind':'Widget','metadata':{'name':'n'}"

/* The managers in one line: "name operation fields; ..." */
static void print_managers(struct json object, struct buf *to)
{
	struct json_iter it = json_iter(json_get(json_get(object, "metadata"), "managedFields"));

	while (json_next(&it)) {
		buf_printf(to, "%s%.*s %.*s ", it.index ? "; " : "",
			   STR_ARG(json_str(json_get(it.value, "manager"))),
			   STR_ARG(json_str(json_get(it.value, "operation"))));
		json_print(json_get(it.value, "fieldsV1"), JSON_CANONICAL, to);
	}
	for (size_t i = 0; i < to->len; i++)
		if (to->ptr[i] == '"')
			to->ptr[i] = '\'';
}

struct write {
	const char *manager, *method, *path, *body;
	bool force;
	int code;
	const char *at, *want; /* a pointer into the answer, and what is there */
	const char *managers;  /* NULL: not looked at */
};

static struct answer ask_as(struct world *w, const struct write *write)
{
	static const struct call_sink sink = {.answered = world_answered};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct answer answer = {0};
	struct call *call = world_call(w, &sink, &answer, write->method, write->path);
	struct err err;

	if (strstr(write->method, "apply"))
		call->patch = PATCH_APPLY;
	call->options.field_manager = str_from(write->manager);
	call->options.force = write->force ? OPTION_TRUE : OPTION_UNSET;
	call->body.doc = json_parse(str_from(quotes_text(arena, write->body)), NULL, &err);
	api_serve(call);
	while (!answer.done)
		loop_turn(w->loop, -1);
	return answer;
}

static void run(struct world *w, const struct write *writes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct write *write = &writes[i];
		AUTO(answer_done) struct answer answer = ask_as(w, write);
		struct json root = json_doc_root(answer.doc);
		AUTO(mem_free)
		char *text = json_text(json_pointer_get(root, str_from(write->at)), JSON_CANONICAL);
		AUTO(buf_done) struct buf managers = BUF_UNBOUNDED;

		for (char *c = text; *c; c++)
			if (*c == '"')
				*c = '\'';
		ok(answer.code == write->code, "%s %s: %d (%d)", write->manager, write->method,
		   write->code, answer.code);
		is(text, write->want);
		print_managers(root, &managers);
		if (write->managers)
			is(buf_text(&managers), write->managers);
	}
}

static const struct write plain[] = {
	{"a", "PATCH apply", CONFIG, "{" HEAD ",'data':{'x':'1'}}", false, 201, "/data",
	 "{'x':'1'}", "a Apply {'f:data':{'f:x':{}}}"},
	{"a", "PATCH apply", CONFIG, "{" HEAD ",'data':{'x':'1'}}", false, 200, "/data",
	 "{'x':'1'}", "a Apply {'f:data':{'f:x':{}}}"},
	{"b", "PATCH apply", CONFIG, "{" HEAD ",'data':{'x':'1','y':'1'}}", false, 200, "/data",
	 "{'x':'1','y':'1'}",
	 "a Apply {'f:data':{'f:x':{}}}; b Apply {'f:data':{'f:x':{},'f:y':{}}}"},
	{"b", "PATCH apply", CONFIG, "{" HEAD ",'data':{'x':'2'}}", false, 409, "/message",
	 "'Apply failed with 1 conflict: conflict with \\'a\\': .data.x'", NULL},
	{"b", "PATCH apply", CONFIG, "{" HEAD ",'data':{'x':'2'}}", true, 200, "/data", "{'x':'2'}",
	 "b Apply {'f:data':{'f:x':{}}}"},
	{"c", "PATCH merge", CONFIG, "{'data':{'x':'3','z':'1'}}", false, 200, "/data",
	 "{'x':'3','z':'1'}", "c Update {'f:data':{'f:x':{},'f:z':{}}}"},
	{"b", "PATCH apply", CONFIG, "{" HEAD ",'data':{'x':'4','z':'2'}}", false, 409, "/message",
	 "'Apply failed with 2 conflicts: conflicts with \\'c\\' using v1:\\n- .data.x\\n- "
	 ".data.z'",
	 NULL},
	{"b", "PATCH apply", CONFIG, "{" HEAD ",'data':{},'odd':1}", false, 500, "/message",
	 "'failed to create typed patch object (/c; /v1, Kind=ConfigMap): .odd: field not declared "
	 "in schema'",
	 NULL},
	{"c", "PATCH merge", CONFIG, "{'metadata':{'managedFields':[{}]}}", false, 200, "/data/x",
	 "'3'", ""},
	{"d", "PATCH apply", CONFIG, "{" HEAD ",'data':{'n':'1'}}", false, 200, "/data/n", "'1'",
	 "d Apply {'f:data':{'f:n':{}}}; before-first-apply Update "
	 "{'f:data':{'.':{},'f:x':{},'f:z':{}}}"},
	{"", "PATCH apply", CONFIG, "{" HEAD "}", false, 422, "/details/causes/0/message",
	 "'Required value: is required for apply patch'", NULL},
};

static const struct write lists[] = {
	{"a", "PATCH apply", SERVICE,
	 "{" SERVICE_HEAD ",'spec':{'clusterIP':'None','ports':[" PORT("h", "80") "]}}", false, 201,
	 "/spec/ports/0/port", "80", NULL},
	{"b", "PATCH apply", SERVICE, "{" SERVICE_HEAD ",'spec':{'ports':[" PORT("t", "443") "]}}",
	 false, 200, "/spec/ports/1/port", "443", NULL},
	{"b", "PATCH apply", SERVICE, "{" SERVICE_HEAD ",'spec':{'ports':[" PORT("x", "80") "]}}",
	 false, 409, "/details/causes/0/field", "'.spec.ports[port=80,protocol=\\'TCP\\'].name'",
	 NULL},
	{"b", "PATCH apply", SERVICE, "{" SERVICE_HEAD ",'spec':{'ports':[]}}", false, 200,
	 "/spec/ports/1", "", NULL},
};

static const struct step definition[] = {
	{"POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
	 "{'metadata':{'name':'widgets.x.io'},'spec':{'group':'x.io','scope':'Namespaced',"
	 "'names':{'plural':'widgets','kind':'Widget'},'versions':[{'name':'v1','served':true,"
	 "'storage':true,'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':{"
	 "'type':'object','properties':{'size':{'type':'integer'},'tags':{'type':'array','items':{"
	 "'type':'string'}},'set':{'type':'array','x-kubernetes-list-type':'set','items':{'type':"
	 "'string'}},'may':{'type':'string','nullable':true},'o':{'type':'object',"
	 "'properties':{'has':{'type':'string','default':'d'}}},"
	 "'map':{'type':'object','additionalProperties':{'type':'string'}},'parts':{'type':'array',"
	 "'x-kubernetes-list-type':'map',"
	 "'x-kubernetes-list-map-keys':['name'],'items':{'type':'object','required':['name'],"
	 "'properties':{'name':{'type':'string'},'n':{'type':'integer'}}}}}}}}}}]}}",
	 201, "/kind", "CustomResourceDefinition"},
};

static const struct write custom[] = {
	{"a", "PATCH apply", WIDGET,
	 "{" WIDGET_HEAD
	 ",'spec':{'size':1,'tags':['a'],'set':['x'],'parts':[{'name':'p','n':1}]}}",
	 false, 201, "/spec/size", "1",
	 "a Apply {'f:spec':{'f:parts':{'k:{\\'name\\':\\'p\\'}':{'.':{},'f:n':{},'f:name':{}}},"
	 "'f:set':{'v:\\'x\\'':{}},'f:size':{},'f:tags':{}}}"},
	{"b", "PATCH apply", WIDGET,
	 "{" WIDGET_HEAD ",'spec':{'set':['y'],'parts':[{'name':'q','n':2}]}}", false, 200, "/spec",
	 "{'parts':[{'n':1,'name':'p'},{'n':2,'name':'q'}],'set':['x','y'],'size':1,'tags':['a']}",
	 NULL},
	{"a", "PATCH apply", WIDGET, "{" WIDGET_HEAD ",'spec':{'size':1}}", false, 200, "/spec",
	 "{'parts':[{'n':2,'name':'q'}],'set':['y'],'size':1}", NULL},
	{"b", "PATCH apply", WIDGET,
	 "{" WIDGET_HEAD ",'spec':{'parts':[{'name':'p'},{'name':'p'}]}}", false, 500, "/message",
	 "'failed to create typed patch object (/w; x.io/v1, Kind=Widget): .spec.parts: duplicate "
	 "entries for key [name=\\'p\\']'",
	 NULL},
	{"b", "PATCH apply", WIDGET, "{" WIDGET_HEAD "}", false, 200, "/spec", "{'size':1}",
	 "a Apply {'f:spec':{'f:size':{}}}"},
};

/* A null that a client sends is removed if the field cannot be null. One that is applied is a value, and refused;
 * if what is there has parts, it says that the manager has none of them. */
static const struct write nulls[] = {
	{"a", "PATCH apply", NULLS, "{" NULLS_HEAD ",'spec':{'map':null}}", false, 422,
	 "/details/causes/0",
	 "{'field':'spec.map','message':'Invalid value: \\'null\\': spec.map in "
	 "body must be of type object: \\'null\\'','reason':'FieldValueTypeInvalid'}",
	 NULL},
	{"a", "PATCH apply", NULLS, "{" NULLS_HEAD ",'spec':{'size':null,'tags':null}}", false, 422,
	 "/details/causes/1/field", "'spec.tags'", NULL},
	{"a", "PATCH apply", NULLS, "{" NULLS_HEAD ",'spec':{'may':null,'o':{'has':null}}}", false,
	 201, "/spec", "{'may':null,'o':{'has':'d'}}", NULL},
	{"a", "PATCH merge", NULLS, "{'spec':{'map':{}}}", false, 200, "/spec/map", "{}", NULL},
	{"a", "PATCH apply", NULLS, "{" NULLS_HEAD ",'spec':{'map':null}}", false, 422,
	 "/details/causes/0/field", "'spec.map'", NULL},
	{"b", "PATCH apply", NULLS, "{" NULLS_HEAD ",'spec':{'map':{'k':'v'}}}", false, 200,
	 "/spec/map", "{'k':'v'}", NULL},
	{"a", "PATCH apply", NULLS, "{" NULLS_HEAD ",'spec':{'map':null}}", false, 200, "/spec/map",
	 "{'k':'v'}", NULL},
	{"a", "POST", WIDGETS,
	 "{'apiVersion':'x.io/v1','kind':'Widget','metadata':{'name':'m'},'spec':{'size':null,"
	 "'map':null,'o':{'has':null}}}",
	 false, 201, "/spec", "{'o':{'has':'d'}}", NULL},
};

static void test_sets(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *left =
		json_parse(STR("{\"f:a\":{\".\":{},\"f:b\":{}},\"f:c\":{}}"), NULL, &err);
	AUTO(json_doc_unref)
	struct json_doc *right = json_parse(STR("{\"f:a\":{\"f:b\":{}},\"f:d\":{}}"), NULL, &err);
	struct fieldset *a = fieldset_decode(arena, json_doc_root(left));
	struct fieldset *b = fieldset_decode(arena, json_doc_root(right));
	struct fieldset *minus = fieldset_difference(arena, a, b);
	AUTO(mem_free) char *text = json_text(fieldset_encode(minus, doc), JSON_CANONICAL);

	ok(json_eq(fieldset_encode(a, doc), json_doc_root(left)),
	   "a set is printed as it was read");
	is(text, "{\"f:a\":{},\"f:c\":{}}");
	ok(fieldset_eq(fieldset_union(arena, minus, fieldset_intersection(arena, a, b)), a),
	   "what is left and what is shared make the whole");
	ok(fieldset_is_empty(fieldset_difference(arena, a, a)), "nothing is left of itself");
	ok(fieldset_meets(a, json_doc_root(right)) && fieldset_meets(b, json_doc_root(left)),
	   "two sets that share a field meet");
	ok(!fieldset_meets(minus, json_doc_root(right)),
	   "two that share only the way to it do not");
}

/* Nodes that are added in any order, some of them twice, make the same set. */
static void test_filling(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct fieldset *sorted = fieldset_new(arena);
	struct fieldset *mixed = fieldset_new(arena);
	char key[32];

	for (unsigned i = 0; i < 1000; i++) {
		unsigned place = i * 7 % 1000;

		snprintf(key, sizeof(key), "f:%04u", i);
		fieldset_add(arena, fieldset_add(arena, sorted, str_from(key)), STR("f:x"))
			->member = true;
		snprintf(key, sizeof(key), "f:%04u", place);
		(void)fieldset_add(arena, mixed, str_from(key));
		fieldset_add(arena, fieldset_add(arena, mixed, str_from(key)), STR("f:x"))->member =
			true;
		(void)fieldset_add(arena, mixed, STR("f:nothing"));
	}
	fieldset_finish(arena, sorted);
	fieldset_finish(arena, mixed);
	ok(mixed->count == 1000 && fieldset_eq(sorted, mixed),
	   "a set does not depend on the order that it was filled in");
	ok(fieldset_find(mixed, STR("f:0500")) && !fieldset_find(mixed, STR("f:nothing")),
	   "what holds nothing is not there");
}

#define DEPLOYMENT "/apis/apps/v1/namespaces/default/deployments/d"

/* A deployment whose container has these variables, in an arbitrary order. */
static char *make_deployment(unsigned from, unsigned count, const char *value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text,
		 "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'},"
		 "'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{"
		 "'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i','env':[");
	for (unsigned i = 0; i < count; i++)
		buf_printf(&text, "%s{'name':'V%u','value':'%s'}", i ? "," : "",
			   from + i * 7919 % count, value);
	buf_puts(&text, "]}]}}}}");
	return mem_strdup(buf_text(&text));
}

/* Lists with keys of thousands of elements, created, changed, applied and taken back: with a walk for
 * each element, each of these steps would take minutes. */
static void test_large(struct world *w)
{
	AUTO(mem_free) char *first = make_deployment(0, 10000, "x");
	AUTO(mem_free) char *second = make_deployment(5000, 20000, "y");
	AUTO(mem_free) char *few = make_deployment(5000, 10, "z");
	const struct {
		const char *manager, *method, *path, *body;
		int code;
		size_t len; /* of env */
	} steps[] = {
		{"m", "POST", "/apis/apps/v1/namespaces/default/deployments", first, 201, 10000},
		{"m", "PUT", DEPLOYMENT, second, 200, 20000},
		{"n", "PATCH apply", DEPLOYMENT, first, 200, 25000},
		{"n", "PATCH apply", DEPLOYMENT, few, 200, 20000},
	};

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct write write = {.manager = steps[i].manager,
				      .method = steps[i].method,
				      .path = steps[i].path,
				      .body = steps[i].body,
				      .force = i > 1};
		AUTO(answer_done) struct answer answer = ask_as(w, &write);
		struct json env = json_pointer_get(json_doc_root(answer.doc),
						   STR("/spec/template/spec/containers/0/env"));

		ok(answer.code == steps[i].code && json_len(env) == steps[i].len,
		   "%s: %d, and %zu variables (%d, %zu)", steps[i].method, steps[i].code,
		   steps[i].len, answer.code, json_len(env));
	}
}

/* Thousands of managers that a client says there are become one. */
static void test_many_managers(struct world *w)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct write write = {.manager = "m", .method = "PUT", .path = CONFIG};
	struct json fields;

	buf_puts(&text, "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c',"
			"'managedFields':[");
	for (unsigned i = 0; i < 5000; i++)
		buf_printf(&text,
			   "%s{'manager':'m%u','operation':'Update','apiVersion':'v1',"
			   "'fieldsType':'FieldsV1','fieldsV1':{'f:data':{'f:k%u':{}}}}",
			   i ? "," : "", i, i);
	buf_puts(&text, "]},'data':{'k':'v'");
	for (unsigned i = 0; i < 5000; i++)
		buf_printf(&text, ",'k%u':'v'", i);
	buf_puts(&text, "}}");
	write.body = buf_text(&text);

	AUTO(answer_done) struct answer answer = ask_as(w, &write);

	fields = json_pointer_get(json_doc_root(answer.doc), STR("/metadata/managedFields"));
	ok(answer.code == 200 && json_len(fields) <= 12, "they are few (%d, %zu)", answer.code,
	   json_len(fields));
}

int main(void)
{
	struct world w = world_new();

	test_sets();
	test_filling();
	run(&w, plain, ARRAY_LEN(plain));
	run(&w, lists, ARRAY_LEN(lists));
	quotes_steps(&w, definition, ARRAY_LEN(definition));
	run(&w, custom, ARRAY_LEN(custom));
	run(&w, nulls, ARRAY_LEN(nulls));
	test_large(&w);
	test_many_managers(&w);
	world_free(&w);
	return tap_done();
}
