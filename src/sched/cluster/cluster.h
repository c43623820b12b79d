/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster.h - the cluster as the scheduler sees it: fed by events, never copied.
 *
 * Objects come in as documents (cluster_apply) and go (cluster_remove); a session works on the model
 * itself through statements that are undone exactly. What the service does with a decision comes back
 * as events as well: a bound pod as the pod, a failed binding as cluster_bind_failed().
 *
 * Between two events everything that can be counted is counted: capacity of nodes, holdings of jobs and
 * queues, pods a domain for affinities. cluster_check() walks all of it.
 *
 * An object that makes no sense is set aside with a reason: what was known of it before stays, the
 * others are not affected, and it is healed when a good version comes.
 *
 * Jobs that a cycle has to look at (tasks to place, a phase to write, something changed) are in the
 * list `active`; a job that just runs is not, so that a cycle with nothing to do costs nothing. A job
 * that waits, and for which a cycle found nothing, is blocked until something happens that could help
 * it (capacity is freed, a limit is raised, an object is deleted) or its own objects change. New jobs do not
 * help it, so a deep backlog does not slow each cycle down. Of identical jobs only the first is tried
 * then (job_group.h). */
#ifndef SCHED_CLUSTER_H
#define SCHED_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macro.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/value/dims.h"
#include "model/value/resources.h"
#include "sched/cluster/class.h"
#include "sched/cluster/job.h"
#include "sched/cluster/labelset.h"
#include "sched/cluster/node_info.h"
#include "sched/cluster/queue_info.h"
#include "sched/cluster/symbols.h"
#include "sched/cluster/task.h"
#include "sched/place/volume_fit.h"

struct devices;
struct hypernodes;
struct nodeshard;
struct numa;

/* What the scheduler watches. Those after CLUSTER_PODGROUP are kept as documents with their view
 * (struct thing), for the plugins that read them. */
enum cluster_kind {
	CLUSTER_POD,
	CLUSTER_NODE,
	CLUSTER_QUEUE,
	CLUSTER_PRIORITYCLASS,
	CLUSTER_PODGROUP,
	CLUSTER_NAMESPACE,
	CLUSTER_QUOTA,
	CLUSTER_PDB,
	CLUSTER_PVC,
	CLUSTER_PV,
	CLUSTER_STORAGECLASS,
	CLUSTER_CSINODE,
	CLUSTER_HYPERNODE,
	CLUSTER_NODESHARD,
	CLUSTER_CONFIGMAP,
	CLUSTER_NUMATOPOLOGY,
	CLUSTER_KIND_COUNT
};
/* "Pod", ... */
const char *cluster_kind_name(enum cluster_kind kind);
/* The kind of a manifest by its `kind`, or CLUSTER_KIND_COUNT. */
enum cluster_kind cluster_kind_find(struct str kind);

/* An object that is kept as it came. */
struct thing {
	struct json_doc *doc;
	struct arena *arena;
	void *view;    /* struct pdb, struct quota, ... by its kind */
	char *key;     /* "namespace/name", or "name" */
	uint32_t name; /* symbol, for reasons that speak of it */
};

struct holders_cache;

struct cluster_options {
	const char *const *scheduler_names; /* NULL-terminated; NULL: volcano */
	const char *default_queue;          /* NULL: default */
	const char *const *node_selector; /* "key:value" pairs, NULL-terminated; NULL: all nodes */
	const char *shard_name;           /* of the NodeShard that is ours; NULL: volcano */
	/* Volumes of these provisioners are not counted, NULL-terminated; may be NULL. */
	const char *const *ignored_provisioners;
	bool no_classes; /* PriorityClasses say nothing of jobs */
	uint64_t seed;
};

/* How many nodes may still be tested for messages, in this second (survey.h). */
struct survey_budget {
	bool set;
	int64_t time;
	int64_t left;
};

