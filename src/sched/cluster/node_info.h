/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/node_info.h - nodes: their capacity as columns of integers, their profile, the tasks on them.
 *
 * Capacity is not in the node but in columns, one array a kind and dimension, indexed by the node's
 * slot, so that looking at all nodes reads memory in order:
 *
 *	idle   = allocatable - used			may be below 0: then the node offers nothing
 *	future = idle + releasing - pipelined
 *
 * Nodes with the same labels (but for their own host name), taints and state share a profile: what
 * does not depend on capacity is decided once for all of them. */
#ifndef SCHED_NODE_INFO_H
#define SCHED_NODE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "model/core/taints.h"
#include "model/value/dims.h"
#include "model/value/resources.h"
#include "sched/cluster/node_usage.h"

struct arena;
struct json_doc;
struct node_devices;
struct label_set;
struct numa_node;

enum capacity_kind {
	CAPACITY_ALLOCATABLE,
	CAPACITY_IDLE,
	CAPACITY_FUTURE,
	CAPACITY_USED,
	CAPACITY_RELEASING,
	CAPACITY_COUNT
};

#define NODE_ABSENT UINT32_MAX

/* at[kind][dim][slot]; a dimension that does not exist has no array. */
struct columns {
	int64_t *at[CAPACITY_COUNT][DIMS_MAX];
	/* What tasks ask for of cpu and memory, where asking for nothing counts as a little: for scores. */
	int64_t *nonzero[2];
	double *percent[2]; /* 100 / allocatable of cpu and memory; 0 where there is none */
	uint8_t *foreign;   /* not of this scheduler's shard */
	uint32_t *profile;  /* the id of its profile; NODE_ABSENT: no node there */
	size_t dims;        /* arrays that are there */
	size_t size;        /* slots that each has; even (lanes.h) */
	size_t hollow;      /* nodes that have no cpu or no memory */
};

struct profile {
	uint32_t refs;
	uint32_t id;              /* small, for arrays */
	struct label_set *labels; /* without the host name */
	struct taints taints;
	bool unschedulable;
	bool advises; /* has a PreferNoSchedule taint */
	struct json_doc *doc;
	struct arena *arena;
	struct str key;
};

struct node_image {
	uint32_t name; /* symbol */
	int64_t bytes;
};

struct node_info {
	uint32_t slot;
	uint32_t name; /* symbol */
	struct str text;
	bool there;  /* the Node object has been seen; else a pod named it first */
	bool hollow; /* is there, but has no cpu or no memory */
	struct profile *profile;
	struct label_set *labels; /* all of them */
	struct list tasks;        /* placed ones, by node_link */
	uint32_t task_count;      /* ... without pipelined ones */
	uint32_t port_tasks;      /* ... that hold host ports */
	uint64_t changed;         /* the number of the last change to its capacity or tasks */
	struct node_image *images;
	size_t image_count;
	dim_set present;              /* scalars that its allocatable names */
	struct node_devices *devices; /* its cards (device.h); NULL: none */
	struct node_usage usage;      /* measured */
	struct numa_node *numa;       /* its NUMA nodes, if they are known (numa.h) */
};

static inline int64_t columns_get(const struct columns *cols, enum capacity_kind capacity, int dim,
				  uint32_t slot)
{
	return (size_t)dim < cols->dims ? cols->at[capacity][dim][slot] : 0;
}

#endif
