/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/colocationconfiguration.c - the tables of ColocationConfiguration. */
#include "model/volcano/colocationconfiguration.h"

#include "base/banned.h"

#define CONFIG .group = "sh.volcano.config"

#define VIEW struct memory_qos
static const struct field memory_qos_fields[] = {
	{"highRatio", F_INT64, AT(high_ratio), F_DEFAULT("100"), F_RANGE(0, 100),
	 F_DOC("percent of the limit above which memory is throttled")},
	{"lowRatio", F_INT64, AT(low_ratio), F_DEFAULT("0"), F_RANGE(0, 100),
	 F_DOC("percent of the request that is protected if possible")},
	{"minRatio", F_INT64, AT(min_ratio), F_DEFAULT("0"), F_RANGE(0, 100),
	 F_DOC("percent of the request that is protected always")},
};
#undef VIEW
static const struct type memory_qos_type = {
	TYPE("MemoryQos", "v1alpha1", struct memory_qos, memory_qos_fields),
	CONFIG,
};

#define VIEW struct colocationconfiguration_spec
static const struct field colocationconfiguration_spec_fields[] = {
	{"selector", F_OBJECT(label_selector), AT(selector), F_DOC("which pods")},
	{"memoryQos", F_OBJECT(memory_qos), AT(memory_qos)},
};
#undef VIEW
static const struct type colocationconfiguration_spec_type = {
	TYPE("ColocationConfigurationSpec", "v1alpha1", struct colocationconfiguration_spec,
	     colocationconfiguration_spec_fields),
	CONFIG,
};

#define VIEW struct colocationconfiguration_status
static const struct field colocationconfiguration_status_fields[] = {
	{"conditions", F_LIST(F_OBJECT(strict_condition)), AT(conditions), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
#undef VIEW
static const struct type colocationconfiguration_status_type = {
	TYPE("ColocationConfigurationStatus", "v1alpha1", struct colocationconfiguration_status,
	     colocationconfiguration_status_fields),
	CONFIG,
};

#define VIEW struct colocationconfiguration
static const struct field colocationconfiguration_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(colocationconfiguration_spec), AT(spec), F_REQUIRED},
	{"status", F_OBJECT(colocationconfiguration_status), AT(status)},
};
#undef VIEW
const struct type colocationconfiguration_type = {
	TYPE("ColocationConfiguration", "v1alpha1", struct colocationconfiguration,
	     colocationconfiguration_fields),
	CONFIG,
	.doc = "quality of memory for pods that share a node",
};
