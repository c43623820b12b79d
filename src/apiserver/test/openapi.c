/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of OpenAPI: what is in them, that the protobuf says the same, and that their hash changes
 * with them. */
#include "apiserver/openapi/openapi_doc.h"
#include "apiserver/test/quotes.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

static const struct step definition[] = {
	{"POST", CRDS,
	 "{'metadata':{'name':'widgets.x.io'},'spec':{'group':'x.io','scope':'Namespaced',"
	 "'names':{'plural':'widgets','kind':'Widget'},'versions':[{'name':'v1','served':true,"
	 "'storage':true,'subresources':{'scale':{'specReplicasPath':'.spec.size',"
	 "'statusReplicasPath':'.status.size'}},'schema':{'openAPIV3Schema':{'type':'object',"
	 "'properties':{'spec':{'type':'object','properties':{'size':{'type':'integer','default':1}"
	 ","
	 "'port':{'x-kubernetes-int-or-string':true,'anyOf':[{'type':'integer'},{'type':"
	 "'string'}]},'maybe':{'type':'string','nullable':true},'any':{'type':'object',"
	 "'x-kubernetes-preserve-unknown-fields':true},'pod':{'type':'object',"
	 "'x-kubernetes-embedded-resource':true,'properties':{'spec':{'type':'object'}}}}}}}}}]}}",
	 201, "/kind", "CustomResourceDefinition"},
};

static struct json_doc *make(struct world *w, enum openapi_form form, const char *group,
			     const char *version)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err = {0};
	struct json_doc *doc;

	openapi_doc_print(api_kinds(w->api), form, str_from(group), str_from(version), &text);
	doc = json_parse(buf_str(&text), NULL, &err);
	if (!ok(doc != NULL, "a document of %zu bytes", text.len))
		printf("#   %s\n", err.text);
	return doc;
}

struct row {
	const char *at, *want; /* ' for " */
};

static void check_rows(struct json root, const struct row *rows, size_t count)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < count; i++) {
		struct json at = json_pointer_get(root, str_from(rows[i].at));
		AUTO(mem_free) char *text = json_text(at, JSON_COMPACT);

		tap_is(text, rows[i].want ? quotes_text(arena, rows[i].want) : "", __FILE__,
		       __LINE__, rows[i].at);
	}
}

#define V3 "/components/schemas/"
#define GVK "x-kubernetes-group-version-kind"

static void test_v3(struct world *w)
{
	static const struct row core[] = {
		{"/openapi", "'3.0.0'"},
		{V3 "io.k8s.api.core.v1.Pod/" GVK, "[{'group':'','kind':'Pod','version':'v1'}]"},
		{V3 "io.k8s.api.core.v1.Pod/properties/spec",
		 "{'allOf':[{'$ref':'#/components/schemas/io.k8s.api.core.v1.PodSpec'}]}"},
		{V3 "io.k8s.api.core.v1.PodSpec/properties/containers/x-kubernetes-patch-merge-key",
		 "'name'"},
		{V3 "io.k8s.api.core.v1.PodSpec/properties/dnsPolicy/enum",
		 "['ClusterFirst','ClusterFirstWithHostNet','Default','None']"},
		{V3 "io.k8s.api.core.v1.HostPathVolumeSource/properties/type/enum/0", "''"},
		{V3 "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
		 "{'oneOf':[{'type':'integer'},{'type':'string'}],'format':'int-or-string'}"},
		{V3 "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
		 "{'type':'string','format':'date-time'}"},
		{V3 "io.k8s.api.core.v1.PodList/required", "['items']"},
		{V3 "io.k8s.api.apps.v1.Deployment", NULL},
		{"/paths/~1api~1v1~1namespaces~1{namespace}~1pods~1{name}/patch/" GVK,
		 "{'group':'','kind':'Pod','version':'v1'}"},
		{"/paths/~1api~1v1~1namespaces~1{namespace}~1pods~1{name}/patch/parameters/2/name",
		 "'fieldValidation'"},
		{"/paths/~1api~1v1~1pods/get/operationId", "'listCoreV1PodForAllNamespaces'"},
		{"/paths/~1api~1v1~1namespaces~1{namespace}/post", NULL},
	};
	static const struct row custom[] = {
		{V3 "io.x.v1.Widget/properties/metadata/allOf/0/$ref",
		 "'#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'"},
		{V3 "io.x.v1.Widget/properties/spec/properties/maybe",
		 "{'type':'string','nullable':true}"},
		{V3 "io.x.v1.Widget/properties/spec/properties/pod/properties/kind/type",
		 "'string'"},
		{V3 "io.x.v1.Widget/" GVK, "[{'group':'x.io','kind':'Widget','version':'v1'}]"},
		{"/paths/~1apis~1x.io~1v1~1namespaces~1{namespace}~1widgets~1{name}~1scale/"
		 "get/" GVK,
		 "{'group':'autoscaling','kind':'Scale','version':'v1'}"},
	};
	AUTO(json_doc_unref) struct json_doc *doc = make(w, OPENAPI_V3, "", "v1");
	AUTO(json_doc_unref) struct json_doc *other = make(w, OPENAPI_V3, "x.io", "v1");

	check_rows(json_doc_root(doc), core, ARRAY_LEN(core));
	check_rows(json_doc_root(other), custom, ARRAY_LEN(custom));
}

