/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/evict_internal.h - a search for capacity: evict.c makes it, evict_plan.c plans for one node,
 * evict_gangs.c knows what becomes of gangs. */
#ifndef SCHED_EVICT_INTERNAL_H
#define SCHED_EVICT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "sched/evict/evict.h"
#include "sched/session/session.h"

struct domain;
struct map;
struct market;
struct statement;

struct placement {
	struct task *task;
	struct node_info *node;
	enum allowance least; /* that its queue had to have */
};

/* What one task on one node would cost. */
struct plan {
	struct node_info *node;
	struct task_list victims; /* the most valuable last */
	size_t broken;            /* gangs that lose their minimum */
	size_t lost;              /* tasks that go, with the rests of those gangs */
	size_t made;              /* when so many tasks of the job had a place */
	double score;             /* of the node, when all were looked at */
};

struct search {
	struct session *ssn;
	const struct evict_rules *rules;
	struct job *job;
	bool within; /* victims are of the job itself */
	struct statement *st;
	VEC(struct placement) placements;
	struct task_list victims;
	struct task_list rests;      /* of gangs that are broken; they go as well */
	struct task_list candidates; /* of one node; kept for its memory */
	VEC(struct market) markets;
	/* By job, as found when so many tasks had a place: itself if it may be broken, else something else. */
	struct map *gangs;
	size_t gangs_made;
	const struct domain *in; /* nodes of this domain only; NULL: all */
	bool waits;              /* a task got capacity that is being released */
	bool breaking; /* gangs are being broken: what is lost by it counts first between queues' own */
};

/* The gang actions decide about gangs themselves; for the others the gang plugin is a guard. */
static inline bool search_is_about_gangs(const struct search *s)
{
	return s->rules->kind == EVICT_GANG_PREEMPT || s->rules->kind == EVICT_GANG_RECLAIM;
}

/* --- evict.c --------------------------------------------------------------------------------- */

/* The nodes that are looked at. */
struct node_set search_set(const struct search *s);
bool search_has_node(const struct search *s, const struct node_info *node);
/* A place for a task, with evictions if it has to be. */
bool search_place(struct search *s, struct task *task);
/* Plans that were made for other nodes or another model are dropped. */
void search_drop_plans(struct search *s);
/* Has the job still less than it needs? */
bool search_needs_more(const struct search *s);

/* --- evict_domains.c ------------------------------------------------------------------------- */

/* The tasks of a job that asks for domains of the network, in that one in which it costs least. */
void evict_in_domains(struct search *s);
/* The domain in which single tasks of it may look for a place; false: there is none. */
bool evict_find_domain(struct search *s);

/* --- evict_plan.c ---------------------------------------------------------------------------- */

/* Is it of those that the rules are about? The guards come on top. */
bool search_is_candidate(const struct search *s, const struct task *task,
			 const struct task *victim);
/* Into a list in the order in which they go. */
void search_insert(const struct search *s, struct task_list *list, struct task *task);
/* Capacity on a node when those that are leaving have left. */
int64_t search_capacity(const struct search *s, const struct node_info *node, int dim);

/* Has a node capacity for it when those that are leaving have left; and may its queue hold it? */
bool search_has_place(const struct search *s, struct task *task, struct node_info *node);
bool search_fits(const struct search *s, struct task *task, struct node_info *node,
		 enum allowance least);
/* What would it cost there? False: it cannot be had. The model is as before. */
bool plan_make(struct search *s, struct task *task, struct node_info *node, struct plan *plan);
/* Below 0: `a` costs less. */
int plan_compare(const struct search *s, const struct plan *a, const struct plan *b);

/* --- evict_gangs.c --------------------------------------------------------------------------- */

/* Find out about the gangs of the candidates, while no pod of their node goes. */
void gangs_judge(struct search *s, const struct evict_ask *ask);
/* Is a task out of the question for the sake of its gang? With `whole`, gangs may be broken. */
bool gangs_keep(const struct search *s, const struct task *victim, bool whole);
/* Do the guards agree, after those that are planned were evicted? */
bool gangs_may_go(const struct search *s, const struct evict_ask *ask,
		  const struct task_list *planned, const struct task *victim);
/* How many tasks go with those that are planned: gangs that are broken by them go whole. */
size_t gangs_count_lost(const struct search *s, const struct task_list *planned);
/* Has a gang lost its minimum by this search? */
bool gangs_are_broken(const struct search *s, const struct job *job);
/* What is left of a gang that is broken by those that are planned only holds capacity: it goes as well, and
 * any job that waits may have that capacity. False: some of it has to stay. */
bool gangs_evict_rests(struct search *s, const struct evict_ask *ask,
		       const struct task_list *planned);
/* Could all that a job waits for have capacity in sum, whatever the nodes? If not, none of its tasks has been
 * near a place, and none is reported of one. The model is as before the search. */
bool gangs_in_reach(struct search *s);

#endif
