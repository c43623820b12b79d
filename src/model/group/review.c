/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/review.c - reviews of tokens and of access: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/review.h"

#include "model/core/meta.h"
#include "model/rules/rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

enum { TOKEN_SECONDS = 3600 };

#define VIEW struct token_review_spec
static const struct field token_review_spec_fields[] = {
	{"token", F_STR, AT(token)},
	{"audiences", F_LIST(F_STR), AT(audiences), F_LIST_ATOMIC},
};
#undef VIEW
const struct type token_review_spec_type = {
	TYPE("TokenReviewSpec", "v1", struct token_review_spec, token_review_spec_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
};

static const struct field user_info_fields[] = {
	{"username", F_STR},
	{"uid", F_STR},
	{"groups", F_LIST(F_STR), F_LIST_ATOMIC},
	{"extra", F_MAP(F_LIST(F_STR), F_GO("v1.ExtraValue"))},
};
static const struct type user_info_type = {
	TYPE_KNOWN("UserInfo", "v1", user_info_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
};

static const struct field token_review_status_fields[] = {
	{"authenticated", F_BOOL},
	{"user", F_OBJECT(user_info), F_DEFAULT("{}")},
	{"audiences", F_LIST(F_STR), F_LIST_ATOMIC},
	{"error", F_STR},
};
static const struct type token_review_status_type = {
	TYPE_KNOWN("TokenReviewStatus", "v1", token_review_status_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
};

#define VIEW struct token_review
static const struct field token_review_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(token_review_spec), AT(spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(token_review_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type token_review_type = {
	TYPE("TokenReview", "v1", struct token_review, token_review_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
	.rules = &rules_none,
};

static const struct field self_subject_review_status_fields[] = {
	{"userInfo", F_OBJECT(user_info), F_DEFAULT("{}")},
};
static const struct type self_subject_review_status_type = {
	TYPE_KNOWN("SelfSubjectReviewStatus", "v1", self_subject_review_status_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
};

static const struct field self_subject_review_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"status", F_OBJECT(self_subject_review_status), F_DEFAULT("{}")},
};
const struct type self_subject_review_type = {
	TYPE_KNOWN("SelfSubjectReview", "v1", self_subject_review_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
	.rules = &rules_none,
};

#define VIEW struct bound_object_reference
static const struct field bound_object_reference_fields[] = {
	{"kind", F_STR, AT(kind)},
	{"apiVersion", F_STR, AT(api_version)},
	{"name", F_STR, AT(name)},
	{"uid", F_STR, AT(uid), F_GO("types.UID")},
};
#undef VIEW
const struct type bound_object_reference_type = {
	TYPE("BoundObjectReference", "v1", struct bound_object_reference,
	     bound_object_reference_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
};

static void fill_token_request_spec(struct json_doc *doc, struct json spec)
{
	if (!json_is_i64(json_get(spec, "expirationSeconds")))
		json_set_int(doc, spec, "expirationSeconds", TOKEN_SECONDS);
}

#define VIEW struct token_request_spec
static const struct field token_request_spec_fields[] = {
	{"audiences", F_LIST(F_STR), AT(audiences), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"expirationSeconds", F_INT64, AT(expiration_seconds), F_ALWAYS, F_POINTER},
	{"boundObjectRef", F_OBJECT(bound_object_reference), AT(bound_object_ref), F_POINTER,
	 F_ALWAYS},
};
#undef VIEW
const struct type token_request_spec_type = {
	TYPE("TokenRequestSpec", "v1", struct token_request_spec, token_request_spec_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
	.fill = fill_token_request_spec,
};

static const struct field token_request_status_fields[] = {
	{"token", F_STR, F_ALWAYS, F_REQUIRED},
	{"expirationTimestamp", F_TIME, F_ALWAYS, F_REQUIRED},
};
static const struct type token_request_status_type = {
	TYPE_KNOWN("TokenRequestStatus", "v1", token_request_status_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
};

#define VIEW struct token_request
static const struct field token_request_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(token_request_spec), AT(spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(token_request_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type token_request_type = {
	TYPE("TokenRequest", "v1", struct token_request, token_request_fields),
	.group = "io.k8s.api.authentication",
	.as_go = true,
	.rules = &rules_none,
};

static const struct field field_selector_requirement_fields[] = {
	{"key", F_STR, F_ALWAYS, F_REQUIRED},
	{"operator", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.FieldSelectorOperator")},
	{"values", F_LIST(F_STR), F_LIST_ATOMIC},
};
static const struct type field_selector_requirement_type = {
	TYPE_KNOWN("FieldSelectorRequirement", "v1", field_selector_requirement_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
};

static const struct field field_selector_attributes_fields[] = {
	{"rawSelector", F_STR},
	{"requirements", F_LIST(F_OBJECT(field_selector_requirement)), F_LIST_ATOMIC},
};
static const struct type field_selector_attributes_type = {
	TYPE_KNOWN("FieldSelectorAttributes", "v1", field_selector_attributes_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

static const struct field label_selector_attributes_fields[] = {
	{"rawSelector", F_STR},
	{"requirements", F_LIST(F_OBJECT(label_selector_requirement)), F_LIST_ATOMIC},
};
static const struct type label_selector_attributes_type = {
	TYPE_KNOWN("LabelSelectorAttributes", "v1", label_selector_attributes_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

#define VIEW struct resource_attributes
static const struct field resource_attributes_fields[] = {
	{"namespace", F_STR, AT(namespace)},
	{"verb", F_STR, AT(verb)},
	{"group", F_STR, AT(group)},
	{"version", F_STR, AT(version)},
	{"resource", F_STR, AT(resource)},
	{"subresource", F_STR, AT(subresource)},
	{"name", F_STR, AT(name)},
	{"fieldSelector", F_OBJECT(field_selector_attributes)},
	{"labelSelector", F_OBJECT(label_selector_attributes)},
};
#undef VIEW
const struct type resource_attributes_type = {
	TYPE("ResourceAttributes", "v1", struct resource_attributes, resource_attributes_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

#define VIEW struct non_resource_attributes
static const struct field non_resource_attributes_fields[] = {
	{"path", F_STR, AT(path)},
	{"verb", F_STR, AT(verb)},
};
#undef VIEW
const struct type non_resource_attributes_type = {
	TYPE("NonResourceAttributes", "v1", struct non_resource_attributes,
	     non_resource_attributes_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

#define VIEW struct subject_access_review_spec
static const struct field subject_access_review_spec_fields[] = {
	{"resourceAttributes", F_OBJECT(resource_attributes), AT(resource_attributes)},
	{"nonResourceAttributes", F_OBJECT(non_resource_attributes), AT(non_resource_attributes)},
	{"user", F_STR, AT(user)},
	{"groups", F_LIST(F_STR), AT(groups), F_LIST_ATOMIC},
	{"extra", F_MAP(F_LIST(F_STR), F_GO("v1.ExtraValue"))},
	{"uid", F_STR, AT(uid)},
};
#undef VIEW
const struct type subject_access_review_spec_type = {
	TYPE("SubjectAccessReviewSpec", "v1", struct subject_access_review_spec,
	     subject_access_review_spec_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

static const struct field subject_access_review_status_fields[] = {
	{"allowed", F_BOOL, F_ALWAYS, F_REQUIRED},
	{"denied", F_BOOL},
	{"reason", F_STR},
	{"evaluationError", F_STR},
};
static const struct type subject_access_review_status_type = {
	TYPE_KNOWN("SubjectAccessReviewStatus", "v1", subject_access_review_status_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

#define VIEW struct subject_access_review
static const struct field subject_access_review_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(subject_access_review_spec), AT(spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(subject_access_review_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type subject_access_review_type = {
	TYPE("SubjectAccessReview", "v1", struct subject_access_review,
	     subject_access_review_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
	.rules = &rules_none,
};

#define VIEW struct self_subject_access_review_spec
static const struct field self_subject_access_review_spec_fields[] = {
	{"resourceAttributes", F_OBJECT(resource_attributes), AT(resource_attributes)},
	{"nonResourceAttributes", F_OBJECT(non_resource_attributes), AT(non_resource_attributes)},
};
#undef VIEW
const struct type self_subject_access_review_spec_type = {
	TYPE("SelfSubjectAccessReviewSpec", "v1", struct self_subject_access_review_spec,
	     self_subject_access_review_spec_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

#define VIEW struct self_subject_access_review
static const struct field self_subject_access_review_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(self_subject_access_review_spec), AT(spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(subject_access_review_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type self_subject_access_review_type = {
	TYPE("SelfSubjectAccessReview", "v1", struct self_subject_access_review,
	     self_subject_access_review_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
	.rules = &rules_none,
};

#define VIEW struct local_subject_access_review
static const struct field local_subject_access_review_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(subject_access_review_spec), AT(spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(subject_access_review_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type local_subject_access_review_type = {
	TYPE("LocalSubjectAccessReview", "v1", struct local_subject_access_review,
	     local_subject_access_review_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
	.rules = &rules_none,
};

static const struct field self_subject_rules_review_spec_fields[] = {
	{"namespace", F_STR},
};
static const struct type self_subject_rules_review_spec_type = {
	TYPE_KNOWN("SelfSubjectRulesReviewSpec", "v1", self_subject_rules_review_spec_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

static const struct field resource_rule_fields[] = {
	{"verbs", F_LIST(F_STR), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"apiGroups", F_LIST(F_STR), F_LIST_ATOMIC},
	{"resources", F_LIST(F_STR), F_LIST_ATOMIC},
	{"resourceNames", F_LIST(F_STR), F_LIST_ATOMIC},
};
static const struct type resource_rule_type = {
	TYPE_KNOWN("ResourceRule", "v1", resource_rule_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

static const struct field non_resource_rule_fields[] = {
	{"verbs", F_LIST(F_STR), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"nonResourceURLs", F_LIST(F_STR), F_LIST_ATOMIC},
};
static const struct type non_resource_rule_type = {
	TYPE_KNOWN("NonResourceRule", "v1", non_resource_rule_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

static const struct field subject_rules_review_status_fields[] = {
	{"resourceRules", F_LIST(F_OBJECT(resource_rule)), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"nonResourceRules", F_LIST(F_OBJECT(non_resource_rule)), F_ALWAYS, F_REQUIRED,
	 F_LIST_ATOMIC},
	{"incomplete", F_BOOL, F_ALWAYS, F_REQUIRED},
	{"evaluationError", F_STR},
};
static const struct type subject_rules_review_status_type = {
	TYPE_KNOWN("SubjectRulesReviewStatus", "v1", subject_rules_review_status_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
};

static const struct field self_subject_rules_review_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(self_subject_rules_review_spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(subject_rules_review_status), F_DEFAULT("{}")},
};
const struct type self_subject_rules_review_type = {
	TYPE_KNOWN("SelfSubjectRulesReview", "v1", self_subject_rules_review_fields),
	.group = "io.k8s.api.authorization",
	.as_go = true,
	.rules = &rules_none,
};
