/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-resources: binding, eviction, scale, resize. */
#include "apiserver/test/world.h"

#define NS "/api/v1/namespaces"
#define PODS NS "/a/pods"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/a/deployments"
#define POD(name, more)                                                                       \
	"{\"metadata\":{\"name\":\"" name                                                     \
	"\",\"labels\":{\"app\":\"w\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\"}]" more "}}"
#define BINDING(name, more) \
	"{\"metadata\":{\"name\":\"" name "\"" more "},\"target\":{\"name\":\"n\"}}"
#define RUNNING                                                                              \
	"{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":" \
	"\"True\"}]}}"

static const struct step bindings[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/kind", "Namespace"},
	{"POST", PODS "/none/binding", BINDING("none", ""), 404, "/message",
	 "pods \"none\" not found"},
	{"POST", PODS, POD("p", ""), 201, "/kind", "Pod"},
	{"PATCH", PODS "/p/status",
	 "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
	 "\"Unschedulable\",\"message\":\"full\"}]}}",
	 200, "/status/conditions/0/reason", "Unschedulable"},
	{"POST", PODS "/p/binding", BINDING("q", ""), 400, "/message",
	 "name in URL does not match name in Binding object"},
	{"POST", PODS "/p/binding", "{\"metadata\":{\"name\":\"p\"},\"target\":{}}", 500,
	 "/message", "target.name: Required value"},
	{"POST", PODS "/p/binding", BINDING("p", ",\"resourceVersion\":\"1\""), 409, "/reason",
	 "Conflict"},
	{"POST", PODS "/p/binding", BINDING("p", ",\"uid\":\"x\""), 409, "/details/kind", "pods"},
	{"POST", PODS "/p/binding?dryRun=All", BINDING("p", ""), 201, "/status", "Success"},
	{"GET", PODS "/p", NULL, 200, "/spec/nodeName", NULL},
	{"POST", PODS "/p/binding", BINDING("p", ",\"annotations\":{\"k\":\"v\"}"), 201, "/code",
	 "201"},
	{"GET", PODS "/p", NULL, 200, "/spec/nodeName", "n"},
	{"GET", PODS "/p", NULL, 200, "/metadata/annotations/k", "v"},
	{"GET", PODS "/p", NULL, 200, "/status/conditions/0/status", "True"},
	{"GET", PODS "/p", NULL, 200, "/status/conditions/0/reason", NULL},
	{"POST", PODS "/p/binding", BINDING("p", ""), 409, "/message",
	 "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node "
	 "\"n\""},
	{"POST", PODS, POD("q", ""), 201, "/kind", "Pod"},
	{"POST", NS "/a/bindings", BINDING("q", ""), 201, "/status", "Success"},
	{"GET", PODS "/q", NULL, 200, "/spec/nodeName", "n"},
	{"POST", PODS, POD("g", ",\"schedulingGates\":[{\"name\":\"a/b\"}]"), 201, "/kind", "Pod"},
	{"POST", PODS "/g/binding", BINDING("g", ""), 409, "/message",
	 "Operation cannot be fulfilled on pods/binding \"g\": pod g has non-empty "
	 ".spec.schedulingGates"},
};

#define EVICTION(name) "{\"metadata\":{\"name\":\"" name "\"}}"

