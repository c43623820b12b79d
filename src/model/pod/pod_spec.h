/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_spec.h - what a pod is to be. */
#ifndef MODEL_POD_SPEC_H
#define MODEL_POD_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/core/taints.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/container.h"
#include "model/pod/pod_affinity.h"
#include "model/pod/security.h"
#include "model/pod/volume.h"

struct host_alias {
	struct str ip;
	struct strs hostnames;
};
struct dns_option {
	struct str name;
	const struct str *value;
};
struct dns_config {
	struct strs nameservers;
	struct strs searches;
	VIEW_LIST(struct dns_option) options;
};
struct readiness_gate {
	struct str type; /* of the condition */
};
struct scheduling_gate {
	struct str name;
};
extern const struct type scheduling_gate_type;
/* A resource claim, or a template to make one of. */
struct pod_claim {
	struct str name;
	const struct str *claim;
	const struct str *template;
};
extern const struct type pod_claim_type;
struct pod_os {
	struct str name; /* linux, windows */
};

enum preemption_policy {
	PREEMPTION_DEFAULT, /* as the first */
	PREEMPTION_LOWER_PRIORITY,
	PREEMPTION_NEVER,
	PREEMPTION_POLICY_COUNT
};

struct containers {
	struct container *ptr;
	size_t len;
};

struct pod_spec {
	VIEW_LIST(struct volume) volumes;
	struct containers init_containers;
	struct containers containers;
	struct containers ephemeral_containers;
	enum restart_policy restart_policy;
	struct opt_int64 grace_seconds;
	struct opt_int64 deadline_seconds;
	struct str dns_policy;
	struct labels node_selector;
	struct str service_account;
	struct opt_bool automount_token;
	struct str node_name;
	bool host_network;
	bool host_pid;
	bool host_ipc;
	struct opt_bool share_process_namespace;
	const struct pod_security_context *security_context;
	VIEW_LIST(struct local_ref) image_pull_secrets;
	struct str hostname;
	struct str subdomain;
	const struct affinity *affinity;
	struct str scheduler_name;
	struct tolerations tolerations;
	VIEW_LIST(struct host_alias) host_aliases;
	struct str priority_class;
	struct opt_int32 priority;
	const struct dns_config *dns_config;
	VIEW_LIST(struct readiness_gate) readiness_gates;
	struct str runtime_class_name;
	struct opt_bool enable_service_links;
	enum preemption_policy preemption_policy;
	struct resource_list overhead;
	VIEW_LIST(struct topology_spread) spread;
	struct opt_bool set_hostname_as_fqdn;
	const struct pod_os *os;
	VIEW_LIST(struct scheduling_gate) scheduling_gates;
	VIEW_LIST(struct pod_claim) resource_claims;
	const struct requirements *resources; /* of the pod as a whole */
	struct str hostname_override;
};
extern const struct type pod_spec_type;

#endif
