/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_summary.h - STATUS, READY and RESTARTS of a pod, as `kubectl get pods` shows them.
 * STATUS is the most specific of phase, conditions and container states; READY and RESTARTS depend on
 * whether init containers are still running. So all come from one summary. */
#ifndef MODEL_POD_SUMMARY_H
#define MODEL_POD_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macro.h"
#include "json/doc.h"

struct pod_summary {
	struct buf reason; /* "Running", "Init:1/2", "CrashLoopBackOff" */
	size_t total;      /* containers and sidecars */
	size_t ready;
	int64_t restarts;
	int64_t last_restart; /* 0: never */
	int64_t sidecar_restarts;
	int64_t last_sidecar_restart;
	bool has_running;
};

struct pod_summary pod_summary_of(struct json pod);
void pod_summary_done(struct pod_summary *summary);
DEFINE_AUTO_IN_PLACE(struct pod_summary, pod_summary_done);

/* Is the condition True? */
bool pod_has_condition(struct json pod, const char *type);

#endif
