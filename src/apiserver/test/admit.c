/* SPDX-License-Identifier: Apache-2.0 */
/* What admission adds to objects and refuses of them, by tables of steps. */
#include "apiserver/test/world.h"

#define NS "/api/v1/namespaces"
#define PODS NS "/a/pods"
#define PVC NS "/a/persistentvolumeclaims"
#define CLASSES "/apis/scheduling.k8s.io/v1/priorityclasses"
#define RUNTIMES "/apis/node.k8s.io/v1/runtimeclasses"
#define POD(name, more)                                            \
	"{\"metadata\":{\"name\":\"" name                          \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\"}]" more "}}"
#define CLAIM(name, more)                                                                 \
	"{\"metadata\":{\"name\":\"" name                                                 \
	"\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{" \
	"\"storage\":\"1Gi\"}}" more "}}"

static const struct step accounts[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/kind", "Namespace"},
	{"POST", PODS, POD("p", ""), 201, "/spec/serviceAccountName", "default"},
	{"GET", PODS "/p", NULL, 200, "/spec/serviceAccount", "default"},
	{"GET", PODS "/p", NULL, 200, "/spec/volumes", NULL},
	{"POST", PODS, POD("asks", ",\"automountServiceAccountToken\":true"), 201,
	 "/spec/volumes/0/projected/sources/0/serviceAccountToken/expirationSeconds", "3607"},
	{"GET", PODS "/asks", NULL, 200, "/spec/containers/0/volumeMounts/0/mountPath",
	 "/var/run/secrets/kubernetes.io/serviceaccount"},
	{"POST", NS "/a/serviceaccounts",
	 "{\"metadata\":{\"name\":\"gives\"},\"automountServiceAccountToken\":true}", 201, "/kind",
	 "ServiceAccount"},
	{"POST", PODS, POD("given", ",\"serviceAccountName\":\"gives\""), 201,
	 "/spec/volumes/0/projected/sources/0/serviceAccountToken/path", "token"},
	{"POST", PODS,
	 POD("declines",
	     ",\"serviceAccountName\":\"gives\",\"automountServiceAccountToken\":false"),
	 201, "/spec/volumes", NULL},
	{"POST", PODS, POD("q", ",\"automountServiceAccountToken\":false"), 201, "/spec/volumes",
	 NULL},
	{"POST", PODS, POD("r", ",\"serviceAccountName\":\"none\""), 403, "/message",
	 "pods \"r\" is forbidden: error looking up service account a/none: serviceaccount "
	 "\"none\" not found"},
	{"POST", NS "/a/serviceaccounts",
	 "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"kubernetes.io/enforce-mountable-"
	 "secrets\":\"true\"}},\"automountServiceAccountToken\":false,\"imagePullSecrets\":[{"
	 "\"name\":\"pull\"}]}",
	 201, "/kind", "ServiceAccount"},
	{"POST", PODS, POD("r", ",\"serviceAccountName\":\"s\""), 201,
	 "/spec/imagePullSecrets/0/name", "pull"},
	{"GET", PODS "/r", NULL, 200, "/spec/volumes", NULL},
	{"POST", PODS,
	 POD("t", ",\"serviceAccountName\":\"s\",\"volumes\":[{\"name\":\"v\",\"secret\":{"
		  "\"secretName\":\"x\"}}]"),
	 403, "/message",
	 "pods \"t\" is forbidden: volume with secret.secretName=\"x\" is not allowed because "
	 "service account s does not reference that secret"},
};

static const struct step tolerations[] = {
	{"GET", PODS "/p", NULL, 200, "/spec/tolerations/0/key", "node.kubernetes.io/not-ready"},
	{"GET", PODS "/p", NULL, 200, "/spec/tolerations/1/tolerationSeconds", "300"},
	{"POST", PODS, POD("u", ",\"tolerations\":[{\"operator\":\"Exists\"}]"), 201,
	 "/spec/tolerations/1", NULL},
	{"POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}", 201, "/spec/taints/0/key",
	 "node.kubernetes.io/not-ready"},
	{"PATCH merge", "/api/v1/nodes/n", "{\"spec\":{\"taints\":null}}", 200, "/spec/taints",
	 NULL},
};

