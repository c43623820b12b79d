/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/scheduler.h - the scheduler as a service: feeds the cluster model from the API, runs a
 * cycle when something has changed, and executes what the cycle decided.
 *
 *	struct scheduler *scheduler = scheduler_new(loop, client, &options, err);
 *
 * Event-driven: a change leads to a cycle within milliseconds; the period is only a bound for what
 * depends on time. Nothing is scheduled before every informer has its first list.
 *
 * One writer a fact: phase, counts and conditions of PodGroups, the PodScheduled condition of pods
 * that wait, and status.allocated of queues are written here and nowhere else. */
#ifndef SCHEDULER_SCHEDULER_H
#define SCHEDULER_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct buf;
struct client;
struct cluster;
struct log;
struct loop;
struct plugin_types;
struct scheduler;

struct scheduler_options {
	/* The text of the configuration file; none: the built-in configuration. */
	struct str config;
	bool fall_back;                     /* use that also where the text makes no sense */
	const char *const *scheduler_names; /* NULL-terminated; NULL: volcano */
	const char *default_queue;          /* NULL: default */
	const char *const *node_selector;   /* "key:value", NULL-terminated; NULL: all nodes */
	const char *const
		*ignored_provisioners; /* of volumes that nodes do not count; may be NULL */
	const char *shard_name;        /* of the NodeShard that is ours; NULL: volcano */
	bool shard_hard;               /* other nodes are not used */
	bool shard_soft;               /* ... only where ours do not suffice */
	int64_t period_us;             /* 0: a second */
	int64_t gather_us;             /* how long a change waits for others to come; 0: 2 ms */
	bool queue_gates;              /* the feature SchedulingGatesQueueAdmission */
	bool no_classes;               /* PriorityClasses say nothing of jobs */
	const char *zone_file;         /* of tzdata: what clocks here show; NULL: UTC */
	const struct plugin_types
		*plugins; /* in addition to those that are built in; lent. NULL: none */
	struct log *log;
};

/* Lends loop and client, which outlive it. ERR_INVALID: the configuration cannot be used. */
struct scheduler *scheduler_new(struct loop *loop, struct client *client,
				const struct scheduler_options *options,
				struct err *err) MUST_CHECK;
/* What is on its way is left to the server. Takes NULL. */
void scheduler_free(struct scheduler *scheduler);
DEFINE_AUTO(struct scheduler *, scheduler_free);

/* Another configuration from the next cycle on; a bad one changes nothing. */
int scheduler_configure(struct scheduler *scheduler, struct str config, struct err *err) MUST_CHECK;

/* Has every informer its first list, and are the first queues there? */
bool scheduler_is_ready(const struct scheduler *scheduler);
/* Has the server answered, one way or the other, to making and opening the first queues? If it could, then a
 * job can be submitted from here on. */
bool scheduler_has_tried_queues(const struct scheduler *scheduler);

struct scheduler_stats {
	uint64_t cycles;
	uint64_t binds;
	uint64_t bind_failures;
	uint64_t evictions;
	uint64_t preemptions;  /* cycles that evicted */
	uint64_t victims_last; /* ... how many, the last of them */
	uint64_t writes;       /* of every sort, binds included, events not */
	uint64_t group_writes;
	uint64_t pod_writes; /* of conditions */
	int64_t cycle_us_last;
	int64_t cycle_us_max;
	size_t in_flight;
};
void scheduler_stats(const struct scheduler *scheduler, struct scheduler_stats *ret);
/* In Prometheus' text format. */
void scheduler_print_metrics(const struct scheduler *scheduler, struct buf *to);
/* What it thinks: into FOLDER/snapshot-<seconds>.json (sched/cluster/dump.h), or into its log. */
int scheduler_dump(const struct scheduler *scheduler, const char *folder,
		   struct err *err) MUST_CHECK;
void scheduler_log_model(const struct scheduler *scheduler);
/* The model, for tests and for those who explain; lent. */
struct cluster *scheduler_cluster(struct scheduler *scheduler);

#endif
