/* SPDX-License-Identifier: Apache-2.0 */
/* controller/controller.h - what all controllers share, and the list of them.
 *
 * To add a controller: a file in lifecycle/ that decides, a file here that does, with one const table,
 * its declaration in controller_rows.h, and a row in controller.c.
 *
 *	struct controllers *all = controllers_new(loop, client, &options, &err);
 *	...
 *	controllers_free(all);
 *
 * All controllers share one informer per resource. A controller's `ready` is called once its informers
 * have reported everything that is there: before that it only takes notes, since what is missing from half
 * a list is not gone. So without the permission to list a kind, the controllers that need it do not run, and
 * the others do; they run as soon as it is granted. */
#ifndef CONTROLLER_CONTROLLER_H
#define CONTROLLER_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "client/resource.h"
#include "model/field/view.h"

struct client;
struct controllers;
struct informer;
struct log;
struct loop;
struct recorder;

struct controllers_options {
	/* "*,-sharding-controller": which to run, as --controllers has it; NULL: all. */
	const char *controllers;
	int max_requeue; /* failures in a row until a job is terminated; < 0: never; 0: 15 */
	size_t workers;  /* keys that a controller works on at once; 0: 64 */
	struct strs scheduler_names; /* lent; empty: "volcano" */
	bool keep_owner_annotations; /* do not copy them to podgroups (--inherit-owner-annotations=false) */
	/* No controllers of Kubernetes run: do their part as well. */
	bool home;
	bool admitted; /* the server applies the rules of admission itself: jobs are not checked again */
	const char *volumes_folder; /* of claims as local folders; NULL: none are made; lent */
	/* Namespace and name of the ConfigMap with the sources of HyperNodes; NULL: volcano-system,
	 * volcano-controller-configmap; lent. */
	const char *config_namespace;
	const char *config_name;
	struct log *log; /* may be NULL */
};

/* Starts them. ERR_BAD_REQUEST: the list of controllers names one twice or one that is not there. */
struct controllers *controllers_new(struct loop *loop, struct client *client,
				    const struct controllers_options *options,
				    struct err *err) MUST_CHECK;
/* Everything stops at once; what is under way is dropped. Not from within a callback of theirs. Takes
 * NULL. */
void controllers_free(struct controllers *all);
DEFINE_AUTO(struct controllers *, controllers_free);

/* Do all of them run? */
bool controllers_synced(const struct controllers *all);
/* Do those run that have the permissions for it, those of jobs, podgroups and queues among them? */
bool controllers_are_ready(const struct controllers *all);
/* Numbers in the text format of Prometheus. */
void controllers_print_metrics(const struct controllers *all, struct buf *to);
/* Which names of --controllers there are: "job-controller", ...; NULL ends the list. */
const char *controllers_name(size_t index);

/* --- for controllers ------------------------------------------------------------------------- */

enum { CONTROLLER_WORKERS = 64, CONTROLLER_MAX_REQUEUE = 15 };

/* What they stand on; lent, and outlives them. */
struct controller_base {
	struct loop *loop;
	struct client *client;
	struct recorder *recorder;
	struct log *log;
	struct controllers_options options; /* with defaults filled in */
	struct informer *informers[RESOURCE_COUNT];
	bool *needs; /* of the controller whose `new` is called: which informers it has asked for */
};

/* The informer of a resource, to listen to; only from within `new`. */
struct informer *controller_informer(struct controller_base *base, enum resource_id resource);

struct controller {
	const char *name;
	void *(*new)(struct controller_base *base); /* NULL: there is nothing to do for it */
	void (*ready)(void *self);
	void (*free)(void *self);
	void (*print_metrics)(const void *self, struct buf *to); /* may be NULL */
};

#endif
