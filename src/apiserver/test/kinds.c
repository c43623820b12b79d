/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in kinds as the API serves them: what the server fills in, what it refuses, what comes
 * back. */
#include "apiserver/test/world.h"

#define POD(name, more)                                                                    \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"containers\":[{\"name\":\"c\"," \
	"\"image\":\"i\"}]" more "}}"
#define TEMPLATE                                                                            \
	"\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{" \
	"\"name\":\"c\",\"image\":\"i\"}]}}"

static const struct step pods[] = {
	{"POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"a\"}}", 201, "/status/phase",
	 "Active"},
	{"POST", "/api/v1/namespaces/a/pods",
	 "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\","
	 "\"resources\":{\"limits\":{\"cpu\":\"1000m\"}}}]},\"status\":{\"phase\":\"Running\"}}",
	 201, "/status", "{\"phase\":\"Pending\",\"qosClass\":\"Burstable\"}"},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 200,
	 "/spec/containers/0/resources/requests/cpu", "1"},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 200, "/spec/restartPolicy", "Always"},
	{"POST", "/api/v1/namespaces/a/pods", "{\"metadata\":{\"name\":\"q\"},\"spec\":{}}", 422,
	 "/details/causes/0/field", "spec.containers"},
	{"PATCH merge", "/api/v1/namespaces/a/pods/p", "{\"status\":{\"phase\":\"Running\"}}", 200,
	 "/status/phase", "Pending"},
	{"PATCH merge", "/api/v1/namespaces/a/pods/p/status",
	 "{\"status\":{\"phase\":\"Running\"},\"spec\":{\"nodeName\":\"n\"}}", 200,
	 "/spec/nodeName", NULL},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 200, "/status/phase", "Running"},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 200, "/metadata/generation", "1"},
	{"PATCH merge", "/api/v1/namespaces/a/pods/p", "{\"spec\":{\"hostNetwork\":true}}", 422,
	 "/reason", "Invalid"},
	{"PATCH strategic", "/api/v1/namespaces/a/pods/p",
	 "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"j\"}]}}", 200,
	 "/metadata/generation", "2"},
	{"PATCH strategic", "/api/v1/namespaces/a/pods/p/ephemeralcontainers",
	 "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"j\"}],\"nodeName\":\"x\"}"
	 "}",
	 200, "/spec/ephemeralContainers/0/name", "e"},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 200, "/spec/nodeName", NULL},
	/* CPU and memory may change, nothing else */
	{"PATCH strategic", "/api/v1/namespaces/a/pods/p/resize",
	 "{\"spec\":{\"nodeName\":\"x\",\"containers\":[{\"name\":\"c\",\"image\":\"k\","
	 "\"resources\":{\"limits\":{\"cpu\":2},\"requests\":{\"cpu\":\"500m\"}}}]}}",
	 200, "/spec/containers/0/resources",
	 "{\"limits\":{\"cpu\":\"2\"},\"requests\":{\"cpu\":\"500m\"}}"},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 200, "/spec/containers/0/image", "j"},
	{"PATCH merge", "/api/v1/namespaces/a/pods/p/resize",
	 "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"j\"}]}}", 422, "/message",
	 "Pod \"p\" is invalid: [spec: Invalid value: \"Burstable\": Pod QOS Class may not change "
	 "as "
	 "a result of resizing, spec.containers[0].resources.requests: Forbidden: resource "
	 "requests "
	 "cannot be removed, spec.containers[0].resources.limits: Forbidden: resource limits "
	 "cannot "
	 "be removed]"},
	{"PATCH strategic", "/api/v1/namespaces/a/pods/p/resize",
	 "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"a.com/"
	 "b\":1}}}]}}",
	 422, "/details/causes/0/message", "Forbidden: only cpu and memory resources are mutable"},
	{"PATCH strategic", "/api/v1/namespaces/a/pods/p/resize",
	 "{\"spec\":{\"containers\":[{\"name\":\"d\",\"image\":\"j\"}]}}", 422,
	 "/details/causes/0/message",
	 "Forbidden: containers may not be added or removed on resize"},
	/* a pod that is nowhere goes at once; one on a node gets its time */
	{"DELETE", "/api/v1/namespaces/a/pods/p", NULL, 200, "/metadata/deletionGracePeriodSeconds",
	 "0"},
	{"GET", "/api/v1/namespaces/a/pods/p", NULL, 404, "/reason", "NotFound"},
	{"POST", "/api/v1/namespaces/a/pods", POD("r", ",\"nodeName\":\"n\""), 201,
	 "/spec/nodeName", "n"},
	{"DELETE", "/api/v1/namespaces/a/pods/r", NULL, 200, "/metadata/deletionGracePeriodSeconds",
	 "30"},
	{"DELETE", "/api/v1/namespaces/a/pods/r", "{\"gracePeriodSeconds\":0}", 200, "/kind",
	 "Pod"},
	{"GET", "/api/v1/namespaces/a/pods/r", NULL, 404, "/reason", "NotFound"},
};

