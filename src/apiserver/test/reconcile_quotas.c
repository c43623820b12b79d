/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas: what is used of them, what is refused, scopes, and requests that come at once. */
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/test/world.h"
#include "random.h"

#define NS "/api/v1/namespaces"
#define PODS NS "/a/pods"
#define QUOTAS NS "/a/resourcequotas"
#define CM NS "/a/configmaps"
#define QUOTA(name, hard, more) \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"hard\":{" hard "}" more "}}"
#define POD(name, resources, more)                                 \
	"{\"metadata\":{\"name\":\"" name                          \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\",\"resources\":{" resources "}}]" more "}}"
#define NAMED(name) "{\"metadata\":{\"name\":\"" name "\"}}"
#define USED(name, what, want)                                                \
	{                                                                     \
		"GET", QUOTAS "/" name, NULL, 200, "/status/used/" what, want \
	}

static const struct step pods[] = {
	{"POST", NS, NAMED("a"), 201, "/kind", "Namespace"},
	{"POST", PODS, POD("before", "", ""), 201, "/kind", "Pod"},
	{"POST", QUOTAS, QUOTA("q", "\"pods\":\"2\"", ""), 201, "/status", "{}"},
	{"GET", QUOTAS "/q", NULL, 200, "/status/hard/pods", "2"},
	USED("q", "pods", "1"),
	{"POST", PODS "?dryRun=All", POD("x", "", ""), 201, "/kind", "Pod"},
	USED("q", "pods", "1"),
	{"POST", PODS, POD("p", "", ""), 201, "/kind", "Pod"},
	USED("q", "pods", "2"),
	{"POST", PODS, POD("r", "", ""), 403, "/message",
	 "pods \"r\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: "
	 "pods=2"},
	{"POST", PODS, POD("p", "", ""), 403, "/reason", "Forbidden"},
	{"PATCH merge", PODS "/before/status", "{\"status\":{\"phase\":\"Succeeded\"}}", 200,
	 "/status/phase", "Succeeded"},
	USED("q", "pods", "1"),
	{"POST", PODS, POD("p", "", ""), 409, "/reason", "AlreadyExists"},
	USED("q", "pods", "1"),
	{"DELETE", PODS "/p", NULL, 200, "/kind", "Pod"},
	USED("q", "pods", "0"),
	{"PATCH merge", QUOTAS "/q", "{\"spec\":{\"hard\":{\"count/pods\":\"9\"}}}", 200, "/kind",
	 "ResourceQuota"},
	USED("q", "count~1pods", "1"),
	{"DELETE", QUOTAS "/q", NULL, 200, "/kind", "ResourceQuota"},
	{"DELETE", PODS "/before", NULL, 200, "/kind", "Pod"},
};

#define SMALL "\"requests\":{\"cpu\":\"600m\"},\"limits\":{\"memory\":\"64Mi\"}"

static const struct step amounts[] = {
	{"POST", QUOTAS,
	 QUOTA("q", "\"requests.cpu\":\"1\",\"limits.memory\":\"1Gi\",\"requests.a.com/x\":\"4\"",
	       ""),
	 201, "/kind", "ResourceQuota"},
	{"POST", PODS, POD("a", "", ""), 403, "/message",
	 "pods \"a\" is forbidden: failed quota: q: must specify limits.memory for: c; "
	 "requests.cpu for: c"},
	{"POST", PODS, POD("b", SMALL, ""), 201, "/kind", "Pod"},
	USED("q", "requests.cpu", "600m"),
	USED("q", "limits.memory", "64Mi"),
	{"POST", PODS, POD("c", SMALL, ""), 403, "/message",
	 "pods \"c\" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: "
	 "requests.cpu=600m, limited: requests.cpu=1"},
	{"POST", PODS,
	 POD("d",
	     "\"requests\":{\"cpu\":\"0\",\"a.com/x\":\"3\"},\"limits\":{\"memory\":\"1Mi\","
	     "\"a.com/x\":\"3\"}",
	     ""),
	 201, "/kind", "Pod"},
	USED("q", "requests.a.com~1x", "3"),
	{"PATCH", PODS "/b/resize",
	 "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]"
	 "}}",
	 403, "/reason", "Forbidden"},
	{"PATCH", PODS "/b/resize",
	 "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]"
	 "}}",
	 200, "/kind", "Pod"},
	USED("q", "requests.cpu", "1"),
	{"DELETE", QUOTAS "/q", NULL, 200, "/kind", "ResourceQuota"},
	{"DELETE", PODS "/b", NULL, 200, "/kind", "Pod"},
	{"DELETE", PODS "/d", NULL, 200, "/kind", "Pod"},
};

