/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate.c - what holds for every pod and template: the spec, part after part in upstream's
 * order, and the rules that are between parts. */
#include "model/pod/pod_validate.h"

#include "base/buf.h"
#include "model/core/meta.h"
#include "model/pod/pod_rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

enum { NAMESERVERS_MAX = 3, SEARCHES_MAX = 32, SEARCH_BYTES_MAX = 2048, HOSTNAME_MAX = 64 };

void pod_rules_each(struct pod_rules *r, const struct path *spec, pod_container_fn *fn, void *arg)
{
	static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct path list = path_member(spec, str_from(lists[i]));
		struct json_iter it = json_iter(json_get(r->spec, lists[i]));

		while (json_next(&it)) {
			struct path at = path_index(&list, it.index);

			fn(r, it.value, &at, arg);
		}
	}
}

/* --- network --------------------------------------------------------------------------------- */

static void check_host_ports(struct pod_rules *r, const struct path *spec)
{
	struct json_iter it = json_iter(json_get(r->spec, "containers"));
	PATH(containers, spec, "containers");

	while (json_bool(json_get(r->spec, "hostNetwork")) && json_next(&it)) {
		struct path at = path_index(&containers, it.index);
		struct json_iter port = json_iter(json_get(it.value, "ports"));
		PATH(ports, &at, "ports");

		while (json_next(&port)) {
			struct path port_at = path_index(&ports, port.index);
			int64_t host = json_int(json_get(port.value, "hostPort"));
			PATH(host_path, &port_at, "hostPort");

			if ((r->is_pod || host) &&
			    host != json_int(json_get(port.value, "containerPort")))
				causes_invalid_int(
					r->causes, &host_path, host,
					"must match `containerPort` when `hostNetwork` is true");
		}
	}
}

static void check_searches(struct pod_rules *r, struct json searches, const struct path *path)
{
	struct json_iter it = json_iter(searches);
	size_t bytes = 0;

	if (json_len(searches) > SEARCHES_MAX)
		causes_invalid(r->causes, path, searches, "must not have more than %d search paths",
			       SEARCHES_MAX);
	while (json_next(&it))
		bytes += json_str(it.value).len + (it.index > 0);
	if (bytes > SEARCH_BYTES_MAX)
		causes_invalid(r->causes, path, searches,
			       "must not have more than %d characters (including spaces) in the "
			       "search list",
			       SEARCH_BYTES_MAX);
	it = json_iter(searches);
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str search = json_str(it.value);

		if (str_is(search, ".") && !r->strict)
			continue;
		if (str_ends(search, STR(".")))
			search = str_slice(search, 0, search.len - 1);
		name_validate(r->strict ? NAME_DNS_SUBDOMAIN : NAME_DNS_SEARCH, search, &at,
			      r->causes);
	}
}

static void check_dns_config(struct pod_rules *r, struct json config, const struct path *path)
{
	struct json servers = json_get(config, "nameservers");
	struct json_iter it = json_iter(servers);
	PATH(servers_path, path, "nameservers");
	PATH(searches, path, "searches");
	PATH(options, path, "options");

	if (json_len(servers) > NAMESERVERS_MAX)
		causes_invalid(r->causes, &servers_path, servers,
			       "must not have more than %d nameservers", NAMESERVERS_MAX);
	while (json_next(&it)) {
		struct path at = path_index(&servers_path, it.index);

		name_validate(NAME_IP, json_str(it.value), &at, r->causes);
	}
	check_searches(r, json_get(config, "searches"), &searches);
	it = json_iter(json_get(config, "options"));
	while (json_next(&it)) {
		struct path at = path_index(&options, it.index);

		if (!rule_text(it.value, "name").len)
			causes_required(r->causes, &at, "must not be empty");
	}
}

static void check_dns(struct pod_rules *r, const struct path *spec)
{
	struct json config = json_get(r->spec, "dnsConfig");
	bool none = str_is(rule_text(r->spec, "dnsPolicy"), "None");
	PATH(path, spec, "dnsConfig");
	PATH(servers, &path, "nameservers");

	if (none && !json_is(config, JSON_OBJ))
		causes_required(r->causes, &path,
				"must provide `dnsConfig` when `dnsPolicy` is None");
	else if (none && !json_len(json_get(config, "nameservers")))
		causes_required(
			r->causes, &servers,
			"must provide at least one DNS nameserver when `dnsPolicy` is None");
	else
		check_dns_config(r, config, &path);
}

