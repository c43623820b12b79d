/* SPDX-License-Identifier: Apache-2.0 */
/* node/pressure.h - when a node has too little of something left, and which pod then has to go.
 *
 * The rules are kubelet's, without grace: a threshold that is crossed puts the node under pressure,
 * and one pod at a time is evicted while it lasts. Who uses more than it asked for goes first, then who has
 * the lowest priority, then who is furthest over its request. Pure, but for pressure_look(). */
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

/* What must stay free of the machine: memory in bytes, disk and process numbers in hundredths. */
#define PRESSURE_MEMORY_BYTES (INT64_C(100) * 1024 * 1024)
enum { PRESSURE_DISK_PERCENT = 10, PRESSURE_PIDS_PERCENT = 5 };

/* In the order in which they are dealt with. */
enum pressure_signal {
	PRESSURE_MEMORY,
	PRESSURE_DISK,
	PRESSURE_PIDS,
	PRESSURE_SIGNAL_COUNT,
};

/* What the machine has, and has left. */
struct pressure_node {
	int64_t total[PRESSURE_SIGNAL_COUNT];
	int64_t available[PRESSURE_SIGNAL_COUNT];
};
/* `proc` is a folder like /proc. */
int pressure_look(const char *proc, const char *folder, struct pressure_node *ret,
		  struct err *err) MUST_CHECK;
bool pressure_is_under(const struct pressure_node *node, enum pressure_signal signal);

struct pressure_condition {
	const char *type, *status, *reason, *message, *taint;
};
/* As kubelet writes it; `taint` is the key that keeps pods away while it is so. */
const struct pressure_condition *pressure_condition(enum pressure_signal signal, bool under);

/* What a pod or one of its containers uses and asked for, by signal: bytes, bytes, processes. -1: not
 * known. */
struct pressure_use {
	struct str name;
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
void pressure_message(enum pressure_signal signal, const struct pressure_node *node,
		      const struct pressure_use *containers, size_t len, struct buf *to);

#endif
