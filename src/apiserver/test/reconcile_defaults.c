/* SPDX-License-Identifier: Apache-2.0 */
/* What a cluster begins with, and has again when it was removed. */
#include "apiserver/test/world.h"

#define NS "/api/v1/namespaces"

static const struct step beginning[] = {
	{"GET", NS "/default", NULL, 200, "/metadata/labels/kubernetes.io~1metadata.name",
	 "default"},
	{"GET", NS "/kube-system", NULL, 200, "/kind", "Namespace"},
	{"GET", NS "/kube-public", NULL, 200, "/kind", "Namespace"},
	{"GET", NS "/kube-node-lease", NULL, 200, "/kind", "Namespace"},
	{"GET", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", NULL, 200,
	 "/value", "2000001000"},
	{"GET", "/apis/scheduling.k8s.io/v1/priorityclasses/system-cluster-critical", NULL, 200,
	 "/value", "2000000000"},
	{"GET", NS "/kube-system/serviceaccounts/default", NULL, 200, "/kind", "ServiceAccount"},
	{"GET", NS "/default/configmaps/kube-root-ca.crt", NULL, 200, "/data/ca.crt", "PEM"},
	{"GET", NS "/default/services/kubernetes", NULL, 200, "/spec/ports/0/port", "443"},
};

static const struct step again[] = {
	{"DELETE", NS "/default/serviceaccounts/default", NULL, 200, "/reason", NULL},
	{"GET", NS "/default/serviceaccounts/default", NULL, 200, "/kind", "ServiceAccount"},
	{"DELETE", NS "/default/configmaps/kube-root-ca.crt", NULL, 200, "/reason", NULL},
	{"GET", NS "/default/configmaps/kube-root-ca.crt", NULL, 200, "/data/ca.crt", "PEM"},
	{"PATCH merge", NS "/default/configmaps/kube-root-ca.crt", "{\"data\":{\"ca.crt\":\"x\"}}",
	 200, "/data/ca.crt", "x"},
	{"GET", NS "/default/configmaps/kube-root-ca.crt", NULL, 200, "/data/ca.crt", "PEM"},
	{"DELETE", NS "/default/services/kubernetes", NULL, 200, "/reason", NULL},
	{"GET", NS "/default/services/kubernetes", NULL, 200, "/kind", "Service"},
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/kind", "Namespace"},
	{"GET", NS "/a/serviceaccounts/default", NULL, 200, "/kind", "ServiceAccount"},
	{"GET", NS "/a/configmaps/kube-root-ca.crt", NULL, 200, "/kind", "ConfigMap"},
	{"GET", NS "/a/services/kubernetes", NULL, 404, "/reason", "NotFound"},
};

/* Without waiting in between: the defaults of a namespace come with it. */
static void test_at_once(struct world *w)
{
	AUTO(answer_done)
	struct answer made = ask(w, "POST", NS, "{\"metadata\":{\"name\":\"b\"}}");
	AUTO(answer_done)
	struct answer account = ask(w, "GET", NS "/b/serviceaccounts/default", NULL);
	AUTO(answer_done)
	struct answer refused = ask(w, "POST", NS, "{\"metadata\":{\"name\":\"b\"}}");

	ok(made.code == 201 && account.code == 200, "a namespace is there with its account");
	ok(refused.code == 409, "and is made once");
}

int main(void)
{
	struct world w = world_new();
	int64_t revision;

	world_steps(&w, beginning, ARRAY_LEN(beginning));
	world_steps(&w, again, ARRAY_LEN(again));
	test_at_once(&w);
	world_settle(&w);
	revision = store_revision(w.store);
	world_restart(&w);
	ok(store_revision(w.store) == revision, "a restart finds everything in its place");
	world_free(&w);
	return tap_done();
}
