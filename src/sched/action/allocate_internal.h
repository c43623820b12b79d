/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/allocate_internal.h - what allocate.c and allocate_domains.c share: a job's attempt to be placed. */
#ifndef SCHED_ALLOCATE_INTERNAL_H
#define SCHED_ALLOCATE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/value/resources.h"
#include "sched/session/job_queue_iter.h"
#include "sched/session/pq.h"
#include "sched/session/session.h"

struct descent;
struct domain;
struct statement;

struct attempt_sub {
	struct sub_job *sub;
	size_t came;   /* as which one */
	bool required; /* without it the policy's minimum is not reached */
	struct pq tasks;
	VEC(uint32_t) failed;      /* roles (symbols) of which a task found no node */
	const struct class *class; /* of all its tasks; NULL: they differ */
};

struct attempt {
	struct job *job;
	VEC(struct attempt_sub *) subs;
	struct pq waiting; /* of a job with policies: subs that are still to be tried */
	bool blocked;      /* something was left for the round in which capacity is lent */
	bool followed;     /* the next of its like has been added to the queue */
	bool torn;         /* some of it had places when another found none */
	bool clean;        /* no task of it has found no node since that was forgotten */
};

struct allocation {
	struct session *ssn;
	struct job_queue_iter iter;
	VEC(struct attempt *) attempts;
	struct map *by_job;
	bool lending;
	struct node_set set;     /* where nodes are looked for; all of them but in a domain */
	struct descent *descent; /* NULL: any node of the set */
	const struct domain *in; /* NULL: all nodes */
	/* By queue id: what tasks ask for whose own gate we have taken away, until they are placed. */
	VEC(struct resources) reserved;
};

/* --- allocate.c ------------------------------------------------------------------------------ */

/* Tasks of a sub-group until it is ready; true if what was placed may stay. */
bool allocate_sub(struct allocation *a, struct attempt *attempt, struct attempt_sub *part,
		  struct statement *st);
/* Sub-group by sub-group, until the job has what it needs. */
void allocate_groups(struct allocation *a, struct attempt *attempt, struct statement *st);
/* What an earlier turn found wrong with tasks of a sub-group (NULL: of all) does not count any more. */
void allocate_forget(struct session *ssn, struct job *job, const struct sub_job *sub);

/* --- allocate_domains.c ---------------------------------------------------------------------- */

/* Says of a group whose topology has no effect, or no limit, that it is so. */
void allocate_check_topology(const struct allocation *a, const struct job *job);
/* A turn of a job that asks for domains of the network: in the first in which it has what it needs. */
void allocate_in_domains(struct allocation *a, struct attempt *attempt, struct statement *st);
/* A sub-group of such a job, in the domain of the job. */
bool allocate_sub_in_domains(struct allocation *a, struct attempt *attempt,
			     struct attempt_sub *part, struct statement *st);

#endif