static const struct step scopes[] = {
	{"POST", QUOTAS, QUOTA("be", "\"pods\":\"1\"", ",\"scopes\":[\"BestEffort\"]"), 201,
	 "/kind", "ResourceQuota"},
	{"POST", QUOTAS,
	 QUOTA("pc", "\"pods\":\"0\"",
	       ",\"scopeSelector\":{\"matchExpressions\":[{\"scopeName\":\"PriorityClass\","
	       "\"operator\":\"In\",\"values\":[\"system-node-critical\"]}]}"),
	 201, "/kind", "ResourceQuota"},
	{"POST", PODS, POD("a", "", ""), 201, "/kind", "Pod"},
	{"POST", PODS, POD("b", "", ""), 403, "/message",
	 "pods \"b\" is forbidden: exceeded quota: be, requested: pods=1, used: pods=1, limited: "
	 "pods=1"},
	{"POST", PODS, POD("b", SMALL, ""), 201, "/kind", "Pod"},
	{"POST", PODS, POD("c", SMALL, ",\"priorityClassName\":\"system-node-critical\""), 403,
	 "/details/name", "c"},
	USED("be", "pods", "1"),
	{"DELETE", QUOTAS "/be", NULL, 200, "/kind", "ResourceQuota"},
	{"DELETE", QUOTAS "/pc", NULL, 200, "/kind", "ResourceQuota"},
};

static const struct step counts[] = {
	{"POST", QUOTAS,
	 QUOTA("q",
	       "\"count/configmaps\":\"3\",\"services.nodeports\":\"1\",\"requests.storage\":"
	       "\"3Gi\",\"count/deployments.apps\":\"0\"",
	       ""),
	 201, "/kind", "ResourceQuota"},
	USED("q", "count~1configmaps", "1"), /* kube-root-ca.crt */
	{"POST", CM, NAMED("a"), 201, "/kind", "ConfigMap"},
	{"POST", CM, NAMED("b"), 201, "/kind", "ConfigMap"},
	{"POST", CM, NAMED("c"), 403, "/message",
	 "configmaps \"c\" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: "
	 "count/configmaps=3, limited: count/configmaps=3"},
	{"DELETE", CM "/a", NULL, 200, "/status", "Success"},
	{"POST", CM, NAMED("c"), 201, "/kind", "ConfigMap"},
	{"POST", NS "/a/persistentvolumeclaims",
	 "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
	 "\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}",
	 201, "/kind", "PersistentVolumeClaim"},
	USED("q", "requests.storage", "2Gi"),
	{"POST", NS "/a/services",
	 "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"name\":"
	 "\"a\","
	 "\"port\":1},{\"name\":\"b\",\"port\":2}]}}",
	 403, "/reason", "Forbidden"},
};

/* --- requests that come at once --- */

struct burst {
	int made, refused, waiting;
};

static void on_burst(struct call *call)
{
	struct burst *burst = call->arg;

	burst->made += call->answer.code == 201;
	burst->refused += call->answer.code == 403;
	burst->waiting--;
	call_free(call);
}

static void test_burst(struct world *w)
{
	static const struct call_sink sink = {.answered = on_burst};
	struct burst burst = {.waiting = 10};
	char body[64];
	struct err err;

	json_doc_unref(ask(w, "POST", QUOTAS, QUOTA("burst", "\"count/secrets\":\"4\"", "")).doc);
	world_settle(w);
	for (int i = 0; i < 10; i++) {
		struct call *call = world_call(w, &sink, &burst, "POST", NS "/a/secrets");

		snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"s%d\"}}", i);
		call->body.doc = json_parse(str_from(body), NULL, &err);
		api_serve(call);
	}
	while (burst.waiting)
		loop_turn(w->loop, -1);
	world_settle(w);
	ok(burst.made == 4 && burst.refused == 6, "of ten at once four pass (%d)", burst.made);
	static const struct step after[] = {USED("burst", "count~1secrets", "4")};
	world_steps(w, after, ARRAY_LEN(after));
}

/* Admission looks at its own object and the sums: the cost of one of many requests in a turn does not
 * depend on how many there are. */
