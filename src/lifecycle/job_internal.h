/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_internal.h - what the files of the job controller share: one look at one job. */
#ifndef LIFECYCLE_JOB_INTERNAL_H
#define LIFECYCLE_JOB_INTERNAL_H

#include "lifecycle/job_lifecycle.h"
#include "lifecycle/job_state.h"
#include "model/volcano/podgroup.h"

/* What of a task restarts. */
struct job_restart {
	bool whole;
	bool *pods;       /* by index; NULL: none */
	bool *partitions; /* likewise */
};

/* The pods of one task of the spec. */
struct job_task_view {
	const struct vcjob_task *spec;
	const struct job_pod **slots; /* by index, spec->replicas of them; NULL: not there */
	struct job_count count;
	int32_t there;    /* pods of this task, those that are going included */
	int32_t recorded; /* pods of this task that the status counts */
	bool made;        /* pods of it are made in this step */
	bool awaits;      /* a policy waits for evicted pods to run again */
	struct job_restart restart;
};

struct job_look {
	const struct job_world *world;
	struct vcjob *job; /* decoded; its status is what is recorded */
	struct plan *plan;
	struct job_outcome *outcome;
	struct job_task_view *tasks; /* one a task of the spec */
	struct job_count all;
	int32_t deleting; /* pods on their way out */
	bool has_group;
	struct podgroup group; /* where there is one */
	struct json group_doc;
	bool queue_missing;
	bool forwarded; /* the queue has clusters to forward to */
	bool blocked;   /* pods cannot be made; an event says why */
};

static inline struct arena *look_arena(const struct job_look *look)
{
	return look->plan->arena;
}

/* --- job_slots.c --- */

/* Fill in tasks, slots and counts. */
void job_view_pods(struct job_look *look);
/* The index of a task in the spec, or -1. */
ptrdiff_t job_find_task(const struct vcjob *job, struct str name);
static inline bool job_pod_is_finished(const struct job_pod *pod)
{
	return pod->phase == POD_SUCCEEDED || pod->phase == POD_FAILED;
}
/* Count a pod that will be killed as terminating. */
void job_view_discount(struct job_look *look, const struct job_pod *pod);
/* How many of the task's missing pods were there when the status was recorded. */
int32_t job_view_evicted(const struct job_task_view *task);

/* --- job_policy.c --- */

/* What something that happened is about. */
struct job_target {
	ptrdiff_t task; /* < 0: none */
	int32_t index;  /* of the pod; < 0: none */
	int32_t partition;
};
struct job_decision {
	struct job_cause cause; /* BUS_ACTION_NONE: none */
	bool joined;            /* something was added to what restarts */
	bool delayed;           /* its event was recorded when the wait began */
	int64_t since;
};
/* The action of the first policy that applies. One of which nothing comes is told in the outcome. What restarts of parts of the job policies want is added
 * to `restart` of their tasks, all together: what fails at once is restarted at once, and counts once.
 * Adds events of delayed ones, and when to look. */
void job_policy_decide(struct job_look *look, struct job_decision *ret);
/* Pods that are made are Pending, if only until the next look: tell what waits for them to run. */
void job_policy_tell_made(struct job_look *look);

/* --- job_target.c: the targets of a restart, as the status records them --- */

/* Has the action such a target? */
bool job_target_fits(enum bus_action action, const struct job_target *target);
/* Add one that fits to what restarts; false: it was there. */
bool job_target_add(struct job_look *look, enum bus_action action, const struct job_target *target);
/* "task a", "pods a/0-2", "partition 0 of task a; pod b/0" */
void job_target_print(const struct job_look *look, struct buf *to);
/* Take in what the status records. */
void job_target_read(struct job_look *look);
/* Is the pod among what restarts? Pods made since are not. */
bool job_target_has(const struct job_look *look, const struct job_pod *pod);
/* Does the status record a restart of a part of the job? */
bool job_target_is_part(const struct vcjob_status *status);

/* --- job_podgroup.c --- */

/* Decode the podgroup, if there is one. */
int job_group_read(struct job_look *look, struct err *err) MUST_CHECK;
/* Add a write that makes the podgroup, or makes it what it should be. */
void job_group_ensure(struct job_look *look);
/* Add an event that says why the scheduler does not take it, if it says so. */
void job_group_tell(struct job_look *look);

/* --- job_build.c --- */

/* The pod of a task's index, as it is to be created; NULL with an error of a plugin. */
struct json_doc *job_build_pod(struct job_look *look, size_t task, int32_t index,
			       struct err *err) MUST_CHECK;
/* {apiVersion, kind, name, uid, controller, blockOwnerDeletion} */
struct json job_build_owners(const struct job_look *look, struct json_doc *doc);
/* A new document of a kind with name, namespace and the job as its owner. */
struct json_doc *job_build_owned(const struct job_look *look, enum plan_kind_id kind,
				 struct str name);
/* `count` characters of 0-9 and a-z that follow from the job's uid and a text. */
void job_build_suffix(const struct vcjob *job, struct str text, size_t count, struct buf *to);

/* --- job_volume.c --- */

enum job_volumes { JOB_VOLUMES_READY, JOB_VOLUMES_WRITTEN, JOB_VOLUMES_WAIT };
/* Names for claims that have none, claims that are not there. */
enum job_volumes job_volumes_ensure(struct job_look *look);

/* --- job_status.c --- */

/* Begin a status from what is recorded: counters of now, the spec's minAvailable. */
struct vcjob_status job_status_begin(const struct job_look *look);
/* Counters of a job that is being killed, or is over: only what is still going. */
void job_status_clear(struct vcjob_status *status, int32_t terminating);
/* Enter a phase: condition. */
void job_status_enter(const struct job_look *look, struct vcjob_status *status,
		      enum vcjob_phase phase);
/* Is there a difference that a reader sees? */
bool job_status_differs(const struct vcjob_status *a, const struct vcjob_status *b);
/* Add the write. */
struct plan_write *job_status_write(struct job_look *look, struct vcjob_status *status);

#endif
