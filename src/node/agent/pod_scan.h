/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/pod_scan.h - measure the running pods of an agent, off the loop's thread.
 *
 * A scan lists the pods on the loop, measures them on a worker, and hands the rows back on the loop. It holds the
 * documents of the pods that it lists; the pods themselves may have ended meanwhile. */
#ifndef NODE_POD_SCAN_H
#define NODE_POD_SCAN_H

#include <stdbool.h>

#include "base/vec.h"
#include "model/pod/pod.h"

struct agent;
struct agent_pod;

struct pod_scan_row {
	struct json_doc *doc;
	struct pod view; /* of doc */
	const char *uid;
	const char *folder;
	void *data; /* of the owner, in the arena */
};

/* One scan that is under way. */
struct pod_scan_run {
	struct arena *arena; /* until `done` returns */
	int kind;            /* as given to pod_scan_start() */
	VEC(struct pod_scan_row) rows;
	struct pod_scan *scan;
};

struct pod_scan_ops {
	/* Which of the pods that run are listed; NULL: all. */
	bool (*wants)(const struct agent_pod *pod);
	/* On the loop, for each listed pod: sets row->data; NULL: nothing to add. */
	void (*add)(struct pod_scan_run *run, const struct agent_pod *pod,
		    struct pod_scan_row *row);
	/* On a worker: neither the agent nor its pods may be used. */
	void (*measure)(struct pod_scan_run *run);
	/* On the loop, unless the scan was freed meanwhile. */
	void (*done)(void *owner, struct pod_scan_run *run);
};

/* `ops` must outlive it. The caller keeps `owner`. */
struct pod_scan *pod_scan_new(struct agent *agent, const struct pod_scan_ops *ops, void *owner);
/* A scan that is under way ends without `done`. */
void pod_scan_free(struct pod_scan *scan);
bool pod_scan_is_busy(const struct pod_scan *scan);
/* Starts a scan unless one is under way, no pod is listed, or the workers' queue is full: then nothing happens,
 * and the caller's timer tries again. */
void pod_scan_start(struct pod_scan *scan, int kind);

#endif
