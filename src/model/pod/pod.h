/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod.h - the pod, and the template of one.
 *
 * Its table is spread over the files of its parts; its defaults are hooks of these tables
 * (model/pod/pod_default.h) and come with type_default(); its rules are in model/pod/pod_validate.h and come with
 * type_validate(), in the order and the words of kube-apiserver 1.34. */
#ifndef MODEL_POD_H
#define MODEL_POD_H

#include <stdbool.h>
#include <stdint.h>

#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/pod/pod_spec.h"
#include "model/pod/pod_status.h"

struct pod {
	struct meta meta;
	struct pod_spec spec;
	struct pod_status status;
};
extern const struct type pod_type;

struct pod_template_spec {
	struct meta meta;
	struct pod_spec spec;
};
extern const struct type pod_template_spec_type;
/* The same with names of variables as they were before Kubernetes 1.34, for templates in Volcano's Jobs. */
extern const struct type pod_template_strict_type;

/* The kind PodTemplate. */
struct pod_template {
	struct meta meta;
	struct pod_template_spec template;
};
extern const struct type pod_template_type;

/* --- on views -------------------------------------------------------------------------------- */

/* Has it ended, well or not? */
static inline bool pod_is_finished(const struct pod *pod)
{
	return pod->status.phase == POD_SUCCEEDED || pod->status.phase == POD_FAILED;
}
static inline bool pod_is_bound(const struct pod *pod)
{
	return pod->spec.node_name.len > 0;
}
/* Does it have scheduling gates, so that it cannot be scheduled yet? */
static inline bool pod_is_gated(const struct pod *pod)
{
	return pod->spec.scheduling_gates.len > 0;
}
bool pod_is_ready(const struct pod *pod);
/* The status of a container by name, init and ephemeral ones included, or NULL. */
const struct container_status *pod_find_status(const struct pod *pod, struct str container);

/* --- on documents ---------------------------------------------------------------------------- */

/* The class of service that its requests and limits make it. */
enum pod_qos pod_qos_of(struct json pod);

/* Seconds of grace for a deletion that asks for `asked` (below 0: not given). A pod that is not
 * bound, or has ended, is deleted at once. */
int64_t pod_grace(struct json pod, int64_t asked);

#endif
