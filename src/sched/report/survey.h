/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/survey.h - a full look at all nodes for one pod that fits on none: which of them it asks for, what keeps
 * it from these, and how much of a resource they have.
 *
 * A search for a node ends at the first thing that is wrong with it. To name the cause one has to know everything: a node
 * that is full is no reason if it also has the wrong label. A survey costs a test of every node, so there is a budget of
 * node tests per second of the sessions' time; without one the message uses the counts of the search. */
#ifndef SCHED_SURVEY_H
#define SCHED_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/report/holders.h"
#include "sched/report/reason.h"

struct class;
struct cluster;
struct session;
struct task;

/* Nodes with one thing that is wrong with them. */
struct survey_code {
	uint32_t nodes;
	uint32_t capable; /* ... that have enough free of everything */
	uint32_t first;   /* slot of the first of them; of a capable one, if there is one */
	uint16_t detail;  /* of its verdict */
};

/* One node. */
struct survey_node {
	uint64_t codes; /* all that is wrong with it, see verdict_codes() */
	bool wanted;    /* matches its selector and node affinity */
	bool usable; /* ... and nothing is wrong that only a change of the node or the pod can cure */
	bool capable; /* has enough free of everything */
};

struct survey {
	uint32_t nodes;  /* that exist */
	uint32_t wanted; /* see struct survey_node */
	uint32_t usable;
	uint32_t fits;                            /* could take the pod now */
	struct survey_code codes[FIT_CODE_COUNT]; /* of the wanted nodes */
	struct survey_node *at;                   /* by slot; in the arena of the session */
	/* Of the usable nodes. */
	int dim; /* what most of them lack; DIM_NONE: nothing */
	int64_t free;
	int64_t total;
	int64_t largest; /* the most that one of them has free */
	uint32_t largest_slot;
	int64_t largest_total; /* the most that one of them has */
	int64_t places;        /* pods like this one that fit on them if they were empty */
	int64_t places_now;    /* ... that fit now */
};

/* False: the budget is used up. */
bool survey_make(struct session *ssn, const struct task *task, struct survey *ret);
/* Sums up this resource instead of what most of the usable nodes lack. */
void survey_sum(struct survey *survey, const struct cluster *cluster, const struct class *class,
		int dim);
/* The jobs with pods on usable nodes that use a resource; in the arena of the session. */
const struct holders *survey_holders(struct session *ssn, const struct survey *survey, int dim);

#endif
