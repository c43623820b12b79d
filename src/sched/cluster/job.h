/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/job.h - a job: one PodGroup and the tasks that name it; its roles and its sub-groups.
 *
 * A job may be there before its PodGroup (pods came first) and after it (pods are still going); it is
 * scheduled only while it has both the PodGroup and a queue. The rules that count tasks (ready,
 * pipelined, starving, valid) are here as plain functions; the gang plugin turns them into opinions. */
#ifndef SCHED_JOB_H
#define SCHED_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/value/resources.h"
#include "model/volcano/podgroup.h"
#include "sched/cluster/task.h"
#include "sched/report/reason.h"

struct symbols;
struct dims;
struct label_set;
struct queue_info;
struct statement;
struct sub_policy;

/* The tasks of one role. */
struct role {
	uint32_t name; /* symbol */
	int32_t min;   /* of spec.minTaskMember; 0: none */
	struct tally tally;
};

/* Tasks that a sub-group policy puts together; every job has the one for all others. */
struct sub_job {
	struct list link; /* among its job's */
	struct job *job;
	const struct sub_policy *policy; /* NULL: those that no policy captures */
	struct str values;               /* of the policy's label keys, joined by "-" */
	int64_t match_index;             /* the first value, where it is a number */
	int32_t min_available;
	int32_t priority; /* the highest of its tasks, as of job_rate_subs() */
	size_t place;     /* for an action that lists sub-groups: which one this is */
	struct tally tally;
};

struct sub_policy {
	struct str name;
	int32_t size; /* the least of one sub-group */
	int32_t min_groups;
	const struct network_topology *topology;
	const struct label_selector *selector;
	struct strs keys;
};

/* The least that any of a job's tasks asks for of something that no node has as much of. */
struct shortage {
	int64_t amount; /* 0: there is no such thing, or that is not all */
	int dim;
};

/* A condition of the PodGroup as the API has it, by a hash of its reason and message. */
enum group_condition { GROUP_UNSCHEDULABLE, GROUP_SCHEDULED, GROUP_CONDITION_COUNT };

struct job {
	struct list queue_link; /* among its queue's jobs */
	struct list
		active_link; /* among those that a cycle looks at, or that are blocked; see cluster.h */
	uint64_t blocked;         /* it is blocked if this is the cluster's `unblocks` */
	uint64_t looked;          /* the cluster's `moves` when it was tried last */
	struct shortage shortage; /* it is blocked by that */
	/* Its group of identical blocked jobs and its place there; the group it was taken from, in which session. */
	struct job_group *job_group;
	struct job_group *came_from;
	uint32_t job_group_at;
	uint32_t came_session;
	struct queue_info *queue; /* NULL: there is none of that name */
	uint32_t queue_name;      /* symbol */
	uint32_t priority_class;  /* symbol */
	bool grouped;             /* its PodGroup is there */
	struct list tasks[TASK_STATUS_COUNT];
	struct tally tally;
	VEC(struct role) roles;
	int64_t role_min_total;
	int32_t min_available;
	int32_t priority;
	int64_t created;
	uint64_t arrival;            /* of its PodGroup among all, as they came to us */
	int64_t assumed;             /* when a task of it was decided to be bound last; 0: never */
	uint32_t retries;            /* cycles that could not place it */
	int64_t waiting_time;        /* of the sla annotation; 0: none */
	struct label_set *notes;     /* its annotations of Volcano's */
	struct opt_bool preemptable; /* what its annotation or label says */
	bool pods_rejected;          /* the server rejects its pods: nothing is reserved for them */
	struct list subs;
	struct sub_job main; /* for tasks that no policy captures */
	struct sub_policy *policies;
	size_t policy_count;
	struct group_extra *extra; /* the document, where something needs it */

	struct resources allocated;     /* of tasks in TASKS_ALLOCATED */
	struct resources pending;       /* of pending tasks */
	struct resources min_resources; /* empty when absent */
	bool has_min_resources;
	/* What it counts for in its queue's and the cluster's sums of what has been admitted, as counted
	 * last (queue_info.h). */
	struct resources inqueue;
	struct resources inqueue_whole;
	struct resources elastic;
	struct list
		admitted_link; /* among those that were admitted with minResources, and do not run yet */

