/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/datasource.c - the tables of DataSource. */
#include "model/volcano/datasource.h"

#include "base/banned.h"

static const char *const reclaim_names[DATASOURCE_RECLAIM_COUNT] = {
	[DATASOURCE_RECLAIM_NONE] = "",
	[DATASOURCE_RETAIN] = "Retain",
	[DATASOURCE_DELETE] = "Delete",
};

#define DATA .group = "sh.volcano.datadependency"

#define VIEW struct datasource_locality
static const struct field datasource_locality_fields[] = {
	{"clusterNames", F_LIST(F_STR), AT(cluster_names), F_REQUIRED,
	 F_DOC("clusters that hold the data")},
};
#undef VIEW
static const struct type datasource_locality_type = {
	TYPE("DataSourceLocality", "v1alpha1", struct datasource_locality,
	     datasource_locality_fields),
	DATA,
};

#define VIEW struct datasource_spec
static const struct field datasource_spec_fields[] = {
	{"system", F_STR, AT(system), F_REQUIRED, F_DOC("what keeps the data")},
	{"type", F_STR, AT(type), F_REQUIRED, F_DOC("what it is there")},
	{"name", F_STR, AT(name), F_REQUIRED, F_DOC("what it is called there")},
	{"locality", F_OBJECT(datasource_locality), AT(locality), F_REQUIRED,
	 F_DOC("where the data is")},
	{"attributes", F_LABELS, AT(attributes)},
	{"reclaimPolicy", F_ENUM(reclaim_names), AT(reclaim_policy), F_DEFAULT("Retain"),
	 F_DOC("what happens to it when the last claim was deleted")},
};
#undef VIEW
static const struct type datasource_spec_type = {
	TYPE("DataSourceSpec", "v1alpha1", struct datasource_spec, datasource_spec_fields),
	DATA,
};

#define VIEW struct datasource_status
static const struct field datasource_status_fields[] = {
	{"claimRefs", F_LIST(F_OBJECT(object_reference)), AT(claim_refs)},
	{"boundClaims", F_INT32, AT(bound_claims)},
	{"conditions", F_LIST(F_OBJECT(strict_condition)), AT(conditions)},
};
#undef VIEW
static const struct type datasource_status_type = {
	TYPE("DataSourceStatus", "v1alpha1", struct datasource_status, datasource_status_fields),
	DATA,
};

#define VIEW struct datasource
static const struct field datasource_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(datasource_spec), AT(spec)},
	{"status", F_OBJECT(datasource_status), AT(status)},
};
#undef VIEW
const struct type datasource_type = {
	TYPE("DataSource", "v1alpha1", struct datasource, datasource_fields),
	DATA,
	.doc = "where data is that jobs want to be close to",
};
