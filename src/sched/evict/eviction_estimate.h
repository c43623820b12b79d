/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/eviction_estimate.h - could evictions free enough capacity for a job?
 *
 * For plugins that admit groups. An estimate by the configured actions. Jobs that were admitted because of it count,
 * so it never exceeds what the queue may take back or uses itself. */
#ifndef SCHED_EVICTION_ESTIMATE_H
#define SCHED_EVICTION_ESTIMATE_H

#include <stdbool.h>

struct job;
struct session;

/* Without a plugin that knows of shares, no queue has anything to take back, and two of them could take
 * from each other in turn. */
bool eviction_estimate_needs_shares(const struct session *ssn);
/* For the minResources of a job. */
bool eviction_estimate_reclaim(const struct session *ssn, const struct job *job);
bool eviction_estimate_preempt(const struct session *ssn, const struct job *job);

#endif
