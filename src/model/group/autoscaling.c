/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/autoscaling.c - autoscalers of workloads: the tables and rules of autoscaling/v2, and the tables of v1.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates metadata before. */
#include "model/group/autoscaling.h"

#include "model/rules/rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

#define GROUP .group = "io.k8s.api.autoscaling", .as_go = true
#define V2(type_name, rows) TYPE_KNOWN(type_name, "v2", rows), GROUP

/* --- what is measured ------------------------------------------------------------------------ */

static const struct field reference_fields[] = {
	{"kind", F_STR, F_ALWAYS, F_REQUIRED},
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"apiVersion", F_STR},
};
static const struct type reference_type = {V2("CrossVersionObjectReference", reference_fields)};

static const struct field identifier_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"selector", F_OBJECT(label_selector)},
};
static const struct type identifier_type = {V2("MetricIdentifier", identifier_fields)};

static const struct field target_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v2.MetricTargetType")},
	{"value", F_QUANTITY, F_POINTER},
	{"averageValue", F_QUANTITY, F_POINTER},
	{"averageUtilization", F_INT32, F_POINTER},
};
static const struct type target_type = {V2("MetricTarget", target_fields)};

static const struct field value_fields[] = {
	{"value", F_QUANTITY, F_POINTER},
	{"averageValue", F_QUANTITY, F_POINTER},
	{"averageUtilization", F_INT32, F_POINTER},
};
static const struct type value_type = {V2("MetricValueStatus", value_fields)};

#define DESCRIBED                                                            \
	{                                                                    \
		"describedObject", F_OBJECT(reference), F_ALWAYS, F_REQUIRED \
	}
#define METRIC                                                       \
	{                                                            \
		"metric", F_OBJECT(identifier), F_ALWAYS, F_REQUIRED \
	}
#define TARGET                                                   \
	{                                                        \
		"target", F_OBJECT(target), F_ALWAYS, F_REQUIRED \
	}
#define CURRENT                                                  \
	{                                                        \
		"current", F_OBJECT(value), F_ALWAYS, F_REQUIRED \
	}
#define RESOURCE                                                             \
	{                                                                    \
		"name", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ResourceName") \
	}
#define CONTAINER                                        \
	{                                                \
		"container", F_STR, F_ALWAYS, F_REQUIRED \
	}

static const struct field object_source_fields[] = {DESCRIBED, TARGET, METRIC};
static const struct type object_source_type = {V2("ObjectMetricSource", object_source_fields)};
static const struct field pods_source_fields[] = {METRIC, TARGET};
static const struct type pods_source_type = {V2("PodsMetricSource", pods_source_fields)};
static const struct type external_source_type = {V2("ExternalMetricSource", pods_source_fields)};
static const struct field resource_source_fields[] = {RESOURCE, TARGET};
static const struct type resource_source_type = {
	V2("ResourceMetricSource", resource_source_fields)};
static const struct field container_source_fields[] = {RESOURCE, TARGET, CONTAINER};
static const struct type container_source_type = {
	V2("ContainerResourceMetricSource", container_source_fields)};

static const struct field metric_spec_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v2.MetricSourceType")},
	{"object", F_OBJECT(object_source)},
	{"pods", F_OBJECT(pods_source)},
	{"resource", F_OBJECT(resource_source)},
	{"containerResource", F_OBJECT(container_source)},
	{"external", F_OBJECT(external_source)},
};
static const struct type metric_spec_type = {V2("MetricSpec", metric_spec_fields)};

static const struct field object_status_fields[] = {METRIC, CURRENT, DESCRIBED};
static const struct type object_status_type = {V2("ObjectMetricStatus", object_status_fields)};
static const struct field pods_status_fields[] = {METRIC, CURRENT};
static const struct type pods_status_type = {V2("PodsMetricStatus", pods_status_fields)};
static const struct type external_status_type = {V2("ExternalMetricStatus", pods_status_fields)};
static const struct field resource_status_fields[] = {RESOURCE, CURRENT};
static const struct type resource_status_type = {
	V2("ResourceMetricStatus", resource_status_fields)};
static const struct field container_status_fields[] = {RESOURCE, CURRENT, CONTAINER};
static const struct type container_status_type = {
	V2("ContainerResourceMetricStatus", container_status_fields)};

static const struct field metric_status_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v2.MetricSourceType")},
	{"object", F_OBJECT(object_status)},
	{"pods", F_OBJECT(pods_status)},
	{"resource", F_OBJECT(resource_status)},
	{"containerResource", F_OBJECT(container_status)},
	{"external", F_OBJECT(external_status)},
};
static const struct type metric_status_type = {V2("MetricStatus", metric_status_fields)};

