/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of custom kinds: what is filled in, what is refused, what may not change. In the rows
 * ' stands for ". */
#include "apiserver/crd/crd.h"

#include "base/mem.h"
#include "json/pointer.h"
#include "model/rules/causes.h"
#include "model/volcano/vckinds.h"
#include "quoted.h"
#include "tap.h"

#define LABEL_WORDS                                                                               \
	"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with " \
	"an "                                                                                     \
	"alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "      \
	"'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define SCHEMA "'schema':{'openAPIV3Schema':{'type':'object'}}"
#define VERSION "{'name':'v1','served':true,'storage':true," SCHEMA "}"
#define NAMES "'names':{'plural':'ws','kind':'W'}"
static char *print_causes(const struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < causes->len; i++)
		buf_printf(&text, "%s%s: %s", i ? "\n" : "", causes->ptr[i].field,
			   causes->ptr[i].message);
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '"')
			text.ptr[i] = '\'';
	return buf_take(&text);
}

static void check_spec(const char *name, const char *spec, const char *want)
{
	AUTO(mem_free)
	char *text = mem_printf("{'metadata':{'name':'%s'},'spec':{%s}}", name, spec);
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);
	AUTO(json_doc_unref) struct json_doc *crd = json_doc_thaw(json_doc_root(doc));
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *got = NULL;

	crd_prepare(crd, json_doc_root(crd));
	crd_validate(json_doc_root(crd), JSON_NONE, &causes);
	got = print_causes(&causes);
	tap_is(got, want, __FILE__, __LINE__, spec);
}

static void test_names(void)
{
	check_spec("ws.a.b", "'group':'a.b','scope':'Cluster'," NAMES ",'versions':[" VERSION "]",
		   "");
	check_spec("x", "'group':'a.b','scope':'Odd'," NAMES ",'versions':[" VERSION "]",
		   "metadata.name: Invalid value: 'x': must be spec.names.plural+'.'+spec.group\n"
		   "spec.scope: Unsupported value: 'Odd': supported values: 'Cluster', "
		   "'Namespaced'");
	check_spec("ws.a", "'group':'a','scope':'Cluster'," NAMES ",'versions':[" VERSION "]",
		   "spec.group: Invalid value: 'a': should be a domain with at least one dot");
	check_spec(".", "'versions':[" VERSION "]",
		   "spec.group: Required value\nspec.scope: Required value\n"
		   "spec.names.plural: Required value\nspec.names.singular: Required value\n"
		   "spec.names.kind: Required value\nspec.names.listKind: Required value");
	check_spec(
		"Ws.a.b",
		"'group':'a.b','scope':'Cluster','names':{'plural':'Ws','kind':'W_',"
		"'listKind':'W_','shortNames':['B_'],'categories':['C C']},'versions':[" VERSION
		"]",
		"spec.names.plural: Invalid value: 'Ws': " LABEL_WORDS "\n"
		"spec.names.singular: Invalid value: 'w_': " LABEL_WORDS "\n"
		"spec.names.kind: Invalid value: 'W_': may have mixed case, but should otherwise "
		"match: " LABEL_WORDS "\n"
		"spec.names.listKind: Invalid value: 'W_': may have mixed case, but should "
		"otherwise match: " LABEL_WORDS "\n"
		"spec.names.shortNames[0]: Invalid value: 'B_': " LABEL_WORDS "\n"
		"spec.names.listKind: Invalid value: 'W_': kind and listKind may not be the "
		"same\n"
		"spec.names.categories[0]: Invalid value: 'C C': " LABEL_WORDS);
	check_spec("ws.x.k8s.io",
		   "'group':'x.k8s.io','scope':'Cluster'," NAMES ",'versions':[" VERSION "]",
		   "metadata.annotations[api-approved.kubernetes.io]: Required value: protected "
		   "groups must have approval annotation 'api-approved.kubernetes.io', see "
		   "https://github.com/kubernetes/enhancements/pull/1111");
	check_spec("ws.a.b",
		   "'group':'a.b','scope':'Cluster'," NAMES ",'preserveUnknownFields':true,"
		   "'versions':[" VERSION "]",
		   "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
		   "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema "
		   "instead");
}