#define CRONJOB(zone)                                                                        \
	"{\"metadata\":{\"name\":\"zoned\"},\"spec\":{\"schedule\":\"* * * * "               \
	"*\",\"timeZone\":\"" zone                                                           \
	"\",\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":\"Never\"," \
	"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}}}"
static const struct step others[] = {
	/* a node brings its status along, and is not ready */
	{"POST", "/api/v1/nodes",
	 "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"cpu\":\"4\"}}}", 201,
	 "/status/allocatable/cpu", "4"},
	{"GET", "/api/v1/nodes/n", NULL, 200, "/spec/taints/0/key", "node.kubernetes.io/not-ready"},
	{"PATCH merge", "/api/v1/nodes/n",
	 "{\"spec\":{\"configSource\":{\"configMap\":{\"name\":\"a\"}}}}", 200,
	 "/spec/configSource", NULL},
	{"PATCH merge", "/api/v1/nodes/n", "{\"status\":{\"phase\":\"x\"}}", 200, "/status/phase",
	 NULL},
	{"POST", "/apis/apps/v1/namespaces/a/deployments",
	 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
	 "," TEMPLATE "},\"status\":{\"replicas\":3}}",
	 201, "/spec/strategy/type", "RollingUpdate"},
	{"GET", "/apis/apps/v1/namespaces/a/deployments/d", NULL, 200, "/status", "{}"},
	{"POST", "/apis/apps/v1/namespaces/a/deployments",
	 "{\"metadata\":{\"name\":\"e\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"c\"}}"
	 "," TEMPLATE "}}",
	 422, "/details/causes/0/field", "spec.template.metadata.labels"},
	{"PATCH merge", "/apis/apps/v1/namespaces/a/deployments/d", "{\"spec\":{\"replicas\":2}}",
	 200, "/metadata/generation", "2"},
	{"PATCH merge", "/apis/apps/v1/namespaces/a/deployments/d/status",
	 "{\"metadata\":{\"labels\":{\"x\":\"y\"}},\"status\":{\"replicas\":2}}", 200,
	 "/metadata/labels", NULL},
	{"PATCH merge", "/apis/apps/v1/namespaces/a/deployments/d/status",
	 "{\"status\":{\"replicas\":1,\"readyReplicas\":2,\"unavailableReplicas\":-1}}", 422,
	 "/message",
	 "Deployment.apps \"d\" is invalid: [status.unavailableReplicas: Invalid value: -1: must "
	 "be "
	 "greater than or equal to 0, status.readyReplicas: Invalid value: 2: cannot be greater "
	 "than "
	 "status.replicas]"},
	{"POST", "/apis/batch/v1/namespaces/a/jobs",
	 "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":"
	 "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
	 201, "/spec/template/metadata/labels/job-name", "j"},
	{"POST", "/apis/batch/v1/namespaces/a/cronjobs", CRONJOB("Mars/Phobos"), 422,
	 "/details/causes/0/message",
	 "Invalid value: \"Mars/Phobos\": unknown time zone Mars/Phobos"},
	{"POST", "/apis/batch/v1/namespaces/a/cronjobs", CRONJOB("UTC"), 201, "/spec/timeZone",
	 "UTC"},
	{"PATCH merge", "/apis/batch/v1/namespaces/a/cronjobs/zoned",
	 "{\"spec\":{\"timeZone\":\"Mars/Phobos\"}}", 422, "/details/causes/0/field",
	 "spec.timeZone"},
	{"PATCH merge", "/apis/batch/v1/namespaces/a/cronjobs/zoned",
	 "{\"spec\":{\"suspend\":true}}", 200, "/spec/suspend", "true"},
	{"POST", "/apis/apps/v1/namespaces/a/controllerrevisions",
	 "{\"metadata\":{\"name\":\"c\"},\"revision\":1}", 422, "/details/causes/0/field", "data"},
	{"POST", "/api/v1/namespaces/a/services",
	 "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"clusterIP\":\"None\"}}", 201,
	 "/status/loadBalancer", "{}"},
	{"DELETE", "/api/v1/namespaces/a/services/s", NULL, 200, "/kind", "Service"},
	{"POST", "/api/v1/namespaces/a/services",
	 "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"clusterIP\":\"10.96.0.9\",\"type\":"
	 "\"NodePort\","
	 "\"ports\":[{\"port\":80,\"nodePort\":30000}]}}",
	 201, "/spec/clusterIPs", "[\"10.96.0.9\"]"},
	{"POST", "/api/v1/namespaces/a/services",
	 "{\"metadata\":{\"name\":\"u\"},\"spec\":{\"clusterIP\":\"10.96.0.9\",\"ports\":[{"
	 "\"port\":80}]}}",
	 422, "/details/causes/0/message",
	 "Invalid value: [\"10.96.0.9\"]: failed to allocate IP 10.96.0.9: provided IP is already "
	 "allocated"},
	{"POST", "/api/v1/namespaces/a/services",
	 "{\"metadata\":{\"name\":\"u\"},\"spec\":{\"clusterIP\":\"1.2.3.4\",\"ports\":[{\"port\":"
	 "80}]}}",
	 422, "/details/causes/0/field", "spec.clusterIPs"},
	{"POST", "/api/v1/namespaces/a/services",
	 "{\"metadata\":{\"name\":\"u\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80,"
	 "\"nodePort\":30000}]}}",
	 422, "/details/causes/0/message",
	 "Invalid value: 30000: provided port is already allocated"},
	{"PATCH merge", "/api/v1/namespaces/a/services/t",
	 "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200, "/spec/ports/0/nodePort", "30000"},
	{"PATCH merge", "/api/v1/namespaces/a/services/t", "{\"spec\":{\"type\":\"ClusterIP\"}}",
	 200, "/spec/ports/0/nodePort", NULL},
	{"PATCH merge", "/api/v1/namespaces/a/services/t",
	 "{\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"a.b\"}}", 200, "/spec/clusterIP",
	 NULL},
	{"POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
	 "{\"metadata\":{\"name\":\"p\"},\"value\":2000000001}", 422, "/reason", "Invalid"},
	{"PUT", "/apis/rbac.authorization.k8s.io/v1/clusterroles/a:b",
	 "{\"metadata\":{\"name\":\"a:b\"}}", 201, "/rules", "null"},
	/* questions come back with their answers, and are not kept */
	{"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", 201, "/kind",
	 "SelfSubjectReview"},
	{"POST", "/apis/authentication.k8s.io/v1/tokenreviews", "{\"spec\":{\"token\":\"x\"}}", 201,
	 "/status", "{\"user\":{},\"error\":\"invalid bearer token\"}"},
	{"POST", "/apis/authentication.k8s.io/v1/tokenreviews", "{\"spec\":{}}", 400, "/message",
	 "token is required for TokenReview in authentication"},
	{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
	 "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"}}}", 201,
	 "/status/allowed", "true"},
	{"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
	 "{\"spec\":{\"user\":\"system:anonymous\",\"nonResourceAttributes\":{\"path\":\"/x\"}}}",
	 201, "/status", "{\"allowed\":false}"},
	{"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "{\"spec\":{}}", 422,
	 "/message",
	 ".authorization.k8s.io \"\" is invalid: [spec.resourceAttributes: "
	 "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be "
	 "specified, spec.user: Invalid value: \"\": at least one of user or group must be "
	 "specified]"},
	{"POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
	 "{\"spec\":{\"namespace\":\"a\"}}", 201, "/status/incomplete", "false"},
	{"POST", "/apis/networking.k8s.io/v1/namespaces/a/ingresses",
	 "{\"metadata\":{\"name\":\"i\"},\"spec\":{\"defaultBackend\":{\"service\":{\"name\":\"s\","
	 "\"port\":{\"number\":80}}}},\"status\":{\"loadBalancer\":{}}}",
	 201, "/status/loadBalancer", "{}"},
};

