/* SPDX-License-Identifier: Apache-2.0 */
/* controller/flow.c - the JobFlow controller: lifecycle/flow.h for each flow, when it, one of its jobs
 * or one of its templates changes. */
#include "lifecycle/flow.h"

#include "base/mem.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/keys.h"
#include "loop/loop.h"

#include "base/banned.h"

struct flow_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* flows, templates, jobs of flows */
};

static struct str flow_label(struct json job)
{
	return json_str(json_get(json_get(json_get(job, "metadata"), "labels"), KEY_BY_FLOW));
}

static bool is_of_flow(struct json job)
{
	return flow_label(job).len > 0;
}

static void flow_changed(void *arg, struct str namespace, struct str name, struct json object,
			 bool gone)
{
	struct flow_controller *self = arg;

	(void)object;
	(void)gone;
	worker_wake_object(self->worker, namespace, name);
}

static void job_changed(void *arg, struct str namespace, struct str name, struct json object,
			bool gone)
{
	struct flow_controller *self = arg;
	struct str label = flow_label(object);
	ptrdiff_t dot = str_find_byte(label, '.', 0); /* namespaces have none */

	(void)name;
	(void)gone;
	if (dot > 0)
		worker_wake_object(self->worker, namespace, str_skip(label, (size_t)dot + 1));
}

static bool uses_template(struct json flow, struct str template)
{
	struct json_iter it = json_iter(json_get(json_get(flow, "spec"), "flows"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), template))
			return true;
	return false;
}

static void template_changed(void *arg, struct str namespace, struct str name, struct json object,
			     bool gone)
{
	struct flow_controller *self = arg;
	struct json_doc *doc;
	size_t at = 0;

	(void)object;
	if (gone)
		return;
	while ((doc = cache_next(self->caches[PLAN_JOBFLOW], &at))) {
		struct json meta = json_get(json_doc_root(doc), "metadata");

		if (str_eq(json_str(json_get(meta, "namespace")), namespace) &&
		    uses_template(json_doc_root(doc), name))
			worker_wake_object(self->worker, namespace,
					   json_str(json_get(meta, "name")));
	}
}

/* Where a look is going on. */
struct place {
	struct flow_controller *controller;
	struct str namespace;
};

static struct json find(void *arg, enum plan_kind_id kind, struct str name)
{
	struct place *place = arg;
	struct json_doc *doc = cache_get(place->controller->caches[kind], place->namespace, name);

	return doc ? json_doc_root(doc) : JSON_NONE;
}

static int look(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct flow_controller *self = arg;
	struct place place = {.controller = self};
	struct flow_world world = {.find = find, .arg = &place, .now = loop_now(self->base->loop)};
	struct json_doc *flow;
	struct str name;

	worker_split(key, &place.namespace, &name);
	flow = cache_get(self->caches[PLAN_JOBFLOW], place.namespace, name);
	if (!flow)
		return 0;
	world.flow = json_doc_root(flow);
	return flow_step(&world, plan, err);
}

static void *flow_new(struct controller_base *base)
{
	struct flow_controller *self = mem_new(struct flow_controller);

	self->base = base;
	self->caches[PLAN_JOBFLOW] =
		cache_new(NULL, &(struct cache_events){.changed = flow_changed, .arg = self});
	self->caches[PLAN_JOBTEMPLATE] =
		cache_new(NULL, &(struct cache_events){.changed = template_changed, .arg = self});
	self->caches[PLAN_JOB] =
		cache_new(is_of_flow, &(struct cache_events){.changed = job_changed, .arg = self});
	self->worker = worker_new(&(struct worker_options){
		.base = base, .look = look, .arg = self, .caches = self->caches});
	cache_listen(self->caches[PLAN_JOBFLOW], controller_informer(base, RESOURCE_JOBFLOWS));
	cache_listen(self->caches[PLAN_JOBTEMPLATE],
		     controller_informer(base, RESOURCE_JOBTEMPLATES));
	cache_listen(self->caches[PLAN_JOB], controller_informer(base, RESOURCE_VCJOBS));
	return self;
}

static void flow_ready(void *arg)
{
	worker_start(((struct flow_controller *)arg)->worker);
}

static void flow_free(void *arg)
{
	struct flow_controller *self = arg;

	worker_free(self->worker);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	mem_free(self);
}

const struct controller controller_flow = {
	.name = "jobflow-controller",
	.new = flow_new,
	.ready = flow_ready,
	.free = flow_free,
};