static void check_versions(const char *versions, const char *want)
{
	AUTO(mem_free)
	char *spec =
		mem_printf("'group':'a.b','scope':'Cluster'," NAMES ",'versions':%s", versions);

	check_spec("ws.a.b", spec, want);
}

/* Deprecation, conversion, fields to select by, and the words around rules. */
static void test_extras(void)
{
	check_versions(
		"[{'name':'v1','served':true,'storage':true,'deprecationWarning':'x','schema':"
		"{'openAPIV3Schema':{'type':'object'}}},{'name':'v2','served':true,'storage':"
		"false,'deprecated':true,'deprecationWarning':'','schema':{"
		"'openAPIV3Schema':{'type':'object'}}}]",
		"spec.versions[0].deprecationWarning: Invalid value: 'x': can only be set for "
		"deprecated versions\n"
		"spec.versions[1].deprecationWarning: Invalid value: '': must not be an empty "
		"string");
	check_versions(
		"[{'name':'v1','served':true,'storage':true,'selectableFields':[{'jsonPath':"
		"'.a'},{'jsonPath':'.a'},{'jsonPath':'.b'},{'jsonPath':'.o'},{'jsonPath':'a'},"
		"{'jsonPath':''},{'jsonPath':'.o[0]'}],'schema':{'openAPIV3Schema':{'type':"
		"'object','properties':{'a':{'type':'string'},'o':{'type':'object'}}}}}]",
		"spec.selectableFields[1].jsonPath: Duplicate value: '.a'\n"
		"spec.selectableFields[2].jsonPath: Invalid value: '.b': is an invalid path: "
		"does not refer to a valid field\n"
		"spec.selectableFields[3].jsonPath: Invalid value: '.o': must point to a field "
		"of type string, boolean or integer. Enum string fields and strings with "
		"formats are allowed.\n"
		"spec.selectableFields[4].jsonPath: Invalid value: 'a': is an invalid path: "
		"expected [ or . but got: a\n"
		"spec.selectableFields[5].jsonPath: Required value\n"
		"spec.selectableFields[6].jsonPath: Invalid value: '.o[0]': is an invalid path: "
		"array notation is not allowed");
	check_versions(
		"[" VERSION "],'conversion':{'strategy':'Webhook','webhook':{'clientConfig':{},"
		"'conversionReviewVersions':['v9','v9']}}",
		"spec.conversion.webhookClientConfig: Required value: exactly one of url or "
		"service is required\n"
		"spec.conversion.conversionReviewVersions[1]: Invalid value: 'v9': duplicate "
		"version\n"
		"spec.conversion.conversionReviewVersions: Invalid value: ['v9','v9']: must "
		"include at least one of v1, v1beta1");
	check_versions(
		"[" VERSION "],'conversion':{'strategy':'Odd','webhook':{'clientConfig':{}}}",
		"spec.conversion.strategy: Unsupported value: 'Odd': supported values: 'None', "
		"'Webhook'\n"
		"spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy "
		"is not set to Webhook");
	check_versions(
		"[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{"
		"'type':'object','properties':{'s':{'type':'array','x-kubernetes-list-type':"
		"'set','items':{'type':'object'}},'o':{'type':'object','properties':{'a':{"
		"'type':'string'}},'x-kubernetes-validations':[{'rule':' '},{'rule':'self.a "
		"== 1','message':' ','reason':'Odd','fieldPath':'.b'}]}}}}}]",
		"spec.validation.openAPIV3Schema.properties[s].items.x-kubernetes-map-type: "
		"Invalid value: null: must be atomic as item of a list with "
		"x-kubernetes-list-type=set\n"
		"spec.validation.openAPIV3Schema.properties[o].x-kubernetes-validations[0].rule: "
		"Required value: rule is not specified\n"
		"spec.validation.openAPIV3Schema.properties[o].x-kubernetes-validations[1]."
		"message: Invalid value: ' ': must be non-empty if specified\n"
		"spec.validation.openAPIV3Schema.properties[o].x-kubernetes-validations[1]."
		"reason: Unsupported value: 'Odd': supported values: 'FieldValueDuplicate', "
		"'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'\n"
		"spec.validation.openAPIV3Schema.properties[o].x-kubernetes-validations[1]."
		"fieldPath: Invalid value: '.b': must be a valid path");
}

