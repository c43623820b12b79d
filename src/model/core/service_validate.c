/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/service_validate.c - the rules of services, in the order and the words of kube-apiserver 1.34.
 *
 * Creation and update share everything but what may not change once it is set. Metadata is validated
 * by the caller, before. */
#include "model/core/service.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

enum { CLIENT_SECONDS_MAX = 86400 };
#define CLIENT_AFFINITY "when session affinity type is ClientIP"
#define ONLY_BALANCER "may only be used when `type` is 'LoadBalancer'"

static bool is_type(struct json spec, const char *type)
{
	return str_is(rule_text(spec, "type"), type);
}

/* Of the rows of a spec: the service is what holds it. */
static bool is_headless(const struct rule_at *spec)
{
	return service_is_headless(spec->up->value);
}

/* --- by type --------------------------------------------------------------------------------- */

static bool needs_ports(const struct rule_at *at)
{
	return !is_headless(at) && !is_type(at->value, "ExternalName");
}

static bool is_headless_outside(const struct rule_at *at)
{
	return is_headless(at) &&
	       (is_type(at->value, "LoadBalancer") || is_type(at->value, "NodePort"));
}

static void check_not_headless(const struct rule_at *at)
{
	rule_invalid_str(at, NULL, STR("None"), "may not be set to 'None' for %.*s services",
			 STR_ARG(rule_beside(at, "type")));
}

static void check_external_name(const struct rule_at *at)
{
	struct str name = json_str(at->value);

	if (str_ends(name, STR(".")))
		name = str_slice(name, 0, name.len - 1);
	if (name.len)
		name_validate(NAME_DNS_SUBDOMAIN, name, at->path, at->causes);
	else
		rule_required_as(at, NULL, "");
}

static const struct rule external_name_rows[] = {
	{"clusterIPs", R_FILLED, R_FORBIDDEN("may not be set for ExternalName services")},
	{"ipFamilies", R_FILLED, R_FORBIDDEN("may not be set for ExternalName services")},
	{"ipFamilyPolicy", R_FILLED, R_FORBIDDEN("may not be set for ExternalName services")},
	{"externalName", R_ALWAYS, R_CHECK(check_external_name)},
};

/* --- ports ----------------------------------------------------------------------------------- */

static bool is_one_of_many(const struct rule_at *at)
{
	return json_len(at->up->value) > 1;
}

static const struct rule port_rows[] = {
	{"name", R_WHEN(is_one_of_many), R_REQUIRED},
	{"name", R_FILLED, R_FORMAT(DNS_LABEL), R_ONCE},
	{"port", R_ALWAYS, R_PORT},
	{"protocol", R_REQUIRED, R_TEXTS("SCTP", "TCP", "UDP")},
	{"targetPort", R_ALWAYS, R_CHECK(rule_port_or_name)},
	{"appProtocol", R_FORMAT(QUALIFIED)},
};

/* Does an earlier port have the same protocol and the same number? */
static bool is_new_port(const struct rule_at *at, struct json port, int64_t number)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_int(&text, number);
	json_print(json_get(port, "protocol"), JSON_CANONICAL, &text);
	return name_set_add_copy(at->seen, buf_str(&text));
}

static void check_node_port_once(const struct rule_at *at)
{
	if (!is_new_port(at, at->up->value, json_int(at->value)))
		rule_duplicate(at, NULL);
}

static void check_port_once(const struct rule_at *at)
{
	int64_t number = json_int(json_get(at->value, "port"));

	if (!is_new_port(at, at->value, number))
		rule_add(at, NULL, CAUSE_DUPLICATE,
			 "Duplicate value: {\"Name\":\"\",\"Protocol\":\"%.*s\","
			 "\"AppProtocol\":null,\"Port\":%d,\"TargetPort\":0,"
			 "\"NodePort\":0}",
			 STR_ARG(rule_text(at->value, "protocol")), (int)number);
}

static const struct rule cluster_port_rows[] = {
	{"nodePort", R_NONZERO, R_FORBIDDEN("may not be used when `type` is 'ClusterIP'")},
};
static const struct rule node_port_rows[] = {
	{"nodePort", R_NONZERO, R_CHECK(check_node_port_once)},
};

/* --- affinity -------------------------------------------------------------------------------- */

static const struct rule client_ip_rows[] = {
	{"timeoutSeconds", R_REQUIRED_AS(CLIENT_AFFINITY), R_RANGE(1, CLIENT_SECONDS_MAX),
	 R_RANGE_AS("must be greater than 0 and less than 86400")},
};
static const struct rule affinity_rows[] = {
	{"clientIP", R_REQUIRED_AS(CLIENT_AFFINITY), R_OBJECT(client_ip_rows)},
};

/* --- addresses ------------------------------------------------------------------------------- */

