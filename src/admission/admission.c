/* SPDX-License-Identifier: Apache-2.0 */
/* admission/admission.c - the table of rules, and which of them a review goes through.
 *
 * To add one: a function in its own file, declared in hooks.h, and a row here. Rows stand in
 * the order in which they are asked. A row is for the object itself, never for a sub-resource, as
 * the rules of upstream's webhook configurations say. */
#include "admission/admission.h"

#include "admission/hooks.h"

#include "base/banned.h"

#define CREATE ADMISSION_CREATE
#define CREATE_UPDATE (ADMISSION_CREATE | ADMISSION_UPDATE)
#define BATCH "batch.volcano.sh"
#define SCHEDULING "scheduling.volcano.sh"

const struct admission_hook admission_hooks[] = {
	{"/jobs/mutate", "mutatejob.volcano.sh", BATCH, "jobs", CREATE, jobs_mutate, NULL},
	{"/podgroups/mutate", "mutatepodgroup.volcano.sh", SCHEDULING, "podgroups", CREATE,
	 podgroups_mutate, NULL},
	{"/pods/mutate", "mutatepod.volcano.sh", "", "pods", CREATE, pods_mutate, NULL},
	{"/queues/mutate", "mutatequeue.volcano.sh", SCHEDULING, "queues", CREATE, queues_mutate,
	 NULL},
	{"/jobs/validate", "validatejob.volcano.sh", BATCH, "jobs", CREATE_UPDATE, NULL,
	 jobs_validate},
	{"/podgroups/validate", "validatepodgroup.volcano.sh", SCHEDULING, "podgroups", CREATE,
	 NULL, podgroups_validate},
	{"/pods/validate", "validatepod.volcano.sh", "", "pods", CREATE, NULL, pods_validate},
	{"/queues/validate", "validatequeue.volcano.sh", SCHEDULING, "queues",
	 CREATE_UPDATE | ADMISSION_DELETE, NULL, queues_validate},
	{"/hypernodes/validate", "validatehypernodes.volcano.sh", "topology.volcano.sh",
	 "hypernodes", CREATE_UPDATE, NULL, hypernodes_validate},
	{"/cronjobs/validate", "validatecronjob.volcano.sh", BATCH, "cronjobs", CREATE_UPDATE, NULL,
	 cronjobs_validate},
	{"/jobflows/validate", "validatejobflow.volcano.sh", "flow.volcano.sh", "jobflows",
	 CREATE_UPDATE, NULL, jobflows_validate},
};
const size_t admission_hook_count = ARRAY_LEN(admission_hooks);

const struct admission_hook *admission_find(struct str path)
{
	for (size_t i = 0; i < ARRAY_LEN(admission_hooks); i++)
		if (str_is(path, admission_hooks[i].path))
			return &admission_hooks[i];
	return NULL;
}

bool admission_hook_concerns(const struct admission_hook *hook,
			     const struct admission_review *review)
{
	return (hook->operations & review->operation) && str_is(review->group, hook->group) &&
	       str_is(review->resource, hook->resource) && !review->sub.len;
}

static bool is_enabled(const struct admission_hook *hook, const struct admission_config *config)
{
	for (size_t i = 0; i < config->enabled.len; i++)
		if (str_is(config->enabled.ptr[i], hook->path))
			return true;
	return config->enabled.len == 0;
}

int admission_run(const struct admission_hook *hook, const struct admission_setup *admission,
		  const struct admission_review *review, struct json_doc *doc,
		  struct admission_refusal *ret)
{
	struct admission_case c = {admission, review, review->arena, doc, ret};

	ret->webhook = hook->webhook;
	return hook->change ? hook->change(&c) : hook->check(&c);
}

/* All rows of one of the two rounds. */
static int run_round(const struct admission_setup *admission, const struct admission_review *review,
		     struct json_doc *doc, struct admission_refusal *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(admission_hooks); i++) {
		const struct admission_hook *hook = &admission_hooks[i];

		if ((hook->change != NULL) == (doc != NULL) &&
		    admission_hook_concerns(hook, review) && is_enabled(hook, &admission->config) &&
		    admission_run(hook, admission, review, doc, ret) < 0)
			return -1;
	}
	return 0;
}

int admission_change(const struct admission_setup *admission, const struct admission_review *review,
		     struct json_doc *doc, struct admission_refusal *ret)
{
	return run_round(admission, review, doc, ret);
}

int admission_check(const struct admission_setup *admission, const struct admission_review *review,
		    struct admission_refusal *ret)
{
	return run_round(admission, review, NULL, ret);
}

struct str admission_tell(const struct admission_refusal *refusal, struct arena *arena)
{
	if (refusal->code != ERR_DENIED)
		return refusal->message;
	return str_from(arena_printf(arena, "admission webhook \"%s\" denied the request: %.*s",
				     refusal->webhook, STR_ARG(refusal->message)));
}
