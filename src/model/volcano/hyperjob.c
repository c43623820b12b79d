/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/hyperjob.c - the tables of HyperJob. */
#include "model/volcano/hyperjob.h"

#include "base/banned.h"

static const char *const split_names[SPLIT_MODE_COUNT] = {
	[SPLIT_NONE] = "",
	[SPLIT_STATIC] = "static",
	[SPLIT_AUTO] = "auto",
};

#define TRAINING .group = "sh.volcano.training"

#define VIEW struct hyperjob_split
static const struct field hyperjob_split_fields[] = {
	{"mode", F_ENUM(split_names), AT(mode)},
	{"accelerators", F_INT64, AT(accelerators)},
	{"acceleratorType", F_STR, AT(accelerator_type)},
};
#undef VIEW
static const struct type hyperjob_split_type = {
	TYPE("SplitPolicy", "v1alpha1", struct hyperjob_split, hyperjob_split_fields),
	TRAINING,
};

#define VIEW struct hyperjob_replicated
static const struct field hyperjob_replicated_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"templateSpec", F_OBJECT(vcjob_spec), AT(template_spec), F_REQUIRED,
	 F_DOC("what each job is made from")},
	{"splitPolicy", F_OBJECT(hyperjob_split), AT(split_policy)},
	{"replicas", F_INT32, AT(replicas), F_DEFAULT("1")},
	{"clusterNames", F_LIST(F_STR), AT(cluster_names), F_DOC("clusters it may go to")},
};
#undef VIEW
static const struct type hyperjob_replicated_type = {
	TYPE("ReplicatedJob", "v1alpha1", struct hyperjob_replicated, hyperjob_replicated_fields),
	TRAINING,
};

#define VIEW struct hyperjob_spec
static const struct field hyperjob_spec_fields[] = {
	{"replicatedJobs", F_LIST(F_OBJECT(hyperjob_replicated)), AT(replicated_jobs),
	 F_LIST_MAP("name"), F_MERGE_KEY("name")},
	{"minAvailable", F_INT32, AT(min_available)},
	{"maxDomains", F_INT32, AT(max_domains)},
	{"plugins", F_MAP(F_LIST(F_STR)), AT(plugins)},
};
#undef VIEW
static const struct type hyperjob_spec_type = {
	TYPE("HyperJobSpec", "v1alpha1", struct hyperjob_spec, hyperjob_spec_fields),
	TRAINING,
};

#define VIEW struct hyperjob_replicated_status
static const struct field hyperjob_replicated_status_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"jobStates", F_MAP(F_OBJECT(vcjob_state)), AT(job_states)},
	{"pending", F_INT32, AT(pending)},
	{"running", F_INT32, AT(running)},
	{"succeeded", F_INT32, AT(succeeded)},
	{"failed", F_INT32, AT(failed)},
	{"terminating", F_INT32, AT(terminating)},
	{"unknown", F_INT32, AT(unknown)},
};
#undef VIEW
static const struct type hyperjob_replicated_status_type = {
	TYPE("ReplicatedJobStatus", "v1alpha1", struct hyperjob_replicated_status,
	     hyperjob_replicated_status_fields),
	TRAINING,
};

#define VIEW struct hyperjob_status
static const struct field hyperjob_status_fields[] = {
	{"conditions", F_LIST(F_OBJECT(strict_condition)), AT(conditions), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"replicatedJobsStatus", F_LIST(F_OBJECT(hyperjob_replicated_status)),
	 AT(replicated_jobs_status)},
	{"splitCount", F_INT32, AT(split_count)},
	{"observedGeneration", F_INT64, AT(observed_generation)},
};
#undef VIEW
static const struct type hyperjob_status_type = {
	TYPE("HyperJobStatus", "v1alpha1", struct hyperjob_status, hyperjob_status_fields),
	TRAINING,
};

#define VIEW struct hyperjob
static const struct field hyperjob_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(hyperjob_spec), AT(spec)},
	{"status", F_OBJECT(hyperjob_status), AT(status)},
};
#undef VIEW
const struct type hyperjob_type = {
	TYPE("HyperJob", "v1alpha1", struct hyperjob, hyperjob_fields),
	TRAINING,
	.doc = "jobs spread over several clusters",
};