struct cluster {
	struct holders_cache *holders; /* NULL: not used yet (holders.h) */
	struct survey_budget survey_budget;
	/* Called with each task before a place is looked for; for who notes what is processed. */
	void (*look)(void *arg, const struct task *task);
	void *look_arg;
	struct symbols *symbols;
	struct label_sets *label_sets;
	struct dims *dims;
	struct columns columns;
	VEC(struct node_info *) nodes; /* by slot; NULL: free */
	VEC(uint32_t) node_unused;
	size_t node_count;      /* that are there */
	size_t image_nodes;     /* that say which images they have */
	struct resources total; /* allocatable of all nodes */
	struct resources used;
	size_t moving; /* tasks that are pipelined or releasing: while there are none, future capacity is idle */
	struct map *node_names;
	struct map *tasks;  /* by "namespace/name" */
	struct map *jobs;   /* the same */
	struct map *queues; /* by name */
	struct map *things[CLUSTER_KIND_COUNT];
	struct volumes *volumes;
	struct hypernodes *hypernodes; /* domains of the network */
	struct devices *devices;       /* NULL: the plugin deviceshare is off (cards.h) */
	struct map *aside;             /* "Pod default/p" -> text; see cluster_aside() */
	struct numa *numa;
	struct object_warnings *warnings;
	struct list active;
	size_t active_count;
	struct list blocked; /* jobs that wait for capacity; see cluster_block_job() */
	size_t blocked_count;
	struct map *job_groups; /* blocked jobs that are identical; see job_group.h */
	size_t group_count;
	uint64_t unblocks;      /* how often blocked jobs were unblocked; never 0 */
	uint64_t unblocks_seen; /* ... when the last session ended */
	uint64_t unblocks_wide; /* ... when it last was more than capacity on nodes */
	uint64_t events;        /* that may have changed something; never 0 */
	uint64_t still;         /* `events` as a session left them that had nothing to decide */
	/* Capacity that was freed, pods that were placed, groups that count otherwise than before: changes who fits where. */
	uint64_t moves;
	uint64_t refreshed; /* `moves` when all jobs were last tried */
	size_t refresh_at;  /* the group that is looked at next, see job_groups_refresh() */
	struct resources inqueue_whole; /* of all jobs */
	struct list admitted;           /* jobs, by admitted_link */
	VEC(struct queue_info *) queue_by_id;
	VEC(uint32_t) queue_unused;

	struct map *terms;
	VEC(struct terms *) terms_by_id;
	VEC(uint32_t) terms_unused;
	struct map *classes;
	VEC(struct class *) class_by_id;
	VEC(uint32_t) class_unused;
	struct map *profiles;
	VEC(struct profile *) profile_by_id;
	VEC(uint32_t) profile_unused;
	struct affinity_index *affinity;
	VEC(uint8_t) watched; /* by symbol: a label key that some selector of pods looks at */
	bool watched_more;    /* since the classes were made */

	/* Changes of nodes, in order, for what caches things about them: `changes` have been counted,
	 * the last of them are in the ring. */
	uint64_t changes;
	uint32_t *change_ring;
	uint64_t shape; /* counts changes of another kind: slots and profiles come and go */
	/* See cluster_most(): by capacity and dimension, as of these counts. */
	struct {
		int64_t amount;
		uint64_t changes;
		uint64_t shape;
	} most[CAPACITY_COUNT][DIMS_MAX];
	struct list finders; /* those in use, the one used last in front; see finder.h */
	size_t finder_count;
	VEC(char *) texts;        /* that their verdicts refer to, see session_text() */
	struct map *text_numbers; /* by text: its place there */

	char **scheduler_names;
	char *default_queue;
	char *shard_name;
	bool no_classes;
	char **node_selector;
	uint64_t config; /* the number of the configuration that sessions had last */
	bool priorities_stale;
	bool shards_stale;
	uint64_t usage_reports; /* measurements of nodes that have come */
	uint32_t sessions;      /* opened so far */
	uint64_t arrivals;      /* of PodGroups and queues so far */
};

enum { CHANGE_RING = 4096 };

struct cluster *cluster_new(const struct cluster_options *options) __attribute__((returns_nonnull));
void cluster_free(struct cluster *cluster);
DEFINE_AUTO(struct cluster *, cluster_free);

/* --- events ---------------------------------------------------------------------------------- */

/* An object is there, or has changed. The document is lent, and referred to where it is kept. -1: it
 * has been set aside, and `err` says why; nothing else has changed. */
int cluster_apply(struct cluster *cluster, enum cluster_kind kind, struct json_doc *doc,
		  struct err *err);
/* It was deleted. `namespace` is empty for kinds without. */
void cluster_remove(struct cluster *cluster, enum cluster_kind kind, struct str namespace,
		    struct str name);