/* Services that are made side by side get different addresses and ports. */
static void test_services(struct world *w)
{
	enum { COUNT = 200 };
	struct answer answers[COUNT] = {0};
	int doubled = 0;

	for (int i = 0; i < COUNT; i++) {
		char body[128];

		snprintf(body, sizeof(body),
			 "{\"metadata\":{\"name\":\"s%d\"},\"spec\":{\"type\":\"NodePort\","
			 "\"ports\":[{"
			 "\"port\":80}]}}",
			 i);
		api_serve(world_question(w, "POST", "/api/v1/namespaces/a/services", body,
					 &answers[i]));
	}
	while (!answers[COUNT - 1].done)
		loop_turn(w->loop, -1);
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < i; j++) {
			struct json a = json_get(json_doc_root(answers[i].doc), "spec");
			struct json b = json_get(json_doc_root(answers[j].doc), "spec");

			doubled += json_eq(json_get(a, "clusterIP"), json_get(b, "clusterIP")) ||
				   json_eq(json_get(json_at(json_get(a, "ports"), 0), "nodePort"),
					   json_get(json_at(json_get(b, "ports"), 0), "nodePort"));
		}
	ok(doubled == 0, "%d services, no address and no port twice", COUNT);
	for (int i = 0; i < COUNT; i++)
		json_doc_unref(answers[i].doc);
}

