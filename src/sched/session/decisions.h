/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/decisions.h - what a session has decided, as data for the service to execute.
 *
 * Only changes are in it: a status that the API has already is not decided again. Texts and objects
 * are lent until the session is freed. The order is that of the decisions. */
#ifndef SCHED_DECISIONS_H
#define SCHED_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/value/resources.h"
#include "model/volcano/podgroup.h"

struct job;
struct json;
struct queue_info;
struct session;
struct task;
struct zone;

enum decision_kind {
	DECIDE_BIND,   /* task, node */
	DECIDE_EVICT,  /* task, reason ("preempt"), message; `job`: for whom, may be NULL */
	DECIDE_UNGATE, /* task: take Volcano's own gate away */
	DECIDE_GROUP,  /* job: phase, counts, conditions that changed, reasons (explain.h) */
	DECIDE_POD,    /* task: PodScheduled=False with reason, message, nominated */
	DECIDE_EVENT,  /* job or task: type, reason, message */
	DECIDE_QUEUE,  /* queue: status.allocated is queue->allocated */
	DECISION_KIND_COUNT
};

/* A condition of a PodGroup; status is always "True". */
struct group_condition_text {
	const char *type; /* Unschedulable, Scheduled */
	const char *reason;
	const char *message;
};

/* So many more texts has an event of what waits for several reasons. */
enum { ALSO_MAX = 3 };

struct decision {
	enum decision_kind kind;
	struct task *task;
	struct job *job;
	struct queue_info *queue;
	const char *node; /* name; of an event without task, job and queue: whose it is */
	const char *type; /* of an event: Normal, Warning */
	const char *reason;
	const char *message;
	const char
		*also[ALSO_MAX]; /* of DECIDE_POD and events: events that are written in addition */
	const char *nominated;   /* node name for status.nominatedNodeName; NULL: leave it */
	bool at_once;            /* an event that is not to wait for others of its object */
	int64_t not_before; /* of news in which only numbers differ: when it is due; 0: at once */
	/* of DECIDE_GROUP */
	enum podgroup_phase phase;
	int32_t running, succeeded, failed;
	struct group_condition_text conditions[2]; /* those to set; without a type: none */
	bool no_status;                            /* phase, counts and conditions are left alone */
	const char *reasons;        /* text of the annotation; "": take it away; NULL: leave it */
	bool minor;                 /* only numbers in the reasons have changed: it may wait */
	struct resources allocated; /* of DECIDE_QUEUE */
};

struct decisions {
	VEC(struct decision) all;
	size_t binds;
	size_t evictions;
};

/* How far a cycle is, for measurements. */
enum session_mark {
	MARK_PLUGIN_OPEN, /* each is called after it; name: the plugin, the action */
	MARK_OPEN,
	MARK_ACTION,
	MARK_CONCLUDE,
	MARK_PLUGIN_CLOSE,
	/* A node is looked for, without a name: the search begins, has filtered, has scored (both more than
	 * once, where one goes on), has ended. */
	MARK_SEARCH,
	MARK_FILTERED,
	MARK_SCORED,
	MARK_FOUND,
};

struct session_options {
	void (*mark)(void *arg, enum session_mark mark, const char *name); /* may be NULL */
	void *mark_arg;
	/* The feature SchedulingGatesQueueAdmission. */
	bool queue_gates;
	/* Sharding: nodes that are not of our shard are not used, or only where those do not suffice. */
	bool shard_hard;
	bool shard_soft;
	/* What clocks here show; lent. NULL: UTC. */
	const struct zone *zone;
	/* There is time to look at some blocked jobs, so that their reasons stay current (cluster_refresh()). */
	bool refresh;
};

struct decision *decisions_add(struct session *ssn, enum decision_kind kind);
void decisions_add_event(struct session *ssn, struct job *job, struct task *task, const char *type,
			 const char *reason, const char *message);

/* At the end of a session: phases, conditions, events and queue statuses that have changed. */
void decisions_conclude(struct session *ssn);

#endif
