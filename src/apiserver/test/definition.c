/* SPDX-License-Identifier: Apache-2.0 */
/* Custom kinds at run time: definitions come, change, conflict and go, and their objects with them. */
#include "apiserver/test/quotes.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/x.io/v1/namespaces/a/widgets"
#define META(name) "'metadata':{'name':'" name "'}"
#define OPEN                                                                                   \
	"'schema':{'openAPIV3Schema':{'type':'object','x-kubernetes-preserve-unknown-fields':" \
	"true}}"
#define CLOSED                                                                                   \
	"'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':{'type':'object',"    \
	"'properties':{'size':{'type':'integer','minimum':0,'default':3},'color':{'type':"       \
	"'string','enum':['red','blue']},'tags':{'type':'array','x-kubernetes-list-type':'set'," \
	"'items':{'type':'string'}}}},'status':{'type':'object','properties':{'size':{'type':"   \
	"'integer'},'sel':{'type':'string'}}}}}}"
#define SUBS                                                                    \
	"'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.size'," \
	"'statusReplicasPath':'.status.size','labelSelectorPath':'.status.sel'}}"
#define NAMES(plural, kind) "'names':{'plural':'" plural "','kind':'" kind "'}"
#define CRD(plural, kind, versions)                                                     \
	"{" META(plural ".x.io") ",'spec':{'group':'x.io','scope':'Namespaced'," NAMES( \
		plural, kind) ",'versions':[" versions "]}}"
#define VERSION(name, storage, rest) \
	"{'name':'" name "','served':true,'storage':" storage "," rest "}"
/* To whatever version there is. */
#define NOW(name) "'metadata':{'name':'" name "','resourceVersion':'0'}"
#define ESTABLISHED "/status/conditions/1/status"

