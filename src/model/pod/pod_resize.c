/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_resize.c - changes CPU and memory of an existing pod: its sub-resource "resize".
 *
 * Only the resources of containers are taken from the new pod; of these only CPU and memory may
 * change. Requests and limits cannot be removed, and the QoS class cannot change. */
#include "model/pod/pod.h"
#include "model/pod/pod_prepare.h"
#include "model/pod/pod_rules.h"
#include "model/pod/pod_validate.h"

#include "base/banned.h"

static const char *const lists[] = {"containers", "initContainers"};

static bool is_sidecar(struct json container)
{
	return str_is(rule_text(container, "restartPolicy"), "Always");
}

/* --- preparing ------------------------------------------------------------------------------- */

static void take(struct json_doc *doc, struct json to, struct json from, const char *key)
{
	struct json value = json_get(from, key);

	if (json_is_absent(value))
		json_remove(doc, to, str_from(key));
	else
		json_set(doc, to, str_from(key), json_new_copy(doc, value));
}

static bool are_same_names(struct json containers, struct json old)
{
	struct json_iter it = json_iter(containers);
	struct json_iter before = json_iter(old);

	while (json_next(&it))
		if (!str_eq(rule_text(it.value, "name"),
			    rule_text(json_next_value(&before), "name")))
			return false;
	return true;
}

/* The old containers with the new resources; or the new ones if they do not match, so that the
 * rules report it. */
static struct json merge_containers(struct json_doc *doc, struct json containers, struct json old)
{
	struct json_iter from = json_iter(containers);
	struct json_iter it;
	struct json merged;

	if (!are_same_names(containers, old))
		return json_new_copy(doc, containers);
	merged = json_new_copy(doc, old);
	for (it = json_iter(merged); json_next(&it);) {
		struct json container = json_next_value(&from);

		take(doc, it.value, container, "resources");
		take(doc, it.value, container, "resizePolicy");
	}
	return merged;
}

void pod_prepare_resize(struct json_doc *doc, struct json pod, struct json old)
{
	struct json spec = json_get(pod, "spec");
	struct json before = json_get(old, "spec");
	struct json merged = json_new_copy(doc, before);
	struct json meta = json_new_copy(doc, json_get(old, "metadata"));

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (json_len(json_get(spec, lists[i])) != json_len(json_get(before, lists[i])))
			return;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (json_len(json_get(spec, lists[i])))
			json_set(doc, merged, str_from(lists[i]),
				 merge_containers(doc, json_get(spec, lists[i]),
						  json_get(before, lists[i])));
	take(doc, meta, json_get(pod, "metadata"), "resourceVersion");
	json_set(doc, pod, STR("spec"), merged);
	json_set(doc, pod, STR("metadata"), meta);
}

/* --- rules ----------------------------------------------------------------------------------- */

static bool has_own_resources(struct json pod)
{
	struct json resources = json_get(json_get(pod, "spec"), "resources");

	return json_len(json_get(resources, "requests")) + json_len(json_get(resources, "limits"));
}

/* Why this pod cannot be resized at all, or NULL. */
static const char *find_obstacle(struct json pod, struct json old)
{
	struct json annotations = json_get(json_get(old, "metadata"), "annotations");

	if (has_own_resources(old) || has_own_resources(pod))
		return "pods with pod-level resources cannot be resized";
	if (!json_is_absent(json_get(annotations, "kubernetes.io/config.mirror")))
		return "static pods cannot be resized";
	if (str_is(rule_text(json_get(json_get(old, "spec"), "os"), "name"), "windows"))
		return "windows pods cannot be resized";
	return NULL;
}

/* A node that supports resizing reports the resources of its running containers. */
static bool is_supported(struct json pod)
{
	struct json_iter it = json_iter(json_get(json_get(pod, "status"), "containerStatuses"));

	while (json_next(&it))
		if (rule_has(json_get(it.value, "state"), "running"))
			return rule_has(it.value, "resources");
	return true;
}

static void check_order(struct json spec, struct json old, const char *key, const struct path *up,
			struct causes *causes)
{
	struct json containers = json_get(spec, key);
	struct json before = json_get(old, key);
	struct path path = path_member(up, str_from(key));

	if (json_len(containers) != json_len(before)) {
		causes_add(causes, CAUSE_FORBIDDEN, &path,
			   "Forbidden: %s may not be added or removed on resize", key);
		return;
	}
	for (struct json_iter it = json_iter(containers), was = json_iter(before);
	     json_next(&it);) {
		struct path at = path_index(&path, it.index);
		PATH(name, &at, "name");

		if (!str_eq(rule_text(it.value, "name"), rule_text(json_next_value(&was), "name")))
			causes_add(causes, CAUSE_FORBIDDEN, &name,
				   "Forbidden: %s may not be renamed or reordered on resize", key);
	}
}