#define EVENTS "/apis/events.k8s.io/v1/namespaces/a/events"
#define CORE_EVENTS "/api/v1/namespaces/a/events"

/* One event in two groups. */
static const struct step events[] = {
	{"POST", CORE_EVENTS,
	 "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\","
	 "\"namespace\":\"a\"},\"message\":\"m\",\"reason\":\"R\",\"type\":\"Normal\",\"source\":{"
	 "\"component\":\"c\"}}",
	 201, "/message", "m"},
	{"GET", EVENTS "/e", NULL, 200, "/note", "m"},
	{"GET", EVENTS "/e", NULL, 200, "/apiVersion", "events.k8s.io/v1"},
	{"GET", EVENTS "/e", NULL, 200, "/message", NULL},
	{"GET", EVENTS, NULL, 200, "/items/0/deprecatedSource/component", "c"},
	{"GET", EVENTS, NULL, 200, "/items/0/apiVersion", NULL},
	{"POST", EVENTS, "{\"metadata\":{\"name\":\"f\"}}", 422, "/details/causes/0/field",
	 "involvedObject.namespace"},
	{"POST", EVENTS, "{\"metadata\":{\"name\":\"f\"}}", 422, "/details/group", NULL},
	{"GET", EVENTS "/none", NULL, 404, "/message", "events \"none\" not found"},
	{"POST", EVENTS,
	 "{\"metadata\":{\"name\":\"f\"},\"regarding\":{\"kind\":\"Job\",\"namespace\":\"a\"},"
	 "\"eventTime\":\"2026-01-01T00:00:00.000000Z\",\"reportingController\":\"a.b/c\","
	 "\"reportingInstance\":\"i\",\"action\":\"A\",\"reason\":\"R\",\"type\":\"Normal\"}",
	 201, "/regarding/kind", "Job"},
	{"GET", CORE_EVENTS "/f", NULL, 200, "/involvedObject/kind", "Job"},
	{"GET", CORE_EVENTS "/f", NULL, 200, "/reportingComponent", "a.b/c"},
	{"PATCH merge", EVENTS "/f", "{\"note\":\"n\"}", 422, "/details/causes/0/field", "message"},
	{"PATCH merge", EVENTS "/f", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
	 "/regarding/kind", "Job"},
	{"DELETE", EVENTS "/f", NULL, 200, "/status", "Success"},
	{"GET", CORE_EVENTS "/f", NULL, 404, "/reason", "NotFound"},
};

