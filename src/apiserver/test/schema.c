/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of custom kinds: what is refused and in which words, what is filled in, what is
 * dropped. In the rows ' stands for ". */
#include "apiserver/crd/schema.h"

#include "base/mem.h"
#include "model/rules/causes.h"
#include "quoted.h"
#include "tap.h"

static struct schema *compile(const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);
	struct err err;
	struct schema *schema = schema_new(json_doc_root(doc), &err);

	if (!schema)
		printf("# %s\n", err.text);
	return schema;
}

/* "reason field message" of each cause, on lines, with ' for ". */
static char *print_causes(const struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < causes->len; i++)
		buf_printf(&text, "%s%s %s: %s", i ? "\n" : "",
			   cause_reason_name(causes->ptr[i].reason) + strlen("FieldValue"),
			   causes->ptr[i].field, causes->ptr[i].message);
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '"')
			text.ptr[i] = '\'';
	return buf_take(&text);
}

struct row {
	const char *spec;
	const char *causes; /* "": it is valid */
};

/* Objects whose spec has a schema, each with what is said of it. */
static void check_rows(const char *spec_schema, const struct row *rows, size_t count)
{
	AUTO(mem_free)
	char *whole = mem_printf("{'type':'object','properties':{'spec':%s}}", spec_schema);
	AUTO(schema_free) struct schema *schema = compile(whole);

	for (size_t i = 0; i < count; i++) {
		AUTO(mem_free) char *object = mem_printf("{'metadata':{},'spec':%s}", rows[i].spec);
		AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(object);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		AUTO(mem_free) char *got = NULL;

		schema_validate(schema, json_doc_root(doc), &causes);
		got = print_causes(&causes);
		tap_is(got, rows[i].causes, __FILE__, __LINE__, rows[i].spec);
	}
}
#define CHECK(schema, rows) check_rows(schema, rows, ARRAY_LEN(rows))

static void test_types(void)
{
	static const struct row rows[] = {
		{"{'s':'x','i':1,'n':1.5,'b':true,'o':{},'a':['x']}", ""},
		{"{'i':2.0,'n':3}", ""},
		{"{'s':1}",
		 "TypeInvalid spec.s: Invalid value: 'integer': spec.s in body must be of "
		 "type string: 'integer'"},
		{"{'i':1.5}", "TypeInvalid spec.i: Invalid value: 'number': spec.i in body must be "
			      "of type integer: 'number'"},
		{"{'b':0}",
		 "TypeInvalid spec.b: Invalid value: 'integer': spec.b in body must be of "
		 "type boolean: 'integer'"},
		{"{'o':[]}",
		 "TypeInvalid spec.o: Invalid value: 'array': spec.o in body must be of "
		 "type object: 'array'"},
		{"{'a':['x',2]}", "TypeInvalid spec.a[1]: Invalid value: 'integer': spec.a[1] in "
				  "body must be of type string: 'integer'"},
		{"{'a':[null]}", "TypeInvalid spec.a[0]: Invalid value: 'null': spec.a[0] in body "
				 "must be of type string: 'null'"},
		{"{'q':1.5}", "TypeInvalid spec.q: Invalid value: 'number': spec.q in body must be "
			      "of type integer,string: 'number'"},
		{"{'q':'50%'}", ""},
		{"{'z':null}", ""},
		{"{'any':[1,{'x':2}]}", ""},
	};

	CHECK("{'type':'object','properties':{'s':{'type':'string'},'i':{'type':'integer'},"
	      "'n':{'type':'number'},'b':{'type':'boolean'},'o':{'type':'object'},'a':{'type':"
	      "'array','items':{'type':'string'}},'q':{'x-kubernetes-int-or-string':true},"
	      "'z':{'type':'string','nullable':true},"
	      "'any':{'x-kubernetes-preserve-unknown-fields':true}}}",
	      rows);
}

