/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/datasourceclaim.c - the tables of DataSourceClaim. */
#include "model/volcano/datasourceclaim.h"

#include "base/banned.h"

static const char *const phase_names[DATASOURCECLAIM_PHASE_COUNT] = {
	[DATASOURCECLAIM_PHASE_NONE] = "",
	[DATASOURCECLAIM_PENDING] = "Pending",
	[DATASOURCECLAIM_BOUND] = "Bound",
};

#define DATA .group = "sh.volcano.datadependency"

#define VIEW struct workload_ref
static const struct field workload_ref_fields[] = {
	{"apiVersion", F_STR, AT(api_version), F_REQUIRED},
	{"kind", F_STR, AT(kind), F_REQUIRED},
	{"name", F_STR, AT(name), F_REQUIRED},
	{"namespace", F_STR, AT(namespace), F_DOC("absent: that of the claim")},
};
#undef VIEW
static const struct type workload_ref_type = {
	TYPE("WorkloadRef", "v1alpha1", struct workload_ref, workload_ref_fields),
	DATA,
};

#define VIEW struct datasourceclaim_spec
static const struct field datasourceclaim_spec_fields[] = {
	{"system", F_STR, AT(system), F_REQUIRED},
	{"dataSourceType", F_STR, AT(data_source_type), F_REQUIRED},
	{"dataSourceName", F_STR, AT(data_source_name), F_REQUIRED},
	{"workload", F_OBJECT(workload_ref), AT(workload), F_REQUIRED,
	 F_DOC("what wants the data")},
	{"attributes", F_LABELS, AT(attributes)},
};
#undef VIEW
static const struct type datasourceclaim_spec_type = {
	TYPE("DataSourceClaimSpec", "v1alpha1", struct datasourceclaim_spec,
	     datasourceclaim_spec_fields),
	DATA,
};

#define VIEW struct datasourceclaim_status
static const struct field datasourceclaim_status_fields[] = {
	{"phase", F_ENUM(phase_names), AT(phase), F_DEFAULT("Pending")},
	{"boundDataSource", F_STR, AT(bound_data_source)},
	{"conditions", F_LIST(F_OBJECT(strict_condition)), AT(conditions)},
};
#undef VIEW
static const struct type datasourceclaim_status_type = {
	TYPE("DataSourceClaimStatus", "v1alpha1", struct datasourceclaim_status,
	     datasourceclaim_status_fields),
	DATA,
};

#define VIEW struct datasourceclaim
static const struct field datasourceclaim_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(datasourceclaim_spec), AT(spec)},
	{"status", F_OBJECT(datasourceclaim_status), AT(status)},
};
#undef VIEW
const struct type datasourceclaim_type = {
	TYPE("DataSourceClaim", "v1alpha1", struct datasourceclaim, datasourceclaim_fields),
	DATA,
	.doc = "a workload's wish to be close to its data",
};
