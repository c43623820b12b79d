/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/pressure.h - when a node has too little of something left, and which pod then has to go.
 *
 * The rules are kubelet's, without grace: a threshold that is crossed puts the node under pressure,
 * and one pod at a time is evicted while it lasts. Who uses more than it asked for goes first, then who has
 * the lowest priority, then who is furthest over its request. A condition stays for a while after its
 * threshold was last crossed, so that a node does not take back what it has just put out. Pure, but for
 * pressure_look(). */
#ifndef NODE_PRESSURE_H
#define NODE_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/time.h"
#include "json/doc.h"

struct cgroup_layout;

/* In the order in which they are dealt with. */
enum pressure_signal {
	PRESSURE_MEMORY,
	PRESSURE_DISK,
	PRESSURE_PIDS,
	PRESSURE_SIGNAL_COUNT,
};

/* --- thresholds --- */

/* What must stay free of the machine: bytes, bytes, processes. */
struct pressure_limit {
	int64_t parts;  /* hundredths of a percent of what there is; 0: `amount` alone counts */
	int64_t amount; /* with parts: never more than this; 0: whatever they come to */
};
struct pressure_limits {
	struct pressure_limit of[PRESSURE_SIGNAL_COUNT];
};
/* memory.available<100Mi; nodefs.available<5%, 1Gi at most; pid.available<5%, 1000 at most. */
extern const struct pressure_limits pressure_limits_default;

/* As kubelet's --eviction-hard: "memory.available<500Mi,nodefs.available<10%". Signals that are not named
 * stay as they are in `ret`; "<0" switches one off. NULL: none is named. */
int pressure_limits_parse(const char *text, struct pressure_limits *ret,
			  struct err *err) MUST_CHECK;
/* Of so much in all. */
int64_t pressure_threshold(const struct pressure_limits *limits, enum pressure_signal signal,
			   int64_t total);

/* --- readings --- */

/* What the machine has, and has left. A total of 0: not known, and never too little. */
struct pressure_node {
	int64_t total[PRESSURE_SIGNAL_COUNT];
	int64_t available[PRESSURE_SIGNAL_COUNT];
};
struct pressure_place {
	const char *proc;                    /* a folder like /proc */
	const char *folder;                  /* the node's */
	const struct cgroup_layout *cgroups; /* groups that bound this process; NULL: none */
};
int pressure_look(const struct pressure_place *place, struct pressure_node *ret,
		  struct err *err) MUST_CHECK;
bool pressure_is_under(const struct pressure_limits *limits, const struct pressure_node *node,
		       enum pressure_signal signal);

/* --- how the node is --- */

#define PRESSURE_TRANSITION (5 * TIME_MINUTE)
/* Between two evictions: what the first has freed must be seen. */
#define PRESSURE_PAUSE (10 * TIME_SECOND)

struct pressure_state {
	bool under[PRESSURE_SIGNAL_COUNT];      /* what its conditions say */
	int64_t crossed[PRESSURE_SIGNAL_COUNT]; /* when the threshold last was */
	int64_t evict_after;
};
/* What a look at `now` has found. Conditions that have come go `transition` after their threshold was last
 * crossed. True: one has changed. */
bool pressure_observe(struct pressure_state *state, const struct pressure_limits *limits,
		      const struct pressure_node *node, int64_t now, int64_t transition);
/* For what a pod is to be evicted now; PRESSURE_SIGNAL_COUNT: for nothing. */
enum pressure_signal pressure_wants(const struct pressure_state *state,
				    const struct pressure_limits *limits,
				    const struct pressure_node *node, int64_t now);
/* One has been. */
void pressure_evicted(struct pressure_state *state, int64_t now);

struct pressure_condition {
	const char *type, *status, *reason, *message;
};
/* As kubelet writes it. */
const struct pressure_condition *pressure_condition(enum pressure_signal signal, bool under);

/* Does the node take the pod (a document) as it is? Under memory pressure none that asks for nothing, unless
 * it tolerates that; under any other none at all; always those of the system's priority. If not, why is
 * appended in kubelet's words: "The node had condition: [DiskPressure]. " */
bool pressure_admits(const struct pressure_state *state, struct json pod, struct buf *why);

/* --- who has to go --- */

/* What a pod or one of its containers uses and asked for, by signal: bytes, bytes, processes. -1: not
 * known. */
struct pressure_use {
	struct str name; /* of a container */
	int64_t used[PRESSURE_SIGNAL_COUNT];
	int64_t asked[PRESSURE_SIGNAL_COUNT];
};
struct pressure_pod {
	struct pressure_use use;
	int64_t priority;
	bool ended; /* or about to: not to be chosen */
};

/* The index of the pod to evict, or -1. Pods of the system's priority stay. */
ssize_t pressure_choose(enum pressure_signal signal, const struct pressure_pod *pods, size_t len);

/* Why: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51Mi. Container a
 * was using 2Gi, request is 1Gi, has larger consumption of memory. " */
struct pressure_why {
	enum pressure_signal signal;
	int64_t threshold, available;
	const struct pressure_use *containers;
	size_t len;
};
void pressure_message(const struct pressure_why *why, struct buf *to);

#endif
