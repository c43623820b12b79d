/* SPDX-License-Identifier: Apache-2.0 */
/* model/endpoints.c - endpoints of services, whole and in slices: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/endpoints.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct endpoint_address
static const struct field endpoint_address_fields[] = {
	{"ip", F_STR, AT(ip), F_ALWAYS, F_REQUIRED},
	{"hostname", F_STR, AT(hostname)},
	{"nodeName", F_STR, AT(node_name), F_POINTER},
	{"targetRef", F_OBJECT(object_reference), AT(target_ref)},
};
#undef VIEW
const struct type endpoint_address_type = {
	TYPE("EndpointAddress", "v1", struct endpoint_address, endpoint_address_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct endpoint_port
static const struct field endpoint_port_fields[] = {
	{"name", F_STR, AT(name)},
	{"port", F_INT32, AT(port), F_ALWAYS, F_REQUIRED},
	{"protocol", F_STR, AT(protocol), F_GO("v1.Protocol")},
	{"appProtocol", F_STR, AT(app_protocol), F_POINTER},
};
#undef VIEW
const struct type endpoint_port_type = {
	TYPE("EndpointPort", "v1", struct endpoint_port, endpoint_port_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct endpoint_subset
static const struct field endpoint_subset_fields[] = {
	{"addresses", F_LIST(F_OBJECT(endpoint_address)), AT(addresses), F_LIST_ATOMIC},
	{"notReadyAddresses", F_LIST(F_OBJECT(endpoint_address)), AT(not_ready_addresses),
	 F_LIST_ATOMIC},
	{"ports", F_LIST(F_OBJECT(endpoint_port)), AT(ports), F_LIST_ATOMIC},
};
#undef VIEW
const struct type endpoint_subset_type = {
	TYPE("EndpointSubset", "v1", struct endpoint_subset, endpoint_subset_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct endpoints
static const struct field endpoints_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"subsets", F_LIST(F_OBJECT(endpoint_subset)), AT(subsets), F_LIST_ATOMIC},
};
#undef VIEW
const struct type endpoints_type = {
	TYPE("Endpoints", "v1", struct endpoints, endpoints_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

#define VIEW struct slice_conditions
static const struct field slice_conditions_fields[] = {
	{"ready", F_BOOL, AT(ready), F_POINTER},
	{"serving", F_BOOL, AT(serving), F_POINTER},
	{"terminating", F_BOOL, AT(terminating), F_POINTER},
};
#undef VIEW
const struct type slice_conditions_type = {
	TYPE("EndpointConditions", "v1", struct slice_conditions, slice_conditions_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
};

static const struct field for_zone_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type for_zone_type = {
	TYPE_KNOWN("ForZone", "v1", for_zone_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
};

static const struct field for_node_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type for_node_type = {
	TYPE_KNOWN("ForNode", "v1", for_node_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
};

static const struct field endpoint_hints_fields[] = {
	{"forZones", F_LIST(F_OBJECT(for_zone)), F_LIST_ATOMIC},
	{"forNodes", F_LIST(F_OBJECT(for_node)), F_LIST_ATOMIC},
};
static const struct type endpoint_hints_type = {
	TYPE_KNOWN("EndpointHints", "v1", endpoint_hints_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
};

#define VIEW struct slice_endpoint
static const struct field slice_endpoint_fields[] = {
	{"addresses", F_LIST(F_STR), AT(addresses), F_ALWAYS, F_REQUIRED, F_LIST_SET},
	{"conditions", F_OBJECT(slice_conditions), AT(conditions), F_DEFAULT("{}")},
	{"hostname", F_STR, AT(hostname), F_POINTER},
	{"targetRef", F_OBJECT(object_reference), AT(target_ref)},
	{"deprecatedTopology", F_LABELS},
	{"nodeName", F_STR, AT(node_name), F_POINTER},
	{"zone", F_STR, F_POINTER},
	{"hints", F_OBJECT(endpoint_hints)},
};
#undef VIEW
const struct type slice_endpoint_type = {
	TYPE("Endpoint", "v1", struct slice_endpoint, slice_endpoint_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
};

#define VIEW struct slice_port
static const struct field slice_port_fields[] = {
	{"name", F_STR, AT(name), F_POINTER},
	{"protocol", F_STR, AT(protocol), F_POINTER, F_GO("v1.Protocol")},
	{"port", F_INT32, AT(port), F_POINTER},
	{"appProtocol", F_STR, AT(app_protocol), F_POINTER},
};
#undef VIEW
const struct type slice_port_type = {
	TYPE("EndpointPort", "v1", struct slice_port, slice_port_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
};

#define VIEW struct endpoint_slice
static const struct field endpoint_slice_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"addressType", F_STR, AT(address_type), F_ALWAYS, F_REQUIRED, F_GO("v1.AddressType")},
	{"endpoints", F_LIST(F_OBJECT(slice_endpoint)), AT(endpoints), F_ALWAYS, F_REQUIRED,
	 F_LIST_ATOMIC},
	{"ports", F_LIST(F_OBJECT(slice_port)), AT(ports), F_ALWAYS, F_LIST_ATOMIC},
};
#undef VIEW
const struct type endpoint_slice_type = {
	TYPE("EndpointSlice", "v1", struct endpoint_slice, endpoint_slice_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
