/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/reason.h - reasons as data: why a node does not take a task, why a task, a job waits.
 *
 * Three levels:
 *
 *	verdict	one node, one task: a set of fit codes in one word; 0 means that it fits
 *	fit	all nodes of a set, one task: how many nodes say what, and the largest free amount
 *	reason	one job: a code, the dimension, what is there, what is allowed, what is asked for
 *
 * Texts for people are made in message.c; those that Volcano has, for conditions and events, are made here. Of several reasons the one with the highest rank is reported first: the table in reason.c says
 * the rank of each, so that what keeps a job back for good is never hidden by what it leads to. */
#ifndef SCHED_REASON_H
#define SCHED_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/value/dims.h"

struct arena;
struct symbols;
struct resources;
struct taint;
struct task;

/* --- one node -------------------------------------------------------------------------------- */

enum fit_code {
	FIT_INSUFFICIENT, /* detail: the dimension */
	FIT_POD_COUNT,
	FIT_UNSCHEDULABLE,
	FIT_NODE_AFFINITY,
	FIT_TAINT,
	FIT_PORTS,
	FIT_POD_AFFINITY,
	FIT_POD_ANTI_AFFINITY,
	FIT_EXISTING_ANTI_AFFINITY,
	FIT_VOLUME_ZONE,
	FIT_SPREAD_LABEL,
	FIT_SPREAD,
	FIT_VOLUME_AFFINITY,
	FIT_VOLUME_NONE,
	FIT_VOLUME_STORAGE,
	FIT_VOLUME_LOST,
	FIT_ATTACH, /* detail: the driver, as FIT_OTHER */
	FIT_GROUP_LABEL,
	FIT_GROUP_UNSET,
	FIT_GROUP_MISMATCH,
	FIT_PROPORTION, /* detail: the dimension */
	FIT_SHARD,
	FIT_ZONE_CLOSED, /* detail: an index of the plugin's texts, see session_text() */
	FIT_ZONE_FOREIGN,
	FIT_DEVICE_NONE,
	FIT_VGPU,
	FIT_VGPU_NEVER, /* the same in texts; evicting does not help */
	FIT_GPU_MEMORY, /* `most`: the node's name */
	FIT_GPU_NUMBER, /* the same */
	FIT_NPU,
	FIT_NPU_NEVER,
	FIT_NUMA,  /* detail: as FIT_ATTACH */
	FIT_OTHER, /* detail: as FIT_ATTACH */
	FIT_CODE_COUNT
};

/* A set of codes, and a detail in the upper 16 bits. */
typedef uint64_t verdict;
#define VERDICT(code) (UINT64_C(1) << (code))
#define VERDICT_OF(code, detail) (VERDICT(code) | (uint64_t)(uint16_t)(detail) << 48)
static inline uint16_t verdict_detail(verdict v)
{
	return (uint16_t)(v >> 48);
}
static inline uint64_t verdict_codes(verdict v)
{
	return v & ((UINT64_C(1) << 48) - 1);
}
/* Can evicting others not change it? */
bool verdict_is_final(verdict v);

/* --- one task -------------------------------------------------------------------------------- */

struct fit_count {
	uint16_t code;
	uint16_t detail;
	uint32_t count; /* nodes */
	/* FIT_INSUFFICIENT: the largest amount that one of them has free; FIT_GPU_*: the name of the only one, a symbol */
	int64_t most;
};
struct fit {
	uint32_t nodes;    /* that were looked at */
	struct str domain; /* the network domain; empty: all nodes */
	const char *whole; /* a text about the task as such, before any node; or NULL */
	const struct resources *request; /* of the task; NULL: it does not matter */
	const struct taint *taint;       /* of FIT_TAINT: the one that most nodes have, about */
	/* If nodes lack several resources other than cpu and memory: the same, with the last of these in
	 * place of the first; NULL: there is no such node. */
	const struct fit *other;
	size_t len;
	struct fit_count at[];
};

/* What texts need in addition to the numbers. */
struct reason_names {
	const struct dims *dims;
	const struct symbols *symbols;
	const char *const *texts; /* of plugins; by detail */
	size_t text_count;
	struct str other; /* the resource that no node has, where it is known: of DIM_OTHER */
};
/* The name of a dimension as people know it. */
struct str reason_dim_name(const struct reason_names *names, int dim);

/* "0/3 nodes are unavailable: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)." */
void fit_print(const struct fit *fit, const struct reason_names *names, struct buf *to);
/* A short name, for `-o json`: "Taint". */
const char *fit_code_name(enum fit_code code);
/* Alone: "node(s) had untolerated taint(s)", "Insufficient cpu". */
void fit_code_print(enum fit_code code, uint16_t detail, const struct reason_names *names,
		    struct buf *to);

