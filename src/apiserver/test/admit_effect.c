/* SPDX-License-Identifier: Apache-2.0 */
/* What has no effect: each object is accepted with a warning, or refused if ignoring it does harm; an
 * object that was stored before it was refused may still be changed; and a server that keeps to Kubernetes'
 * rules alone does not warn. */
#include "apiserver/crd/install.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/test/world.h"

#define HOOKS "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
#define MUTATING "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define QUEUES "/apis/scheduling.volcano.sh/v1beta1/queues"
#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define NS "namespaces/default"
#define HOOK(name, policy)                                                                     \
	"{\"metadata\":{\"name\":\"" name                                                      \
	"\"},\"webhooks\":[{\"name\":\"w.example.com\",\"clientConfig\":{\"url\":"             \
	"\"https://x/\"},\"sideEffects\":\"None\",\"admissionReviewVersions\":[\"v1\"]" policy \
	"}]}"
#define IGNORE ",\"failurePolicy\":\"Ignore\""
#define POD "{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]"
#define TEMPLATE "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":" POD
#define SELECTOR "\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
#define WORKLOAD(more) "{\"metadata\":{\"name\":\"x\"},\"spec\":{" SELECTOR more TEMPLATE "}}}}"
#define VERSION(name, storage)                                        \
	"{\"name\":\"" name "\",\"served\":true,\"storage\":" storage \
	",\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}"
#define CRD(plural, versions, strategy)                                                          \
	"{\"metadata\":{\"name\":\"" plural                                                      \
	".example.com\"},\"spec\":{\"group\":\"example.com\",\"scope\":\"Namespaced\","          \
	"\"names\":{\"plural\":\"" plural "\",\"kind\":\"K" plural "\"},\"versions\":[" versions \
	"]" strategy "}}"
#define CONVERSION                                                                          \
	",\"conversion\":{\"strategy\":\"Webhook\",\"webhook\":{\"clientConfig\":{\"url\":" \
	"\"https://x/\"},\"conversionReviewVersions\":[\"v1\"]}}"
#define TASK                                                                                  \
	"{\"name\":\"t\",\"replicas\":1,\"template\":{\"spec\":{\"restartPolicy\":\"Never\"," \
	"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"
#define VCJOB(name, of_job, of_task)                                                \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"minAvailable\":1" of_job \
	",\"tasks\":[" TASK of_task "}]}}"
#define HARD "\"networkTopology\":{\"mode\":\"hard\",\"highestTierAllowed\":1}"

static const struct {
	const char *path, *body;
	int code;
	const char *acked; /* a part of the message, or of the warnings; NULL: there are none */
} cases[] = {
	{HOOKS, HOOK("fail", ",\"failurePolicy\":\"Fail\""), 403,
	 "validatingwebhookconfigurations.admissionregistration.k8s.io \"fail\" is forbidden: "
	 "webhooks[0].failurePolicy: this server does not call admission webhooks, and Fail"},
	{HOOKS, HOOK("default", ""), 403, "webhooks[0].failurePolicy: this server does not call"},
	{HOOKS, HOOK("ignore", IGNORE), 201,
	 "|ValidatingWebhookConfiguration has no effect: this server does not call admission "
	 "webhooks"},
	{MUTATING, HOOK("fail", ""), 403, "webhooks[0].failurePolicy"},
	{MUTATING, HOOK("ignore", IGNORE), 201, "|MutatingWebhookConfiguration has no effect"},
	{CRDS, CRD("twos", VERSION("v1", "true") "," VERSION("v2", "false"), CONVERSION), 403,
	 "spec.conversion.strategy: this server does not call conversion webhooks"},
	{CRDS, CRD("ones", VERSION("v1", "true"), CONVERSION), 201,
	 "|spec.conversion.strategy has no effect"},
	{CRDS, CRD("plains", VERSION("v1", "true") "," VERSION("v2", "false"), ""), 201, NULL},
	{"/apis/apps/v1/" NS "/deployments", WORKLOAD(""), 201,
	 "|Deployment has no effect: no controller of this server makes pods for it"},
	{"/apis/apps/v1/" NS "/replicasets", WORKLOAD(""), 201, "|ReplicaSet has no effect"},
	{"/apis/apps/v1/" NS "/daemonsets", WORKLOAD(""), 201, "|DaemonSet has no effect"},
	{"/apis/apps/v1/" NS "/statefulsets", WORKLOAD("\"serviceName\":\"s\","), 201,
	 "|StatefulSet has no effect"},
	{"/apis/batch/v1/" NS "/jobs",
	 "{\"metadata\":{\"name\":\"x\"},\"spec\":{" TEMPLATE ",\"restartPolicy\":\"Never\"}}}}",
	 201,
	 "|Job has no effect: no controller of this server makes pods for it; use a Job of "
	 "batch.volcano.sh"},
	{"/apis/networking.k8s.io/v1/" NS "/networkpolicies",
	 "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"podSelector\":{}}}", 201,
	 "|NetworkPolicy has no effect: no traffic is restricted"},
	{"/apis/batch.volcano.sh/v1alpha1/" NS "/jobs", VCJOB("hard", "," HARD, ""), 201, NULL},
	{"/apis/batch.volcano.sh/v1alpha1/" NS "/jobs",
	 VCJOB("task", "",
	       ",\"partitionPolicy\":{\"totalPartitions\":1,\"partitionSize\":1," HARD "}"),
	 201, NULL},
	{"/apis/scheduling.volcano.sh/v1beta1/" NS "/podgroups",
	 "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"minMember\":1," HARD "}}", 201, NULL},
	{"/api/v1/" NS "/configmaps", "{\"metadata\":{\"name\":\"x\"}}", 201, NULL},
};

