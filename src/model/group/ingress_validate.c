/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/ingress_validate.c - the rules of ingresses and their classes, in the order and the words of
 * kube-apiserver 1.34. Metadata is validated by whoever calls, before. */
#include "model/group/ingress.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define CLASS_ANNOTATION "kubernetes.io/ingress.class"

enum { CONTROLLER_MAX_LEN = 250 };

/* --- where requests go ----------------------------------------------------------------------- */

static void check_reference(struct json reference, const struct path *path, struct causes *causes)
{
	struct rule_at at = rule_start(reference, path, causes);

	if (rule_has(reference, "apiGroup")) {
		PATH(group, path, "apiGroup");

		(void)name_validate(NAME_DNS_SUBDOMAIN, rule_text(reference, "apiGroup"), &group,
				    causes);
	}
	rule_name_required(&at, "kind", NAME_PATH_SEGMENT);
	rule_name_required(&at, "name", NAME_PATH_SEGMENT);
}

static void check_service(struct json service, const struct path *up, struct causes *causes)
{
	PATH(path, up, "service");
	PATH(name, &path, "name");
	PATH(port, &path, "port");
	PATH(port_name, &port, "name");
	PATH(port_number, &port, "number");
	struct str called = rule_text(json_get(service, "port"), "name");
	int64_t number = json_int(json_get(json_get(service, "port"), "number"));

	if (!rule_text(service, "name").len)
		causes_required(causes, &name, "");
	else
		(void)name_validate(NAME_DNS1035_LABEL, rule_text(service, "name"), &name, causes);
	if (called.len && number)
		causes_invalid_str(causes, up, STR(""), "cannot set both port name & port number");
	else if (called.len)
		(void)name_validate(NAME_PORT, called, &port_name, causes);
	else if (number)
		rules_port(number, &port_number, causes);
	else
		causes_required(causes, up, "port name or number is required");
}

static void check_backend(struct json backend, const struct path *path, struct causes *causes)
{
	bool resource = json_is(json_get(backend, "resource"), JSON_OBJ);
	bool service = json_is(json_get(backend, "service"), JSON_OBJ);
	PATH(resource_path, path, "resource");

	if (resource && service)
		causes_invalid_str(causes, path, STR(""),
				   "cannot set both resource and service backends");
	else if (resource)
		check_reference(json_get(backend, "resource"), &resource_path, causes);
	else if (service)
		check_service(json_get(backend, "service"), path, causes);
	else
		causes_invalid_str(causes, path, STR(""),
				   "resource or service backend is required");
}

/* --- which requests -------------------------------------------------------------------------- */

static void check_exact(struct str text, const struct path *path, struct causes *causes)
{
	static const char *const within[] = {"//", "/./", "/../", "%2f", "%2F"};
	static const char *const behind[] = {"/..", "/."};

	if (!str_starts(text, STR("/")))
		causes_invalid_str(causes, path, text, "must be an absolute path");
	for (size_t i = 0; i < ARRAY_LEN(within); i++)
		if (str_find(text, str_from(within[i]), 0) >= 0)
			causes_invalid_str(causes, path, text, "must not contain '%s'", within[i]);
	for (size_t i = 0; i < ARRAY_LEN(behind); i++)
		if (str_ends(text, str_from(behind[i])))
			causes_invalid_str(causes, path, text, "cannot end with '%s'", behind[i]);
}

static void check_path(struct json rule, const struct path *path, struct causes *causes)
{
	static const char *const types[] = {"Exact", "ImplementationSpecific", "Prefix"};
	struct str type = rule_text(rule, "pathType");
	struct str text = rule_text(rule, "path");
	PATH(type_path, path, "pathType");
	PATH(text_path, path, "path");
	PATH(backend, path, "backend");

	if (!rule_has(rule, "pathType")) {
		causes_required(causes, &type_path, "pathType must be specified");
		return;
	}
	if (str_is(type, "Exact") || str_is(type, "Prefix"))
		check_exact(text, &text_path, causes);
	else if (!str_is(type, "ImplementationSpecific"))
		causes_not_supported(causes, &type_path, type, types, ARRAY_LEN(types));
	else if (text.len && text.ptr[0] != '/')
		causes_invalid_str(causes, &text_path, text, "must be an absolute path");
	check_backend(json_get(rule, "backend"), &backend, causes);
}

