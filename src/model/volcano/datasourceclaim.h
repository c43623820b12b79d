/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/datasourceclaim.h - DataSourceClaim (datadependency.volcano.sh/v1alpha1): a workload's wish
 * to be close to its data. */
#ifndef MODEL_DATASOURCECLAIM_H
#define MODEL_DATASOURCECLAIM_H

#include "base/str.h"
#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"

enum datasourceclaim_phase {
	DATASOURCECLAIM_PHASE_NONE,
	DATASOURCECLAIM_PENDING,
	DATASOURCECLAIM_BOUND,
	DATASOURCECLAIM_PHASE_COUNT
};

struct workload_ref {
	struct str api_version;
	struct str kind;
	struct str name;
	struct str namespace; /* none: the claim's own */
};

struct datasourceclaim_spec {
	struct str system;
	struct str data_source_type;
	struct str data_source_name;
	struct workload_ref workload;
	struct labels attributes;
};

struct datasourceclaim_status {
	enum datasourceclaim_phase phase;
	struct str bound_data_source;
	struct conditions conditions;
};

struct datasourceclaim {
	struct meta meta;
	struct datasourceclaim_spec spec;
	struct datasourceclaim_status status;
};

extern const struct type datasourceclaim_type;

#endif
