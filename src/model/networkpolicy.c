/* SPDX-License-Identifier: Apache-2.0 */
/* model/networkpolicy.c - network policies: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/networkpolicy.h"

#include "model/labels.h"
#include "model/rules.h"

#include "base/banned.h"

static void fill_network_policy_port(struct json_doc *doc, struct json port)
{
	if (json_is_absent(json_get(port, "protocol")))
		json_set_str(doc, port, "protocol", STR("TCP"));
}

static const struct field network_policy_port_fields[] = {
	{"protocol", F_STR, F_POINTER, F_GO("v1.Protocol")},
	{"port", F_INTSTR},
	{"endPort", F_INT32, F_POINTER},
};
static const struct type network_policy_port_type = {
	TYPE_KNOWN("NetworkPolicyPort", "v1", network_policy_port_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.fill = fill_network_policy_port,
};

static const struct field ip_block_fields[] = {
	{"cidr", F_STR, F_ALWAYS, F_REQUIRED},
	{"except", F_LIST(F_STR), F_LIST_ATOMIC},
};
static const struct type ip_block_type = {
	TYPE_KNOWN("IPBlock", "v1", ip_block_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field network_policy_peer_fields[] = {
	{"podSelector", F_OBJECT(label_selector)},
	{"namespaceSelector", F_OBJECT(label_selector)},
	{"ipBlock", F_OBJECT(ip_block)},
};
static const struct type network_policy_peer_type = {
	TYPE_KNOWN("NetworkPolicyPeer", "v1", network_policy_peer_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field network_policy_ingress_rule_fields[] = {
	{"ports", F_LIST(F_OBJECT(network_policy_port)), F_LIST_ATOMIC},
	{"from", F_LIST(F_OBJECT(network_policy_peer)), F_LIST_ATOMIC},
};
static const struct type network_policy_ingress_rule_type = {
	TYPE_KNOWN("NetworkPolicyIngressRule", "v1", network_policy_ingress_rule_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field network_policy_egress_rule_fields[] = {
	{"ports", F_LIST(F_OBJECT(network_policy_port)), F_LIST_ATOMIC},
	{"to", F_LIST(F_OBJECT(network_policy_peer)), F_LIST_ATOMIC},
};
static const struct type network_policy_egress_rule_type = {
	TYPE_KNOWN("NetworkPolicyEgressRule", "v1", network_policy_egress_rule_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

/* A policy is about what comes in, and about what goes out if it says anything of that. */
static void fill_network_policy_spec(struct json_doc *doc, struct json spec)
{
	struct json types = json_get(spec, "policyTypes");

	if (json_len(types))
		return;
	types = json_ensure_arr(doc, spec, "policyTypes");
	json_append(doc, types, json_new_str(doc, STR("Ingress")));
	if (json_len(json_get(spec, "egress")))
		json_append(doc, types, json_new_str(doc, STR("Egress")));
}

static const struct field network_policy_spec_fields[] = {
	{"podSelector", F_OBJECT(label_selector), F_ALWAYS},
	{"ingress", F_LIST(F_OBJECT(network_policy_ingress_rule)), F_LIST_ATOMIC},
	{"egress", F_LIST(F_OBJECT(network_policy_egress_rule)), F_LIST_ATOMIC},
	{"policyTypes", F_LIST(F_STR, F_GO("v1.PolicyType")), F_LIST_ATOMIC},
};
static const struct type network_policy_spec_type = {
	TYPE_KNOWN("NetworkPolicySpec", "v1", network_policy_spec_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.fill = fill_network_policy_spec,
};

#define VIEW struct networkpolicy
static const struct field networkpolicy_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(network_policy_spec), F_DEFAULT("{}")},
};
#undef VIEW
const struct type networkpolicy_type = {
	TYPE("NetworkPolicy", "v1", struct networkpolicy, networkpolicy_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
