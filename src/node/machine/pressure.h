/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/pressure.h - when a node has too little of a resource left, and which pod is then evicted.
 *
 * The rules are a kubelet's, without grace: a threshold that is crossed puts the node under pressure, and one pod
 * at a time is evicted while it lasts. Pods that use more than they requested are evicted first, then those of the
 * lowest priority, then those furthest over their request. A condition stays for some time after its threshold was
 * last crossed, so that a node does not accept again what it has just evicted. Pure, except pressure_read(). */
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

/* In the order in which they are handled. */
enum pressure_signal {
	PRESSURE_MEMORY,
	PRESSURE_DISK,
	PRESSURE_PIDS,
	PRESSURE_SIGNAL_COUNT,
};

/* --- thresholds --- */

/* What must stay free on the machine: bytes, bytes, processes. */
struct pressure_limit {
	int64_t parts;  /* hundredths of a percent of the total; 0: only `amount` counts */
	int64_t amount; /* with parts: at most this; 0: no bound */
};
struct pressure_limits {
	struct pressure_limit of[PRESSURE_SIGNAL_COUNT];
};
/* memory.available<100Mi; nodefs.available<5%, 1Gi at most; pid.available<5%, 1000 at most. */
extern const struct pressure_limits pressure_limits_default;

/* Parses a kubelet's --eviction-hard: "memory.available<500Mi,nodefs.available<10%". Signals that are not named
 * keep their value in `ret`; "<0" switches one off. NULL: none is named. */
int pressure_limits_parse(const char *text, struct pressure_limits *ret,
			  struct err *err) MUST_CHECK;
/* The threshold of a signal, for a total. */
int64_t pressure_threshold(const struct pressure_limits *limits, enum pressure_signal signal,
			   int64_t total);

/* --- readings --- */

/* What the machine has in total, and has left. A total of 0: unknown, which counts as enough. */
struct pressure_node {
	int64_t total[PRESSURE_SIGNAL_COUNT];
	int64_t available[PRESSURE_SIGNAL_COUNT];
};
struct pressure_place {
	const char *proc;                    /* a folder like /proc */
	const char *folder;                  /* the node's */
	const struct cgroup_layout *cgroups; /* groups that limit this process; NULL: none */
};
int pressure_read(const struct pressure_place *place, struct pressure_node *ret,
		  struct err *err) MUST_CHECK;
bool pressure_is_under(const struct pressure_limits *limits, const struct pressure_node *node,
		       enum pressure_signal signal);

/* --- how the node is --- */

#define PRESSURE_TRANSITION (5 * TIME_MINUTE)
/* Time between two evictions, until what the first has freed is counted. */
#define PRESSURE_PAUSE (10 * TIME_SECOND)

struct pressure_state {
	bool under[PRESSURE_SIGNAL_COUNT];      /* what the conditions say */
	int64_t crossed[PRESSURE_SIGNAL_COUNT]; /* when the threshold was last crossed */
	int64_t evict_after;
};
/* Takes a reading of the machine at `now`. A condition ends `transition` after its threshold was last crossed.
 * True: one has changed. */
bool pressure_observe(struct pressure_state *state, const struct pressure_limits *limits,
		      const struct pressure_node *node, int64_t now, int64_t transition);
/* The signal for which a pod has to be evicted now; PRESSURE_SIGNAL_COUNT: none. */
enum pressure_signal pressure_wants(const struct pressure_state *state,
				    const struct pressure_limits *limits,
				    const struct pressure_node *node, int64_t now);
/* A pod was evicted. */
void pressure_evicted(struct pressure_state *state, int64_t now);

struct pressure_condition {
	const char *type, *status, *reason, *message;
};
/* The condition of a kubelet. */
const struct pressure_condition *pressure_condition(enum pressure_signal signal, bool under);

/* Does the node accept the pod (a document) under its conditions? Under memory pressure it rejects pods without
 * requests, unless they tolerate that; under other pressure all pods; never those of a system priority. If not,
 * the reason is appended with a kubelet's text: "The node had condition: [DiskPressure]. " */
bool pressure_admits(const struct pressure_state *state, struct json pod, struct buf *why);

/* --- who has to go --- */

/* What a pod or one of its containers uses and requests, by signal: bytes, bytes, processes. -1: unknown. */
struct pressure_use {
	struct str name; /* of a container */
	int64_t used[PRESSURE_SIGNAL_COUNT];
	int64_t asked[PRESSURE_SIGNAL_COUNT];
};
struct pressure_pod {
	struct pressure_use use;
	int64_t priority;
	bool ended; /* it has ended or is ending: not to be chosen */
};

/* The index of the pod to evict, or -1. Pods of a system priority stay. */
ssize_t pressure_choose(enum pressure_signal signal, const struct pressure_pod *pods, size_t len);

/* The message of the eviction: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51Mi.
 * Container a was using 2Gi, request is 1Gi, has larger consumption of memory. " */
struct pressure_why {
	enum pressure_signal signal;
	int64_t threshold, available;
	const struct pressure_use *containers;
	size_t len;
};
void pressure_message(const struct pressure_why *why, struct buf *to);

#endif
