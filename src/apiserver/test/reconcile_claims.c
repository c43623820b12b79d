/* SPDX-License-Identifier: Apache-2.0 */
/* Claims and volumes are removed when they are no longer in use. */
#include "apiserver/test/world.h"

#define NS "/api/v1/namespaces"
#define PVC NS "/a/persistentvolumeclaims"
#define CLAIM(name)                                                                       \
	"{\"metadata\":{\"name\":\"" name                                                 \
	"\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{" \
	"\"storage\":\"1Gi\"}}}}"
#define POD(name, more)                                                                         \
	"{\"metadata\":{\"name\":\"" name                                                       \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"                              \
	"\"i\"}],\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}" \
	"]" more "}}"
#define VOLUME                                                                         \
	"{\"metadata\":{\"name\":\"v\"},\"spec\":{\"capacity\":{\"storage\":\"1Gi\"}," \
	"\"accessModes\":[\"ReadWriteOnce\"],\"hostPath\":{\"path\":\"/tmp/v\"}}}"

static const struct step steps[] = {
	{"POST", NS, "{\"metadata\":{\"name\":\"a\"}}", 201, "/kind", "Namespace"},
	{"POST", PVC, CLAIM("c"), 201, "/status/phase", "Pending"},
	{"POST", NS "/a/pods", POD("waits", ""), 201, "/kind", "Pod"},
	{"DELETE", PVC "/c", NULL, 200, "/metadata/finalizers/0", "kubernetes.io/pvc-protection"},
	{"GET", PVC "/c", NULL, 404, "/reason", "NotFound"}, /* a pod without node has nothing */
	{"POST", PVC, CLAIM("c"), 201, "/status/phase", "Pending"},
	{"POST", NS "/a/pods", POD("p", ",\"nodeName\":\"n\""), 201, "/kind", "Pod"},
	{"DELETE", PVC "/c", NULL, 200, "/kind", "PersistentVolumeClaim"},
	{"GET", PVC "/c", NULL, 200, "/metadata/deletionGracePeriodSeconds", "0"},
	{"DELETE", NS "/a/pods/waits", NULL, 200, "/kind", "Pod"},
	{"GET", PVC "/c", NULL, 200, "/kind", "PersistentVolumeClaim"},
};

static const struct step freed[] = {
	{"DELETE", NS "/a/pods/p", "{\"gracePeriodSeconds\":0}", 200, "/kind", "Pod"},
	{"GET", PVC "/c", NULL, 404, "/reason", "NotFound"},
	{"POST", "/api/v1/persistentvolumes", VOLUME, 201, "/metadata/finalizers/0",
	 "kubernetes.io/pv-protection"},
	{"PATCH merge", "/api/v1/persistentvolumes/v/status", "{\"status\":{\"phase\":\"Bound\"}}",
	 200, "/status/phase", "Bound"},
	{"DELETE", "/api/v1/persistentvolumes/v", NULL, 200, "/kind", "PersistentVolume"},
	{"GET", "/api/v1/persistentvolumes/v", NULL, 200, "/status/phase", "Bound"},
	{"PATCH merge", "/api/v1/persistentvolumes/v/status",
	 "{\"status\":{\"phase\":\"Released\"}}", 200, "/status/phase", "Released"},
	{"GET", "/api/v1/persistentvolumes/v", NULL, 404, "/reason", "NotFound"},
};

/* A finalizer that is listed several times goes as a whole, and takes no other with it. */
static const struct step repeated[] = {
	{"POST", PVC,
	 "{\"metadata\":{\"name\":\"r\",\"finalizers\":[\"kubernetes.io/pvc-protection\","
	 "\"kubernetes.io/pvc-protection\",\"example.com/f\",\"kubernetes.io/pvc-protection\"]},"
	 "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{"
	 "\"storage\":\"1Gi\"}}}}",
	 201, "/kind", "PersistentVolumeClaim"},
	{"DELETE", PVC "/r", NULL, 200, "/kind", "PersistentVolumeClaim"},
	{"GET", PVC "/r", NULL, 200, "/metadata/finalizers", "[\"example.com/f\"]"},
	{"PATCH merge", PVC "/r", "{\"metadata\":{\"finalizers\":null}}", 200, "/kind",
	 "PersistentVolumeClaim"},
	{"GET", PVC "/r", NULL, 404, "/reason", "NotFound"},
};

int main(void)
{
	struct world w = world_new();

	world_steps(&w, steps, ARRAY_LEN(steps));
	world_restart(&w);
	world_steps(&w, freed, ARRAY_LEN(freed));
	world_steps(&w, repeated, ARRAY_LEN(repeated));
	world_free(&w);
	return tap_done();
}