static void check_host_aliases(struct pod_rules *r, const struct path *spec)
{
	struct json_iter it = json_iter(json_get(r->spec, "hostAliases"));
	PATH(path, spec, "hostAliases");

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct json_iter name = json_iter(json_get(it.value, "hostnames"));
		PATH(ip, &at, "ip");
		PATH(names, &at, "hostnames");

		name_validate(NAME_IP, rule_text(it.value, "ip"), &ip, r->causes);
		while (json_next(&name)) {
			struct path name_at = path_index(&names, name.index);

			name_validate(NAME_DNS_SUBDOMAIN, json_str(name.value), &name_at,
				      r->causes);
		}
	}
}

static void check_hostname_override(struct pod_rules *r, const struct path *spec)
{
	struct str name = rule_text(r->spec, "hostnameOverride");
	PATH(path, spec, "hostnameOverride");

	if (!rule_has(r->spec, "hostnameOverride"))
		return;
	if (json_bool(json_get(r->spec, "setHostnameAsFQDN")))
		causes_forbidden(r->causes, &path,
				 "may not be specified when setHostnameAsFQDN is true");
	if (json_bool(json_get(r->spec, "hostNetwork")))
		causes_forbidden(r->causes, &path, "may not be specified when hostNetwork is true");
	if (name.len > HOSTNAME_MAX)
		causes_too_long(r->causes, &path, HOSTNAME_MAX);
	name_validate(NAME_DNS_SUBDOMAIN, name, &path, r->causes);
}

/* --- gates and namespaces -------------------------------------------------------------------- */

static void check_gates(struct pod_rules *r, const struct path *spec)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(json_get(r->spec, "readinessGates"));
	PATH(readiness, spec, "readinessGates");
	PATH(scheduling, spec, "schedulingGates");

	while (json_next(&it)) {
		struct path at = path_index(&readiness, it.index);
		PATH(type, &at, "conditionType");

		name_validate(NAME_QUALIFIED, rule_text(it.value, "conditionType"), &type,
			      r->causes);
	}
	it = json_iter(json_get(r->spec, "schedulingGates"));
	while (json_next(&it)) {
		struct path at = path_index(&scheduling, it.index);
		struct str name = rule_text(it.value, "name");

		name_validate(NAME_QUALIFIED, name, &at, r->causes);
		if (!name_set_add(&seen, name))
			causes_duplicate_str(r->causes, &at, name);
	}
}

static void forbid_devices(struct pod_rules *r, struct json container, const struct path *path,
			   void *arg)
{
	struct rule_at at = pod_rule_at(r, container, path);

	(void)arg;
	rule_forbid(&at, "volumeDevices", "when `hostUsers` is false");
}

static void check_host_users(struct pod_rules *r, const struct path *spec)
{
	/* upstream's paths have these capitals */
	static const struct {
		const char *key;
		const char *path;
	} shared[] = {
		{"hostNetwork", "hostNetwork"},
		{"hostPID", "HostPID"},
		{"hostIPC", "HostIPC"},
	};

	if (r->host_users)
		return;
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		struct path at = path_member(spec, str_from(shared[i].path));

		if (json_bool(json_get(r->spec, shared[i].key)))
			causes_forbidden(r->causes, &at, "when `hostUsers` is false");
	}
	pod_rules_each(r, spec, forbid_devices, NULL);
}

static void check_file_refs(struct pod_rules *r, struct json container, const struct path *path,
			    void *arg)
{
	struct json_iter it = json_iter(json_get(container, "env"));
	PATH(env, path, "env");

	(void)arg;
	while (json_next(&it)) {
		struct path at = path_index(&env, it.index);
		struct json ref = json_get(json_get(it.value, "valueFrom"), "fileKeyRef");
		struct str name = rule_text(ref, "volumeName");
		struct json_iter volume = json_iter(json_get(r->spec, "volumes"));
		bool found = false;
		PATH(from, &at, "valueFrom");
		PATH(ref_path, &from, "fileKeyRef");
		PATH(name_path, &ref_path, "volumeName");

		if (!json_is(ref, JSON_OBJ))
			continue;
		while (json_next(&volume)) {
			if (!str_eq(rule_text(volume.value, "name"), name))
				continue;
			found = true;
			if (!rule_has(volume.value, "emptyDir"))
				causes_invalid_str(r->causes, &name_path, name,
						   "referenced volume must be of type emptyDir");
		}
		if (!found)
			causes_not_found(r->causes, &name_path, name);
	}
}

