/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_spec.c - the table of a pod's spec. */
#include "model/pod/pod_spec.h"

#include <assert.h>

#include "model/pod/pod_default.h"

#include "base/banned.h"

static const char *const preemption_names[] = {
	[PREEMPTION_DEFAULT] = "",
	[PREEMPTION_LOWER_PRIORITY] = "PreemptLowerPriority",
	[PREEMPTION_NEVER] = "Never",
};
static_assert(ARRAY_LEN(preemption_names) == PREEMPTION_POLICY_COUNT, "name every policy");

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct host_alias
static const struct field host_alias_fields[] = {
	{"ip", F_STR, AT(ip), F_REQUIRED},
	{"hostnames", F_LIST(F_STR), AT(hostnames), F_LIST_ATOMIC},
};
#undef VIEW
static const struct type host_alias_type = {
	TYPE("HostAlias", "v1", struct host_alias, host_alias_fields),
	CORE,
};

#define VIEW struct dns_option
static const struct field dns_option_fields[] = {
	{"name", F_STR, AT(name)},
	{"value", F_STR, AT(value), F_POINTER},
};
#undef VIEW
static const struct type dns_option_type = {
	TYPE("PodDNSConfigOption", "v1", struct dns_option, dns_option_fields),
	CORE,
};

#define VIEW struct dns_config
static const struct field dns_config_fields[] = {
	{"nameservers", F_LIST(F_STR), AT(nameservers), F_LIST_ATOMIC},
	{"searches", F_LIST(F_STR), AT(searches), F_LIST_ATOMIC},
	{"options", F_LIST(F_OBJECT(dns_option)), AT(options), F_LIST_ATOMIC},
};
#undef VIEW
static const struct type dns_config_type = {
	TYPE("PodDNSConfig", "v1", struct dns_config, dns_config_fields),
	CORE,
};

#define VIEW struct readiness_gate
static const struct field readiness_gate_fields[] = {
	{"conditionType", F_STR, AT(type), F_GO("v1.PodConditionType"), F_REQUIRED},
};
#undef VIEW
static const struct type readiness_gate_type = {
	TYPE("PodReadinessGate", "v1", struct readiness_gate, readiness_gate_fields),
	CORE,
};

#define VIEW struct scheduling_gate
static const struct field scheduling_gate_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
};
#undef VIEW
const struct type scheduling_gate_type = {
	TYPE("PodSchedulingGate", "v1", struct scheduling_gate, scheduling_gate_fields),
	CORE,
};

#define VIEW struct pod_claim
static const struct field pod_claim_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"resourceClaimName", F_STR, AT(claim), F_POINTER},
	{"resourceClaimTemplateName", F_STR, AT(template), F_POINTER},
};
#undef VIEW
const struct type pod_claim_type = {
	TYPE("PodResourceClaim", "v1", struct pod_claim, pod_claim_fields),
	CORE,
};

#define VIEW struct pod_os
static const struct field pod_os_fields[] = {
	{"name", F_STR, AT(name), F_GO("v1.OSName"), F_REQUIRED},
};
#undef VIEW
static const struct type pod_os_type = {
	TYPE("PodOS", "v1", struct pod_os, pod_os_fields),
	CORE,
};

