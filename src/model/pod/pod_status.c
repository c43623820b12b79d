/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_status.c - the table of a pod's status. */
#include "model/pod/pod_status.h"

#include <assert.h>

#include "model/pod/pod_default.h"

#include "base/banned.h"

static const char *const phase_names[] = {
	[POD_NONE] = "",           [POD_PENDING] = "Pending",
	[POD_RUNNING] = "Running", [POD_SUCCEEDED] = "Succeeded",
	[POD_FAILED] = "Failed",   [POD_UNKNOWN] = "Unknown",
};
static_assert(ARRAY_LEN(phase_names) == POD_PHASE_COUNT, "name every phase");

static const char *const qos_names[] = {
	[POD_QOS_NONE] = "",
	[POD_QOS_BEST_EFFORT] = "BestEffort",
	[POD_QOS_BURSTABLE] = "Burstable",
	[POD_QOS_GUARANTEED] = "Guaranteed",
};
static_assert(ARRAY_LEN(qos_names) == POD_QOS_COUNT, "name every class");

const char *pod_phase_name(enum pod_phase phase)
{
	return phase_names[phase];
}

const char *pod_qos_name(enum pod_qos qos)
{
	return qos_names[qos];
}

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct condition
static const struct field pod_condition_fields[] = {
	{"type", F_STR, AT(type), F_GO("v1.PodConditionType"), F_REQUIRED},
	{"observedGeneration", F_INT64, AT(observed_generation)},
	{"status", F_STR, AT(status), F_GO("v1.ConditionStatus"), F_REQUIRED},
	{"lastProbeTime", F_TIME, F_ALWAYS},
	{"lastTransitionTime", F_TIME, AT(last_transition_time), F_ALWAYS},
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
};
#undef VIEW
const struct type pod_condition_type = {
	TYPE("PodCondition", "v1", struct condition, pod_condition_fields),
	CORE,
};

static const struct field host_ip_fields[] = {
	{"ip", F_STR, F_REQUIRED},
};
static const struct type host_ip_type = {
	TYPE_KNOWN("HostIP", "v1", host_ip_fields),
	CORE,
};

#define VIEW struct pod_ip
static const struct field pod_ip_fields[] = {
	{"ip", F_STR, AT(ip), F_REQUIRED},
};
#undef VIEW
const struct type pod_ip_type = {
	TYPE("PodIP", "v1", struct pod_ip, pod_ip_fields),
	CORE,
};

#define VIEW struct container_waiting
static const struct field container_waiting_fields[] = {
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
};
#undef VIEW
static const struct type container_waiting_type = {
	TYPE("ContainerStateWaiting", "v1", struct container_waiting, container_waiting_fields),
	CORE,
};

#define VIEW struct container_running
static const struct field container_running_fields[] = {
	{"startedAt", F_TIME, AT(started_at), F_ALWAYS},
};
#undef VIEW
static const struct type container_running_type = {
	TYPE("ContainerStateRunning", "v1", struct container_running, container_running_fields),
	CORE,
};

#define VIEW struct container_terminated
static const struct field container_terminated_fields[] = {
	{"exitCode", F_INT32, AT(exit_code), F_REQUIRED},
	{"signal", F_INT32, AT(signal)},
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
	{"startedAt", F_TIME, AT(started_at), F_ALWAYS},
	{"finishedAt", F_TIME, AT(finished_at), F_ALWAYS},
	{"containerID", F_STR},
};
#undef VIEW
static const struct type container_terminated_type = {
	TYPE("ContainerStateTerminated", "v1", struct container_terminated,
	     container_terminated_fields),
	CORE,
};

#define VIEW struct container_state
static const struct field container_state_fields[] = {
	{"waiting", F_OBJECT(container_waiting), AT(waiting)},
	{"running", F_OBJECT(container_running), AT(running)},
	{"terminated", F_OBJECT(container_terminated), AT(terminated)},
};
#undef VIEW
const struct type container_state_type = {
	TYPE("ContainerState", "v1", struct container_state, container_state_fields),
	CORE,
};

static const struct field volume_mount_status_fields[] = {
	{"name", F_STR, F_REQUIRED},
	{"mountPath", F_STR, F_REQUIRED},
	{"readOnly", F_BOOL},
	{"recursiveReadOnly", F_STR, F_GO("v1.RecursiveReadOnlyMode"), F_POINTER},
};
static const struct type volume_mount_status_type = {
	TYPE_KNOWN("VolumeMountStatus", "v1", volume_mount_status_fields),
	CORE,
};

static const struct field linux_user_fields[] = {
	{"uid", F_INT64, F_REQUIRED},
	{"gid", F_INT64, F_REQUIRED},
	{"supplementalGroups", F_LIST(F_INT64), F_LIST_ATOMIC},
};
static const struct type linux_user_type = {
	TYPE_KNOWN("LinuxContainerUser", "v1", linux_user_fields),
	CORE,
};

static const struct field container_user_fields[] = {
	{"linux", F_OBJECT(linux_user)},
};
static const struct type container_user_type = {
	TYPE_KNOWN("ContainerUser", "v1", container_user_fields),
	CORE,
};

