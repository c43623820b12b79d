/* SPDX-License-Identifier: Apache-2.0 */
/* Strategic merge patch, over a table that mirrors what matters of Pod, Service and PodTemplate.
 * Behaviours recorded from a real kube-apiserver are marked so. */
#include "json/strategic.h"

#include "base/mem.h"
#include "patch_rows.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

struct row {
	const char *field;
	const char *merge_key;
	const struct row *child;
	enum json_strategy strategy;
	bool retain_keys;
};

static const struct row any[] = {{0}};

static const struct row env[] = {{.field = "valueFrom", .child = any}, {0}};

static const struct row container[] = {
	{"env", "name", env, JSON_STRATEGY_MERGE, false},
	{"ports", "containerPort", any, JSON_STRATEGY_MERGE, false},
	{"volumeMounts", "mountPath", any, JSON_STRATEGY_MERGE, false},
	{"args", NULL, NULL, JSON_STRATEGY_DEFAULT, false},
	{"resources", NULL, any, JSON_STRATEGY_DEFAULT, false},
	{0},
};

static const struct row spec[] = {
	{"containers", "name", container, JSON_STRATEGY_MERGE, false},
	{"volumes", "name", any, JSON_STRATEGY_MERGE, true},
	{"tolerations", NULL, any, JSON_STRATEGY_DEFAULT, false},
	{"nodeSelector", NULL, any, JSON_STRATEGY_DEFAULT, false},
	{"strategy", NULL, any, JSON_STRATEGY_DEFAULT, true},
	{"selector", NULL, any, JSON_STRATEGY_REPLACE, false},
	{"ports", "port", any, JSON_STRATEGY_MERGE, false},
	{"unkeyed", NULL, any, JSON_STRATEGY_MERGE, false},
	{0},
};

static const struct row metadata[] = {
	{"finalizers", NULL, NULL, JSON_STRATEGY_MERGE, false},
	{"ownerReferences", "uid", any, JSON_STRATEGY_MERGE, false},
	{"labels", NULL, any, JSON_STRATEGY_DEFAULT, false},
	{0},
};

static const struct row status[] = {{"conditions", "type", any, JSON_STRATEGY_MERGE, false}, {0}};

static const struct row template[] = {{.field = "spec", .child = spec}, {0}};

static const struct row object[] = {
	{.field = "metadata", .child = metadata},
	{.field = "spec", .child = spec},
	{.field = "status", .child = status},
	{.field = "template", .child = template},
	{0},
};

static bool lookup(const void *node, struct str field, struct json_strategy_field *ret)
{
	for (const struct row *row = node; row->field; row++) {
		if (!str_is(field, row->field))
			continue;
		*ret = (struct json_strategy_field){
			.strategy = row->strategy,
			.merge_key = str_from(row->merge_key),
			.retain_keys = row->retain_keys,
			.child = row->child,
		};
		return true;
	}
	return false;
}

static const struct json_strategy_schema schema = {.lookup = lookup, .node = object};

static char *text_of(const struct json_doc *doc)
{
	char *text = json_text(json_doc_root(doc), JSON_COMPACT);

	for (char *c = text; *c; c++)
		if (*c == '"')
			*c = '\'';
	return text;
}

