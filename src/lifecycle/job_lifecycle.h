/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_lifecycle.h - what becomes of a Job: from what is recorded and what is observed to a plan.
 *
 * job_step() compares the recorded job with the observed objects and returns the next writes. It is
 * called again after its plan was executed and whenever something changes, until it has nothing to
 * write. It has no state: a restarted controller continues where the last one stopped. This is
 * guaranteed by these rules:
 *
 * 1. A decision is one write: the job's status, with phase, version, retry count and, while it
 *    restarts, what restarts and why (state.reason, state.message). What follows from the decision
 *    (pods to delete, the podgroup, the objects of plugins) is derived from the record by the next step.
 * 2. Every pod has the version and the retry count under which it was created. The decision
 *    concerns pods of an older version, or of an older retry count in the parts that restart; so a
 *    restart is counted once, and pods that were created after it are not touched.
 * 3. The observed pods are at least as new as the recorded status: a pod that the status counts and
 *    that no longer exists was evicted.
 * 4. A Command is deleted when what it asked for has been recorded. */
#ifndef LIFECYCLE_JOB_LIFECYCLE_H
#define LIFECYCLE_JOB_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"
#include "model/pod/pod_status.h"
#include "model/volcano/vcjob.h"

/* The fields of a pod that matter: a few dozen bytes per pod, because a job may have ten thousand.
 */
struct job_pod {
	struct str name; /* texts are stored after the struct */
	struct str uid;
	struct str task;
	enum pod_phase phase;
	int32_t index;
	int32_t partition; /* < 0: none */
	int32_t version;
	int32_t retry;     /* < 0: not known */
	int32_t restarts;  /* of all containers together */
	int32_t exit_code; /* of its first container; 0 while that runs */
	bool deleting;
	bool out_of_sync; /* the controller is deleting it */
	bool ready;       /* all containers are */
	int64_t created;
	int64_t ended;      /* when its last container did; 0: not known */
	int64_t noticed_at; /* when a condition with a policy timeout was first observed; 0: never */
	int64_t deleted;    /* when its deletion was requested; 0: never */
	int64_t evicted_at; /* when its predecessor was evicted; 0: not known */
};

/* NULL if it is not a pod of a Job (no Job controls it, or labels are missing). Free it with
 * mem_free(). */
struct job_pod *job_pod_new(struct json pod);
/* The uid of the Job that controls a pod or another object; none: no Job does. */
struct str job_controller_of(struct json object);

/* An object of the job's namespace (or of none) by kind and name, or JSON_NONE. Asked for: queues,
 * priority classes, podgroups, claims, services, config maps, secrets, network policies. */
typedef struct json job_find_fn(void *arg, enum plan_kind_id kind, struct str name);

/* The key pair of the plugin `ssh`. */
struct job_ssh_key {
	struct str private_pem;
	struct str public_line;
};

/* The result of the last pod creations. */
enum job_pods_answer {
	JOB_PODS_UNKNOWN,
	JOB_PODS_CREATED,
	JOB_PODS_REJECTED, /* permanently: the request itself is invalid */
};

struct job_rule;
struct job_world {
	struct json job;
	const struct job_pod *const *pods; /* all pods that the job controls */
	size_t pod_count;
	const struct json *commands; /* for this job, oldest first */
	size_t command_count;
	job_find_fn *find;
	void *arg;
	const struct job_ssh_key *ssh_key; /* NULL: not created yet */
	int64_t now;
	int64_t counted_at; /* when a status was last written; 0: not known */
	size_t batch;       /* pods created or deleted by one plan; 0: JOB_BATCH */
	enum job_pods_answer pods_answer;
	bool give_up; /* writes failed too often: terminate the job */
};

enum { JOB_BATCH = 512 };
/* Counters alone are written at most this often. */
#define JOB_COUNT_INTERVAL (100 * TIME_MILLISECOND)

/* What a step decided, and why: for logs and for the coverage of tests. */
struct job_cause {
	const struct job_rule *rule; /* row of the state table; NULL: there was no action */
	enum bus_action action;
	const struct vcjob_policy
		*policy; /* in the plan's arena; NULL: by a Command, or after too many failures */
	enum bus_event event; /* that triggered the policy */
	bool of_task;         /* the policy is a task's */
};

struct job_outcome {
	bool wants_ssh_key;     /* make a key pair, and step again */
	bool more;              /* step again as soon as the plan is executed */
	enum vcjob_phase phase; /* the job's phase after the plan */
	struct job_cause cause;
};

/* ERR_BAD_REQUEST, ERR_INVALID: the job cannot be read; the plan is empty then. */
int job_step(const struct job_world *world, struct plan *plan, struct job_outcome *ret,
	     struct err *err) MUST_CHECK;

/* A job that must not be started: its status says why, and an event. Once it is corrected, it starts. */
int job_reject(const struct job_world *world, struct str why, struct plan *plan,
	       struct job_outcome *ret, struct err *err) MUST_CHECK;
/* Has the job been started? Not if its record says that it was rejected. */
bool job_is_started(struct json job);

/* "<job>-<uid>" */
void job_group_name(const struct meta *job, struct buf *to);

#endif
