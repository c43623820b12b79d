/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/networkpolicy.c - network policies: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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

/* --- rules ----------------------------------------------------------------------------------- */

static void check_port_number(int64_t port, const struct path *up, const char *key,
			      struct causes *causes)
{
	struct path path = path_member(up, str_from(key));

	rules_port(port, &path, causes);
}

static void check_end(struct json port, const struct path *up, struct causes *causes)
{
	struct json end = json_get(port, "endPort");
	struct json start = json_get(port, "port");
	PATH(path, up, "endPort");

	if (!json_is(end, JSON_INT))
		return;
	if (!rule_has(port, "port"))
		causes_invalid(causes, &path, end,
			       "may not be specified when `port` is not specified");
	else if (!json_is(start, JSON_INT))
		causes_invalid(causes, &path, end,
			       "may not be specified when `port` is non-numeric");
	else if (json_int(end) < json_int(start))
		causes_invalid(causes, &path, start, "must be greater than or equal to `port`");
	if (json_is(start, JSON_INT))
		check_port_number(json_int(end), up, "endPort", causes);
}

static void check_port(struct json port, const struct path *path, struct causes *causes)
{
	struct rule_at at = {port, path, causes};
	struct json number = json_get(port, "port");
	PATH(port_path, path, "port");

	rule_text_of(&at, "protocol", RULE_TEXTS("TCP", "UDP", "SCTP"));
	if (json_is(number, JSON_INT)) {
		check_port_number(json_int(number), path, "port", causes);
		check_end(port, path, causes);
		return;
	}
	check_end(port, path, causes);
	if (json_is(number, JSON_STR))
		name_validate(NAME_PORT, json_str(number), &port_path, causes);
}

static void check_block(struct json block, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(json_get(block, "except"));
	struct rule_at at = {block, path, causes};
	PATH(cidr, path, "cidr");
	PATH(except, path, "except");

	if (!rule_required(&at, "cidr") || !rules_cidr(rule_text(block, "cidr"), &cidr, causes))
		return;
	while (json_next(&it)) {
		struct path index = path_index(&except, it.index);

		if (rules_cidr(json_str(it.value), &index, causes) &&
		    !rules_is_within(json_str(it.value), rule_text(block, "cidr")))
			causes_invalid(causes, &index, it.value,
				       "must be a strict subset of `cidr`");
	}
}

static void check_peer(struct json peer, const struct path *path, struct causes *causes)
{
	bool block = rule_has(peer, "ipBlock");
	int others = rule_has(peer, "podSelector") + rule_has(peer, "namespaceSelector");
	PATH(pods, path, "podSelector");
	PATH(namespaces, path, "namespaceSelector");
	PATH(block_path, path, "ipBlock");

	rules_label_selector(json_get(peer, "podSelector"), &pods, causes);
	rules_label_selector(json_get(peer, "namespaceSelector"), &namespaces, causes);
	if (block)
		check_block(json_get(peer, "ipBlock"), &block_path, causes);
	if (!block && !others)
		causes_required(causes, path, "must specify a peer");
	else if (block && others)
		causes_forbidden(causes, path, "may not specify both ipBlock and another peer");
}

static void check_rules(struct json spec, const char *key, const char *peers, const struct path *up,
			struct causes *causes)
{
	struct path path = path_member(up, str_from(key));
	struct json_iter rule = json_iter(json_get(spec, key));

	while (json_next(&rule)) {
		struct path at = path_index(&path, rule.index);
		struct path peers_path = path_member(&at, str_from(peers));
		struct json_iter it = json_iter(json_get(rule.value, "ports"));
		PATH(ports, &at, "ports");

		while (json_next(&it)) {
			struct path index = path_index(&ports, it.index);

			check_port(it.value, &index, causes);
		}
		for (it = json_iter(json_get(rule.value, peers)); json_next(&it);) {
			struct path index = path_index(&peers_path, it.index);

			check_peer(it.value, &index, causes);
		}
	}
}

static void check_types(struct json types, const struct path *path, struct causes *causes)
{
	static const char *const known[] = {"Ingress", "Egress"};
	struct json_iter it = json_iter(types);

	if (json_len(types) > ARRAY_LEN(known)) {
		causes_invalid(causes, path, types, "may not specify more than two policyTypes");
		return;
	}
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		rules_one_of(it.value, known, ARRAY_LEN(known), &at, causes);
	}
}

void networkpolicy_validate_create(struct json policy, struct causes *causes)
{
	struct json spec = json_get(policy, "spec");
	PATH(path, NULL, "spec");
	PATH(pods, &path, "podSelector");
	PATH(types, &path, "policyTypes");

	rules_label_selector(json_get(spec, "podSelector"), &pods, causes);
	check_rules(spec, "ingress", "from", &path, causes);
	check_rules(spec, "egress", "to", &path, causes);
	check_types(json_get(spec, "policyTypes"), &types, causes);
}

void networkpolicy_validate_update(struct json policy, struct json old, struct causes *causes)
{
	(void)old;
	networkpolicy_validate_create(policy, causes);
}