static const struct patch_row rows[] = {
	/* recorded: containers merge by name, new ones come first, the same for env and ports */
	{"{'template':{'spec':{'containers':[{'name':'a','image':'i','env':[{'name':'X','value':'1'"
	 "},"
	 "{'name':'Y','value':'2'}],'ports':[{'containerPort':80}]},{'name':'b','image':'i'}]}}}",
	 "{'template':{'spec':{'containers':[{'name':'a','image':'new:1'}]}}}",
	 "{'template':{'spec':{'containers':[{'name':'a','image':'new:1','env':[{'name':'X','value'"
	 ":"
	 "'1'},{'name':'Y','value':'2'}],'ports':[{'containerPort':80}]},"
	 "{'name':'b','image':'i'}]}}}"},
	{"{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
	 "{'spec':{'containers':[{'name':'c','image':'third:1'}]}}",
	 "{'spec':{'containers':[{'name':'c','image':'third:1'},{'name':'a'},{'name':'b'}]}}"},
	{"{'spec':{'containers':[{'name':'c'},{'name':'a','env':[{'name':'X','value':'1'},"
	 "{'name':'Y','value':'2'}]}]}}",
	 "{'spec':{'containers':[{'name':'a','env':[{'name':'Y','value':'22'},"
	 "{'name':'Z','value':'3'}]}]}}",
	 "{'spec':{'containers':[{'name':'c'},{'name':'a','env':[{'name':'X','value':'1'},"
	 "{'name':'Y','value':'22'},{'name':'Z','value':'3'}]}]}}"},
	{"{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'protocol':'TCP'}]}]}}",
	 "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'name':'http'},"
	 "{'containerPort':443}]}]}}",
	 "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'protocol':'TCP',"
	 "'name':'http'},{'containerPort':443}]}]}}"},
	/* recorded: conditions merge by type and may be deleted */
	{"{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':'R'}]}}",
	 "{'status':{'conditions':[{'type':'Ready','status':'False'},"
	 "{'type':'PodScheduled','status':'True'}]}}",
	 "{'status':{'conditions':[{'type':'Ready','status':'False'},"
	 "{'type':'PodScheduled','status':'True','reason':'R'}]}}"},
	{"{'status':{'conditions':[{'type':'Ready'},{'type':'PodScheduled'}]}}",
	 "{'status':{'conditions':[{'type':'Ready','$patch':'delete'}]}}",
	 "{'status':{'conditions':[{'type':'PodScheduled'}]}}"},
	/* recorded: owner references by uid */
	{"{'metadata':{'ownerReferences':[{'uid':'u','name':'real'}]}}",
	 "{'metadata':{'ownerReferences':[{'uid':'u','controller':true}]}}",
	 "{'metadata':{'ownerReferences':[{'uid':'u','name':'real','controller':true}]}}"},
	{"{'metadata':{'ownerReferences':[{'uid':'u','name':'real'}]}}",
	 "{'metadata':{'ownerReferences':[{'$patch':'delete','uid':'u'}]}}",
	 "{'metadata':{'ownerReferences':[]}}"},
	/* recorded: $retainKeys drops the other members */
	{"{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}",
	 "{'spec':{'volumes':[{'name':'v','configMap':{'name':'x'}}]}}",
	 "{'spec':{'volumes':[{'name':'v','emptyDir':{},'configMap':{'name':'x'}}]}}"},
	{"{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}",
	 "{'spec':{'volumes':[{'name':'v','$retainKeys':['name','configMap'],"
	 "'configMap':{'name':'x'}}]}}",
	 "{'spec':{'volumes':[{'name':'v','configMap':{'name':'x'}}]}}"},
	/* recorded: service ports by port */
	{"{'spec':{'ports':[{'name':'a','port':80},{'name':'b','port':81}]}}",
	 "{'spec':{'ports':[{'port':81,'targetPort':8081}]}}",
	 "{'spec':{'ports':[{'name':'a','port':80},{'name':'b','port':81,'targetPort':8081}]}}"},
	{"{'spec':{'ports':[{'name':'a','port':80},{'name':'b','port':81}]}}",
	 "{'spec':{'ports':[{'port':82,'name':'c'}]}}",
	 "{'spec':{'ports':[{'port':82,'name':'c'},{'name':'a','port':80},"
	 "{'name':'b','port':81}]}}"},
	{"{'spec':{'ports':[{'port':82},{'port':80},{'port':81}]}}",
	 "{'spec':{'ports':[{'port':80,'$patch':'delete'}]}}",
	 "{'spec':{'ports':[{'port':82},{'port':81}]}}"},
	/* recorded: $setElementOrder */
	{"{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'c'},{'name':'a'},{'name':'b'}],"
	 "'containers':[]}}",
	 "{'spec':{'containers':[{'name':'c'},{'name':'a'},{'name':'b'}]}}"},
	{"{'spec':{'containers':[{'name':'c'},{'name':'a'},{'name':'b'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'d'},{'name':'c'},{'name':'a'},"
	 "{'name':'b'}],'containers':[{'name':'d','image':'d:1'}]}}",
	 "{'spec':{'containers':[{'name':'d','image':'d:1'},{'name':'c'},{'name':'a'},"
	 "{'name':'b'}]}}"},
	/* order without the list, with elements of the server in between */
	{"{'spec':{'containers':[{'name':'a'},{'name':'s'},{'name':'b'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}]}}",
	 "{'spec':{'containers':[{'name':'s'},{'name':'b'},{'name':'a'}]}}"},
	{"{'spec':{}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}],"
	 "'containers':[{'name':'b'},{'name':'a'},{'name':'z','$patch':'delete'}]}}",
	 "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}"},
	{"{'spec':{}}", "{'spec':{'$setElementOrder/containers':[{'name':'b'}]}}", "{'spec':{}}"},
	{"{'spec':{'tolerations':[{'key':'a'}]}}",
	 "{'spec':{'$setElementOrder/tolerations':[{'key':'a'}],'tolerations':[{'key':'b'}]}}",
	 "{'spec':{'tolerations':[{'key':'b'}]}}"},
	{"{'spec':{'tolerations':[{'key':'a'}]}}",
	 "{'spec':{'$setElementOrder/tolerations':[{'key':'a'}]}}",
	 "{'spec':{'tolerations':[{'key':'a'}]}}"},
	{"{'spec':{'containers':[]}}", "{'spec':{'$setElementOrder/containers':[]}}",
	 "{'spec':{'containers':[]}}"},
	/* atomic lists are replaced, maps merge, null removes */
	{"{'spec':{'tolerations':[{'key':'a'},{'key':'b'}],'nodeSelector':{'x':'1','y':'2'}}}",
	 "{'spec':{'tolerations':[{'key':'c','effect':null}],'nodeSelector':{'x':null,'z':'3'}}}",
	 "{'spec':{'tolerations':[{'key':'c','effect':null}],'nodeSelector':{'y':'2','z':'3'}}}"},
	/* a directive that a list without merge key does not know stays, to be refused as a field */
	{"{'spec':{'tolerations':[{'key':'a'},{'key':'b'}]}}",
	 "{'spec':{'tolerations':[{'key':'z','$patch':'delete'}]}}",
	 "{'spec':{'tolerations':[{'key':'z','$patch':'delete'}]}}"},
	{"{'spec':{'tolerations':[{'key':'a'}]}}",
	 "{'spec':{'tolerations':[{'$patch':'replace'}]}}",
	 "{'spec':{'tolerations':[{'$patch':'replace'}]}}"},
	{"{'spec':{}}", "{'spec':{'tolerations':[{'key':'z','$patch':'delete'},{'key':'a'}]}}",
	 "{'spec':{'tolerations':[{'key':'a'}]}}"},
	{"{'spec':{'tolerations':[{'key':'a'}]}}",
	 "{'spec':{'$setElementOrder/tolerations':[{'key':'z'}],"
	 "'tolerations':[{'key':'z','$patch':'delete'}]}}",
	 "{'spec':{'tolerations':[{'key':'z','$patch':'delete'}]}}"},
	{"{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'containers':[{'name':'b','env':[{'name':'x','$patch':'delete'}]}]}}",
	 "{'spec':{'containers':[{'name':'b','env':[{'name':'x','$patch':'delete'}]},{'name':'a'}]}"
	 "}"},
	{"{'metadata':{'labels':{'a':'1'}},'spec':{'x':1}}",
	 "{'metadata':{'labels':null},'spec':null}", "{'metadata':{}}"},
	{"{'spec':{'a':1}}", "{'spec':{'b':null,'c':{'d':null,'e':1}}}",
	 "{'spec':{'a':1,'c':{'e':1}}}"},
	/* what the table does not know: objects merge, lists are replaced, types may change */
	{"{'x':{'y':{'a':1},'l':[1,2]},'n':1}", "{'x':{'y':{'b':2},'l':[3]},'n':{'a':1}}",
	 "{'x':{'y':{'a':1,'b':2},'l':[3]},'n':{'a':1}}"},
	{"{'n':{'a':1},'m':[1]}", "{'n':[1],'m':'s'}", "{'n':[1],'m':'s'}"},
	/* a field that is replaced whole */
	{"{'spec':{'selector':{'a':'1'}}}", "{'spec':{'selector':{'b':'2'}}}",
	 "{'spec':{'selector':{'b':'2'}}}"},
	/* $patch on objects */
	{"{'spec':{'strategy':{'type':'RollingUpdate','rollingUpdate':{}}}}",
	 "{'spec':{'strategy':{'$patch':'replace','type':'Recreate','x':null}}}",
	 "{'spec':{'strategy':{'type':'Recreate','x':null}}}"},
	{"{'spec':{'strategy':{'type':'x'}}}", "{'spec':{'strategy':{'$patch':'delete'}}}",
	 "{'spec':{'strategy':{}}}"},
	{"{'a':1}", "{'$patch':'delete'}", "{}"},
	{"{'spec':{}}",
	 "{'spec':{'strategy':{'$patch':'replace','type':'x'},'n':[{'$patch':'delete'}]}}",
	 "{'spec':{'n':[]}}"},
	{"{'spec':{'strategy':1}}", "{'spec':{'strategy':{'$patch':'delete'}}}", "{'spec':{}}"},
	/* $patch on elements */
	{"{'spec':{'containers':[{'name':'a','image':'x'},{'name':'b'}]}}",
	 "{'spec':{'containers':[{'$patch':'replace'},{'name':'c'},{'name':'a'}]}}",
	 "{'spec':{'containers':[{'name':'c'},{'name':'a'}]}}"},
	{"{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
	 "{'spec':{'containers':[{'name':'a','$patch':'delete'},{'name':'a','image':'new'}]}}",
	 "{'spec':{'containers':[{'name':'a','image':'new'},{'name':'b'}]}}"},
	{"{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'containers':[{'name':'b','image':'1','x':null},{'name':'b','tag':'2'}]}}",
	 "{'spec':{'containers':[{'name':'b','image':'1','x':null,'tag':'2'},{'name':'a'}]}}"},
	/* the order of the patch wins over that of the server */
	{"{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'},{'name':'d'}]}}",
	 "{'spec':{'containers':[{'name':'d','x':1},{'name':'b','x':1}]}}",
	 "{'spec':{'containers':[{'name':'a'},{'name':'c'},{'name':'d','x':1},"
	 "{'name':'b','x':1}]}}"},
	/* lists of scalars: union, order of the patch, deletions */
	{"{'metadata':{'finalizers':['a','b']}}", "{'metadata':{'finalizers':['c','b']}}",
	 "{'metadata':{'finalizers':['c','a','b']}}"},
	{"{'metadata':{'finalizers':['a','b']}}",
	 "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a','x']}}",
	 "{'metadata':{'finalizers':['b']}}"},
	{"{'metadata':{'finalizers':['a','b']}}",
	 "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a'],"
	 "'$setElementOrder/finalizers':['c','b'],'finalizers':['c']}}",
	 "{'metadata':{'finalizers':['c','b']}}"},
	{"{'metadata':{}}", "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}",
	 "{'metadata':{}}"},
	{"{'metadata':{'finalizers':1}}",
	 "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}",
	 "{'metadata':{'finalizers':1}}"},
	{"{'metadata':{'finalizers':['a']}}",
	 "{'metadata':{'$deleteFromPrimitiveList/finalizers':null}}", "{'metadata':{}}"},
	{"{'metadata':{'finalizers':[]}}", "{'metadata':{'finalizers':[]}}",
	 "{'metadata':{'finalizers':[]}}"},
	{"{'metadata':{'finalizers':[]}}", "{'metadata':{'finalizers':['a','a']}}",
	 "{'metadata':{'finalizers':['a']}}"},
	/* two elements with one key, as ports of two protocols */
	{"{'spec':{'ports':[{'port':53,'protocol':'TCP'},{'port':53,'protocol':'UDP'}]}}",
	 "{'spec':{'ports':[{'port':53,'name':'dns'}]}}",
	 "{'spec':{'ports':[{'port':53,'protocol':'TCP','name':'dns'},"
	 "{'port':53,'protocol':'UDP'}]}}"},
	{"{'spec':{'ports':[{'port':53,'protocol':'TCP'},{'port':53,'protocol':'UDP'}]}}",
	 "{'spec':{'ports':[{'port':53,'$patch':'delete'}]}}", "{'spec':{'ports':[]}}"},
};

