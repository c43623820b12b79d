/* SPDX-License-Identifier: Apache-2.0 */
/* The status of disruption budgets, and evictions against them. */
#include "apiserver/test/world.h"
#include "base/time.h"

#define NS "/api/v1/namespaces"
#define PODS NS "/a/pods"
#define PDB "/apis/policy/v1/namespaces/a/poddisruptionbudgets"
#define SETS "/apis/apps/v1/namespaces/a/replicasets"
#define POD(name, more)                                                        \
	"{\"metadata\":{\"name\":\"" name "\",\"labels\":{\"app\":\"w\"}" more \
	"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"
#define BUDGET(name, rule)                                      \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" rule \
	",\"selector\":{\"matchLabels\":{\"app\":\"w\"}}}}"
#define READY                                                                                \
	"{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":" \
	"\"True\"}]}}"
#define EVICT(name) "{\"metadata\":{\"name\":\"" name "\"}}"
#define STATUS(name, at, want)                           \
	{                                                \
		"GET", PDB "/" name, NULL, 200, at, want \
	}

static const struct step counting[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/kind", "Namespace"},
	{"POST", PDB, BUDGET("b", "\"minAvailable\":1"), 201, "/status/disruptionsAllowed", "0"},
	STATUS("b", "/status/observedGeneration", "1"),
	STATUS("b", "/status/desiredHealthy", "1"),
	STATUS("b", "/status/conditions/0/reason", "InsufficientPods"),
	STATUS("b", "/status/conditions/0/message", ""),
	{"POST", PODS, POD("p", ""), 201, "/kind", "Pod"},
	{"POST", PODS, POD("q", ""), 201, "/kind", "Pod"},
	STATUS("b", "/status/expectedPods", "2"),
	STATUS("b", "/status/currentHealthy", "0"),
	{"PATCH merge", PODS "/p/status", READY, 200, "/status/phase", "Running"},
	STATUS("b", "/status/currentHealthy", "1"),
	STATUS("b", "/status/disruptionsAllowed", "0"),
	{"POST", PODS "/p/eviction", EVICT("p"), 429, "/details/causes/0/message",
	 "The disruption budget b needs 1 healthy pods and has 1 currently"},
	{"GET", PODS "/p", NULL, 200, "/metadata/deletionTimestamp", NULL},
	{"PATCH merge", PODS "/q/status", READY, 200, "/status/phase", "Running"},
	STATUS("b", "/status/disruptionsAllowed", "1"),
	STATUS("b", "/status/conditions/0/status", "True"),
	{"POST", PODS "/p/eviction", EVICT("p"), 201, "/status", "Success"},
	STATUS("b", "/status/disruptionsAllowed", "0"),
	STATUS("b", "/status/currentHealthy", "1"),
	STATUS("b", "/status/disruptedPods", NULL),
	{"POST", PODS "/q/eviction", EVICT("q"), 429, "/reason", "TooManyRequests"},
	{"PATCH merge", PDB "/b", "{\"spec\":{\"minAvailable\":0}}", 200, "/metadata/generation",
	 "2"},
	STATUS("b", "/status/disruptionsAllowed", "1"),
	STATUS("b", "/status/observedGeneration", "2"),
	{"POST", PDB, BUDGET("c", "\"minAvailable\":0"), 201, "/kind", "PodDisruptionBudget"},
	{"POST", PODS "/q/eviction", EVICT("q"), 500, "/message",
	 "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
	 "support."},
	{"DELETE", PDB "/c", NULL, 200, "/status", "Success"},
	/* a pod that leaves the selector does not count any more */
	{"PATCH merge", PODS "/q", "{\"metadata\":{\"labels\":{\"app\":\"x\"}}}", 200,
	 "/metadata/labels/app", "x"},
	STATUS("b", "/status/expectedPods", "1"),
	{"DELETE", PODS "/p", "{\"gracePeriodSeconds\":0}", 200, "/kind", "Pod"},
	STATUS("b", "/status/expectedPods", "0"),
	{"DELETE", PDB "/b", NULL, 200, "/status", "Success"},
};

#define SET                                                                                       \
	"{\"metadata\":{\"name\":\"s\"},\"spec\":{\"replicas\":4,\"selector\":{\"matchLabels\":{" \
	"\"app\":\"w\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"w\"}},\"spec\":{"      \
	"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"

static const struct step percent[] = {
	{"POST", PDB, BUDGET("b", "\"maxUnavailable\":\"50%\""), 201, "/kind",
	 "PodDisruptionBudget"},
	STATUS("b", "/status/expectedPods", "4"),
	STATUS("b", "/status/desiredHealthy", "2"),
	{"PATCH merge", SETS "/s", "{\"spec\":{\"replicas\":10}}", 200, "/spec/replicas", "10"},
	STATUS("b", "/status/expectedPods", "10"),
	STATUS("b", "/status/desiredHealthy", "5"),
	{"POST", PODS,
	 POD("lost", ",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":"
		     "\"j\",\"uid\":\"11111111-2222-3333-4444-555555555555\",\"controller\":true}],"
		     "\"finalizers\":[\"a.com/x\"]"),
	 201, "/kind", "Pod"},
	STATUS("b", "/status/conditions/0/reason", "SyncFailed"),
	STATUS("b", "/status/conditions/0/message", "found no controllers for pod \"lost\""),
	STATUS("b", "/status/disruptionsAllowed", "0"),
};

/* A pod of the set. */
static void make_owned(struct world *w)
{
	char body[600];
	AUTO(answer_done) struct answer made = ask(w, "POST", SETS, SET);
	struct str uid = json_str(json_get(json_get(json_doc_root(made.doc), "metadata"), "uid"));

	snprintf(body, sizeof(body),
		 POD("o", ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":"
			  "\"ReplicaSet\",\"name\":\"s\",\"uid\":\"%.*s\",\"controller\":true}]"),
		 STR_ARG(uid));
	json_doc_unref(ask(w, "POST", PODS, body).doc);
	world_settle(w);
}

static const struct step noted[] = {
	{"POST", PODS, POD("z", ",\"finalizers\":[\"a.com/x\"]"), 201, "/kind", "Pod"},
	{"PATCH merge", PODS "/z/status", READY, 200, "/status/phase", "Running"},
	{"PATCH merge", PDB "/e/status",
	 "{\"status\":{\"disruptedPods\":{\"z\":\"2026-01-02T03:04:05Z\"}}}", 200, "/kind",
	 "PodDisruptionBudget"},
	STATUS("e", "/status/disruptedPods/z", "2026-01-02T03:04:05Z"),
	STATUS("e", "/status/currentHealthy", "1"), /* the other pod */
};

#define RUN(steps) world_steps(&w, steps, ARRAY_LEN(steps))

int main(void)
{
	struct world w = world_new();
	int64_t revision;

	RUN(counting);
	make_owned(&w);
	RUN(percent);
	json_doc_unref(ask(&w, "DELETE", PDB "/b", NULL).doc);
	json_doc_unref(ask(&w, "POST", PDB,
			   "{\"metadata\":{\"name\":\"e\"},\"spec\":{\"minAvailable\":1,"
			   "\"selector\":{}}}")
			       .doc);
	world_settle(&w);
	RUN(noted);
	revision = store_revision(w.store);
	world_restart(&w);
	ok(store_revision(w.store) == revision, "a restart finds every status right");
	world_wait(&w, 3 * TIME_MINUTE);
	static const struct step over[] = {
		STATUS("e", "/status/disruptedPods", NULL),
		STATUS("e", "/status/currentHealthy", "2"),
	};
	RUN(over);
	world_free(&w);
	return tap_done();
}