static void check_first_address(const struct rule_at *at)
{
	struct str first = rule_beside(at, "clusterIP");

	if (first.len && !json_len(at->value))
		rule_required_as(at, NULL, "");
	else if (first.len && !str_eq(json_str(json_at(at->value, 0)), first))
		rule_invalid(at, NULL, "first value must match `clusterIP`");
	else if (!first.len && json_len(at->value))
		rule_invalid(at, NULL, "must be empty when `clusterIP` is not specified");
}

/* "None" stands for no address, alone. */
static bool is_none(const struct rule_at *address)
{
	return address->path->index == 0 && str_is(json_str(address->value), "None");
}

static void check_address(const struct rule_at *at)
{
	if (!is_none(at))
		rule_ip(at);
	else if (json_len(at->up->value) > 1)
		rule_invalid(at->up, NULL, "'None' must be the first and only value");
}

static bool has_three_addresses(const struct rule_at *at)
{
	return json_len(json_get(at->value, "clusterIPs")) > 2;
}

static bool are_addresses(const struct rule_at *at)
{
	struct json addresses = json_get(at->value, "clusterIPs");
	struct json_iter it = json_iter(addresses);

	while (json_next(&it)) {
		bool none = it.index == 0 && str_is(json_str(it.value), "None");

		if (none ? json_len(addresses) > 1 : !rules_is_ip(json_str(it.value)))
			return false;
	}
	return true;
}

static bool has_one_family(const struct rule_at *at)
{
	struct json addresses = json_get(at->value, "clusterIPs");

	return are_addresses(at) && json_len(addresses) == 2 &&
	       rules_is_ipv6(json_str(json_at(addresses, 0))) ==
		       rules_is_ipv6(json_str(json_at(addresses, 1)));
}

static bool has_addresses(const struct rule_at *at)
{
	return are_addresses(at) && !is_headless(at);
}

static void check_family(const struct rule_at *at)
{
	struct json families = json_get(at->up->up->value, "ipFamilies");
	struct str family = json_str(json_at(families, at->path->index));
	bool six = rules_is_ipv6(json_str(at->value));

	if ((str_is(family, "IPv4") && six) || (str_is(family, "IPv6") && !six))
		rule_invalid(at, NULL, "expected an %.*s value as indicated by `ipFamilies[%zu]`",
			     STR_ARG(family), at->path->index);
}

static void check_external_ip(const struct rule_at *at)
{
	if (rules_ip(json_str(at->value), at->path, at->causes))
		rule_endpoint_ip(at);
}

static const struct rule address_rows[] = {
	{"clusterIPs", R_ALWAYS, R_CHECK(check_first_address)},
	{"ipFamilies", R_EACH(R_TEXTS("IPv4", "IPv6"), R_ONCE)},
	{"ipFamilyPolicy", R_TEXTS("PreferDualStack", "RequireDualStack", "SingleStack")},
	{"clusterIPs", R_EACH(R_CHECK(check_address))},
	{"clusterIPs", R_WHEN(has_three_addresses), R_INVALID("may only hold up to 2 values")},
	{"clusterIPs", R_WHEN(has_one_family),
	 R_INVALID("may specify no more than one IP for each IP family")},
	{"clusterIPs", R_WHEN(has_addresses), R_EACH(R_CHECK(check_family))},
};

/* --- traffic and load balancers -------------------------------------------------------------- */

static void check_source_range(const struct rule_at *at)
{
	(void)rules_cidr(str_trim(json_str(at->value)), at->path, at->causes);
}

static bool is_outside(const struct rule_at *at)
{
	return is_type(at->value, "LoadBalancer") || is_type(at->value, "NodePort") ||
	       (is_type(at->value, "ClusterIP") && json_len(json_get(at->value, "externalIPs")));
}

static bool is_inside(const struct rule_at *at)
{
	return !is_outside(at);
}

static bool is_checked(struct json spec)
{
	return is_type(spec, "LoadBalancer") &&
	       str_is(rule_text(spec, "externalTrafficPolicy"), "Local");
}

static bool needs_check(const struct rule_at *at)
{
	return is_checked(at->value);
}

static bool needs_no_check(const struct rule_at *at)
{
	return !is_checked(at->value);
}

static bool lacks_internal(const struct rule_at *at)
{
	return !rule_has(at->value, "internalTrafficPolicy") &&
	       (is_type(at->value, "NodePort") || is_type(at->value, "LoadBalancer") ||
		is_type(at->value, "ClusterIP"));
}

static bool lacks_allocation(const struct rule_at *at)
{
	struct json spec = json_get(at->value, "spec");

	return is_type(spec, "LoadBalancer") && !rule_has(spec, "allocateLoadBalancerNodePorts");
}

static const struct rule class_rows[] = {
	{"loadBalancerClass", R_IF("type", "LoadBalancer"), R_FORMAT(QUALIFIED)},
	{"loadBalancerClass", R_UNLESS("type", "LoadBalancer"), R_FORBIDDEN(ONLY_BALANCER)},
};