static void test_bounds(void)
{
	static const struct row rows[] = {
		{"{'i':0}",
		 "Invalid spec.i: Invalid value: 0: spec.i in body should be greater than "
		 "or equal to 1"},
		{"{'i':12}",
		 "Invalid spec.i: Invalid value: 12: spec.i in body should be less than "
		 "10"},
		{"{'i':10}",
		 "Invalid spec.i: Invalid value: 10: spec.i in body should be less than "
		 "10"},
		{"{'i':3}", "Invalid spec.i: Invalid value: 3: spec.i in body should be a multiple "
			    "of 2"},
		{"{'n':0.05}", "Invalid spec.n: Invalid value: 0.05: spec.n in body should be a "
			       "multiple of 0.1"},
		{"{'s':'abcd'}", "TooLong spec.s: Too long: may not be more than 3 bytes"},
		{"{'s':''}", "Invalid spec.s: Invalid value: '': spec.s in body should be at least "
			     "2 chars long"},
		{"{'s':'äö'}", "Invalid spec.s: Invalid value: 'äö': spec.s in body should match "
			       "'^[a-z]+$'"},
		{"{'s':'ab\\n'}", "Invalid spec.s: Invalid value: 'ab\\n': spec.s in body should "
				  "match '^[a-z]+$'"},
		{"{'e':'x'}", "NotSupported spec.e: Unsupported value: 'x': supported values: 'a', "
			      "'b', '3'"},
		{"{'e':3}", ""},
		{"{'a':[]}",
		 "Invalid spec.a: Invalid value: 0: spec.a in body should have at least "
		 "1 items"},
		{"{'a':[1,2,3]}", "TooMany spec.a: Too many: 3: must have at most 2 items"},
		{"{'m':{}}",
		 "Invalid spec.m: Invalid value: 0: spec.m in body should have at least "
		 "1 properties"},
		{"{'m':{'a':1,'b':2,'c':3}}", "TooMany spec.m: Too many: 3: must have at most 2 "
					      "items"},
		{"{'m':{'a':'x'}}",
		 "TypeInvalid spec.m.a: Invalid value: 'string': spec.m.a in body "
		 "must be of type integer: 'string'"},
	};

	CHECK("{'type':'object','properties':{'i':{'type':'integer','minimum':1,'maximum':10,"
	      "'exclusiveMaximum':true,'multipleOf':2},'n':{'type':'number','multipleOf':0.1},"
	      "'s':{'type':'string','minLength':2,'maxLength':3,'pattern':'^[a-z]+$'},"
	      "'e':{'x-kubernetes-int-or-string':true,'enum':['a','b',3]},'a':{'type':'array',"
	      "'minItems':1,'maxItems':2,'items':{'type':'integer'}},'m':{'type':'object',"
	      "'minProperties':1,'maxProperties':2,'additionalProperties':{'type':'integer'}}}}",
	      (rows));
}

static void test_required(void)
{
	static const struct row rows[] = {
		{"{}", "Required spec.a: Required value\nRequired spec.b: Required value"},
		{"{'a':'','b':{}}", "Required spec.b.c: Required value"},
		{"{'a':'','b':{'c':''}}", ""},
	};
	AUTO(schema_free) struct schema *schema = compile("{'type':'object','required':['spec']}");
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc("{}");
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *got = NULL;

	CHECK("{'type':'object','required':['a','b'],'properties':{'a':{'type':'string'},"
	      "'b':{'type':'object','required':['c'],'properties':{'c':{'type':'string'}}}}}",
	      rows);
	schema_validate(schema, json_doc_root(doc), &causes);
	got = print_causes(&causes);
	is(got, "Required spec: Required value");
}

static void test_alternatives(void)
{
	static const struct row rows[] = {
		{"{'v':{'a':'1'}}", ""},
		{"{'v':{'a':'1','b':'2'}}", "Invalid <nil>: Invalid value: '': 'spec.v' must "
					    "validate one and only one schema (oneOf). Found 2 "
					    "valid alternatives"},
		{"{'v':{}}",
		 "Invalid <nil>: Invalid value: '': 'spec.v' must validate one and only "
		 "one schema (oneOf). Found none valid\nRequired spec.v.a: Required "
		 "value"},
		{"{'w':'bad'}", "Invalid <nil>: Invalid value: '': 'spec.w' must not validate the "
				"schema (not)"},
		{"{'x':7}",
		 "Invalid <nil>: Invalid value: '': 'spec.x' must validate at least one "
		 "schema (anyOf)\nInvalid spec.x: Invalid value: 7: spec.x in body should "
		 "be less than or equal to 5"},
		{"{'x':12}", ""},
		{"{'y':'a'}",
		 "Invalid spec.y: Invalid value: 'a': spec.y in body should be at least "
		 "2 chars long\nInvalid <nil>: Invalid value: '': 'spec.y' must "
		 "validate all the schemas (allOf)"},
		{"{'q':true}",
		 "TypeInvalid spec.q: Invalid value: 'boolean': spec.q in body must be "
		 "of type integer,string: 'boolean'\nInvalid <nil>: Invalid value: "
		 "'': 'spec.q' must validate at least one schema (anyOf)\nTypeInvalid "
		 "spec.q: Invalid value: 'boolean': spec.q in body must be of type "
		 "integer: 'boolean'"},
	};

	CHECK("{'type':'object','properties':{'v':{'type':'object','properties':{'a':{'type':"
	      "'string'},'b':{'type':'string'}},'oneOf':[{'required':['a']},{'required':['b']}]},"
	      "'w':{'type':'string','not':{'enum':['bad']}},'x':{'type':'integer','anyOf':["
	      "{'maximum':5},{'minimum':10}]},'y':{'type':'string','allOf':[{'minLength':2},"
	      "{'maxLength':3}]},'q':{'anyOf':[{'type':'integer'},{'type':'string'}],"
	      "'x-kubernetes-int-or-string':true}}}",
	      rows);
}

