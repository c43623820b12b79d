/* SPDX-License-Identifier: Apache-2.0 */
/* admission/pods_mutate.c - a new pod of a resource group gets the group's settings: node labels,
 * tolerations, affinity, scheduler.
 *
 * The groups come from a file (groups.c). The first group that matches applies. With the feature
 * SchedulingGatesQueueAdmission a pod that asks for it by an annotation gets the gate that its queue
 * opens, with such a file or without (upstream: only with one). */
#include "admission/groups.h"
#include "admission/hooks.h"

#include "base/banned.h"

#define GATE "scheduling.volcano.sh/queue-allocation-gate"

static bool has_text(const struct strs *list, struct str text)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i], text))
			return true;
	return false;
}

static bool is_member(const struct admission_review *review, const struct resource_group *group)
{
	struct json annotations = json_get(json_get(review->object, "metadata"), "annotations");
	struct json own = json_get(annotations, "volcano.sh/resource-group");

	if (group->match == MATCH_NAMESPACE)
		return has_text(&group->namespaces, review->namespace);
	for (size_t i = 0; i < group->annotations.len; i++) {
		struct json value = json_get_str(annotations, group->annotations.ptr[i].key);

		if (json_is(value, JSON_STR) &&
		    str_eq(json_str(value), group->annotations.ptr[i].value))
			return true;
	}
	return group->match == MATCH_ANNOTATION_OR_NAME && json_is(own, JSON_STR) &&
	       str_eq(json_str(own), group->name);
}

static void add_gate(struct json_doc *doc, struct json spec)
{
	struct json gates = json_ensure_arr(doc, spec, "schedulingGates");
	struct json_iter it = json_iter(gates);
	struct json gate;

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "name")), GATE))
			return;
	gate = json_new_obj(doc);
	json_set_str(doc, gate, "name", STR(GATE));
	json_append(doc, gates, gate);
}

static void place(struct json_doc *doc, struct json spec, const struct resource_group *group)
{
	struct json_iter it = json_iter(group->tolerations);
	struct json list = JSON_NONE;

	if (group->labels.len) {
		list = json_ensure_obj(doc, spec, "nodeSelector");
		for (size_t i = 0; i < group->labels.len; i++)
			json_set(doc, list, group->labels.ptr[i].key,
				 json_new_str(doc, group->labels.ptr[i].value));
	}
	if (!json_is_absent(group->affinity) && !json_is(json_get(spec, "affinity"), JSON_OBJ))
		json_set(doc, spec, STR("affinity"), json_new_copy(doc, group->affinity));
	if (json_len(group->tolerations))
		list = json_ensure_arr(doc, spec, "tolerations");
	while (json_next(&it))
		json_append(doc, list, json_new_copy(doc, it.value));
	if (group->scheduler_name.len)
		json_set_str(doc, spec, "schedulerName", group->scheduler_name);
}

int pods_mutate(const struct admission_case *c)
{
	const struct admission_config *config = &c->admission->config;
	struct json spec = json_get(c->review->object, "spec");

	if (!json_is(spec, JSON_OBJ))
		return 0;
	if (config->queue_gates &&
	    str_is(json_str(hook_annotation(c->review->object, GATE)), "true"))
		add_gate(c->doc, spec);
	for (size_t i = 0; config->groups && i < config->groups->len; i++)
		if (is_member(c->review, &config->groups->ptr[i])) {
			place(c->doc, spec, &config->groups->ptr[i]);
			break;
		}
	return 0;
}
