/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/evict.h - freeing capacity by evicting others: one search for preempt, reclaim and the gang actions.
 *
 * No pod is evicted on a guess. In a statement, on the model itself, victims go and the waiting tasks
 * take their capacity; only if the whole gang has a place in the end is it committed, and then without any
 * victim that could have stayed. See docs/design/020-eviction.md. */
#ifndef SCHED_EVICT_H
#define SCHED_EVICT_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/plugin/plugin.h"

struct evict_rules {
	enum evict_kind kind;
	const char *word;   /* that users see: "preempt" */
	bool across_queues; /* victims are of other queues; else of the same */
	bool whole_gangs;   /* a gang at its minimum may be broken, after everything else */
	int64_t max_domains; /* of the network, that are tried for a job; 0: as many as the plugin says */
	bool silent;         /* a search that fails reports nothing: another one has */
	bool needs_victims; /* tasks are not reported of places at which no pod has to go */
};

/* All starving jobs, queue by queue, each at most once. */
void evict_round(struct session *ssn, const struct evict_rules *rules);
/* Tasks of a job take from its own tasks of lower priority, one by one. */
void evict_within(struct session *ssn, const struct evict_rules *rules, struct job *job);
/* May others be evicted for the job: does it wait, is it valid, does it starve? */
bool evict_is_starving(struct session *ssn, struct job *job);

#endif