static void test_lists(void)
{
	static const struct row rows[] = {
		{"{'s':['a','b'],'m':[{'name':'x'}]}", ""},
		{"{'s':['a','a','a','b']}", "Duplicate spec.s[1]: Duplicate value: 'a'"},
		{"{'m':[{'name':'x'},{'name':'x','v':1}]}", "Duplicate spec.m[1]: Duplicate value: "
							    "{'name':'x'}"},
		{"{'m':[{'v':1}]}", "Required spec.m[0].name: Required value"},
		{"{'u':[1,1]}",
		 "Invalid spec.u: Invalid value: '': spec.u in body shouldn't contain "
		 "duplicates"},
		{"{'t':{'kind':'Pod'}}", "Required spec.t.apiVersion: Required value"},
		{"{'t':{'kind':'Pod','apiVersion':'v1','metadata':{'name':'x'}}}", ""},
		{"{'t':{'kind':'P d','apiVersion':1}}",
		 "Invalid spec.t.apiVersion: Invalid value: 1: must be a string\nInvalid "
		 "spec.t.kind: Invalid value: 'P d': may have mixed case, but should otherwise "
		 "match: a DNS-1035 label must consist of lower case alphanumeric characters or "
		 "'-', start with an alphabetic character, and end with an alphanumeric character "
		 "(e.g. 'my-name',  or 'abc-123', regex used for validation is "
		 "'[a-z]([-a-z0-9]*[a-z0-9])?')"},
	};

	CHECK("{'type':'object','properties':{'s':{'type':'array','x-kubernetes-list-type':'set',"
	      "'items':{'type':'string'}},'m':{'type':'array','x-kubernetes-list-type':'map',"
	      "'x-kubernetes-list-map-keys':['name'],'items':{'type':'object','required':['name'],"
	      "'properties':{'name':{'type':'string'},'v':{'type':'integer'}}}},'u':{'type':"
	      "'array','uniqueItems':true,'items':{'type':'integer'}},'t':{'type':'object',"
	      "'x-kubernetes-embedded-resource':true,"
	      "'x-kubernetes-preserve-unknown-fields':true}}}",
	      rows);
}

static void test_formats(void)
{
	static const struct {
		const char *format;
		const char *good;
		const char *bad;
	} rows[] = {
		{"date-time", "2024-01-01T00:00:00Z", "yesterday"},
		{"date", "2024-02-29", "2023-02-29"},
		{"duration", "1h30m", "soon"},
		{"duration", "3 days", "3 x"},
		{"ipv4", "10.0.0.1", "10.0.0.256"},
		{"ipv6", "::1", "1.2.3.4"},
		{"cidr", "10.0.0.0/8", "10.0.0.0/33"},
		{"mac", "00:11:22:33:44:55", "00:11:22:33:44"},
		{"uuid", "123e4567-e89b-12d3-a456-426614174000", "123"},
		{"uuid4", "123e4567-e89b-42d3-a456-426614174000",
		 "123e4567-e89b-12d3-a456-426614174000"},
		{"byte", "aGk=", "a"},
		{"uri", "http://a/b", "a b"},
		{"email", "a@b.c", "a.b"},
		{"hostname", "a.example.com", "-a"},
		{"hexcolor", "#ff00AA", "#ff"},
		{"rgbcolor", "rgb(1, 2, 255)", "rgb(1,2,256)"},
		{"isbn10", "0-306-40615-2", "0-306-40615-3"},
		{"isbn13", "978-0-306-40615-7", "978-0-306-40615-8"},
		{"isbn", "0306406152", "1"},
		{"creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"},
		{"ssn", "111-22-3333", "1"},
		{"bsonobjectid", "0123456789abcdef01234567", "x"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free)
		char *schema = mem_printf("{'type':'string','format':'%s'}", rows[i].format);
		AUTO(mem_free) char *good = mem_printf("'%s'", rows[i].good);
		AUTO(mem_free) char *bad = mem_printf("'%s'", rows[i].bad);
		AUTO(mem_free)
		char *causes = mem_printf("TypeInvalid spec: Invalid value: '%s': "
					  "spec in body must be of type %s: '%s'",
					  rows[i].bad, rows[i].format, rows[i].bad);
		const struct row two[] = {{good, ""}, {bad, causes}};

		check_rows(schema, two, ARRAY_LEN(two));
	}
	check_rows("{'type':'integer','format':'int32'}", (const struct row[]){{"4294967296", ""}},
		   1);
	check_rows("{'type':'string','format':'password'}", (const struct row[]){{"'x'", ""}}, 1);
	check_rows(
		"{'type':'string','format':'date-time'}",
		(const struct row[]){
			{"5", "TypeInvalid spec: Invalid value: 'int64': spec in body must be of "
			      "type date-time: 'int64'"}},
		1);
}

