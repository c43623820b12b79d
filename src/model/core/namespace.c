/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/namespace.c - namespaces: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/core/namespace.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct namespace_spec
static const struct field namespace_spec_fields[] = {
	{"finalizers", F_LIST(F_STR, F_GO("v1.FinalizerName")), AT(finalizers), F_LIST_ATOMIC},
};
#undef VIEW
const struct type namespace_spec_type = {
	TYPE("NamespaceSpec", "v1", struct namespace_spec, namespace_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field namespace_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.NamespaceConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type namespace_condition_type = {
	TYPE_KNOWN("NamespaceCondition", "v1", namespace_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static void fill_namespace_status(struct json_doc *doc, struct json status)
{
	if (rules_is_empty(json_get(status, "phase")))
		json_set_str(doc, status, "phase", STR("Active"));
}

#define VIEW struct namespace_status
static const struct field namespace_status_fields[] = {
	{"phase", F_STR, AT(phase), F_GO("v1.NamespacePhase")},
	{"conditions", F_LIST(F_OBJECT(namespace_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
#undef VIEW
const struct type namespace_status_type = {
	TYPE("NamespaceStatus", "v1", struct namespace_status, namespace_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_namespace_status,
};

/* Every namespace has its name as a label. */
static void fill_namespace(struct json_doc *doc, struct json namespace)
{
	struct json meta = json_ensure_obj(doc, namespace, "metadata");
	struct str name = json_str(json_get(meta, "name"));

	if (name.len)
		json_set_str(doc, json_ensure_obj(doc, meta, "labels"),
			     "kubernetes.io/metadata.name", name);
}

#define VIEW struct namespace
static const struct field namespace_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(namespace_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(namespace_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type namespace_type = {
	TYPE("Namespace", "v1", struct namespace, namespace_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
	.fill = fill_namespace,
};

void namespace_prepare_create(struct json_doc *doc, struct json namespace)
{
	struct json spec = json_ensure_obj(doc, namespace, "spec");
	struct json finalizers = json_ensure_arr(doc, spec, "finalizers");
	struct json status = json_new_obj(doc);

	if (!rules_has(finalizers, STR("kubernetes")))
		json_append(doc, finalizers, json_new_str(doc, STR("kubernetes")));
	json_set_str(doc, status, "phase", STR("Active"));
	json_set(doc, namespace, STR("status"), status);
}

static void validate_finalizer(struct str name, const struct path *path, struct causes *causes)
{
	name_validate(NAME_QUALIFIED, name, path, causes);
	if (str_find_byte(name, '/', 0) < 0 && !str_is(name, "kubernetes") &&
	    !str_is(name, "orphan") && !str_is(name, "foregroundDeletion"))
		causes_invalid_str(causes, path, name,
				   "name is neither a standard finalizer name nor is it fully "
				   "qualified");
}

/* At creation the elements are told of by the list. */
static void validate_finalizers(struct json namespace, bool by_index, struct causes *causes)
{
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("finalizers"));
	struct json_iter it = json_iter(json_get(json_get(namespace, "spec"), "finalizers"));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		validate_finalizer(json_str(it.value), by_index ? &at : &path, causes);
	}
}

void namespace_validate_create(struct json namespace, struct causes *causes)
{
	validate_finalizers(namespace, false, causes);
}

void namespace_validate_update(struct json namespace, struct json old, struct causes *causes)
{
	(void)old;
	rules_meta(namespace, NAME_DNS_LABEL, false, causes);
	validate_finalizers(namespace, false, causes);
}

void namespace_validate_status(struct json namespace, struct json old, struct causes *causes)
{
	struct json phase = json_get(json_get(namespace, "status"), "phase");
	bool going =
		json_is(json_get(json_get(namespace, "metadata"), "deletionTimestamp"), JSON_STR);
	struct path status = path_member(NULL, STR("status"));
	struct path path = path_member(&status, STR("Phase"));

	(void)old;
	if (!going && !str_is(json_str(phase), "Active"))
		causes_invalid(causes, &path, phase,
			       "may only be 'Active' if `deletionTimestamp` is empty");
	if (going && !str_is(json_str(phase), "Terminating"))
		causes_invalid(causes, &path, phase,
			       "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

void namespace_validate_finalize(struct json namespace, struct json old, struct causes *causes)
{
	(void)old;
	validate_finalizers(namespace, true, causes);
}
