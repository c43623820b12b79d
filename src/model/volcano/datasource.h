/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/datasource.h - DataSource (datadependency.volcano.sh/v1alpha1): the location of data
 * that jobs should run close to. */
#ifndef MODEL_DATASOURCE_H
#define MODEL_DATASOURCE_H

#include <stdint.h>

#include "base/str.h"
#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"

enum datasource_reclaim {
	DATASOURCE_RECLAIM_NONE,
	DATASOURCE_RETAIN,
	DATASOURCE_DELETE,
	DATASOURCE_RECLAIM_COUNT
};

struct datasource_locality {
	struct strs cluster_names;
};

struct datasource_spec {
	struct str system; /* "hive" */
	struct str type;   /* "table" */
	struct str name;   /* "db.tbl" */
	const struct datasource_locality *locality;
	struct labels attributes;
	enum datasource_reclaim reclaim_policy;
};

struct datasource_status {
	VIEW_LIST(struct object_reference) claim_refs;
	int32_t bound_claims;
	struct conditions conditions;
};

struct datasource {
	struct meta meta;
	struct datasource_spec spec;
	struct datasource_status status;
};

extern const struct type datasource_type;

#endif
