/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/ingress_validate.c - the rules of ingresses and their classes, in the order and the words of
 * kube-apiserver 1.34. Metadata is validated by the caller, before. */
#include "model/group/ingress.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define CLASS_ANNOTATION "kubernetes.io/ingress.class"

enum { CONTROLLER_MAX_LEN = 250 };

/* --- where requests go ----------------------------------------------------------------------- */

static const struct rule reference_rows[] = {
	{"apiGroup", R_FORMAT(DNS_SUBDOMAIN)},
	{"kind", R_REQUIRED, R_FORMAT(PATH_SEGMENT)},
	{"name", R_REQUIRED, R_FORMAT(PATH_SEGMENT)},
};

static bool has_both_ports(const struct rule_at *at)
{
	struct json port = json_get(at->value, "port");

	return rule_text(port, "name").len && json_int(json_get(port, "number"));
}

/* Upstream reports this about the backend. */
static void check_port(const struct rule_at *at)
{
	struct json port = json_get(at->value, "port");

	if (has_both_ports(at))
		rule_invalid_str(at->up, NULL, STR(""), "cannot set both port name & port number");
	else if (!rule_text(port, "name").len && !json_int(json_get(port, "number")))
		rule_required_as(at->up, NULL, "port name or number is required");
}

static bool has_one_port(const struct rule_at *at)
{
	return !has_both_ports(at);
}

static const struct rule port_rows[] = {
	{"name", R_FILLED, R_FORMAT(PORT)},
	{"number", R_IF("name", ""), R_NONZERO, R_PORT},
};
static const struct rule service_rows[] = {
	{"name", R_REQUIRED, R_FORMAT(DNS1035_LABEL)},
	{R_CHECK(check_port)},
	{"port", R_WHEN(has_one_port), R_OBJECT(port_rows)},
};

static void check_backend(const struct rule_at *at)
{
	bool resource = rule_has(at->value, "resource");
	bool service = rule_has(at->value, "service");

	if (resource && service)
		rule_invalid_str(at, NULL, STR(""),
				 "cannot set both resource and service backends");
	else if (!resource && !service)
		rule_invalid_str(at, NULL, STR(""), "resource or service backend is required");
}

static const struct rule backend_rows[] = {
	{R_CHECK(check_backend), R_STOP},
	{"resource", R_OBJECT(reference_rows)},
	{"service", R_OBJECT(service_rows)},
};

/* --- which requests -------------------------------------------------------------------------- */

static void check_exact(const struct rule_at *at)
{
	static const char *const within[] = {"//", "/./", "/../", "%2f", "%2F"};
	static const char *const last[] = {"/..", "/."};
	struct str text = json_str(at->value);

	rule_absolute(at);
	for (size_t i = 0; i < ARRAY_LEN(within); i++)
		if (str_find(text, str_from(within[i]), 0) >= 0)
			rule_invalid(at, NULL, "must not contain '%s'", within[i]);
	for (size_t i = 0; i < ARRAY_LEN(last); i++)
		if (str_ends(text, str_from(last[i])))
			rule_invalid(at, NULL, "cannot end with '%s'", last[i]);
}

static bool is_exact(const struct rule_at *at)
{
	struct str type = rule_text(at->value, "pathType");

	return str_is(type, "Exact") || str_is(type, "Prefix");
}

static bool lacks_type(const struct rule_at *at)
{
	return !rule_has(at->value, "pathType");
}

static const struct rule path_rows[] = {
	{"pathType", R_WHEN(lacks_type), R_ALWAYS, R_LACKS("pathType must be specified"), R_STOP},
	{"path", R_WHEN(is_exact), R_ALWAYS, R_CHECK(check_exact)},
	{"pathType", R_TEXTS("Exact", "ImplementationSpecific", "Prefix")},
	{"path", R_IF("pathType", "ImplementationSpecific"), R_FILLED, R_CHECK(rule_absolute)},
	{"backend", R_ALWAYS, R_OBJECT(backend_rows)},
};
static const struct rule http_rows[] = {
	{"paths", R_REQUIRED, R_EACH(R_OBJECT(path_rows))},
};