#define OWN "/api/v1/namespaces/a/pods/own"
#define OWN_POD(image, more)                                                                    \
	"{\"metadata\":{\"name\":\"own\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"" image "\"}]" more "}}"
#define HIGH ",\"priorityClassName\":\"high\",\"serviceAccountName\":\"default\""
#define JOBS "/apis/batch/v1/namespaces/a/jobs"
#define LABELLED(name, more)                                                                   \
	"{\"metadata\":{\"name\":\"" name "\"" more "},\"spec\":{\"template\":{\"metadata\":{" \
	"\"labels\":{\"t\":\"1\"}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{"    \
	"\"name\":\"c\",\"image\":\"i\"}]}}}}"

/* A default that the server sets again is not a change, however it was left out. */
static const struct step left_out[] = {
	{"POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
	 "{\"metadata\":{\"name\":\"high\"},\"value\":7,\"preemptionPolicy\":\"Never\"}", 201,
	 "/kind", "PriorityClass"},
	{"POST", "/api/v1/namespaces/a/pods", OWN_POD("i", HIGH), 201, "/spec/priority", "7"},
	{"GET", OWN, NULL, 200, "/spec/preemptionPolicy", "Never"},
	{"GET", OWN, NULL, 200, "/metadata/generation", "1"},
	{"PUT", OWN, OWN_POD("i", HIGH), 200, "/metadata/generation", "1"},
	{"GET", OWN, NULL, 200, "/spec/priority", "7"},
	{"GET", OWN, NULL, 200, "/spec/preemptionPolicy", "Never"},
	{"PUT", OWN, OWN_POD("i", HIGH ",\"priority\":7"), 200, "/metadata/generation", "1"},
	{"PATCH merge", OWN, "{\"spec\":{\"priority\":null,\"preemptionPolicy\":null}}", 200,
	 "/metadata/generation", "1"},
	{"GET", OWN, NULL, 200, "/spec/priority", "7"},
	{"PUT", OWN, OWN_POD("j", HIGH), 200, "/metadata/generation", "2"},

	/* labels of a Job are those of its pods, for a new one, a replaced one and a changed one */
	{"POST", JOBS, LABELLED("l", ""), 201, "/metadata/labels/t", "1"},
	{"PATCH merge", JOBS "/l", "{\"metadata\":{\"labels\":{\"o\":\"2\",\"t\":null}}}", 200,
	 "/metadata/labels/t", NULL},
	{"PATCH merge", JOBS "/l", "{\"metadata\":{\"labels\":null}}", 200, "/metadata/labels/t",
	 "1"},
	{"GET", JOBS "/l", NULL, 200, "/metadata/labels/o", NULL},
	{"PATCH json", JOBS "/l", "[{\"op\":\"remove\",\"path\":\"/metadata/labels\"}]", 200,
	 "/metadata/labels/t", "1"},
	{"PATCH", JOBS "/l", "{\"metadata\":{\"labels\":null}}", 200, "/metadata/labels/t", "1"},
	{"GET", JOBS "/l", NULL, 200, "/metadata/generation", "1"},
};

enum { REFUSED = 9999 };

