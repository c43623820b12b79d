/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/jobtemplate.h - JobTemplate (flow.volcano.sh/v1alpha1): the spec of a Job, for flows. */
#ifndef MODEL_JOBTEMPLATE_H
#define MODEL_JOBTEMPLATE_H

#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct jobtemplate_status {
	struct strs job_depends_on_list; /* jobs made from it */
};

struct jobtemplate {
	struct meta meta;
	struct json spec; /* a JobSpec, copied whole */
	struct jobtemplate_status status;
};

extern const struct type jobtemplate_type;

#endif
