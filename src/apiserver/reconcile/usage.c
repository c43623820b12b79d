/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/usage.c - what an object uses of what quotas limit.
 *
 * Counts as Kubernetes does, with one difference: a pod that is past its grace period counts until it
 * was deleted, so that the usage of an object depends on the object alone and can be subtracted exactly
 * as it was added. */
#include "apiserver/reconcile/usage.h"

#include <stdlib.h>

#include "apiserver/kind/kind.h"
#include "base/macro.h"
#include "model/pod/pod.h"
#include "model/pod/pod_total.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define CLASS_INFIX ".storageclass.storage.k8s.io/"

void usage_done(struct usage *usage)
{
	vec_done(usage);
}

struct quantity *usage_find(const struct usage *usage, struct str name)
{
	for (size_t i = 0; i < usage->len; i++)
		if (str_eq(usage->ptr[i].name, name))
			return &usage->ptr[i].value;
	return NULL;
}

void usage_add(struct usage *usage, struct str name, const struct quantity *value)
{
	struct quantity *sum = usage_find(usage, name);
	struct amount amount = {name, *value};

	amount.value.text = str_none();
	if (!sum)
		vec_push(usage, amount);
	else
		quantity_add(sum, &amount.value);
	if (sum)
		sum->text = str_none();
}

static void add_count(struct usage *usage, const char *name, int64_t count)
{
	struct quantity value = quantity_make(count, QUANTITY_DECIMAL_SI);

	usage_add(usage, str_from(name), &value);
}

static bool is_core(const struct kind *kind, const char *plural)
{
	return !kind->group.len && str_is(kind->plural, plural);
}

/* --- pods ------------------------------------------------------------------------------------ */

static const char *const computes[] = {"cpu", "memory", "ephemeral-storage"};

static bool is_compute(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(computes); i++)
		if (str_is(name, computes[i]))
			return true;
	return false;
}

static void add_requests(struct usage *usage, struct arena *arena, struct str name,
			 const struct quantity *value)
{
	struct str prefixed = str_from(arena_printf(arena, "requests.%.*s", STR_ARG(name)));

	if (is_compute(name) || rules_is_hugepages(name))
		usage_add(usage, arena_str(arena, name), value);
	if (is_compute(name) || rules_is_hugepages(name) || rules_is_extended_resource(name))
		usage_add(usage, prefixed, value);
}

static void add_limits(struct usage *usage, struct arena *arena, struct str name,
		       const struct quantity *value)
{
	if (is_compute(name))
		usage_add(usage, str_from(arena_printf(arena, "limits.%.*s", STR_ARG(name))),
			  value);
}

static struct pod_amount *find_amount(struct pod_total *total, struct str name)
{
	for (size_t i = 0; i < total->len; i++)
		if (str_eq(total->ptr[i].name, name))
			return &total->ptr[i];
	return NULL;
}

/* What the pod as a whole says takes the place of what its containers say; overhead comes on top, to
 * limits only if there is one. */
static void sum_pod(struct json spec, const char *which, bool limits, struct pod_total *ret)
{
	struct json whole = json_get(json_get(spec, "resources"), which);

	pod_total_sum(spec, which, ret);
	for (struct json_iter it = json_iter(whole); json_next(&it);) {
		struct pod_amount amount = {.name = it.key};
		struct pod_amount *there = find_amount(ret, it.key);

		if (!pod_total_is_known(it.key) || pod_total_read(it.value, &amount.value))
			continue;
		if (there)
			*there = amount;
		else
			vec_push(ret, amount);
	}
	for (struct json_iter it = json_iter(json_get(spec, "overhead")); json_next(&it);) {
		struct pod_amount amount = {.name = it.key};
		struct pod_amount *there = find_amount(ret, it.key);

		if (pod_total_read(it.value, &amount.value))
			continue;
		if (there)
			quantity_add(&there->value, &amount.value);
		else if (!limits)
			vec_push(ret, amount);
	}
}

static void pod_usage(struct json pod, struct arena *arena, struct usage *ret)
{
	struct json spec = json_get(pod, "spec");
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));
	AUTO(pod_total_done) struct pod_total requests = {0};
	AUTO(pod_total_done) struct pod_total limits = {0};

	if (str_is(phase, "Succeeded") || str_is(phase, "Failed"))
		return;
	add_count(ret, "pods", 1);
	sum_pod(spec, "requests", false, &requests);
	sum_pod(spec, "limits", true, &limits);
	for (size_t i = 0; i < requests.len; i++)
		add_requests(ret, arena, requests.ptr[i].name, &requests.ptr[i].value);
	for (size_t i = 0; i < limits.len; i++)
		add_limits(ret, arena, limits.ptr[i].name, &limits.ptr[i].value);
}

/* --- services and claims --------------------------------------------------------------------- */