static const struct rule first_rows[] = {
	{"ports", R_WHEN(needs_ports), R_REQUIRED},
	{"clusterIPs", R_WHEN(is_headless_outside), R_AS("clusterIPs[0]"), R_ALWAYS,
	 R_CHECK(check_not_headless)},
	{R_IF("type", "ExternalName"), R_OBJECT(external_name_rows)},
	{"ports", R_EACH(R_OBJECT(port_rows))},
	{"selector", R_CHECK(rule_labels)},
	{"sessionAffinity", R_REQUIRED, R_TEXTS("ClientIP", "None")},
	{"sessionAffinityConfig", R_IF("sessionAffinity", "ClientIP"),
	 R_REQUIRED_AS(CLIENT_AFFINITY), R_OBJECT(affinity_rows)},
	{"sessionAffinityConfig", R_IF("sessionAffinity", "None"),
	 R_FORBIDDEN("must not be set when session affinity is None")},
	{R_UNLESS("type", "ExternalName"), R_OBJECT(address_rows)},
	{"externalIPs", R_EACH(R_CHECK(check_external_ip))},
	{"type", R_REQUIRED, R_TEXTS("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")},
	{"ports", R_IF("type", "ClusterIP"), R_EACH(R_OBJECT(cluster_port_rows))},
	{"ports", R_EACH(R_OBJECT(node_port_rows))},
	{"ports", R_EACH(R_CHECK(check_port_once))},
	{"loadBalancerSourceRanges", R_AS("LoadBalancerSourceRanges"),
	 R_UNLESS("type", "LoadBalancer"), R_FILLED, R_FORBIDDEN(ONLY_BALANCER)},
	{"loadBalancerSourceRanges", R_AS("LoadBalancerSourceRanges"),
	 R_EACH(R_CHECK(check_source_range))},
	{"allocateLoadBalancerNodePorts", R_UNLESS("type", "LoadBalancer"),
	 R_FORBIDDEN(ONLY_BALANCER)},
};
static const struct rule last_rows[] = {
	{R_OBJECT(class_rows)},
	{"externalTrafficPolicy", R_WHEN(is_outside), R_REQUIRED, R_TEXTS("Cluster", "Local")},
	{"externalTrafficPolicy", R_WHEN(is_inside), R_FILLED,
	 R_INVALID("may only be set for externally-accessible services")},
	{"healthCheckNodePort", R_WHEN(needs_no_check), R_NONZERO,
	 R_INVALID("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is "
		   "'Local'")},
	{"healthCheckNodePort", R_WHEN(needs_check), R_NONZERO, R_REQUIRED, R_PORT},
	{"internalTrafficPolicy", R_TEXTS("Cluster", "Local")},
	{"internalTrafficPolicy", R_WHEN(lacks_internal), R_ALWAYS, R_LACKS("")},
	{"trafficDistribution", R_TEXTS("PreferClose", "PreferSameZone", "PreferSameNode")},
};
/* Upstream reports the missing member of the spec as one of the service. */
static const struct rule service_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(first_rows)},
	{"allocateLoadBalancerNodePorts", R_WHEN(lacks_allocation), R_ALWAYS, R_LACKS("")},
	{"spec", R_ALWAYS, R_OBJECT(last_rows)},
};
const struct rules service_rules = RULES_OF(service_rows);

/* --- updates --------------------------------------------------------------------------------- */

/* Existing addresses or families must not change. */
static void check_kept(const struct rule_at *at, bool families)
{
	bool same = json_len(at->value) == json_len(at->old);
	struct json_iter news = json_iter(at->value);
	struct json_iter olds = json_iter(at->old);
	struct path path;

	while (json_next(&olds) && json_next(&news) && (same || !olds.index)) {
		path = path_index(at->path, families ? 0 : olds.index);
		if (!json_eq(olds.value, news.value))
			causes_invalid(at->causes, &path, at->value, "may not change once set");
	}
	if (json_len(at->old) <= json_len(at->value))
		return;
	path = path_index(at->path, 0);
	if (!json_len(at->value))
		rules_invalid(at->value, &path,
			      families ? "primary ipFamily can not be unset"
				       : "primary clusterIP can not be unset",
			      at->causes);
}

static void check_addresses_kept(const struct rule_at *at)
{
	check_kept(at, false);
}

static void check_families_kept(const struct rule_at *at)
{
	check_kept(at, true);
}

static bool keeps_addresses(const struct rule_at *at)
{
	return !is_type(at->value, "ExternalName") && !is_type(at->old, "ExternalName") &&
	       (!is_headless(at) || !service_is_headless(at->up->old));
}