#define VIEW struct pod_spec
static const struct field pod_spec_fields[] = {
	{"volumes", F_LIST(F_OBJECT(volume)), AT(volumes), F_LIST_MAP("name"), F_MERGE_KEY("name"),
	 F_RETAIN_KEYS},
	{"initContainers", F_LIST(F_OBJECT(container)), AT(init_containers), F_LIST_MAP("name"),
	 F_MERGE_KEY("name")},
	{"containers", F_LIST(F_OBJECT(container)), AT(containers), F_REQUIRED, F_LIST_MAP("name"),
	 F_MERGE_KEY("name")},
	{"ephemeralContainers", F_LIST(F_OBJECT(ephemeral_container)), AT(ephemeral_containers),
	 F_LIST_MAP("name"), F_MERGE_KEY("name")},
	{"restartPolicy", F_ENUM(restart_policy_names), AT(restart_policy), F_OPEN,
	 F_GO("v1.RestartPolicy")},
	{"terminationGracePeriodSeconds", F_INT64, AT(grace_seconds), F_POINTER},
	{"activeDeadlineSeconds", F_INT64, AT(deadline_seconds), F_POINTER},
	{"dnsPolicy", F_STR, AT(dns_policy), F_GO("v1.DNSPolicy")},
	{"nodeSelector", F_LABELS, AT(node_selector), F_ATOMIC},
	{"serviceAccountName", F_STR, AT(service_account)},
	{"serviceAccount", F_STR},
	{"automountServiceAccountToken", F_BOOL, AT(automount_token), F_POINTER},
	{"nodeName", F_STR, AT(node_name)},
	{"hostNetwork", F_BOOL, AT(host_network)},
	{"hostPID", F_BOOL, AT(host_pid)},
	{"hostIPC", F_BOOL, AT(host_ipc)},
	{"shareProcessNamespace", F_BOOL, AT(share_process_namespace), F_POINTER},
	{"securityContext", F_OBJECT(pod_security_context), AT(security_context)},
	{"imagePullSecrets", F_LIST(F_OBJECT(local_ref)), AT(image_pull_secrets),
	 F_LIST_MAP("name"), F_MERGE_KEY("name")},
	{"hostname", F_STR, AT(hostname)},
	{"subdomain", F_STR, AT(subdomain)},
	{"affinity", F_OBJECT(affinity), AT(affinity)},
	{"schedulerName", F_STR, AT(scheduler_name)},
	{"tolerations", F_LIST(F_OBJECT(toleration)), AT(tolerations), F_LIST_ATOMIC},
	{"hostAliases", F_LIST(F_OBJECT(host_alias)), AT(host_aliases), F_LIST_MAP("ip"),
	 F_MERGE_KEY("ip")},
	{"priorityClassName", F_STR, AT(priority_class)},
	{"priority", F_INT32, AT(priority), F_POINTER},
	{"dnsConfig", F_OBJECT(dns_config), AT(dns_config)},
	{"readinessGates", F_LIST(F_OBJECT(readiness_gate)), AT(readiness_gates), F_LIST_ATOMIC},
	{"runtimeClassName", F_STR, AT(runtime_class_name), F_POINTER},
	{"enableServiceLinks", F_BOOL, AT(enable_service_links), F_POINTER},
	{"preemptionPolicy", F_ENUM(preemption_names), AT(preemption_policy), F_OPEN,
	 F_GO("v1.PreemptionPolicy"), F_POINTER},
	{"overhead", F_RESOURCES, AT(overhead), F_GO("v1.ResourceList")},
	{"topologySpreadConstraints", F_LIST(F_OBJECT(topology_spread)), AT(spread),
	 F_LIST_MAP("topologyKey", "whenUnsatisfiable"), F_MERGE_KEY("topologyKey")},
	{"setHostnameAsFQDN", F_BOOL, AT(set_hostname_as_fqdn), F_POINTER},
	{"os", F_OBJECT(pod_os), AT(os)},
	{"hostUsers", F_BOOL, F_POINTER},
	{"schedulingGates", F_LIST(F_OBJECT(scheduling_gate)), AT(scheduling_gates),
	 F_LIST_MAP("name"), F_MERGE_KEY("name")},
	{"resourceClaims", F_LIST(F_OBJECT(pod_claim)), AT(resource_claims), F_LIST_MAP("name"),
	 F_MERGE_KEY("name"), F_RETAIN_KEYS},
	{"resources", F_OBJECT(requirements), AT(resources)},
	{"hostnameOverride", F_STR, AT(hostname_override), F_POINTER},
};
#undef VIEW
const struct type pod_spec_type = {
	TYPE("PodSpec", "v1", struct pod_spec, pod_spec_fields),
	CORE,
	.fill = pod_default_spec,
};