static const struct patch_failure failures[] = {
	/* recorded */
	{"{'spec':{'ports':[{'port':80}]}}", "{'spec':{'ports':[{'name':'nokey'}]}}", ERR_UNKNOWN,
	 "map: map[name:nokey] does not contain declared merge key: port"},
	{"{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'a'}],"
	 "'containers':[{'name':'zz','image':'d:1'}]}}",
	 ERR_UNKNOWN,
	 "The order in patch list:\n[map[image:d:1 name:zz]]\n doesn't match $setElementOrder "
	 "list:\n"
	 "[map[name:a]]\n"},
	/* the rest */
	{"{}", "[]", ERR_BAD_REQUEST, NULL},
	{"1", "{}", ERR_BAD_REQUEST, NULL},
	{"{'a':1}", "{'$patch':'merge','b':[1,null,true,{'x':2.5}]}", ERR_UNKNOWN,
	 "unknown patch type: merge in map: map[$patch:merge b:[1 <nil> true map[x:2.5]]]"},
	{"{'a':1}", "{'$patch':1}", ERR_UNKNOWN, "unknown patch type: 1 in map: map[$patch:1]"},
	{"{'spec':{'ports':[{'port':80}]}}", "{'spec':{'ports':[{'$patch':'delete'}]}}",
	 ERR_UNKNOWN, "map: map[$patch:delete] does not contain declared merge key: port"},
	{"{'spec':{'ports':[{'port':80}]}}", "{'spec':{'ports':[{'port':80,'$patch':'merge'}]}}",
	 ERR_UNKNOWN, "merging lists cannot yet be specified in the patch"},
	{"{'spec':{'ports':[{'port':80}]}}", "{'spec':{'ports':[{'port':80,'$patch':'spam'}]}}",
	 ERR_UNKNOWN, "unknown patch type: spam in map: map[$patch:spam port:80]"},
	{"{'spec':{'ports':[{'x':80}]}}", "{'spec':{'ports':[{'port':80}]}}", ERR_UNKNOWN,
	 "map: map[x:80] does not contain declared merge key: port"},
	{"{'spec':{'ports':[{'port':80}]}}", "{'spec':{'ports':[80]}}", ERR_UNKNOWN, NULL},
	{"{'spec':{'ports':[80]}}", "{'spec':{'ports':[80]}}", ERR_UNKNOWN,
	 "expected a map[string]interface {}, but received a int64"},
	{"{'metadata':{'finalizers':['a']}}", "{'metadata':{'finalizers':[null]}}", ERR_UNKNOWN,
	 NULL},
	{"{'metadata':{'finalizers':['a']}}", "{'metadata':{'finalizers':[['a']]}}", ERR_INVALID,
	 "lists of lists are not supported"},
	{"{'spec':{'unkeyed':[{'a':1}]}}", "{'spec':{'unkeyed':[{'a':1}]}}", ERR_UNKNOWN,
	 "cannot merge lists without merge key for struct"},
	{"{'spec':{'volumes':[{'name':'v'}]}}",
	 "{'spec':{'volumes':[{'name':'v','$retainKeys':['name'],'x':{}}]}}", ERR_BAD_REQUEST,
	 "invalid patch format of retainKeys"},
	{"{}", "{'$retainKeys':'a'}", ERR_BAD_REQUEST, "invalid patch format of retainKeys"},
	{"{}", "{'$setElementOrder':[]}", ERR_BAD_REQUEST,
	 "invalid patch format of setElementOrder list"},
	{"{}", "{'$deleteFromPrimitiveListX':[]}", ERR_BAD_REQUEST,
	 "invalid patch format of primitive list"},
	{"{'metadata':{'finalizers':[{}]}}",
	 "{'metadata':{'$deleteFromPrimitiveList/finalizers':[{}]}}", ERR_BAD_REQUEST,
	 "invalid patch format of primitive list"},
	{"{'metadata':{'finalizers':['a']}}",
	 "{'metadata':{'$deleteFromPrimitiveList/finalizers':[1]}}", ERR_UNKNOWN, NULL},
	{"{'spec':{'containers':[]}}", "{'spec':{'$setElementOrder/containers':'a'}}", ERR_UNKNOWN,
	 "expected a []interface {}, but received a string"},
	{"{'spec':{'containers':1}}", "{'spec':{'$setElementOrder/containers':[]}}", ERR_UNKNOWN,
	 "expected a []interface {}, but received a int64"},
	{"{'spec':{}}", "{'spec':{'$setElementOrder/containers':[],'containers':null}}",
	 ERR_UNKNOWN, "expected a []interface {}, but received a %!s(<nil>)"},
	{"{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'x':1}]}}", ERR_UNKNOWN,
	 "map: map[x:1] does not contain declared merge key: name"},
	{"{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'x':1}],'containers':[{'name':'a'}]}}",
	 ERR_UNKNOWN, "map: map[x:1] does not contain declared merge key: name"},
	{"{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'x':1}]}}",
	 ERR_UNKNOWN, "map: map[x:1] does not contain declared merge key: name"},
	{"{'spec':{'containers':[{'name':'a','env':[{'name':'e'}]}]}}",
	 "{'spec':{'containers':[{'name':'a','env':[{'x':1}]}]}}", ERR_UNKNOWN,
	 "map: map[x:1] does not contain declared merge key: name"},
};

