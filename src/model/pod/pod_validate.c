/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate.c - what holds for every pod and template: the spec, part after part in upstream's
 * order, and the rules that are between parts. */
#include "model/pod/pod_validate.h"

#include "base/buf.h"
#include "model/core/meta.h"
#include "model/core/taints.h"
#include "model/pod/pod.h"
#include "model/pod/pod_rules.h"

#include "base/banned.h"

enum { NAMESERVERS_MAX = 3, SEARCHES_MAX = 32, SEARCH_BYTES_MAX = 2048, HOSTNAME_MAX = 64 };

/* --- network --------------------------------------------------------------------------------- */

static bool has_host_network(const struct rule_at *at)
{
	return json_bool(json_get(at->value, "hostNetwork"));
}

static void check_host_port(const struct rule_at *at)
{
	int64_t host = json_int(at->value);

	if ((pod_of(at)->is_pod || host) &&
	    host != json_int(json_get(at->up->value, "containerPort")))
		causes_invalid_int(at->causes, at->path, host,
				   "must match `containerPort` when `hostNetwork` is true");
}

static const struct rule host_port_rows[] = {
	{"hostPort", R_ALWAYS, R_CHECK(check_host_port)},
};
static const struct rule host_ports_rows[] = {
	{"ports", R_EACH(R_OBJECT(host_port_rows))},
};

static void check_server_count(const struct rule_at *at)
{
	if (json_len(at->value) > NAMESERVERS_MAX)
		rule_invalid(at, NULL, "must not have more than %d nameservers", NAMESERVERS_MAX);
}

static void check_search_count(const struct rule_at *at)
{
	struct json_iter it = json_iter(at->value);
	size_t bytes = 0;

	if (json_len(at->value) > SEARCHES_MAX)
		rule_invalid(at, NULL, "must not have more than %d search paths", SEARCHES_MAX);
	while (json_next(&it))
		bytes += json_str(it.value).len + (it.index > 0);
	if (bytes > SEARCH_BYTES_MAX)
		rule_invalid(at, NULL,
			     "must not have more than %d characters (including spaces) in the "
			     "search list",
			     SEARCH_BYTES_MAX);
}

static void check_search(const struct rule_at *at)
{
	struct str search = json_str(at->value);
	bool strict = pod_of(at)->strict;

	if (str_is(search, ".") && !strict)
		return;
	if (str_ends(search, STR(".")))
		search = str_slice(search, 0, search.len - 1);
	name_validate(strict ? NAME_DNS_SUBDOMAIN : NAME_DNS_SEARCH, search, at->path, at->causes);
}

/* Reported about the option. */
static bool has_no_name(const struct rule_at *at)
{
	return !rule_text(at->value, "name").len;
}

static const struct rule option_rows[] = {
	{R_WHEN(has_no_name), R_LACKS("must not be empty")},
};
static const struct rule dns_rows[] = {
	{"nameservers", R_CHECK(check_server_count), R_EACH(R_FORMAT(IP))},
	{"searches", R_CHECK(check_search_count), R_EACH(R_CHECK(check_search))},
	{"options", R_EACH(R_OBJECT(option_rows))},
};
static const struct rule own_dns_rows[] = {
	{"nameservers",
	 R_REQUIRED_AS("must provide at least one DNS nameserver when `dnsPolicy` is None"),
	 R_STOP},
	{R_OBJECT(dns_rows)},
};

static const struct rule host_alias_rows[] = {
	{"ip", R_ALWAYS, R_FORMAT(IP)},
	{"hostnames", R_EACH(R_FORMAT(DNS_SUBDOMAIN))},
};

static bool is_named_fully(const struct rule_at *at)
{
	return json_bool(json_get(at->value, "setHostnameAsFQDN"));
}

/* The length is reported before the format. */
static const struct rule hostname_rows[] = {
	{"hostnameOverride", R_WHEN(is_named_fully),
	 R_FORBIDDEN("may not be specified when setHostnameAsFQDN is true")},
	{"hostnameOverride", R_WHEN(has_host_network),
	 R_FORBIDDEN("may not be specified when hostNetwork is true")},
	{"hostnameOverride", R_MAX_LEN(HOSTNAME_MAX)},
	{"hostnameOverride", R_FORMAT(DNS_SUBDOMAIN)},
};

/* --- gates and namespaces -------------------------------------------------------------------- */

static void check_gate_once(const struct rule_at *at)
{
	struct str name = rule_text(at->value, "name");

	name_validate(NAME_QUALIFIED, name, at->path, at->causes);
	if (!name_set_add(at->seen, name))
		rule_duplicate_str(at, NULL, name);
}

static const struct rule readiness_rows[] = {
	{"conditionType", R_ALWAYS, R_FORMAT(QUALIFIED)},
};