static void test_default(void)
{
	static const struct {
		const char *spec;
		const char *filled;
	} rows[] = {
		{"{'n':null}", "{'d':'x','n':null,'nd':'y','o':{'p':1}}"},
		{"{'s':null}", "{'d':'x','nd':'y','o':{'p':1}}"},
		{"{'d':null}", "{'d':'x','nd':'y','o':{'p':1}}"},
		{"{'nd':null}", "{'d':'x','nd':null,'o':{'p':1}}"},
		{"{'a':[null],'o':{}}", "{'a':[null],'d':'x','nd':'y','o':{'p':1}}"},
		{"{'l':[{},{'q':3},null]}",
		 "{'d':'x','l':[{'q':2},{'q':3},{'q':2}],'nd':'y','o':{'p':1}}"},
		{"{'m':{'k':{},'z':null}}", "{'d':'x','m':{'k':{'r':4}},'nd':'y','o':{'p':1}}"},
	};
	AUTO(schema_free)
	struct schema *schema = compile(
		"{'type':'object','properties':{'spec':{'type':'object','properties':{'n':{'type':"
		"'string','nullable':true},'s':{'type':'string'},'d':{'type':'string','default':"
		"'x'},'nd':{'type':'string','nullable':true,'default':'y'},'a':{'type':'array',"
		"'items':{'type':'string'}},'o':{'type':'object','default':{},'properties':{'p':{"
		"'type':'integer','default':1}}},'l':{'type':'array','items':{'type':'object',"
		"'default':{},'properties':{'q':{'type':'integer','default':2}}}},'m':{'type':"
		"'object','additionalProperties':{'type':'object','properties':{'r':{'type':"
		"'integer','default':4}}}}}}}}");

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free) char *object = mem_printf("{'spec':%s}", rows[i].spec);
		AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(object);
		AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
		AUTO(json_doc_unref) struct json_doc *want = quoted_doc(rows[i].filled);
		AUTO(mem_free) char *want_text = json_text(json_doc_root(want), JSON_CANONICAL);
		AUTO(mem_free) char *got = NULL;

		schema_drop_nulls(schema, copy, json_doc_root(copy));
		schema_default(schema, copy, json_doc_root(copy));
		got = json_text(json_get(json_doc_root(copy), "spec"), JSON_CANONICAL);
		is(got, want_text);
	}
}

static void add_path(void *arg, struct str path)
{
	struct buf *to = arg;

	buf_printf(to, "%s%.*s", to->len ? " " : "", STR_ARG(path));
}

static void test_prune(void)
{
	AUTO(schema_free)
	struct schema *schema = compile(
		"{'type':'object','properties':{'spec':{'type':'object','properties':{'keep':{"
		"'type':'string'},'o':{'type':'object','properties':{'x':{'type':'string'}}},"
		"'free':{'type':'object','x-kubernetes-preserve-unknown-fields':true,'properties':{"
		"'known':{'type':'object','properties':{'a':{'type':'string'}}}}},'t':{'type':"
		"'object','x-kubernetes-embedded-resource':true,"
		"'x-kubernetes-preserve-unknown-fields':true},'l':{'type':'array','items':{'type':"
		"'object','properties':{'y':{'type':'string'}}}},'any':{'type':'object',"
		"'additionalProperties':true}}}}}");
	AUTO(json_doc_unref)
	struct json_doc *doc = quoted_doc(
		"{'apiVersion':'v','kind':'K','metadata':{'odd':1},'other':1,'spec':{'keep':'a',"
		"'drop':1,'o':{'x':'1','y':'2'},'free':{'q':{'r':1},'known':{'a':'1','b':2}},"
		"'t':{'metadata':{'name':'n','odd':1},'spec':{'a':1}},'l':[{'y':'1'},{'z':2}],"
		"'any':{'s':1,'o':{'in':1}}}}");
	AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref)
	struct json_doc *want =
		quoted_doc("{'apiVersion':'v','kind':'K','metadata':{'odd':1},'spec':{'"
			   "keep':'a','o':{'x':'1'},"
			   "'free':{'q':{'r':1},'known':{'a':'1'}},'t':{'metadata':{'"
			   "name':'n'},'spec':{'a':1}},"
			   "'l':[{'y':'1'},{}],'any':{'s':1,'o':{}}}}");
	AUTO(buf_done) struct buf unknown = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf again = BUF_UNBOUNDED;

	schema_find_unknown(schema, json_doc_root(doc), add_path, &unknown);
	is(buf_text(&unknown), "other spec.any.o.in spec.drop spec.free.known.b spec.l[1].z "
			       "spec.o.y spec.t.metadata.odd");
	schema_prune(schema, copy, json_doc_root(copy), add_path, &again);
	is(buf_text(&again), buf_text(&unknown));
	ok(json_eq(json_doc_root(copy), json_doc_root(want)), "unknown fields are removed");
	schema_prune(schema, copy, json_doc_root(copy), NULL, NULL);
	ok(json_eq(json_doc_root(copy), json_doc_root(want)), "and nothing more, the second time");
}

