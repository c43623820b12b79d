/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/customresourcedefinition.c - definitions of custom resources: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/customresourcedefinition.h"

#include "model/rules/rules.h"

#include "base/banned.h"

#define VIEW struct crd_names
static const struct field crd_names_fields[] = {
	{"plural", F_STR, AT(plural), F_ALWAYS, F_REQUIRED},
	{"singular", F_STR, AT(singular)},
	{"shortNames", F_LIST(F_STR), AT(short_names), F_LIST_ATOMIC},
	{"kind", F_STR, AT(kind), F_ALWAYS, F_REQUIRED},
	{"listKind", F_STR, AT(list_kind)},
	{"categories", F_LIST(F_STR), AT(categories), F_LIST_ATOMIC},
};
#undef VIEW
const struct type crd_names_type = {
	TYPE("CustomResourceDefinitionNames", "v1", struct crd_names, crd_names_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_validation
static const struct field crd_validation_fields[] = {
	{"openAPIV3Schema", F_ANY, AT(schema)},
};
#undef VIEW
const struct type crd_validation_type = {
	TYPE("CustomResourceValidation", "v1", struct crd_validation, crd_validation_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_subresource_scale
static const struct field crd_subresource_scale_fields[] = {
	{"specReplicasPath", F_STR, AT(spec_replicas_path), F_ALWAYS, F_REQUIRED},
	{"statusReplicasPath", F_STR, AT(status_replicas_path), F_ALWAYS, F_REQUIRED},
	{"labelSelectorPath", F_STR, AT(label_selector_path), F_POINTER},
};
#undef VIEW
const struct type crd_subresource_scale_type = {
	TYPE("CustomResourceSubresourceScale", "v1", struct crd_subresource_scale,
	     crd_subresource_scale_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_subresources
static const struct field crd_subresources_fields[] = {
	{"status", F_ANY, AT(status)},
	{"scale", F_OBJECT(crd_subresource_scale), AT(scale)},
};
#undef VIEW
const struct type crd_subresources_type = {
	TYPE("CustomResourceSubresources", "v1", struct crd_subresources, crd_subresources_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_column
static const struct field crd_column_fields[] = {
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED},
	{"format", F_STR, AT(format)},
	{"description", F_STR, AT(description)},
	{"priority", F_INT32, AT(priority)},
	{"jsonPath", F_STR, AT(json_path), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type crd_column_type = {
	TYPE("CustomResourceColumnDefinition", "v1", struct crd_column, crd_column_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

static const struct field selectable_field_fields[] = {
	{"jsonPath", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type selectable_field_type = {
	TYPE_KNOWN("SelectableField", "v1", selectable_field_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_version
static const struct field crd_version_fields[] = {
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},
	{"served", F_BOOL, AT(served), F_ALWAYS, F_REQUIRED},
	{"storage", F_BOOL, AT(storage), F_ALWAYS, F_REQUIRED},
	{"deprecated", F_BOOL, AT(deprecated)},
	{"deprecationWarning", F_STR, AT(deprecation_warning), F_POINTER},
	{"schema", F_OBJECT(crd_validation), AT(schema)},
	{"subresources", F_OBJECT(crd_subresources), AT(subresources)},
	{"additionalPrinterColumns", F_LIST(F_OBJECT(crd_column)), AT(additional_printer_columns),
	 F_LIST_ATOMIC},
	{"selectableFields", F_LIST(F_OBJECT(selectable_field)), F_LIST_ATOMIC},
};
#undef VIEW
const struct type crd_version_type = {
	TYPE("CustomResourceDefinitionVersion", "v1", struct crd_version, crd_version_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

static const struct field service_reference_fields[] = {
	{"namespace", F_STR, F_ALWAYS, F_REQUIRED},
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"path", F_STR, F_POINTER},
	{"port", F_INT32, F_POINTER},
};
static const struct type service_reference_type = {
	TYPE_KNOWN("ServiceReference", "v1", service_reference_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

static const struct field webhook_client_config_fields[] = {
	{"url", F_STR, F_POINTER},
	{"service", F_OBJECT(service_reference)},
	{"caBundle", F_BYTES},
};
static const struct type webhook_client_config_type = {
	TYPE_KNOWN("WebhookClientConfig", "v1", webhook_client_config_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

static const struct field webhook_conversion_fields[] = {
	{"clientConfig", F_OBJECT(webhook_client_config)},
	{"conversionReviewVersions", F_LIST(F_STR), F_ALWAYS, F_REQUIRED, F_POINTER, F_LIST_ATOMIC},
};
static const struct type webhook_conversion_type = {
	TYPE_KNOWN("WebhookConversion", "v1", webhook_conversion_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

static const struct field crd_conversion_fields[] = {
	{"strategy", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConversionStrategyType")},
	{"webhook", F_OBJECT(webhook_conversion)},
};
static const struct type crd_conversion_type = {
	TYPE_KNOWN("CustomResourceConversion", "v1", crd_conversion_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_spec
static const struct field crd_spec_fields[] = {
	{"group", F_STR, AT(group), F_ALWAYS, F_REQUIRED},
	{"names", F_OBJECT(crd_names), AT(names), F_ALWAYS, F_REQUIRED},
	{"scope", F_STR, AT(scope), F_ALWAYS, F_REQUIRED, F_GO("v1.ResourceScope")},
	{"versions", F_LIST(F_OBJECT(crd_version)), AT(versions), F_ALWAYS, F_REQUIRED, F_POINTER,
	 F_LIST_ATOMIC},
	{"conversion", F_OBJECT(crd_conversion)},
	{"preserveUnknownFields", F_BOOL, AT(preserve_unknown_fields)},
};
#undef VIEW
const struct type crd_spec_type = {
	TYPE("CustomResourceDefinitionSpec", "v1", struct crd_spec, crd_spec_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

static const struct field crd_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.CustomResourceDefinitionConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type crd_condition_type = {
	TYPE_KNOWN("CustomResourceDefinitionCondition", "v1", crd_condition_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd_status
static const struct field crd_status_fields[] = {
	{"conditions", F_LIST(F_OBJECT(crd_condition)), F_ALWAYS, F_POINTER, F_LIST_MAP("type")},
	{"acceptedNames", F_OBJECT(crd_names), AT(accepted_names), F_ALWAYS},
	{"storedVersions", F_LIST(F_STR), AT(stored_versions), F_ALWAYS, F_POINTER, F_LIST_ATOMIC},
};
#undef VIEW
const struct type crd_status_type = {
	TYPE("CustomResourceDefinitionStatus", "v1", struct crd_status, crd_status_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
};

#define VIEW struct crd
static const struct field crd_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(crd_spec), AT(spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(crd_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type crd_type = {
	TYPE("CustomResourceDefinition", "v1", struct crd, crd_fields),
	.group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
	.as_go = true,
	.rules = &rules_none,
};