static void test_versions(void)
{
	check_versions("[]",
		       "spec.versions: Invalid value: []: must have exactly one version marked "
		       "as storage version\nstatus.storedVersions: Invalid value: null: must "
		       "have at least one stored version");
	check_versions("[" VERSION "," VERSION "]",
		       "spec.versions: Invalid value: [{'Name':'v1','Served':true,'Storage':true,"
		       "'Deprecated':false,'DeprecationWarning':null,'Schema':null,"
		       "'Subresources':null,'AdditionalPrinterColumns':null,"
		       "'SelectableFields':null},{'Name':'v1','Served':true,'Storage':true,"
		       "'Deprecated':false,'DeprecationWarning':null,'Schema':null,"
		       "'Subresources':null,'AdditionalPrinterColumns':null,"
		       "'SelectableFields':null}]: must contain unique version names\n"
		       "spec.versions: Invalid value: [{'Name':'v1','Served':true,'Storage':true,"
		       "'Deprecated':false,'DeprecationWarning':null,'Schema':null,"
		       "'Subresources':null,'AdditionalPrinterColumns':null,"
		       "'SelectableFields':null},{'Name':'v1','Served':true,'Storage':true,"
		       "'Deprecated':false,'DeprecationWarning':null,'Schema':null,"
		       "'Subresources':null,'AdditionalPrinterColumns':null,"
		       "'SelectableFields':null}]: must have exactly one version marked as storage "
		       "version");
	check_versions("[{'name':'B','served':true,'storage':true," SCHEMA "}]",
		       "spec.versions[0].name: Invalid value: 'B': " LABEL_WORDS
		       "\nspec.version: Invalid value: 'B': " LABEL_WORDS);
	check_versions("[{'name':'v1','served':true,'storage':true}]",
		       "spec.versions[0].schema.openAPIV3Schema: Required value");
	check_versions(
		"[" VERSION ",{'name':'v2','served':true,'schema':{'openAPIV3Schema':{'type':"
		"'string'}}}]",
		"spec.versions[1].schema.openAPIV3Schema.type: Invalid value: 'string': must "
		"be object at the root");
	check_versions(
		"[{'name':'v1','served':true,'storage':true," SCHEMA
		",'additionalPrinterColumns':[{},{'name':'a','type':'odd','format':'x',"
		"'jsonPath':'a'}],'subresources':{'scale':{'specReplicasPath':'.x',"
		"'labelSelectorPath':'.y'}}}]",
		"spec.subresources.scale.specReplicasPath: Invalid value: '.x': should be a "
		"json path under .spec\n"
		"spec.subresources.scale.statusReplicasPath: Required value\n"
		"spec.subresources.scale.labelSelectorPath: Invalid value: '.y': should be a "
		"json path under either .spec or .status\n"
		"spec.additionalPrinterColumns[0].name: Required value\n"
		"spec.additionalPrinterColumns[0].type: Required value: must be one of "
		"boolean,date,integer,number,string\n"
		"spec.additionalPrinterColumns[0].JSONPath: Required value\n"
		"spec.additionalPrinterColumns[1].type: Invalid value: 'odd': must be one of "
		"boolean,date,integer,number,string\n"
		"spec.additionalPrinterColumns[1].format: Invalid value: 'x': must be one of "
		"byte,date,date-time,double,float,int32,int64,password\n"
		"spec.additionalPrinterColumns[1].JSONPath: Invalid value: 'a': must be a "
		"simple json path starting with .");
}

