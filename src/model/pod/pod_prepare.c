/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_prepare.c - bring pods into the state in which they are validated and stored. */
#include "model/pod/pod_prepare.h"

#include "base/macro.h"
#include "base/time.h"
#include "model/pod/pod.h"
#include "model/rules/rules.h"

#include "base/banned.h"

/* --- features that are off ------------------------------------------------------------------- */

static void drop(struct json_doc *doc, struct json object, const char *key)
{
	if (json_is(object, JSON_OBJ))
		json_remove(doc, object, str_from(key));
}

/* Rules for single containers: only sidecars have a policy of their own. */
static void drop_restart_rules(struct json_doc *doc, struct json container, bool init)
{
	drop(doc, container, "restartPolicyRules");
	if (!init || !str_is(rule_text(container, "restartPolicy"), "Always"))
		drop(doc, container, "restartPolicy");
}

static void drop_in_container(struct json_doc *doc, struct json container, bool init)
{
	struct json_iter it = json_iter(json_get(container, "env"));

	drop_restart_rules(doc, container, init);
	drop(doc, json_get(container, "lifecycle"), "stopSignal");
	while (json_next(&it))
		drop(doc, json_get(it.value, "valueFrom"), "fileKeyRef");
}

static void drop_in_volumes(struct json_doc *doc, struct json volumes)
{
	struct json_iter it = json_iter(volumes);

	while (json_next(&it)) {
		struct json_iter source =
			json_iter(json_get(json_get(it.value, "projected"), "sources"));

		drop(doc, it.value, "image");
		while (json_next(&source)) {
			drop(doc, source.value, "clusterTrustBundle");
			drop(doc, source.value, "podCertificate");
		}
	}
}

void pod_prepare_spec(struct json_doc *doc, struct json spec)
{
	static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(spec, lists[i]));

		while (json_next(&it))
			drop_in_container(doc, it.value, i == 0);
	}
	drop(doc, spec, "hostnameOverride");
	drop_in_volumes(doc, json_get(spec, "volumes"));
}

/* --- labels that terms take from the pod ----------------------------------------------------- */

static void add_expressions(struct json_doc *doc, struct json selector, struct json keys,
			    const char *op, struct json labels)
{
	struct json_iter it = json_iter(keys);

	while (json_next(&it)) {
		struct json value = json_get_str(labels, json_str(it.value));
		struct json expression;
		struct json values;

		if (json_is_absent(value))
			continue;
		expression = json_new_obj(doc);
		values = json_new_arr(doc);
		json_append(doc, values, json_new_copy(doc, value));
		json_set_str(doc, expression, "key", json_str(it.value));
		json_set_str(doc, expression, "operator", str_from(op));
		json_set(doc, expression, STR("values"), values);
		json_append(doc, json_ensure_arr(doc, selector, "matchExpressions"), expression);
	}
}

/* Put the pod's values of matchLabelKeys and mismatchLabelKeys into the selector. */
static void apply_keys(struct json_doc *doc, struct json term, struct json labels)
{
	struct json selector = json_get(term, "labelSelector");

	if (!json_is(selector, JSON_OBJ))
		return;
	add_expressions(doc, selector, json_get(term, "matchLabelKeys"), "In", labels);
	add_expressions(doc, selector, json_get(term, "mismatchLabelKeys"), "NotIn", labels);
}

static void apply_to_affinity(struct json_doc *doc, struct json affinity, struct json labels)
{
	struct json_iter it =
		json_iter(json_get(affinity, "preferredDuringSchedulingIgnoredDuringExecution"));

	while (json_next(&it))
		apply_keys(doc, json_get(it.value, "podAffinityTerm"), labels);
	it = json_iter(json_get(affinity, "requiredDuringSchedulingIgnoredDuringExecution"));
	while (json_next(&it))
		apply_keys(doc, it.value, labels);
}

static void apply_label_keys(struct json_doc *doc, struct json spec, struct json labels)
{
	struct json affinity = json_get(spec, "affinity");
	struct json_iter it = json_iter(json_get(spec, "topologySpreadConstraints"));

	apply_to_affinity(doc, json_get(affinity, "podAffinity"), labels);
	apply_to_affinity(doc, json_get(affinity, "podAntiAffinity"), labels);
	while (json_next(&it))
		apply_keys(doc, it.value, labels);
}

/* --- pods ------------------------------------------------------------------------------------ */

static void add_gated_condition(struct json_doc *doc, struct json status, int64_t now)
{
	const struct condition gated = {
		.type = STR_INIT("PodScheduled"),
		.status = STR_INIT("False"),
		.reason = STR_INIT("SchedulingGated"),
		.message = STR_INIT("Scheduling is blocked due to non-empty scheduling gates"),
	};
	struct json list = json_ensure_arr(doc, status, "conditions");

	conditions_set(doc, list, &gated, now);
	json_set(doc, json_at(list, 0), STR("lastProbeTime"), json_new_null(doc));
}

void pod_prepare_create(struct json_doc *doc, struct json pod, int64_t now)
{
	struct json spec = json_get(pod, "spec");
	struct json status = json_new_obj(doc);

	json_set_str(doc, status, "phase", STR("Pending"));
	json_set_str(doc, status, "qosClass", str_from(pod_qos_name(pod_qos_of(pod))));
	json_set(doc, pod, STR("status"), status);
	pod_prepare_spec(doc, spec);
	if (json_len(json_get(spec, "schedulingGates")))
		add_gated_condition(doc, status, now);
	apply_label_keys(doc, spec, json_get(json_get(pod, "metadata"), "labels"));
}

/* A member of the old object, or its absence. */
static void keep(struct json_doc *doc, struct json object, struct json old, const char *key)
{
	struct json value = json_get(old, key);

	if (json_is_absent(value))
		drop(doc, object, key);
	else
		json_set(doc, object, str_from(key), json_new_copy(doc, value));
}

void pod_prepare_update(struct json_doc *doc, struct json pod, struct json old)
{
	keep(doc, pod, old, "status");
	pod_prepare_spec(doc, json_get(pod, "spec"));
}

void pod_prepare_status(struct json_doc *doc, struct json pod, struct json old)
{
	struct json meta = json_ensure_obj(doc, pod, "metadata");
	struct json status = json_ensure_obj(doc, pod, "status");
	struct json old_status = json_get(old, "status");

	keep(doc, pod, old, "spec");
	keep(doc, meta, json_get(old, "metadata"), "ownerReferences");
	keep(doc, meta, json_get(old, "metadata"), "deletionTimestamp");
	if (!rule_text(status, "qosClass").len)
		keep(doc, status, old_status, "qosClass");
}
