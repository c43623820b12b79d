/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/endpoints.c - endpoints of services, whole and in slices: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/endpoints.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

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
	.atomic = true,
};

static void fill_endpoint_port(struct json_doc *doc, struct json port)
{
	if (rules_is_empty(json_get(port, "protocol")))
		json_set_str(doc, port, "protocol", STR("TCP"));
}

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
	.fill = fill_endpoint_port,
	.atomic = true,
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

static void fill_slice_port(struct json_doc *doc, struct json port)
{
	if (json_is_absent(json_get(port, "name")))
		json_set_str(doc, port, "name", STR(""));
	if (json_is_absent(json_get(port, "protocol")))
		json_set_str(doc, port, "protocol", STR("TCP"));
}

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
	.fill = fill_slice_port,
	.atomic = true,
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

/* --- endpoints ------------------------------------------------------------------------------- */

enum { SLICE_ENDPOINTS_MAX = 1000, SLICE_PORTS_MAX = 100, SLICE_ADDRESSES_MAX = 100 };

static bool has_no_address(const struct rule_at *at)
{
	return !json_len(json_get(at->value, "addresses")) &&
	       !json_len(json_get(at->value, "notReadyAddresses"));
}

static bool is_one_of_many(const struct rule_at *at)
{
	return json_len(at->up->value) > 1;
}

static bool has_new_subsets(const struct rule_at *at)
{
	return !rules_same(json_get(at->value, "subsets"), json_get(at->old, "subsets"));
}

static const struct rule address_rules[] = {
	{"ip", R_ALWAYS, R_CHECK(rule_ip)},
	{"hostname", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"nodeName", R_FORMAT(DNS_SUBDOMAIN)},
	{"ip", R_ALWAYS, R_CHECK(rule_endpoint_ip)},
};
static const struct rule port_rules[] = {
	{"name", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"name", R_WHEN(is_one_of_many), R_REQUIRED},
	{"port", R_ALWAYS, R_PORT},
	{"protocol", R_REQUIRED, R_TEXTS("SCTP", "TCP", "UDP")},
	{"appProtocol", R_FORMAT(QUALIFIED)},
};
static const struct rule subset_rules[] = {
	{R_WHEN(has_no_address), R_LACKS("must specify `addresses` or `notReadyAddresses`")},
	{"addresses", R_EACH(R_OBJECT(address_rules))},
	{"notReadyAddresses", R_EACH(R_OBJECT(address_rules))},
	{"ports", R_EACH(R_OBJECT(port_rules))},
};
static const struct rule endpoints_rules[] = {
	{"subsets", R_EACH(R_OBJECT(subset_rules))},
};
/* Existing values may stay, valid or not. */
static const struct rule endpoints_update_rules[] = {
	{R_CHECK(rule_meta)},
	{R_WHEN(has_new_subsets), R_OBJECT(endpoints_rules)},
};

/* --- slices ---------------------------------------------------------------------------------- */

static void check_slice_address(const struct rule_at *at)
{
	struct str type = rule_text(rule_top(at)->value, "addressType");
	struct str address = json_str(at->value);
	bool six = str_is(type, "IPv6");

	if (str_is(type, "FQDN")) {
		name_validate(NAME_DNS_SUBDOMAIN, address, at->path, at->causes);
		return;
	}
	if (!six && !str_is(type, "IPv4"))
		return;
	if (!rules_ip(address, at->path, at->causes))
		return;
	if (rules_is_ipv6(address) != six)
		rule_invalid(at, NULL, "must be an %.*s address", STR_ARG(type));
	rule_endpoint_ip(at);
}

static const struct rule slice_endpoint_rules[] = {
	{"addresses", R_REQUIRED_AS("must contain at least 1 address"),
	 R_MAX_COUNT(SLICE_ADDRESSES_MAX), R_EACH(R_CHECK(check_slice_address))},
	{"nodeName", R_FORMAT(DNS_SUBDOMAIN)},
	{"hostname", R_FORMAT(DNS_LABEL)},
};
static const struct rule slice_port_rules[] = {
	{"name", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"name", R_ALWAYS, R_ONCE},
	{"protocol", R_REQUIRED, R_TEXTS("SCTP", "TCP", "UDP")},
};
static const struct rule slice_rules[] = {
	{"addressType", R_REQUIRED, R_TEXTS("FQDN", "IPv4", "IPv6")},
	{"endpoints", R_AT_MOST(SLICE_ENDPOINTS_MAX), R_EACH(R_OBJECT(slice_endpoint_rules))},
	{"ports", R_AT_MOST(SLICE_PORTS_MAX), R_EACH(R_OBJECT(slice_port_rules))},
};
static const struct rule slice_update_rules[] = {
	{R_CHECK(rule_meta)},
	{R_OBJECT(slice_rules)},
	{"addressType", R_IMMUTABLE},
};

const struct type endpoints_type = {
	TYPE("Endpoints", "v1", struct endpoints, endpoints_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(endpoints_rules),
	TYPE_UPDATE(endpoints_update_rules),
};

const struct type endpoint_slice_type = {
	TYPE("EndpointSlice", "v1", struct endpoint_slice, endpoint_slice_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
	TYPE_RULES(slice_rules),
	TYPE_UPDATE(slice_update_rules),
};