static struct json_doc *apply(struct json target, struct json patch, struct err *err)
{
	return json_strategic_apply(target, patch, &schema, err);
}

static void test_without_schema(void)
{
	static const struct json_strategy_schema nothing = {.lookup = lookup, .node = NULL};
	AUTO(json_doc_unref)
	struct json_doc *target = quoted_doc("{'a':[{'name':'x'}],'b':{'c':1}}");
	AUTO(json_doc_unref)
	struct json_doc *patch = quoted_doc("{'a':[{'name':'y'}],'b':{'d':2}}");
	AUTO(json_doc_unref)
	struct json_doc *result =
		json_strategic_apply(json_doc_root(target), json_doc_root(patch), &nothing, NULL);
	AUTO(mem_free) char *text = text_of(result);

	is(text, "{'a':[{'name':'y'}],'b':{'c':1,'d':2}}");
}

/* --- diff ------------------------------------------------------------------------------------ */

static const struct {
	const char *from;
	const char *to;
	const char *patch;
} diffs[] = {
	{"{'a':1}", "{'a':1}", "{}"},
	{"{'a':1,'b':{'c':1}}", "{'b':{'c':2},'d':[]}", "{'b':{'c':2},'d':[],'a':null}"},
	{"{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b'}]}}",
	 "{'spec':{'containers':[{'name':'a','image':'2'},{'name':'c'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'a'},{'name':'c'}],'containers':["
	 "{'image':'2','name':'a'},{'name':'c'},{'name':'b','$patch':'delete'}]}}"},
	{"{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
	 "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}",
	 "{'spec':{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}]}}"},
	{"{'spec':{'containers':[{'name':'a'}]}}", "{'spec':{'containers':[]}}",
	 "{'spec':{'containers':[{'name':'a','$patch':'delete'}]}}"},
	{"{'spec':{'containers':[]}}", "{'spec':{'containers':[{'name':'a'}]}}",
	 "{'spec':{'containers':[{'name':'a'}]}}"},
	{"{'spec':{'ports':[{'port':53},{'port':53,'x':1}]}}",
	 "{'spec':{'ports':[{'port':53,'x':2}]}}",
	 "{'spec':{'ports':[{'$patch':'replace'},{'port':53,'x':2}]}}"},
	{"{'metadata':{'finalizers':['a','b']}}", "{'metadata':{'finalizers':['c','b']}}",
	 "{'metadata':{'finalizers':['c'],'$deleteFromPrimitiveList/finalizers':['a'],"
	 "'$setElementOrder/finalizers':['c','b']}}"},
	{"{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}",
	 "{'spec':{'volumes':[{'name':'v','hostPath':{}}]}}",
	 "{'spec':{'$setElementOrder/volumes':[{'name':'v'}],'volumes':[{'hostPath':{},"
	 "'emptyDir':null,'$retainKeys':['hostPath','name'],'name':'v'}]}}"},
	{"{'spec':{'strategy':{'type':'a','x':{}}}}", "{'spec':{'strategy':{'type':'b'}}}",
	 "{'spec':{'strategy':{'type':'b','x':null,'$retainKeys':['type']}}}"},
	{"{'spec':{'strategy':{'type':'a'}}}", "{'spec':{'strategy':{'type':'a'}}}", "{}"},
	{"{'spec':{'selector':{'a':'1','b':'1'}}}", "{'spec':{'selector':{'a':'1'}}}",
	 "{'spec':{'selector':{'a':'1'}}}"},
	{"{'spec':{'tolerations':[1,2]}}", "{'spec':{'tolerations':[2]}}",
	 "{'spec':{'tolerations':[2]}}"},
};

