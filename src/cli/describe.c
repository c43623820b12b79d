/* SPDX-License-Identifier: Apache-2.0 */
/* cli/describe.c - see describe.h. Scripts compare such texts, so they have to be the same whatever has
 * written the object: what is printed is data about the types, in tables. Pods inside of templates keep
 * the order in which they were written. */
#include "cli/describe.h"

#include "base/macro.h"

#include "base/banned.h"

static const char *const object_order[] = {"kind", "apiVersion", "metadata",
					   "spec", "status",     NULL};
static const char *const metadata_order[] = {
	"name",
	"generateName",
	"namespace",
	"selfLink",
	"uid",
	"resourceVersion",
	"generation",
	"creationTimestamp",
	"deletionTimestamp",
	"labels",
	"annotations",
	"ownerReferences",
	"finalizers",
	NULL,
};
static const char *const flow_spec_order[] = {"flows", "jobRetainPolicy", NULL};
static const char *const flow_order[] = {"name", "dependsOn", "patch", NULL};
static const char *const flow_status_order[] = {
	"pendingJobs", "runningJobs",   "failedJobs", "terminatedJobs", "completedJobs",
	"unKnowJobs",  "jobStatusList", "conditions", "state",          NULL,
};

/* A copy with these keys first, if they are there. Anything but an object is copied. */
static struct json ordered(struct json_doc *doc, struct json object, const char *const *order)
{
	struct json copy;
	struct json_iter it = json_iter(object);

	if (!json_is(object, JSON_OBJ))
		return json_new_copy(doc, object);
	copy = json_new_obj(doc);
	for (; *order; order++) {
		struct json value = json_get(object, *order);

		if (!json_is_absent(value))
			json_set(doc, copy, str_from(*order), json_new_copy(doc, value));
	}
	while (json_next(&it))
		if (json_is_absent(json_get_str(copy, it.key)))
			json_set(doc, copy, it.key, json_new_copy(doc, it.value));
	return copy;
}

static void order_at(struct json_doc *doc, struct json object, const char *key,
		     const char *const *order)
{
	struct json value = json_get(object, key);

	if (!json_is_absent(value))
		json_set(doc, object, str_from(key), ordered(doc, value, order));
}

/* --- what is never left out --- */

static void fill_containers(struct json_doc *doc, struct json list)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (json_is(it.value, JSON_OBJ))
			(void)json_ensure_obj(doc, it.value, "resources");
}

static void shape_template(struct json_doc *doc, struct json root)
{
	struct json_iter it = json_iter(json_get(json_ensure_obj(doc, root, "spec"), "tasks"));

	(void)json_ensure_obj(doc, root, "status");
	while (json_next(&it)) {
		struct json pod;

		if (!json_is(it.value, JSON_OBJ))
			continue;
		pod = json_ensure_obj(doc, it.value, "template");
		(void)json_ensure_obj(doc, pod, "metadata");
		pod = json_ensure_obj(doc, pod, "spec");
		fill_containers(doc, json_get(pod, "initContainers"));
		fill_containers(doc, json_get(pod, "containers"));
	}
}

static void shape_flow(struct json_doc *doc, struct json root)
{
	struct json spec = json_ensure_obj(doc, root, "spec");
	struct json flows = json_get(spec, "flows");
	struct json_iter it = json_iter(flows);

	(void)json_ensure_obj(doc, json_ensure_obj(doc, root, "status"), "state");
	if (json_is(flows, JSON_ARR)) {
		struct json list = json_new_arr(doc);

		while (json_next(&it))
			json_append(doc, list, ordered(doc, it.value, flow_order));
		json_set(doc, spec, STR("flows"), list);
	}
	order_at(doc, root, "spec", flow_spec_order);
	order_at(doc, root, "status", flow_status_order);
}

struct json_doc *describe_shape(enum resource_id id, struct json object)
{
	struct json_doc *doc = json_doc_thaw(object);
	struct json root = json_doc_root(doc);

	(void)json_remove(doc, json_ensure_obj(doc, root, "metadata"), STR("managedFields"));
	if (id == RESOURCE_JOBFLOWS)
		shape_flow(doc, root);
	else
		shape_template(doc, root);
	order_at(doc, root, "metadata", metadata_order);
	json_doc_set_root(doc, ordered(doc, root, object_order));
	return doc;
}
