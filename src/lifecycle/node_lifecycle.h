/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/node_lifecycle.h - detects nodes that stop answering in single-node mode, in which no Kubernetes
 * controller does it.
 *
 *	a lease is renewed or a status is posted	-> the node answers
 *	40 s without either				-> its conditions become Unknown, and its taints follow
 *							   (apiserver/reconcile/reconcile_nodes.c)
 *	it answers again				-> it posts its own conditions
 *
 * A node without a program that reports for it is maintained by hand and does not change: it has no lease,
 * and its Ready condition has neither a reason nor a heartbeat. */
#ifndef LIFECYCLE_NODE_LIFECYCLE_H
#define LIFECYCLE_NODE_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

enum { NODE_CONDITIONS = 4 };

/* The state of one node; a zeroed struct is empty. Times are loop_uptime(), so that changes of the wall clock
 * do not matter. */
struct node_health {
	bool exists;
	bool deleting;
	bool is_unknown;              /* its Ready condition is Unknown */
	bool has_reason;              /* its Ready condition has one: a program wrote it */
	bool posted[NODE_CONDITIONS]; /* it has the condition */
	uint64_t heartbeat;           /* hash of the newest posted time; 0: none */
	uint64_t lease;               /* hash of the newest renewal; 0: it has no lease */
	int64_t answered_at;
	int64_t check_at; /* time of the next check; 0: not planned */
	char uid[40];
	char version[24];
};

/* A new version of the node; JSON_NONE: it was deleted. */
void node_observe(struct node_health *health, struct json node, int64_t uptime);
/* A new version of its lease; JSON_NONE: it was deleted. */
void node_observe_lease(struct node_health *health, struct json lease, int64_t uptime);

/* Decides about the node. The plan says when to check again. `uptime` is loop_uptime(), `wall` loop_now().
 */
void node_step(struct node_health *health, struct str name, int64_t uptime, int64_t wall,
	       struct plan *plan);

#endif
