/* SPDX-License-Identifier: Apache-2.0 */
/* model/node.c - nodes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/node.h"

#include "model/rules.h"

#include "base/banned.h"

static const struct field config_map_node_config_source_fields[] = {
	{"namespace", F_STR, F_ALWAYS, F_REQUIRED},
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"uid", F_STR, F_GO("types.UID")},
	{"resourceVersion", F_STR},
	{"kubeletConfigKey", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type config_map_node_config_source_type = {
	TYPE_KNOWN("ConfigMapNodeConfigSource", "v1", config_map_node_config_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_config_source_fields[] = {
	{"configMap", F_OBJECT(config_map_node_config_source)},
};
static const struct type node_config_source_type = {
	TYPE_KNOWN("NodeConfigSource", "v1", node_config_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_spec
static const struct field node_spec_fields[] = {
	{"podCIDR", F_STR, AT(pod_cidr)},
	{"podCIDRs", F_LIST(F_STR), AT(pod_cidrs), F_LIST_SET, F_MERGE},
	{"providerID", F_STR, AT(provider_id)},
	{"unschedulable", F_BOOL, AT(unschedulable)},
	{"taints", F_LIST(F_OBJECT(taint)), AT(taints), F_LIST_ATOMIC},
	{"configSource", F_OBJECT(node_config_source)},
	{"externalID", F_STR},
};
#undef VIEW
const struct type node_spec_type = {
	TYPE("NodeSpec", "v1", struct node_spec, node_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_condition
static const struct field node_condition_fields[] = {
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED, F_GO("v1.NodeConditionType")},
	{"status", F_STR, AT(status), F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastHeartbeatTime", F_TIME, AT(last_heartbeat_time), F_ALWAYS},
	{"lastTransitionTime", F_TIME, AT(last_transition_time), F_ALWAYS},
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
};
#undef VIEW
const struct type node_condition_type = {
	TYPE("NodeCondition", "v1", struct node_condition, node_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_address
static const struct field node_address_fields[] = {
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED, F_GO("v1.NodeAddressType")},
	{"address", F_STR, AT(address), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type node_address_type = {
	TYPE("NodeAddress", "v1", struct node_address, node_address_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field daemon_endpoint_fields[] = {
	{"Port", F_INT32, F_ALWAYS, F_REQUIRED},
};
static const struct type daemon_endpoint_type = {
	TYPE_KNOWN("DaemonEndpoint", "v1", daemon_endpoint_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_daemon_endpoints_fields[] = {
	{"kubeletEndpoint", F_OBJECT(daemon_endpoint), F_DEFAULT("{}")},
};
static const struct type node_daemon_endpoints_type = {
	TYPE_KNOWN("NodeDaemonEndpoints", "v1", node_daemon_endpoints_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_swap_status_fields[] = {
	{"capacity", F_INT64, F_POINTER},
};
static const struct type node_swap_status_type = {
	TYPE_KNOWN("NodeSwapStatus", "v1", node_swap_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_system_info
static const struct field node_system_info_fields[] = {
	{"machineID", F_STR, AT(machine_id), F_ALWAYS, F_REQUIRED},
	{"systemUUID", F_STR, F_ALWAYS, F_REQUIRED},
	{"bootID", F_STR, F_ALWAYS, F_REQUIRED},
	{"kernelVersion", F_STR, AT(kernel_version), F_ALWAYS, F_REQUIRED},
	{"osImage", F_STR, AT(os_image), F_ALWAYS, F_REQUIRED},
	{"containerRuntimeVersion", F_STR, AT(container_runtime_version), F_ALWAYS, F_REQUIRED},
	{"kubeletVersion", F_STR, AT(kubelet_version), F_ALWAYS, F_REQUIRED},
	{"kubeProxyVersion", F_STR, F_ALWAYS, F_REQUIRED},
	{"operatingSystem", F_STR, AT(operating_system), F_ALWAYS, F_REQUIRED},
	{"architecture", F_STR, AT(architecture), F_ALWAYS, F_REQUIRED},
	{"swap", F_OBJECT(node_swap_status)},
};
#undef VIEW
const struct type node_system_info_type = {
	TYPE("NodeSystemInfo", "v1", struct node_system_info, node_system_info_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct container_image
static const struct field container_image_fields[] = {
	{"names", F_LIST(F_STR), AT(names), F_ALWAYS, F_LIST_ATOMIC},
	{"sizeBytes", F_INT64, AT(size_bytes)},
};
#undef VIEW
const struct type container_image_type = {
	TYPE("ContainerImage", "v1", struct container_image, container_image_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field attached_volume_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.UniqueVolumeName")},
	{"devicePath", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type attached_volume_type = {
	TYPE_KNOWN("AttachedVolume", "v1", attached_volume_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_config_status_fields[] = {
	{"assigned", F_OBJECT(node_config_source)},
	{"active", F_OBJECT(node_config_source)},
	{"lastKnownGood", F_OBJECT(node_config_source)},
	{"error", F_STR},
};
static const struct type node_config_status_type = {
	TYPE_KNOWN("NodeConfigStatus", "v1", node_config_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_runtime_handler_features_fields[] = {
	{"recursiveReadOnlyMounts", F_BOOL, F_POINTER},
	{"userNamespaces", F_BOOL, F_POINTER},
};
static const struct type node_runtime_handler_features_type = {
	TYPE_KNOWN("NodeRuntimeHandlerFeatures", "v1", node_runtime_handler_features_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_runtime_handler_fields[] = {
	{"name", F_STR, F_ALWAYS},
	{"features", F_OBJECT(node_runtime_handler_features)},
};
static const struct type node_runtime_handler_type = {
	TYPE_KNOWN("NodeRuntimeHandler", "v1", node_runtime_handler_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_features_fields[] = {
	{"supplementalGroupsPolicy", F_BOOL, F_POINTER},
};
static const struct type node_features_type = {
	TYPE_KNOWN("NodeFeatures", "v1", node_features_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_status
static const struct field node_status_fields[] = {
	{"capacity", F_RESOURCES, AT(capacity), F_GO("v1.ResourceList")},
	{"allocatable", F_RESOURCES, AT(allocatable), F_GO("v1.ResourceList")},
	{"phase", F_STR, AT(phase), F_GO("v1.NodePhase")},
	{"conditions", F_LIST(F_OBJECT(node_condition)), AT(conditions), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"addresses", F_LIST(F_OBJECT(node_address)), AT(addresses), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"daemonEndpoints", F_OBJECT(node_daemon_endpoints), F_DEFAULT("{}")},
	{"nodeInfo", F_OBJECT(node_system_info), AT(node_info), F_DEFAULT("{}")},
	{"images", F_LIST(F_OBJECT(container_image)), AT(images), F_LIST_ATOMIC},
	{"volumesInUse", F_LIST(F_STR, F_GO("v1.UniqueVolumeName")), F_LIST_ATOMIC},
	{"volumesAttached", F_LIST(F_OBJECT(attached_volume)), F_LIST_ATOMIC},
	{"config", F_OBJECT(node_config_status)},
	{"runtimeHandlers", F_LIST(F_OBJECT(node_runtime_handler)), F_LIST_ATOMIC},
	{"features", F_OBJECT(node_features)},
};
#undef VIEW
const struct type node_status_type = {
	TYPE("NodeStatus", "v1", struct node_status, node_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node
static const struct field node_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(node_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(node_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type node_type = {
	TYPE("Node", "v1", struct node, node_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
