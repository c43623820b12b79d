/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/service_validate.c - the rules of services, in the order and the words of kube-apiserver 1.34.
 *
 * Creation and update share everything but what may not change once it is set. Metadata is validated
 * by whoever calls, before. */
#include "model/core/service.h"
#include "model/rules/rules.h"
#include "model/value/labels.h"
#include "model/value/names.h"

#include "base/banned.h"

enum { CLIENT_SECONDS_MAX = 86400 };

static bool is_type(struct json spec, const char *type)
{
	return str_is(json_str(json_get(spec, "type")), type);
}

static void validate_external_name(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const unset[] = {"clusterIPs", "ipFamilies", "ipFamilyPolicy"};
	struct path at = path_member(path, STR("externalName"));
	struct str name = json_str(json_get(spec, "externalName"));

	for (size_t i = 0; i < ARRAY_LEN(unset); i++) {
		struct path field = path_member(path, str_from(unset[i]));

		if (!rules_is_empty(json_get(spec, unset[i])))
			causes_forbidden(causes, &field,
					 "may not be set for ExternalName services");
	}
	if (str_ends(name, STR(".")))
		name = str_slice(name, 0, name.len - 1);
	if (name.len)
		name_validate(NAME_DNS_SUBDOMAIN, name, &at, causes);
	else
		causes_required(causes, &at, "");
}

static void validate_kind(struct json service, const struct path *path, struct causes *causes)
{
	struct json spec = json_get(service, "spec");
	struct path ports = path_member(path, STR("ports"));
	struct path addresses = path_member(path, STR("clusterIPs"));
	struct path first = path_index(&addresses, 0);
	bool headless = service_is_headless(service);

	if (!json_len(json_get(spec, "ports")) && !headless && !is_type(spec, "ExternalName"))
		causes_required(causes, &ports, "");
	if (headless && is_type(spec, "LoadBalancer"))
		causes_invalid_str(causes, &first, STR("None"),
				   "may not be set to 'None' for LoadBalancer services");
	if (headless && is_type(spec, "NodePort"))
		causes_invalid_str(causes, &first, STR("None"),
				   "may not be set to 'None' for NodePort services");
	if (is_type(spec, "ExternalName"))
		validate_external_name(spec, path, causes);
}

/* --- ports ----------------------------------------------------------------------------------- */

/* `names` are those of the ports before. */
static void validate_port_name(struct json port, bool only, struct name_set *names,
			       const struct path *at, struct causes *causes)
{
	struct path path = path_member(at, STR("name"));
	struct str name = json_str(json_get(port, "name"));

	if (!name.len) {
		if (!only)
			causes_required(causes, &path, "");
		return;
	}
	name_validate(NAME_DNS_LABEL, name, &path, causes);
	if (!name_set_add(names, name))
		causes_duplicate_str(causes, &path, name);
}

static void validate_port(struct json port, const struct path *at, struct causes *causes)
{
	static const char *const protocols[] = {"SCTP", "TCP", "UDP"};
	struct path number = path_member(at, STR("port"));
	struct path protocol = path_member(at, STR("protocol"));
	struct path target = path_member(at, STR("targetPort"));
	struct path app = path_member(at, STR("appProtocol"));

	rules_port(json_int(json_get(port, "port")), &number, causes);
	rules_one_of_required(json_get(port, "protocol"), protocols, ARRAY_LEN(protocols),
			      &protocol, causes);
	rules_port_or_name(json_get(port, "targetPort"), &target, causes);
	if (json_is(json_get(port, "appProtocol"), JSON_STR))
		name_validate(NAME_QUALIFIED, json_str(json_get(port, "appProtocol")), &app,
			      causes);
}

static void validate_ports(struct json ports, const struct path *path, struct causes *causes)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it = json_iter(ports);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		validate_port_name(it.value, json_len(ports) == 1, &names, &at, causes);
		validate_port(it.value, &at, causes);
	}
}

/* Is there one before it with the same protocol and the same number in `field`? */
static bool is_doubled(struct json port, const char *field, struct name_set *seen)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_int(&text, json_int(json_get(port, field)));
	json_print(json_get(port, "protocol"), JSON_CANONICAL, &text);
	return !name_set_add_copy(seen, buf_str(&text));
}

