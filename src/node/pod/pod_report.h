/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_report.h - a pod's life as the status that a kubelet writes; and back, after a restart. */
#ifndef NODE_POD_REPORT_H
#define NODE_POD_REPORT_H

#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"

struct life;

struct pod_report_input {
	struct json pod; /* its newest document */
	struct json old; /* the current status: times of unchanged conditions are kept */
	const struct life *life;
	const char *runtime; /* what runs its containers: "crun"; NULL: they are processes */
	int64_t now;         /* by loop_uptime() */
	int64_t wall;
	int64_t start_wall; /* when the node accepted it */
	struct str host_ip;
	struct str pod_ip; /* "": none yet */
	const char *const
		*messages; /* per container: its termination message; NULL: there are none */
	/* Reason of all waiting containers if they cannot be started, instead of ContainerCreating. */
	const char *waiting_reason;
	const char *waiting_message;
};

/* A strategic patch of the status, for the pod of this uid only. */
struct json_doc *pod_report_patch(const struct pod_report_input *input)
	__attribute__((returns_nonnull));

/* Takes the state of containers from the status of a pod whose supervisor has left no records: those that ran have
 * ended, with an unknown result. */
void pod_report_restore(struct json pod, struct life *life, int64_t now, int64_t wall);

/* In Go's format: 10s, 1m20s, 5m0s. */
enum { POD_STATUS_DURATION_SIZE = 32 };
const char *pod_report_duration(int64_t us, char text[POD_STATUS_DURATION_SIZE]);

#endif