static void check_removed(struct json resources, struct json old, const char *key,
			  const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(json_get(old, key));
	struct path at = path_member(path, str_from(key));
	bool removed = json_len(json_get(old, key)) > json_len(json_get(resources, key));

	while (json_next(&it))
		removed = removed || json_is_absent(json_get_str(json_get(resources, key), it.key));
	if (removed)
		causes_add(causes, CAUSE_FORBIDDEN, &at, "Forbidden: resource %s cannot be removed",
			   key);
}

static void check_all_removed(struct json spec, struct json old, const char *key,
			      const struct path *up, struct causes *causes)
{
	struct path path = path_member(up, str_from(key));
	struct json_iter it = json_iter(json_get(old, key));
	struct json_iter new = json_iter(json_get(spec, key));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		PATH(resources, &at, "resources");
		struct json now = json_get(json_next_value(&new), "resources");
		struct json before = json_get(it.value, "resources");

		if (str_is(str_from(key), "initContainers") && !is_sidecar(it.value))
			continue;
		check_removed(now, before, "requests", &resources, causes);
		check_removed(now, before, "limits", &resources, causes);
	}
}

static bool is_resizable(struct str name)
{
	return str_is(name, "cpu") || str_is(name, "memory");
}

/* Are they the same except for CPU and memory? A newly added amount counts as a difference. */
static bool are_amounts_kept(struct json list, struct json old)
{
	struct json_iter it = json_iter(list);

	if (!json_is(old, JSON_OBJ))
		return true;
	while (json_next(&it))
		if (!is_resizable(it.key) && !json_eq(it.value, json_get_str(old, it.key)))
			return false;
	for (it = json_iter(old); json_next(&it);)
		if (!is_resizable(it.key) && json_is_absent(json_get_str(list, it.key)))
			return false;
	return true;
}

static bool is_kept(struct json container, struct json old)
{
	struct json now = json_get(container, "resources");
	struct json before = json_get(old, "resources");
	struct json_iter it = json_iter(container);

	while (json_next(&it))
		if (!str_is(it.key, "resources") && !json_eq(it.value, json_get_str(old, it.key)))
			return false;
	return json_len(container) == json_len(old) && !json_len(json_get(before, "claims")) &&
	       are_amounts_kept(json_get(now, "requests"), json_get(before, "requests")) &&
	       are_amounts_kept(json_get(now, "limits"), json_get(before, "limits"));
}

static void check_kept(struct json spec, struct json old, const struct path *path,
		       struct causes *causes)
{
	struct json_iter it = json_iter(json_get(spec, "containers"));
	struct json_iter was = json_iter(json_get(old, "containers"));

	while (json_next(&it))
		if (!is_kept(it.value, json_next_value(&was)))
			causes_forbidden(causes, path, "only cpu and memory resources are mutable");
	was = json_iter(json_get(old, "initContainers"));
	for (it = json_iter(json_get(spec, "initContainers")); json_next(&it);) {
		struct json before = json_next_value(&was);

		if (is_sidecar(it.value) && !is_kept(it.value, before))
			causes_forbidden(
				causes, path,
				"only cpu and memory resources for sidecar containers are mutable");
		else if (!is_sidecar(it.value) && !json_eq(it.value, before))
			causes_forbidden(causes, path,
					 "resources for non-sidecar init containers are immutable");
	}
}

void pod_validate_resize(struct json pod, struct json old, struct causes *causes)
{
	struct json spec = json_get(pod, "spec");
	struct json before = json_get(old, "spec");
	const char *obstacle = find_obstacle(pod, old);
	struct str class = rule_text(json_get(old, "status"), "qosClass");
	PATH(path, NULL, "spec");
	size_t known;

	if (obstacle) {
		causes_forbidden(causes, NULL, obstacle);
		return;
	}
	if (class.len ? !str_is(class, pod_qos_name(pod_qos_of(pod)))
		      : pod_qos_of(old) != pod_qos_of(pod))
		causes_invalid_str(causes, &path, rule_text(json_get(pod, "status"), "qosClass"),
				   "Pod QOS Class may not change as a result of resizing");
	if (!is_supported(old))
		causes_forbidden(causes, &path, "Pod running on node without support for resize");
	known = causes->len;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		check_order(spec, before, lists[i], &path, causes);
	if (causes->len != known)
		return;
	for (size_t i = ARRAY_LEN(lists); i > 0; i--)
		check_all_removed(spec, before, lists[i - 1], &path, causes);
	check_kept(spec, before, &path, causes);
}