static const struct step priorities[] = {
	{"GET", PODS "/p", NULL, 200, "/spec/priority", "0"},
	{"GET", PODS "/p", NULL, 200, "/spec/preemptionPolicy", "PreemptLowerPriority"},
	{"POST", CLASSES,
	 "{\"metadata\":{\"name\":\"high\"},\"value\":1000,\"preemptionPolicy\":\"Never\"}", 201,
	 "/value", "1000"},
	{"POST", PODS, POD("h", ",\"priorityClassName\":\"high\""), 201, "/spec/priority", "1000"},
	{"GET", PODS "/h", NULL, 200, "/spec/preemptionPolicy", "Never"},
	{"POST", PODS, POD("i", ",\"priorityClassName\":\"none\""), 403, "/message",
	 "pods \"i\" is forbidden: no PriorityClass with name none was found"},
	{"POST", PODS, POD("i", ",\"priorityClassName\":\"high\",\"priority\":7"), 403, "/message",
	 "pods \"i\" is forbidden: the integer value of priority (7) must not be provided in pod "
	 "spec; priority admission controller computed 1000 from the given PriorityClass name"},
	{"POST", PODS,
	 "{\"metadata\":{\"generateName\":\"g-\"},\"spec\":{\"containers\":[{\"name\":\"c\","
	 "\"image\":\"i\"}],\"priority\":7}}",
	 403, "/details/name", "g-"},
	{"POST", CLASSES, "{\"metadata\":{\"name\":\"d\"},\"value\":5,\"globalDefault\":true}", 201,
	 "/globalDefault", "true"},
	{"POST", CLASSES, "{\"metadata\":{\"name\":\"e\"},\"value\":6,\"globalDefault\":true}", 403,
	 "/message",
	 "priorityclasses.scheduling.k8s.io \"e\" is forbidden: PriorityClass d is already marked "
	 "as default. Only one default can exist"},
	{"POST", PODS, POD("i", ""), 201, "/spec/priorityClassName", "d"},
	{"GET", PODS "/i", NULL, 200, "/spec/priority", "5"},
	{"PATCH merge", PODS "/i", "{\"spec\":{\"priority\":null}}", 200, "/spec/priority", "5"},
	{"DELETE", CLASSES "/system-node-critical", NULL, 403, "/message",
	 "priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a "
	 "system priority class and cannot be deleted"},
	{"DELETE", CLASSES "/d", NULL, 200, "/status", "Success"},
	{"DELETE", CLASSES, NULL, 403, "/details/name", "system-cluster-critical"},
	{"GET", CLASSES, NULL, 200, "/items/2", NULL},
};

static const struct step storage[] = {
	{"POST", PVC, CLAIM("c", ""), 201, "/metadata/finalizers/0",
	 "kubernetes.io/pvc-protection"},
	{"GET", PVC "/c", NULL, 200, "/metadata/finalizers/1", NULL},
	{"GET", PVC "/c", NULL, 200, "/spec/storageClassName", NULL},
	{"POST", "/apis/storage.k8s.io/v1/storageclasses",
	 "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"storageclass.kubernetes.io/is-default-"
	 "class\":\"true\"}},\"provisioner\":\"p\",\"allowVolumeExpansion\":true}",
	 201, "/kind", "StorageClass"},
	{"POST", PVC, CLAIM("d", ""), 201, "/spec/storageClassName", "s"},
	{"POST", PVC, CLAIM("e", ",\"storageClassName\":\"\""), 201, "/spec/storageClassName", ""},
	{"PATCH merge", PVC "/d", "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}",
	 422, "/reason", "Invalid"},
	{"PATCH merge", PVC "/d/status", "{\"status\":{\"phase\":\"Bound\"}}", 200, "/status/phase",
	 "Bound"},
	{"PATCH merge", PVC "/d", "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}",
	 200, "/spec/resources/requests/storage", "2Gi"},
	{"PATCH merge", PVC "/e/status", "{\"status\":{\"phase\":\"Bound\"}}", 200, "/status/phase",
	 "Bound"},
	{"PATCH merge", PVC "/e", "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}",
	 403, "/message",
	 "persistentvolumeclaims \"e\" is forbidden: only dynamically provisioned pvc can be "
	 "resized and the storageclass that provisions the pvc must support resize"},
};