static void validate_unique_ports(struct json spec, const struct path *path, struct causes *causes)
{
	AUTO(name_set_done) struct name_set node_ports = {0};
	AUTO(name_set_done) struct name_set numbers = {0};
	struct json ports = json_get(spec, "ports");
	struct json_iter it = json_iter(ports);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct path node_port = path_member(&at, STR("nodePort"));

		if (is_type(spec, "ClusterIP") && json_int(json_get(it.value, "nodePort")))
			causes_forbidden(causes, &node_port,
					 "may not be used when `type` is 'ClusterIP'");
	}
	for (it = json_iter(ports); json_next(&it);) {
		struct path at = path_index(path, it.index);
		struct path node_port = path_member(&at, STR("nodePort"));
		struct json number = json_get(it.value, "nodePort");

		if (json_int(number) && is_doubled(it.value, "nodePort", &node_ports))
			causes_duplicate(causes, &node_port, number);
	}
	for (it = json_iter(ports); json_next(&it);) {
		struct path at = path_index(path, it.index);
		struct json port = it.value;

		if (is_doubled(port, "port", &numbers))
			causes_add(causes, CAUSE_DUPLICATE, &at,
				   "Duplicate value: {\"Name\":\"\",\"Protocol\":\"%.*s\","
				   "\"AppProtocol\":null,\"Port\":%d,\"TargetPort\":0,"
				   "\"NodePort\":0}",
				   STR_ARG(json_str(json_get(port, "protocol"))),
				   (int)json_int(json_get(port, "port")));
	}
}

/* --- addresses ------------------------------------------------------------------------------- */

static void validate_families(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const families[] = {"IPv4", "IPv6"};
	static const char *const policies[] = {"PreferDualStack", "RequireDualStack",
					       "SingleStack"};
	struct path list = path_member(path, STR("ipFamilies"));
	struct path policy = path_member(path, STR("ipFamilyPolicy"));
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(json_get(spec, "ipFamilies"));

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct path at = path_index(&list, it.index);

		rules_one_of(it.value, families, ARRAY_LEN(families), &at, causes);
		json_print(it.value, JSON_CANONICAL, &text);
		if (!name_set_add_copy(&seen, buf_str(&text)))
			causes_duplicate(causes, &at, it.value);
	}
	if (!json_is_absent(json_get(spec, "ipFamilyPolicy")))
		rules_one_of(json_get(spec, "ipFamilyPolicy"), policies, ARRAY_LEN(policies),
			     &policy, causes);
}

/* Gives whether every address is one. */
static bool validate_each_address(struct json addresses, const struct path *path,
				  struct causes *causes)
{
	struct json_iter it = json_iter(addresses);
	bool valid = true;

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str address = json_str(it.value);

		if (it.index == 0 && str_is(address, "None")) {
			if (json_len(addresses) > 1) {
				valid = false;
				causes_invalid(causes, path, addresses,
					       "'None' must be the first and only value");
			}
			continue;
		}
		valid = rules_ip(address, &at, causes) && valid;
	}
	if (json_len(addresses) > 2)
		causes_invalid(causes, path, addresses, "may only hold up to 2 values");
	return valid;
}

static void validate_family_of(struct json spec, const struct path *path, struct causes *causes)
{
	struct json_iter addresses = json_iter(json_get(spec, "clusterIPs"));
	struct json_iter families = json_iter(json_get(spec, "ipFamilies"));

	while (json_next(&addresses) && json_next(&families)) {
		struct path at = path_index(path, addresses.index);
		struct str address = json_str(addresses.value);
		struct str family = json_str(families.value);
		bool six = rules_is_ipv6(address);

		if ((str_is(family, "IPv4") && six) || (str_is(family, "IPv6") && !six))
			causes_invalid_str(causes, &at, address,
					   "expected an %.*s value as indicated by "
					   "`ipFamilies[%zu]`",
					   STR_ARG(family), addresses.index);
	}
}

