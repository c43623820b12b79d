/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/colocationconfiguration.h - ColocationConfiguration (config.volcano.sh/v1alpha1): quality
 * of memory for pods that share a node. */
#ifndef MODEL_COLOCATIONCONFIGURATION_H
#define MODEL_COLOCATIONCONFIGURATION_H

#include <stdint.h>

#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/value/labels.h"

/* Percent of the pod's memory. */
struct memory_qos {
	int64_t high_ratio;
	int64_t low_ratio;
	int64_t min_ratio;
};

struct colocationconfiguration_spec {
	const struct label_selector *selector;
	const struct memory_qos *memory_qos;
};

struct colocationconfiguration_status {
	struct conditions conditions;
};

struct colocationconfiguration {
	struct meta meta;
	struct colocationconfiguration_spec spec;
	struct colocationconfiguration_status status;
};

extern const struct type colocationconfiguration_type;

#endif
