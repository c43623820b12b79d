/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/cards.h - cards in the model of the cluster: who calls what.
 *
 *	events		cards_read_node(), cards_read_pod(), cards_find_pieces(), cards_read_class()
 *	ledger		cards_count()
 *	deviceshare	cards_configure() when a session opens, cards_test(), cards_reserve(), cards_release()
 *	service		cards_annotate() with the binding of a pod, cards_walk() for metrics
 *
 * Without the plugin no card is known (cluster->devices is NULL); only the annotations are kept. */
#ifndef SCHED_CARDS_H
#define SCHED_CARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "sched/device/device.h"
#include "sched/report/reason.h"

struct resources;

/* --- events ----------------------------------------------------------------------------------- */

/* The node object has come or changed. */
void cards_read_node(struct cluster *cluster, struct node_info *node, struct json object);
void cards_free_node(struct node_info *node);
/* It was deleted. */
void cards_forget_node(struct cluster *cluster, struct node_info *node);
/* A pod has come or changed; it is out of all sums, and its status is known. */
void cards_read_pod(struct task *task, struct json annotations, bool bound);
/* ... and now its node is known. */
void cards_find_pieces(struct cluster *cluster, struct task *task);
/* It holds nothing any more; it is out of all sums. */
void cards_drop_pieces(struct task *task);
/* The same, while it is in them. */
void cards_forget_task(struct cluster *cluster, struct task *task);
/* A class has come: what its pods ask for, and what queues are charged for them. */
void cards_read_class(struct cluster *cluster, struct class *class);
void cards_free_class(struct class *class);

/* --- ledger ----------------------------------------------------------------------------------- */

/* A task with pieces on its node, in its status, is counted on its cards (sign 1), or taken off (-1). */
void cards_count(const struct cluster *cluster, const struct task *task, int sign);
/* What a queue holds for a task, in a sum. */
void cards_charge(const struct cluster *cluster, const struct task *task, struct resources *sum,
		  int sign);
/* What is wrong with the counts, or NULL; for mem_free(). */
char *cards_check(const struct cluster *cluster, const struct node_info *node);

/* --- deviceshare ------------------------------------------------------------------------------ */

/* Have these settings and this file (taken; NULL: the one that holds, or what is built in) from now on; `number` says
 * which they are. Everything is read again. */
void cards_configure(struct cluster *cluster, const struct device_settings *on,
		     struct device_config *config, uint64_t number);
/* A session begins without the plugin: forget all cards. */
void cards_retire(struct cluster *cluster);
/* Charges of shares of a card, after cards have come or gone. */
void cards_settle(struct cluster *cluster);

/* Which rules against sharing a task matches, a bit each. */
uint64_t cards_rules_of(const struct cluster *cluster, const struct task *task);
/* Why the cards of a node do not serve a task, when what is being released is free; 0: they do. */
verdict cards_test(struct cluster *cluster, const struct task *task, const struct node_info *node);
/* Do they serve it now? */
bool cards_are_free(struct cluster *cluster, const struct task *task, const struct node_info *node);
double cards_score(struct cluster *cluster, const struct task *task, const struct node_info *node);
/* A task has been placed: choose its cards. -1: there are none. */
int cards_reserve(struct cluster *cluster, struct task *task);
/* ... or is taken away again. */
void cards_release(struct cluster *cluster, struct task *task);
/* It is being bound: its time, which no other pod of the node has. */
void cards_stamp(struct task *task, int64_t now);

/* --- service ---------------------------------------------------------------------------------- */

/* The annotations that show the device plugin of the node what a task that is being bound has got. False: it has nothing. */
bool cards_annotate(const struct cluster *cluster, const struct task *task, int64_t now,
		    struct json_doc *doc, struct json annotations);

#endif
