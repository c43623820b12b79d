/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery of the built-in kinds and of one that is made at run time, and how bodies are read. */
#include "apiserver/openapi/discovery.h"

#include "apiserver/api.h"
#include "apiserver/kind/kind.h"
#include "apiserver/kind/kind_rows.h"
#include "apiserver/request/call.h"
#include "apiserver/request/media.h"
#include "apiserver/store/store.h"
#include "base/mem.h"
#include "json/doc.h"
#include "json/pointer.h"
#include "loop/loop.h"
#include "tap.h"

/* Takes the document. */
static void check(struct json_doc *doc, const char *at, const char *want)
{
	struct json value = doc ? json_pointer_get(json_doc_root(doc), str_from(at)) : JSON_NONE;

	ok(str_is(json_str(value), want), "%s is %s", at, want);
	json_doc_unref(doc);
}

static void test_discovery(void)
{
	AUTO(kinds_free) struct kinds *kinds = kinds_new(1);
	struct kind row = {.group = STR_INIT("example.com"),
			   .version = STR_INIT("v1beta2"),
			   .plural = STR_INIT("widgets"),
			   .singular = STR_INIT("widget"),
			   .name = STR_INIT("Widget"),
			   .list_name = STR_INIT("WidgetList"),
			   .verbs = VERBS_ALL};
	struct kind *beta;
	uint64_t generation;

	kind_rows_add(kinds);
	check(discovery_core(STR("127.0.0.1:6443")), "/serverAddressByClientCIDRs/0/serverAddress",
	      "127.0.0.1:6443");
	check(discovery_version(kinds, STR(""), STR("v1")), "/resources/2/name", "configmaps");
	check(discovery_version(kinds, STR(""), STR("v1")), "/resources/2/shortNames/0", "cm");
	check(discovery_version(kinds, STR("policy"), STR("v1")), "/resources/1/name",
	      "poddisruptionbudgets/status");
	check(discovery_groups(kinds), "/groups/0/name", "apps");
	check(discovery_aggregated(kinds, true, STR("v2")), "/apiVersion",
	      "apidiscovery.k8s.io/v2");
	check(discovery_aggregated(kinds, true, STR("v2")),
	      "/items/0/versions/0/resources/0/responseKind/kind", "Binding");
	check(discovery_aggregated(kinds, false, STR("v2beta1")), "/items/0/metadata/name", "apps");
	ok(!discovery_group(kinds, STR("example.com")), "a group that is not there");
	ok(!discovery_version(kinds, STR("policy"), STR("v9")), "a version that is not there");

	generation = kinds_generation(kinds);
	beta = kinds_add(kinds, &row);
	row.version = STR("v1");
	(void)kinds_add(kinds, &row);
	row.version = STR("v2alpha1");
	(void)kinds_add(kinds, &row);
	row.version = STR("odd");
	(void)kinds_add(kinds, &row);
	check(discovery_group(kinds, STR("example.com")), "/preferredVersion/version", "v1");
	check(discovery_group(kinds, STR("example.com")), "/versions/1/version", "v1beta2");
	check(discovery_group(kinds, STR("example.com")), "/versions/3/version", "odd");
	ok(kinds_find_kind(kinds, STR("example.com/v1beta2"), STR("Widget")) == beta, "by kind");
	kinds_remove(kinds, beta);
	ok(!kinds_find(kinds, STR("example.com"), STR("v1beta2"), STR("widgets")), "removed");
	ok(kinds_generation(kinds) > generation, "changes are counted");
	ok(str_is(beta->name, "Widget"), "holders of a reference may still read it");
}

