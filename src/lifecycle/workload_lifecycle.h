/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/workload_lifecycle.h - podgroups for pods without one: bare pods, and those of
 * ReplicaSets, StatefulSets, DaemonSets, Kubernetes' Jobs and of any other kind.
 *
 * All pods of one controller share a group, named after its uid. A pod that names a group
 * (scheduling.k8s.io/group-name) is left alone: its creator makes the group, as Spark, Ray and
 * Kubeflow do. */
#ifndef LIFECYCLE_WORKLOAD_LIFECYCLE_H
#define LIFECYCLE_WORKLOAD_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"
#include "model/field/view.h"

struct workload_world {
	struct json pod;
	struct json group;         /* the one named workload_group_name(); absent */
	const struct json *owners; /* of the pod, in the order of its references; absent: unknown */
	size_t owner_count;
	struct strs scheduler_names; /* of our scheduler */
	bool inherit;                /* annotations of owners apply */
};

/* "podgroup-<uid>" */
void workload_group_name(struct json pod, struct buf *to);
/* Must a group be found for it: is it ours, not ended, and without a group? */
bool workload_wants_group(struct json pod, const struct strs *scheduler_names);

/* Creates or updates the pod's group, then names the group in the pod. */
int workload_step(const struct workload_world *world, struct plan *plan,
		  struct err *err) MUST_CHECK;
/* Deletes the group of a ReplicaSet or StatefulSet that was scaled to 0. */
int workload_owner_step(struct json owner, struct json group, struct plan *plan,
			struct err *err) MUST_CHECK;

#endif