/* Schemas of a property s, and what is said of them below "properties[s]". */
static const struct {
	const char *schema;
	const char *want;
} schema_rows[] = {
	{"{'type':'string'}", ""},
	{"{'type':'object','additionalProperties':true,'properties':{'id':{'type':'string'}"
	 "}}",
	 ""},
	{"{'properties':{}}",
	 ".type: Required value: must not be empty for specified object fields"},
	{"{'type':'odd'}", ".type: Unsupported value: 'odd': supported values: 'array', "
			   "'boolean', 'integer', 'number', 'object', 'string'"},
	{"{'type':'array'}", ".items: Required value: must be specified"},
	{"{'type':'array','items':{}}",
	 ".items.type: Required value: must not be empty for specified array items"},
	{"{'type':'string','default':5}",
	 ".default: Invalid value: 'integer':  in body must be of type string: 'integer'"},
	{"{'type':'string','enum':['a'],'default':'b'}",
	 ".default: Unsupported value: 'b': supported values: 'a'"},
	{"{'type':'object','default':{'x':1}}",
	 ".default: Invalid value: {'x':1}: must not have unknown fields"},
	{"{'type':'object','anyOf':[{'type':'object'}]}",
	 ".anyOf[0].type: Forbidden: must be empty to be structural"},
	{"{'anyOf':[{'type':'integer'},{'type':'string'}],'x-kubernetes-int-or-string':"
	 "true}",
	 ""},
	{"{'type':'object','oneOf':[{'required':['a'],'properties':{'a':{}}}]}",
	 ".properties[a]: Required value: because it is defined in "
	 "@.oneOf[0].properties[a]"},
	{"{'type':'string','pattern':'('}", ".pattern: Invalid value: '(': must be a valid "
					    "regular expression, but isn't: error "
					    "parsing regexp: missing closing ): `(`"},
	{"{'type':'object','$ref':'x'}", ".$ref: Forbidden: $ref is not supported"},
	{"{'type':'array','uniqueItems':true,'items':{'type':'string'}}",
	 ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
	 "complexity becomes quadratic"},
	{"{'type':'array','items':{'type':'string'},'x-kubernetes-list-type':'map'}",
	 ".x-kubernetes-list-map-keys: Required value: must not be empty if "
	 "x-kubernetes-list-type is map\n.items.type: Invalid value: 'string': must be "
	 "object if parent array's x-kubernetes-list-type is map"},
	{"{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k',"
	 "'k','n'],'items':{'type':'object','properties':{'k':{'type':'string'}}}}",
	 ".x-kubernetes-list-map-keys: Invalid value: ['k','k','n']: must not contain "
	 "duplicate entries\n.x-kubernetes-list-map-keys: Invalid value: ['k','k','n']: "
	 "entries must all be names of item properties\n.items.properties[k].default: "
	 "Required value: this property is in x-kubernetes-list-map-keys, so it must have "
	 "a "
	 "default or be a required property\n.items.properties[k].default: Required value: "
	 "this property is in x-kubernetes-list-map-keys, so it must have a default or be "
	 "a "
	 "required property"},
	{"{'type':'object','x-kubernetes-list-type':'set'}",
	 ".type: Invalid value: 'object': must be array if x-kubernetes-list-type is "
	 "specified"},
	{"{'type':'array','items':{'type':'string'},'x-kubernetes-list-type':'bag'}",
	 ".x-kubernetes-list-type: Unsupported value: 'bag': supported values: 'atomic', "
	 "'set', 'map'"},
	{"{'x-kubernetes-embedded-resource':true}",
	 ".properties: Required value: must not be empty if x-kubernetes-embedded-resource "
	 "is true without x-kubernetes-preserve-unknown-fields\n.type: Required value: "
	 "must "
	 "be object if x-kubernetes-embedded-resource is true"},
	{"{'x-kubernetes-int-or-string':true,'x-kubernetes-preserve-unknown-fields':true}",
	 ".x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if "
	 "x-kubernetes-int-or-string is true"},
	{"{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':{"
	 "'type':'string'}}",
	 ".additionalProperties: Forbidden: additionalProperties and properties are mutual "
	 "exclusive"},
	{"{'type':'object','properties':{'a':{'type':'string'}},'x-kubernetes-validations':["
	 "{'rule':'has(self.a)'},{'rule':'  '},{'rule':'self.b == 1'}]}",
	 ".x-kubernetes-validations[1].rule: Required value: rule is not specified"},
	{"{'type':'object','properties':{'a':{'type':'string'}},'x-kubernetes-validations':["
	 "{'rule':'has(self.a)'},{'rule':'self.b == 1'}]}",
	 ".x-kubernetes-validations[1].rule: Invalid value: {'Rule':'self.b == 1',"
	 "'Message':'','MessageExpression':'','Reason':null,'FieldPath':'',"
	 "'OptionalOldSelf':null}: compilation failed: ERROR: <input>:1:5: undefined field "
	 "'b'\n | self.b == 1\n | ....^"},
	{"{'type':'string','maxLength':5,'x-kubernetes-validations':[{'rule':'self'}]}",
	 ".x-kubernetes-validations[0].rule: Invalid value: {'Rule':'self','Message':'',"
	 "'MessageExpression':'','Reason':null,'FieldPath':'','OptionalOldSelf':null}: cel "
	 "expression must evaluate to a bool"},
	{"{'type':'integer','x-kubernetes-validations':[{'rule':'self > 1',"
	 "'messageExpression':'self','optionalOldSelf':false}]}",
	 ".x-kubernetes-validations[0].messageExpression: Invalid value: {'Rule':'self > 1',"
	 "'Message':'','MessageExpression':'self','Reason':null,'FieldPath':'',"
	 "'OptionalOldSelf':false}: messageExpression must evaluate to a string\n"
	 ".x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if "
	 "oldSelf is not used in rule"},
	{"{'type':'array','maxItems':3,'items':{'type':'integer','x-kubernetes-validations':["
	 "{'rule':'self == oldSelf'}]}}",
	 ".items.x-kubernetes-validations[0].rule: Invalid value: 'self == oldSelf': oldSelf "
	 "cannot be used on the uncorrelatable portion of the schema within @"},
	{"{'type':'array','items':{'type':'array','items':{'type':'integer'}},"
	 "'x-kubernetes-validations':[{'rule':'self.all(x, x.all(y, y > 0))'}]}",
	 ".x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by "
	 "factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, "
	 "and maxLength where arrays, maps, and strings are declared)\n"
	 ".x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total "
	 "exceeding cost limit for entire OpenAPIv3 schema\n"
	 "@: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
	 "schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding "
	 "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"},
	{"{'type':'array','maxItems':100,'items':{'type':'string','x-kubernetes-validations':["
	 "{'rule':'self.contains(\\'abc\\')'}]}}",
	 ".items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget "
	 "by factor of 3.1x (try simplifying the rule, or adding maxItems, maxProperties, and "
	 "maxLength where arrays, maps, and strings are declared)"},
};

