/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/endpoints.c - endpoints of services, whole and in slices: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type endpoint_slice_type = {
	TYPE("EndpointSlice", "v1", struct endpoint_slice, endpoint_slice_fields),
	.group = "io.k8s.api.discovery",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

/* --- whole ----------------------------------------------------------------------------------- */

static void validate_address(struct json address, const struct path *path, struct causes *causes)
{
	struct path ip_path = path_member(path, STR("ip"));
	struct path host_path = path_member(path, STR("hostname"));
	struct path node_path = path_member(path, STR("nodeName"));
	struct str ip = json_str(json_get(address, "ip"));
	struct json node = json_get(address, "nodeName");

	rules_ip(ip, &ip_path, causes);
	if (json_str(json_get(address, "hostname")).len)
		name_validate(NAME_DNS_LABEL, json_str(json_get(address, "hostname")), &host_path,
			      causes);
	if (json_is(node, JSON_STR))
		name_validate(NAME_DNS_SUBDOMAIN, json_str(node), &node_path, causes);
	rules_endpoint_ip(ip, &ip_path, causes);
}

static void validate_addresses(struct json subset, const char *which, const struct path *up,
			       struct causes *causes)
{
	struct path path = path_member(up, str_from(which));
	struct json_iter it = json_iter(json_get(subset, which));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		validate_address(it.value, &at, causes);
	}
}

static const char *const protocols[] = {"SCTP", "TCP", "UDP"};

static void validate_ports(struct json ports, const struct path *up, struct causes *causes)
{
	struct path path = path_member(up, STR("ports"));
	struct json_iter it = json_iter(ports);

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct path name_path = path_member(&at, STR("name"));
		struct path port = path_member(&at, STR("port"));
		struct path protocol = path_member(&at, STR("protocol"));
		struct path app = path_member(&at, STR("appProtocol"));
		struct str name = json_str(json_get(it.value, "name"));

		if (name.len)
			name_validate(NAME_DNS_LABEL, name, &name_path, causes);
		else if (json_len(ports) > 1)
			causes_required(causes, &name_path, "");
		rules_port(json_int(json_get(it.value, "port")), &port, causes);
		rules_one_of_required(json_get(it.value, "protocol"), protocols,
				      ARRAY_LEN(protocols), &protocol, causes);
		if (json_is(json_get(it.value, "appProtocol"), JSON_STR))
			name_validate(NAME_QUALIFIED, json_str(json_get(it.value, "appProtocol")),
				      &app, causes);
	}
}

void endpoints_validate_create(struct json endpoints, struct causes *causes)
{
	struct path path = path_member(NULL, STR("subsets"));
	struct json_iter it = json_iter(json_get(endpoints, "subsets"));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		if (!json_len(json_get(it.value, "addresses")) &&
		    !json_len(json_get(it.value, "notReadyAddresses")))
			causes_required(causes, &at,
					"must specify `addresses` or `notReadyAddresses`");
		validate_addresses(it.value, "addresses", &at, causes);
		validate_addresses(it.value, "notReadyAddresses", &at, causes);
		validate_ports(json_get(it.value, "ports"), &at, causes);
	}
}

/* What was there may stay, be it right or not. */
void endpoints_validate_update(struct json endpoints, struct json old, struct causes *causes)
{
	rules_meta(endpoints, NAME_DNS_SUBDOMAIN, true, causes);
	if (!rules_same(json_get(endpoints, "subsets"), json_get(old, "subsets")))
		endpoints_validate_create(endpoints, causes);
}

/* --- slices ---------------------------------------------------------------------------------- */

enum { SLICE_ENDPOINTS_MAX = 1000, SLICE_PORTS_MAX = 100, SLICE_ADDRESSES_MAX = 100 };

static void validate_slice_address(struct str address, struct str type, const struct path *at,
				   struct causes *causes)
{
	bool six = str_is(type, "IPv6");

