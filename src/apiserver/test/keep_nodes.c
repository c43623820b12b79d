/* SPDX-License-Identifier: Apache-2.0 */
/* The taints of nodes follow what their agents report. */
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
};

int main(void)
{
	struct world w = world_new();
	int64_t revision;

	world_steps(&w, steps, ARRAY_LEN(steps));
	revision = store_revision(w.store);
	world_restart(&w);
	ok(store_revision(w.store) == revision, "a restart finds them right");
	world_free(&w);
	return tap_done();
}
