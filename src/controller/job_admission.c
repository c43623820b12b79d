/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_admission.c - see job_admission.h. Nearly all jobs have been through admission: whether one lacks a
 * default is found out without a copy. */
#include "controller/job_admission.h"

#include "admission/admission.h"
#include "model/core/meta.h"

#include "base/banned.h"

/* Every queue is open and has no children; every priority class exists. */
static struct json any_object(void *arg, struct str name)
{
	const struct json_doc *doc = arg;

	(void)name;
	return json_doc_root(doc);
}

static struct json no_object(void *arg, struct str name)
{
	(void)arg;
	(void)name;
	return JSON_NONE;
}

static void no_queues(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	(void)arg;
	(void)parent;
	(void)fn;
	(void)fn_arg;
}

static bool any_zone(void *arg, struct str name)
{
	(void)arg;
	(void)name;
	return true;
}

static struct admission_review review_of(struct json job, struct arena *arena)
{
	return (struct admission_review){.operation = ADMISSION_CREATE,
					 .group = STR("batch.volcano.sh"),
					 .version = STR("v1alpha1"),
					 .resource = STR("jobs"),
					 .namespace = meta_namespace(job),
					 .name = meta_name(job),
					 .object = job,
					 .arena = arena};
}

/* --- defaults --- */

static bool has_text(struct json object, const char *key)
{
	return json_str(json_get(object, key)).len > 0;
}

static bool is_complete(struct json spec)
{
	struct json_iter it = json_iter(json_get(spec, "tasks"));

	while (json_next(&it))
		if (!has_text(it.value, "name") || !json_int(json_get(it.value, "maxRetry")) ||
		    !json_is(json_get(it.value, "minAvailable"), JSON_INT))
			return false;
	return has_text(spec, "queue") && has_text(spec, "schedulerName") &&
	       json_int(json_get(spec, "maxRetry")) && json_int(json_get(spec, "minAvailable"));
}

struct json_doc *job_admission_default(struct json_doc *job, const struct strs *scheduler_names)
{
	const struct admission_setup setup = {.config = {.scheduler_names = *scheduler_names}};
	AUTO(arena_free) struct arena *arena = NULL;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct admission_review review;
	struct admission_refusal refusal = {0};

	if (is_complete(json_get(json_doc_root(job), "spec")))
		return json_doc_ref(job);
	arena = arena_new(0);
	doc = json_doc_thaw(json_doc_root(job));
	review = review_of(json_doc_root(doc), arena);
	if (admission_run(admission_find(STR("/jobs/mutate")), &setup, &review, doc, &refusal) < 0)
		return json_doc_ref(job);
	return TAKE(doc);
}

/* --- rules --- */

bool job_admission_check(struct json job, struct arena *arena, struct str *ret_why)
{
	AUTO(json_doc_unref) struct json_doc *queue = json_doc_new();
	struct json root = json_new_obj(queue);
	struct admission_setup setup = {.config = ADMISSION_CONFIG_INIT};
	struct admission_review review = review_of(job, arena);
	struct admission_refusal refusal = {0};

	json_doc_set_root(queue, root);
	json_set_str(queue, json_ensure_obj(queue, root, "status"), "state", STR("Open"));
	json_set_int(queue, root, "value", 0);
	setup.world = (struct admission_world){queue,      any_object, no_object,
					       any_object, no_queues,  any_zone};
	if (admission_run(admission_find(STR("/jobs/validate")), &setup, &review, NULL, &refusal) ==
	    0)
		return true;
	*ret_why = refusal.message;
	return false;
}
