/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/internal.h - the inside of the service, for its own files. */
#ifndef SCHEDULER_INTERNAL_H
#define SCHEDULER_INTERNAL_H

#include "base/list.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/recorder.h"
#include "loop/loop.h"
#include "sched/cluster.h"
#include "sched/config.h"
#include "sched/session.h"
#include "scheduler/later.h"
#include "scheduler/scheduler.h"

/* One kind that is watched. */
struct feed {
	struct scheduler *scheduler;
	enum cluster_kind kind;
	struct informer *informer;
};

struct scheduler {
	struct loop *loop;
	struct client *client;
	struct log *log;
	struct cluster *cluster;
	struct config *config;
	uint64_t configs; /* read so far */
	struct session_options session;
	char *default_queue;
	char *name; /* the first scheduler name, as events and conditions tell it */
	struct recorder *recorder;
	struct feed feeds[CLUSTER_KIND_COUNT];
	size_t unsynced;           /* informers that do not have their first list */
	size_t queues_asked;       /* first queues that are not known to be there */
	struct loop_timer *soon;   /* a cycle is due: something has changed */
	struct loop_timer *period; /* ... or time has passed */
	struct loop_timer *queue_retry;
	int64_t gather_us;
	int64_t period_us;
	struct list writes; /* under way */
	struct later *later;
	struct scheduler_stats stats;
};

/* Something has changed: have a cycle soon. */
void scheduler_wake(struct scheduler *scheduler);
/* Read an object again from what the informer of its kind knows: after a write of it failed. Does
 * nothing where that informer keeps no documents. */
void scheduler_reread(struct scheduler *scheduler, enum cluster_kind kind, struct str namespace,
		      struct str name);

/* --- first queues (queues.c) --- */

void scheduler_make_queues(struct scheduler *scheduler);

/* --- carrying out (carry.c) --- */

void scheduler_carry_out(struct scheduler *scheduler, const struct session *ssn);
/* What was held back (later.h). */
void scheduler_tell_pod(struct scheduler *scheduler, const struct later_pod *pod);
void scheduler_tell_group(struct scheduler *scheduler, const struct later_group *group);
/* Forget what is under way. */
void scheduler_drop_writes(struct scheduler *scheduler);

#endif