static const struct {
	const char *accept;
	bool fits, yaml;
	enum call_form form;
} accepts[] = {
	{"", true, false, CALL_FORM_OBJECT},
	{"*/*", true, false, CALL_FORM_OBJECT},
	{"application/json", true, false, CALL_FORM_OBJECT},
	{"application/yaml", true, true, CALL_FORM_OBJECT},
	{"application/vnd.kubernetes.protobuf,application/json", true, false, CALL_FORM_OBJECT},
	{"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", true, false,
	 CALL_FORM_TABLE},
	{"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", true, false,
	 CALL_FORM_METADATA},
	{"application/json;as=Odd;v=v1;g=meta.k8s.io,application/json", true, false,
	 CALL_FORM_OBJECT},
	{"application/json;as=Table;v=v1beta1;g=meta.k8s.io", true, false, CALL_FORM_TABLE},
	{"application/yaml;q=0.5, application/json", true, false, CALL_FORM_OBJECT},
	{"*/*, application/yaml", true, true, CALL_FORM_OBJECT},
	{"text/html, application/json;q=0.9", true, false, CALL_FORM_OBJECT},
	{"text/plain", false, false, CALL_FORM_OBJECT},
	{"application/*", false, false, CALL_FORM_OBJECT},
	{"application/vnd.kubernetes.protobuf", false, false, CALL_FORM_OBJECT},
	{"application/json;as=Table;v=v9;g=meta.k8s.io", false, false, CALL_FORM_OBJECT},
	{"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", false, false,
	 CALL_FORM_OBJECT},
	{"application/json;q=0", false, false, CALL_FORM_OBJECT},
};

static const struct {
	enum verb verb;
	const char *type, *body;
	enum err_code code; /* ERR_NONE: read */
} bodies[] = {
	{VERB_CREATE, "application/json", "{\"a\":1}", ERR_NONE},
	{VERB_CREATE, "", "{\"a\":1}", ERR_NONE},
	{VERB_CREATE, "application/json; charset=utf-8", "{}", ERR_NONE},
	{VERB_CREATE, "application/yaml", "a: 1\n", ERR_NONE},
	{VERB_CREATE, "application/yaml", "a: [", ERR_BAD_REQUEST},
	{VERB_CREATE, "text/plain", "{}", ERR_UNSUPPORTED_MEDIA_TYPE},
	{VERB_CREATE, "application/json", "{bad", ERR_BAD_REQUEST},
	{VERB_CREATE, "application/json", "", ERR_BAD_REQUEST},
	{VERB_DELETE, "", "", ERR_NONE},
	{VERB_PATCH, "application/merge-patch+json", "{}", ERR_NONE},
	{VERB_PATCH, "application/json-patch+json", "[]", ERR_NONE},
	{VERB_PATCH, "application/strategic-merge-patch+json", "{}", ERR_NONE},
	{VERB_PATCH, "application/json", "{}", ERR_UNSUPPORTED_MEDIA_TYPE},
	{VERB_PATCH, "application/apply-patch+yaml", "{}", ERR_NONE},
	{VERB_PATCH, "application/merge-patch+json", "{", ERR_BAD_REQUEST},
};

static void test_media(struct api *api)
{
	static const struct call_sink nobody = {0};
	const struct kind *kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("pods"));
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	for (size_t i = 0; i < ARRAY_LEN(accepts); i++) {
		AUTO(call_free) struct call *call = call_new(api, &nobody, NULL);
		struct err err;
		int result;

		call->kind = kind;
		result = media_negotiate(call, str_from(accepts[i].accept), &err);
		ok((result == 0) == accepts[i].fits && call->options.yaml == accepts[i].yaml &&
			   call->options.form == accepts[i].form,
		   "Accept: %s", accepts[i].accept);
	}
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		AUTO(call_free) struct call *call = call_new(api, &nobody, NULL);
		struct err err = {.code = ERR_NONE};
		int result;

		call->kind = kind;
		call->verb = bodies[i].verb;
		result = media_read_body(call, str_from(bodies[i].type), str_from(bodies[i].body),
					 &err);
		ok(bodies[i].code == ERR_NONE ? result == 0 : err.code == bodies[i].code,
		   "body %zu, Content-Type: %s", i, bodies[i].type);
	}
	ok(media_takes_gzip(STR("deflate, gzip;q=0.5")) && !media_takes_gzip(STR("br")), "gzip");
	media_quote(&quoted, "a \"b\" \\ \n\x7f");
	is(buf_text(&quoted), "a \\\"b\\\" \\\\ ");
}

int main(void)
{
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new_virtual(1, 0, &err);
	struct store *store = store_open(loop, &(struct store_options){.folder = NULL}, &err);
	struct api *api = api_new(&(struct api_options){.loop = loop, .store = store});

	test_discovery();
	test_media(api);
	api_free(api);
	store_close(store);
	return tap_done();
}