/* --- how fast it scales ---------------------------------------------------------------------- */

static const struct field policy_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v2.HPAScalingPolicyType")},
	{"value", F_INT32, F_ALWAYS, F_REQUIRED},
	{"periodSeconds", F_INT32, F_ALWAYS, F_REQUIRED},
};
static const struct type policy_type = {V2("HPAScalingPolicy", policy_fields)};

static const struct field scaling_fields[] = {
	{"stabilizationWindowSeconds", F_INT32, F_POINTER},
	{"selectPolicy", F_STR, F_POINTER, F_GO("v2.ScalingPolicySelect")},
	{"policies", F_LIST(F_OBJECT(policy)), F_POINTER, F_LIST_ATOMIC},
	{"tolerance", F_QUANTITY, F_POINTER},
};
static const struct type scaling_type = {V2("HPAScalingRules", scaling_fields)};

static const struct field behavior_fields[] = {
	{"scaleUp", F_OBJECT(scaling)},
	{"scaleDown", F_OBJECT(scaling)},
};
static const struct type behavior_type = {V2("HorizontalPodAutoscalerBehavior", behavior_fields)};

/* What upstream's controller did before these fields were there. */
#define UP_DEFAULTS                                                                 \
	"{\"stabilizationWindowSeconds\":0,\"selectPolicy\":\"Max\",\"policies\":[" \
	"{\"type\":\"Pods\",\"value\":4,\"periodSeconds\":15},"                     \
	"{\"type\":\"Percent\",\"value\":100,\"periodSeconds\":15}]}"
#define DOWN_DEFAULTS                              \
	"{\"selectPolicy\":\"Max\",\"policies\":[" \
	"{\"type\":\"Percent\",\"value\":100,\"periodSeconds\":15}]}"