/* A binding that was decided has failed: the task waits again. */
void cluster_bind_failed(struct cluster *cluster, struct task *task);
/* An eviction that was decided has failed: the task is where it was. */
void cluster_evict_failed(struct cluster *cluster, struct task *task);

/* --- looking --------------------------------------------------------------------------------- */

struct task *cluster_find_task(const struct cluster *cluster, struct str namespace,
			       struct str name);
struct job *cluster_find_job(const struct cluster *cluster, struct str namespace, struct str name);
struct queue_info *cluster_find_queue(const struct cluster *cluster, struct str name);
/* NULL unless the Node object is there. */
struct node_info *cluster_find_node(const struct cluster *cluster, struct str name);
/* Is a node our shard's to use: does it want it, and has no other shard it in use? */
bool cluster_shard_takes(const struct cluster *cluster, const struct nodeshard *own,
			 struct str name);
const struct thing *cluster_find_thing(const struct cluster *cluster, enum cluster_kind kind,
				       struct str namespace, struct str name);
/* The value of a priority class; false if there is none. */
bool cluster_priority(const struct cluster *cluster, struct str class, int32_t *ret);
/* Why an object is set aside, or NULL. */
const char *cluster_aside(const struct cluster *cluster, enum cluster_kind kind,
			  struct str namespace, struct str name);

/* Does a request fit into this capacity of a node? Missing dimensions count as none. */
bool cluster_fits(const struct cluster *cluster, enum capacity_kind capacity, uint32_t slot,
		  const struct class *class);
/* The first dimension that is short (cpu, memory, then the others), or DIM_NONE. */
int cluster_short_of(const struct cluster *cluster, enum capacity_kind capacity, uint32_t slot,
		     const struct class *class);
/* The last one, where the first is neither cpu nor memory; else the first. */
int cluster_short_of_last(const struct cluster *cluster, enum capacity_kind capacity, uint32_t slot,
			  const struct class *class);
/* A node's capacity as a vector, for rules that compare vectors. `ret` must be initialised. */
void cluster_capacity(const struct cluster *cluster, enum capacity_kind capacity,
		      const struct node_info *node, struct resources *ret);

/* A taint that pods of a class do not tolerate: of the profile that most nodes have, of those with
 * one; NULL: there is none. */
const struct taint *cluster_common_taint(const struct cluster *cluster, const struct class *class);

/* The first resource that a job, or a task of it that waits, asks for and no node has; none: they ask
 * for nothing of the sort. */
struct str cluster_unknown_resource(const struct cluster *cluster, const struct job *job);

/* --- upkeep ---------------------------------------------------------------------------------- */

/* Put a job among those that the next cycle looks at. */
void cluster_touch_job(struct cluster *cluster, struct job *job);
/* An active job waits, and only freed capacity or a change of its objects can help. */
void cluster_block_job(struct cluster *cluster, struct job *job);
/* Something has become free or easier: blocked jobs are active again, or the first of each group is tried. */
void cluster_unblock(struct cluster *cluster);
/* The same, if it is only capacity on nodes that exist, because a pod ended. */
void cluster_unblock_for_capacity(struct cluster *cluster);
/* The most that a node has of something: in all, free, free now or soon (CAPACITY_FUTURE). */
int64_t cluster_most(struct cluster *cluster, enum capacity_kind capacity, int dim);
/* A job was refused at this value of `unblocks` because every node has less than it asks for: would it be again? */
bool cluster_is_still_short(struct cluster *cluster, const struct shortage *shortage,
			    uint64_t refused);
/* Some blocked jobs that were not looked at since something changed are active again: it does not help
 * them, but what they report would become outdated. */
void cluster_refresh(struct cluster *cluster);
/* Nothing waits that could be helped: a cycle has nothing to do. */
bool cluster_is_idle(const struct cluster *cluster);
void cluster_set_phase(struct cluster *cluster, struct job *job, enum podgroup_phase phase);
/* Bring up to date what events left for later: classes after new selectors, priorities, sums of jobs
 * that changed. A session begins with it. */
void cluster_settle(struct cluster *cluster);

/* What is wrong with the model, or NULL; the text is for mem_free(). For tests: walks everything. */
char *cluster_check(const struct cluster *cluster);

/* Bytes of memory that tasks (with their classes and labels) and nodes take, about. */
struct cluster_bytes {
	size_t tasks;
	size_t nodes;
	size_t jobs;
};
struct cluster_bytes cluster_bytes(const struct cluster *cluster);

#endif
