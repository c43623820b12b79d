/* SPDX-License-Identifier: Apache-2.0 */
/* Who may do what: the table of rules by itself, and then over HTTPS, where the token of a pod tries
 * every method on every kind and sub-resource, in its own namespace, in another and in none. */
#include "apiserver/auth/access.h"

#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/test/https_client.h"
#include "authorization/default_roles.h"
#include "authorization/roles.h"

/* --- the rules --- */

struct person {
	const char *name;
	struct str groups[4];
};

static const struct person admin = {"admin",
				    {STR_INIT("system:masters"), STR_INIT("system:authenticated")}};
static const struct person alice = {"alice",
				    {STR_INIT("volcano:users"), STR_INIT("system:authenticated")}};
static const struct person jane = {"jane", {STR_INIT("system:authenticated")}};
static const struct person pod = {"system:serviceaccount:own:default",
				  {STR_INIT("system:serviceaccounts"),
				   STR_INIT("system:serviceaccounts:own"),
				   STR_INIT("system:authenticated")}};
/* The name alone proves nothing. */
static const struct person named = {"system:serviceaccount:own:default",
				    {STR_INIT("system:authenticated")}};
static const struct person odd = {"system:serviceaccount::x", {STR_INIT("system:serviceaccounts")}};
static const struct person nobody = {"system:anonymous", {STR_INIT("system:unauthenticated")}};

/* The roles that a cluster begins with. */
static struct roles *make_roles(void)
{
	struct roles *roles = roles_new();

	for (const struct default_role *role = default_roles; role->name; role++) {
		AUTO(json_doc_unref) struct json_doc *doc = default_role_make(role);

		roles_set_role(roles, role->namespace ? str_from(role->namespace) : STR(""),
			       str_from(role->name), json_doc_root(doc));
	}
	for (const struct default_binding *binding = default_bindings; binding->name; binding++) {
		AUTO(json_doc_unref) struct json_doc *doc = default_binding_make(binding);

		roles_set_binding(roles,
				  binding->namespace ? str_from(binding->namespace) : STR(""),
				  str_from(binding->name), json_doc_root(doc));
	}
	return roles;
}

static bool may(struct roles *roles, const struct person *person, const struct access *access)
{
	struct user user = {.name = str_from(person->name), .groups = person->groups};

	while (user.group_count < 4 && user.groups[user.group_count].len)
		user.group_count++;
	return access_is_allowed(roles, &user, access, NULL);
}