static void check_update(const struct schema *schema, const char *old, const char *new,
			 const char *causes_want, bool status)
{
	AUTO(json_doc_unref) struct json_doc *before = quoted_doc(old);
	AUTO(json_doc_unref) struct json_doc *after = quoted_doc(new);
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *got = NULL;

	if (status)
		schema_validate_status(schema, json_doc_root(after), json_doc_root(before),
				       &causes);
	else
		schema_validate_update(schema, json_doc_root(after), json_doc_root(before),
				       &causes);
	got = print_causes(&causes);
	tap_is(got, causes_want, __FILE__, __LINE__, new);
}

static void test_update(void)
{
	AUTO(schema_free)
	struct schema *schema = compile(
		"{'type':'object','properties':{'spec':{'type':'object','properties':{'a':{'type':"
		"'integer'},'b':{'type':'integer'},'l':{'type':'array','x-kubernetes-list-type':"
		"'map','x-kubernetes-list-map-keys':['n'],'items':{'type':'object','properties':{"
		"'n':{'type':'string'},'v':{'type':'integer'}}}}}},'status':{'type':'object',"
		"'properties':{'r':{'type':'integer','minimum':0}}}}}");

	check_update(schema, "{'spec':{'a':'x'}}", "{'spec':{'a':'x','b':1}}", "", false);
	check_update(schema, "{'spec':{'a':'x'}}", "{'spec':{'a':'y'}}",
		     "TypeInvalid spec.a: Invalid value: 'string': spec.a in body must be of type "
		     "integer: 'string'",
		     false);
	check_update(schema, "{'spec':{'l':[{'n':'a','v':'x'}]}}",
		     "{'spec':{'l':[{'n':'b'},{'n':'a','v':'x'}]}}", "", false);
	check_update(schema, "{'spec':{'l':[{'n':'a'},{'n':'a'}]}}",
		     "{'spec':{'l':[{'n':'b'},{'n':'b'}]}}", "", false);
	check_update(schema, "{}", "{'spec':{'l':[{'n':'b'},{'n':'b'}]}}",
		     "Duplicate spec.l[1]: Duplicate value: {'n':'b'}", false);
	check_update(
		schema, "{}", "{'status':{'r':-1},'spec':{'a':'x'}}",
		"Invalid status.r: Invalid value: -1: r in body should be greater than or equal "
		"to 0",
		true);
	check_update(schema, "{}", "{}", "", true);
}

static void test_rules(void)
{
	AUTO(schema_free)
	struct schema *schema = compile(
		"{'type':'object','properties':{'spec':{'type':'object','required':['r'],"
		"'properties':{'r':{'type':'integer'},'f':{'type':'string',"
		"'x-kubernetes-validations':[{'rule':'self == oldSelf','message':'Value is "
		"immutable'}]},'s':{'type':'object','properties':{'a':{'type':'string'},'b':{'type'"
		":"
		"'string'},'n':{'type':'integer'}},'x-kubernetes-validations':[{'rule':"
		"'has(self.a) || has(self.b)'},{'rule':'(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : "
		"0) <= 1','message':'only one'},{'rule':'!has(self.n) || self.n in [1, 2] && "
		"size(self.a) > 0','message':'n'},{'rule':'self.transform(x)'}]}}}}}");

	ok(schema_unchecked_rules(schema) == 1, "a rule that does not compile is not checked");
	check_update(schema, "{'spec':{'r':1,'f':'a'}}", "{'spec':{'r':1,'f':'b'}}",
		     "Invalid spec.f: Invalid value: 'b': Value is immutable", false);
	check_update(schema, "{'spec':{'r':1}}", "{'spec':{'r':1,'f':'b'}}", "", false);
	check_update(schema, "{}", "{'spec':{'f':1}}",
		     "TypeInvalid spec.f: Invalid value: 'integer': spec.f in body must be of type "
		     "string: 'integer'\nRequired spec.r: Required value\nInvalid <nil>: Invalid "
		     "value: null: some validation rules were not checked because the object was "
		     "invalid; correct the existing errors to complete validation",
		     false);
	check_update(schema, "{}", "{'spec':{'r':1,'s':{}}}",
		     "Invalid spec.s: Invalid value: 'object': failed rule: has(self.a) || "
		     "has(self.b)",
		     false);
	check_update(schema, "{}", "{'spec':{'r':1,'s':{'a':'1','b':'2'}}}",
		     "Invalid spec.s: Invalid value: 'object': only one", false);
	check_update(schema, "{}", "{'spec':{'r':1,'s':{'a':'1','n':2}}}", "", false);
	check_update(schema, "{}", "{'spec':{'r':1,'s':{'a':'1','n':3}}}",
		     "Invalid spec.s: Invalid value: 'object': n", false);
	check_update(schema, "{}", "{'spec':{'r':1,'s':{'b':'1','n':1}}}",
		     "Invalid spec.s: Invalid value: 'object': no such key: a evaluating rule: n",
		     false);
}

