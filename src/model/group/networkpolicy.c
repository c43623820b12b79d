/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/networkpolicy.c - network policies: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/networkpolicy.h"

#include "model/rules/rules.h"
#include "model/value/labels.h"

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

/* A policy applies to ingress, and to egress if it has egress rules. */
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

/* --- rules ----------------------------------------------------------------------------------- */

static bool has_port_number(const struct rule_at *at)
{
	return json_is(json_get(at->value, "port"), JSON_INT);
}

static bool has_port_name(const struct rule_at *at)
{
	return json_is(json_get(at->value, "port"), JSON_STR);
}

static void check_end(const struct rule_at *at)
{
	struct json start = json_get(at->up->value, "port");

	if (json_is_absent(start))
		rule_invalid(at, NULL, "may not be specified when `port` is not specified");
	else if (!json_is(start, JSON_INT))
		rule_invalid(at, NULL, "may not be specified when `port` is non-numeric");
	else if (json_int(at->value) < json_int(start))
		causes_invalid(at->causes, at->path, start,
			       "must be greater than or equal to `port`");
	if (json_is(start, JSON_INT))
		rules_port(json_int(at->value), at->path, at->causes);
}

static void check_except(const struct rule_at *at)
{
	struct str whole = rule_text(at->up->up->value, "cidr");

	if (rules_cidr(json_str(at->value), at->path, at->causes) &&
	    !rules_is_within(json_str(at->value), whole))
		rule_invalid(at, NULL, "must be a strict subset of `cidr`");
}

static size_t count_selectors(struct json peer)
{
	return rule_has(peer, "podSelector") + rule_has(peer, "namespaceSelector");
}

static bool is_no_peer(const struct rule_at *at)
{
	return !rule_has(at->value, "ipBlock") && !count_selectors(at->value);
}

static bool is_two_peers(const struct rule_at *at)
{
	return rule_has(at->value, "ipBlock") && count_selectors(at->value);
}

static bool has_many_types(const struct rule_at *at)
{
	return json_len(json_get(at->value, "policyTypes")) > 2;
}

static const struct rule port_rules[] = {
	{"protocol", R_TEXTS("TCP", "UDP", "SCTP")},
	{"port", R_WHEN(has_port_number), R_PORT},
	{"endPort", R_CHECK(check_end)},
	{"port", R_WHEN(has_port_name), R_FORMAT(PORT)},
};
static const struct rule block_rules[] = {
	{"cidr", R_REQUIRED, R_CHECK(rule_cidr), R_STOP},
	{"except", R_EACH(R_CHECK(check_except))},
};
static const struct rule peer_rules[] = {
	{"podSelector", R_CHECK(rule_selector)},
	{"namespaceSelector", R_CHECK(rule_selector)},
	{"ipBlock", R_OBJECT(block_rules)},
	{R_WHEN(is_no_peer), R_LACKS("must specify a peer")},
	{R_WHEN(is_two_peers), R_FORBIDDEN("may not specify both ipBlock and another peer")},
};
static const struct rule ingress_rules[] = {
	{"ports", R_EACH(R_OBJECT(port_rules))},
	{"from", R_EACH(R_OBJECT(peer_rules))},
};
static const struct rule egress_rules[] = {
	{"ports", R_EACH(R_OBJECT(port_rules))},
	{"to", R_EACH(R_OBJECT(peer_rules))},
};
static const struct rule spec_rules[] = {
	{"podSelector", R_CHECK(rule_selector)},
	{"ingress", R_EACH(R_OBJECT(ingress_rules))},
	{"egress", R_EACH(R_OBJECT(egress_rules))},
	{"policyTypes", R_WHEN(has_many_types),
	 R_INVALID("may not specify more than two policyTypes"), R_STOP},
	{"policyTypes", R_EACH(R_TEXTS("Ingress", "Egress"))},
};
static const struct rule policy_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
};

const struct type networkpolicy_type = {
	TYPE("NetworkPolicy", "v1", struct networkpolicy, networkpolicy_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	TYPE_RULES(policy_rules),
	TYPE_UPDATE(policy_rules),
};
