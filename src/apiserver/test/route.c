/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/request/route.h"

#include "base/macro.h"
#include "tap.h"

static const struct {
	const char *path;
	enum route_class class;
	const char *group, *version, *namespace, *plural, *name, *sub;
	bool watch;
} rows[] = {
	{"/api/v1/namespaces/ns/pods/p/log", ROUTE_RESOURCE, "", "v1", "ns", "pods", "p", "log", 0},
	{"/api/v1/namespaces/ns/pods", ROUTE_RESOURCE, "", "v1", "ns", "pods", "", "", 0},
	{"/api/v1/namespaces/ns/pods/", ROUTE_RESOURCE, "", "v1", "ns", "pods", "", "", 0},
	{"/api/v1/pods", ROUTE_RESOURCE, "", "v1", "", "pods", "", "", 0},
	{"/api/v1/namespaces", ROUTE_RESOURCE, "", "v1", "", "namespaces", "", "", 0},
	{"/api/v1/namespaces/ns", ROUTE_RESOURCE, "", "v1", "", "namespaces", "ns", "", 0},
	{"/api/v1/namespaces/a/status", ROUTE_RESOURCE, "", "v1", "", "namespaces", "a", "status",
	 0},
	{"/api/v1/watch/namespaces/a/pods/p", ROUTE_RESOURCE, "", "v1", "a", "pods", "p", "", 1},
	{"/api/v1/nodes/n/proxy/a/b", ROUTE_RESOURCE, "", "v1", "", "nodes", "n", "proxy/a/b", 0},
	{"/apis/batch/v1/jobs", ROUTE_RESOURCE, "batch", "v1", "", "jobs", "", "", 0},
	{"/apis/batch/v1/namespaces/a/jobs/j", ROUTE_RESOURCE, "batch", "v1", "a", "jobs", "j", "",
	 0},
	{"/api/v1", ROUTE_VERSION, "", "v1", "", "", "", "", 0},
	{"/apis/batch/v1/", ROUTE_VERSION, "batch", "v1", "", "", "", "", 0},
	{"/apis/batch", ROUTE_GROUP, "batch", "", "", "", "", "", 0},
	{"/api", ROUTE_CORE, "", "", "", "", "", "", 0},
	{"/apis/", ROUTE_GROUPS, "", "", "", "", "", "", 0},
	{"/healthz", ROUTE_OTHER, "", "", "", "", "", "", 0},
	{"/", ROUTE_OTHER, "", "", "", "", "", "", 0},
	{"/api/v1/watch", ROUTE_WRONG, "", "v1", "", "", "", "", 0},
	{"/apis/apps/v1/proxy/", ROUTE_WRONG, "apps", "v1", "", "", "", "", 0},
	{"/api/v1/watch/pods", ROUTE_RESOURCE, "", "v1", "", "pods", "", "", 1},
	{"", ROUTE_NONE, "", "", "", "", "", "", 0},
	{"*", ROUTE_NONE, "", "", "", "", "", "", 0},
	{"/a/b/c/d/e/f/g/h/i/j/k/l/m", ROUTE_OTHER, "", "", "", "", "", "", 0},
};

int main(void)
{
	struct route pods = route_parse(STR("/api/v1/pods"));
	struct route pod = route_parse(STR("/api/v1/namespaces/a/pods/p"));
	struct route log = route_parse(STR("/api/v1/namespaces/a/pods/p/log"));

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct route r = route_parse(str_from(rows[i].path));

		ok(r.class == rows[i].class && str_is(r.group, rows[i].group) &&
			   str_is(r.version, rows[i].version) &&
			   str_is(r.namespace, rows[i].namespace) &&
			   str_is(r.plural, rows[i].plural) && str_is(r.name, rows[i].name) &&
			   str_is(r.sub, rows[i].sub) && r.watch == rows[i].watch,
		   "%s", rows[i].path);
	}
	ok(route_verb(&pods, HTTP_METHOD_GET, false) == VERB_LIST, "GET of many lists");
	ok(route_verb(&pods, HTTP_METHOD_GET, true) == VERB_WATCH, "GET with watch watches");
	ok(route_verb(&pod, HTTP_METHOD_GET, true) == VERB_GET, "but not one object");
	ok(route_verb(&log, HTTP_METHOD_GET, true) == VERB_GET, "nor a sub-resource");
	ok(route_verb(&pod, HTTP_METHOD_HEAD, false) == VERB_COUNT, "HEAD is nothing");
	ok(route_verb(&pods, HTTP_METHOD_POST, false) == VERB_CREATE, "POST creates");
	ok(route_verb(&pod, HTTP_METHOD_POST, false) == VERB_COUNT, "but not with a name");
	ok(route_verb(&log, HTTP_METHOD_POST, false) == VERB_CREATE, "unless a sub-resource");
	ok(route_verb(&pod, HTTP_METHOD_PUT, false) == VERB_UPDATE, "PUT updates");
	ok(route_verb(&pods, HTTP_METHOD_PUT, false) == VERB_COUNT, "with a name");
	ok(route_verb(&pod, HTTP_METHOD_PATCH, false) == VERB_PATCH, "PATCH patches");
	ok(route_verb(&pods, HTTP_METHOD_PATCH, false) == VERB_COUNT, "with a name");
	ok(route_verb(&pod, HTTP_METHOD_DELETE, false) == VERB_DELETE, "DELETE removes");
	ok(route_verb(&pods, HTTP_METHOD_DELETE, false) == VERB_DELETE_COLLECTION, "or many");
	ok(route_verb(&pod, HTTP_METHOD_OPTIONS, false) == VERB_COUNT, "OPTIONS is nothing");
	return tap_done();
}