/* Rules by themselves: on {a: 1, s: "text", l: [1, 2], o: {x: 1.5}, t: true}. */
static const struct {
	const char *rule;
	bool holds;
} expressions[] = {
	{"self.a == 1", true},
	{"self.a != 1", false},
	{"self.a < 2 && self.a <= 1 && self.a > 0 && self.a >= 1", true},
	{"self.a + 2 - 1 == 2", true},
	{"-self.a == -1", true},
	{"self.o.x > 1", true},
	{"self.o.x == 1.5", true},
	{"self.s.size() == 4 && size(self.l) == 2", true},
	{"self.s.startsWith(\\\"te\\\") && self.s.endsWith(\\\"xt\\\")", true},
	{"self.s.contains(\\\"zz\\\")", false},
	{"self.l[1] == 2", true},
	{"self.o[\\\"x\\\"] == 1.5", true},
	{"1 in self.l && !(3 in self.l)", true},
	{"\\\"x\\\" in self.o", true},
	{"self.t ? true : false", true},
	{"self.nope == 1 || self.a == 1", true},
	{"self.nope == 1 && false", false},
	{"self.s in [\\\"a\\\", \\\"text\\\"]", true},
	{"self.s < \\\"u\\\"", true},
	{"dyn(self.s) == null", false},
	{"dyn(self.s) + 1 == 2", false},
	{"self.l[7] == 1", false},
	{"!self.t", false},
	{"self.l.all(x, x >= 1)", true},
	{"self.l.all(x, x > 1)", false},
	{"self.l.exists(x, x == self.a)", true},
	{"self.l.exists(x, x == 9)", false},
	{"self.l.exists_one(x, x > 1) && !self.l.exists_one(x, x > 0)", true},
	{"self.o.all(k, k == \\\"x\\\")", true},
	{"self.l.all(x, self.l.exists(y, y == x))", true},
	{"self.l.exists(x, dyn(x).nope == 1 || x == 2)", true},
	{"self.l.all(x, dyn(x).nope == 1)", false},
	{"dyn(self.s).all(x, true)", false},
	{"self.s.matches(\\\"^te.t$\\\")", true},
	{"self.s.matches(\\\"^e\\\")", false},
	{"dyn(self.a).matches(\\\"1\\\")", false},
	{"dyn(self.t).matches(\\\"1\\\")", false},
	{"self.s.matches(\\\"^[a-z]\\\\\\\\w+$\\\") && self.s.matches(r\\\"t$\\\")", true},
	{"\\\"a\\\\nb\\\".size() == 3", true},
	{"self.a * 6 / 2 % 2 == 1", true},
	{"1 / (self.a - 1) == 1", false},
	{"self.l.map(x, x * 2) == [2, 4]", true},
	{"self.l.filter(x, x > 1) == [2] && size(self.l.filter(x, x > 5)) == 0", true},
	{"self.l + [3] == [1, 2, 3]", true},
	{"self.s + \\\"!\\\" == \\\"text!\\\"", true},
	{"self.s.upperAscii() == \\\"TEXT\\\" && \\\" A \\\".trim().lowerAscii() == "
	 "\\\"a\\\"",
	 true},
	{"\\\"a,b\\\".split(\\\",\\\").join(\\\"-\\\") == \\\"a-b\\\"", true},
	{"self.s.replace(\\\"t\\\", \\\"x\\\") == \\\"xexx\\\" && self.s.substring(1, 3) "
	 "== \\\"ex\\\"",
	 true},
	{"self.s.substring(9) == \\\"\\\"", false},
	{"self.s.indexOf(\\\"x\\\") == 2 && self.l.indexOf(2) == 1", true},
	{"self.l.isSorted() && self.l.sum() == 3 && self.l.min() == 1 && self.l.max() == 2", true},
	{"string(self.a) == \\\"1\\\" && int(\\\"7\\\") == 7 && double(self.a) < 1.5", true},
	{"quantity(\\\"1Gi\\\").isGreaterThan(quantity(\\\"1000Mi\\\"))", true},
	{"quantity(\\\"1000m\\\") == quantity(\\\"1\\\") && isQuantity(\\\"x\\\")", false},
	{"quantity(\\\"1\\\").compareTo(quantity(\\\"2\\\")) == -1", true},
	{"duration(\\\"90s\\\") > duration(\\\"1m\\\")", true},
	{"timestamp(\\\"2026-01-01T00:00:00Z\\\") < "
	 "timestamp(\\\"2026-01-02T00:00:00Z\\\")",
	 true},
	{"isIP(\\\"10.0.0.1\\\") && !isIP(self.s)", true},
	{"self.a in[1, 2]", true},
	{"self.nope.lowerAscii() == \\\"\\\" || self.t", true},
};

