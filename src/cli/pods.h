/* SPDX-License-Identifier: Apache-2.0 */
/* cli/pods.h - the pods of a job: which task and index each is, in order, and how each ended. */
#ifndef CLI_PODS_H
#define CLI_PODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"

struct arena;

struct pod_place {
	struct json pod;
	struct str name;
	struct str task; /* "" if it is no task's */
	int64_t index;
};
struct pod_places {
	struct pod_place *ptr;
	size_t len;
};

struct pod_place pod_place_of(struct json pod);
/* Is a pod of this name one of the job's, whether or not it is there? */
bool pod_name_is_of(struct str name, struct json job);
/* By task, in the order of the job's spec (which may be absent), then by index. Lives in the
 * arena. */
struct pod_places pod_places_sort(struct json job, struct json pods, struct arena *arena);

/* How a container ended, for the worse. */
struct pod_failure {
	struct str pod;
	struct str container;
	struct str reason;       /* "Error", "OOMKilled" */
	struct str message;      /* may be empty */
	struct str time;         /* RFC 3339; may be empty */
	int64_t exit_code;       /* 0: unknown, the pod itself failed */
	bool restarted;          /* it runs, or waits to run, again */
	struct str memory_limit; /* of the container; may be empty */
	int64_t time_limit;      /* it was stopped at this limit, in seconds; 0: it was not */
	bool init;               /* an init container */
	bool several;            /* its pod has more containers than this one */
	bool by_vsub;            /* the job was submitted with vsub */
	struct str probe;        /* a probe that failed had it stopped: "Liveness"; empty: none */
	struct str probe_output; /* ... and printed this */
};
/* The latest failure of the pod's containers, the last run included; false: none. */
bool pod_failure_of(struct json pod, struct pod_failure *ret);
/* Adds what events of its pod say: whether a probe had the container stopped. */
void pod_failure_add_events(struct pod_failure *failure, struct json events);

/* The label of a job's pods whose value is the job's name. */
#define PODS_JOB_LABEL "volcano.sh/job-name"
/* "app=x" for the pods of a job; in the arena. */
struct str pods_selector(struct str job, struct arena *arena);

#endif