	/* The PodGroup's status: what is decided, and what the API has. */
	enum podgroup_phase phase;
	enum podgroup_phase reported_phase;
	int32_t reported_counts[3];               /* running, succeeded, failed */
	uint32_t reported[GROUP_CONDITION_COUNT]; /* hash; 0: not there */
	int64_t reported_until;                   /* see defer() in decisions.c */
	uint32_t reported_event;   /* hash of the last event that was reported of it */
	uint32_t reported_also;    /* ... of the other reasons */
	uint32_t reported_refusal; /* ... of why it is not admitted */
	uint32_t refused_session;  /* the session that set `refusal` */
	struct reason
		refusal; /* why it is not admitted, or not placed; without what a session owns */
	struct reasons *reasons; /* all of that session's, in its arena */
	char *why;               /* the first in words; NULL: it does not wait */
	uint32_t why_len;        /* ... without those who hold what it waits for */
	/* What its annotation says (explain.h). */
	struct reported_reasons {
		uint64_t
			content; /* hash of the reasons that were reported last, numbers included */
		uint64_t meaning;   /* ... without numbers */
		uint32_t decided;   /* hash of their text; 0: none */
		uint64_t moves;     /* the cluster's when the text was made */
		int64_t time;       /* when it was made */
		bool outdated;      /* something in it may have changed since */
		uint32_t published; /* ... of the one that the API has */
		struct {
			uint8_t code;
			int64_t since;
		} at[REASONS_MAX];
	} reported_reasons;
	int64_t waiting_since; /* when it began to; 0: it does not wait */
	int64_t reserved_until; /* capacity is reserved for it until then; 0: none is (reservation.h) */
	struct statement *reservation; /* ... in this session, while it is not its turn */
	bool recalls; /* its tasks came with nodes that an earlier scheduler reserved for them */
	uint32_t unschedulable_session; /* the session that found it unschedulable */
	uint32_t holding_session; /* ... at whose end it held capacity that it could not keep */
	uint32_t
		other_choice_session; /* ... that might have placed it, had it chosen other nodes */

	uint32_t namespace_len;
	uint32_t key_len;
	char *uid;
	char key[]; /* "namespace/name" */
};

static inline struct str job_key(const struct job *job)
{
	return str_of(job->key, job->key_len);
}
static inline struct str job_name(const struct job *job)
{
	return str_skip(job_key(job), job->namespace_len + 1);
}
static inline struct str job_namespace(const struct job *job)
{
	return str_of(job->key, job->namespace_len);
}
/* Not admitted yet. */
static inline bool job_is_pending(const struct job *job)
{
	return !job->grouped || job->phase == PODGROUP_PENDING || job->phase == PODGROUP_PHASE_NONE;
}

/* --- rules that count ------------------------------------------------------------------------ */

static inline uint32_t job_ready_count(const struct job *job)
{
	return tally_of(&job->tally, TASKS_READY);
}
/* Enough tasks have capacity: of the job, and of each role with a minimum, and of sub-groups. */
bool job_is_ready(const struct job *job);
/* ... counting those that wait for capacity to be released. */
bool job_is_pipelined(const struct job *job);
/* The same by the number of tasks alone. */
bool job_count_is_ready(const struct job *job);
/* Fewer than its minimum have capacity or wait for it to be released. */
bool job_is_starving(const struct job *job);
/* Does it have the tasks that its minimums ask for? */
bool job_roles_are_valid(const struct job *job);
bool job_groups_are_valid(const struct job *job);
bool sub_job_is_ready(const struct sub_job *sub);
bool sub_job_is_pipelined(const struct sub_job *sub);
/* The highest priority of its tasks, not below 0. */
/* As of job_rate_subs(), which an action calls before it orders the sub-groups of a job: one pass over
 * the tasks for all of them. Priorities of pods do not change within a cycle. */
int32_t sub_job_priority(const struct sub_job *sub);
void job_rate_subs(struct job *job);
/* Would its job, its role and its sub-groups keep their minimum without it, or have they lost it? */
bool job_can_spare(const struct task *victim);
/* After a task found no node: is it worth trying the others of the job? `failed` says of a role
 * (symbol) whether one of its tasks failed. */
bool job_goes_on(const struct job *job, const struct sub_job *sub,
		 bool (*failed)(void *arg, uint32_t role), void *arg);

/* spec.minResources of a name, in thousandths, be it a name that is no resource of nodes
 * ("limits.cpu"); false if it is not there. */
bool job_min_amount(const struct job *job, const struct dims *dims, struct str name, int64_t *ret);
/* spec.networkTopology, or NULL. */
const struct network_topology *job_topology(const struct job *job);
/* The role of that name, or NULL. */
struct role *job_find_role(struct job *job, uint32_t role);

/* What stands for a reason and a message where only a change matters; never 0. */
uint32_t job_text_hash(struct str reason, struct str message);
/* ... of a message without its numbers and their units, and without the counts of a group's pods. */
uint32_t job_words_hash(struct str message);

/* Without a hook's opinion: the older. Times are whole seconds: of one second, who came to us first. */
int job_order(const struct job *a, const struct job *b);
int sub_job_order(const struct sub_job *a, const struct sub_job *b);

#endif
