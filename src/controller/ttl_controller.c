/* SPDX-License-Identifier: Apache-2.0 */
/* controller/ttl_controller.c - the garbage collector: lifecycle/ttl_lifecycle.h for each job that has finished and says
 * how long it stays. Only those are kept. */
#include "base/mem.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/ttl_lifecycle.h"
#include "loop/loop.h"

#include "base/banned.h"

struct ttl_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* jobs */
};

static bool has_ttl(struct json job)
{
	return json_is(json_get(json_get(job, "spec"), "ttlSecondsAfterFinished"), JSON_INT);
}

static void job_changed(void *arg, struct str namespace, struct str name, struct json object,
			bool gone)
{
	struct ttl_controller *self = arg;

	(void)object;
	if (!gone)
		worker_wake_object(self->worker, namespace, name);
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct ttl_controller *self = arg;
	struct json_doc *job;
	struct str namespace;
	struct str name;

	worker_split(key, &namespace, &name);
	job = cache_get(self->caches[PLAN_JOB], namespace, name);
	if (!job)
		return 0;
	return ttl_step(json_doc_root(job), loop_now(self->base->loop), plan, err);
}

static void *ttl_new(struct controller_base *base)
{
	struct ttl_controller *self = mem_new(struct ttl_controller);

	self->base = base;
	self->caches[PLAN_JOB] =
		cache_new(has_ttl, &(struct cache_events){.changed = job_changed, .arg = self});
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_VCJOBS,
							   .caches = self->caches});
	cache_listen(self->caches[PLAN_JOB], controller_informer(base, RESOURCE_VCJOBS));
	return self;
}

static void ttl_ready(void *arg)
{
	worker_start(((struct ttl_controller *)arg)->worker);
}

static void ttl_free(void *arg)
{
	struct ttl_controller *self = arg;

	worker_free(self->worker);
	cache_free(self->caches[PLAN_JOB]);
	mem_free(self);
}

const struct controller controller_ttl = {
	.name = "gc-controller",
	.new = ttl_new,
	.ready = ttl_ready,
	.free = ttl_free,
};
