/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/oom_score.c - guaranteed pods are killed last, best effort first; between them by requests. */
#include "node/machine/oom_score.h"

#include "model/value/quantity.h"

#include "base/banned.h"

enum {
	SCORE_CRITICAL = -997, /* guaranteed, or of a system priority */
	SCORE_BEST_EFFORT = 1000,
	SCORE_LEAST = 3, /* of a burstable pod: 1000 + SCORE_CRITICAL */
	CRITICAL_PRIORITY = 2000000000,
};

static int64_t amount(const struct resource_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i].name, name))
			return quantity_milli(&list->ptr[i].value);
	return 0;
}

static bool is_equal(const struct requirements *resources, const char *name)
{
	int64_t limit = amount(&resources->limits, name);
	int64_t request = amount(&resources->requests, name);

	return limit > 0 && (request == 0 || request == limit);
}

static bool has_any(const struct requirements *resources)
{
	return amount(&resources->limits, "cpu") || amount(&resources->limits, "memory") ||
	       amount(&resources->requests, "cpu") || amount(&resources->requests, "memory");
}

static void classify(const struct containers *containers, bool *guaranteed, bool *best_effort)
{
	for (size_t i = 0; i < containers->len; i++) {
		const struct requirements *resources = &containers->ptr[i].resources;

		*guaranteed =
			*guaranteed && is_equal(resources, "cpu") && is_equal(resources, "memory");
		*best_effort = *best_effort && !has_any(resources);
	}
}

int oom_score(const struct pod *pod, const struct container *container, int64_t memory)
{
	bool guaranteed = true, best_effort = true;
	int64_t asked = amount(&container->resources.requests, "memory") / 1000;
	int64_t score;

	if (pod->spec.priority.set && pod->spec.priority.value >= CRITICAL_PRIORITY)
		return SCORE_CRITICAL;
	classify(&pod->spec.init_containers, &guaranteed, &best_effort);
	classify(&pod->spec.containers, &guaranteed, &best_effort);
	if (guaranteed)
		return SCORE_CRITICAL;
	if (best_effort || memory <= 0)
		return SCORE_BEST_EFFORT;
	score = 1000 - (int64_t)((double)asked / (double)memory * 1000);
	if (score < SCORE_LEAST)
		return SCORE_LEAST;
	return score >= SCORE_BEST_EFFORT ? SCORE_BEST_EFFORT - 1 : (int)score;
}