/* A name, or "*." and a name. */
static void check_host(const struct rule_at *at)
{
	struct str host = json_str(at->value);

	if (str_find_byte(host, '*', 0) < 0)
		(void)name_validate(NAME_DNS_SUBDOMAIN, host, at->path, at->causes);
	else if (!str_starts(host, STR("*.")) || !name_is(NAME_DNS_SUBDOMAIN, str_skip(host, 2)))
		rule_invalid(
			at, NULL,
			"a wildcard DNS-1123 subdomain must start with '*.', followed by a valid "
			"DNS subdomain, which must consist of lower case alphanumeric characters, "
			"'-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
			"regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\."
			"[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

static const struct rule rule_rows[] = {
	{"host", R_FILLED, R_CHECK(rule_not_ip)},
	{"host", R_FILLED, R_CHECK(check_host)},
	{"http", R_OBJECT(http_rows)},
};

/* Is a secret name invalid? Existing ones are not checked. */
static bool has_odd_secret(struct json spec)
{
	struct json_iter it = json_iter(json_get(spec, "tls"));

	while (json_next(&it)) {
		struct str name = rule_text(it.value, "secretName");

		if (name.len && !name_is(NAME_DNS_SUBDOMAIN, name))
			return true;
	}
	return false;
}

static bool has_plain_secrets(const struct rule_at *at)
{
	return !has_odd_secret(json_get(rule_top(at)->old, "spec"));
}

static const struct rule tls_rows[] = {
	{"hosts", R_EACH(R_CHECK(check_host))},
	{"secretName", R_WHEN(has_plain_secrets), R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
};

/* --- ingresses ------------------------------------------------------------------------------- */

/* Shown as the missing rules. */
static void check_any_rule(const struct rule_at *at)
{
	struct json rules = json_get(at->value, "rules");

	if (!json_len(rules) && !rule_has(at->value, "defaultBackend"))
		rules_invalid(rules, at->path,
			      "either `defaultBackend` or `rules` must be specified", at->causes);
}

static const struct rule spec_rows[] = {
	{R_CHECK(check_any_rule)},
	{"defaultBackend", R_OBJECT(backend_rows)},
	{"rules", R_EACH(R_OBJECT(rule_rows))},
	{"tls", R_EACH(R_OBJECT(tls_rows))},
	{"ingressClassName", R_FORMAT(DNS_SUBDOMAIN)},
};

/* Upstream leaves "metadata" out of the path. */
static void check_class(const struct rule_at *at)
{
	struct json spec = json_get(rule_top(at)->value, "spec");

	if (rule_has(spec, "ingressClassName") &&
	    !str_eq(json_str(at->value), rule_text(spec, "ingressClassName")))
		rule_invalid(at, NULL, "must match `ingressClassName` when both are specified");
}

static const struct rule annotation_rows[] = {
	{CLASS_ANNOTATION, R_CHECK(check_class)},
};
static const struct rule meta_rows[] = {
	{"annotations", R_OBJECT(annotation_rows)},
};
static const struct rule ingress_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(spec_rows)},
	{"metadata", R_HIDDEN, R_OBJECT(meta_rows)},
};
const struct rules ingress_rules = RULES_OF(ingress_rows);

static const struct rule update_rows[] = {
	{R_CHECK(rule_meta)},
	{"spec", R_ALWAYS, R_OBJECT(spec_rows)},
};
const struct rules ingress_update_rules = RULES_OF(update_rows);

static const struct rule address_rows[] = {
	{"ip", R_FILLED, R_CHECK(rule_ip)},
	{"hostname", R_FILLED, R_FORMAT(DNS_SUBDOMAIN), R_CHECK(rule_not_ip)},
};
static const struct rule balancer_rows[] = {
	{"ingress", R_EACH(R_OBJECT(address_rows))},
};
static const struct rule status_rows[] = {
	{"loadBalancer", R_OBJECT(balancer_rows)},
};
static const struct rule status_update_rows[] = {
	{"status", R_OBJECT(status_rows)},
};
const struct rules ingress_status_rules = RULES_OF(status_update_rows);

/* --- classes --------------------------------------------------------------------------------- */

static bool lacks_namespace(const struct rule_at *at)
{
	return !rule_has(at->value, "namespace");
}

static bool lacks_scope(const struct rule_at *at)
{
	return !rule_has(at->value, "scope");
}

static const struct rule parameter_rows[] = {
	{R_OBJECT(reference_rows)},
	{"scope", R_WHEN(lacks_scope), R_ALWAYS, R_LACKS(""), R_STOP},
	{"scope", R_TEXTS("Cluster", "Namespace")},
	{"namespace", R_IF("scope", "Namespace"), R_WHEN(lacks_namespace), R_ALWAYS,
	 R_LACKS("`parameters.scope` is set to 'Namespace'")},
	{"namespace", R_IF("scope", "Namespace"), R_FORMAT(DNS_LABEL)},
	{"namespace", R_IF("scope", "Cluster"),
	 R_FORBIDDEN("`parameters.scope` is set to 'Cluster'")},
};
static const struct rule class_spec_rows[] = {
	{"controller", R_ALWAYS, R_MAX_LEN(CONTROLLER_MAX_LEN), R_CHECK(rule_domain_path)},
	{"parameters", R_OBJECT(parameter_rows)},
};
static const struct rule class_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(class_spec_rows)},
};
const struct rules ingressclass_rules = RULES_OF(class_rows);

static const struct rule controller_rows[] = {
	{"controller", R_IMMUTABLE},
};
static const struct rule class_update_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(controller_rows)},
	{R_CHECK(rule_meta_cluster)},
	{R_RULES(ingressclass_rules)},
};
const struct rules ingressclass_update_rules = RULES_OF(class_update_rows);