static const struct field resource_health_fields[] = {
	{"resourceID", F_STR, F_GO("v1.ResourceID"), F_REQUIRED},
	{"health", F_STR, F_GO("v1.ResourceHealthStatus")},
};
static const struct type resource_health_type = {
	TYPE_KNOWN("ResourceHealth", "v1", resource_health_fields),
	CORE,
};

static const struct field resource_status_fields[] = {
	{"name", F_STR, F_GO("v1.ResourceName"), F_REQUIRED},
	{"resources", F_LIST(F_OBJECT(resource_health)), F_LIST_MAP("resourceID")},
};
static const struct type resource_status_type = {
	TYPE_KNOWN("ResourceStatus", "v1", resource_status_fields),
	CORE,
};

#define VIEW struct container_status
static const struct field container_status_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"state", F_OBJECT(container_state), AT(state), F_ALWAYS},
	{"lastState", F_OBJECT(container_state), AT(last_state), F_ALWAYS},
	{"ready", F_BOOL, AT(ready), F_REQUIRED},
	{"restartCount", F_INT32, AT(restart_count), F_REQUIRED},
	{"image", F_STR, AT(image), F_REQUIRED},
	{"imageID", F_STR, AT(image_id), F_REQUIRED},
	{"containerID", F_STR, AT(container_id)},
	{"started", F_BOOL, AT(started), F_POINTER},
	{"allocatedResources", F_RESOURCES, AT(allocated_resources), F_GO("v1.ResourceList")},
	{"resources", F_OBJECT(requirements), AT(resources)},
	{"volumeMounts", F_LIST(F_OBJECT(volume_mount_status)), F_LIST_MAP("mountPath"),
	 F_MERGE_KEY("mountPath")},
	{"user", F_OBJECT(container_user)},
	{"allocatedResourcesStatus", F_LIST(F_OBJECT(resource_status)), F_LIST_MAP("name"),
	 F_MERGE_KEY("name")},
	{"stopSignal", F_STR, F_GO("v1.Signal"), F_POINTER},
};
#undef VIEW
const struct type container_status_type = {
	TYPE("ContainerStatus", "v1", struct container_status, container_status_fields),
	CORE,
};

#define VIEW struct pod_claim_status
static const struct field pod_claim_status_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"resourceClaimName", F_STR, AT(claim), F_POINTER},
};
#undef VIEW
static const struct type pod_claim_status_type = {
	TYPE("PodResourceClaimStatus", "v1", struct pod_claim_status, pod_claim_status_fields),
	CORE,
};

static const struct field extended_request_fields[] = {
	{"containerName", F_STR, F_REQUIRED},
	{"resourceName", F_STR, F_REQUIRED},
	{"requestName", F_STR, F_REQUIRED},
};
static const struct type extended_request_type = {
	TYPE_KNOWN("ContainerExtendedResourceRequest", "v1", extended_request_fields),
	CORE,
};

static const struct field extended_claim_status_fields[] = {
	{"requestMappings", F_LIST(F_OBJECT(extended_request)), F_REQUIRED, F_LIST_ATOMIC},
	{"resourceClaimName", F_STR, F_REQUIRED},
};
static const struct type extended_claim_status_type = {
	TYPE_KNOWN("PodExtendedResourceClaimStatus", "v1", extended_claim_status_fields),
	CORE,
};

#define VIEW struct pod_status
static const struct field pod_status_fields[] = {
	{"observedGeneration", F_INT64, AT(observed_generation)},
	{"phase", F_ENUM(phase_names), AT(phase), F_OPEN, F_GO("v1.PodPhase")},
	{"conditions", F_LIST(F_OBJECT(pod_condition)), AT(conditions), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"message", F_STR, AT(message)},
	{"reason", F_STR, AT(reason)},
	{"nominatedNodeName", F_STR, AT(nominated_node_name)},
	{"hostIP", F_STR, AT(host_ip)},
	{"hostIPs", F_LIST(F_OBJECT(host_ip)), F_LIST_ATOMIC, F_MERGE_KEY("ip")},
	{"podIP", F_STR, AT(pod_ip)},
	{"podIPs", F_LIST(F_OBJECT(pod_ip)), AT(pod_ips), F_LIST_MAP("ip"), F_MERGE_KEY("ip")},
	{"startTime", F_TIME, AT(start_time), F_POINTER},
	{"initContainerStatuses", F_LIST(F_OBJECT(container_status)), AT(init_statuses),
	 F_LIST_ATOMIC},
	{"containerStatuses", F_LIST(F_OBJECT(container_status)), AT(statuses), F_LIST_ATOMIC},
	{"qosClass", F_ENUM(qos_names), AT(qos), F_OPEN, F_GO("v1.PodQOSClass")},
	{"ephemeralContainerStatuses", F_LIST(F_OBJECT(container_status)), AT(ephemeral_statuses),
	 F_LIST_ATOMIC},
	{"resize", F_STR, AT(resize), F_GO("v1.PodResizeStatus")},
	{"resourceClaimStatuses", F_LIST(F_OBJECT(pod_claim_status)), AT(claim_statuses),
	 F_LIST_MAP("name"), F_MERGE_KEY("name"), F_RETAIN_KEYS},
	{"extendedResourceClaimStatus", F_OBJECT(extended_claim_status)},
};
#undef VIEW
const struct type pod_status_type = {
	TYPE("PodStatus", "v1", struct pod_status, pod_status_fields),
	CORE,
	.fill = pod_default_status,
};