/* --- the spec -------------------------------------------------------------------------------- */

static void check_parts(struct pod_rules *r, const struct path *path)
{
	struct json spec = r->spec;
	struct rule_at at = pod_rule_at(r, spec, path);
	PATH(volumes, path, "volumes");
	PATH(claims, path, "resourceClaims");
	PATH(selector, path, "nodeSelector");
	PATH(security, path, "securityContext");
	PATH(affinity, path, "affinity");
	PATH(spread, path, "topologySpreadConstraints");

	pod_rules_volumes(r, json_get(spec, "volumes"), &volumes);
	pod_rules_resource_claims(r, json_get(spec, "resourceClaims"), &claims);
	pod_rules_containers(r, path);
	pod_rules_init_containers(r, path);
	pod_rules_ephemeral_containers(r, path);
	pod_rules_resources(r, path);
	check_host_ports(r, path);
	rule_text_of_required(&at, "restartPolicy", RULE_TEXTS("Always", "OnFailure", "Never"));
	rule_text_of_required(
		&at, "dnsPolicy",
		RULE_TEXTS("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"));
	labels_validate(json_get(spec, "nodeSelector"), &selector, r->causes);
	pod_rules_pod_security(r, json_get(spec, "securityContext"), &security);
	pod_rules_affinity(r, json_get(spec, "affinity"), &affinity);
	check_dns(r, path);
	check_gates(r, path);
	pod_rules_spread(r, json_get(spec, "topologySpreadConstraints"), &spread);
	pod_rules_windows_processes(r, path);
	check_host_users(r, path);
	check_hostname_override(r, path);
}

static void check_names(struct pod_rules *r, const struct path *path)
{
	struct json spec = r->spec;
	struct rule_at at = pod_rule_at(r, spec, path);
	PATH(tolerations, path, "tolerations");
	PATH(runtime, path, "runtimeClassName");
	PATH(overhead_path, path, "overhead");

	rule_name(&at, "serviceAccountName", NAME_DNS_SUBDOMAIN);
	rule_name(&at, "nodeName", NAME_DNS_SUBDOMAIN);
	rule_range(&at, "activeDeadlineSeconds", 1, INT32_MAX);
	rule_name(&at, "hostname", NAME_DNS_LABEL);
	rule_name(&at, "subdomain", NAME_DNS_LABEL);
	pod_rules_tolerations(r, json_get(spec, "tolerations"), &tolerations);
	check_host_aliases(r, path);
	rule_name(&at, "priorityClassName", NAME_DNS_SUBDOMAIN);
	if (rule_has(spec, "runtimeClassName"))
		name_validate(NAME_DNS_SUBDOMAIN, rule_text(spec, "runtimeClassName"), &runtime,
			      r->causes);
	if (rule_has(spec, "preemptionPolicy"))
		rule_text_of_required(&at, "preemptionPolicy",
				      RULE_TEXTS("PreemptLowerPriority", "Never"));
	if (rule_has(spec, "overhead")) {
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
		struct json limits = json_new_obj(doc);

		json_set(doc, limits, STR("limits"),
			 json_new_copy(doc, json_get(spec, "overhead")));
		pod_rules_requirements(r, limits, &overhead_path);
	}
	pod_rules_os(r, path);
	pod_rules_each(r, path, check_file_refs, NULL);
}

void pod_rules_spec(struct pod_rules *r, const struct path *path)
{
	struct json users = json_get(r->spec, "hostUsers");
	PATH(grace, path, "terminationGracePeriodSeconds");

	r->host_users = !json_is(users, JSON_BOOL) || json_bool(users);
	if (!rule_has(r->spec, "terminationGracePeriodSeconds"))
		causes_required(r->causes, &grace, "");
	check_parts(r, path);
	check_names(r, path);
}

/* --- pods and templates ---------------------------------------------------------------------- */

static void rules_done(struct pod_rules *r)
{
	name_set_done(&r->volumes);
	name_set_done(&r->claims);
}
DEFINE_AUTO_IN_PLACE(struct pod_rules, rules_done);