static void validate_addresses(struct json service, const struct path *path, struct causes *causes)
{
	struct json spec = json_get(service, "spec");
	struct json addresses = json_get(spec, "clusterIPs");
	struct str first = json_str(json_get(spec, "clusterIP"));
	struct path list = path_member(path, STR("clusterIPs"));

	if (is_type(spec, "ExternalName"))
		return;
	if (first.len && !json_len(addresses))
		causes_required(causes, &list, "");
	else if (first.len && !str_eq(json_str(json_at(addresses, 0)), first))
		causes_invalid(causes, &list, addresses, "first value must match `clusterIP`");
	else if (!first.len && json_len(addresses))
		causes_invalid(causes, &list, addresses,
			       "must be empty when `clusterIP` is not specified");
	validate_families(spec, path, causes);
	if (!validate_each_address(addresses, &list, causes))
		return;
	if (json_len(addresses) == 2 && rules_is_ipv6(json_str(json_at(addresses, 0))) ==
						rules_is_ipv6(json_str(json_at(addresses, 1))))
		causes_invalid(causes, &list, addresses,
			       "may specify no more than one IP for each IP family");
	if (!service_is_headless(service))
		validate_family_of(spec, &list, causes);
}

static void validate_external(struct json spec, const struct path *path, struct causes *causes)
{
	struct path list = path_member(path, STR("externalIPs"));
	struct json_iter it = json_iter(json_get(spec, "externalIPs"));

	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);

		if (rules_ip(json_str(it.value), &at, causes))
			rules_endpoint_ip(json_str(it.value), &at, causes);
	}
}

/* --- affinity, traffic, load balancers ------------------------------------------------------- */

static void validate_client_affinity(struct json config, const struct path *path,
				     struct causes *causes)
{
	static const char detail[] = "when session affinity type is ClientIP";
	struct path client = path_member(path, STR("clientIP"));
	struct path seconds_path = path_member(&client, STR("timeoutSeconds"));
	struct json seconds = json_get(json_get(config, "clientIP"), "timeoutSeconds");

	if (!json_is(config, JSON_OBJ))
		causes_required(causes, path, detail);
	else if (!json_is(json_get(config, "clientIP"), JSON_OBJ))
		causes_required(causes, &client, detail);
	else if (json_is_absent(seconds))
		causes_required(causes, &seconds_path, detail);
	else if (json_int(seconds) <= 0 || json_int(seconds) > CLIENT_SECONDS_MAX)
		causes_invalid(causes, &seconds_path, seconds,
			       "must be greater than 0 and less than %d", CLIENT_SECONDS_MAX);
}

static void validate_affinity(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const kinds[] = {"ClientIP", "None"};
	struct path affinity = path_member(path, STR("sessionAffinity"));
	struct path config = path_member(path, STR("sessionAffinityConfig"));
	struct json value = json_get(spec, "sessionAffinity");

	rules_one_of_required(value, kinds, ARRAY_LEN(kinds), &affinity, causes);
	if (str_is(json_str(value), "ClientIP"))
		validate_client_affinity(json_get(spec, "sessionAffinityConfig"), &config, causes);
	else if (str_is(json_str(value), "None") &&
		 !json_is_absent(json_get(spec, "sessionAffinityConfig")))
		causes_forbidden(causes, &config, "must not be set when session affinity is None");
}

static void validate_ranges(struct json spec, const struct path *path, struct causes *causes)
{
	struct path list = path_member(path, STR("LoadBalancerSourceRanges"));
	struct json_iter it = json_iter(json_get(spec, "loadBalancerSourceRanges"));

	if (json_len(json_get(spec, "loadBalancerSourceRanges")) && !is_type(spec, "LoadBalancer"))
		causes_forbidden(causes, &list, "may only be used when `type` is 'LoadBalancer'");
	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);

		rules_cidr(str_trim(json_str(it.value)), &at, causes);
	}
}

static void validate_class(struct json spec, const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("loadBalancerClass"));
	struct json class = json_get(spec, "loadBalancerClass");

	if (!json_is(class, JSON_STR))
		return;
	if (is_type(spec, "LoadBalancer"))
		name_validate(NAME_QUALIFIED, json_str(class), &at, causes);
	else
		causes_forbidden(causes, &at, "may only be used when `type` is 'LoadBalancer'");
}

static void validate_balancer(struct json spec, const struct path *path, struct causes *causes)
{
	struct path allocate = path_member(path, STR("allocateLoadBalancerNodePorts"));
	struct path bare = path_member(NULL, STR("allocateLoadBalancerNodePorts"));
	bool set = !json_is_absent(json_get(spec, "allocateLoadBalancerNodePorts"));

	validate_ranges(spec, path, causes);
	if (set && !is_type(spec, "LoadBalancer"))
		causes_forbidden(causes, &allocate,
				 "may only be used when `type` is 'LoadBalancer'");
	if (!set && is_type(spec, "LoadBalancer"))
		causes_required(causes, &bare, "");
	validate_class(spec, path, causes);
}

