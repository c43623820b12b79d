/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster_internal.h - what the files of the model share; no other module includes it.
 *
 *	cluster.c	life, dispatch of events, what is set aside, looking things up
 *	cluster_pod.c	pods to tasks
 *	cluster_node.c	nodes: columns, profiles
 *	cluster_group.c	PodGroups to jobs
 *	cluster_queue.c	queues and their tree
 *	class.c		terms and classes
 *	ledger.c	every change of a task
 *	affinity.c	pods a domain
 *	cluster_check.c		what must hold */
#ifndef SCHED_CLUSTER_INTERNAL_H
#define SCHED_CLUSTER_INTERNAL_H

#include "sched/cluster/cluster.h"
#include "sched/cluster/ledger.h"
#include "sched/place/affinity_index.h"

int cluster_apply_pod(struct cluster *cluster, struct json pod, struct err *err);
void cluster_remove_pod(struct cluster *cluster, struct str key);
int cluster_apply_node(struct cluster *cluster, struct json object, struct err *err);
void cluster_remove_node(struct cluster *cluster, struct str key);
int cluster_apply_group(struct cluster *cluster, struct json_doc *doc, struct err *err);
void cluster_remove_group(struct cluster *cluster, struct str key);
int cluster_apply_queue(struct cluster *cluster, struct json_doc *doc, struct err *err);
void cluster_remove_queue(struct cluster *cluster, struct str key);

/* The job of a key, made if it is new. */
struct job *cluster_make_job(struct cluster *cluster, struct str key, size_t namespace_len);
/* Free it if neither a PodGroup nor a task is left. */
void cluster_drop_job(struct cluster *cluster, struct job *job);
/* The sub-group that a task belongs to. */
struct sub_job *cluster_sub_job_of(struct cluster *cluster, struct job *job,
				   const struct task *task);
void cluster_free_job(struct cluster *cluster, struct job *job);
void cluster_free_queue(struct cluster *cluster, struct queue_info *queue);

/* minResources whose names were unknown, after new dimensions. */
void cluster_read_groups_again(struct cluster *cluster);
/* Priorities of jobs, after a change of priority classes. */
void cluster_rank_jobs(struct cluster *cluster);

/* The node of a name, made (as one that is not there) if it is new. */
struct node_info *cluster_make_node(struct cluster *cluster, struct str name);
/* Free it if neither the Node nor a task is left. */
void cluster_drop_node(struct cluster *cluster, struct node_info *node);
void cluster_free_nodes(struct cluster *cluster);
/* Which nodes are of our shard, after a change of shards or nodes. */
void cluster_read_shards(struct cluster *cluster);
/* A column for each dimension that there is now. */
void cluster_grow_columns(struct cluster *cluster);
void cluster_drop_profile(struct cluster *cluster, struct profile *profile);

/* The class of a pod, counted. */
struct class *class_take(struct cluster *cluster, struct json pod, const struct label_set *labels,
			 uint32_t namespace, struct err *err) MUST_CHECK;
/* The class of the same pods with other labels that a selector uses; counted. */
struct class *class_take_like(struct cluster *cluster, struct class *like,
			      const struct label_set *labels);
struct class *class_ref(struct class *class);
void class_drop(struct cluster *cluster, struct class *class);
/* Requests whose names were unknown, after new dimensions. */
void classes_read_again(struct cluster *cluster);
/* What they ask for of cards, after another configuration of these; no task is in the sums. */
void classes_read_devices(struct cluster *cluster);

/* Numbers for an array of pointers, freed ones first. */
#define ids_take(vec, unused, value)                          \
	__extension__({                                       \
		uint32_t id_ = (uint32_t)(vec)->len;          \
		if ((unused)->len) {                          \
			id_ = (unused)->ptr[--(unused)->len]; \
			(vec)->ptr[id_] = (value);            \
		} else {                                      \
			vec_push((vec), (value));             \
		}                                             \
		id_;                                          \
	})
#define ids_drop(vec, unused, id)         \
	do {                              \
		(vec)->ptr[(id)] = NULL;  \
		vec_push((unused), (id)); \
	} while (0)

#endif
