/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/domain_search.h - in which network domains tasks could be placed together, the best first; and which
 * node inside of one (scheduler specification, 5.2.3 and 6.21).
 *
 * A domain is worth trying if as many pods as must be together fit into it by count (domain_fit.h). Of those that hold all
 * tasks the lowest tier comes first, and in a tier the highest score; then those that hold only the minimum.
 *
 * Where tasks of the same group run already, others go near them: into the smallest domain that holds all of them, then
 * into the next one around it, as far as the limit allows. */
#ifndef SCHED_DOMAIN_SEARCH_H
#define SCHED_DOMAIN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/value/resources.h"

struct choice;
struct domain;
struct fit;
struct job;
struct network_topology;
struct session;
struct sub_job;
struct task;

struct domain_ask {
	struct session *ssn;
	const struct job *job;
	const struct sub_job *sub;   /* the tasks are of this one; NULL: of the whole job */
	const struct domain *within; /* this one or one in it */
	int64_t limit;               /* the highest tier */
	struct task *const *tasks;   /* that wait, and are to be placed */
	size_t count;
	size_t need; /* so many of them at least */
};
struct domain_list VEC_FIELDS(const struct domain *);

/* Does the session know domains, and does the job, or a sub-group of it, ask for some? */
bool domain_search_applies(const struct session *ssn, const struct job *job);
/* The topology that holds for tasks of a sub-group, or NULL. */
const struct network_topology *domain_topology(const struct sub_job *sub);

/* Those to be tried, in order. */
void domain_search(const struct domain_ask *ask, struct domain_list *to);
/* Those in which evictions could help, the fewest pods to evict first; at most `most`. */
void domain_search_evict(const struct domain_ask *ask, size_t most, struct domain_list *to);

/* Why none was found. */
struct domain_shortage {
	const struct domain *best; /* of those that are allowed; NULL: none is */
	int64_t fits;              /* pods in it */
	bool beyond;               /* even if it and all others were empty */
	bool spread;               /* its running pods are further apart than allowed */
};
struct domain_shortage domain_search_explain(const struct domain_ask *ask);

/* Sums of what domains had free when the session first asked: Volcano tries a domain if the sum suffices, and reports
 * what its nodes lack. The last domain that it would try, or NULL. */
void domain_search_note_sums(struct session *ssn);
const struct domain *domain_search_reported(const struct domain_ask *ask);

/* --- inside of a domain ------------------------------------------------------------------------ */

/* Tasks of a group on their way into a domain: near those that have a place; else into the part that holds all that are
 * left, else into the one that holds most. */
struct descent {
	struct session *ssn;
	const struct domain *domain;
	int64_t *placed; /* by domain: tasks of the group */
	size_t left;     /* tasks that are still to be placed */
};
void descent_init(struct descent *d, const struct domain_ask *ask, const struct domain *domain);
void descent_done(struct descent *d);
/* As finder_choose(). */
bool descent_choose(struct descent *d, struct task *task, struct choice *ret,
		    const struct fit **ret_fit);
/* A task of the group has this place now. */
void descent_add(struct descent *d, uint32_t slot);

#endif
