/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_runtime.c - RuntimeClass: a pod that names a class gets the overhead of the class, and
 * runs only on nodes with the class (node selector, tolerations). */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"

#include "base/banned.h"

/* The class of the pod, or NULL if it names none. One reference is the caller's. */
static int find_class(const struct admission *admission, struct json_doc **ret, struct err *err)
{
	struct call *call = admission->call;
	const struct kind *kind = kinds_find(api_kinds(call->api), STR("node.k8s.io"), STR("v1"),
					     STR("runtimeclasses"));
	struct json name = json_get(json_get(admission->object, "spec"), "runtimeClassName");

	*ret = NULL;
	if (!json_is(name, JSON_STR) || !kind)
		return 0;
	*ret = api_read_newest(call->api, kind, str_none(), json_str(name));
	if (*ret)
		return 0;
	return admit_forbidden(admission, err, "pod rejected: RuntimeClass \"%.*s\" not found",
			       STR_ARG(json_str(name)));
}

static struct json overhead_of(struct json_doc *class)
{
	return class ? json_get(json_get(json_doc_root(class), "overhead"), "podFixed") : JSON_NONE;
}

static int set_overhead(const struct admission *admission, struct json spec, struct json overhead,
			struct err *err)
{
	struct json given = json_get(spec, "overhead");

	if (json_is_absent(overhead))
		return 0;
	if (json_len(given) && !json_eq(given, overhead))
		return admit_forbidden(admission, err,
				       "pod rejected: Pod's Overhead doesn't match RuntimeClass's "
				       "defined Overhead");
	json_set(admission->doc, spec, STR("overhead"), json_new_copy(admission->doc, overhead));
	return 0;
}

static int set_node_selector(const struct admission *admission, struct json spec,
			     struct json selector, struct err *err)
{
	struct json_iter it = json_iter(selector);

	while (json_next(&it)) {
		struct json given = json_get_str(json_get(spec, "nodeSelector"), it.key);

		if (json_is(given, JSON_STR) && !str_eq(json_str(given), json_str(it.value)))
			return admit_forbidden(
				admission, err,
				"conflict: runtimeClass.scheduling.nodeSelector[%.*s] = %.*s; "
				"pod.spec.nodeSelector[%.*s] = %.*s",
				STR_ARG(it.key), STR_ARG(json_str(it.value)), STR_ARG(it.key),
				STR_ARG(json_str(given)));
		json_set(admission->doc, json_ensure_obj(admission->doc, spec, "nodeSelector"),
			 it.key, json_new_copy(admission->doc, it.value));
	}
	return 0;
}

static bool has_toleration(struct json tolerations, struct json one)
{
	struct json_iter it = json_iter(tolerations);

	while (json_next(&it))
		if (json_eq(it.value, one))
			return true;
	return false;
}

static int admit_runtime(const struct admission *admission, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *class = NULL;
	struct json spec = json_get(admission->object, "spec");
	struct json scheduling;

	if (find_class(admission, &class, err) < 0)
		return -1;
	if (!class)
		return 0;
	scheduling = json_get(json_doc_root(class), "scheduling");
	if (set_overhead(admission, spec, overhead_of(class), err) < 0 ||
	    set_node_selector(admission, spec, json_get(scheduling, "nodeSelector"), err) < 0)
		return -1;
	for (struct json_iter it = json_iter(json_get(scheduling, "tolerations")); json_next(&it);)
		if (!has_toleration(json_get(spec, "tolerations"), it.value))
			json_append(admission->doc,
				    json_ensure_arr(admission->doc, spec, "tolerations"),
				    json_new_copy(admission->doc, it.value));
	return 0;
}

static int admit_runtime_check(const struct admission *admission, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *class = NULL;
	struct json given = json_get(json_get(admission->object, "spec"), "overhead");
	struct json overhead;

	if (find_class(admission, &class, err) < 0)
		return -1;
	overhead = overhead_of(class);
	if (json_is_absent(overhead) && !json_is_absent(given))
		return admit_forbidden(admission, err,
				       "pod rejected: Pod Overhead set without corresponding "
				       "RuntimeClass defined Overhead");
	if (!json_is_absent(overhead) && !json_eq(given, overhead))
		return admit_forbidden(admission, err,
				       "pod rejected: Pod's Overhead doesn't match RuntimeClass's "
				       "defined Overhead");
	return 0;
}

const struct admitter admitter_runtime = {ADMIT_PODS("RuntimeClass"), .verbs = ADMIT_CREATE,
					  .change = admit_runtime, .check = admit_runtime_check};