static void test_schemas(void)
{
	struct path at = path_member(NULL, STR("@"));

	for (size_t i = 0; i < ARRAY_LEN(schema_rows); i++) {
		AUTO(mem_free)
		char *text = mem_printf("{'type':'object','properties':{'s':%s}}",
					schema_rows[i].schema);
		AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		AUTO(mem_free) char *all = NULL;
		struct str rest;
		ptrdiff_t cut;

		crd_validate_schema(json_doc_root(doc), &at, &causes);
		all = print_causes(&causes);
		rest = str_from(all);
		while ((cut = str_find(rest, STR("@.properties[s]"), 0)) >= 0) {
			bool within = cut > 0 && rest.ptr[cut - 1] == ' ';

			buf_put_str(&got, str_slice(rest, 0, (size_t)cut));
			buf_puts(&got, within ? "@" : "");
			rest = str_skip(rest, (size_t)cut + strlen("@.properties[s]"));
		}
		buf_put_str(&got, rest);
		tap_is(buf_text(&got), schema_rows[i].want, __FILE__, __LINE__,
		       schema_rows[i].schema);
	}
}

static void test_metadata(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = quoted_doc(
		"{'type':'object','nullable':true,'properties':{'kind':{'type':'integer'},"
		"'metadata':{'type':'object','properties':{'labels':{'type':'object'}}}}}");
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *got = NULL;

	crd_validate_schema(json_doc_root(doc), NULL, &causes);
	got = print_causes(&causes);
	is(got, "properties[kind].type: Invalid value: 'integer': must be string\n"
		"properties[metadata]: Forbidden: must not specify anything other than name and "
		"generateName, but metadata is implicitly specified");
}