static void test_expressions(void)
{
	for (size_t i = 0; i < ARRAY_LEN(expressions); i++) {
		AUTO(mem_free)
		char *text =
			mem_printf("{'type':'object','properties':{'a':{'type':'integer'},'s':{"
				   "'type':'string'},'l':{'type':'array','items':{'type':"
				   "'integer'}},'o':{'type':'object','additionalProperties':{"
				   "'type':'number'}},'t':{'type':'boolean'},'nope':{"
				   "'x-kubernetes-int-or-string':true}},"
				   "'x-kubernetes-validations':[{'rule':'%s'}]}",
				   expressions[i].rule);
		AUTO(schema_free) struct schema *schema = compile(text);
		AUTO(json_doc_unref)
		struct json_doc *doc =
			quoted_doc("{'a':1,'s':'text','l':[1,2],'o':{'x':1.5},'t':true}");
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		schema_validate(schema, json_doc_root(doc), &causes);
		ok(schema_unchecked_rules(schema) == 0 && (causes.len == 0) == expressions[i].holds,
		   "%s is %s", expressions[i].rule, expressions[i].holds ? "true" : "false");
	}
}

/* What a rule says, where, and by which reason. */
static void test_rule_words(void)
{
	static const struct {
		const char *rule, *want;
	} rows[] = {
		{"'messageExpression':'\\\"a is \\\" + string(self.a)'",
		 "FieldValueInvalid <nil>: Invalid value: \"object\": a is 1"},
		{"'messageExpression':'self.nope','message':'m'",
		 "FieldValueInvalid <nil>: Invalid value: \"object\": m"},
		{"'reason':'FieldValueForbidden','fieldPath':'.a','message':'m'",
		 "FieldValueForbidden a: Forbidden: m"},
		{"'reason':'FieldValueRequired','fieldPath':'.o.x.y','message':'m'",
		 "FieldValueRequired o.x.y: Required value: m"},
		{"'reason':'FieldValueDuplicate'",
		 "FieldValueDuplicate <nil>: Duplicate value: \"object\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free)
		char *text = mem_printf("{'type':'object','properties':{'a':{'type':'integer'},"
					"'namespace':{'type':'string'},'x-y':{'type':'string'}},"
					"'x-kubernetes-validations':[{'rule':"
					"'self.__namespace__ == self.x__dash__y',%s}]}",
					rows[i].rule);
		AUTO(schema_free) struct schema *schema = compile(text);
		AUTO(json_doc_unref)
		struct json_doc *doc = quoted_doc("{'a':1,'namespace':'n','x-y':'z'}");
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		AUTO(mem_free) char *got = NULL;

		schema_validate(schema, json_doc_root(doc), &causes);
		if (!ok(causes.len == 1, "a rule that does not hold"))
			continue;
		got = mem_printf("%s %s: %s", cause_reason_name(causes.ptr[0].reason),
				 causes.ptr[0].field, causes.ptr[0].message);
		is(got, rows[i].want);
	}
}

/* The causes of a list of that many texts, each of which a rule reads. */
static void validate_texts(const char *rule, size_t count, size_t len, struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free)
	char *openapi = mem_printf("{'type':'object','properties':{'l':{'type':'array','items':{"
				   "'type':'string','x-kubernetes-validations':[%s]}}}}",
				   rule);
	AUTO(json_doc_unref) struct json_doc *schema_doc = quoted_doc(openapi);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(schema_free) struct schema *schema = schema_new(json_doc_root(schema_doc), NULL);

	buf_puts(&text, "{'l':[");
	for (size_t i = 0; i < count; i++) {
		buf_puts(&text, i ? ",'" : "'");
		for (size_t k = 0; k < len; k++)
			buf_putc(&text, 'a');
		buf_putc(&text, '\'');
	}
	buf_puts(&text, "]}");
	doc = quoted_doc(buf_text(&text));
	schema_validate(schema, json_doc_root(doc), causes);
}

/* One evaluation has a bound, and all of a request have another; the first that is exceeded is the last
 * that is evaluated. */
