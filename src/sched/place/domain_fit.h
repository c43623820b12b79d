/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/domain_fit.h - how many pods like a task fit into each network domain, at most.
 *
 * Counted per class and node once, then kept current by what changes (cluster->changes), as a finder is: so asking about
 * all domains costs what has changed, however many there are. A count is an upper bound: pods that keep each other away
 * may be fewer, never more. */
#ifndef SCHED_DOMAIN_FIT_H
#define SCHED_DOMAIN_FIT_H

#include <stdint.h>

struct domain;
struct domain_fit;
struct session;
struct task;

/* Lent until 64 other classes were asked about. Current until the model changes. */
const struct domain_fit *domain_fit_of(struct session *ssn, const struct task *task)
	__attribute__((returns_nonnull));
/* Pods in the domain; on its nodes that are in none of its children. */
int64_t domain_fit_in(const struct domain_fit *fit, const struct domain *domain);
int64_t domain_fit_in_own(const struct domain_fit *fit, const struct domain *domain);
/* The same if the nodes were empty, whatever else keeps a pod from them. */
int64_t domain_fit_empty(const struct session *ssn, const struct task *task,
			 const struct domain *domain);

/* When its finder goes; takes NULL. */
void domain_fit_free(struct domain_fit *fit);

#endif
