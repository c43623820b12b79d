/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_internal.h - shared by the files of the job controller: the working set of one step
 * of one job. */
#ifndef LIFECYCLE_JOB_INTERNAL_H
#define LIFECYCLE_JOB_INTERNAL_H

#include "lifecycle/job_lifecycle.h"
#include "lifecycle/job_state.h"
#include "model/volcano/podgroup.h"

/* The parts of a task that restart. */
struct job_restart {
	bool whole;
	bool *pods;       /* by index; NULL: none */
	bool *partitions; /* by index; NULL: none */
};

/* The pods of one task of the spec. */
struct job_task_view {
	const struct vcjob_task *spec;
	const struct job_pod **slots; /* by index, spec->replicas of them; NULL: missing */
	struct job_count count;
	int32_t there;    /* pods of this task, including those being deleted */
	int32_t recorded; /* pods of this task that the status counts */
	bool made;        /* this step creates pods of it */
	bool awaits;      /* a policy waits for evicted pods to run again */
	struct job_restart restart;
};

struct job_view {
	const struct job_world *world;
	struct vcjob *job; /* decoded; with the recorded status */
	struct plan *plan;
	struct job_outcome *outcome;
	struct job_task_view *tasks; /* one per task of the spec */
	struct job_count all;
	int32_t deleting; /* pods that are being deleted */
	bool has_group;
	struct podgroup group; /* if it exists */
	struct json group_doc;
	bool queue_missing;
	bool forwarded; /* the queue has clusters to forward to */
	bool blocked;   /* pods cannot be created; an event says why */
};

static inline struct arena *view_arena(const struct job_view *view)
{
	return view->plan->arena;
}

/* --- job_slots.c --- */

/* Fills in tasks, slots and counts. */
void job_view_pods(struct job_view *view);
/* The index of a task in the spec, or -1. */
ptrdiff_t job_find_task(const struct vcjob *job, struct str name);
static inline bool job_pod_is_finished(const struct job_pod *pod)
{
	return pod->phase == POD_SUCCEEDED || pod->phase == POD_FAILED;
}
/* Counts a pod that will be killed as terminating. */
void job_view_discount(struct job_view *view, const struct job_pod *pod);
/* How many of the task's missing pods existed when the status was recorded. */
int32_t job_view_evicted(const struct job_task_view *task);

/* --- job_policy.c --- */

/* The task and the pod of an event. */
struct job_target {
	ptrdiff_t task; /* < 0: none */
	int32_t index;  /* of the pod; < 0: none */
	int32_t partition;
};
struct job_decision {
	struct job_cause cause; /* BUS_ACTION_NONE: none */
	bool joined;            /* parts were added to a restart */
	bool delayed;           /* its event was recorded when the delay began */
	int64_t since;
};
/* The action of the first policy that applies. An action without effect is reported in the outcome. All restarts of
 * parts of the job that policies ask for are added to `restart` of their tasks: parts that fail together restart
 * together and count once. Adds the events of delayed actions, and the time of the next check. */
void job_policy_decide(struct job_view *view, struct job_decision *ret);
/* New pods are Pending until the next step: triggers the policies that wait for them to run. */
void job_policy_report_created(struct job_view *view);

/* --- job_target.c: the targets of a restart, as the status records them --- */

/* Does the action have such a target? */
bool job_target_fits(enum bus_action action, const struct job_target *target);
/* Adds a matching target to the parts that restart; false if it was already there. */
bool job_target_add(struct job_view *view, enum bus_action action, const struct job_target *target);
/* "task a", "pods a/0-2", "partition 0 of task a; pod b/0" */
void job_target_print(const struct job_view *view, struct buf *to);
/* Reads the targets that the status records. */
void job_target_read(struct job_view *view);
/* Is the pod among the parts that restart? Pods that were created after the restart are not. */
bool job_target_has(const struct job_view *view, const struct job_pod *pod);
/* Does the status record a restart of a part of the job? */
bool job_target_is_part(const struct vcjob_status *status);

/* --- job_podgroup.c --- */

/* Decode the podgroup, if there is one. */
int job_group_read(struct job_view *view, struct err *err) MUST_CHECK;
/* Adds a write that creates or updates the podgroup. */
void job_group_ensure(struct job_view *view);
/* Adds an event with the reason why the scheduler does not place the group, if there is one. */
void job_group_report(struct job_view *view);

/* --- job_build.c --- */

/* The pod to create for an index of a task; NULL and an error if a plugin fails. */
struct json_doc *job_build_pod(struct job_view *view, size_t task, int32_t index,
			       struct err *err) MUST_CHECK;
/* {apiVersion, kind, name, uid, controller, blockOwnerDeletion} */
struct json job_build_owners(const struct job_view *view, struct json_doc *doc);
/* A new document of a kind with name, namespace and the job as its owner. */
struct json_doc *job_build_owned(const struct job_view *view, enum plan_kind_id kind,
				 struct str name);
/* `count` characters of 0-9 and a-z that derive from the job's uid and a text. */
void job_build_suffix(const struct vcjob *job, struct str text, size_t count, struct buf *to);

/* --- job_volume.c --- */

enum job_volumes { JOB_VOLUMES_READY, JOB_VOLUMES_WRITTEN, JOB_VOLUMES_WAIT };
/* Names claims that have no name, and creates missing claims. */
enum job_volumes job_volumes_ensure(struct job_view *view);

/* --- job_status.c --- */

/* Starts a status from the recorded one, with current counters and the spec's minAvailable. */
struct vcjob_status job_status_begin(const struct job_view *view);
/* Counters of a job that is being killed or has ended: only terminating pods. */
void job_status_clear(struct vcjob_status *status, int32_t terminating);
/* Enters a phase and adds its condition. */
void job_status_enter(const struct job_view *view, struct vcjob_status *status,
		      enum vcjob_phase phase);
/* Is there a visible difference? */
bool job_status_differs(const struct vcjob_status *a, const struct vcjob_status *b);
/* Add the write. */
struct plan_write *job_status_write(struct job_view *view, struct vcjob_status *status);

#endif
