/* SPDX-License-Identifier: Apache-2.0 */
/* controller/template_controller.c - the JobTemplate controller: a template lists the jobs that are labelled with
 * it. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/flow_lifecycle.h"
#include "lifecycle/keys.h"
#include "model/core/meta.h"

#include "base/banned.h"

struct template_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* templates, jobs made from them */
};

static struct str label_of(struct json job)
{
	return json_str(json_get(json_get(json_get(job, "metadata"), "labels"), KEY_BY_TEMPLATE));
}

static bool has_label(struct json job)
{
	return label_of(job).len > 0;
}

static void template_changed(void *arg, struct str namespace, struct str name, struct json object,
			     bool gone)
{
	struct template_controller *self = arg;

	(void)object;
	(void)gone;
	worker_wake_object(self->worker, namespace, name);
}

/* Jobs go by the key of their template. The label is "namespace.name"; another namespace's does not
 * count. */
static void group_job(struct json job, struct buf *to)
{
	struct str namespace = meta_namespace(job);
	struct str label = label_of(job);

	if (str_starts(label, namespace) && label.len > namespace.len &&
	    label.ptr[namespace.len] == '.')
		buf_printf(to, "%.*s/%.*s", STR_ARG(namespace),
			   STR_ARG(str_skip(label, namespace.len + 1)));
}

/* Only its being there counts. */
static bool job_matters(struct json old, struct json job)
{
	return !str_eq(label_of(old), label_of(job));
}

static void job_changed(void *arg, struct str namespace, struct str name, struct json object,
			bool gone)
{
	struct template_controller *self = arg;
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	(void)namespace;
	(void)name;
	if (!gone)
		group_job(object, &key);
	if (key.len > 0)
		worker_wake(self->worker, buf_str(&key));
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(meta_name(*(const struct json *)a), meta_name(*(const struct json *)b));
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct template_controller *self = arg;
	VEC(struct json) jobs = {0};
	struct json_doc *template;
	struct json_doc *job;
	struct str namespace;
	struct str name;
	size_t at = 0;
	int result;

	worker_split(key, &namespace, &name);
	template = cache_get(self->caches[PLAN_JOBTEMPLATE], namespace, name);
	if (!template)
		return 0;
	while ((job = cache_group_next(self->caches[PLAN_JOB], key, &at)))
		vec_push(&jobs, json_doc_root(job));
	if (jobs.len > 1)
		qsort(jobs.ptr, jobs.len, sizeof(*jobs.ptr), by_name);
	result = template_step(json_doc_root(template), jobs.ptr, jobs.len, plan, err);
	vec_done(&jobs);
	return result;
}

static void *template_new(struct controller_base *base)
{
	struct template_controller *self = mem_new(struct template_controller);

	self->base = base;
	self->caches[PLAN_JOBTEMPLATE] =
		cache_new(NULL, &(struct cache_events){.changed = template_changed, .arg = self});
	self->caches[PLAN_JOB] = cache_new(has_label, &(struct cache_events){.changed = job_changed,
									     .matters = job_matters,
									     .arg = self});
	cache_group_by(self->caches[PLAN_JOB], group_job);
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_JOBTEMPLATES,
							   .caches = self->caches});
	cache_listen(self->caches[PLAN_JOBTEMPLATE],
		     controller_informer(base, RESOURCE_JOBTEMPLATES));
	cache_listen(self->caches[PLAN_JOB], controller_informer(base, RESOURCE_VCJOBS));
	return self;
}

static void template_ready(void *arg)
{
	worker_start(((struct template_controller *)arg)->worker);
}

static void template_free(void *arg)
{
	struct template_controller *self = arg;

	worker_free(self->worker);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	mem_free(self);
}

const struct controller controller_template = {
	.name = "jobtemplate-controller",
	.new = template_new,
	.ready = template_ready,
	.free = template_free,
};
