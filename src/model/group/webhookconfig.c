/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/webhookconfig.c - configurations of admission webhooks: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/webhookconfig.h"

#include "model/field/fill.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum { TIMEOUT_SECONDS = 10, HTTPS_PORT = 443 };

static void fill_service_reference(struct json_doc *doc, struct json service)
{
	if (json_is_absent(json_get(service, "port")))
		json_set_int(doc, service, "port", HTTPS_PORT);
}

#define VIEW struct service_reference
static const struct field service_reference_fields[] = {
	{"namespace", F_STR, AT(namespace), F_ALWAYS, F_REQUIRED},
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},
	{"path", F_STR, AT(path), F_POINTER},
	{"port", F_INT32, AT(port), F_POINTER},
};
#undef VIEW
const struct type service_reference_type = {
	TYPE("ServiceReference", "v1", struct service_reference, service_reference_fields),
	.group = "io.k8s.api.admissionregistration",
	.as_go = true,
	.fill = fill_service_reference,
};

#define VIEW struct webhook_client_config
static const struct field webhook_client_config_fields[] = {
	{"url", F_STR, AT(url), F_POINTER},
	{"service", F_OBJECT(service_reference), AT(service)},
	{"caBundle", F_BYTES, AT(ca_bundle)},
};
#undef VIEW
const struct type webhook_client_config_type = {
	TYPE("WebhookClientConfig", "v1", struct webhook_client_config,
	     webhook_client_config_fields),
	.group = "io.k8s.api.admissionregistration",
	.as_go = true,
};

static void fill_rule(struct json_doc *doc, struct json rule)
{
	if (json_is_absent(json_get(rule, "scope")))
		json_set_str(doc, rule, "scope", STR("*"));
}

#define VIEW struct rule_with_operations
static const struct field rule_with_operations_fields[] = {
	{"operations", F_LIST(F_STR, F_GO("v1.OperationType")), AT(operations), F_LIST_ATOMIC},
	{"apiGroups", F_LIST(F_STR), AT(api_groups), F_LIST_ATOMIC},
	{"apiVersions", F_LIST(F_STR), AT(api_versions), F_LIST_ATOMIC},
	{"resources", F_LIST(F_STR), AT(resources), F_LIST_ATOMIC},
	{"scope", F_STR, AT(scope), F_POINTER, F_GO("v1.ScopeType")},
};
#undef VIEW
const struct type rule_with_operations_type = {
	TYPE("RuleWithOperations", "v1", struct rule_with_operations, rule_with_operations_fields),
	.group = "io.k8s.api.admissionregistration",
	.as_go = true,
	.fill = fill_rule,
};

static const struct field match_condition_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"expression", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type match_condition_type = {
	TYPE_KNOWN("MatchCondition", "v1", match_condition_fields),
	.group = "io.k8s.api.admissionregistration",
	.as_go = true,
};

static void fill_webhook(struct json_doc *doc, struct json hook)
{
	static const char *const selectors[] = {"namespaceSelector", "objectSelector"};

	fill_text(doc, hook, "failurePolicy", "Fail");
	fill_text(doc, hook, "matchPolicy", "Equivalent");
	fill_int(doc, hook, "timeoutSeconds", TIMEOUT_SECONDS);
	for (size_t i = 0; i < ARRAY_LEN(selectors); i++)
		if (json_is_absent(json_get(hook, selectors[i])))
			json_ensure_obj(doc, hook, selectors[i]);
}

/* What both kinds of webhooks have. */
#define WEBHOOK_ROWS                                                                             \
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},                                         \
		{"clientConfig", F_OBJECT(webhook_client_config), AT(client_config), F_ALWAYS,   \
		 F_REQUIRED},                                                                    \
		{"rules", F_LIST(F_OBJECT(rule_with_operations)), AT(rules), F_LIST_ATOMIC},     \
		{"failurePolicy", F_STR, AT(failure_policy), F_POINTER,                          \
		 F_GO("v1.FailurePolicyType")},                                                  \
		{"matchPolicy", F_STR, AT(match_policy), F_POINTER, F_GO("v1.MatchPolicyType")}, \
		{"namespaceSelector", F_OBJECT(label_selector), AT(namespace_selector)},         \
		{"objectSelector", F_OBJECT(label_selector), AT(object_selector)},               \
		{"sideEffects", F_STR,     AT(side_effects),          F_ALWAYS,                  \
		 F_REQUIRED,    F_POINTER, F_GO("v1.SideEffectClass")},                          \
		{"timeoutSeconds", F_INT32, AT(timeout_seconds), F_POINTER},                     \
		{"admissionReviewVersions",                                                      \
		 F_LIST(F_STR),                                                                  \
		 AT(admission_review_versions),                                                  \
		 F_ALWAYS,                                                                       \
		 F_REQUIRED,                                                                     \
		 F_LIST_ATOMIC},                                                                 \
	{                                                                                        \
		"matchConditions", F_LIST(F_OBJECT(match_condition)), F_LIST_MAP("name"),        \
			F_MERGE_KEY("name")                                                      \
	}

#define ADMISSION .group = "io.k8s.api.admissionregistration", .as_go = true

#define VIEW struct webhook
static const struct field validating_webhook_fields[] = {
	WEBHOOK_ROWS,
};
const struct type validating_webhook_type = {
	TYPE("ValidatingWebhook", "v1", struct webhook, validating_webhook_fields),
	ADMISSION,
	.fill = fill_webhook,
};

static void fill_mutating_webhook(struct json_doc *doc, struct json hook)
{
	fill_webhook(doc, hook);
	fill_text(doc, hook, "reinvocationPolicy", "Never");
}

static const struct field mutating_webhook_fields[] = {
	WEBHOOK_ROWS,
	{"reinvocationPolicy", F_STR, AT(reinvocation_policy), F_POINTER,
	 F_GO("v1.ReinvocationPolicyType")},
};
#undef VIEW
const struct type mutating_webhook_type = {
	TYPE("MutatingWebhook", "v1", struct webhook, mutating_webhook_fields),
	ADMISSION,
	.fill = fill_mutating_webhook,
};

/* A configuration is a list of webhooks of one kind. */
#define CONFIGURATION_ROWS(webhook)                                                      \
	F_TYPE_META, {"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},            \
	{                                                                                \
		"webhooks", F_LIST(F_OBJECT(webhook)), AT(webhooks), F_LIST_MAP("name"), \
			F_MERGE_KEY("name")                                              \
	}
#define CONFIGURATION(name, rows)                                        \
	TYPE(name, "v1", struct webhook_configuration, rows), ADMISSION, \
		.rules = &webhook_configuration_rules,                   \
		.update = &webhook_configuration_update_rules

#define VIEW struct webhook_configuration
static const struct field validating_webhook_configuration_fields[] = {
	CONFIGURATION_ROWS(validating_webhook),
};
static const struct field mutating_webhook_configuration_fields[] = {
	CONFIGURATION_ROWS(mutating_webhook),
};
#undef VIEW
const struct type validating_webhook_configuration_type = {
	CONFIGURATION("ValidatingWebhookConfiguration", validating_webhook_configuration_fields),
};
const struct type mutating_webhook_configuration_type = {
	CONFIGURATION("MutatingWebhookConfiguration", mutating_webhook_configuration_fields),
};