static void test_v2(struct world *w)
{
	static const struct row rows[] = {
		{"/swagger", "'2.0'"},
		{"/definitions/io.k8s.api.core.v1.Pod/properties/spec",
		 "{'$ref':'#/definitions/io.k8s.api.core.v1.PodSpec'}"},
		{"/definitions/io.k8s.api.core.v1.ResourceRequirements/properties/limits",
		 "{'type':'object','additionalProperties':{'$ref':"
		 "'#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity'}}"},
		{"/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity", "{'type':'string'}"},
		{"/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString",
		 "{'type':'string','format':'int-or-string'}"},
		{"/definitions/io.k8s.api.core.v1.PodSpec/properties/dnsPolicy/enum",
		 "['ClusterFirst','ClusterFirstWithHostNet','Default','None']"},
		{"/definitions/io.k8s.api.core.v1.Container/properties/restartPolicy",
		 "{'type':'string'}"},
		{"/definitions/io.x.v1.Widget/properties/spec/properties/size",
		 "{'type':'integer'}"},
		{"/definitions/io.x.v1.Widget/properties/spec/properties/port",
		 "{'x-kubernetes-int-or-string':true}"},
		{"/definitions/io.x.v1.Widget/properties/spec/properties/maybe", "{}"},
		{"/definitions/io.x.v1.Widget/properties/spec/properties/any",
		 "{'x-kubernetes-preserve-unknown-fields':true}"},
	};
	AUTO(json_doc_unref) struct json_doc *doc = make(w, OPENAPI_V2_JSON, NULL, NULL);

	check_rows(json_doc_root(doc), rows, ARRAY_LEN(rows));
}

/* --- protobuf -------------------------------------------------------------------------------- */

static uint64_t read_varint(struct str *rest)
{
	uint64_t value = 0;

	for (int shift = 0; rest->len; shift += 7) {
		unsigned char byte = (unsigned char)rest->ptr[0];

		*rest = str_skip(*rest, 1);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/* The next field that is bytes; false at the end. */
static bool next_bytes(struct str *rest, uint64_t *field, struct str *value)
{
	uint64_t tag;
	uint64_t len;

	while (rest->len) {
		tag = read_varint(rest);
		if ((tag & 7) == 0) {
			(void)read_varint(rest);
			continue;
		}
		len = (tag & 7) == 1 ? 8 : read_varint(rest);
		*field = tag >> 3;
		*value = str_slice(*rest, 0, len);
		*rest = str_skip(*rest, len);
		if ((tag & 7) == 2)
			return true;
	}
	return false;
}

/* The bytes at a path of fields, the first of each. */
static struct str dig(struct str at, const uint64_t *path, size_t count)
{
	uint64_t field;
	struct str value;

	for (size_t i = 0; i < count; i++) {
		bool found = false;

		while (!found && next_bytes(&at, &field, &value))
			found = field == path[i];
		if (!found)
			return str_none();
		at = value;
	}
	return at;
}

static void test_proto(struct world *w)
{
	static const uint64_t name_path[] = {1, 1};        /* Definitions.NamedSchema.name */
	static const uint64_t type_path[] = {1, 2, 22, 1}; /* .value.type.value */
	static const uint64_t extension[] = {1, 2, 31, 1}; /* .value.vendor_extension.name */
	static const uint64_t path_name[] = {2, 1};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str rest;
	struct str value;
	uint64_t field;
	size_t definitions = 0;
	size_t paths = 0;

	openapi_doc_print(api_kinds(w->api), OPENAPI_V2_PROTO, str_none(), str_none(), &text);
	rest = buf_str(&text);
	while (next_bytes(&rest, &field, &value)) {
		definitions += field == 9;
		paths += field == 8 && str_starts(dig(value, path_name, 2), STR("/"));
		if (field != 9 || !str_is(dig(value, name_path, 2), "io.x.v1.Widget"))
			continue;
		ok(str_is(dig(value, type_path, 4), "object"), "its type is in the protobuf");
		ok(str_is(dig(value, extension, 4), GVK), "and its kind");
	}
	ok(rest.len == 0 && definitions > 300 && paths > 100,
	   "%zu definitions and %zu paths as protobuf", definitions, paths);
}

static void test_hash(struct world *w)
{
	static const struct step change[] = {
		{"PATCH json", CRDS "/widgets.x.io",
		 "[{'op':'remove','path':'/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
		 "properties/size'}]",
		 200, "/kind", "CustomResourceDefinition"},
	};
	const struct kinds *kinds = api_kinds(w->api);
	uint64_t custom = openapi_doc_hash(kinds, STR("x.io"), STR("v1"));
	uint64_t core = openapi_doc_hash(kinds, STR(""), STR("v1"));
	uint64_t all = openapi_doc_hash(kinds, str_none(), str_none());

	quotes_steps(w, change, ARRAY_LEN(change));
	ok(openapi_doc_hash(kinds, STR("x.io"), STR("v1")) != custom &&
		   openapi_doc_hash(kinds, str_none(), str_none()) != all,
	   "the hash changes with the schema");
	ok(openapi_doc_hash(kinds, STR(""), STR("v1")) == core, "that of another group does not");
}

int main(void)
{
	struct world w = world_new();

	quotes_steps(&w, definition, ARRAY_LEN(definition));
	test_v3(&w);
	test_v2(&w);
	test_proto(&w);
	test_hash(&w);
	world_free(&w);
	return tap_done();
}