static struct world open_world(bool plain)
{
	static const struct step queue[] = {
		{"POST", QUEUES, "{\"metadata\":{\"name\":\"default\"},\"spec\":{\"weight\":1}}",
		 201, "/kind", "Queue"},
		{"PATCH merge", QUEUES "/default/status", "{\"status\":{\"state\":\"Open\"}}", 200,
		 "/status/state", "Open"},
	};
	struct world w = world_new_still();
	struct err err;

	api_free(w.api);
	w.api = api_new(&(struct api_options){.loop = w.loop, .store = w.store, .plain = plain});
	ok(install_definitions(w.api, &err) == 0, "Volcano's kinds are there");
	api_start(w.api, &(struct api_place){.root_ca = "PEM"});
	world_settle(&w);
	world_steps(&w, queue, ARRAY_LEN(queue));
	return w;
}

static void test_cases(struct world *w, bool plain)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(answer_done)
		struct answer answer = ask(w, "POST", cases[i].path, cases[i].body);
		struct str message = json_str(json_get(json_doc_root(answer.doc), "message"));
		struct str acked = answer.code < 300 ? str_from(answer.warnings) : message;
		bool silent = !cases[i].acked || (plain && cases[i].code < 300);

		ok(answer.code == cases[i].code, "POST %s: %d", cases[i].path, cases[i].code);
		ok(silent ? !acked.len : str_find(acked, str_from(cases[i].acked), 0) >= 0, "%s",
		   silent ? "without a word" : cases[i].acked);
		if (answer.code != cases[i].code ||
		    (!silent && str_find(acked, str_from(cases[i].acked), 0) < 0))
			printf("#   %d %.*s\n", answer.code, STR_ARG(acked));
		world_settle(w);
	}
}

/* A patch that makes harm of it is refused, and one of what was so already is not. */
static void test_changes(struct world *w)
{
	static const struct step steps[] = {
		{"PATCH json", HOOKS "/ignore",
		 "[{\"op\":\"replace\",\"path\":\"/webhooks/0/failurePolicy\",\"value\":\"Fail\"}]",
		 403, "/reason", "Forbidden"},
		{"PATCH merge", HOOKS "/ignore", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
		 "/metadata/labels/a", "b"},
		{"PATCH json", CRDS "/ones.example.com",
		 "[{\"op\":\"add\",\"path\":\"/spec/versions/-\",\"value\":" VERSION("v2",
										     "false") "}]",
		 403, "/reason", "Forbidden"},
		{"DELETE", HOOKS "/ignore", NULL, 200, "/status", "Success"},
	};

	world_steps(w, steps, ARRAY_LEN(steps));
}

/* Of an earlier release: the server itself is not asked what has an effect. */
static void test_stored_before(struct world *w)
{
	static const struct str text = STR_INIT(
		"{\"kind\":\"ValidatingWebhookConfiguration\",\"apiVersion\":"
		"\"admissionregistration.k8s.io/v1\",\"metadata\":{\"name\":\"old\",\"uid\":\"u\","
		"\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"finalizers\":[\"example.com/"
		"f\"]},"
		"\"webhooks\":[{\"name\":\"w.example.com\",\"clientConfig\":{\"url\":\"https://x/"
		"\"}"
		",\"failurePolicy\":\"Fail\",\"matchPolicy\":\"Equivalent\",\"sideEffects\":"
		"\"None\","
		"\"timeoutSeconds\":10,\"admissionReviewVersions\":[\"v1\"],\"namespaceSelector\":{"
		"},"
		"\"objectSelector\":{}}]}");
	static const struct step steps[] = {
		{"PATCH merge", HOOKS "/old", "{\"metadata\":{\"finalizers\":null}}", 200,
		 "/metadata/finalizers", NULL},
		{"DELETE", HOOKS "/old", NULL, 200, "/status", "Success"},
	};
	const struct kind *kind = kinds_find(api_kinds(w->api), STR("admissionregistration.k8s.io"),
					     STR("v1"), STR("validatingwebhookconfigurations"));

	self_create_text(w->api, kind, str_none(), text);
	world_settle(w);
	world_steps(w, steps, ARRAY_LEN(steps));
}

int main(void)
{
	struct world w = open_world(false);

	test_cases(&w, false);
	test_changes(&w);
	test_stored_before(&w);
	world_free(&w);
	w = open_world(true);
	test_cases(&w, true);
	world_free(&w);
	return tap_done();
}
