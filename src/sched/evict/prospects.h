/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/prospects.h - could room be made for a job by evicting others, although there is none?
 *
 * For those who let groups in. An estimate by the actions that are configured: what has been let in on
 * this ground counts, so that it is no more than what the queue may take back, or holds itself. */
#ifndef SCHED_PROSPECTS_H
#define SCHED_PROSPECTS_H

#include <stdbool.h>

struct job;
struct session;

/* Without a plugin that knows of shares, no queue has anything to take back, and two of them could take
 * from each other in turn. */
bool prospects_have_shares(const struct session *ssn);
/* For the minResources of a job. */
bool prospects_of_reclaim(const struct session *ssn, const struct job *job);
bool prospects_of_preempt(const struct session *ssn, const struct job *job);

#endif
