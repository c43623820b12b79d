/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_priority.c - Priority: a pod gets its priority and whether it preempts from its
 * class, or from the class that is the default of the cluster; there is at most one such class, and
 * system classes cannot be deleted. */
#include <inttypes.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "model/group/priorityclass.h"

#include "base/banned.h"

#define PREEMPTS "PreemptLowerPriority"

static const struct kind *classes(const struct call *call)
{
	return kinds_find(api_kinds(call->api), STR("scheduling.k8s.io"), STR("v1"),
			  STR("priorityclasses"));
}

/* The default of the cluster; the lowest, should there be several. One reference is the caller's. */
static struct json_doc *find_default(struct call *call)
{
	struct store *store = api_store(call->api);
	struct str prefix = classes(call)->prefix;
	struct store_newest_walk walk = store_newest_walk(store, prefix);
	struct object *newest;
	AUTO(json_doc_unref) struct json_doc *found = NULL;

	while ((newest = store_newest_next(&walk))) {
		static const char word[] = "\"globalDefault\":true";
		struct err err;
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (!memmem(newest->text.ptr, newest->text.len, word, sizeof(word) - 1))
			continue;
		doc = json_parse(newest->text, NULL, &err);
		if (!json_bool(json_get(json_doc_root(doc), "globalDefault")) ||
		    (found && json_int(json_get(json_doc_root(found), "value")) <=
				      json_int(json_get(json_doc_root(doc), "value"))))
			continue;
		json_doc_unref(found);
		found = TAKE(doc);
	}
	return TAKE(found);
}

/* What a pod says itself must be what its class says. */
static int set_value(const struct admission *admission, struct json spec, int64_t value,
		     struct err *err)
{
	struct json given = json_get(spec, "priority");

	if (json_is_i64(given) && json_int(given) != value)
		return admit_forbidden(admission, err,
				       "the integer value of priority (%" PRId64
				       ") must not be provided in pod spec; priority admission "
				       "controller computed %" PRId64
				       " from the given PriorityClass name",
				       json_int(given), value);
	json_set_int(admission->doc, spec, "priority", value);
	return 0;
}

static int set_policy(const struct admission *admission, struct json spec, struct str policy,
		      struct err *err)
{
	struct json given = json_get(spec, "preemptionPolicy");

	if (!policy.len)
		return 0;
	if (json_is(given, JSON_STR) && !str_eq(json_str(given), policy))
		return admit_forbidden(admission, err,
				       "the string value of PreemptionPolicy (%.*s) must not be "
				       "provided in pod spec; priority admission controller "
				       "computed %.*s from the given PriorityClass name",
				       STR_ARG(json_str(given)), STR_ARG(policy));
	json_set_str(admission->doc, spec, "preemptionPolicy", policy);
	return 0;
}

/* An update that leaves them away means those that are there. */
static void keep_priority(const struct admission *admission, struct json spec)
{
	static const char *const kept[] = {"priority", "preemptionPolicy"};
	struct json old = json_get(admission->old, "spec");

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (json_is_absent(json_get(spec, kept[i])) &&
		    !json_is_absent(json_get(old, kept[i])))
			json_set(admission->doc, spec, str_from(kept[i]),
				 json_new_copy(admission->doc, json_get(old, kept[i])));
}

static int admit_priority(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	struct json spec = json_get(admission->object, "spec");
	struct str name = json_str(json_get(spec, "priorityClassName"));
	AUTO(json_doc_unref) struct json_doc *class = NULL;
	struct json root;

	if (!json_is(spec, JSON_OBJ))
		return 0; /* validation reports it */
	if (!json_is_absent(admission->old)) {
		keep_priority(admission, spec);
		return 0;
	}
	class = name.len ? api_read_newest(call->api, classes(call), str_none(), name)
			 : find_default(call);
	if (name.len && !class)
		return admit_forbidden(admission, err, "no PriorityClass with name %.*s was found",
				       STR_ARG(name));
	root = class ? json_doc_root(class) : JSON_NONE;
	if (class && !name.len)
		json_set_str(admission->doc, spec, "priorityClassName",
			     json_str(json_get(json_get(root, "metadata"), "name")));
	if (set_value(admission, spec, json_int(json_get(root, "value")), err) < 0)
		return -1;
	return set_policy(admission, spec,
			  class ? json_str(json_get(root, "preemptionPolicy")) : STR(PREEMPTS),
			  err);
}

static int admit_priority_class(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	AUTO(json_doc_unref) struct json_doc *other = NULL;
	struct str name;

	if (!json_bool(json_get(admission->object, "globalDefault")))
		return 0;
	other = find_default(call);
	name = other ? json_str(json_get(json_get(json_doc_root(other), "metadata"), "name"))
		     : str_none();
	if (!other || (!json_is_absent(admission->old) && str_eq(name, call->name)))
		return 0;
	return admit_forbidden(
		admission, err,
		"PriorityClass %.*s is already marked as default. Only one default can exist",
		STR_ARG(name));
}

static int admit_priority_class_removal(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;

	for (const struct priority_system_class *class = priority_system_classes; class->name.len;
	     class ++)
		if (str_eq(class->name, call->name))
			return call_err_forbidden(
				call, call->name,
				"this is a system priority class and cannot be deleted", err);
	return 0;
}

const struct admitter admitter_priority = {
	ADMIT_PODS("Priority"), .verbs = ADMIT_CREATE | ADMIT_UPDATE, .change = admit_priority};

const struct admitter admitter_priority_class = {ADMIT_CLASSES("Priority"),
						 .verbs = ADMIT_CREATE | ADMIT_UPDATE,
						 .check = admit_priority_class};

const struct admitter admitter_priority_class_removal = {
	ADMIT_CLASSES("Priority"), .verbs = ADMIT_DELETE, .check = admit_priority_class_removal};