/* `what` is "group/plural/sub", or a path. */
static const struct {
	const struct person *who;
	const char *verb, *what, *namespace;
	bool allowed;
} cases[] = {
	{&admin, "delete", "/nodes/", "", true},
	{&admin, "impersonate", "/users/", "", true},
	{&admin, "*", "*/*/*", "", true},
	{&admin, "post", "/backup", NULL, true},
	{&pod, "get", "/pods/", "own", true},
	{&pod, "list", "/pods/", "own", true},
	{&pod, "watch", "batch.volcano.sh/jobs/", "own", true},
	{&pod, "get", "/pods/log", "own", true},
	{&pod, "get", "/pods/status", "own", true},
	{&pod, "get", "/namespaces/", "own", true},
	{&pod, "get", "/configmaps/", "own", true},
	{&pod, "get", "/secrets/", "own", false},
	{&pod, "list", "/secrets/", "own", false},
	{&pod, "get", "/secrets/status", "own", false},
	{&pod, "get", "/pods/exec", "own", false},
	{&pod, "get", "/pods/proxy/x", "own", false},
	{&pod, "create", "/pods/", "own", false},
	{&pod, "patch", "/pods/", "own", false},
	{&pod, "delete", "/pods/", "own", false},
	{&pod, "deletecollection", "/pods/", "own", false},
	{&pod, "create", "/pods/eviction", "own", false},
	{&pod, "create", "/serviceaccounts/token", "own", false},
	{&pod, "list", "/pods/", "other", false},
	{&pod, "list", "/pods/", "", false},
	{&pod, "list", "/pods/", "own2", false},
	{&pod, "get", "/nodes/", "", false},
	{&pod, "list", "/namespaces/", "", false},
	{&pod, "get", "/namespaces/", "other", false},
	{&pod, "impersonate", "/users/", "", false},
	{&pod, "create", "authentication.k8s.io/selfsubjectreviews/", "", true},
	{&pod, "create", "authorization.k8s.io/selfsubjectaccessreviews/", "", true},
	{&pod, "create", "authorization.k8s.io/subjectaccessreviews/", "", false},
	{&pod, "create", "authentication.k8s.io/tokenreviews/", "", false},
	{&pod, "get", "*/*/", "own", false},
	{&pod, "get", "/*/", "own", false},
	{&pod, "*", "/pods/", "own", false},
	{&pod, "get", "/apis/batch", NULL, true},
	{&pod, "get", "/openapi/v3", NULL, true},
	{&pod, "get", "/metrics", NULL, false},
	{&pod, "post", "/backup", NULL, false},
	{&pod, "get", "/", NULL, false},
	{&pod, "get", "/statusz", NULL, false},
	{&named, "get", "/pods/", "own", false},
	{&odd, "get", "/pods/", "", false},
	{&jane, "get", "/pods/", "default", false},
	{&jane, "create", "authentication.k8s.io/selfsubjectreviews/", "", true},
	{&jane, "get", "/api", NULL, true},
	{&alice, "create", "batch.volcano.sh/jobs/", "default", true},
	{&alice, "get", "/secrets/", "default", true},
	{&alice, "list", "/nodes/", "", true},
	{&alice, "create", "/pods/eviction", "default", true},
	{&alice, "patch", "/nodes/", "", false},
	{&alice, "create", "scheduling.volcano.sh/queues/", "", false},
	{&alice, "create", "apiextensions.k8s.io/customresourcedefinitions/", "", false},
	{&alice, "create", "/namespaces/", "", false},
	{&alice, "delete", "/namespaces/", "default", false},
	{&alice, "update", "/namespaces/finalize", "default", false},
	{&alice, "deletecollection", "/configmaps/", "", false},
	{&alice, "create", "/serviceaccounts/token", "default", false},
	{&alice, "create", "/pods/binding", "default", false},
	{&alice, "create", "rbac.authorization.k8s.io/rolebindings/", "default", false},
	{&alice, "impersonate", "/users/", "", false},
	{&alice, "post", "/backup", NULL, false},
	{&nobody, "get", "/healthz", NULL, true},
	{&nobody, "get", "/readyz", NULL, true},
	{&nobody, "get", "/readyz/store", NULL, false},
	{&nobody, "get", "/version", NULL, true},
	{&nobody, "post", "/healthz", NULL, false},
	{&nobody, "get", "/healthzz", NULL, false},
	{&nobody, "get", "/apis", NULL, false},
	{&nobody, "create", "authentication.k8s.io/selfsubjectreviews/", "", false},
	{&nobody, "get", "/pods/", "default", false},
};

static void test_rules(void)
{
	AUTO(roles_free) struct roles *roles = make_roles();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct access access = {.verb = str_from(cases[i].verb)};
		struct str rest = str_from(cases[i].what);

		if (!cases[i].namespace) {
			access.path = rest;
		} else {
			(void)str_split(&rest, '/', &access.group);
			(void)str_split(&rest, '/', &access.plural);
			access.sub = rest;
			access.namespace = str_from(cases[i].namespace);
		}
		ok(may(roles, cases[i].who, &access) == cases[i].allowed, "%s %s %s %s in %s",
		   cases[i].who->name, cases[i].allowed ? "may" : "may not", cases[i].verb,
		   cases[i].what, cases[i].namespace ? cases[i].namespace : "-");
	}
}

/* --- over HTTPS --- */

#define POD                                                                                   \
	"{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\"}]}}"

static void make(struct https_client *by, const char *path, const char *body)
{
	struct reply reply = https_request(by, "POST", path, body);

	if (reply.code != 201)
		printf("# %s: %.*s\n", path, STR_ARG(buf_str(&reply.text)));
	reply_done(&reply);
}

/* What goes into the header Authorization. */
static char *pod_token(struct https_client *by)
{
	struct reply reply =
		https_request(by, "POST", "/api/v1/namespaces/own/serviceaccounts/default/token",
			      "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":"
			      "\"v1\",\"name\":\"p\"}}}");
	struct json token = json_get(json_get(json_doc_root(reply.doc), "status"), "token");
	char *text = mem_printf("Bearer %.*s", STR_ARG(json_str(token)));

	ok(json_str(token).len > 0, "a token of the pod's account");
	reply_done(&reply);
	return text;
}

static struct reply try_it(struct https_client *who, const char *token, const char *method,
			   const char *path)
{
	const char *const fields[] = {"authorization", token, "content-type",
				      strcmp(method, "PATCH") == 0 ? "application/merge-patch+json"
								   : "application/json",
				      NULL};
	bool body = strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0;
	struct reply reply;

	https_start(who, method, path, fields, body ? STR("{}") : str_none(), &reply);
	https_wait(who, &reply);
	return reply;
}