static void service_usage(struct json service, struct usage *ret)
{
	struct json spec = json_get(service, "spec");
	struct json ports = json_get(spec, "ports");
	struct str type = json_str(json_get(spec, "type"));
	struct json allocates = json_get(spec, "allocateLoadBalancerNodePorts");
	bool balanced = str_is(type, "LoadBalancer");
	int64_t count = 0;

	if (str_is(type, "NodePort") ||
	    (balanced && (!json_is(allocates, JSON_BOOL) || json_bool(allocates)))) {
		count = (int64_t)json_len(ports);
	} else if (balanced) {
		for (struct json_iter it = json_iter(ports); json_next(&it);)
			count += json_int(json_get(it.value, "nodePort")) != 0;
	}
	add_count(ret, "services", 1);
	add_count(ret, "services.nodeports", count);
	add_count(ret, "services.loadbalancers", balanced);
}

static bool claim_size(struct json claim, struct quantity *ret)
{
	struct json resources = json_get(json_get(claim, "spec"), "resources");
	struct json allocated = json_get(json_get(claim, "status"), "allocatedResources");
	struct quantity other;

	if (pod_total_read(json_get(json_get(resources, "requests"), "storage"), ret))
		return false;
	if (!pod_total_read(json_get(allocated, "storage"), &other) &&
	    quantity_cmp(&other, ret) > 0)
		*ret = other;
	(void)quantity_round_up(ret, 0);
	return true;
}

static void claim_usage(struct json claim, struct arena *arena, struct usage *ret)
{
	struct json annotations = json_get(json_get(claim, "metadata"), "annotations");
	struct json annotated = json_get(annotations, "volume.beta.kubernetes.io/storage-class");
	struct json named = json_get(json_get(claim, "spec"), "storageClassName");
	struct str class = json_str(json_is(annotated, JSON_STR) ? annotated : named);
	struct quantity size;
	bool sized = claim_size(claim, &size);

	add_count(ret, "persistentvolumeclaims", 1);
	if (sized)
		usage_add(ret, STR("requests.storage"), &size);
	if (!class.len)
		return;
	add_count(ret,
		  arena_printf(arena, "%.*s" CLASS_INFIX "persistentvolumeclaims", STR_ARG(class)),
		  1);
	if (sized)
		usage_add(ret,
			  str_from(arena_printf(arena, "%.*s" CLASS_INFIX "requests.storage",
						STR_ARG(class))),
			  &size);
}

/* --- every kind ------------------------------------------------------------------------------ */

static const char *const old_names[] = {"configmaps", "resourcequotas", "replicationcontrollers",
					"secrets"};

static const char *old_name(const struct kind *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(old_names); i++)
		if (is_core(kind, old_names[i]))
			return old_names[i];
	return NULL;
}

void usage_of(const struct kind *kind, struct json object, struct arena *arena, struct usage *ret)
{
	const char *old = old_name(kind);

	add_count(ret, arena_printf(arena, "count/%.*s", STR_ARG(kind->resource)), 1);
	if (old)
		add_count(ret, old, 1);
	else if (is_core(kind, "pods"))
		pod_usage(object, arena, ret);
	else if (is_core(kind, "services"))
		service_usage(object, ret);
	else if (is_core(kind, "persistentvolumeclaims"))
		claim_usage(object, arena, ret);
}

static bool is_of_pods(struct str name)
{
	struct str rest;

	if (str_is(name, "pods") || is_compute(name) || rules_is_hugepages(name))
		return true;
	if (str_starts(name, STR("requests.")))
		rest = str_skip(name, strlen("requests."));
	else if (str_starts(name, STR("limits.")))
		rest = str_skip(name, strlen("limits."));
	else
		return false;
	if (is_compute(rest))
		return true;
	return str_starts(name, STR("requests.")) &&
	       (rules_is_hugepages(rest) || rules_is_extended_resource(rest));
}

bool usage_is_of(const struct kind *kind, struct str name)
{
	const char *old = old_name(kind);

	if (str_starts(name, STR("count/")))
		return str_eq(str_skip(name, strlen("count/")), kind->resource);
	if (old)
		return str_is(name, old);
	if (is_core(kind, "pods"))
		return is_of_pods(name);
	if (is_core(kind, "services"))
		return str_is(name, "services") || str_is(name, "services.nodeports") ||
		       str_is(name, "services.loadbalancers");
	if (is_core(kind, "persistentvolumeclaims"))
		return str_is(name, "persistentvolumeclaims") || str_is(name, "requests.storage") ||
		       str_find(name, STR(CLASS_INFIX), 0) >= 0;
	return false;
}

/* --- scopes ---------------------------------------------------------------------------------- */

