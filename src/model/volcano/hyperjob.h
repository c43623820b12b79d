/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/hyperjob.h - HyperJob (training.volcano.sh/v1alpha1): jobs spread over several clusters. */
#ifndef MODEL_HYPERJOB_H
#define MODEL_HYPERJOB_H

#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/volcano/vcjob.h"

enum split_mode { SPLIT_NONE, SPLIT_STATIC, SPLIT_AUTO, SPLIT_MODE_COUNT };

struct hyperjob_split {
	enum split_mode mode;
	struct opt_int64 accelerators;
	struct str accelerator_type;
};

struct hyperjob_replicated {
	struct str name;
	struct json template_spec; /* a JobSpec, copied whole */
	const struct hyperjob_split *split_policy;
	int32_t replicas;
	struct strs cluster_names;
};

struct hyperjob_spec {
	VIEW_LIST(struct hyperjob_replicated) replicated_jobs;
	struct opt_int32 min_available;
	struct opt_int32 max_domains;
	VIEW_MAP(struct strs) plugins;
};

struct hyperjob_replicated_status {
	struct str name;
	VIEW_MAP(struct vcjob_state) job_states;
	int32_t pending;
	int32_t running;
	int32_t succeeded;
	int32_t failed;
	int32_t terminating;
	int32_t unknown;
};

struct hyperjob_status {
	struct conditions conditions;
	VIEW_LIST(struct hyperjob_replicated_status) replicated_jobs_status;
	struct opt_int32 split_count;
	int64_t observed_generation;
};

struct hyperjob {
	struct meta meta;
	struct hyperjob_spec spec;
	struct hyperjob_status status;
};

extern const struct type hyperjob_type;

#endif