struct sweep {
	struct https_client *who;
	const char *token;
	size_t refused, served, wrong;
};

static void try_all(struct sweep *sweep, const char *path, bool readable)
{
	static const char *const methods[] = {"GET",   "HEAD",   "POST",   "PUT",
					      "PATCH", "DELETE", "OPTIONS"};

	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		struct reply reply = try_it(sweep->who, sweep->token, methods[i], path);
		bool open = readable && (i == 0 || i == 1);

		/* what may be read is there or not, but not refused */
		if (open ? reply.code == 403 : reply.code != 403) {
			printf("# %s %s: %d\n", methods[i], path, reply.code);
			sweep->wrong++;
		}
		*(reply.code == 403 ? &sweep->refused : &sweep->served) += 1;
		reply_done(&reply);
	}
}

static bool is_shown(const char *sub)
{
	return strcmp(sub, "status") == 0 || strcmp(sub, "scale") == 0 || strcmp(sub, "log") == 0;
}

static void try_kind(struct sweep *sweep, const struct kind *kind)
{
	static const char *const namespaces[] = {"namespaces/own/", "namespaces/other/", ""};
	bool core = !kind->group.len;
	bool secret = core && str_is(kind->plural, "secrets");
	bool open = str_starts(kind->plural, STR("selfsubject"));

	for (size_t i = 0; !open && i < ARRAY_LEN(namespaces); i++) {
		if (i < 2 && core && str_is(kind->plural, "namespaces"))
			continue; /* each is in itself */
		bool own = i == 0 && !secret;
		AUTO(mem_free)
		char *all = mem_printf("/%s%.*s/%.*s/%s%.*s", core ? "api" : "apis/",
				       STR_ARG(kind->group), STR_ARG(kind->version), namespaces[i],
				       STR_ARG(kind->plural));
		AUTO(mem_free) char *one = mem_printf("%s/x", all);
		AUTO(mem_free)
		char *watch = mem_printf("/%s%.*s/%.*s/watch/%s%.*s", core ? "api" : "apis/",
					 STR_ARG(kind->group), STR_ARG(kind->version),
					 namespaces[i], STR_ARG(kind->plural));

		try_all(sweep, all, own);
		try_all(sweep, one, own);
		if (!own)
			try_all(sweep, watch, false);
		for (const struct kind_sub *sub = kind->subs; sub && sub->name; sub++) {
			AUTO(mem_free) char *path = mem_printf("%s/%s", one, sub->name);

			try_all(sweep, path, own && is_shown(sub->name));
		}
	}
}

static void test_sweep(struct site *site, struct https_client *who, const char *token)
{
	static const char *const pages[] = {"/",        "/backup",  "/backup?folder=/tmp/x",
					    "/metrics", "/statusz", "/debug/pprof",
					    "/logs",    "/nothing", "/healthz/../backup/x"};
	struct sweep sweep = {.who = who, .token = token};
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(api_kinds(apiserver_api(site->server)), &at)))
		if (!kind->hidden)
			try_kind(&sweep, kind);
	for (size_t i = 0; i + 1 < ARRAY_LEN(pages); i++)
		try_all(&sweep, pages[i], false);
	ok(sweep.refused > 2000 && sweep.served > 200, "%zu refused, %zu served", sweep.refused,
	   sweep.served);
	ok(sweep.wrong == 0, "none of them wrongly: %zu", sweep.wrong);
}

static const struct {
	const char *method, *path;
	int code;
	const char *message;
} acked[] = {
	{"GET", "/api/v1/pods", 403,
	 "pods is forbidden: User \"system:serviceaccount:own:default\" cannot list resource "
	 "\"pods\" "
	 "in API group \"\" at the cluster scope"},
	{"GET", "/api/v1/namespaces/own/secrets/s", 403,
	 "secrets \"s\" is forbidden: User \"system:serviceaccount:own:default\" cannot get "
	 "resource "
	 "\"secrets\" in API group \"\" in the namespace \"own\""},
	{"DELETE", "/api/v1/namespaces/own", 403,
	 "namespaces \"own\" is forbidden: User \"system:serviceaccount:own:default\" cannot "
	 "delete "
	 "resource \"namespaces\" in API group \"\" in the namespace \"own\""},
	{"POST", "/apis/apps/v1/namespaces/own/deployments/d/scale", 403,
	 "deployments.apps \"d\" is forbidden: User \"system:serviceaccount:own:default\" cannot "
	 "create resource \"deployments/scale\" in API group \"apps\" in the namespace \"own\""},
	{"POST", "/backup?folder=/tmp/x", 403,
	 "forbidden: User \"system:serviceaccount:own:default\" cannot post path \"/backup\""},
	{"GET", "/api/v1/namespaces/own/pods/p", 200, NULL},
	{"GET", "/api/v1/namespaces/own", 200, NULL},
	{"GET", "/apis/batch.volcano.sh/v1alpha1/namespaces/own/jobs", 200, NULL},
	{"GET", "/api", 200, NULL},
	{"GET", "/openapi/v3", 200, NULL},
	{"GET", "/healthz", 200, NULL},
};