	if (str_is(type, "FQDN")) {
		name_validate(NAME_DNS_SUBDOMAIN, address, at, causes);
		return;
	}
	if (!six && !str_is(type, "IPv4"))
		return;
	if (!rules_ip(address, at, causes))
		return;
	if (rules_is_ipv6(address) != six)
		causes_invalid_str(causes, at, address, "must be an %.*s address", STR_ARG(type));
	rules_endpoint_ip(address, at, causes);
}

static void validate_endpoint(struct json endpoint, struct str type, const struct path *at,
			      struct causes *causes)
{
	struct path path = path_member(at, STR("addresses"));
	struct path host = path_member(at, STR("hostname"));
	struct path node = path_member(at, STR("nodeName"));
	struct json addresses = json_get(endpoint, "addresses");
	struct json_iter it = json_iter(addresses);

	if (!json_len(addresses))
		causes_required(causes, &path, "must contain at least 1 address");
	else if (json_len(addresses) > SLICE_ADDRESSES_MAX)
		causes_too_many(causes, &path, json_len(addresses), SLICE_ADDRESSES_MAX);
	while (json_next(&it)) {
		struct path address = path_index(&path, it.index);

		validate_slice_address(json_str(it.value), type, &address, causes);
	}
	if (json_is(json_get(endpoint, "nodeName"), JSON_STR))
		name_validate(NAME_DNS_SUBDOMAIN, json_str(json_get(endpoint, "nodeName")), &node,
			      causes);
	if (json_is(json_get(endpoint, "hostname"), JSON_STR))
		name_validate(NAME_DNS_LABEL, json_str(json_get(endpoint, "hostname")), &host,
			      causes);
}

static bool has_port(struct json ports, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(json_str(json_get(json_at(ports, i), "name")), name))
			return true;
	return false;
}

static void validate_slice_ports(struct json ports, struct causes *causes)
{
	struct path path = path_member(NULL, STR("ports"));
	struct json_iter it = json_iter(ports);

	if (json_len(ports) > SLICE_PORTS_MAX) {
		causes_too_many(causes, &path, json_len(ports), SLICE_PORTS_MAX);
		return;
	}
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct path name_path = path_member(&at, STR("name"));
		struct path protocol = path_member(&at, STR("protocol"));
		struct str name = json_str(json_get(it.value, "name"));

		if (name.len)
			name_validate(NAME_DNS_LABEL, name, &name_path, causes);
		if (has_port(ports, it.index, name))
			causes_duplicate_str(causes, &name_path, name);
		rules_one_of_required(json_get(it.value, "protocol"), protocols,
				      ARRAY_LEN(protocols), &protocol, causes);
	}
}

void endpoint_slice_validate_create(struct json slice, struct causes *causes)
{
	static const char *const types[] = {"FQDN", "IPv4", "IPv6"};
	struct path type_path = path_member(NULL, STR("addressType"));
	struct path path = path_member(NULL, STR("endpoints"));
	struct json type = json_get(slice, "addressType");
	struct json endpoints = json_get(slice, "endpoints");
	struct json_iter it = json_iter(endpoints);

	rules_one_of_required(type, types, ARRAY_LEN(types), &type_path, causes);
	if (json_len(endpoints) > SLICE_ENDPOINTS_MAX) {
		causes_too_many(causes, &path, json_len(endpoints), SLICE_ENDPOINTS_MAX);
	} else {
		while (json_next(&it)) {
			struct path at = path_index(&path, it.index);

			validate_endpoint(it.value, json_str(type), &at, causes);
		}
	}
	validate_slice_ports(json_get(slice, "ports"), causes);
}

void endpoint_slice_validate_update(struct json slice, struct json old, struct causes *causes)
{
	struct path type = path_member(NULL, STR("addressType"));

	rules_meta(slice, NAME_DNS_SUBDOMAIN, true, causes);
	endpoint_slice_validate_create(slice, causes);
	rules_immutable(json_get(slice, "addressType"), json_get(old, "addressType"), &type,
			causes);
}