static bool is_outside(struct json spec)
{
	return is_type(spec, "LoadBalancer") || is_type(spec, "NodePort") ||
	       (is_type(spec, "ClusterIP") && json_len(json_get(spec, "externalIPs")));
}

static bool needs_check(struct json spec)
{
	return is_type(spec, "LoadBalancer") &&
	       str_is(json_str(json_get(spec, "externalTrafficPolicy")), "Local");
}

static void validate_check_port(struct json spec, const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("healthCheckNodePort"));
	int64_t port = json_int(json_get(spec, "healthCheckNodePort"));

	if (!needs_check(spec)) {
		if (port)
			causes_invalid_int(causes, &at, port,
					   "may only be set when `type` is 'LoadBalancer' and "
					   "`externalTrafficPolicy` is 'Local'");
	} else if (!port) {
		causes_required(causes, &at, "");
	} else {
		rules_port(port, &at, causes);
	}
}

static void validate_traffic(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const policies[] = {"Cluster", "Local"};
	static const char *const ways[] = {"PreferClose", "PreferSameZone", "PreferSameNode"};
	struct path outer = path_member(path, STR("externalTrafficPolicy"));
	struct path inner = path_member(path, STR("internalTrafficPolicy"));
	struct path way = path_member(path, STR("trafficDistribution"));
	struct json policy = json_get(spec, "externalTrafficPolicy");
	struct json inside = json_get(spec, "internalTrafficPolicy");

	if (is_outside(spec))
		rules_one_of_required(policy, policies, ARRAY_LEN(policies), &outer, causes);
	else if (json_str(policy).len)
		causes_invalid(causes, &outer, policy,
			       "may only be set for externally-accessible services");
	validate_check_port(spec, path, causes);
	if (!json_is_absent(inside))
		rules_one_of(inside, policies, ARRAY_LEN(policies), &inner, causes);
	else if (is_type(spec, "NodePort") || is_type(spec, "LoadBalancer") ||
		 is_type(spec, "ClusterIP"))
		causes_required(causes, &inner, "");
	if (!json_is_absent(json_get(spec, "trafficDistribution")))
		rules_one_of(json_get(spec, "trafficDistribution"), ways, ARRAY_LEN(ways), &way,
			     causes);
}

/* --- the whole ------------------------------------------------------------------------------- */

void service_validate_create(struct json service, struct causes *causes)
{
	static const char *const types[] = {"ClusterIP", "ExternalName", "LoadBalancer",
					    "NodePort"};
	struct json spec = json_get(service, "spec");
	struct path path = path_member(NULL, STR("spec"));
	struct path ports = path_member(&path, STR("ports"));
	struct path selector = path_member(&path, STR("selector"));
	struct path type = path_member(&path, STR("type"));

	validate_kind(service, &path, causes);
	validate_ports(json_get(spec, "ports"), &ports, causes);
	labels_validate(json_get(spec, "selector"), &selector, causes);
	validate_affinity(spec, &path, causes);
	validate_addresses(service, &path, causes);
	validate_external(spec, &path, causes);
	rules_one_of_required(json_get(spec, "type"), types, ARRAY_LEN(types), &type, causes);
	validate_unique_ports(spec, &ports, causes);
	validate_balancer(spec, &path, causes);
	validate_traffic(spec, &path, causes);
}

/* Addresses or families (`list`) that were there stay as they are. */
static void validate_kept(struct json spec, struct json before, const char *list,
			  struct causes *causes)
{
	struct path path = path_member(NULL, STR("spec"));
	struct path all = path_member(&path, str_from(list));
	struct path policy = path_member(&path, STR("ipFamilyPolicy"));
	struct json new = json_get(spec, list);
	struct json old = json_get(before, list);
	bool families = str_is(STR("ipFamilies"), list);
	bool same = json_len(new) == json_len(old);
	struct json_iter news = json_iter(new);
	struct json_iter olds = json_iter(old);