/* A name, or "*." and a name. */
static void check_host(struct str host, const struct path *path, struct causes *causes)
{
	if (str_find_byte(host, '*', 0) < 0)
		(void)name_validate(NAME_DNS_SUBDOMAIN, host, path, causes);
	else if (!str_starts(host, STR("*.")) || !name_is(NAME_DNS_SUBDOMAIN, str_skip(host, 2)))
		causes_invalid_str(
			causes, path, host,
			"a wildcard DNS-1123 subdomain must start with '*.', followed by a valid "
			"DNS subdomain, which must consist of lower case alphanumeric characters, "
			"'-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
			"regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\."
			"[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

static void check_rule(struct json rule, const struct path *path, struct causes *causes)
{
	struct str host = rule_text(rule, "host");
	struct json http = json_get(rule, "http");
	struct json_iter it = json_iter(json_get(http, "paths"));
	PATH(host_path, path, "host");
	PATH(http_path, path, "http");
	PATH(paths, &http_path, "paths");

	if (host.len && name_is(NAME_IP, host))
		causes_invalid_str(causes, &host_path, host,
				   "must be a DNS name, not an IP address");
	if (host.len)
		check_host(host, &host_path, causes);
	if (!json_is(http, JSON_OBJ))
		return;
	if (!json_len(json_get(http, "paths")))
		causes_required(causes, &paths, "");
	while (json_next(&it)) {
		struct path at = path_index(&paths, it.index);

		check_path(it.value, &at, causes);
	}
}

/* A name of a secret from before that is none is left alone. */
static bool has_odd_secret(struct json ingress)
{
	struct json_iter it = json_iter(json_get(json_get(ingress, "spec"), "tls"));

	while (json_next(&it)) {
		struct str name = rule_text(it.value, "secretName");

		if (name.len && !name_is(NAME_DNS_SUBDOMAIN, name))
			return true;
	}
	return false;
}

static void check_tls(struct json tls, bool any_secret, const struct path *path,
		      struct causes *causes)
{
	struct json_iter it = json_iter(tls);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct json_iter hosts = json_iter(json_get(it.value, "hosts"));
		struct str secret = rule_text(it.value, "secretName");
		PATH(hosts_path, &at, "hosts");
		PATH(secret_path, &at, "secretName");

		while (json_next(&hosts)) {
			struct path host = path_index(&hosts_path, hosts.index);

			check_host(json_str(hosts.value), &host, causes);
		}
		if (secret.len && !any_secret)
			(void)name_validate(NAME_DNS_SUBDOMAIN, secret, &secret_path, causes);
	}
}

/* --- the whole ------------------------------------------------------------------------------- */

static void check_spec(struct json spec, struct json old, struct causes *causes)
{
	struct json rules = json_get(spec, "rules");
	struct json_iter it = json_iter(rules);
	bool backend = json_is(json_get(spec, "defaultBackend"), JSON_OBJ);
	PATH(path, NULL, "spec");
	PATH(backend_path, &path, "defaultBackend");
	PATH(rules_path, &path, "rules");
	PATH(tls, &path, "tls");
	PATH(class, &path, "ingressClassName");

	if (!json_len(rules) && !backend)
		rules_invalid(rules, &path, "either `defaultBackend` or `rules` must be specified",
			      causes);
	if (backend)
		check_backend(json_get(spec, "defaultBackend"), &backend_path, causes);
	while (json_next(&it)) {
		struct path at = path_index(&rules_path, it.index);

		check_rule(it.value, &at, causes);
	}
	check_tls(json_get(spec, "tls"), has_odd_secret(old), &tls, causes);
	if (rule_has(spec, "ingressClassName"))
		(void)name_validate(NAME_DNS_SUBDOMAIN, rule_text(spec, "ingressClassName"), &class,
				    causes);
}

void ingress_validate_create(struct json ingress, struct causes *causes)
{
	struct json spec = json_get(ingress, "spec");
	struct json annotation =
		json_get(json_get(json_get(ingress, "metadata"), "annotations"), CLASS_ANNOTATION);
	PATH(annotations, NULL, "annotations");
	PATH(path, &annotations, CLASS_ANNOTATION);

	check_spec(spec, JSON_NONE, causes);
	if (json_is(annotation, JSON_STR) && rule_has(spec, "ingressClassName") &&
	    !str_eq(json_str(annotation), rule_text(spec, "ingressClassName")))
		causes_invalid(causes, &path, annotation,
			       "must match `ingressClassName` when both are specified");
}

void ingress_validate_update(struct json ingress, struct json old, struct causes *causes)
{
	rules_meta(ingress, NAME_DNS_SUBDOMAIN, true, causes);
	check_spec(json_get(ingress, "spec"), old, causes);
}

void ingress_validate_balancer(struct json balancer, const struct path *up, struct causes *causes)
{
	struct json_iter it = json_iter(json_get(balancer, "ingress"));
	PATH(list, up, "ingress");

	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);
		struct str ip = rule_text(it.value, "ip");
		struct str host = rule_text(it.value, "hostname");
		PATH(ip_path, &at, "ip");
		PATH(host_path, &at, "hostname");

		if (ip.len)
			(void)rules_ip(ip, &ip_path, causes);
		if (host.len)
			(void)name_validate(NAME_DNS_SUBDOMAIN, host, &host_path, causes);
		if (host.len && name_is(NAME_IP, host))
			causes_invalid_str(causes, &host_path, host,
					   "must be a DNS name, not an IP address");
	}
}

