/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/autoscaling_convert.c - autoscalers of autoscaling/v1 as those of v2, and back.
 *
 * v1 has one target, the CPU in percent. All other metrics, conditions, measured values and the behavior travel in
 * annotations, in the words of v1 (the behavior in those of upstream's Go structs). */
#include "base/buf.h"
#include "model/group/autoscaling.h"

#include "base/banned.h"

#define PREFIX "autoscaling.alpha.kubernetes.io/"
#define METRICS PREFIX "metrics"
#define CURRENT PREFIX "current-metrics"
#define CONDITIONS PREFIX "conditions"
#define BEHAVIOR PREFIX "behavior"

static const char *const carriers[] = {METRICS, CURRENT, CONDITIONS, BEHAVIOR};

/* --- metrics --------------------------------------------------------------------------------- */

/* A field of a source of metrics: its name in v1, and in v2 its name, or the object that has it and its name
 * there. `zero` is what v1 writes if there is none; NULL: nothing. */
struct member {
	const char *source;
	const char *old;
	const char *holder;
	const char *name;
	const char *zero;
};

static const struct member spec_members[] = {
	{"object", "target", NULL, "describedObject", NULL},
	{"object", "metricName", "metric", "name", ""},
	{"object", "targetValue", "target", "value", "0"},
	{"object", "selector", "metric", "selector", NULL},
	{"object", "averageValue", "target", "averageValue", NULL},
	{"pods", "metricName", "metric", "name", ""},
	{"pods", "targetAverageValue", "target", "averageValue", "0"},
	{"pods", "selector", "metric", "selector", NULL},
	{"resource", "name", NULL, "name", ""},
	{"resource", "targetAverageUtilization", "target", "averageUtilization", NULL},
	{"resource", "targetAverageValue", "target", "averageValue", NULL},
	{"containerResource", "name", NULL, "name", ""},
	{"containerResource", "targetAverageUtilization", "target", "averageUtilization", NULL},
	{"containerResource", "targetAverageValue", "target", "averageValue", NULL},
	{"containerResource", "container", NULL, "container", ""},
	{"external", "metricName", "metric", "name", ""},
	{"external", "metricSelector", "metric", "selector", NULL},
	{"external", "targetValue", "target", "value", NULL},
	{"external", "targetAverageValue", "target", "averageValue", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static const struct member status_members[] = {
	{"object", "target", NULL, "describedObject", NULL},
	{"object", "metricName", "metric", "name", ""},
	{"object", "currentValue", "current", "value", "0"},
	{"object", "selector", "metric", "selector", NULL},
	{"object", "averageValue", "current", "averageValue", NULL},
	{"pods", "metricName", "metric", "name", ""},
	{"pods", "currentAverageValue", "current", "averageValue", "0"},
	{"pods", "selector", "metric", "selector", NULL},
	{"resource", "name", NULL, "name", ""},
	{"resource", "currentAverageUtilization", "current", "averageUtilization", NULL},
	{"resource", "currentAverageValue", "current", "averageValue", "0"},
	{"containerResource", "name", NULL, "name", ""},
	{"containerResource", "currentAverageUtilization", "current", "averageUtilization", NULL},
	{"containerResource", "currentAverageValue", "current", "averageValue", "0"},
	{"containerResource", "container", NULL, "container", ""},
	{"external", "metricName", "metric", "name", ""},
	{"external", "metricSelector", "metric", "selector", NULL},
	{"external", "currentValue", "current", "value", "0"},
	{"external", "currentAverageValue", "current", "averageValue", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

/* In the order in which upstream writes them. */
static const char *const sources[] = {"object", "pods", "resource", "containerResource",
				      "external"};

static bool is_set(struct json value)
{
	return !json_is_absent(value) && !json_is(value, JSON_NULL);
}

/* A copy with the members in this order, which is that of upstream's texts. Others are left out. */
static struct json ordered(struct json value, const char *const *names, size_t count,
			   struct json_doc *doc)
{
	struct json made = json_new_obj(doc);

	for (size_t i = 0; i < count; i++)
		if (is_set(json_get(value, names[i])))
			json_set(doc, made, str_from(names[i]),
				 json_new_copy(doc, json_get(value, names[i])));
	return made;
}

static struct json reference_to_v1(struct json reference, struct json_doc *doc)
{
	static const char *const names[] = {"kind", "name", "apiVersion"};

	return ordered(reference, names, ARRAY_LEN(names), doc);
}

static struct json conditions_to_v1(struct json list, struct json_doc *doc)
{
	static const char *const names[] = {"type", "status", "lastTransitionTime", "reason",
					    "message"};
	struct json made = json_new_arr(doc);
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		json_append(doc, made, ordered(it.value, names, ARRAY_LEN(names), doc));
	return made;
}

/* What v2 calls the kind of a target follows from the values that v1 has. */
static const char *target_type(const char *source, struct json old)
{
	if (str_is(STR("object"), source))
		return is_set(json_get(old, "averageValue")) ? "AverageValue" : "Value";
	if (str_is(STR("external"), source))
		return is_set(json_get(old, "targetValue")) ? "Value" : "AverageValue";
	return is_set(json_get(old, "targetAverageUtilization")) ? "Utilization" : "AverageValue";
}

static struct json metric_from_v1(struct json metric, const struct member *member,
				  struct json_doc *doc)
{
	struct json made = json_new_obj(doc);
	const bool spec = member == spec_members;

	json_set(doc, made, STR("type"), json_new_copy(doc, json_get(metric, "type")));
	for (; member->source; member++) {
		struct json from = json_get(metric, member->source);
		struct json to, holder, value = json_get(from, member->old);

		if (!json_is(from, JSON_OBJ))
			continue;
		to = json_ensure_obj(doc, made, member->source);
		holder = member->holder ? json_ensure_obj(doc, to, member->holder) : to;
		if (spec && member->holder && str_is(STR("target"), member->holder))
			json_set_str(doc, holder, "type",
				     str_from(target_type(member->source, from)));
		if (is_set(value))
			json_set(doc, holder, str_from(member->name), json_new_copy(doc, value));
	}
	return made;
}

static struct json metric_to_v1(struct json metric, const struct member *members,
				struct json_doc *doc)
{
	struct json made = json_new_obj(doc);

	json_set(doc, made, STR("type"), json_new_copy(doc, json_get(metric, "type")));
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct json from = json_get(metric, sources[i]);
		struct json to;

		if (!json_is(from, JSON_OBJ))
			continue;
		to = json_ensure_obj(doc, made, sources[i]);
		for (const struct member *m = members; m->source; m++) {
			struct json holder = m->holder ? json_get(from, m->holder) : from;
			struct json value = json_get(holder, m->name);

			if (!str_is(str_from(m->source), sources[i]))
				continue;
			if (str_is(STR("describedObject"), m->name))
				json_set(doc, to, str_from(m->old), reference_to_v1(value, doc));
			else if (is_set(value))
				json_set(doc, to, str_from(m->old), json_new_copy(doc, value));
			else if (m->zero)
				json_set_str(doc, to, m->old, str_from(m->zero));
		}
	}
	return made;
}

/* The percentage of CPU that a metric is about, absent if it is about something else. */
static struct json cpu_of(struct json metric, const char *holder)
{
	struct json resource = json_get(metric, "resource");

	if (!str_is(json_str(json_get(metric, "type")), "Resource") ||
	    !str_is(json_str(json_get(resource, "name")), "cpu"))
		return JSON_NONE;
	return json_get(json_get(resource, holder), "averageUtilization");
}

static struct json first_cpu(struct json metrics, const char *holder)
{
	struct json_iter it = json_iter(metrics);

	while (json_next(&it))
		if (is_set(cpu_of(it.value, holder)))
			return cpu_of(it.value, holder);
	return JSON_NONE;
}

static struct json new_cpu(struct json_doc *doc, struct json percent, const char *holder)
{
	struct json metric = json_new_obj(doc);
	struct json resource = json_ensure_obj(doc, metric, "resource");
	struct json target;

	json_set_str(doc, metric, "type", STR("Resource"));
	json_set_str(doc, resource, "name", STR("cpu"));
	target = json_ensure_obj(doc, resource, holder);
	if (str_is(STR("target"), holder))
		json_set_str(doc, target, "type", STR("Utilization"));
	json_set(doc, target, STR("averageUtilization"), json_new_copy(doc, percent));
	return metric;
}

/* --- annotations ----------------------------------------------------------------------------- */

/* What an annotation carries; NULL if there is none, or not of this class. */
static struct json_doc *carried(struct json object, const char *key, enum json_type class)
{
	struct json annotations = json_get(json_get(object, "metadata"), "annotations");
	struct str text = json_str(json_get(annotations, key));
	struct err err;
	struct json_doc *doc = text.len ? json_parse(text, NULL, &err) : NULL;

	if (doc && json_is(json_doc_root(doc), class))
		return doc;
	json_doc_unref(doc);
	return NULL;
}

/* Set spec.metrics and the like, unless the value has members of wrong types: upstream drops all of it then. */
static bool set_checked(struct json_doc *doc, struct json object, const char *part,
			const char *name, struct json value)
{
	struct json trial = json_new_obj(doc);
	struct json holder = json_ensure_obj(doc, trial, part);
	struct err err;

	json_set(doc, holder, str_from(name), value);
	if (type_check_types(&autoscaler_type, trial, &err) < 0)
		return false;
	type_prune(&autoscaler_type, doc, trial, NULL, NULL);
	json_set(doc, json_ensure_obj(doc, object, part), str_from(name),
		 json_new_copy(doc, json_get(holder, name)));
	return true;
}

static void drop_carriers(struct json_doc *doc, struct json object)
{
	struct json metadata = json_get(object, "metadata");
	struct json annotations = json_get(metadata, "annotations");

	if (!json_is(annotations, JSON_OBJ))
		return;
	for (size_t i = 0; i < ARRAY_LEN(carriers); i++)
		(void)json_remove(doc, annotations, str_from(carriers[i]));
	if (json_len(annotations) == 0)
		(void)json_remove(doc, metadata, STR("annotations"));
}

static void carry(struct json_doc *doc, struct json object, const char *key, struct json value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json metadata = json_ensure_obj(doc, object, "metadata");

	json_print(value, JSON_COMPACT, &text);
	json_set_str(doc, json_ensure_obj(doc, metadata, "annotations"), key, buf_str(&text));
}

/* --- behavior -------------------------------------------------------------------------------- */

/* A member of an object in the words of Go, in Go's order. */
struct go_member {
	const char *go;
	const char *name;
	const struct go_member *below; /* of an object, or of the elements of a list; or NULL */
};
static const struct go_member policy_members[] = {
	{"Type", "type", NULL},
	{"Value", "value", NULL},
	{"PeriodSeconds", "periodSeconds", NULL},
	{NULL, NULL, NULL},
};
static const struct go_member scaling_members[] = {
	{"StabilizationWindowSeconds", "stabilizationWindowSeconds", NULL},
	{"SelectPolicy", "selectPolicy", NULL},
	{"Policies", "policies", policy_members},
	{"Tolerance", "tolerance", NULL},
	{NULL, NULL, NULL},
};
static const struct go_member behavior_members[] = {
	{"ScaleUp", "scaleUp", scaling_members},
	{"ScaleDown", "scaleDown", scaling_members},
	{NULL, NULL, NULL},
};

static struct json rename_members(struct json value, const struct go_member *members, bool to_go,
				  struct json_doc *doc)
{
	struct json_iter it = json_iter(value);
	struct json made;

	if (members && json_is(value, JSON_ARR)) {
		made = json_new_arr(doc);
		while (json_next(&it))
			json_append(doc, made, rename_members(it.value, members, to_go, doc));
		return made;
	}
	if (!members || !json_is(value, JSON_OBJ))
		return json_new_copy(doc, value);
	made = json_new_obj(doc);
	for (; members->go; members++) {
		struct json from = json_get(value, to_go ? members->name : members->go);

		if (!to_go && json_is_absent(from)) /* Go reads names in any case */
			from = json_get(value, members->name);
		if (to_go || is_set(from))
			json_set(doc, made, str_from(to_go ? members->go : members->name),
				 rename_members(from, members->below, to_go, doc));
	}
	return made;
}

/* --- objects --------------------------------------------------------------------------------- */

static struct json start(struct json object, const char *version, struct json_doc *doc)
{
	struct json made = json_new_copy(doc, object);

	json_set_str(doc, made, "apiVersion", str_from(version));
	return made;
}

static void read_metrics(struct json object, struct json made, struct json_doc *doc)
{
	AUTO(json_doc_unref) struct json_doc *others = carried(object, METRICS, JSON_ARR);
	struct json spec = json_ensure_obj(doc, made, "spec");
	struct json percent = json_get(spec, "targetCPUUtilizationPercentage");
	struct json list = json_new_arr(doc);
	struct json_iter it = json_iter(others ? json_doc_root(others) : JSON_NONE);

	while (json_next(&it))
		json_append(doc, list, metric_from_v1(it.value, spec_members, doc));
	if (!set_checked(doc, made, "spec", "metrics", list))
		json_set(doc, spec, STR("metrics"), json_new_arr(doc));
	if (is_set(percent))
		json_append(doc, json_get(spec, "metrics"), new_cpu(doc, percent, "target"));
	(void)json_remove(doc, spec, STR("targetCPUUtilizationPercentage"));
}

static void read_status(struct json object, struct json made, struct json_doc *doc)
{
	AUTO(json_doc_unref) struct json_doc *current = carried(object, CURRENT, JSON_ARR);
	AUTO(json_doc_unref) struct json_doc *conditions = carried(object, CONDITIONS, JSON_ARR);
	struct json status = json_get(made, "status");
	struct json percent = json_get(status, "currentCPUUtilizationPercentage");
	struct json list = json_new_arr(doc);
	struct json_iter it = json_iter(current ? json_doc_root(current) : JSON_NONE);

	if (is_set(percent))
		json_append(doc, json_ensure_arr(doc, status, "currentMetrics"),
			    new_cpu(doc, percent, "current"));
	if (json_is(status, JSON_OBJ))
		(void)json_remove(doc, status, STR("currentCPUUtilizationPercentage"));
	while (json_next(&it))
		json_append(doc, list, metric_from_v1(it.value, status_members, doc));
	if (current)
		(void)set_checked(doc, made, "status", "currentMetrics", list);
	if (conditions)
		(void)set_checked(doc, made, "status", "conditions",
				  json_new_copy(doc, json_doc_root(conditions)));
}

struct json autoscaler_from_v1(struct json object, struct json_doc *doc)
{
	AUTO(json_doc_unref) struct json_doc *behavior = carried(object, BEHAVIOR, JSON_OBJ);
	struct json made = start(object, "autoscaling/v2", doc);
	struct json renamed;

	read_metrics(object, made, doc);
	read_status(object, made, doc);
	if (behavior) {
		renamed = rename_members(json_doc_root(behavior), behavior_members, false, doc);
		if (json_len(renamed))
			(void)set_checked(doc, made, "spec", "behavior", renamed);
	}
	drop_carriers(doc, made);
	type_default(&autoscaler_type, doc, made);
	return made;
}

static void write_metrics(struct json object, struct json made, struct json_doc *doc)
{
	struct json metrics = json_get(json_get(object, "spec"), "metrics");
	struct json spec = json_get(made, "spec");
	struct json percent = first_cpu(metrics, "target");
	struct json others = json_new_arr(doc);
	struct json_iter it = json_iter(metrics);

	while (json_next(&it))
		if (!is_set(cpu_of(it.value, "target")))
			json_append(doc, others, metric_to_v1(it.value, spec_members, doc));
	if (json_len(others))
		carry(doc, made, METRICS, others);
	if (json_is(spec, JSON_OBJ))
		(void)json_remove(doc, spec, STR("metrics"));
	if (is_set(percent))
		json_set(doc, spec, STR("targetCPUUtilizationPercentage"),
			 json_new_copy(doc, percent));
}

static void write_status(struct json object, struct json made, struct json_doc *doc)
{
	struct json from = json_get(object, "status");
	struct json status = json_get(made, "status");
	struct json percent = first_cpu(json_get(from, "currentMetrics"), "current");
	struct json current = json_new_arr(doc);
	struct json_iter it = json_iter(json_get(from, "currentMetrics"));

	while (json_next(&it))
		json_append(doc, current, metric_to_v1(it.value, status_members, doc));
	if (json_len(current))
		carry(doc, made, CURRENT, current);
	if (json_len(json_get(from, "conditions")))
		carry(doc, made, CONDITIONS, conditions_to_v1(json_get(from, "conditions"), doc));
	if (!json_is(status, JSON_OBJ))
		return;
	(void)json_remove(doc, status, STR("currentMetrics"));
	(void)json_remove(doc, status, STR("conditions"));
	if (!is_set(json_get(status, "currentReplicas")))
		json_set_int(doc, status, "currentReplicas", 0);
	if (is_set(percent))
		json_set(doc, status, STR("currentCPUUtilizationPercentage"),
			 json_new_copy(doc, percent));
}

struct json autoscaler_to_v1(struct json object, struct json_doc *doc)
{
	struct json made = start(object, "autoscaling/v1", doc);
	struct json behavior = json_get(json_get(object, "spec"), "behavior");

	drop_carriers(doc, made);
	write_metrics(object, made, doc);
	write_status(object, made, doc);
	if (json_is(behavior, JSON_OBJ)) {
		carry(doc, made, BEHAVIOR, rename_members(behavior, behavior_members, true, doc));
		(void)json_remove(doc, json_get(made, "spec"), STR("behavior"));
	}
	return made;
}

void autoscaler_v1_settle(struct json_doc *doc, struct json object)
{
	struct json settled = autoscaler_to_v1(autoscaler_from_v1(object, doc), doc);
	struct json_iter it = json_iter(settled);

	while (json_next(&it))
		json_set(doc, object, it.key, json_new_copy(doc, it.value));
}