static void check_selected(struct world *w, const char *path, const char *selector, size_t want)
{
	struct answer answer = {0};
	struct call *call = world_question(w, "GET", path, NULL, &answer);

	call->options.field_selector = str_from(selector);
	api_serve(call);
	ok(want == REFUSED ? answer.code == 400
			   : answer.code == 200 &&
				     json_len(json_get(json_doc_root(answer.doc), "items")) == want,
	   "%s, %s: %zu", path, selector, want);
	json_doc_unref(answer.doc);
}

/* Fields that are somewhere else, or nowhere. */
static void test_selectors(struct world *w)
{
	check_selected(w, EVENTS, "regarding.kind=Pod", 1);
	check_selected(w, EVENTS, "regarding.kind=Job", 0);
	check_selected(w, CORE_EVENTS, "source=c,involvedObject.kind=Pod", 1);
	check_selected(w, "/api/v1/nodes", "spec.unschedulable=false", 1);
	check_selected(w, "/api/v1/nodes", "metadata.namespace=a", REFUSED);
	check_selected(w, "/api/v1/pods", "metadata.namespace=none", 0);
	check_selected(w, "/apis/storage.k8s.io/v1/storageclasses", "metadata.namespace=a", 0);
	check_selected(w, "/apis/batch/v1/jobs", "status.successful=0", 1);
	check_selected(w, "/apis/batch/v1/jobs", "status.successful!=0", 0);
}

#define CLAIM(name, size)                                                                      \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"]," \
	"\"storageClassName\":\"x\",\"resources\":{\"requests\":{\"storage\":\"" size "\"}}}}"
#define MEMORY(name, size)                                         \
	"{\"metadata\":{\"name\":\"" name                          \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\",\"resources\":{\"requests\":{\"memory\":\"" size "\"}}}]}}"
#define CLAIMS "/api/v1/namespaces/a/persistentvolumeclaims"
#define A_PODS "/api/v1/namespaces/a/pods"

/* Warnings, each after a bar. */
static const struct {
	const char *path, *body, *want;
} warned[] = {
	{"/api/v1/namespaces/a/services",
	 "{\"metadata\":{\"name\":\"w1\"},\"spec\":{\"clusterIP\":\"None\",\"externalIPs\":[\"1.2."
	 "3.4\"],"
	 "\"sessionAffinity\":\"ClientIP\",\"externalName\":\"a.b\"}}",
	 "|spec.externalIPs is ignored for headless services|spec.SessionAffinity is ignored for "
	 "headless services|spec.externalName is ignored when spec.type is not \"ExternalName\""},
	{"/api/v1/namespaces/a/persistentvolumeclaims",
	 "{\"metadata\":{\"name\":\"w2\",\"annotations\":{\"volume.beta.kubernetes.io/"
	 "storage-class\":"
	 "\"x\"}},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{"
	 "\"storage\":\"1500m\"}}}}",
	 "|metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; "
	 "use "
	 "\"storageClassName\" attribute instead|spec.resources.requests[storage]: fractional byte "
	 "value \"1500m\" is invalid, must be an integer"},
	{"/apis/apps/v1/namespaces/a/deployments",
	 "{\"metadata\":{\"name\":\"w.3\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
	 "," TEMPLATE "}}",
	 "|Deployment has no effect: no controller of this server makes pods for it"
	 "|metadata.name: this is used in Pod names and hostnames, which can result in surprising "
	 "behavior; a DNS label is recommended: [must not contain dots]"},
	{"/apis/storage.k8s.io/v1/storageclasses",
	 "{\"metadata\":{\"name\":\"w4\"},\"provisioner\":\"p\",\"allowedTopologies\":[{"
	 "\"matchLabelExpressions\":[{\"key\":\"beta.kubernetes.io/os\",\"values\":[\"x\"]}]}]}",
	 "|allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "
	 "\"kubernetes.io/os\" instead"},
	{"/api/v1/persistentvolumes",
	 "{\"metadata\":{\"name\":\"w5\"},\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},"
	 "\"accessModes\":[\"ReadWriteOnce\"],\"persistentVolumeReclaimPolicy\":\"Recycle\","
	 "\"nfs\":{"
	 "\"server\":\"s\",\"path\":\"/x\"}}}",
	 "|spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
	 "the "
	 "recommended approach is to use dynamic provisioning."},
	{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
	 "{\"metadata\":{\"name\":\"ws.w6.io\"},\"spec\":{\"group\":\"w6.io\",\"scope\":"
	 "\"Cluster\",\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{\"name\":"
	 "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
	 "\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"format\":\"odd\"},\"b\":{"
	 "\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"odd\"}},\"c\":{"
	 "\"type\":\"integer\",\"format\":\"int32\"},\"d\":{\"type\":\"string\",\"format\":"
	 "\"date-time\"}}}}}]}}",
	 "|unrecognized format \"odd\""},
	/* amounts beyond what thousandths can be counted in are whole */
	{CLAIMS, CLAIM("f1", "1E"), ""},
	{CLAIMS, CLAIM("f2", "7Ei"), ""},
	{CLAIMS, CLAIM("f3", "9223372036854775807"), ""},
	{CLAIMS, CLAIM("f4", "100E"), ""},
	{CLAIMS, CLAIM("f5", "1e30"), ""},
	{CLAIMS, CLAIM("f6", "9223372036854775"), ""},
	{CLAIMS, CLAIM("f7", "1.5"),
	 "|spec.resources.requests[storage]: fractional byte value \"1500m\" is invalid, must be "
	 "an "
	 "integer"},
	{A_PODS, MEMORY("f1", "1E"), ""},
	{A_PODS, MEMORY("f2", "8Ei"), ""},
	{A_PODS, MEMORY("f3", "1e18"), ""},
	{A_PODS, MEMORY("f4", "100m"),
	 "|spec.containers[0].resources.requests[memory]: fractional byte value \"100m\" is "
	 "invalid, "
	 "must be an integer"},
};