static void test_diffs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(diffs); i++) {
		struct err err = {0};
		AUTO(json_doc_unref) struct json_doc *from = quoted_doc(diffs[i].from);
		AUTO(json_doc_unref) struct json_doc *to = quoted_doc(diffs[i].to);
		AUTO(json_doc_unref)
		struct json_doc *patch =
			json_strategic_diff(json_doc_root(from), json_doc_root(to), &schema, &err);
		AUTO(mem_free) char *text = text_of(patch);
		AUTO(json_doc_unref)
		struct json_doc *result = json_strategic_apply(json_doc_root(from),
							       json_doc_root(patch), &schema, &err);
		AUTO(mem_free) char *after = text_of(result);

		is(text, diffs[i].patch);
		ok(json_eq(json_doc_root(result), json_doc_root(to)), "and back: %s", after);
	}
}

static const struct {
	const char *from;
	const char *to;
} undiffable[] = {
	{"[]", "{}"},
	{"{}", "1"},
	{"{}", "{'$retainKeys':1}"},
	{"{'a':{'$patch':1}}", "{'a':{'$patch':2}}"},
	{"{'metadata':{'finalizers':['a','a']}}", "{'metadata':{'finalizers':['a']}}"},
	{"{'metadata':{'finalizers':['a']}}", "{'metadata':{'finalizers':[1]}}"},
	{"{'spec':{'unkeyed':[{'a':1}]}}", "{'spec':{'unkeyed':[{'a':2}]}}"},
	{"{'spec':{'ports':[{'a':1}]}}", "{'spec':{'ports':[{'port':2}]}}"},
	{"{'spec':{'ports':[{'port':1}]}}", "{'spec':{'ports':[{'a':2}]}}"},
	{"{'spec':{'containers':[{'name':'a','env':[{'x':1}]}]}}",
	 "{'spec':{'containers':[{'name':'a','env':[{'x':2}]}]}}"},
};

