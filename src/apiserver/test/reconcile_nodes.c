/* SPDX-License-Identifier: Apache-2.0 */
/* The taints of nodes follow their conditions, for any reporter. */
#include "apiserver/test/world.h"

#define NODES "/api/v1/nodes"
#define REPORT(type, status, reason)                                               \
	"{\"status\":{\"conditions\":[{\"type\":\"" type "\",\"status\":\"" status \
	"\",\"reason\":\"" reason "\"}]}}"

static const struct step steps[] = {
	{"POST", NODES, "{\"metadata\":{\"name\":\"n\"}}", 201, "/spec/taints/0/key",
	 "node.kubernetes.io/not-ready"},
	{"PATCH", NODES "/n/status", REPORT("Ready", "True", ""), 200, "/kind", "Node"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/0/key", "node.kubernetes.io/not-ready"},
	{"PATCH", NODES "/n/status", REPORT("Ready", "True", "KubeletReady"), 200, "/kind", "Node"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints", NULL},
	{"PATCH", NODES "/n",
	 "{\"spec\":{\"unschedulable\":true,\"taints\":[{\"key\":\"a.com/x\",\"effect\":"
	 "\"NoSchedule\"}]}}",
	 200, "/kind", "Node"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/1/key", "node.kubernetes.io/unschedulable"},
	{"PATCH", NODES "/n/status", REPORT("DiskPressure", "True", "x"), 200, "/kind", "Node"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/2/key", "node.kubernetes.io/disk-pressure"},
	{"PATCH merge", NODES "/n", "{\"spec\":{\"unschedulable\":null}}", 200, "/kind", "Node"},
	{"PATCH", NODES "/n/status", REPORT("DiskPressure", "False", "x"), 200, "/kind", "Node"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/0/key", "a.com/x"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/1", NULL},
	{"PATCH", NODES "/n/status", REPORT("Ready", "False", "KubeletNotReady"), 200, "/kind",
	 "Node"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/1/key", "node.kubernetes.io/not-ready"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/1/effect", "NoSchedule"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/2/key", "node.kubernetes.io/not-ready"},
	{"GET", NODES "/n", NULL, 200, "/spec/taints/2/effect", "NoExecute"},
};

#define NOT_READY "node.kubernetes.io/not-ready"
#define UNREACHABLE "node.kubernetes.io/unreachable"

/* Reasons that no kubelet gives, and none at all. */
static const struct step foreign[] = {
	{"POST", NODES, "{\"metadata\":{\"name\":\"f\"}}", 201, "/spec/taints/0/key", NOT_READY},
	{"PATCH", NODES "/f/status", REPORT("Ready", "True", "CloudSaysSo"), 200, "/kind", "Node"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints", NULL},
	{"PATCH", NODES "/f/status", REPORT("Ready", "False", "CloudSaysSo"), 200, "/kind", "Node"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/0/key", NOT_READY},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/0/timeAdded", "2026-01-02T03:04:05Z"},
	{"PATCH", NODES "/f/status", REPORT("Ready", "Unknown", "CloudSaysSo"), 200, "/kind",
	 "Node"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/0/key", UNREACHABLE},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/1/key", UNREACHABLE},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/1/effect", "NoExecute"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/2", NULL},
	{"PATCH", NODES "/f/status", REPORT("Ready", "True", ""), 200, "/kind", "Node"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints", NULL},
	{"PATCH", NODES "/f/status", REPORT("Ready", "False", ""), 200, "/kind", "Node"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints/0/key", NOT_READY},
	{"PATCH", NODES "/f/status", REPORT("Ready", "True", ""), 200, "/kind", "Node"},
	{"GET", NODES "/f", NULL, 200, "/spec/taints", NULL},
};

#define WITH(type, taint)                                                                          \
	{"PATCH", NODES "/p/status", REPORT(type, "True", ""), 200, "/kind", "Node"},              \
		{"GET", NODES "/p", NULL, 200, "/spec/taints/1/key", "node.kubernetes.io/" taint}, \
		{"PATCH", NODES "/p/status", REPORT(type, "Unknown", ""), 200, "/kind", "Node"},   \
	{                                                                                          \
		"GET", NODES "/p", NULL, 200, "/spec/taints/1", NULL                               \
	}

/* Of a node that has never been ready; what admission added stays meanwhile. */
static const struct step pressures[] = {
	{"POST", NODES, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"unschedulable\":true}}", 201,
	 "/spec/taints/0/key", NOT_READY},
	{"GET", NODES "/p", NULL, 200, "/spec/taints/1", NULL}, /* no program reports for it */
	{"PATCH merge", NODES "/p", "{\"spec\":{\"unschedulable\":null}}", 200, "/kind", "Node"},
	WITH("MemoryPressure", "memory-pressure"),
	WITH("DiskPressure", "disk-pressure"),
	WITH("PIDPressure", "pid-pressure"),
	WITH("NetworkUnavailable", "network-unavailable"),
	{"PATCH", NODES "/p", "{\"spec\":{\"unschedulable\":true}}", 200, "/kind", "Node"},
	{"GET", NODES "/p", NULL, 200, "/spec/taints/1/key", "node.kubernetes.io/unschedulable"},
	{"PATCH merge", NODES "/p", "{\"spec\":{\"unschedulable\":false}}", 200, "/kind", "Node"},
	{"GET", NODES "/p", NULL, 200, "/spec/taints/1", NULL},
	{"PATCH", NODES "/p/status", REPORT("Odd", "True", "x"), 200, "/kind", "Node"},
	{"GET", NODES "/p", NULL, 200, "/spec/taints/1", NULL},
};

int main(void)
{
	struct world w = world_new();
	int64_t revision;

	world_steps(&w, steps, ARRAY_LEN(steps));
	world_steps(&w, foreign, ARRAY_LEN(foreign));
	world_steps(&w, pressures, ARRAY_LEN(pressures));
	revision = store_revision(w.store);
	world_restart(&w);
	ok(store_revision(w.store) == revision, "a restart finds them right");
	world_free(&w);
	return tap_done();
}