static void check_not_shared(const struct rule_at *at)
{
	if (json_bool(at->value))
		rule_forbidden(at, NULL, "when `hostUsers` is false");
}

static bool has_own_users(const struct rule_at *at)
{
	return !pod_of(at)->host_users;
}

static const struct rule device_rows[] = {
	{"volumeDevices", R_FORBIDDEN("when `hostUsers` is false")},
};
/* Upstream's paths have these capitals. */
static const struct rule own_users_rows[] = {
	{"hostNetwork", R_CHECK(check_not_shared)},
	{"hostPID", R_AS("HostPID"), R_CHECK(check_not_shared)},
	{"hostIPC", R_AS("HostIPC"), R_CHECK(check_not_shared)},
	POD_EACH_CONTAINER(device_rows),
};

static void check_file_volume(const struct rule_at *at)
{
	struct json_iter it = json_iter(json_get(pod_spec_of(at), "volumes"));
	bool found = false;

	while (json_next(&it)) {
		if (!str_eq(rule_text(it.value, "name"), json_str(at->value)))
			continue;
		found = true;
		if (!rule_has(it.value, "emptyDir"))
			rule_invalid(at, NULL, "referenced volume must be of type emptyDir");
	}
	if (!found)
		rule_not_found(at, NULL);
}

static const struct rule file_ref_rows[] = {
	{"volumeName", R_ALWAYS, R_CHECK(check_file_volume)},
};
static const struct rule value_from_rows[] = {
	{"fileKeyRef", R_OBJECT(file_ref_rows)},
};
static const struct rule env_rows[] = {
	{"valueFrom", R_OBJECT(value_from_rows)},
};
static const struct rule env_file_rows[] = {
	{"env", R_EACH(R_OBJECT(env_rows))},
};

/* --- the spec -------------------------------------------------------------------------------- */

