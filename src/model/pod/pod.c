/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod.c - the table of the pod, and its properties. */
#include "model/pod/pod.h"

#include "model/pod/pod_default.h"
#include "model/pod/pod_total.h"
#include "model/pod/pod_validate.h"

#include "base/banned.h"

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct pod_template_spec
static const struct field pod_template_spec_fields[] = {
	{"metadata", F_OBJECT(meta), AT(meta), F_ALWAYS},
	{"spec", F_OBJECT(pod_spec), AT(spec), F_ALWAYS},
};
#undef VIEW
const struct type pod_template_spec_type = {
	TYPE("PodTemplateSpec", "v1", struct pod_template_spec, pod_template_spec_fields),
	CORE,
	.rules = &pod_template_rules,
};

const struct type pod_template_strict_type = {
	TYPE("PodTemplateSpec", "v1", struct pod_template_spec, pod_template_spec_fields),
	CORE,
	.rules = &pod_template_strict_rules,
};

#define VIEW struct pod
static const struct field pod_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_ALWAYS},
	{"spec", F_OBJECT(pod_spec), AT(spec), F_ALWAYS},
	{"status", F_OBJECT(pod_status), AT(status), F_ALWAYS},
};
#undef VIEW
const struct type pod_type = {
	TYPE("Pod", "v1", struct pod, pod_fields),
	CORE,
	.fill = pod_default,
	.rules = &pod_object_rules,
};

#define VIEW struct pod_template
static const struct field pod_template_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_ALWAYS},
	{"template", F_OBJECT(pod_template_spec), AT(template), F_ALWAYS},
};
#undef VIEW
const struct type pod_template_type = {
	TYPE("PodTemplate", "v1", struct pod_template, pod_template_fields),
	CORE,
	.rules = &pod_template_kind_rules,
	.update = &pod_template_kind_rules,
};

/* --- questions of views ---------------------------------------------------------------------- */

bool pod_is_ready(const struct pod *pod)
{
	return conditions_has(&pod->status.conditions, STR("Ready"), STR("True"));
}

static const struct container_status *find_in(const struct container_statuses *statuses,
					      struct str name)
{
	for (size_t i = 0; i < statuses->len; i++)
		if (str_eq(statuses->ptr[i].name, name))
			return &statuses->ptr[i];
	return NULL;
}

const struct container_status *pod_find_status(const struct pod *pod, struct str container)
{
	const struct container_status *found = find_in(&pod->status.statuses, container);

	if (!found)
		found = find_in(&pod->status.init_statuses, container);
	return found ? found : find_in(&pod->status.ephemeral_statuses, container);
}

/* --- class of service ------------------------------------------------------------------------ */

enum { QOS_CPU, QOS_MEMORY, QOS_COUNT };

/* The requests of cpu and memory. */
struct qos_sums {
	struct quantity at[QOS_COUNT];
	bool has[QOS_COUNT];
};

/* Adds amounts above 0; returns whether both resources have one. */
static bool qos_add(struct qos_sums *sums, struct json list)
{
	static const char *const names[] = {[QOS_CPU] = "cpu", [QOS_MEMORY] = "memory"};
	bool both = true;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct quantity value;

		if (pod_total_read(json_get(list, names[i]), &value) ||
		    quantity_sign(&value) <= 0) {
			both = false;
			continue;
		}
		if (sums->has[i])
			quantity_add(&sums->at[i], &value);
		else
			sums->at[i] = value;
		sums->has[i] = true;
	}
	return both;
}

static bool qos_is_same(const struct qos_sums *a, const struct qos_sums *b)
{
	for (size_t i = 0; i < QOS_COUNT; i++)
		if (a->has[i] != b->has[i] ||
		    (a->has[i] && quantity_cmp(&a->at[i], &b->at[i]) != 0))
			return false;
	return true;
}

static bool qos_is_empty(const struct qos_sums *sums)
{
	return !sums->has[QOS_CPU] && !sums->has[QOS_MEMORY];
}

enum pod_qos pod_qos_of(struct json pod)
{
	static const char *const lists[] = {"containers", "initContainers"};
	struct json spec = json_get(pod, "spec");
	struct json own = json_get(spec, "resources");
	struct qos_sums requests = {0};
	struct qos_sums limits = {0};
	bool guaranteed = true;

	if (json_is(own, JSON_OBJ)) {
		qos_add(&requests, json_get(own, "requests"));
		if (json_len(json_get(own, "limits")))
			guaranteed = qos_add(&limits, json_get(own, "limits"));
	}
	for (size_t i = 0; !json_is(own, JSON_OBJ) && i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(spec, lists[i]));

		while (json_next(&it)) {
			struct json resources = json_get(it.value, "resources");

			qos_add(&requests, json_get(resources, "requests"));
			guaranteed = qos_add(&limits, json_get(resources, "limits")) && guaranteed;
		}
	}
	if (qos_is_empty(&requests) && qos_is_empty(&limits))
		return POD_QOS_BEST_EFFORT;
	return guaranteed && qos_is_same(&requests, &limits) ? POD_QOS_GUARANTEED
							     : POD_QOS_BURSTABLE;
}

/* --- removal ------------------------------------------------------------------------- */

int64_t pod_grace(struct json pod, int64_t asked)
{
	struct json spec = json_get(pod, "spec");
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));
	int64_t grace =
		asked >= 0 ? asked : json_int(json_get(spec, "terminationGracePeriodSeconds"));

	if (!json_str(json_get(spec, "nodeName")).len || str_is(phase, "Succeeded") ||
	    str_is(phase, "Failed"))
		return 0;
	return grace < 0 ? 1 : grace;
}