static const struct step evictions[] = {
	{"POST", PODS "/none/eviction", EVICTION("none"), 404, "/reason", "NotFound"},
	{"POST", PODS "/g/eviction", EVICTION("q"), 400, "/message",
	 "name in URL does not match name in Eviction object"},
	{"POST", PODS "/g/eviction",
	 "{\"apiVersion\":\"policy/v1beta1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"g\"}}",
	 201, "/status", "Success"},
	{"GET", PODS "/g", NULL, 404, "/reason", "NotFound"},
	{"PATCH merge", PODS "/p/status", RUNNING, 200, "/status/phase", "Running"},
	{"POST", PODS "/p/eviction?dryRun=All", EVICTION("p"), 201, "/status", "Success"},
	{"POST", PODS "/p/eviction",
	 "{\"metadata\":{\"name\":\"p\"},\"deleteOptions\":{\"preconditions\":{\"uid\":\"x\"}}}",
	 409, "/reason", "Conflict"},
	{"GET", PODS "/p", NULL, 200, "/metadata/deletionTimestamp", NULL},
	{"DELETE", PODS "/p?dryRun=All", "{\"gracePeriodSeconds\":9223372036854775807}", 200,
	 "/metadata/deletionTimestamp", "9999-12-31T23:59:59Z"},
	{"DELETE", PODS "/p", "{\"gracePeriodSeconds\":9223372036854775806}", 200,
	 "/metadata/deletionTimestamp", "9999-12-31T23:59:59Z"},
	{"POST", PODS "/p/eviction",
	 "{\"metadata\":{\"name\":\"p\"},\"deleteOptions\":{\"gracePeriodSeconds\":7}}", 201,
	 "/code", "201"},
	{"GET", PODS "/p", NULL, 200, "/metadata/deletionGracePeriodSeconds", "7"},
	{"GET", PODS "/p", NULL, 200, "/status/conditions/1/reason", "EvictionByEvictionAPI"},
	{"GET", PODS "/p", NULL, 200, "/metadata/deletionTimestamp", "2026-01-02T03:04:12Z"},
	{"DELETE", PODS "/p", "{\"gracePeriodSeconds\":2}", 200, "/metadata/deletionTimestamp",
	 "2026-01-02T03:04:07Z"},
	{"DELETE", PODS "/p", "{\"gracePeriodSeconds\":9}", 200, "/metadata/deletionTimestamp",
	 "2026-01-02T03:04:07Z"},
	{"DELETE", PODS "/p", "{\"gracePeriodSeconds\":0}", 200, "/kind", "Pod"},
};

#define DEPLOYMENT                                                                                \
	"{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3,\"selector\":{\"matchLabels\":{" \
	"\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"          \
	"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"