static void check_change(const char *pointer, const char *value, const char *want)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = quoted_doc(
		"{'metadata':{'name':'ws.a.b'},'spec':{'group':'a.b','scope':'Cluster'," NAMES
		",'versions':[" VERSION "]},'status':{'storedVersions':['v1'],'conditions':["
		"{'type':'Established','status':'True'}]}}");
	AUTO(json_doc_unref) struct json_doc *old = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *new = NULL;
	AUTO(json_doc_unref) struct json_doc *changed = quoted_doc(value);
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *got = NULL;
	struct json object;
	const char *key = strrchr(pointer, '/');

	crd_prepare(old, json_doc_root(old));
	new = json_doc_thaw(json_doc_root(old));
	object = json_pointer_get(json_doc_root(new), str_of(pointer, (size_t)(key - pointer)));
	json_set(new, object, str_from(key + 1), json_new_copy(new, json_doc_root(changed)));
	crd_validate(json_doc_root(new), json_doc_root(old), &causes);
	got = print_causes(&causes);
	tap_is(got, want, __FILE__, __LINE__, pointer);
}

static void test_changes(void)
{
	check_change("/spec/scope", "'Cluster'", "");
	check_change("/spec/scope", "'Namespaced'",
		     "spec.scope: Invalid value: 'Namespaced': field is immutable");
	check_change("/spec/group", "'c.d'",
		     "spec.group: Invalid value: 'c.d': field is immutable");
	check_change("/spec/names/kind", "'X'",
		     "spec.names.kind: Invalid value: 'X': field is immutable");
	check_change("/spec/names/plural", "'xs'",
		     "spec.names.plural: Invalid value: 'xs': field is immutable");
	check_change("/spec/versions", "[]",
		     "spec.versions: Invalid value: []: must have exactly one version marked as "
		     "storage version\nstatus.storedVersions[0]: Invalid value: 'v1': missing from "
		     "spec.versions; v1 was previously a storage version, and must remain in "
		     "spec.versions until a storage migration ensures no data remains persisted in "
		     "v1 and removes v1 from status.storedVersions");
}

static void test_prepare(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = quoted_doc(
		"{'spec':{" NAMES ",'versions':[{'name':'v1'},{'name':'v2','storage':true}]}}");
	AUTO(json_doc_unref) struct json_doc *crd = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *empty = json_doc_new();
	AUTO(mem_free) char *names = NULL;

	crd_prepare(crd, json_doc_root(crd));
	crd_prepare(crd, json_doc_root(crd));
	names = json_text(json_pointer_get(json_doc_root(crd), STR("/spec/names")), JSON_CANONICAL);
	is(names, "{\"kind\":\"W\",\"listKind\":\"WList\",\"plural\":\"ws\",\"singular\":\"w\"}");
	ok(json_len(json_pointer_get(json_doc_root(crd), STR("/status/storedVersions"))) == 1,
	   "the stored version is noted once");
	ok(str_is(json_str(json_pointer_get(json_doc_root(crd), STR("/spec/conversion/strategy"))),
		  "None"),
	   "conversion is by doing nothing");
	json_doc_set_root(empty, json_new_obj(empty));
	crd_prepare(empty, json_doc_root(empty));
	ok(json_len(json_doc_root(empty)) == 0, "nothing comes from nothing");
}

/* Our own definitions are good ones. */
static void test_volcano(void)
{
	for (size_t i = 0; i < vckind_count; i++) {
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
		struct json crd = vckind_crd(&vckinds[i], doc);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		crd_prepare(doc, crd);
		crd_validate(crd, JSON_NONE, &causes);
		ok(causes.len == 0, "the definition of %s is right %s", vckinds[i].kind,
		   causes.len ? causes.ptr[0].message : "");
	}
}

int main(void)
{
	test_names();
	test_versions();
	test_extras();
	test_schemas();
	test_metadata();
	test_changes();
	test_prepare();
	test_volcano();
	return tap_done();
}
