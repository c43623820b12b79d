/* SPDX-License-Identifier: Apache-2.0 */
/* Requests whose wrong answer would do harm: they write, delete or wait although they must not. Over
 * HTTPS, since most of this is decided before a call is made; each row in order against one server. */
#include "apiserver/server.h"
#include "apiserver/test/https_client.h"
#include "json/pointer.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define OTHER "/api/v1/namespaces/kube-system/configmaps"
#define NODES "/api/v1/nodes"
#define PODS "/api/v1/namespaces/default/pods"

#define JSON "application/json"
#define YAML "application/yaml"
#define MERGE "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"
#define APPLY "application/apply-patch+yaml"

static const struct row {
	const char *method;
	const char *target;
	const char *type; /* NULL: no body */
	const char *body;
	const char *line;    /* code, and the reason of a Status */
	const char *pointer; /* NULL: nothing more is looked at */
	const char *value;   /* NULL: it is not there */
} rows[] = {
	{"POST", MAPS, JSON, "{\"metadata\":{\"name\":\"a\"}}", "201", NULL, NULL},
	{"POST", OTHER, JSON, "{\"metadata\":{\"name\":\"b\"}}", "201", NULL, NULL},

	/* a collection is removed in one namespace, never in all */
	{"DELETE", "/api/v1/configmaps", NULL, NULL, "405 MethodNotAllowed", NULL, NULL},
	{"DELETE", "/api/v1/pods?labelSelector=x", NULL, NULL, "405 MethodNotAllowed", NULL, NULL},
	{"DELETE", "/apis/apps/v1/deployments", JSON, "{}", "405 MethodNotAllowed", NULL, NULL},
	{"DELETE", "/apis/batch.volcano.sh/v1alpha1/jobs", NULL, NULL, "404", NULL, NULL},
	{"DELETE", "/api/v1/namespaces", NULL, NULL, "405 MethodNotAllowed", NULL, NULL},
	{"PUT", "/api/v1/configmaps", JSON, "{}", "405 MethodNotAllowed", NULL, NULL},
	{"GET", OTHER "/b", NULL, NULL, "200", "/metadata/name", "b"},

	/* what is no dry run is refused, not done */
	{"DELETE", MAPS "/a?dryRun=", NULL, NULL, "422 Invalid", "/message",
	 "DeleteOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"\"]: supported "
	 "values: \"All\""},
	{"DELETE", MAPS "/a?dryRun=All&dryRun=", NULL, NULL, "422 Invalid", "/message",
	 "DeleteOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"All\",\"\"]: "
	 "supported values: \"All\""},
	{"DELETE", MAPS "/a?dryRun=&dryRun=All", NULL, NULL, "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a?dryRun", NULL, NULL, "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "?dryRun=", NULL, NULL, "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a", JSON, "{\"dryRun\":[\"All\",\"\"]}", "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a", JSON, "{\"dryRun\":[\"\"]}", "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a", JSON, "{\"dryRun\":\"All\"}", "400 BadRequest", NULL, NULL},
	{"DELETE", MAPS "/a", JSON, "{\"dryRun\":[1]}", "400 BadRequest", NULL, NULL},
	{"DELETE", MAPS "/a?propagationPolicy=", NULL, NULL, "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a", JSON, "{\"propagationPolicy\":\"\"}", "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a", JSON, "{\"preconditions\":{\"uid\":5}}", "400 BadRequest", NULL,
	 NULL},
	{"POST", MAPS "?dryRun=", JSON, "{\"metadata\":{\"name\":\"c\"}}", "422 Invalid", NULL,
	 NULL},
	{"PUT", MAPS "/a?dryRun=All&dryRun=", JSON, "{\"metadata\":{\"name\":\"a\"}}",
	 "422 Invalid", NULL, NULL},
	{"PATCH", MAPS "/a?dryRun=", MERGE, "{\"data\":{\"k\":\"v\"}}", "422 Invalid", NULL, NULL},
	{"DELETE", MAPS "/a?dryRun=All&dryRun=All", NULL, NULL, "200", NULL, NULL},
	{"GET", MAPS "/a", NULL, NULL, "200", "/data", NULL},
	{"GET", MAPS "/c", NULL, NULL, "404 NotFound", NULL, NULL},

	/* the body of a removal takes the place of its query; an empty uid is a uid */
	{"DELETE", MAPS "/a", JSON, "{\"preconditions\":{\"uid\":\"\"}}", "409 Conflict", NULL,
	 NULL},
	{"DELETE", MAPS "/a?gracePeriodSeconds=", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"DELETE", MAPS "/a?dryRun=Odd", JSON, "{\"dryRun\":[\"All\"]}", "200", NULL, NULL},
	{"DELETE", MAPS "?resourceVersionMatch=Exact", NULL, NULL, "422 Invalid", NULL, NULL},
	{"GET", MAPS "/a", NULL, NULL, "200", NULL, NULL},

	/* what an object is has to be said in texts, and by custom objects at all */
	{"POST", MAPS, JSON, "{\"apiVersion\":1,\"metadata\":{\"name\":\"x\"}}", "400 BadRequest",
	 NULL, NULL},
	{"POST", MAPS, JSON, "{\"kind\":[],\"metadata\":{\"name\":\"x\"}}", "400 BadRequest", NULL,
	 NULL},
	{"POST", "/apis/scheduling.volcano.sh/v1beta1/queues", JSON,
	 "{\"metadata\":{\"name\":\"x\"}}", "400 BadRequest", NULL, NULL},
	{"PUT", MAPS "/a", JSON, "{\"apiVersion\":1,\"metadata\":{\"name\":\"a\"}}",
	 "400 BadRequest", NULL, NULL},
	{"POST", MAPS, YAML, "metadata: {name: yy}\ndata:\n  k: a\n  k: b\n", "201", "/data/k",
	 "b"},
	{"GET", MAPS "/..", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"DELETE", MAPS "/a%25b", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"GET", "/api/v1/namespaces/../configmaps", NULL, NULL, "400 BadRequest", "/message",
	 "Namespace parameter invalid: \"..\": may not be '..'"},
	{"GET", "/api/v1/namespaces/%2e%2e/configmaps", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"GET", "/api/v1/namespaces/./configmaps?watch=true", NULL, NULL, "400 BadRequest",
	 "/message", "Namespace parameter invalid: \".\": may not be '.'"},
	{"GET", "/api/v1/namespaces/../pods/x/log", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"POST", "/api/v1/namespaces/../configmaps", JSON, "{\"metadata\":{\"name\":\"x\"}}",
	 "400 BadRequest", NULL, NULL},
	{"PATCH", "/api/v1/namespaces/../configmaps/x?fieldManager=m", APPLY,
	 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"}}",
	 "400 BadRequest", NULL, NULL},
	{"GET", "/api/v1/namespaces/a%25b/configmaps", NULL, NULL, "200", NULL, NULL},
	{"DELETE", "/api/v1/namespaces/../configmaps", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"GET", "/apis/batch/v1/namespaces/../jobs/x/status", NULL, NULL, "400 BadRequest", NULL,
	 NULL},
	{"GET", "/api/v1/namespaces/.../configmaps", NULL, NULL, "200", NULL, NULL},
	{"GET", "/api/v1/watch", NULL, NULL, "500", NULL, NULL},

	/* an apply that creates, whatever version it was copied from; but a uid means an object */
	{"PATCH", MAPS "/rv?fieldManager=m", APPLY,
	 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"rv\","
	 "\"resourceVersion\":\"7\"}}",
	 "201", NULL, NULL},
	{"PATCH", MAPS "/uid?fieldManager=m", APPLY,
	 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"uid\",\"uid\":"
	 "\"7\"}}",
	 "409 Conflict", NULL, NULL},

	/* a page of a state that is named is of that state; a token names its own */
	{"GET", MAPS "?continue=e30&resourceVersion=1", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"GET", MAPS "?limit=", NULL, NULL, "400 BadRequest", NULL, NULL},
	{"GET", MAPS "/a?limit=x", NULL, NULL, "200", NULL, NULL},

	/* a watch of one object is a plain read; HEAD reads nothing */
	{"GET", MAPS "/a?watch=true", NULL, NULL, "200", "/metadata/name", "a"},
	{"GET", MAPS "/none?watch=1&timeoutSeconds=1", NULL, NULL, "404 NotFound", NULL, NULL},
	{"GET", MAPS "/a?watch=true&resourceVersion=0", NULL, NULL, "200", "/kind", "ConfigMap"},
	{"HEAD", MAPS "/a", NULL, NULL, "405", NULL, NULL},
	{"HEAD", MAPS, NULL, NULL, "405", NULL, NULL},
	{"HEAD", "/api", NULL, NULL, "405", NULL, NULL},
	{"HEAD", "/apis/apps/v1", NULL, NULL, "405", NULL, NULL},
	{"HEAD", "/apis/apps", NULL, NULL, "200", NULL, NULL},
	{"HEAD", "/version", NULL, NULL, "405", NULL, NULL},
	{"HEAD", "/readyz", NULL, NULL, "200", NULL, NULL},

	/* a directive of a list that has no merge key is not "delete them all" */
	{"POST", NODES, JSON,
	 "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"taints\":[{\"key\":\"a\",\"effect\":"
	 "\"NoSchedule\"},{\"key\":\"b\",\"effect\":\"NoSchedule\"}]}}",
	 "201", NULL, NULL},
	{"PATCH", NODES "/n", STRATEGIC,
	 "{\"spec\":{\"taints\":[{\"$patch\":\"delete\",\"key\":\"none\"}]}}", "422 Invalid", NULL,
	 NULL},
	{"PATCH", NODES "/n", STRATEGIC, "{\"spec\":{\"taints\":[{\"$patch\":\"delete\"}]}}",
	 "422 Invalid", NULL, NULL},
	{"GET", NODES "/n", NULL, NULL, "200", "/spec/taints/0/key", "a"},
	{"PATCH", NODES "/n", STRATEGIC, "{\"spec\":{\"taints\":[]}}", "200", "/spec/taints/0/key",
	 NULL},
};

static void try(struct https_client *admin, const struct row *row)
{
	const char *fields[] = {"content-type", row->type, NULL};
	struct reply reply;
	char line[128];
	bool good;

	https_start(admin, row->method, row->target, row->type ? fields : NULL,
		    str_from(row->body ? row->body : ""), &reply);
	https_wait(admin, &reply);
	good = str_is(str_from(reply_line(&reply, line)), row->line);
	if (good && row->pointer) {
		struct json value = reply.doc ? json_pointer_get(json_doc_root(reply.doc),
								 str_from(row->pointer))
					      : JSON_NONE;

		good = row->value ? str_is(json_str(value), row->value) : json_is_absent(value);
	}
	ok(good, "%s %s %.60s: %s", row->method, row->target, row->body ? row->body : "",
	   row->line);
	if (!good)
		printf("#   %s %s %.*s\n", line, reply.failure, STR_ARG(buf_str(&reply.text)));
	reply_done(&reply);
}

int main(void)
{
	struct site site = site_open(&(struct apiserver_options){0});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_ANY, false);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		try(admin, &rows[i]);
	https_client_free(admin);
	site_close(&site);
	return tap_done();
}
