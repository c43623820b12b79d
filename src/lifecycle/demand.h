/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/demand.h - how much of a quota pods use: the minResources of podgroups.
 *
 * The keys are those of Kubernetes' quotas: pods, count/pods, cpu and requests.cpu, limits.cpu and
 * so on, extended resources as requests.<name> and by their bare name. It contains only requested
 * resources. */
#ifndef LIFECYCLE_DEMAND_H
#define LIFECYCLE_DEMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macro.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/field/view.h"

struct demand {
	struct arena *arena; /* of the names; borrowed */
	VEC(struct resource_amount) amounts;
};
void demand_init(struct demand *demand, struct arena *arena);
void demand_done(struct demand *demand);
DEFINE_AUTO_IN_PLACE(struct demand, demand_done);

/* Add `count` pods with this spec (of a pod or a template), which stays as long as the demand. */
void demand_add_pod(struct demand *demand, struct json spec, int64_t count);
/* The same amounts? */
bool demand_equals(const struct demand *demand, const struct resource_list *list);
/* {"cpu": "1", ...}, by name; {} if there are none. */
struct json demand_encode(const struct demand *demand, struct json_doc *doc);

#endif
