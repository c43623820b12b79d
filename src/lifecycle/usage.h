/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/usage.h - what pods count for in a quota: the minResources of podgroups.
 *
 * The keys are those of Kubernetes' quotas: pods, count/pods, cpu and requests.cpu, limits.cpu and so
 * on, extended resources as requests.<name> and by their bare name. Only what is asked for is
 * there. */
#ifndef LIFECYCLE_USAGE_H
#define LIFECYCLE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macro.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/view.h"

struct usage {
	struct arena *arena; /* of the names; lent */
	VEC(struct resource_amount) amounts;
};
void usage_init(struct usage *usage, struct arena *arena);
void usage_done(struct usage *usage);
DEFINE_AUTO_IN_PLACE(struct usage, usage_done);

/* Add `count` pods with this spec (of a pod or a template). */
void usage_add_pod(struct usage *usage, struct json spec, int64_t count);
/* The same amounts? */
bool usage_equals(const struct usage *usage, const struct resource_list *list);
/* {"cpu": "1", ...}, by name; {} where there is nothing. */
struct json usage_encode(const struct usage *usage, struct json_doc *doc);

#endif
