/* SPDX-License-Identifier: Apache-2.0 */
/* controller/eviction_controller.c - lifecycle/eviction_lifecycle.h for pods, on one machine: a cluster has controllers of
 * Kubernetes for that.
 *
 * Keys: "namespace/name" of a pod, and "finished". Most pods are on nodes that threaten no pod and have no
 * key: a change of such a pod costs a look at its node. */
#include "base/mem.h"
#include "base/time.h"
#include "client/informer.h"
#include "controller/bound_pods.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/eviction_lifecycle.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/volcano/vcjob.h"

#include "base/banned.h"

#define FINISHED "finished"
/* Between two removals of finished pods. */
#define FINISHED_PAUSE (20 * TIME_SECOND)

struct eviction_controller {
	struct controller_base *base;
	struct worker *worker;
	struct bound_pods *pods;
	int64_t finished_at; /* when finished pods were looked at last, by loop_uptime() */
	bool ready;
};

/* --- pods ------------------------------------------------------------------------------------ */

static bool needs_look(const struct bound_pod *pod)
{
	return pod->node ? eviction_node_threatens(&pod->node->facts) : pod->deleting;
}

static void wake(struct eviction_controller *self, const struct bound_pod *pod)
{
	if (self->ready && needs_look(pod))
		worker_wake(self->worker, str_of(pod->key, pod->key_len));
}

static void on_pod(void *arg, const struct informer_object *object)
{
	struct eviction_controller *self = arg;

	wake(self, bound_pods_put(self->pods, json_doc_root(object->doc)));
	if (self->ready && bound_pods_finished(self->pods) > EVICTION_FINISHED_MAX)
		worker_wake(self->worker, STR(FINISHED));
}

static void on_pod_deleted(void *arg, const struct informer_object *object)
{
	struct eviction_controller *self = arg;
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s", STR_ARG(object->namespace), STR_ARG(object->name));

	bound_pods_remove(self->pods, object->namespace, object->name);
	worker_forget(self->worker, str_from(key));
}

/* --- nodes and jobs -------------------------------------------------------------------------- */

static void put_node(struct eviction_controller *self, struct str name, struct json node)
{
	struct bound_node *row;

	if (!bound_pods_put_node(self->pods, name, node))
		return;
	row = bound_pods_node(self->pods, name);
	for (size_t i = 0; row && i < row->pods.len; i++)
		wake(self, row->pods.ptr[i]);
}

static void on_node(void *arg, const struct informer_object *object)
{
	put_node(arg, object->name, json_doc_root(object->doc));
}

static void on_node_deleted(void *arg, const struct informer_object *object)
{
	put_node(arg, object->name, JSON_NONE);
}

static bool is_final(struct json job)
{
	struct json state = json_get(json_get(job, "status"), "state");
	struct str phase = json_str(json_get(state, "phase"));

	for (unsigned i = 0; i < VCJOB_PHASE_COUNT; i++)
		if (vcjob_phase_names[i] && str_is(phase, vcjob_phase_names[i]))
			return vcjob_phase_is_final((enum vcjob_phase)i);
	return false;
}

static void on_job(void *arg, const struct informer_object *object)
{
	struct eviction_controller *self = arg;
	struct json job = json_doc_root(object->doc);

	bound_pods_put_job(self->pods, meta_uid(job), is_final(job));
}

static void on_job_deleted(void *arg, const struct informer_object *object)
{
	struct eviction_controller *self = arg;

	if (object->doc)
		bound_pods_remove_job(self->pods, meta_uid(json_doc_root(object->doc)));
}

/* --- looking --------------------------------------------------------------------------------- */

/* A job that goes on would make a removed pod again. */
static bool is_collectable(const struct bound_pod *pod)
{
	return pod->finished && !pod->deleting && !pod->removed &&
	       (!pod->job || !pod->job->known || pod->job->finished);
}

static void look_at_finished(struct eviction_controller *self, struct plan *plan)
{
	size_t all = bound_pods_finished(self->pods);
	int64_t uptime = loop_uptime(self->base->loop);
	int64_t due = self->finished_at + FINISHED_PAUSE;
	VEC(struct eviction_pod) list = {0};
	const struct bound_pod *pod;
	size_t at = 0;

	if (all <= EVICTION_FINISHED_MAX)
		return;
	if (self->finished_at && uptime < due) {
		plan_step_at(plan, time_after(loop_now(self->base->loop), due - uptime));
		return;
	}
	self->finished_at = uptime;
	while ((pod = bound_pods_next(self->pods, &at)))
		if (is_collectable(pod))
			bound_pod_facts(pod, vec_add(&list));
	eviction_finished_step(list.ptr, list.len, all - EVICTION_FINISHED_MAX, plan);
	vec_done(&list);
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	static const struct eviction_node none = {0};
	struct eviction_controller *self = arg;
	struct bound_pod *pod = bound_pods_get(self->pods, key);
	struct eviction_pod facts;
	int64_t uptime = loop_uptime(self->base->loop);

	if (str_is(key, FINISHED))
		look_at_finished(self, plan);
	if (!pod || pod->removed || !needs_look(pod))
		return 0;
	if (!pod->since)
		pod->since = uptime ? uptime : 1;
	bound_pod_facts(pod, &facts);
	return eviction_step(&facts, pod->node ? &pod->node->facts : &none,
			     (struct eviction_time){pod->since, uptime, loop_now(self->base->loop)},
			     plan, err);
}

/* Until the watch says so, the next look must know. */
static void on_written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	struct eviction_controller *self = arg;
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s", STR_ARG(write->namespace), STR_ARG(write->name));
	struct bound_pod *pod = bound_pods_get(self->pods, str_from(key));

	(void)doc;
	if (!pod || write->verb != PLAN_DELETE || !str_is(write->uid, pod->uid))
		return;
	if (write->at_once)
		pod->removed = true;
	else
		pod->deleting = pod->has_grace = true;
}

/* --- life ------------------------------------------------------------------------------------ */

static void *eviction_new(struct controller_base *base)
{
	struct eviction_controller *self;

	if (!base->options.home)
		return NULL;
	self = mem_new(struct eviction_controller);
	self->base = base;
	self->pods = bound_pods_new(loop_random_u64(base->loop));
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_PODS,
							   .written = on_written});
	informer_listen(controller_informer(base, RESOURCE_NODES),
			&(struct informer_events){
				.added = on_node, .updated = on_node, .deleted = on_node_deleted},
			self);
	informer_listen(controller_informer(base, RESOURCE_PODS),
			&(struct informer_events){
				.added = on_pod, .updated = on_pod, .deleted = on_pod_deleted},
			self);
	informer_listen(controller_informer(base, RESOURCE_VCJOBS),
			&(struct informer_events){
				.added = on_job, .updated = on_job, .deleted = on_job_deleted},
			self);
	return self;
}

/* Before this half of the nodes may be missing from what is known. */
static void eviction_ready(void *arg)
{
	struct eviction_controller *self = arg;
	const struct bound_pod *pod;
	size_t at = 0;

	self->ready = true;
	while ((pod = bound_pods_next(self->pods, &at)))
		wake(self, pod);
	worker_wake(self->worker, STR(FINISHED));
	worker_start(self->worker);
}

static void eviction_free(void *arg)
{
	struct eviction_controller *self = arg;

	worker_free(self->worker);
	bound_pods_free(self->pods);
	mem_free(self);
}

const struct controller controller_eviction = {
	.name = "pod-garbage-collector-controller",
	.new = eviction_new,
	.ready = eviction_ready,
	.free = eviction_free,
};