static void test_told(struct https_client *who, const char *token)
{
	for (size_t i = 0; i < ARRAY_LEN(acked); i++) {
		struct reply reply = try_it(who, token, acked[i].method, acked[i].path);

		ok(reply.code == acked[i].code, "%s %s: %d", acked[i].method, acked[i].path,
		   acked[i].code);
		if (acked[i].message)
			is(json_str(json_get(json_doc_root(reply.doc), "message")).ptr,
			   acked[i].message);
		reply_done(&reply);
	}
}

/* A pod cannot become anyone else. */
static void test_impersonation(struct https_client *who, const char *token)
{
	const char *const fields[] = {"authorization",
				      token,
				      "impersonate-user",
				      "kubernetes-admin",
				      "impersonate-group",
				      "system:masters",
				      NULL};
	struct reply reply;

	https_start(who, "GET", "/version", fields, str_none(), &reply);
	https_wait(who, &reply);
	ok(reply.code == 403, "a pod cannot impersonate: %d", reply.code);
	is(json_str(json_get(json_doc_root(reply.doc), "message")).ptr,
	   "users \"kubernetes-admin\" is forbidden: User \"system:serviceaccount:own:default\" "
	   "cannot impersonate resource \"users\" in API group \"\" at the cluster scope");
	reply_done(&reply);
}

/* What a review answers is what happens. */
static void test_review(struct https_client *by)
{
	static const char spec[] =
		"{\"spec\":{\"user\":\"system:serviceaccount:own:default\",\"groups\":"
		"[\"system:serviceaccounts\",\"system:authenticated\"],\"resourceAttributes\":"
		"{\"verb\":\"%s\",\"resource\":\"pods\",\"namespace\":\"own\"}}}";
	static const char *const verbs[] = {"list", "create"};
	static const bool want[] = {true, false};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
		struct str rest = str_from(spec);
		ptrdiff_t at = str_find(rest, STR("%s"), 0);

		buf_put_str(&body, str_slice(rest, 0, (size_t)at));
		buf_puts(&body, verbs[i]);
		buf_put_str(&body, str_skip(rest, (size_t)at + 2));
		struct reply reply = https_request(
			by, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
			buf_text(&body));

		ok(json_bool(json_get(json_get(json_doc_root(reply.doc), "status"), "allowed")) ==
			   want[i],
		   "a review of %s", verbs[i]);
		reply_done(&reply);
	}
}

static void test_end_of_pod(struct https_client *by, struct https_client *who, const char *token)
{
	struct reply reply = https_request(by, "DELETE", "/api/v1/namespaces/own/pods/p", NULL);

	reply_done(&reply);
	reply = try_it(who, token, "GET", "/version");
	ok(reply.code == 401, "the pod was deleted, its token is rejected: %d", reply.code);
	reply_done(&reply);
	make(by, "/api/v1/namespaces/own/pods", POD);
	reply = try_it(who, token, "GET", "/version");
	ok(reply.code == 401, "another pod of that name does not revive it: %d", reply.code);
	reply_done(&reply);
}

int main(void)
{
	struct site site = site_open(&(struct apiserver_options){0});
	struct https_client *by = https_client_of(&site, TLS_ALPN_ANY, false);
	struct https_client *who = https_client_of(&site, TLS_ALPN_ANY, true);

	test_rules();
	make(by, "/api/v1/namespaces", "{\"metadata\":{\"name\":\"own\"}}");
	make(by, "/api/v1/namespaces", "{\"metadata\":{\"name\":\"other\"}}");
	make(by, "/api/v1/namespaces/own/pods", POD);
	AUTO(mem_free) char *token = pod_token(by);

	test_told(who, token);
	test_impersonation(who, token);
	test_review(by);
	test_sweep(&site, who, token);
	test_end_of_pod(by, who, token);
	https_client_free(who);
	https_client_free(by);
	site_close(&site);
	return tap_done();
}