	while (json_next(&olds) && json_next(&news) && (same || !olds.index)) {
		struct path at = path_index(&all, families ? 0 : olds.index);

		if (!json_eq(olds.value, news.value))
			causes_invalid(causes, &at, new, "may not change once set");
	}
	if (json_len(old) <= json_len(new))
		return;
	if (!json_len(new)) {
		struct path at = path_index(&all, 0);

		rules_invalid(new, &at,
			      families ? "primary ipFamily can not be unset"
				       : "primary clusterIP can not be unset",
			      causes);
	}
	if (json_len(new) == 1 &&
	    !str_is(json_str(json_get(spec, "ipFamilyPolicy")), "SingleStack"))
		rules_invalid(json_get(spec, "ipFamilyPolicy"), &policy,
			      families ? "must be set to 'SingleStack' when releasing the "
					 "secondary ipFamily"
				       : "must be set to 'SingleStack' when releasing the "
					 "secondary clusterIP",
			      causes);
}

static void validate_addresses_kept(struct json service, struct json old, struct causes *causes)
{
	struct json spec = json_get(service, "spec");
	struct json before = json_get(old, "spec");
	bool headless = service_is_headless(service);
	bool was_headless = service_is_headless(old);

	if (is_type(spec, "ExternalName") || is_type(before, "ExternalName"))
		return;
	if (!headless || !was_headless)
		validate_kept(spec, before, "clusterIPs", causes);
	if (!headless && !was_headless)
		validate_kept(spec, before, "ipFamilies", causes);
}

void service_validate_update(struct json service, struct json old, struct causes *causes)
{
	struct json spec = json_get(service, "spec");
	struct json before = json_get(old, "spec");
	struct path path = path_member(NULL, STR("spec"));
	struct path class = path_member(&path, STR("loadBalancerClass"));
	struct path check = path_member(&path, STR("healthCheckNodePort"));

	validate_addresses_kept(service, old, causes);
	if (is_type(spec, "LoadBalancer") && is_type(before, "LoadBalancer") &&
	    !rules_same(json_get(spec, "loadBalancerClass"), json_get(before, "loadBalancerClass")))
		rules_invalid(json_get(spec, "loadBalancerClass"), &class,
			      "may not change once set", causes);
	validate_class(spec, &path, causes);
	if (needs_check(spec) && needs_check(before) &&
	    json_int(json_get(spec, "healthCheckNodePort")) !=
		    json_int(json_get(before, "healthCheckNodePort")))
		causes_forbidden(causes, &check, "field is immutable");
	service_validate_create(service, causes);
}

void service_validate_status(struct json service, struct json old, struct causes *causes)
{
	static const char *const modes[] = {"Proxy", "VIP"};
	struct json balancer = json_get(json_get(service, "status"), "loadBalancer");
	struct path status = path_member(NULL, STR("status"));
	struct path path = path_member(&status, STR("loadBalancer"));
	struct path list = path_member(&path, STR("ingress"));
	struct json_iter it = json_iter(json_get(balancer, "ingress"));

	(void)old;
	if (json_len(json_get(balancer, "ingress")) &&
	    !is_type(json_get(service, "spec"), "LoadBalancer")) {
		causes_forbidden(causes, &list,
				 "may only be used when `spec.type` is 'LoadBalancer'");
		return;
	}
	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);
		struct path ip_path = path_member(&at, STR("ip"));
		struct path host_path = path_member(&at, STR("hostname"));
		struct path mode_path = path_member(&at, STR("ipMode"));
		struct str ip = json_str(json_get(it.value, "ip"));
		struct json mode = json_get(it.value, "ipMode");

		if (ip.len)
			rules_ip(ip, &ip_path, causes);
		if (!json_is_absent(mode) && !ip.len)
			causes_forbidden(causes, &mode_path,
					 "may not be specified when `ip` is not set");
		else if (!json_is_absent(mode))
			rules_one_of(mode, modes, ARRAY_LEN(modes), &mode_path, causes);
		if (json_str(json_get(it.value, "hostname")).len)
			name_validate(NAME_DNS_SUBDOMAIN, json_str(json_get(it.value, "hostname")),
				      &host_path, causes);
		if (name_is(NAME_IP, json_str(json_get(it.value, "hostname"))))
			causes_invalid(causes, &host_path, json_get(it.value, "hostname"),
				       "must be a DNS name, not an IP address");
	}
}