/* A token of the service account needs one. */
static void check_tokens(struct pod_rules *r, const struct path *spec)
{
	struct json_iter it = json_iter(json_get(r->spec, "volumes"));
	PATH(volumes, spec, "volumes");

	if (rule_text(r->spec, "serviceAccountName").len)
		return;
	while (json_next(&it)) {
		struct path at = path_index(&volumes, it.index);
		struct json_iter source =
			json_iter(json_get(json_get(it.value, "projected"), "sources"));
		PATH(projected, &at, "projected");
		PATH(sources, &projected, "sources");

		while (json_next(&source)) {
			struct path source_at = path_index(&sources, source.index);
			struct rule_at rule = pod_rule_at(r, source.value, &source_at);

			rule_forbid(&rule, "serviceAccountToken",
				    "must not be specified when serviceAccountName is not set");
		}
	}
}

void pod_validate_object(struct json object, const struct path *path, struct causes *causes)
{
	static const char *const lists[] = {"containers", "initContainers"};
	AUTO(rules_done)
	struct pod_rules r = {
		.causes = causes,
		.spec = json_get(object, "spec"),
		.meta = json_get(object, "metadata"),
		.is_pod = true,
	};
	PATH(meta, path, "metadata");
	PATH(annotations, &meta, "annotations");
	PATH(spec, path, "spec");

	pod_rules_annotations(&r, json_get(r.meta, "annotations"), &annotations);
	pod_rules_spec(&r, &spec);
	check_tokens(&r, &spec);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct path list = path_member(&spec, str_from(lists[i]));
		struct json_iter it = json_iter(json_get(r.spec, lists[i]));

		while (json_next(&it)) {
			struct path at = path_index(&list, it.index);

			pod_rules_image(&r, it.value, &at);
		}
	}
}

static void validate_template(struct json object, const struct path *path, struct causes *causes,
			      bool strict)
{
	AUTO(rules_done)
	struct pod_rules r = {.causes = causes, .spec = json_get(object, "spec"), .strict = strict};
	struct json meta = json_get(object, "metadata");
	/* upstream leaves "metadata" out of these paths */
	PATH(labels, path, "labels");
	PATH(annotations, path, "annotations");
	PATH(spec, path, "spec");
	PATH(ephemeral, &spec, "ephemeralContainers");

	labels_validate(json_get(meta, "labels"), &labels, causes);
	meta_validate_annotations(json_get(meta, "annotations"), &annotations, causes);
	pod_rules_annotations(&r, json_get(meta, "annotations"), &annotations);
	pod_rules_spec(&r, &spec);
	pod_rules_annotations_match(&r, json_get(meta, "annotations"), &spec);
	if (json_len(json_get(r.spec, "ephemeralContainers")))
		causes_forbidden(causes, &ephemeral,
				 "ephemeral containers not allowed in pod template");
}

void pod_validate_template(struct json object, const struct path *path, struct causes *causes)
{
	validate_template(object, path, causes, false);
}

void pod_validate_template_strict(struct json object, const struct path *path,
				  struct causes *causes)
{
	validate_template(object, path, causes, true);
}

void pod_validate_new(struct json pod, struct causes *causes)
{
	struct pod_rules r = {.causes = causes, .spec = json_get(pod, "spec"), .is_pod = true};
	PATH(spec, NULL, "spec");
	PATH(ephemeral, &spec, "ephemeralContainers");
	PATH(node, &spec, "nodeName");

	if (json_len(json_get(r.spec, "ephemeralContainers")))
		causes_forbidden(causes, &ephemeral, "cannot be set on create");
	if (rule_text(r.spec, "nodeName").len && json_len(json_get(r.spec, "schedulingGates")))
		causes_forbidden(causes, &node,
				 "cannot be set until all schedulingGates have been cleared");
	pod_rules_annotations_match(&r, json_get(json_get(pod, "metadata"), "annotations"), &spec);
}

void pod_template_validate_create(struct json template, struct causes *causes)
{
	PATH(path, NULL, "template");

	pod_validate_template(json_get(template, "template"), &path, causes);
}

void pod_template_validate_update(struct json template, struct json old, struct causes *causes)
{
	(void)old;
	pod_template_validate_create(template, causes);
}
