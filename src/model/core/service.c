/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/service.c - services: their tables, and what a server fills in. The rules are in
 * service_validate.c.
 *
 * The tables know every field of Kubernetes 1.34. clusterIP and the first of clusterIPs are the same
 * once a service has been prepared. */
#include "model/core/service.h"

#include "model/core/conditions.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum { CLIENT_SECONDS = 10800 };

static void fill_service_port(struct json_doc *doc, struct json port)
{
	struct json target = json_get(port, "targetPort");

	if (rules_is_empty(json_get(port, "protocol")))
		json_set_str(doc, port, "protocol", STR("TCP"));
	if (rules_is_empty(target) || (json_is(target, JSON_INT) && json_int(target) == 0))
		json_set_int(doc, port, "targetPort", json_int(json_get(port, "port")));
}

#define VIEW struct service_port
static const struct field service_port_fields[] = {
	{"name", F_STR, AT(name)},
	{"protocol", F_STR, AT(protocol), F_GO("v1.Protocol"), F_DEFAULT("TCP")},
	{"appProtocol", F_STR, AT(app_protocol), F_POINTER},
	{"port", F_INT32, AT(port), F_ALWAYS, F_REQUIRED},
	{"targetPort", F_INTSTR, AT(target_port), F_ALWAYS},
	{"nodePort", F_INT32, AT(node_port)},
};
#undef VIEW
const struct type service_port_type = {
	TYPE("ServicePort", "v1", struct service_port, service_port_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_service_port,
};

static const struct field client_ip_config_fields[] = {
	{"timeoutSeconds", F_INT32, F_POINTER},
};
static const struct type client_ip_config_type = {
	TYPE_KNOWN("ClientIPConfig", "v1", client_ip_config_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field session_affinity_config_fields[] = {
	{"clientIP", F_OBJECT(client_ip_config)},
};
static const struct type session_affinity_config_type = {
	TYPE_KNOWN("SessionAffinityConfig", "v1", session_affinity_config_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static bool is_type(struct json spec, const char *type)
{
	return str_is(json_str(json_get(spec, "type")), type);
}

/* Can it be reached from outside? */
static bool is_outside(struct json spec)
{
	return is_type(spec, "LoadBalancer") || is_type(spec, "NodePort") ||
	       (is_type(spec, "ClusterIP") && json_len(json_get(spec, "externalIPs")));
}

static void fill_affinity(struct json_doc *doc, struct json spec)
{
	struct json config = json_get(spec, "sessionAffinityConfig");
	struct str affinity;

	if (rules_is_empty(json_get(spec, "sessionAffinity")))
		json_set_str(doc, spec, "sessionAffinity", STR("None"));
	affinity = json_str(json_get(spec, "sessionAffinity"));
	if (str_is(affinity, "None"))
		json_remove(doc, spec, STR("sessionAffinityConfig"));
	if (str_is(affinity, "ClientIP") &&
	    json_is_absent(json_get(json_get(config, "clientIP"), "timeoutSeconds"))) {
		config = json_ensure_obj(doc, spec, "sessionAffinityConfig");
		json_set_int(doc, json_ensure_obj(doc, config, "clientIP"), "timeoutSeconds",
			     CLIENT_SECONDS);
	}
}

static void fill_service_spec(struct json_doc *doc, struct json spec)
{
	fill_affinity(doc, spec);
	if (rules_is_empty(json_get(spec, "type")))
		json_set_str(doc, spec, "type", STR("ClusterIP"));
	if (is_outside(spec) && rules_is_empty(json_get(spec, "externalTrafficPolicy")))
		json_set_str(doc, spec, "externalTrafficPolicy", STR("Cluster"));
	if (json_is_absent(json_get(spec, "internalTrafficPolicy")) &&
	    (is_type(spec, "NodePort") || is_type(spec, "LoadBalancer") ||
	     is_type(spec, "ClusterIP")))
		json_set_str(doc, spec, "internalTrafficPolicy", STR("Cluster"));
	if (is_type(spec, "LoadBalancer") &&
	    json_is_absent(json_get(spec, "allocateLoadBalancerNodePorts")))
		json_set_bool(doc, spec, "allocateLoadBalancerNodePorts", true);
}

#define VIEW struct service_spec
static const struct field service_spec_fields[] = {
	{"ports", F_LIST(F_OBJECT(service_port)), AT(ports), F_LIST_MAP("port", "protocol"),
	 F_MERGE_KEY("port")},
	{"selector", F_LABELS, AT(selector), F_ATOMIC},
	{"clusterIP", F_STR, AT(cluster_ip)},
	{"clusterIPs", F_LIST(F_STR), AT(cluster_ips), F_LIST_ATOMIC},
	{"type", F_STR, AT(type), F_GO("v1.ServiceType")},
	{"externalIPs", F_LIST(F_STR), F_LIST_ATOMIC},
	{"sessionAffinity", F_STR, F_GO("v1.ServiceAffinity")},
	{"loadBalancerIP", F_STR},
	{"loadBalancerSourceRanges", F_LIST(F_STR), F_LIST_ATOMIC},
	{"externalName", F_STR, AT(external_name)},
	{"externalTrafficPolicy", F_STR, F_GO("v1.ServiceExternalTrafficPolicy")},
	{"healthCheckNodePort", F_INT32},
	{"publishNotReadyAddresses", F_BOOL, AT(publish_not_ready_addresses)},
	{"sessionAffinityConfig", F_OBJECT(session_affinity_config)},
	{"ipFamilies", F_LIST(F_STR, F_GO("v1.IPFamily")), F_LIST_ATOMIC},
	{"ipFamilyPolicy", F_STR, F_POINTER, F_GO("v1.IPFamilyPolicy")},
	{"allocateLoadBalancerNodePorts", F_BOOL, F_POINTER},
	{"loadBalancerClass", F_STR, F_POINTER},
	{"internalTrafficPolicy", F_STR, F_POINTER, F_GO("v1.ServiceInternalTrafficPolicy")},
	{"trafficDistribution", F_STR, F_POINTER},
};
#undef VIEW
const struct type service_spec_type = {
	TYPE("ServiceSpec", "v1", struct service_spec, service_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_service_spec,
};

static const struct field port_status_fields[] = {
	{"port", F_INT32, F_ALWAYS, F_REQUIRED},
	{"protocol", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.Protocol")},
	{"error", F_STR, F_POINTER},
};
static const struct type port_status_type = {
	TYPE_KNOWN("PortStatus", "v1", port_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field load_balancer_ingress_fields[] = {
	{"ip", F_STR},
	{"hostname", F_STR},
	{"ipMode", F_STR, F_POINTER, F_GO("v1.LoadBalancerIPMode")},
	{"ports", F_LIST(F_OBJECT(port_status)), F_LIST_ATOMIC},
};
static const struct type load_balancer_ingress_type = {
	TYPE_KNOWN("LoadBalancerIngress", "v1", load_balancer_ingress_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field load_balancer_status_fields[] = {
	{"ingress", F_LIST(F_OBJECT(load_balancer_ingress)), F_LIST_ATOMIC},
};
static const struct type load_balancer_status_type = {
	TYPE_KNOWN("LoadBalancerStatus", "v1", load_balancer_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field service_status_fields[] = {
	{"loadBalancer", F_OBJECT(load_balancer_status), F_DEFAULT("{}")},
	{"conditions", F_LIST(F_OBJECT(condition)), F_LIST_MAP("type"), F_MERGE_KEY("type")},
};
static const struct type service_status_type = {
	TYPE_KNOWN("ServiceStatus", "v1", service_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct service
static const struct field service_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(service_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(service_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type service_type = {
	TYPE("Service", "v1", struct service, service_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.rules = &service_rules,
	.update = &service_update_rules,
	.status = &service_status_rules,
};

bool service_is_headless(struct json service)
{
	struct json addresses = json_get(json_get(service, "spec"), "clusterIPs");

	return json_len(addresses) == 1 && str_is(json_str(json_at(addresses, 0)), "None");
}

bool service_needs_address(struct json service)
{
	return !is_type(json_get(service, "spec"), "ExternalName") && !service_is_headless(service);
}

bool service_needs_node_ports(struct json service)
{
	struct json spec = json_get(service, "spec");

	if (is_type(spec, "NodePort"))
		return true;
	return is_type(spec, "LoadBalancer") &&
	       json_bool(json_get(spec, "allocateLoadBalancerNodePorts"));
}

/* A client that knows only clusterIP means the list as well. */
static void normalize_addresses(struct json_doc *doc, struct json spec, struct json before)
{
	struct str first = json_str(json_get(spec, "clusterIP"));
	struct str old_first = json_str(json_get(before, "clusterIP"));
	struct json list = json_get(spec, "clusterIPs");
	bool same_list = rules_same(list, json_get(before, "clusterIPs"));

	if (str_eq(first, old_first) && !json_is_absent(before))
		return;
	if (!first.len && old_first.len && same_list) {
		json_remove(doc, spec, STR("clusterIPs"));
	} else if (first.len && (!json_len(list) || (same_list && !json_is_absent(before)))) {
		list = json_new_arr(doc);
		json_append(doc, list, json_new_str(doc, first));
		json_set(doc, spec, STR("clusterIPs"), list);
	}
}

/* The defaults of a server with IPv4. A service with neither an address nor a selector may use both
 * families. */
static void fill_families(struct json_doc *doc, struct json service)
{
	struct json spec = json_get(service, "spec");
	bool both = service_is_headless(service) && !json_len(json_get(spec, "selector"));
	struct json families;

	if (is_type(spec, "ExternalName"))
		return;
	if (json_is_absent(json_get(spec, "ipFamilyPolicy")))
		json_set_str(doc, spec, "ipFamilyPolicy",
			     both ? STR("RequireDualStack") : STR("SingleStack"));
	families = json_ensure_arr(doc, spec, "ipFamilies");
	if (!json_len(families))
		json_append(doc, families, json_new_str(doc, STR("IPv4")));
	if (both && json_len(families) == 1 &&
	    !str_is(rule_text(spec, "ipFamilyPolicy"), "SingleStack"))
		json_append(doc, families,
			    json_new_str(doc, json_has_str(families, STR("IPv4")) ? STR("IPv6")
										  : STR("IPv4")));
}

void service_prepare_create(struct json_doc *doc, struct json service)
{
	struct json spec = json_ensure_obj(doc, service, "spec");
	struct json status = json_new_obj(doc);

	normalize_addresses(doc, spec, JSON_NONE);
	fill_families(doc, service);
	json_set(doc, status, STR("loadBalancer"), json_new_obj(doc));
	json_set(doc, service, STR("status"), status);
}

static void keep(struct json_doc *doc, struct json spec, struct json before, const char *field)
{
	if (rules_is_empty(json_get(spec, field)) && !rules_is_empty(json_get(before, field)))
		json_set(doc, spec, str_from(field), json_new_copy(doc, json_get(before, field)));
}

/* The node port of the same port and protocol, if the new service names none. */
static void keep_node_ports(struct json_doc *doc, struct json spec, struct json before)
{
	struct json_iter it = json_iter(json_get(spec, "ports"));

	while (json_next(&it)) {
		struct json_iter old = json_iter(json_get(before, "ports"));

		while (!json_int(json_get(it.value, "nodePort")) && json_next(&old))
			if (json_eq(json_get(old.value, "protocol"),
				    json_get(it.value, "protocol")) &&
			    json_eq(json_get(old.value, "port"), json_get(it.value, "port")) &&
			    json_int(json_get(old.value, "nodePort")))
				json_set_int(doc, it.value, "nodePort",
					     json_int(json_get(old.value, "nodePort")));
	}
}

/* --- what another type has no use for -------------------------------------------------------- */

static bool is_inner(struct json spec)
{
	return !is_type(spec, "ExternalName");
}

static bool is_balanced(struct json spec)
{
	return is_type(spec, "LoadBalancer");
}

static bool has_health_port(struct json spec)
{
	return is_balanced(spec) &&
	       str_is(json_str(json_get(spec, "externalTrafficPolicy")), "Local");
}

/* Removes a field that the new type does not use, unless the client changed it as well: then the
 * rules report it. */
static void drop_fields(struct json_doc *doc, struct json spec, struct json before)
{
	static const struct {
		const char *field;
		bool (*use)(struct json spec);
	} rows[] = {
		{"clusterIP", is_inner},
		{"clusterIPs", is_inner},
		{"ipFamilies", is_inner},
		{"ipFamilyPolicy", is_inner},
		{"healthCheckNodePort", has_health_port},
		{"allocateLoadBalancerNodePorts", is_balanced},
		{"loadBalancerClass", is_balanced},
		{"externalTrafficPolicy", is_outside},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].use(before) && !rows[i].use(spec) &&
		    json_eq(json_get(spec, rows[i].field), json_get(before, rows[i].field)))
			(void)json_remove(doc, spec, str_from(rows[i].field));
}

static bool are_node_ports_same(struct json spec, struct json before)
{
	struct json_iter ports = json_iter(json_get(spec, "ports"));
	struct json_iter old = json_iter(json_get(before, "ports"));

	if (json_len(json_get(spec, "ports")) != json_len(json_get(before, "ports")))
		return false;
	while (json_next(&ports) && json_next(&old))
		if (json_int(json_get(ports.value, "nodePort")) !=
		    json_int(json_get(old.value, "nodePort")))
			return false;
	return true;
}

static void drop_by_type(struct json_doc *doc, struct json service, struct json old)
{
	struct json spec = json_get(service, "spec");
	struct json_iter it = json_iter(json_get(spec, "ports"));
	bool ports = service_needs_node_ports(old) && !service_needs_node_ports(service) &&
		     are_node_ports_same(spec, json_get(old, "spec"));

	while (ports && json_next(&it))
		(void)json_remove(doc, it.value, STR("nodePort"));
	drop_fields(doc, spec, json_get(old, "spec"));
	if (!is_balanced(spec))
		json_set(doc, json_ensure_obj(doc, service, "status"), STR("loadBalancer"),
			 json_new_obj(doc));
}

void service_prepare_update(struct json_doc *doc, struct json service, struct json old)
{
	struct json spec = json_ensure_obj(doc, service, "spec");
	struct json before = json_get(old, "spec");
	bool inner = is_inner(spec) && is_inner(before);

	drop_by_type(doc, service, old);
	if (inner && rules_is_empty(json_get(spec, "clusterIP")))
		keep(doc, spec, before, "clusterIP");
	if (inner && rules_is_empty(json_get(spec, "clusterIPs")) &&
	    json_eq(json_get(spec, "clusterIP"), json_get(before, "clusterIP")))
		keep(doc, spec, before, "clusterIPs");
	normalize_addresses(doc, spec, before);
	if (inner) {
		keep(doc, spec, before, "ipFamilies");
		keep(doc, spec, before, "ipFamilyPolicy");
	}
	fill_families(doc, service);
	if (service_needs_node_ports(service) && service_needs_node_ports(old))
		keep_node_ports(doc, spec, before);
	if (has_health_port(spec) && has_health_port(before))
		keep(doc, spec, before, "healthCheckNodePort");
}