static const struct step scales[] = {
	{"POST", DEPLOYMENTS, DEPLOYMENT, 201, "/metadata/generation", "1"},
	{"GET", DEPLOYMENTS "/d/scale", NULL, 200, "/kind", "Scale"},
	{"GET", DEPLOYMENTS "/d/scale", NULL, 200, "/spec/replicas", "3"},
	{"GET", DEPLOYMENTS "/d/scale", NULL, 200, "/status/selector", "a=b"},
	{"GET", DEPLOYMENTS "/none/scale", NULL, 404, "/message",
	 "deployments.apps \"none\" not found"},
	{"PUT", DEPLOYMENTS "/d/scale",
	 "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"metadata\":{\"name\":\"d\"},"
	 "\"spec\":{\"replicas\":5}}",
	 200, "/spec/replicas", "5"},
	{"GET", DEPLOYMENTS "/d", NULL, 200, "/spec/replicas", "5"},
	{"GET", DEPLOYMENTS "/d", NULL, 200, "/metadata/generation", "2"},
	{"PUT", DEPLOYMENTS "/d/scale",
	 "{\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":6}}", 409,
	 "/reason", "Conflict"},
	{"PUT", DEPLOYMENTS "/d/scale", "{\"metadata\":{\"name\":\"e\"},\"spec\":{\"replicas\":6}}",
	 400, "/reason", "BadRequest"},
	{"PATCH strategic", DEPLOYMENTS "/d",
	 "{\"spec\":{\"replicas\":\"x\",\"paused\":null},\"kind\":\"Secret\"}", 422, "/message",
	 " \"\" is invalid: patch: Invalid value: \"map[kind:Secret spec:map[paused:<nil> "
	 "replicas:x]]\": unrecognized type: int32"},
	{"PATCH strategic", DEPLOYMENTS "/d",
	 "{\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":5}}}}", 422,
	 "/details/causes/0/message",
	 "Invalid value: \"map[spec:map[template:map[spec:map[restartPolicy:5]]]]\": cannot "
	 "convert int64 to v1.RestartPolicy"},
	{"PATCH strategic", DEPLOYMENTS "/d", "{\"spec\":{\"selector\":[1]}}", 422,
	 "/details/causes/0/message",
	 "Invalid value: \"map[spec:map[selector:[1]]]\": cannot restore struct from: slice"},
	{"PATCH strategic", DEPLOYMENTS "/d", "{\"metadata\":{\"labels\":7}}", 422,
	 "/details/causes/0/message",
	 "Invalid value: \"map[metadata:map[labels:7]]\": cannot restore map from int64"},
	{"PATCH strategic", DEPLOYMENTS "/d", "{\"kind\":\"Secret\",\"apiVersion\":\"v7\"}", 200,
	 "/kind", "Deployment"},
	{"PATCH strategic", DEPLOYMENTS "/d/scale", "{\"spec\":{\"replicas\":1.5}}", 422,
	 "/details/causes/0/message",
	 "Invalid value: \"map[spec:map[replicas:1.5]]\": cannot convert float64 to int32"},
	{"PATCH merge", DEPLOYMENTS "/d/scale", "{\"spec\":{\"replicas\":\"x\"}}", 422,
	 "/details/causes/0/field", "patch"},
	{"PATCH json", DEPLOYMENTS "/d/scale",
	 "[{\"op\":\"test\",\"path\":\"/spec/replicas\",\"value\":77}]", 422, "/message",
	 "the server rejected our request due to an error in our request"},
	{"PATCH merge", DEPLOYMENTS "/d/scale", "{\"spec\":{\"replicas\":-1}}", 422, "/message",
	 "Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater "
	 "than or equal to 0"},
	{"PATCH json", DEPLOYMENTS "/d/scale",
	 "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":0}]", 200, "/spec/replicas",
	 NULL},
	{"GET", DEPLOYMENTS "/d", NULL, 200, "/spec/replicas", "0"},
};

#define RESOURCES(text) "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":" text "}]}}"

static const struct step resizes[] = {
	{"POST", PODS,
	 "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\","
	 "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}",
	 201, "/status/qosClass", "Burstable"},
	{"PATCH", PODS "/r/resize", RESOURCES("{\"requests\":{\"cpu\":\"2\"}}"), 200,
	 "/spec/containers/0/resources/requests/cpu", "2"},
	{"GET", PODS "/r", NULL, 200, "/metadata/generation", "2"},
	{"PATCH merge", PODS "/r/resize", RESOURCES("{\"requests\":{}}"), 422, "/message",
	 "Pod \"r\" is invalid: [spec: Invalid value: \"Burstable\": Pod QOS Class may not change "
	 "as a result of resizing, spec.containers[0].resources.requests: Forbidden: resource "
	 "requests cannot be removed]"},
	{"PATCH", PODS "/r/resize",
	 RESOURCES("{\"requests\":{\"a.com/x\":\"2\"},\"limits\":{\"a.com/x\":\"2\"}}"), 422,
	 "/details/causes/0/message", "Forbidden: only cpu and memory resources are mutable"},
	{"PATCH", PODS "/r/resize",
	 "{\"metadata\":{\"labels\":{\"l\":\"1\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
	 "\"image\":\"evil\"}]}}",
	 200, "/spec/containers/0/image", "i"},
	{"GET", PODS "/r", NULL, 200, "/metadata/labels", NULL},
};

#define RUN(steps) world_steps(&w, steps, ARRAY_LEN(steps))

int main(void)
{
	struct world w = world_new();

	RUN(bindings);
	RUN(evictions);
	RUN(scales);
	RUN(resizes);
	world_free(&w);
	return tap_done();
}
