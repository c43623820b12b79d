/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/node_look.h - texts about nodes that cannot take a pod, one per fit code. Internal to sched/report:
 *
 *	message_nodes.c	finds the cause
 *	node_words.c	selectors, taints, ports, other pods
 *	volume_words.c	volumes, and what plugins say */
#ifndef SCHED_NODE_LOOK_H
#define SCHED_NODE_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/report/message.h"
#include "sched/report/reason.h"
#include "sched/report/survey.h"

struct pod_term;
struct task;
struct terms;

/* What is known when a text is made. */
struct look {
	struct message *m;
	const struct reason *why;
	const struct task *task;
	const struct survey *s; /* NULL: there was none */
	uint32_t nodes;         /* that are concerned */
	uint32_t first;         /* one of them; NODE_ABSENT: not known */
	uint16_t detail;
	bool capable; /* they have enough free of everything */
};

/* Text, advice and brief of the message, for these nodes. */
void look_say(struct look *l, enum fit_code code);
/* No node matches what the pod asks for. */
void look_say_selector(struct look *l);
/* A text of Volcano or Kubernetes about the pod as such. */
void look_say_text(struct look *l, const char *text);
/* Its own pods may not share a node, or a zone: by this term, or (NULL) because each needs a port of the node. */
void look_say_apart(struct look *l, const struct pod_term *term);
/* The first of its anti-affinity terms that its own pods match, or NULL. */
const struct pod_term *look_own_term(const struct terms *terms);

/* "gpu=a100 and zone=eu": what it asks of nodes. */
void look_put_selector(const struct look *l, struct buf *to);
/* "`data`, `scratch`": the claims of the pod. */
void look_put_claims(const struct look *l, struct buf *to);
/* "node `n1`", "all 3 nodes", "the 2 nodes with gpu=a100" */
void look_put_nodes(const struct look *l, struct buf *to);
const char *look_have(const struct look *l);
const char *look_are(const struct look *l);

void look_say_volume_zone(struct look *l);
void look_say_volume_affinity(struct look *l);
void look_say_volume_none(struct look *l);
void look_say_volume_storage(struct look *l);
void look_say_volume_lost(struct look *l);
void look_say_attach(struct look *l);
void look_say_group(struct look *l);
void look_say_group_label(struct look *l);
void look_say_group_unset(struct look *l);
void look_say_proportion(struct look *l);
void look_say_shard(struct look *l);
void look_say_zone_closed(struct look *l);
void look_say_zone_foreign(struct look *l);
/* Which card comes nearest, and what it lacks. */
void look_say_devices(struct look *l);
void look_say_numa(struct look *l);
void look_say_other(struct look *l);

#endif