static void test_cost(struct world *w)
{
	static const struct call_sink sink = {.answered = on_burst};
	struct burst burst = {.waiting = 500};
	uint64_t before;
	char body[64];
	struct err err;

	json_doc_unref(ask(w, "POST", QUOTAS,
			   QUOTA("cost", "\"count/leases.coordination.k8s.io\":\"1k\"", ""))
			       .doc);
	world_settle(w);
	before = quotas_counts(w->api);
	for (int i = 0; i < 500; i++) {
		struct call *call = world_call(w, &sink, &burst, "POST",
					       "/apis/coordination.k8s.io/v1/namespaces/a/leases");

		snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"l%d\"}}", i);
		call->body.doc = json_parse(str_from(body), NULL, &err);
		api_serve(call);
	}
	while (burst.waiting)
		loop_turn(w->loop, -1);
	world_settle(w);
	ok(burst.made == 500 && quotas_counts(w->api) - before <= 4 * 500,
	   "500 requests in a turn compute the use of an object %d times",
	   (int)(quotas_counts(w->api) - before));
	static const struct step after[] = {
		USED("cost", "count~1leases.coordination.k8s.io", "500")};
	world_steps(w, after, ARRAY_LEN(after));
}

/* --- anything in any order --- */

enum { ROUNDS = 600, NAMES = 9 };

static void act(struct world *w, uint64_t *seed)
{
	char path[100], body[400];
	int name = (int)(random_next(seed) % NAMES);
	uint64_t choice = random_next(seed) % 8;

	snprintf(path, sizeof(path), NS "/z/pods/p%d", name);
	if (choice < 4) {
		snprintf(body, sizeof(body),
			 "{\"metadata\":{\"name\":\"p%d\"},\"spec\":{\"containers\":[{\"name\":"
			 "\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"%d\"}}}]}}",
			 name, (int)(random_next(seed) % 4));
		json_doc_unref(ask(w, "POST", NS "/z/pods", body).doc);
	} else if (choice < 6) {
		json_doc_unref(ask(w, "DELETE", path, NULL).doc);
	} else if (choice == 6) {
		snprintf(path, sizeof(path), NS "/z/pods/p%d/status", name);
		json_doc_unref(ask(w, "PATCH merge", path,
				   random_next(seed) % 2 ? "{\"status\":{\"phase\":\"Failed\"}}"
							 : "{\"status\":{\"phase\":\"Running\"}}")
				       .doc);
	} else if (random_next(seed) % 4 == 0) {
		world_restart(w);
	}
}

/* What the status says is what is there. A pod that was finished and runs again may go beyond. */
static bool is_right(struct world *w)
{
	AUTO(answer_done) struct answer quota = ask(w, "GET", NS "/z/resourcequotas/q", NULL);
	struct json used = json_get(json_get(json_doc_root(quota.doc), "status"), "used");
	struct object *object = store_next(w->store, STR("/pods/z/"), str_none());
	int live = 0, cpu = 0;
	char text[2][16];

	for (; object; object = store_next(w->store, STR("/pods/z/"), object->key)) {
		struct err err;
		AUTO(json_doc_unref) struct json_doc *doc = json_parse(object->text, NULL, &err);
		struct json pod = json_doc_root(doc);
		struct json container = json_at(json_get(json_get(pod, "spec"), "containers"), 0);
		struct json amount =
			json_get(json_get(json_get(container, "resources"), "requests"), "cpu");

		if (str_is(json_str(json_get(json_get(pod, "status"), "phase")), "Failed"))
			continue;
		live++;
		cpu += json_str(amount).ptr[0] - '0';
	}
	snprintf(text[0], sizeof(text[0]), "%d", live);
	snprintf(text[1], sizeof(text[1]), "%d", cpu);
	return str_is(json_str(json_get(used, "pods")), text[0]) &&
	       str_is(json_str(json_get(used, "requests.cpu")), text[1]);
}

static void test_random(struct world *w, uint64_t seed)
{
	int bad = 0;

	printf("# seed %llu\n", (unsigned long long)seed);
	json_doc_unref(ask(w, "POST", NS, NAMED("z")).doc);
	json_doc_unref(ask(w, "POST", NS "/z/resourcequotas",
			   QUOTA("q", "\"pods\":\"5\",\"requests.cpu\":\"8\"", ""))
			       .doc);
	world_settle(w);
	for (int i = 0; i < ROUNDS; i++) {
		act(w, &seed);
		if (i % 7 == 0) {
			world_settle(w);
			bad += !is_right(w);
		}
	}
	ok(bad == 0, "what is used is what is there, whatever happens");
}

#define RUN(steps) world_steps(&w, steps, ARRAY_LEN(steps))

int main(void)
{
	struct world w = world_new();
	int64_t revision;

	RUN(pods);
	RUN(amounts);
	RUN(scopes);
	RUN(counts);
	test_burst(&w);
	test_cost(&w);
	test_random(&w, 7);
	revision = store_revision(w.store);
	world_restart(&w);
	ok(store_revision(w.store) == revision, "a restart finds every quota right");
	world_free(&w);
	return tap_done();
}