static const struct step life[] = {
	{"POST", "/api/v1/namespaces", "{" META("a") "}", 201, "/kind", "Namespace"},
	{"POST", CRDS,
	 CRD("widgets", "Widget",
	     VERSION("v1", "true", CLOSED "," SUBS) "," VERSION("v1beta1", "false", OPEN)),
	 201, "/status",
	 "{'conditions':null,'acceptedNames':{'plural':'','kind':''},'storedVersions':['v1']}"},
	{"GET", CRDS "/widgets.x.io", NULL, 200, ESTABLISHED, "True"},
	{"GET", CRDS "/widgets.x.io", NULL, 200, "/status/acceptedNames",
	 "{'plural':'widgets','kind':'Widget','singular':'widget','listKind':'WidgetList'}"},
	{"GET", CRDS "/widgets.x.io", NULL, 200, "/status/conditions/0/reason", "NoConflicts"},
	{"GET", CRDS "/widgets.x.io", NULL, 200, "/metadata/generation", "1"},
	{"POST", WIDGETS, "{" META("w") ",'spec':{'odd':1},'status':{'size':9}}", 201, "/spec",
	 "{'size':3}"},
	{"GET", WIDGETS "/w", NULL, 200, "/status", NULL},
	{"POST", WIDGETS, "{" META("x") ",'spec':{'size':-1}}", 422, "/details/causes/0/field",
	 ".spec.size"},
	{"POST", WIDGETS, "{" META("x") ",'spec':{'color':'green'}}", 422, "/message",
	 "Widget.x.io 'x' is invalid: spec.color: Unsupported value: 'green': supported values: "
	 "'red', 'blue'"},
	{"POST", WIDGETS, "{" META("x") ",'spec':{'tags':['a','a']}}", 422,
	 "/details/causes/0/message", "Duplicate value: 'a'"},
	{"POST", WIDGETS, "{'apiVersion':'x.io/v1beta1'," META("x") "}", 400, "/message",
	 "the API version in the data (x.io/v1beta1) does not match the expected API version "
	 "(x.io/v1)"},
	{"POST", WIDGETS, "{'kind':'Gadget'," META("x") "}", 422, "/message",
	 "Gadget.x.io 'x' is invalid: kind: Invalid value: 'Gadget': must be Widget"},
	{"POST", WIDGETS, "{'kind':'Gadget'," META("x") "}", 422, "/details",
	 "{'name':'x','group':'x.io','kind':'Gadget','causes':[{'reason':'FieldValueInvalid',"
	 "'message':'Invalid value: \\'Gadget\\': must be Widget','field':'kind'}]}"},
	{"PUT", WIDGETS "/w", "{" META("w") "}", 422, "/message",
	 "widgets.x.io 'w' is invalid: metadata.resourceVersion: Invalid value: 0: must be "
	 "specified for an update"},
	{"PATCH merge", WIDGETS "/w", "{'spec':{'size':4}}", 200, "/metadata/generation", "2"},
	{"PATCH merge", WIDGETS "/w/status", "{'status':{'size':2,'sel':'a=b'},'spec':{'size':9}}",
	 200, "/spec/size", "4"},
	{"PATCH merge", WIDGETS "/w/status", "{'status':{'size':'x'}}", 422,
	 "/details/causes/0/field", "status.size"},
	{"PUT", WIDGETS "/w/status", "{" NOW("w") ",'status':{'size':5}}", 422, "/message",
	 "widgets.x.io 'w' is invalid: metadata.resourceVersion: Invalid value: 0: must be "
	 "specified for an update"},
	{"PATCH merge", WIDGETS "/w", "{'metadata':{'resourceVersion':'0'}}", 422,
	 "/details/causes/0/field", "metadata.resourceVersion"},
	{"PATCH merge", WIDGETS "/w/status", "{'spec':{'size':4},'status':{'size':5,'sel':'a=b'}}",
	 200, "/spec", "{'size':4}"},
	{"GET", WIDGETS "/w", NULL, 200, "/status/size", "5"},
	{"PATCH merge", WIDGETS "/w/status", "{'spec':{'size':9},'status':{'size':2,'sel':'a=b'}}",
	 200, "/spec", "{'size':4}"},
	{"GET", WIDGETS "/w", NULL, 200, "/metadata/generation", "2"},
	{"PATCH merge", WIDGETS "/w", "{'spec':{'tags':['a','a']}}", 422,
	 "/details/causes/0/message", "Duplicate value: 'a'"},
	{"PATCH merge", WIDGETS "/w", "{'metadata':{'labels':{'a b':'c'}}}", 422,
	 "/details/causes/0/field", "metadata.labels"},
	{"POST", WIDGETS "?dryRun=All", "{" META("n") ",'spec':{'color':null}}", 201, "/spec",
	 "{'size':3}"},
	{"GET", WIDGETS "/w/scale", NULL, 200, "/status", "{'replicas':2,'selector':'a=b'}"},
	{"PATCH merge", WIDGETS "/w/scale", "{'spec':{'replicas':7}}", 200, "/spec/replicas", "7"},
	{"PATCH merge", WIDGETS "/w/scale", "{'spec':{'replicas':-1}}", 422,
	 "/details/causes/0/field", ".spec.size"},
	{"GET", WIDGETS "/w", NULL, 200, "/spec/size", "7"},
	{"GET", "/apis/x.io/v1beta1/namespaces/a/widgets/w", NULL, 200, "/apiVersion",
	 "x.io/v1beta1"},
	{"GET", "/apis/x.io/v1beta1/widgets", NULL, 200, "/items/0/apiVersion", "x.io/v1beta1"},
	{"PATCH merge", "/apis/x.io/v1beta1/namespaces/a/widgets/w", "{'spec':{'size':7}}", 200,
	 "/metadata/generation", "3"},
	{"POST", "/apis/x.io/v1beta1/namespaces/a/widgets",
	 "{'apiVersion':'x.io/v1beta1','kind':'Widget'," META("b") ",'spec':{'odd':1,'size':1}}",
	 201, "/spec", "{'size':1}"},
	{"DELETE", WIDGETS "/b", NULL, 200, "/details/kind", "widgets"},
};

