/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/volume_fit.h - the claims of pods: what they ask of a node, and which volumes are reserved
 * to them (scheduler specification, 1.16 and 6.18).
 *
 * A claim is bound, or waits for a controller (then no node is right), or waits for its first pod: then
 * placing the pod reserves a volume that exists, or one that will be made for that node. A
 * reservation is kept from the placement until the API shows the claim bound or the placement is taken
 * back, so that two pods never get one volume. The service carries reservations out before it binds the
 * pod. */
#ifndef SCHED_VOLUME_FIT_H
#define SCHED_VOLUME_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sched/report/reason.h"

struct arena;
struct cluster;
struct node_info;
struct session;
struct task;
struct volumes;

struct volumes *volumes_new(const char *const *ignored_provisioners)
	__attribute__((returns_nonnull));
void volumes_free(struct volumes *volumes);

/* Which of the filters are on. */
struct volume_filters {
	bool limits;
	bool zones;
	bool binding;
};

/* What is wrong with a task's claims whatever the node, in the arena; NULL: nothing. */
const char *volumes_wrong(const struct cluster *cluster, const struct task *task,
			  const struct volume_filters *on, struct arena *arena);
/* Do they ask anything of a node? */
bool volumes_matter(const struct cluster *cluster, const struct task *task);
verdict volumes_test(struct session *ssn, const struct task *task, const struct node_info *node,
		     const struct volume_filters *on);

/* What is known about a claim of a task that waits for its first pod, for reports. Texts are lent. */
struct volume_lack {
	struct str claim;
	struct str class; /* storage class */
	int64_t size;     /* that it asks for, in bytes */
	struct str node;  /* its volume is being made there; empty: on no node yet */
	struct str match; /* a free volume that suits it; empty: none */
	int64_t largest;  /* free volume of its class, in bytes; 0: there is none */
	bool provisioned; /* volumes of this class are made when they are needed */
};
/* The first such claim; false: there is none. */
bool volumes_find_lack(const struct cluster *cluster, const struct task *task,
		       struct volume_lack *ret);

/* A task has been placed: reserve its volumes; or it was taken away again. */
void volumes_reserve(struct cluster *cluster, const struct task *task);
void volumes_release(struct cluster *cluster, const struct task *task);
/* When a session opens: drop reservations that were carried out, or whose tasks are no longer being bound. */
void volumes_tidy(struct cluster *cluster);

/* --- for the service ------------------------------------------------------------------------------ */

/* What is to be written for a claim: the volume gets the claim; without a volume the claim gets the
 * node, and the provisioner makes one. */
struct volume_reservation {
	struct str namespace;
	struct str claim;
	struct str volume; /* none: one has to be made */
	struct str node;
	bool first; /* of the tasks that share the claim: the one for which it is written */
};
/* The i-th reservation of a task that is being bound, lent; false: there are no more. */
bool volumes_get_reservation(const struct cluster *cluster, const struct task *task, size_t i,
			     struct volume_reservation *ret);
enum volumes_state {
	VOLUMES_READY,   /* every claim is bound */
	VOLUMES_ASKED,   /* ... or the API shows what was reserved to it */
	VOLUMES_UNASKED, /* not even that: not yet, or the provisioner has refused */
	VOLUMES_LOST,    /* a claim was deleted */
};
enum volumes_state volumes_state(const struct cluster *cluster, const struct task *task);
/* How long to wait for claims to be bound, as the configuration of the plugin says. */
void volumes_set_patience(struct cluster *cluster, int64_t microseconds);
int64_t volumes_patience(const struct cluster *cluster);

#endif
