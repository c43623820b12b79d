/* SPDX-License-Identifier: Apache-2.0 */
/* controller/flow_controller.c - the JobFlow controller: lifecycle/flow_lifecycle.h for each flow, when it, one of its jobs
 * or one of its templates changes.
 *
 * All jobs are known here, not only those of flows: a job that someone else created under the name of a
 * flow's job blocks the flow until it is deleted. */
#include <inttypes.h>

#include "base/map.h"
#include "base/mem.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/task_probe.h"
#include "controller/worker.h"
#include "lifecycle/flow_lifecycle.h"
#include "lifecycle/keys.h"
#include "loop/loop.h"

#include "base/banned.h"

/* Flows of a namespace that have come to an end. */
struct flow_ends {
	char *namespace;
	uint64_t succeeded;
	uint64_t failed;
};

struct flow_controller {
	struct controller_base *base;
	struct worker *worker;
	struct map *ends; /* namespace: struct flow_ends */
	struct prober *prober;
	struct cache *caches[PLAN_KIND_COUNT]; /* flows, templates, jobs */
};

static struct str flow_label(struct json job)
{
	return json_str(json_get(json_get(json_get(job, "metadata"), "labels"), KEY_BY_FLOW));
}

static void flow_changed(void *arg, struct str namespace, struct str name, struct json object,
			 bool gone)
{
	struct flow_controller *self = arg;

	(void)object;
	(void)gone;
	worker_wake_object(self->worker, namespace, name);
}

/* A job that blocked a flow may have been deleted. */
static void wake_behind(struct flow_controller *self, struct str namespace, struct str job)
{
	struct json_doc *doc;
	size_t at = 0;

	while ((doc = cache_next(self->caches[PLAN_JOBFLOW], &at))) {
		struct json meta = json_get(json_doc_root(doc), "metadata");
		struct str flow = json_str(json_get(meta, "name"));

		if (str_eq(json_str(json_get(meta, "namespace")), namespace) &&
		    str_starts(job, flow) && job.len > flow.len && job.ptr[flow.len] == '-')
			worker_wake_object(self->worker, namespace, flow);
	}
}

static void job_changed(void *arg, struct str namespace, struct str name, struct json object,
			bool gone)
{
	struct flow_controller *self = arg;
	struct str label = flow_label(object);
	ptrdiff_t dot = str_find_byte(label, '.', 0); /* namespaces have none */

	if (dot > 0)
		worker_wake_object(self->worker, namespace, str_skip(label, (size_t)dot + 1));
	else if (gone)
		wake_behind(self, namespace, name);
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

/* A status was written: count the end of a flow. */
static void flow_written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	struct flow_controller *self = arg;
	struct json status = doc ? json_get(json_doc_root(doc), "status") : JSON_NONE;
	struct str phase = json_str(json_get(json_get(status, "state"), "phase"));
	struct flow_ends *ends = map_get(self->ends, write->namespace);

	if (write->kind != PLAN_JOBFLOW || (!str_is(phase, "Succeed") && !str_is(phase, "Failed")))
		return;
	if (!ends) {
		ends = mem_new(struct flow_ends);
		ends->namespace = str_dup(write->namespace);
		(void)map_put(self->ends, str_from(ends->namespace), ends);
	}
	ends->succeeded += str_is(phase, "Succeed");
	ends->failed += str_is(phase, "Failed");
}

/* The reconcile under way. */
struct place {
	struct flow_controller *controller;
	struct str key;
	struct str namespace;
};

static struct json find(void *arg, enum plan_kind_id kind, struct str name)
{
	struct place *place = arg;
	struct json_doc *doc = cache_get(place->controller->caches[kind], place->namespace, name);

	return doc ? json_doc_root(doc) : JSON_NONE;
}

static bool answers(void *arg, enum flow_probe probe, struct str job, struct json entry)
{
	struct place *place = arg;

	return prober_answers(place->controller->prober,
			      &(struct probe_question){.asker = place->key,
						       .namespace = place->namespace,
						       .job = job,
						       .probe = probe,
						       .entry = entry});
}

static void answered(void *arg, struct str asker)
{
	struct flow_controller *self = arg;

	worker_wake(self->worker, asker);
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct flow_controller *self = arg;
	struct place place = {.controller = self, .key = key};
	struct flow_world world = {
		.find = find,
		.answers = answers,
		.arg = &place,
		.now = loop_now(self->base->loop),
	};
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
		cache_new(NULL, &(struct cache_events){.changed = job_changed, .arg = self});
	self->prober = prober_new(base->loop, base->client, answered, self);
	self->ends = map_new(loop_random_u64(base->loop));
	self->worker = worker_new(&(struct worker_options){
		.base = base,
		.reconcile = reconcile,
		.arg = self,
		.of = RESOURCE_JOBFLOWS,
		.caches = self->caches,
		.written = flow_written,
	});
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
	size_t at = 0;
	void *ends;

	prober_free(self->prober);
	worker_free(self->worker);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	while (map_next(self->ends, &at, NULL, &ends)) {
		mem_free(((struct flow_ends *)ends)->namespace);
		mem_free(ends);
	}
	map_free(self->ends);
	mem_free(self);
}

static void flow_print_metrics(const void *arg, struct buf *to)
{
	const struct flow_controller *self = arg;

	for (int failed = 0; failed < 2; failed++) {
		const char *name = failed ? "failed" : "succeed";
		size_t at = 0;
		void *value;

		buf_printf(to, "# TYPE volcano_jobflow_%s_phase_count counter\n", name);
		while (map_next(self->ends, &at, NULL, &value)) {
			const struct flow_ends *ends = value;

			buf_printf(to,
				   "volcano_jobflow_%s_phase_count{jobflow_namespace=\"%s\"} "
				   "%" PRIu64 "\n",
				   name, ends->namespace, failed ? ends->failed : ends->succeeded);
		}
	}
}

const struct controller controller_flow = {
	.name = "jobflow-controller",
	.new = flow_new,
	.ready = flow_ready,
	.free = flow_free,
	.print_metrics = flow_print_metrics,
};
