/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_warn.h - warnings of kube-apiserver when a pod or a template is created: valid, but
 * probably not intended. Updates of pods cause no warnings. */
#ifndef MODEL_POD_WARN_H
#define MODEL_POD_WARN_H

#include "json/doc.h"
#include "model/field/path.h"
#include "model/rules/warn_rules.h"

/* Of a new pod, after defaulting. */
void pod_warn(struct json pod, warn_fn *fn, void *arg);
/* Of a template at a path ("template", "spec.template"). */
void pod_warn_template(struct json template, const struct path *path, warn_fn *fn, void *arg);

#endif
