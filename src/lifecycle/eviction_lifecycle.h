/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/eviction_lifecycle.h - evicts pods in single-node mode, in which no Kubernetes controller does it.
 *
 *	NoExecute taint that the pod does not tolerate	-> deleted, after its tolerationSeconds if it has any
 *	its node does not exist				-> removed after 40 s
 *	deleted, its node is not ready and out of service	-> removed
 *	deleted before it had a node			-> removed
 *	more finished pods than EVICTION_FINISHED_MAX	-> the oldest are removed
 *
 * "Deleted" asks the node to end the pod; "removed" does not wait for a node that will not answer. */
#ifndef LIFECYCLE_EVICTION_LIFECYCLE_H
#define LIFECYCLE_EVICTION_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

enum { EVICTION_FINISHED_MAX = 12500, EVICTION_BATCH = 500 };

/* The fields of a pod that matter. Texts and tolerations are borrowed. */
struct eviction_pod {
	struct str namespace;
	struct str name;
	struct str uid;
	struct json tolerations;
	int64_t created;
	bool has_node;
	bool finished;
	bool deleting;
	bool has_grace; /* of its deletion: its node has to confirm it */
	bool of_job;    /* a Volcano job controls it */
};
void eviction_pod_read(struct json pod, struct eviction_pod *ret);

/* The fields of a node that matter. The taints are borrowed. */
struct eviction_node {
	struct json taints;
	bool exists;
	bool ready;
	bool out_of_service;
	bool no_execute; /* it has such a taint */
};
void eviction_node_read(struct json node, struct eviction_node *ret);
/* Must its pods be checked? */
bool eviction_node_threatens(const struct eviction_node *node);

struct eviction_time {
	int64_t since;  /* since when the node makes an eviction necessary, by loop_uptime() */
	int64_t uptime; /* loop_uptime() */
	int64_t wall;   /* loop_now() */
};

/* Decides about a pod, with its node. The plan says when to check again. */
int eviction_step(const struct eviction_pod *pod, const struct eviction_node *node,
		  struct eviction_time time, struct plan *plan, struct err *err) MUST_CHECK;

/* Remove the oldest `count` of these finished pods, EVICTION_BATCH of them at most. Sorts them. */
void eviction_finished_step(struct eviction_pod *pods, size_t len, size_t count, struct plan *plan);

#endif