/* New defaults are seen in old objects, and what the schema no longer knows is not. */
static const struct step change[] = {
	{"PATCH json", CRDS "/widgets.x.io",
	 "[{'op':'add','path':'/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/"
	 "mood','value':{'type':'string','default':'good'}},{'op':'remove','path':"
	 "'/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/sel'}]",
	 200, "/metadata/generation", "2"},
	{"GET", WIDGETS "/w", NULL, 200, "/spec/mood", "good"},
	{"GET", WIDGETS, NULL, 200, "/items/0/status", "{'size':2}"},
	{"PATCH merge", WIDGETS "/w", "{'metadata':{'labels':{'x':'y'}}}", 200, "/spec/mood",
	 "good"},
	{"PATCH json", CRDS "/widgets.x.io",
	 "[{'op':'replace','path':'/spec/versions/1/served','value':false}]", 200, "/kind",
	 "CustomResourceDefinition"},
	{"PATCH merge", CRDS "/widgets.x.io", "{'spec':{'group':'y.io'}}", 422,
	 "/details/causes/0/message", "Invalid value: 'y.io': field is immutable"},
};

static const struct step conflicts[] = {
	{"POST", CRDS,
	 "{" META("wodgets.x.io") ",'spec':{'group':'x.io','scope':'Cluster','names':{'plural':'"
				  "wodgets','kind':'Widget','shortNames':['wd']},'versions':"
				  "[" VERSION("v1", "true", OPEN) "]}}",
	 201, "/kind", "CustomResourceDefinition"},
	{"GET", CRDS "/wodgets.x.io", NULL, 200, "/status/conditions/0/message",
	 "'WidgetList' is already in use"},
	{"GET", CRDS "/wodgets.x.io", NULL, 200, "/status/conditions/0/reason", "ListKindConflict"},
	{"GET", CRDS "/wodgets.x.io", NULL, 200, "/status/conditions/1/reason", "NotAccepted"},
	{"GET", CRDS "/wodgets.x.io", NULL, 200, "/status/acceptedNames",
	 "{'plural':'wodgets','kind':'','shortNames':['wd']}"},
};

/* Objects with finalizers hold their definition; nothing new is made meanwhile; then the names are
 * free for those who waited. */
static const struct step removal[] = {
	{"PATCH merge", WIDGETS "/w", "{'metadata':{'finalizers':['a.com/x']}}", 200, "/kind",
	 "Widget"},
	{"DELETE", CRDS "/widgets.x.io", NULL, 200, "/metadata/finalizers/0",
	 "customresourcecleanup.apiextensions.k8s.io"},
	{"GET", WIDGETS "/w", NULL, 200, "/metadata/deletionGracePeriodSeconds", "0"},
	{"POST", WIDGETS, "{" META("late") "}", 403, "/message",
	 "widgets.x.io 'late' is forbidden: create not allowed while custom resource definition is "
	 "terminating"},
	{"PATCH merge", WIDGETS "/w", "{'metadata':{'finalizers':null}}", 200, "/kind", "Widget"},
	{"GET", CRDS "/widgets.x.io", NULL, 404, "/reason", "NotFound"},
	{"GET", CRDS "/wodgets.x.io", NULL, 200, ESTABLISHED, "True"},
	{"POST", "/apis/x.io/v1/wodgets", "{" META("g") ",'any':{'thing':1}}", 201, "/any",
	 "{'thing':1}"},
};

