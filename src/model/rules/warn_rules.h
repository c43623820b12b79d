/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/warn_rules.h - warnings of kube-apiserver when an object is created or changed: valid, but
 * probably not intended. Pods and their templates have more (model/pod/pod_warn.h). */
#ifndef MODEL_WARN_RULES_H
#define MODEL_WARN_RULES_H

#include <stdbool.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/path.h"

/* Called with each warning; lent for the call. */
typedef void warn_fn(void *arg, const char *text);

struct warn_to {
	warn_fn *fn;
	void *arg;
};

/* "spec.a: text" */
void warn_at(const struct warn_to *to, const struct path *path, const char *format, ...)
	PRINTF(3, 4);
/* With a quoted word between two parts. */
void warn_quoted(const struct warn_to *to, const struct path *path, const char *before,
		 struct str word, const char *after);
/* Why this label of nodes is deprecated, or NULL. */
const char *warn_old_label(struct str key);
/* A term that chooses nodes; `values` looks for values that no label has, too. */
void warn_node_term(const struct warn_to *to, struct json term, bool values,
		    const struct path *path);
/* The name of a template that is not a valid host name for its pods. */
void warn_name(const struct warn_to *to, struct json object, const char *what);

/* --- kinds, on documents; `old` is absent for a new one --- */

typedef void warn_kind_fn(struct json object, struct json old, const struct warn_to *to);

/* Deployments, replica sets, jobs, cron jobs: before their templates. */
warn_kind_fn workload_warn, batch_job_warn, batch_cron_job_warn;
/* After its template. */
warn_kind_fn statefulset_warn;
warn_kind_fn csistoragecapacity_warn, ingress_warn, pv_warn, pvc_warn, runtimeclass_warn,
	service_warn, storageclass_warn;

#endif
