/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/affinity_index.h - pods a domain: what inter-pod affinity and spreading are decided by.
 *
 * A term (selector, namespaces, topology key) stands once, however many pods carry it, with two
 * counters a domain: pods that it matches, and pods that carry it. The ledger keeps both current, at
 * a cost of the terms that a pod matches or carries; no code walks the pods of a cluster to decide
 * a placement.
 *
 * A topology key numbers its domains; the host name's are as many as nodes. A node without the label
 * is in no domain (AFFINITY_NONE). */
#ifndef SCHED_AFFINITY_INDEX_H
#define SCHED_AFFINITY_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/value/labels.h"

struct cluster;
struct label_set;
struct node_info;
struct pod_affinity_term;
struct task;
struct terms;
struct topology_spread;

#define AFFINITY_NONE UINT32_MAX

struct topology {
	uint32_t key;            /* symbol */
	VEC(uint32_t) domain_of; /* by slot */
	VEC(uint32_t) values;    /* by domain: symbol of the label's value */
	VEC(uint32_t) nodes;     /* by domain: how many */
	struct map *by_value;
};

/* Why a pod carries a term; those for different reasons are counted apart. */
enum term_use { TERM_AFFINITY, TERM_ANTI, TERM_SOFT, TERM_SPREAD, TERM_USE_COUNT };

struct pod_term {
	uint32_t refs;
	enum term_use use;
	int32_t weight; /* of TERM_SOFT */
	struct str key;
	struct topology *topology;
	struct selector selector;
	bool all_namespaces;
	bool by_namespace; /* by labels of namespaces as well */
	struct selector namespace_selector;
	VEC(uint32_t) namespaces;     /* symbols */
	VEC(struct pod_term *) parts; /* terms that a pod must match as well, all of them */
	struct arena *arena;          /* of the selectors */
	int32_t *matching;            /* by domain */
	int32_t *carrying;
	size_t size;
	int64_t matching_total; /* in any domain */
	int64_t carrying_total;
};

struct affinity_index;

struct affinity_index *affinity_index_new(struct cluster *cluster) __attribute__((returns_nonnull));
void affinity_index_free(struct affinity_index *index);
DEFINE_AUTO(struct affinity_index *, affinity_index_free);

/* The term that a pod of these terms carries, counted; it lives until affinity_drop(). */
struct pod_term *affinity_take(struct affinity_index *index, const struct terms *owner,
			       const struct pod_affinity_term *rule, enum term_use use,
			       int32_t weight);
struct pod_term *affinity_take_spread(struct affinity_index *index, const struct terms *owner,
				      const struct topology_spread *rule);
/* Make terms that a pod carries together such that the same pods must match all of them: each counts, in
 * its own topology, only those. */
void affinity_join(struct affinity_index *index, struct pod_term **terms, size_t count);
void affinity_drop(struct affinity_index *index, struct pod_term *term);

/* New terms of pods: find the counters that they count in. */
void affinity_match_terms(struct affinity_index *index, struct terms *terms);
void affinity_forget_terms(struct affinity_index *index, struct terms *terms);
bool affinity_matches(const struct affinity_index *index, const struct pod_term *term,
		      const struct terms *terms);
/* Labels of a namespace have changed. */
void affinity_rematch(struct affinity_index *index);

/* A node came, went or has other labels; no task may be on it. */
void affinity_set_node(struct affinity_index *index, struct node_info *node, bool there);
/* A task begins (or ceases) to count on its node. */
void affinity_count(struct affinity_index *index, const struct task *task, int by);

static inline uint32_t topology_domain(const struct topology *topology, uint32_t slot)
{
	return slot < topology->domain_of.len ? topology->domain_of.ptr[slot] : AFFINITY_NONE;
}
static inline int32_t pod_term_matching(const struct pod_term *term, uint32_t domain)
{
	return domain < term->size ? term->matching[domain] : 0;
}
static inline int32_t pod_term_carrying(const struct pod_term *term, uint32_t domain)
{
	return domain < term->size ? term->carrying[domain] : 0;
}

/* Says what is wrong with the counters, or NULL; for cluster_check(). */
char *affinity_check(const struct affinity_index *index);

#endif