static void test_warnings(struct world *w)
{
	for (size_t i = 0; i < ARRAY_LEN(warned); i++) {
		struct answer answer = ask(w, "POST", warned[i].path, warned[i].body);

		ok(answer.code == 201, "made, and warned of");
		is(answer.warnings, warned[i].want);
		json_doc_unref(answer.doc);
	}
}

/* 700 variables, each name twice, and a name that is longer than any header may be. */
static void test_many_warnings(struct world *w)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	size_t count = 0;

	buf_puts(&body,
		 "{\"metadata\":{\"name\":\"many\"},\"spec\":{\"containers\":[{\"name\":\"c\","
		 "\"image\":\"i\",\"env\":[");
	for (int i = 0; i < 700; i++)
		buf_printf(&body, "%s{\"name\":\"V%d\",\"value\":\"%d\"}", i ? "," : "", i / 2, i);
	buf_puts(&body, ",{\"name\":\"");
	for (int i = 0; i < 100000; i++)
		buf_putc(&body, 'x');
	buf_puts(&body, "\"},{\"name\":\"");
	for (int i = 0; i < 100000; i++)
		buf_putc(&body, 'x');
	buf_puts(&body, "\"}]}]}}");
	AUTO(answer_done)
	struct answer answer = ask(w, "POST", "/api/v1/namespaces/a/pods", buf_text(&body));

	for (const char *at = answer.warnings; *at; at++)
		count += *at == '|';
	ok(answer.code == 201 && count > 2 && count < 90,
	   "warnings are bounded, and the answer is there");
}

int main(void)
{
	struct world w = world_new_still();

	world_steps(&w, pods, ARRAY_LEN(pods));
	world_steps(&w, others, ARRAY_LEN(others));
	world_steps(&w, events, ARRAY_LEN(events));
	test_selectors(&w);
	world_steps(&w, left_out, ARRAY_LEN(left_out));
	test_warnings(&w);
	test_many_warnings(&w);
	test_services(&w);
	world_free(&w);
	return tap_done();
}
