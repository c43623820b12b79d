/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_total.h - the exact sum of what a pod's containers need, computed on documents: for
 * the resources of the pod as a whole, which are checked against and filled in from those of its
 * containers. The scheduler's sums are in model/value/resources.h. */
#ifndef MODEL_POD_TOTAL_H
#define MODEL_POD_TOTAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/value/quantity.h"

struct pod_amount {
	struct str name;
	struct quantity value;
};
struct map;
struct pod_total {
	struct pod_amount *ptr;
	size_t len;
	size_t size;
	struct map *places; /* by name: 1 more than the place; NULL: there are few */
};
void pod_total_done(struct pod_total *total);
DEFINE_AUTO_IN_PLACE(struct pod_total, pod_total_done);

/* A quantity in a document: a text or a number. Nonzero if it is none. */
int pod_total_read(struct json value, struct quantity *ret);

/* "requests" or "limits": the sum of the containers, or what an init container needs with the
 * sidecars before it, if that is more. `ret` must be empty. */
void pod_total_sum(struct json spec, const char *which, struct pod_total *ret);
const struct pod_amount *pod_total_find(const struct pod_total *total, struct str name);

/* May a pod as a whole ask for it: cpu, memory, huge pages? */
bool pod_total_is_known(struct str resource);
/* Completes the pod's own resources if it has some of them. */
void pod_total_default(struct json_doc *doc, struct json spec);

#endif