static bool crosses(struct json terms, bool weighted)
{
	struct json_iter it = json_iter(terms);

	while (json_next(&it)) {
		struct json term = weighted ? json_get(it.value, "podAffinityTerm") : it.value;

		if (json_len(json_get(term, "namespaces")) ||
		    json_is(json_get(term, "namespaceSelector"), JSON_OBJ))
			return true;
	}
	return false;
}

static bool crosses_namespaces(struct json spec)
{
	static const char *const which[] = {"podAffinity", "podAntiAffinity"};

	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		struct json affinity = json_get(json_get(spec, "affinity"), which[i]);

		if (crosses(json_get(affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
			    false) ||
		    crosses(json_get(affinity, "preferredDuringSchedulingIgnoredDuringExecution"),
			    true))
			return true;
	}
	return false;
}

static bool is_class_in_scope(struct json spec, struct str op, struct json values)
{
	struct str class = json_str(json_get(spec, "priorityClassName"));

	if (str_is(op, "In"))
		return class.len && json_has_str(values, class);
	if (str_is(op, "NotIn"))
		return !class.len || !json_has_str(values, class);
	if (str_is(op, "DoesNotExist"))
		return !class.len;
	return class.len > 0;
}

static bool is_pod_in(struct json pod, struct str scope, struct str op, struct json values)
{
	struct json spec = json_get(pod, "spec");
	struct json deadline = json_get(spec, "activeDeadlineSeconds");
	bool terminating = json_is_i64(deadline) && json_int(deadline) >= 0;
	bool best_effort = pod_qos_of(pod) == POD_QOS_BEST_EFFORT;

	if (str_is(scope, "Terminating"))
		return terminating;
	if (str_is(scope, "NotTerminating"))
		return !terminating;
	if (str_is(scope, "BestEffort"))
		return best_effort;
	if (str_is(scope, "NotBestEffort"))
		return !best_effort;
	if (str_is(scope, "PriorityClass"))
		return is_class_in_scope(spec, op, values);
	return str_is(scope, "CrossNamespacePodAffinity") && crosses_namespaces(spec);
}

bool usage_is_in_scope(struct json quota_spec, const struct kind *kind, struct json object)
{
	struct json scopes = json_get(quota_spec, "scopes");
	struct json selector = json_get(json_get(quota_spec, "scopeSelector"), "matchExpressions");

	if (!is_core(kind, "pods"))
		return json_len(scopes) == 0 && json_len(selector) == 0;
	for (struct json_iter it = json_iter(scopes); json_next(&it);)
		if (!is_pod_in(object, json_str(it.value), STR("Exists"), JSON_NONE))
			return false;
	for (struct json_iter it = json_iter(selector); json_next(&it);)
		if (!is_pod_in(object, json_str(json_get(it.value, "scopeName")),
			       json_str(json_get(it.value, "operator")),
			       json_get(it.value, "values")))
			return false;
	return true;
}

/* --- what must be said ----------------------------------------------------------------------- */

/* Does a container say this one? */
static bool says(struct json container, struct str name)
{
	struct json resources = json_get(container, "resources");
	struct str rest = name;
	const char *which = "requests";

	if (str_starts(name, STR("limits."))) {
		which = "limits";
		rest = str_skip(name, strlen("limits."));
	} else if (str_starts(name, STR("requests."))) {
		rest = str_skip(name, strlen("requests."));
	}
	return !json_is_absent(json_get_str(json_get(resources, which), rest));
}

static bool must_be_set(struct str name)
{
	static const char *const names[] = {
		"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* The containers that leave it open, by name; how many. */
static size_t list_open(struct json spec, struct str name, struct buf *to)
{
	static const char *const lists[] = {"containers", "initContainers"};
	VEC(struct str) open = {0};
	size_t count;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (struct json_iter it = json_iter(json_get(spec, lists[i])); json_next(&it);)
			if (!says(it.value, name))
				vec_push(&open, json_str(json_get(it.value, "name")));
	if (open.len)
		qsort(open.ptr, open.len, sizeof(*open.ptr), str_qsort_cmp);
	for (size_t i = 0; i < open.len; i++)
		buf_printf(to, "%s%.*s", i ? "," : "", STR_ARG(open.ptr[i]));
	count = open.len;
	vec_done(&open);
	return count;
}

bool usage_is_open(struct json pod, const struct str *names, size_t count, struct buf *to)
{
	struct json spec = json_get(pod, "spec");
	struct json whole = json_get(spec, "resources");
	size_t told = 0;

	if (json_len(json_get(whole, "requests")) || json_len(json_get(whole, "limits")))
		return false;
	for (size_t i = 0; i < count; i++) {
		AUTO(buf_done) struct buf open = BUF_UNBOUNDED;

		if (must_be_set(names[i]) && list_open(spec, names[i], &open))
			buf_printf(to, "%s%.*s for: %s", told++ ? "; " : "must specify ",
				   STR_ARG(names[i]), buf_text(&open));
	}
	return told > 0;
}