void ingress_validate_status(struct json ingress, struct json old, struct causes *causes)
{
	PATH(status, NULL, "status");
	PATH(path, &status, "loadBalancer");

	(void)old;
	ingress_validate_balancer(json_get(json_get(ingress, "status"), "loadBalancer"), &path,
				  causes);
}

/* --- classes --------------------------------------------------------------------------------- */

static void check_parameters(struct json parameters, const struct path *path, struct causes *causes)
{
	static const char *const scopes[] = {"Cluster", "Namespace"};
	struct json scope = json_get(parameters, "scope");
	bool placed = rule_has(parameters, "namespace");
	PATH(scope_path, path, "scope");
	PATH(namespace, path, "namespace");

	check_reference(parameters, path, causes);
	if (!rule_has(parameters, "scope")) {
		causes_required(causes, &scope_path, "");
		return;
	}
	rules_one_of(scope, scopes, ARRAY_LEN(scopes), &scope_path, causes);
	if (str_is(json_str(scope), "Namespace") && !placed)
		causes_required(causes, &namespace, "`parameters.scope` is set to 'Namespace'");
	else if (str_is(json_str(scope), "Namespace"))
		(void)name_validate(NAME_DNS_LABEL, rule_text(parameters, "namespace"), &namespace,
				    causes);
	else if (str_is(json_str(scope), "Cluster") && placed)
		causes_forbidden(causes, &namespace, "`parameters.scope` is set to 'Cluster'");
}

void ingressclass_validate_create(struct json class, struct causes *causes)
{
	struct json spec = json_get(class, "spec");
	PATH(path, NULL, "spec");
	PATH(controller, &path, "controller");
	PATH(parameters, &path, "parameters");

	if (rule_text(spec, "controller").len > CONTROLLER_MAX_LEN)
		causes_too_long(causes, &controller, CONTROLLER_MAX_LEN);
	rules_domain_path(rule_text(spec, "controller"), &controller, causes);
	if (json_is(json_get(spec, "parameters"), JSON_OBJ))
		check_parameters(json_get(spec, "parameters"), &parameters, causes);
}

void ingressclass_validate_update(struct json class, struct json old, struct causes *causes)
{
	PATH(path, NULL, "spec");
	PATH(controller, &path, "controller");

	rules_immutable(json_get(json_get(class, "spec"), "controller"),
			json_get(json_get(old, "spec"), "controller"), &controller, causes);
	rules_meta(class, NAME_DNS_SUBDOMAIN, false, causes);
	ingressclass_validate_create(class, causes);
}