#define METRIC_DEFAULTS                                                      \
	"[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":" \
	"{\"type\":\"Utilization\",\"averageUtilization\":80}}}]"

static struct json parsed(struct json_doc *doc, const char *text)
{
	AUTO(json_doc_unref) struct json_doc *from = json_parse(str_from(text), NULL, NULL);

	return from ? json_new_copy(doc, json_doc_root(from)) : json_new_null(doc);
}

static void fill_scaling(struct json_doc *doc, struct json behavior, const char *key,
			 const char *text)
{
	struct json scaling = json_ensure_obj(doc, behavior, key);
	struct json defaults = parsed(doc, text);
	struct json_iter it = json_iter(defaults);

	while (json_next(&it))
		if (json_is_absent(json_get_str(scaling, it.key)) ||
		    json_is(json_get_str(scaling, it.key), JSON_NULL))
			json_set(doc, scaling, it.key, json_new_copy(doc, it.value));
}

static void fill_spec(struct json_doc *doc, struct json spec)
{
	struct json behavior = json_get(spec, "behavior");

	if (json_len(json_get(spec, "metrics")) == 0)
		json_set(doc, spec, STR("metrics"), parsed(doc, METRIC_DEFAULTS));
	if (!json_is(behavior, JSON_OBJ))
		return;
	fill_scaling(doc, behavior, "scaleUp", UP_DEFAULTS);
	fill_scaling(doc, behavior, "scaleDown", DOWN_DEFAULTS);
}

/* --- the object ------------------------------------------------------------------------------ */

static const struct field spec_fields[] = {
	{"scaleTargetRef", F_OBJECT(reference), F_ALWAYS, F_REQUIRED},
	{"minReplicas", F_INT32, F_POINTER, F_DEFAULT("1")},
	{"maxReplicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"metrics", F_LIST(F_OBJECT(metric_spec)), F_LIST_ATOMIC},
	{"behavior", F_OBJECT(behavior)},
};
static const struct type spec_type = {V2("HorizontalPodAutoscalerSpec", spec_fields),
				      .fill = fill_spec};

static const struct field condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v2.HorizontalPodAutoscalerConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastTransitionTime", F_TIME},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type scaling_condition_type = {
	V2("HorizontalPodAutoscalerCondition", condition_fields)};

static const struct field status_fields[] = {
	{"observedGeneration", F_INT64, F_POINTER},
	{"lastScaleTime", F_TIME},
	{"currentReplicas", F_INT32},
	{"desiredReplicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"currentMetrics", F_LIST(F_OBJECT(metric_status)), F_ALWAYS, F_LIST_ATOMIC},
	{"conditions", F_LIST(F_OBJECT(scaling_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
static const struct type status_type = {V2("HorizontalPodAutoscalerStatus", status_fields)};

#define VIEW struct autoscaler
static const struct field autoscaler_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(status), F_DEFAULT("{}")},
};
#undef VIEW

/* --- rules ----------------------------------------------------------------------------------- */

/* "group/version" or "version". */
static void check_api_version(const struct rule_at *at, bool group_needed)
{
	struct str text = rule_text(at->value, "apiVersion");
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	bool more = slash >= 0 && str_find_byte(text, '/', (size_t)slash + 1) >= 0;

	if (more)
		rule_invalid_str(at, "apiVersion", text, "unexpected GroupVersion string: %.*s",
				 STR_ARG(text));
	else if (group_needed && slash <= 0)
		rule_invalid_str(at, "apiVersion", text, "apiVersion must specify API group");
}

/* The core group has one kind that scales. What was stored earlier may stay. */
static void check_scaled(const struct rule_at *at)
{
	struct str kind = rule_text(at->value, "kind");

	if (json_is(at->old, JSON_OBJ) && str_eq(kind, rule_text(at->old, "kind")) &&
	    str_eq(rule_text(at->value, "apiVersion"), rule_text(at->old, "apiVersion")))
		return;
	check_api_version(at, !str_is(kind, "ReplicationController"));
}

static void check_described(const struct rule_at *at)
{
	check_api_version(at, false);
}

static const struct rule reference_rules[] = {
	{"kind", R_REQUIRED, R_FORMAT(PATH_SEGMENT)},
	{"name", R_REQUIRED, R_FORMAT(PATH_SEGMENT)},
};
static const struct rule scaled_rules[] = {
	{R_OBJECT(reference_rules)},
	{R_CHECK(check_scaled)},
};
static const struct rule described_rules[] = {
	{R_OBJECT(reference_rules)},
	{R_CHECK(check_described)},
};

static const struct rule identifier_rules[] = {
	{"name", R_REQUIRED_AS("must specify a metric name"), R_FORMAT(PATH_SEGMENT)},
};

static void check_target_type(const struct rule_at *at)
{
	struct str type = json_str(at->value);

	if (!str_is(type, "Utilization") && !str_is(type, "Value") && !str_is(type, "AverageValue"))
		rule_invalid(at, NULL, "must be either Utilization, Value, or AverageValue");
}

static void check_positive(const struct rule_at *at)
{
	AUTO(causes_done) struct causes found = CAUSES_INIT;

	rules_quantity_positive(at->value, at->path, &found);
	if (found.len)
		rules_invalid_quantity(at->value, at->path, "must be positive", at->causes);
}

static const struct rule target_rules[] = {
	{"type", R_REQUIRED_AS("must specify a metric target type")},
	{"type", R_ALWAYS, R_CHECK(check_target_type)},
	{"value", R_CHECK(check_positive)},
	{"averageValue", R_CHECK(check_positive)},
	{"averageUtilization", R_MIN(1), R_RANGE_AS("must be greater than 0")},
};

static void check_object_target(const struct rule_at *at)
{
	if (!rule_has(at->value, "value") && !rule_has(at->value, "averageValue"))
		rule_required_as(at, "averageValue",
				 "must set either a target value or averageValue");
}

static void check_external_target(const struct rule_at *at)
{
	bool value = rule_has(at->value, "value");
	bool average = rule_has(at->value, "averageValue");

	if (!value && !average)
		rule_required_as(at, "averageValue",
				 "must set either a target value for metric or a per-pod target");
	else if (value && average)
		rule_forbidden(at, "value",
			       "may not set both a target value for metric and a per-pod target");
}

static void check_pods_target(const struct rule_at *at)
{
	if (!rule_has(at->value, "averageValue"))
		rule_required_as(at, "averageValue", "must specify a positive target averageValue");
}

static void check_resource_target(const struct rule_at *at)
{
	bool part = rule_has(at->value, "averageUtilization");
	bool average = rule_has(at->value, "averageValue");

	if (!part && !average)
		rule_required_as(at, "averageUtilization",
				 "must set either a target raw value or a target utilization");
	else if (part && average)
		rule_forbidden(at, "averageValue",
			       "may not set both a target raw value and a target utilization");
}

static const struct rule object_rules[] = {
	{"describedObject", R_ALWAYS, R_OBJECT(described_rules)},
	{"metric", R_ALWAYS, R_OBJECT(identifier_rules)},
	{"target", R_ALWAYS, R_OBJECT(target_rules)},
	{"target", R_ALWAYS, R_CHECK(check_object_target)},
};
static const struct rule external_rules[] = {
	{"metric", R_ALWAYS, R_OBJECT(identifier_rules)},
	{"target", R_ALWAYS, R_OBJECT(target_rules)},
	{"target", R_ALWAYS, R_CHECK(check_external_target)},
};
static const struct rule pods_rules[] = {
	{"metric", R_ALWAYS, R_OBJECT(identifier_rules)},
	{"target", R_ALWAYS, R_OBJECT(target_rules)},
	{"target", R_ALWAYS, R_CHECK(check_pods_target)},
};
static const struct rule resource_rules[] = {
	{"name", R_REQUIRED_AS("must specify a resource name")},
	{"target", R_ALWAYS, R_OBJECT(target_rules)},
	{"target", R_ALWAYS, R_CHECK(check_resource_target)},
};

static void check_container_resource(const struct rule_at *at)
{
	rules_container_resource_name(json_str(at->value), at->path, at->causes);
}

static const struct rule container_rules[] = {
	{"name", R_REQUIRED_AS("must specify a resource name"), R_CHECK(check_container_resource)},
	{"container", R_REQUIRED_AS("must specify a container"), R_FORMAT(DNS_LABEL)},
	{"target", R_ALWAYS, R_OBJECT(target_rules)},
	{"target", R_ALWAYS, R_CHECK(check_resource_target)},
};

/* In the order in which the first that is set is checked. */
static const struct {
	const char *type;
	const char *member;
	struct rules rules;
} sources[] = {
	{"Object", "object", RULES_OF(object_rules)},
	{"External", "external", RULES_OF(external_rules)},
	{"Pods", "pods", RULES_OF(pods_rules)},
	{"Resource", "resource", RULES_OF(resource_rules)},
	{"ContainerResource", "containerResource", RULES_OF(container_rules)},
};

/* Check the first source that is set; says how many are. */
static size_t check_first_source(const struct rule_at *at)
{
	size_t set = 0;

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct path path = path_member(at->path, str_from(sources[i].member));
		struct rule_at source = {.value = json_get(at->value, sources[i].member),
					 .path = &path,
					 .causes = at->causes,
					 .old = JSON_NONE,
					 .up = at};

		if (rule_has(at->value, sources[i].member) && set++ == 0)
			rules_check(&sources[i].rules, &source);
	}
	return set;
}

static void check_metric(const struct rule_at *at)
{
	struct rule_texts texts =
		RULE_TEXTS("ContainerResource", "External", "Object", "Pods", "Resource");
	struct str type = rule_text(at->value, "type");
	bool known = rule_texts_have(texts, type);
	size_t set;

	if (!type.len)
		rule_required_as(at, "type", "must specify a metric source type");
	if (!known)
		rule_not_supported(at, "type", type, texts);
	set = check_first_source(at);
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		if (str_is(type, sources[i].type) && !rule_has(at->value, sources[i].member))
			rule_required_as(at, sources[i].member,
					 "must populate information for the given metric source");
	if (!known)
		rule_not_supported(at, "type", type, texts);
	for (size_t i = 0; set > 1 && i < ARRAY_LEN(sources); i++)
		if (!str_is(type, sources[i].type) && rule_has(at->value, sources[i].member))
			rule_forbidden(at, sources[i].member,
				       "must populate the given metric source only");
}

static bool scales_to_zero(const struct rule_at *at)
{
	struct json_iter it = json_iter(json_get(at->value, "metrics"));

	while (json_next(&it)) {
		struct str type = rule_text(it.value, "type");

		if (str_is(type, "Object") || str_is(type, "External"))
			return false;
	}
	return rule_has(at->value, "minReplicas") &&
	       json_int(json_get(at->value, "minReplicas")) == 0;
}

static void check_zero(const struct rule_at *at)
{
	if (scales_to_zero(at))
		rule_forbidden(at, "metrics",
			       "must specify at least one Object or External metric to support "
			       "scaling to zero replicas");
}

static bool is_below_least(const struct rule_at *at)
{
	return rule_has(at->value, "minReplicas") &&
	       json_int(json_get(at->value, "maxReplicas")) <
		       json_int(json_get(at->value, "minReplicas"));
}

static void check_not_below_least(const struct rule_at *at)
{
	if (is_below_least(at))
		rule_invalid(at, "maxReplicas", "must be greater than or equal to `minReplicas`");
}

static const struct rule policy_rules[] = {
	{"type", R_ALWAYS, R_TEXTS("Percent", "Pods")},
	{"value", R_ALWAYS, R_MIN(1), R_RANGE_AS("must be greater than zero")},
	{"periodSeconds", R_ALWAYS, R_MIN(1), R_RANGE_AS("must be greater than zero")},
	{"periodSeconds", R_MAX(1800), R_RANGE_AS("must be less than or equal to 1800")},
};

static const struct rule scaling_rules[] = {
	{"stabilizationWindowSeconds", R_MIN(0),
	 R_RANGE_AS("must be greater than or equal to zero")},
	{"stabilizationWindowSeconds", R_MAX(3600),
	 R_RANGE_AS("must be less than or equal to 3600")},
	{"selectPolicy", R_TEXTS("Disabled", "Max", "Min")},
	{"policies", R_REQUIRED_AS("must specify at least one Policy"),
	 R_EACH(R_OBJECT(policy_rules))},
	{"tolerance", R_CHECK(rule_amount_not_negative)},
};

static const struct rule behavior_rules[] = {
	{"scaleUp", R_OBJECT(scaling_rules)},
	{"scaleDown", R_OBJECT(scaling_rules)},
};

static const struct rule spec_rules[] = {
	{"minReplicas", R_MIN(1), R_RANGE_AS("must be greater than or equal to 1")},
	{"maxReplicas", R_ALWAYS, R_MIN(1), R_RANGE_AS("must be greater than 0")},
	{R_CHECK(check_not_below_least)},
	{"scaleTargetRef", R_ALWAYS, R_OBJECT(scaled_rules)},
	{"metrics", R_EACH(R_CHECK(check_metric))},
	{R_CHECK(check_zero)},
	{"behavior", R_OBJECT(behavior_rules)},
};

static const struct rule autoscaler_rules[] = {
	{"spec", R_ALWAYS, R_OBJECT(spec_rules)},
};

static const struct rule status_rules[] = {
	{"currentReplicas", R_MIN(0)},
	{"desiredReplicas", R_MIN(0)},
};
static const struct rule update_status_rules[] = {
	{"status", R_OBJECT(status_rules)},
};

const struct type autoscaler_type = {
	TYPE("HorizontalPodAutoscaler", "v2", struct autoscaler, autoscaler_fields),
	GROUP,
	TYPE_RULES(autoscaler_rules),
	TYPE_UPDATE(autoscaler_rules),
	TYPE_STATUS(update_status_rules),
};

/* --- autoscaling/v1 -------------------------------------------------------------------------- */

static const struct type reference_v1_type = {
	TYPE_KNOWN("CrossVersionObjectReference", "v1", reference_fields),
	GROUP,
	.atomic = true,
};

static const struct field spec_v1_fields[] = {
	{"scaleTargetRef", F_OBJECT(reference_v1), F_ALWAYS, F_REQUIRED},
	{"minReplicas", F_INT32, F_POINTER, F_DEFAULT("1")},
	{"maxReplicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"targetCPUUtilizationPercentage", F_INT32, F_POINTER},
};
static const struct type spec_v1_type = {
	TYPE_KNOWN("HorizontalPodAutoscalerSpec", "v1", spec_v1_fields), GROUP};

static const struct field status_v1_fields[] = {
	{"observedGeneration", F_INT64, F_POINTER},
	{"lastScaleTime", F_TIME},
	{"currentReplicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"desiredReplicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"currentCPUUtilizationPercentage", F_INT32, F_POINTER},
};
static const struct type status_v1_type = {
	TYPE_KNOWN("HorizontalPodAutoscalerStatus", "v1", status_v1_fields), GROUP};

#define VIEW struct autoscaler
static const struct field autoscaler_v1_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(spec_v1), F_DEFAULT("{}")},
	{"status", F_OBJECT(status_v1), F_DEFAULT("{}")},
};
#undef VIEW
const struct type autoscaler_v1_type = {
	TYPE("HorizontalPodAutoscaler", "v1", struct autoscaler, autoscaler_v1_fields),
	GROUP,
	.rules = &rules_none,
	.fill = autoscaler_v1_settle,
};

void autoscaler_v1_validate_create(struct json object, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	type_validate(&autoscaler_type, autoscaler_from_v1(object, doc), causes);
}

void autoscaler_v1_validate_update(struct json object, struct json old, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	type_validate_update(&autoscaler_type, autoscaler_from_v1(old, doc),
			     autoscaler_from_v1(object, doc), causes);
}

void autoscaler_v1_validate_status(struct json object, struct json old, struct causes *causes)
{
	type_validate_status(&autoscaler_type, old, object, causes);
}