/* Anyone may write a status. What it says of names is corrected, and served meanwhile. */
static const struct step renamed[] = {
	{"POST", CRDS, CRD("gizmos", "Gizmo", VERSION("v1", "true", CLOSED "," SUBS)), 201, "/kind",
	 "CustomResourceDefinition"},
	{"POST", "/apis/x.io/v1/namespaces/a/gizmos", "{" META("g") "}", 201, "/kind", "Gizmo"},
	{"PATCH merge", CRDS "/gizmos.x.io/status",
	 "{'status':{'acceptedNames':{'plural':'others','kind':'Other','listKind':'Others'}}}", 200,
	 "/status/acceptedNames/kind", "Other"},
	{"GET", CRDS "/gizmos.x.io", NULL, 200, "/status/acceptedNames/kind", "Gizmo"},
	{"GET", "/apis/x.io/v1/namespaces/a/gizmos/g", NULL, 200, "/kind", "Gizmo"},
	{"PATCH merge", CRDS "/gizmos.x.io/status", "{'status':{'acceptedNames':null}}", 200,
	 "/kind", "CustomResourceDefinition"},
	{"GET", CRDS "/gizmos.x.io", NULL, 200, "/status/acceptedNames/plural", "gizmos"},
	{"PATCH merge", CRDS "/gizmos.x.io/status",
	 "{'status':{'acceptedNames':{'plural':'widgets','kind':'Widget'}}}", 200, "/kind",
	 "CustomResourceDefinition"},
	{"GET", WIDGETS "/w", NULL, 200, "/kind", "Widget"},
	{"GET", "/apis/x.io/v1/namespaces/a/gizmos/g", NULL, 200, "/kind", "Gizmo"},
	{"PATCH merge", CRDS "/gizmos.x.io/status",
	 "{'status':{'acceptedNames':{'plural':'x','kind':''},'conditions':null}}", 200, "/kind",
	 "CustomResourceDefinition"},
	{"GET", CRDS "/gizmos.x.io", NULL, 200, "/status/acceptedNames/plural", "gizmos"},
	{"POST", "/apis/x.io/v1/namespaces/a/gizmos", "{" META("h") "}", 201, "/kind", "Gizmo"},
	{"PATCH merge", CRDS "/gizmos.x.io/status",
	 "{'status':{'storedVersions':['v9'],'conditions':null}}", 200, "/kind",
	 "CustomResourceDefinition"},
	{"DELETE", CRDS "/gizmos.x.io", NULL, 200, "/kind", "CustomResourceDefinition"},
	{"GET", CRDS "/gizmos.x.io", NULL, 404, "/reason", "NotFound"},
};

static bool is_served(struct world *w, const char *version, const char *plural)
{
	return kinds_find(api_kinds(w->api), STR("x.io"), str_from(version), str_from(plural));
}

/* What is stored is served again, and established if that was not yet so. */
static void test_restart(struct world *w)
{
	static const struct step after[] = {
		{"GET", "/apis/x.io/v1/wodgets/g", NULL, 200, "/any", "{'thing':1}"},
		{"GET", CRDS "/late.x.io", NULL, 200, ESTABLISHED, "True"},
		{"DELETE", CRDS "/late.x.io", NULL, 200, "/kind", "CustomResourceDefinition"},
		{"GET", CRDS "/late.x.io", NULL, 404, "/reason", "NotFound"},
	};

	AUTO(arena_free) struct arena *arena = arena_new(0);

	/* not settled: the kill comes first */
	json_doc_unref(ask(w, "POST", CRDS,
			   quotes_text(arena, CRD("late", "Late", VERSION("v1", "true", OPEN))))
			       .doc);
	world_restart(w);
	ok(is_served(w, "v1", "wodgets"), "definitions in the store are kinds at once");
	quotes_steps(w, after, ARRAY_LEN(after));
}

int main(void)
{
	struct world w = world_new();

	quotes_steps(&w, life, ARRAY_LEN(life));
	quotes_steps(&w, change, ARRAY_LEN(change));
	ok(is_served(&w, "v1", "widgets") && !is_served(&w, "v1beta1", "widgets"),
	   "a version that is not served any more has no path");
	quotes_steps(&w, conflicts, ARRAY_LEN(conflicts));
	quotes_steps(&w, renamed, ARRAY_LEN(renamed));
	ok(!is_served(&w, "v1", "wodgets"), "a definition without its names is not served");
	quotes_steps(&w, removal, ARRAY_LEN(removal));
	ok(!is_served(&w, "v1", "widgets"), "with the definition its kinds go");
	test_restart(&w);
	world_free(&w);
	return tap_done();
}
