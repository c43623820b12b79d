/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/numatopology.h - Numatopology (nodeinfo.volcano.sh/v1alpha1): the NUMA nodes of a node,
 * under the node's name. */
#ifndef MODEL_NUMATOPOLOGY_H
#define MODEL_NUMATOPOLOGY_H

#include <stdint.h>

#include "base/str.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct numatopology_resource {
	struct str allocatable; /* of cpu: a list of CPUs */
	int64_t capacity;
};

struct numatopology_cpu {
	int64_t numa;
	int64_t socket;
	int64_t core;
};

struct numatopology_container {
	struct str name;
	struct labels allocations; /* of cpu: a list of CPUs */
};

struct numatopology_pod {
	struct str uid;
	struct str name;
	struct str namespace;
	VIEW_LIST(struct numatopology_container) containers;
};

struct numatopology_spec {
	struct labels policies;     /* CPUManagerPolicy, TopologyManagerPolicy */
	struct labels res_reserved; /* quantities */
	VIEW_MAP(struct numatopology_resource) numares;
	VIEW_MAP(struct numatopology_cpu) cpu_detail; /* by the number of the CPU */
	VIEW_LIST(struct numatopology_pod) pod_allocations;
};

struct numatopology {
	struct meta meta;
	struct numatopology_spec spec;
};

extern const struct type numatopology_type;

#endif