static const struct step runtimes[] = {
	{"POST", PODS, POD("k", ",\"runtimeClassName\":\"gvisor\""), 403, "/message",
	 "pods \"k\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found"},
	{"POST", RUNTIMES,
	 "{\"metadata\":{\"name\":\"gvisor\"},\"handler\":\"runsc\",\"overhead\":{\"podFixed\":{"
	 "\"cpu\":\"100m\"}},\"scheduling\":{\"nodeSelector\":{\"rt\":\"g\"},\"tolerations\":[{"
	 "\"key\":\"rt\",\"operator\":\"Exists\"}]}}",
	 201, "/kind", "RuntimeClass"},
	{"POST", PODS, POD("k", ",\"runtimeClassName\":\"gvisor\""), 201, "/spec/overhead/cpu",
	 "100m"},
	{"GET", PODS "/k", NULL, 200, "/spec/nodeSelector/rt", "g"},
	{"GET", PODS "/k", NULL, 200, "/spec/tolerations/2/key", "rt"},
	{"POST", PODS, POD("l", ",\"runtimeClassName\":\"gvisor\",\"nodeSelector\":{\"rt\":\"x\"}"),
	 403, "/message",
	 "pods \"l\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[rt] = g; "
	 "pod.spec.nodeSelector[rt] = x"},
	{"POST", PODS, POD("l", ",\"overhead\":{\"cpu\":\"1\"}"), 403, "/message",
	 "pods \"l\" is forbidden: pod rejected: Pod Overhead set without corresponding "
	 "RuntimeClass defined Overhead"},
};

#define LIMITS NS "/l/limitranges"
#define LPODS NS "/l/pods"
#define SIZED(name, resources)                                     \
	"{\"metadata\":{\"name\":\"" name                          \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":" \
	"\"i\",\"resources\":{" resources "}}]}}"

static const struct step limits[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"l\"}}", 201, "/kind", "Namespace"},
	{"POST", LIMITS,
	 "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"limits\":[{\"type\":\"Container\",\"default\":"
	 "{"
	 "\"cpu\":\"500m\",\"memory\":\"128Mi\"},\"defaultRequest\":{\"cpu\":\"250m\"},\"min\":{"
	 "\"cpu\":"
	 "\"100m\"},\"max\":{\"cpu\":\"1\"},\"maxLimitRequestRatio\":{\"cpu\":\"4\"}},{\"type\":"
	 "\"PersistentVolumeClaim\",\"max\":{\"storage\":\"1Gi\"}}]}}",
	 201, "/kind", "LimitRange"},
	{"POST", LPODS, SIZED("a", ""), 201, "/metadata/annotations/kubernetes.io~1limit-ranger",
	 "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for "
	 "container c"},
	{"GET", LPODS "/a", NULL, 200, "/spec/containers/0/resources/requests/cpu", "250m"},
	{"GET", LPODS "/a", NULL, 200, "/spec/containers/0/resources/limits/memory", "128Mi"},
	{"GET", LPODS "/a", NULL, 200, "/status/qosClass", "Burstable"},
	{"POST", LPODS, SIZED("b", "\"requests\":{\"cpu\":\"50m\"},\"limits\":{\"cpu\":\"2\"}"),
	 403, "/message",
	 "pods \"b\" is forbidden: [minimum cpu usage per Container is 100m, but request is 50m, "
	 "maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per "
	 "Container is 4, but provided ratio is 40.000000]"},
	{"POST", LPODS, SIZED("b", "\"requests\":{\"cpu\":\"200m\"},\"limits\":{\"cpu\":\"1\"}"),
	 403, "/message",
	 "pods \"b\" is forbidden: cpu max limit to request ratio per Container is 4, but provided "
	 "ratio is 5.000000"},
	{"POST", NS "/l/persistentvolumeclaims", CLAIM("c", ""), 201, "/kind",
	 "PersistentVolumeClaim"},
	{"POST", NS "/l/persistentvolumeclaims",
	 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
	 "\"resources\":{"
	 "\"requests\":{\"storage\":\"2Gi\"}}}}",
	 403, "/message",
	 "persistentvolumeclaims \"d\" is forbidden: maximum storage usage per "
	 "PersistentVolumeClaim is 1Gi, but request is 2Gi"},
};

#define RUN(steps) world_steps(&w, steps, ARRAY_LEN(steps))

int main(void)
{
	struct world w = world_new();

	RUN(accounts);
	RUN(tolerations);
	RUN(priorities);
	RUN(storage);
	RUN(runtimes);
	RUN(limits);
	world_free(&w);
	return tap_done();
}
