/* SPDX-License-Identifier: Apache-2.0 */
/* controller/worker.h - what the small controllers have in common: keys to reconcile, a
 * function that makes a plan, and the plan's execution.
 *
 *	worker = worker_new(&(struct worker_options){ .base = base, .reconcile = reconcile, .arg = self,
 *						      .caches = self->caches });
 *	worker_wake(worker, STR("ns/name"));		whenever something has changed
 *	worker_start(worker);				when everything is known
 *
 * A key is reconciled once at a time, again after its plan was executed, and again when its plan
 * says so. What the server answers to a write goes into the caches first, so that the next
 * reconcile sees it. What fails is tried again, each time later. */
#ifndef CONTROLLER_WORKER_H
#define CONTROLLER_WORKER_H

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "client/resource.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

struct cache;
struct controller_base;
struct worker;

/* Decide about a key. The plan is new; an error is logged, and the key reconciled again later. */
typedef int worker_reconcile_fn(void *arg, struct str key, struct plan *plan, struct err *err);

struct worker_options {
	struct controller_base *base; /* lent, and outlives it */
	worker_reconcile_fn *reconcile;
	void *arg;
	enum resource_id of; /* whose keys they are */
	/* By kind, PLAN_KIND_COUNT of them, lent: what has been written of a kind goes there. NULL:
	 * nowhere. */
	struct cache *const *caches;
	/* Called after each write, since a watch that reports the same version later is not
	 * passed on; `doc` is lent, NULL if the object was deleted. May be NULL. */
	void (*written)(void *arg, const struct plan_write *write, struct json_doc *doc);
};

struct worker *worker_new(const struct worker_options *options) __attribute__((returns_nonnull));
/* Nothing is called any more. Takes NULL. */
void worker_free(struct worker *worker);
DEFINE_AUTO(struct worker *, worker_free);

/* Before worker_start() it only takes note. */
void worker_wake(struct worker *worker, struct str key);
/* "namespace/name", or "name" if there is no namespace. */
void worker_wake_object(struct worker *worker, struct str namespace, struct str name);
void worker_start(struct worker *worker);
/* What was reported for a key may be reported again: its object was deleted. */
void worker_forget(struct worker *worker, struct str key);

/* The parts of such a key; the namespace is "" if there is none. */
void worker_split(struct str key, struct str *ret_namespace, struct str *ret_name);

#endif
