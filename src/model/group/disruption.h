/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/disruption.h - disruption budgets, and evictions, which they guard against. */
#ifndef MODEL_DISRUPTION_H
#define MODEL_DISRUPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/status.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

struct pdb_spec {
	struct intstr min_available;
	const struct label_selector *selector;
	struct intstr max_unavailable;
	struct str unhealthy_pod_eviction_policy;
};
extern const struct type pdb_spec_type;

struct pdb_status {
	int64_t observed_generation;
	VIEW_MAP(int64_t) disrupted_pods;
	int32_t disruptions_allowed;
	int32_t current_healthy;
	int32_t desired_healthy;
	int32_t expected_pods;
};
extern const struct type pdb_status_type;

struct pdb {
	struct meta meta;
	struct pdb_spec spec;
	struct pdb_status status;
};
extern const struct type pdb_type;

struct eviction {
	struct meta meta;
	const struct delete_options *delete_options;
};
extern const struct type eviction_type;

#endif