static void test_undiffable(void)
{
	for (size_t i = 0; i < ARRAY_LEN(undiffable); i++) {
		struct err err = {0};
		AUTO(json_doc_unref) struct json_doc *from = quoted_doc(undiffable[i].from);
		AUTO(json_doc_unref) struct json_doc *to = quoted_doc(undiffable[i].to);

		ok(!json_strategic_diff(json_doc_root(from), json_doc_root(to), &schema, &err) &&
			   err.code != ERR_NONE,
		   "no diff: %s", err.text);
	}
}

/* Would take hours if finding an element were linear. */
static void test_large(void)
{
	enum { COUNT = 50000 };
	AUTO(json_doc_unref) struct json_doc *target = quoted_doc("{'metadata':{'finalizers':[]}}");
	AUTO(json_doc_unref) struct json_doc *a = json_doc_thaw(json_doc_root(target));
	AUTO(json_doc_unref) struct json_doc *b = json_doc_thaw(json_doc_root(target));
	struct json left = json_get(json_get(json_doc_root(a), "metadata"), "finalizers");
	struct json right = json_get(json_get(json_doc_root(b), "metadata"), "finalizers");

	for (int i = 0; i < COUNT; i++) {
		json_append(a, left, json_new_printf(a, "x-%d", i));
		json_append(b, right, json_new_printf(b, "x-%d", COUNT + COUNT / 2 - i));
	}
	AUTO(json_doc_unref)
	struct json_doc *patch =
		json_strategic_diff(json_doc_root(a), json_doc_root(b), &schema, NULL);
	AUTO(json_doc_unref)
	struct json_doc *result =
		json_strategic_apply(json_doc_root(a), json_doc_root(patch), &schema, NULL);
	ok(json_eq(json_doc_root(result), json_doc_root(b)), "a large list");
}

int main(void)
{
	patch_rows_check(rows, ARRAY_LEN(rows), apply);
	patch_failures_check(failures, ARRAY_LEN(failures), apply);
	test_without_schema();
	test_diffs();
	test_undiffable();
	test_large();
	return tap_done();
}