static bool keeps_families(const struct rule_at *at)
{
	return keeps_addresses(at) && !is_headless(at) && !service_is_headless(at->up->old);
}

/* Is the second address, or family, removed without a change of the policy? */
static bool releases(const struct rule_at *at, const char *list)
{
	return json_len(json_get(at->value, list)) == 1 && json_len(json_get(at->old, list)) > 1 &&
	       !str_is(rule_text(at->value, "ipFamilyPolicy"), "SingleStack");
}

static bool releases_address(const struct rule_at *at)
{
	return keeps_addresses(at) && releases(at, "clusterIPs");
}

static bool releases_family(const struct rule_at *at)
{
	return keeps_families(at) && releases(at, "ipFamilies");
}

static void check_address_released(const struct rule_at *at)
{
	rules_invalid(at->value, at->path,
		      "must be set to 'SingleStack' when releasing the secondary clusterIP",
		      at->causes);
}

static void check_family_released(const struct rule_at *at)
{
	rules_invalid(at->value, at->path,
		      "must be set to 'SingleStack' when releasing the secondary ipFamily",
		      at->causes);
}

static bool stays_balancer(const struct rule_at *at)
{
	return is_type(at->value, "LoadBalancer") && is_type(at->old, "LoadBalancer");
}

static bool stays_checked(const struct rule_at *at)
{
	return is_checked(at->value) && is_checked(at->old);
}

static const struct rule spec_update_rows[] = {
	{"clusterIPs", R_WHEN(keeps_addresses), R_ALWAYS, R_CHECK(check_addresses_kept)},
	{"ipFamilyPolicy", R_WHEN(releases_address), R_ALWAYS, R_CHECK(check_address_released)},
	{"ipFamilies", R_WHEN(keeps_families), R_ALWAYS, R_CHECK(check_families_kept)},
	{"ipFamilyPolicy", R_WHEN(releases_family), R_ALWAYS, R_CHECK(check_family_released)},
	{"loadBalancerClass", R_WHEN(stays_balancer), R_IMMUTABLE_AS("may not change once set")},
	{R_OBJECT(class_rows)},
	{"healthCheckNodePort", R_WHEN(stays_checked), R_FIXED("field is immutable")},
};
static const struct rule update_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(spec_update_rows)},
	{R_RULES(service_rules)},
};
const struct rules service_update_rules = RULES_OF(update_rows);

/* --- families -------------------------------------------------------------------------------- */

void service_check_families(struct json service, struct causes *causes)
{
	PATH(up, NULL, "spec");
	PATH(policy_path, &up, "ipFamilyPolicy");
	PATH(list, &up, "ipFamilies");
	struct json spec = json_get(service, "spec");
	struct json policy = json_get(spec, "ipFamilyPolicy");
	struct json families = json_get(spec, "ipFamilies");
	bool anywhere = service_is_headless(service) && !json_len(json_get(spec, "selector"));
	struct json_iter it = json_iter(families);

	if (is_type(spec, "ExternalName"))
		return;
	if (json_len(families) > 1 && str_is(json_str(policy), "SingleStack")) {
		causes_invalid(causes, &policy_path, policy,
			       "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP "
			       "families are specified");
		return;
	}
	if (anywhere)
		return;
	if (str_is(json_str(policy), "RequireDualStack"))
		causes_invalid(causes, &policy_path, policy,
			       "this cluster is not configured for dual-stack services");
	while (json_next(&it))
		if (str_is(json_str(it.value), "IPv6")) {
			struct path path = path_index(&list, it.index);

			causes_invalid(causes, &path, it.value, "not configured on this cluster");
		}
}

/* --- status ---------------------------------------------------------------------------------- */

static bool is_no_balancer(const struct rule_at *at)
{
	return !is_type(json_get(rule_top(at)->value, "spec"), "LoadBalancer");
}

static const struct rule ingress_rows[] = {
	{"ip", R_FILLED, R_CHECK(rule_ip)},
	{"ipMode", R_IF("ip", ""), R_FORBIDDEN("may not be specified when `ip` is not set")},
	{"ipMode", R_UNLESS("ip", ""), R_TEXTS("Proxy", "VIP")},
	{"hostname", R_FILLED, R_FORMAT(DNS_SUBDOMAIN), R_CHECK(rule_not_ip)},
};
static const struct rule balancer_rows[] = {
	{"ingress", R_WHEN(is_no_balancer), R_FILLED,
	 R_FORBIDDEN("may only be used when `spec.type` is 'LoadBalancer'"), R_STOP},
	{"ingress", R_EACH(R_OBJECT(ingress_rows))},
};
static const struct rule service_status_rows[] = {
	{"loadBalancer", R_OBJECT(balancer_rows)},
};
static const struct rule status_rows[] = {
	{"status", R_OBJECT(service_status_rows)},
};
const struct rules service_status_rules = RULES_OF(status_rows);
