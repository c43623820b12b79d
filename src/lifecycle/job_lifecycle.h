/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_lifecycle.h - what becomes of a Job: from what is recorded and what is observed to a plan.
 *
 * job_step() looks at the recorded job and at the world around it, and answers what to write next.
 * It is called again after its plan was executed and whenever something changes, until it has
 * nothing to write. It has no memory: a controller that starts anew goes on where the last one
 * stopped. What makes that hold:
 *
 * 1. A decision is one write: the job's status, with phase, version, retry count and, while it
 *    restarts, what restarts and why (state.reason, state.message). What follows from the decision
 *    (pods to delete, the podgroup, the objects of plugins) is seen from the record by the next step.
 * 2. Every pod carries the version and the retry count that it was made under. A pod of an older
 *    version, or of an older count in what restarts, is one that the decision was about; so a
 *    restart is counted once, and what was made after it is left alone.
 * 3. The pods that are observed are at least as new as the status that is recorded: a pod that the
 *    status counts and that is not there was evicted.
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

/* What counts of a pod: a few dozen bytes for each of ten thousand. */
struct job_pod {
	struct str name; /* texts are behind the struct */
	struct str uid;
	struct str task;
	enum pod_phase phase;
	int32_t index;
	int32_t partition; /* < 0: none */
	int32_t version;
	int32_t retry;     /* < 0: not told */
	int32_t restarts;  /* of all containers together */
	int32_t exit_code; /* of its first container; 0 while that runs */
	bool deleting;
	bool out_of_sync; /* the controller is killing it */
	bool ready;       /* all containers are */
	int64_t created;
	int64_t ended;      /* when its last container did; 0: not known */
	int64_t noticed_at; /* when something that a policy gives time was seen; 0: not told */
	int64_t deleted;    /* when its deletion was asked for; 0: not */
	int64_t evicted_at; /* when the pod before it was evicted; 0: not told */
};

/* NULL if it is no pod of a Job (its controller is none, or marks are missing). For mem_free(). */
struct job_pod *job_pod_new(struct json pod);
/* The uid of the Job that controls a pod or another object; none: no Job does. */
struct str job_controller_of(struct json object);

/* An object of the job's namespace (or of none) by kind and name, or JSON_NONE. Asked for: queues,
 * priority classes, podgroups, claims, services, config maps, secrets, network policies. */
typedef struct json job_find_fn(void *arg, enum plan_kind_id kind, struct str name);

/* What the plugin `ssh` gives its pods. */
struct job_ssh_key {
	struct str private_pem;
	struct str public_line;
};

/* What became of the last pods that a plan created. */
enum job_pods_answer {
	JOB_PODS_UNKNOWN,
	JOB_PODS_CREATED,
	JOB_PODS_REJECTED, /* and would be again: the request itself is refused */
};

struct job_rule;
struct job_world {
	struct json job;
	const struct job_pod *const *pods; /* all that the job controls */
	size_t pod_count;
	const struct json *commands; /* for this job, oldest first */
	size_t command_count;
	job_find_fn *find;
	void *arg;
	const struct job_ssh_key *ssh_key; /* NULL: none has been made yet */
	int64_t now;
	int64_t counted_at; /* when a status was last written; 0: not known */
	size_t batch;       /* pods created or deleted by one plan; 0: JOB_BATCH */
	enum job_pods_answer pods_answer;
	bool give_up; /* writes failed too often: terminate it */
};

enum { JOB_BATCH = 512 };
/* Counters alone are written at most this often. */
#define JOB_COUNT_INTERVAL (100 * TIME_MILLISECOND)

/* What was decided in a step, and why: for logs, and for tests that ask what has been shown. */
struct job_cause {
	const struct job_rule *rule; /* of the table of states; NULL: no action was asked for */
	enum bus_action action;
	const struct vcjob_policy *policy; /* in the plan's arena; NULL: a Command, or given up */
	enum bus_event event;              /* that the policy was about */
	bool of_task;                      /* the policy is a task's */
};

struct job_outcome {
	bool wants_ssh_key;     /* make a key pair, and step again */
	bool more;              /* step again as soon as the plan is executed */
	enum vcjob_phase phase; /* that the job is in when the plan is executed */
	struct job_cause cause;
};

/* ERR_BAD_REQUEST, ERR_INVALID: the job cannot be read; the plan is empty then. */
int job_step(const struct job_world *world, struct plan *plan, struct job_outcome *ret,
	     struct err *err) MUST_CHECK;

/* "<job>-<uid>" */
void job_group_name(const struct meta *job, struct buf *to);

#endif
