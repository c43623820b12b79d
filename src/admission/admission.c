/* SPDX-License-Identifier: Apache-2.0 */
/* admission/admission.c - selects the rules that apply to a review. hooks.h lists the rules. */
#include "admission/admission.h"

#include "admission/hooks.h"

#include "base/banned.h"

#define HOOK_ROW(resource_, verb, webhook_, group_, operations_) \
	{.path = "/" #resource_ "/" #verb,                       \
	 .webhook = (webhook_),                                  \
	 .group = (group_),                                      \
	 .resource = #resource_,                                 \
	 .operations = (operations_),                            \
	 .verb = resource_##_##verb},
const struct admission_hook admission_hooks[] = {ADMISSION_HOOKS(HOOK_ROW)};
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
	return hook->mutate ? hook->mutate(&c) : hook->validate(&c);
}

/* Runs all rows of one of the two rounds. */
static int run_round(const struct admission_setup *admission, const struct admission_review *review,
		     struct json_doc *doc, struct admission_refusal *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(admission_hooks); i++) {
		const struct admission_hook *hook = &admission_hooks[i];

		if ((hook->mutate != NULL) == (doc != NULL) &&
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

struct str admission_message(const struct admission_refusal *refusal, struct arena *arena)
{
	if (refusal->code != ERR_DENIED)
		return refusal->message;
	return str_from(arena_printf(arena, "admission webhook \"%s\" denied the request: %.*s",
				     refusal->webhook, STR_ARG(refusal->message)));
}
