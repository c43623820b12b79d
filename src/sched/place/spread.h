/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/spread.h - which pods spread constraints count: those on nodes that count for them.
 *
 * A node counts for a constraint if it has the keys of all constraints that are meant as strictly (DoNotSchedule, or
 * ScheduleAnyway), and the constraint's policies do not leave it out: by default those that the pod's node
 * selector and affinity exclude. What is counted in whole domains (affinity_index.h) is taken, less the pods on other nodes. */
#ifndef SCHED_SPREAD_H
#define SCHED_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "sched/cluster/class.h"
#include "sched/place/affinity_index.h"

struct cluster;
struct node_info;

/* Of one constraint. Which nodes and domains count does not change in a session, since nodes do not; how many
 * pods they have does with each placement. */
struct spread_count {
	VEC(uint32_t) domains; /* that have a node which counts */
	uint8_t *barred;       /* by slot: does not count; NULL: all do */
	int32_t *apart;        /* by domain: pods on nodes that do not count */
};

/* Of all constraints of the terms that were asked about last; all zero in the beginning of a session. */
struct spread_counts {
	const struct terms *terms;
	uint64_t changes; /* the cluster's, that they are as of */
	VEC(struct spread_count) at;
};
void spread_counts_clear(struct spread_counts *counts);
void spread_counts_done(struct spread_counts *counts);
/* Bring them up to date; false: nothing has changed since the last time. */
bool spread_counts_find(struct spread_counts *counts, const struct cluster *cluster,
			const struct terms *terms);

bool spread_is_hard(const struct spread_term *spread);

/* Pods that count in a domain. */
static inline int32_t spread_pods(const struct spread_term *spread,
				  const struct spread_count *count, uint32_t domain)
{
	return pod_term_matching(spread->term, domain) - (count->apart ? count->apart[domain] : 0);
}

/* Do a pod's node selector and required node affinity allow a node? */
bool terms_allow_node(const struct terms *terms, const struct cluster *cluster,
		      const struct node_info *node);

#endif
