/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/internal.h - the inside of the service, for its own files. */
#ifndef SCHEDULER_INTERNAL_H
#define SCHEDULER_INTERNAL_H

#include "base/list.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/recorder.h"
#include "loop/loop.h"
#include "sched/cluster/cluster.h"
#include "sched/session/config.h"
#include "sched/session/session.h"
#include "scheduler/extender_client.h"
#include "scheduler/numbers.h"
#include "scheduler/recent_conditions.h"
#include "scheduler/scheduler.h"
#include "scheduler/status_writer.h"
#include "scheduler/usage_source.h"

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
	const struct plugin_types *plugins;
	struct cluster *cluster;
	struct config *config;
	uint64_t configs; /* read so far */
	struct session_options session;
	struct zone *zone; /* of session.zone */
	char *default_queue;
	char *name; /* the first scheduler name, as events and conditions name it */
	struct recorder *recorder;
	struct feed feeds[CLUSTER_KIND_COUNT];
	size_t unsynced;           /* informers that do not have their first list */
	unsigned queues_made;      /* those that were not there; see queues.c */
	unsigned queues_unopened;  /* ... and could not be opened */
	unsigned queues_missing;   /* ... those that are not known to be there, ... */
	unsigned queues_denied;    /* ... that may not be created, and are not waited for, ... */
	unsigned queues_asked;     /* ... and that are being created */
	size_t queues_unanswered;  /* requests to make or open one that are under way */
	struct loop_timer *soon;   /* a cycle is due: something has changed */
	struct loop_timer *period; /* ... or time has passed */
	struct loop_timer *queue_retry;
	int64_t gather_us;
	int64_t period_us;
	bool shard_stale; /* shards have changed since it was reported what is in use (shards.c) */
	bool shard_asked; /* ... and that is under way */
	struct list writes; /* under way */
	struct list claims; /* tasks that wait for their claims (claim_binding.c) */
	struct status_writer *status_writer;
	struct recent_conditions *recent;
	struct numbers *numbers;
	struct usage_source *usage;
	struct extender_client *extender;
	int64_t cycle_began; /* by the stopwatch */
	int64_t marked;      /* the same: the end of what was measured last */
	/* Of the search for a node: the same, and what its two stages have taken. */
	int64_t search_marked;
	int64_t filtering;
	int64_t scoring;
	struct scheduler_stats stats;
	/* The ConfigMap of the device configuration, and what is wrong with it; NULL: nothing (device_file.c). */
	char *device_namespace;
	char *device_name;
	char *device_problem;
};

/* Something has changed: have a cycle soon. */
void scheduler_request_cycle(struct scheduler *scheduler);
/* Read an object again from what the informer of its kind knows: after a write of it failed. Does
 * nothing where that informer keeps no documents. */
void scheduler_reread(struct scheduler *scheduler, enum cluster_kind kind, struct str namespace,
		      struct str name);

/* --- first queues (queues.c) --- */

void scheduler_make_queues(struct scheduler *scheduler);

/* --- nodes in use (shards.c) --- */

void scheduler_report_shard(struct scheduler *scheduler);

/* --- the device configuration (device_file.c) --- */

/* Watch the ConfigMap that the configuration names, and no other. */
void scheduler_watch_device_file(struct scheduler *scheduler, const struct informer_events *events);
/* After a cycle: what is wrong with it, if that is news. */
void scheduler_report_device_file(struct scheduler *scheduler);
void scheduler_drop_device_file(struct scheduler *scheduler);

/* --- claims (claim_binding.c) --- */

/* Carry out the reservations of a task's claims, then bind it; for tasks that have any. */
void scheduler_bind_claims(struct scheduler *scheduler, const struct task *task, const char *node);
/* A claim or a volume has changed. */
void scheduler_check_claims(struct scheduler *scheduler);
void scheduler_drop_claims(struct scheduler *scheduler);

/* --- executing decisions (execute.c) --- */

/* A request that is under way. */
enum write_kind { WRITE_BIND, WRITE_EVICT, WRITE_GROUP, WRITE_CLAIM, WRITE_OTHER };
struct write {
	struct list link;
	struct scheduler *scheduler;
	enum write_kind kind;
	char *namespace; /* of the pod, or whatever it is about */
	char *name;
	char *uid;
	char *node;    /* of a binding */
	int64_t begun; /* by the stopwatch */
	struct client_request *request;
};
struct write *scheduler_write_new(struct scheduler *scheduler, enum write_kind kind,
				  struct str namespace, struct str name, struct str uid);
void scheduler_write_free(struct write *write);
/* Merge into the status of something without a namespace; `done` is called with the write, which is its own to free. */
void scheduler_patch_status(struct scheduler *scheduler, enum resource_id kind, struct str name,
			    struct json_doc *patch, client_done_fn *done);
DEFINE_AUTO(struct write *, scheduler_write_free);

/* A task that was decided to be bound: do it; or it cannot be done, and `why` is reported in the pod. */
void scheduler_bind(struct scheduler *scheduler, const struct task *task, const char *node);
void scheduler_bind_failed(struct scheduler *scheduler, struct task *task, const char *why);

void scheduler_execute(struct scheduler *scheduler, const struct session *ssn);
/* What was held back (status_writer.h). */
void scheduler_report_pod(struct scheduler *scheduler, const struct status_pod *pod);
void scheduler_report_group(struct scheduler *scheduler, const struct status_group *group);
void scheduler_report_queue(struct scheduler *scheduler, struct str name, struct json_doc *patch);
/* Forget what is under way. */
void scheduler_drop_writes(struct scheduler *scheduler);

#endif
