/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/numatopology.c - the tables of Numatopology, which an exporter on the node writes. */
#include "model/volcano/numatopology.h"

#include "base/banned.h"

#define NODEINFO .group = "sh.volcano.nodeinfo"

#define VIEW struct numatopology_resource
static const struct field numatopology_resource_fields[] = {
	{"allocatable", F_STR, AT(allocatable)},
	{"capacity", F_INT64, AT(capacity)},
};
#undef VIEW
static const struct type numatopology_resource_type = {
	TYPE("ResourceInfo", "v1alpha1", struct numatopology_resource,
	     numatopology_resource_fields),
	NODEINFO,
};

#define VIEW struct numatopology_cpu
static const struct field numatopology_cpu_fields[] = {
	{"numa", F_INT64, AT(numa), F_MIN(0)},
	{"socket", F_INT64, AT(socket), F_MIN(0)},
	{"core", F_INT64, AT(core), F_MIN(0)},
};
#undef VIEW
static const struct type numatopology_cpu_type = {
	TYPE("CPUInfo", "v1alpha1", struct numatopology_cpu, numatopology_cpu_fields),
	NODEINFO,
};

#define VIEW struct numatopology_container
static const struct field numatopology_container_fields[] = {
	{"name", F_STR, AT(name)},
	{"allocations", F_LABELS, AT(allocations), F_DOC("by resource; of cpu: a list of CPUs")},
};
#undef VIEW
static const struct type numatopology_container_type = {
	TYPE("ContainerAllocation", "v1alpha1", struct numatopology_container,
	     numatopology_container_fields),
	NODEINFO,
};

#define VIEW struct numatopology_pod
static const struct field numatopology_pod_fields[] = {
	{"uid", F_STR, AT(uid), F_DOC("of the pod; may be left out")},
	{"name", F_STR, AT(name)},
	{"namespace", F_STR, AT(namespace)},
	{"containerAllocations", F_LIST(F_OBJECT(numatopology_container)), AT(containers),
	 F_DOC("what each container has for itself")},
};
#undef VIEW
static const struct type numatopology_pod_type = {
	TYPE("PodAllocation", "v1alpha1", struct numatopology_pod, numatopology_pod_fields),
	NODEINFO,
};

#define VIEW struct numatopology_spec
static const struct field numatopology_spec_fields[] = {
	{"policies", F_LABELS, AT(policies), F_DOC("policies of the kubelet")},
	{"resReserved", F_LABELS, AT(res_reserved), F_DOC("quantities kept for the system")},
	{"numares", F_MAP(F_OBJECT(numatopology_resource)), AT(numares),
	 F_DOC("resources that have a NUMA node")},
	{"cpuDetail", F_MAP(F_OBJECT(numatopology_cpu)), AT(cpu_detail),
	 F_DOC("where each CPU is")},
	{"podAllocations", F_LIST(F_OBJECT(numatopology_pod)), AT(pod_allocations),
	 F_DOC("pods that have CPUs of their own, and which")},
};
#undef VIEW
static const struct type numatopology_spec_type = {
	TYPE("NumatopoSpec", "v1alpha1", struct numatopology_spec, numatopology_spec_fields),
	NODEINFO,
};

#define VIEW struct numatopology
static const struct field numatopology_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(numatopology_spec), AT(spec)},
};
#undef VIEW
const struct type numatopology_type = {
	TYPE("Numatopology", "v1alpha1", struct numatopology, numatopology_fields),
	NODEINFO,
	.doc = "the NUMA nodes of a node",
};