static const struct rule spec_rows[] = {
	{"terminationGracePeriodSeconds", R_REQUIRED},
	{"volumes", R_EACH(R_RULES(pod_volume_rules))},
	{"resourceClaims", R_EACH(R_CHECK(pod_check_resource_claim))},
	{R_RULES(pod_containers_rules)},
	{"resources", R_CHECK(pod_check_pod_resources)},
	{"containers", R_WHEN(has_host_network), R_EACH(R_OBJECT(host_ports_rows))},
	{"restartPolicy", R_REQUIRED, R_TEXTS("Always", "OnFailure", "Never")},
	{"dnsPolicy", R_REQUIRED,
	 R_TEXTS("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")},
	{"nodeSelector", R_CHECK(rule_labels)},
	{"securityContext", R_RULES(pod_pod_security_rules)},
	{"affinity", R_RULES(pod_affinity_rules)},
	{"dnsConfig", R_IF("dnsPolicy", "None"),
	 R_REQUIRED_AS("must provide `dnsConfig` when `dnsPolicy` is None"),
	 R_OBJECT(own_dns_rows)},
	{"dnsConfig", R_UNLESS("dnsPolicy", "None"), R_OBJECT(dns_rows)},
	{"readinessGates", R_EACH(R_OBJECT(readiness_rows))},
	{"schedulingGates", R_EACH(R_CHECK(check_gate_once))},
	{"topologySpreadConstraints", R_CHECK(pod_check_spread)},
	{R_RULES(pod_process_rules)},
	{R_WHEN(has_own_users), R_OBJECT(own_users_rows)},
	{R_OBJECT(hostname_rows)},
	{"serviceAccountName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"nodeName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"activeDeadlineSeconds", R_RANGE(1, INT32_MAX)},
	{"hostname", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"subdomain", R_FILLED, R_FORMAT(DNS_LABEL)},
	{"tolerations", R_EACH(R_TYPE(toleration))},
	{"hostAliases", R_EACH(R_OBJECT(host_alias_rows))},
	{"priorityClassName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"runtimeClassName", R_FORMAT(DNS_SUBDOMAIN)},
	{"preemptionPolicy", R_NONEMPTY, R_TEXTS("PreemptLowerPriority", "Never")},
	{"overhead", R_CHECK(pod_check_overhead)},
	{R_RULES(pod_os_rules)},
	POD_EACH_CONTAINER(env_file_rows),
};
const struct rules pod_spec_rules = RULES_OF(spec_rows);

/* --- pods and templates ---------------------------------------------------------------------- */

static void rules_done(struct pod_rules *r)
{
	name_set_done(&r->volumes);
	name_set_done(&r->claims);
	name_set_done(&r->names);
	name_set_done(&r->targets);
	name_set_done(&r->host_ports);
	name_set_done(&r->files);
}
DEFINE_AUTO_IN_PLACE(struct pod_rules, rules_done);

/* Check an object by rows with a context of its own. */
static void check_with(const struct rule_at *at, const struct rules *rows, bool is_pod, bool strict)
{
	struct json spec = json_get(at->value, "spec");
	struct json meta = json_get(at->value, "metadata");
	struct json users = json_get(spec, "hostUsers");
	AUTO(rules_done)
	struct pod_rules r = {
		.causes = at->causes,
		.spec = spec,
		.meta = is_pod ? meta : JSON_NONE,
		.annotations = json_get(meta, "annotations"),
		.is_pod = is_pod,
		.strict = strict,
		.host_users = !json_is(users, JSON_BOOL) || json_bool(users),
	};
	struct rule_at object = *at;

	object.context = &r;
	rules_check(rows, &object);
}

/* A token of the service account needs one. */
static bool has_no_account(const struct rule_at *at)
{
	return !rule_text(pod_spec_of(at), "serviceAccountName").len;
}

static const struct rule token_rows[] = {
	{"serviceAccountToken",
	 R_FORBIDDEN("must not be specified when serviceAccountName is not set")},
};
static const struct rule sources_rows[] = {
	{"sources", R_EACH(R_OBJECT(token_rows))},
};
static const struct rule projected_rows[] = {
	{"projected", R_OBJECT(sources_rows)},
};
static const struct rule pod_spec_part_rows[] = {
	{R_OBJECT(spec_rows)},
	{"volumes", R_WHEN(has_no_account), R_EACH(R_OBJECT(projected_rows))},
	{"containers", R_EACH(R_RULES(pod_image_rules))},
	{"initContainers", R_EACH(R_RULES(pod_image_rules))},
};
static const struct rule pod_meta_rows[] = {
	{"annotations", R_RULES(pod_annotation_rules)},
};
static const struct rule pod_rows[] = {
	{"metadata", R_OBJECT(pod_meta_rows)},
	{"spec", R_ALWAYS, R_OBJECT(pod_spec_part_rows)},
};

static void check_pod(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(pod_rows);

	check_with(at, &rules, true, false);
}

static const struct rule object_rows[] = {
	{R_CHECK(check_pod)},
};
const struct rules pod_object_rules = RULES_OF(object_rows);

static void check_annotations(const struct rule_at *at)
{
	meta_validate_annotations(at->value, at->path, at->causes);
}

/* Upstream leaves "metadata" out of the paths of a template. */
static const struct rule template_meta_rows[] = {
	{"labels", R_CHECK(rule_labels)},
	{"annotations", R_CHECK(check_annotations), R_RULES(pod_annotation_rules)},
};
static const struct rule template_spec_rows[] = {
	{R_OBJECT(spec_rows)},
	{R_RULES(pod_annotation_match_rules)},
	{"ephemeralContainers", R_FILLED,
	 R_FORBIDDEN("ephemeral containers not allowed in pod template")},
};
static const struct rule template_rows[] = {
	{"metadata", R_HIDDEN, R_OBJECT(template_meta_rows)},
	{"spec", R_ALWAYS, R_OBJECT(template_spec_rows)},
};
static const struct rules template_rules = RULES_OF(template_rows);

static void check_template(const struct rule_at *at)
{
	check_with(at, &template_rules, false, false);
}

static void check_template_strict(const struct rule_at *at)
{
	check_with(at, &template_rules, false, true);
}

static const struct rule template_object_rows[] = {
	{R_CHECK(check_template)},
};
const struct rules pod_template_rules = RULES_OF(template_object_rows);

static const struct rule template_strict_rows[] = {
	{R_CHECK(check_template_strict)},
};
const struct rules pod_template_strict_rules = RULES_OF(template_strict_rows);

static const struct rule template_kind_rows[] = {
	{"template", R_ALWAYS, R_TYPE(pod_template_spec)},
};
const struct rules pod_template_kind_rules = RULES_OF(template_kind_rows);

/* --- new pods -------------------------------------------------------------------------------- */

static bool has_gates(const struct rule_at *at)
{
	return json_len(json_get(at->value, "schedulingGates")) > 0;
}

static const struct rule new_spec_rows[] = {
	{"ephemeralContainers", R_FILLED, R_FORBIDDEN("cannot be set on create")},
	{"nodeName", R_WHEN(has_gates), R_FILLED,
	 R_FORBIDDEN("cannot be set until all schedulingGates have been cleared")},
	{R_RULES(pod_annotation_match_rules)},
};
static const struct rule new_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(new_spec_rows)},
};

void pod_validate_new(struct json pod, struct causes *causes)
{
	static const struct rules rules = RULES_OF(new_rows);
	struct rule_at at = rule_start(pod, NULL, causes);

	check_with(&at, &rules, true, false);
}