/* --- one job --------------------------------------------------------------------------------- */

enum reason_code {
	REASON_NONE,
	REASON_QUEUE_MISSING,  /* subject: the queue */
	REASON_QUEUE_CLOSED,   /* subject: the queue */
	REASON_QUEUE_BROKEN,   /* subject: the queue; its place in the tree is not known */
	REASON_QUEUE_NOT_LEAF, /* subject: the queue */
	REASON_TASKS,          /* have, limit: pods that there are, that there must be */
	REASON_ROLE_TASKS,     /* subject: the role; have, limit as of REASON_TASKS */
	REASON_SUB_GROUPS,
	REASON_GATED,            /* have: pods with gates */
	REASON_QUOTA,            /* subject: the quota */
	REASON_QUEUE_CAPABILITY, /* subject: the queue; dims, have, limit, need */
	REASON_GUARANTEED,       /* the same; other queues are guaranteed the rest */
	REASON_CLUSTER,          /* the same; there is no more */
	REASON_OVERCOMMIT,       /* dims, have, limit, need */
	REASON_QUEUE_SHARE,      /* subject: the queue; more than it deserves */
	REASON_NO_NODES,         /* there are none at all */
	REASON_NODES, /* fit; subject: the role, or none; have: its pods that could be placed before */
	REASON_NETWORK, /* subject: the HyperNode that has capacity for most; have: for how many pods; limit: that must
			 * be together; asked: the highest tier; need: not 0 if running pods are too far apart */
	REASON_NETWORK_BROKEN,
	REASON_GANG,      /* some fit, not enough of them; have, limit */
	REASON_RELEASING, /* capacity is being released for it */
	REASON_CODE_COUNT
};

struct reason {
	uint8_t code;     /* enum reason_code */
	int8_t dim;       /* the one that is short the most, or DIM_NONE */
	bool beyond;      /* nothing that ends could free capacity for it */
	uint32_t subject; /* symbol */
	dim_set dims;     /* all that are short */
	int64_t have;
	int64_t reserved; /* in addition to what is in use: for jobs that were admitted, or that wait for capacity to be released */
	int64_t limit;
	int64_t asked;
	int64_t need;            /* by how much all of it is beyond the limit */
	int64_t free;            /* REASON_NODES: of the cluster, once the attempt was undone */
	int32_t pods;            /* REASON_NODES: how many it needs at once */
	struct str resource;     /* REASON_QUOTA: what the quota counts, if that is no dimension */
	const struct task *task; /* REASON_NODES: the one that found no node */
	const struct fit *fit;
	const char *text;
};

/* Several of them, by rank. */
enum { REASONS_MAX = 5 };
struct reasons {
	size_t len;
	struct reason at[REASONS_MAX];
};
/* Does it say no more than that there is nothing to have anywhere: a limit of 0, no node that fits? */
bool reason_follows_no_nodes(const struct reason *reason);
/* Is one of that code about that subject among them? */
bool reasons_have(const struct reasons *reasons, const struct reason *reason);
/* Keeps one of a code about a subject, the first; of too many those of the highest ranks. */
void reasons_add(struct reasons *reasons, const struct reason *reason);

/* The larger is reported first. */
int reason_rank(enum reason_code code);
/* A short name, for metrics and `-o json`: "QueueCapability". */
const char *reason_name(enum reason_code code);
/* Keep the one that ranks higher in *best. */
void reason_prefer(struct reason *best, const struct reason *other);
/* What Volcano reports in an event about a group that is not admitted: "queue resource quota insufficient:
 * insufficient cpu"; nothing for other reasons. */
void reason_print_event(const struct reason *reason, const struct reason_names *names,
			struct buf *to);
/* "dedicated=infra:NoSchedule" */
void reason_print_taint(const struct taint *taint, struct buf *to);
/* Thousandths of something that is counted: 5, 4.8, 0.001 */
void reason_put_count(int64_t amount, struct buf *to);
/* An amount, exactly: cpu 500m, memory 2Gi, nvidia.com/gpu 4.8, hugepages-2Mi 4Mi; "unlimited" is one. In texts they
 * are as people read them (words.h). */
void reason_print_amount(int dim, int64_t amount, const struct reason_names *names, struct buf *to);
/* The counts of a fit, those of most nodes first, into `ret`, which holds `max`; gives their number. */
size_t fit_sort(const struct fit *fit, struct fit_count *ret, size_t max);
enum { FIT_COUNTS_MAX = 8 }; /* more are not reported */

#endif