static void test_budget(void)
{
	static const struct {
		const char *rule;
		size_t count, len;
		const char *want; /* NULL: there are no causes */
	} rows[] = {
		{"{'rule':'self.lowerAscii() == self'}", 100, 10000, NULL},
		{"{'rule':'self.lowerAscii() == self'}", 6000, 10000,
		 "l[4995]: Invalid value: \"string\": validation failed due to running out of cost "
		 "budget, no further validation rules will be run"},
		{"{'rule':'self.replace(\\\"a\\\", self).size() > 0'},{'rule':'false'}", 3, 90000,
		 "l[0]: Invalid value: \"string\": 'operation cancelled: actual cost limit "
		 "exceeded': no further validation rules will be run due to call cost exceeds "
		 "limit for rule: self.replace(\"a\", self).size() > 0"},
		{"{'rule':'false','messageExpression':'self.replace(\\\"a\\\", self)'}", 3, 90000,
		 "l[0]: Invalid value: \"string\": no further validation rules will be run due to "
		 "call cost exceeds limit for messageExpression: \"self.replace(\\\"a\\\", "
		 "self)\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		AUTO(mem_free) char *got = NULL;

		validate_texts(rows[i].rule, rows[i].count, rows[i].len, &causes);
		ok(causes.len == (rows[i].want ? 1 : 0), "%s of %zu texts of %zu bytes",
		   rows[i].rule, rows[i].count, rows[i].len);
		if (!causes.len || !rows[i].want)
			continue;
		got = mem_printf("%s: %s", causes.ptr[0].field, causes.ptr[0].message);
		is(got, rows[i].want);
	}
}

/* The causes of a list of that many texts against a pattern. */
static void match_texts(const char *pattern, size_t count, const char *text, struct causes *causes)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	AUTO(mem_free)
	char *openapi = mem_printf("{'type':'object','properties':{'l':{'type':'array','items':{"
				   "'type':'string','pattern':'%s'}}}}",
				   pattern);
	AUTO(json_doc_unref) struct json_doc *schema_doc = quoted_doc(openapi);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(schema_free) struct schema *schema = schema_new(json_doc_root(schema_doc), NULL);

	buf_puts(&body, "{'l':[");
	for (size_t i = 0; i < count; i++)
		buf_printf(&body, "%s'%s'", i ? "," : "", text);
	buf_puts(&body, "]}");
	doc = quoted_doc(buf_text(&body));
	schema_validate(schema, json_doc_root(doc), causes);
}

static void test_steps(void)
{
	AUTO(causes_done) struct causes none = CAUSES_INIT;
	AUTO(causes_done) struct causes each = CAUSES_INIT;
	AUTO(causes_done) struct causes over = CAUSES_INIT;

	match_texts("^(\\\\w+\\\\s?)*$", 1000, "many words with blanks in between and an end",
		    &none);
	ok(none.len == 0, "a text that matches in many ways matches");
	match_texts("^(\\\\w+\\\\s?)*$", 1000, "many words with blanks in between and an end!",
		    &each);
	ok(each.len == 1000, "one that does not is reported each time (%zu)", each.len);
	match_texts("(x?y?z?){300}w", 20000, "xyxyxyxyzzzzyxyxyxyxyxyxzzyxyxyxyxy", &over);
	ok(over.len > 0 && str_find(str_from(over.ptr[over.len - 1].message),
				    STR("running out of steps"), 0) >= 0,
	   "an object that takes too many steps is refused");
}

static void test_pattern_size(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(schema_free) struct schema *schema = NULL;
	struct err err = {0};

	buf_puts(&text, "{'type':'object','properties':{'x':{'type':'string'}");
	for (int i = 0; i < 1000; i++)
		buf_printf(&text, ",'p%d':{'type':'string','pattern':'(ab?){1000}'}", i);
	buf_puts(&text, "}}");
	doc = quoted_doc(buf_text(&text));
	schema = schema_new(json_doc_root(doc), &err);
	ok(!schema && str_find(str_from(err.text), STR("too large together"), 0) >= 0,
	   "patterns have a bound together: %s", err.text);
}

static void test_patterns(void)
{
	static const char *const wrong[] = {"(",        "a)",   "[a",  "*",     "(?=a)",
					    "(a)\\\\1", "(?R)", "a++", "a\\\\K"};
	static const char *const words[] = {
		"missing closing ): `(`",
		"unexpected ): `a)`",
		"missing closing ]: `[a`",
		"missing argument to repetition operator: `*`",
		"invalid or unsupported Perl syntax: `(?=`",
		"invalid escape sequence: `\\1`",
		"invalid or unsupported Perl syntax: `(?R`",
		"invalid nested repetition operator: `++`",
		"invalid escape sequence: `\\K`",
	};
	const struct row slow[] = {
		{"'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'",
		 "Invalid spec: Invalid value: "
		 "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab': "
		 "spec in body should match '^(a+)+$'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		AUTO(mem_free)
		char *text = mem_printf("{'type':'string','pattern':'%s'}", wrong[i]);
		AUTO(mem_free)
		char *want = mem_printf("pattern: error parsing regexp: %s", words[i]);
		AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);
		struct err err = {0};
		AUTO(schema_free) struct schema *schema = schema_new(json_doc_root(doc), &err);

		ok(!schema, "%s is no pattern", wrong[i]);
		is(err.text, want);
	}
	check_rows("{'type':'string','pattern':'^(a+)+$'}", slow, 1);
	schema_free(NULL);
}

int main(void)
{
	test_types();
	test_bounds();
	test_required();
	test_alternatives();
	test_lists();
	test_formats();
	test_default();
	test_prune();
	test_update();
	test_rules();
	test_rule_words();
	test_expressions();
	test_budget();
	test_patterns();
	test_steps();
	test_pattern_size();
	return tap_done();
}
