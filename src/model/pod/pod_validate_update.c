/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_update.c - what may change in a pod after its creation.
 *
 * Next to nothing: images, an earlier deadline, more tolerations, fewer scheduling gates, and while
 * there are gates a narrower choice of nodes. A copy of the new spec gets the old values of these; any
 * other difference is an error. */
#include "base/buf.h"
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "model/pod/pod_rules.h"
#include "model/pod/pod_validate.h"

#include "base/banned.h"

#define MIRROR "kubernetes.io/config.mirror"
#define APP_ARMOR "container.apparmor.security.beta.kubernetes.io/"

/* --- annotations ----------------------------------------------------------------------------- */

static void check_annotation(struct str key, const char *done, const struct path *path,
			     struct causes *causes)
{
	struct path at = path_key(path, key);

	if (str_starts(key, STR(APP_ARMOR)))
		causes_add(causes, CAUSE_FORBIDDEN, &at,
			   "Forbidden: may not %s AppArmor annotations", done);
	if (str_is(key, MIRROR))
		causes_add(causes, CAUSE_FORBIDDEN, &at,
			   "Forbidden: may not %s mirror pod annotation", done);
}

static void check_annotation_rules(struct json pod, const struct path *path, struct causes *causes)
{
	struct pod_rules r = {.causes = causes, .spec = json_get(pod, "spec"), .is_pod = true};
	struct rule_at at = {.path = path, .causes = causes, .context = &r};

	at.value = json_get(json_get(pod, "metadata"), "annotations");
	rules_check(&pod_annotation_rules, &at);
}

static void check_annotations(struct json pod, struct json old, struct causes *causes)
{
	struct json annotations = json_get(json_get(pod, "metadata"), "annotations");
	struct json before = json_get(json_get(old, "metadata"), "annotations");
	struct json_iter it = json_iter(before);
	PATH(meta, NULL, "metadata");
	PATH(path, &meta, "annotations");

	while (json_next(&it))
		if (!json_eq(json_get_str(annotations, it.key), it.value))
			check_annotation(it.key, "remove or update", &path, causes);
	it = json_iter(annotations);
	while (json_next(&it))
		if (json_is_absent(json_get_str(before, it.key)))
			check_annotation(it.key, "add", &path, causes);
	check_annotation_rules(pod, &path, causes);
}

/* --- single fields --------------------------------------------------------------------------- */

/* Returns whether there is nothing more to compare. */
static bool check_containers(struct json spec, struct json old, const char *key,
			     struct causes *causes)
{
	struct json_iter it = json_iter(json_get(spec, key));
	PATH(spec_path, NULL, "spec");
	struct path path = path_member(&spec_path, str_from(key));

	if (json_len(json_get(spec, key)) != json_len(json_get(old, key))) {
		causes_forbidden(causes, &path, "pod updates may not add or remove containers");
		return true;
	}
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct rule_at rule = rule_start(it.value, &at, causes);

		rule_required(&rule, "image");
		rules_check(&pod_image_rules, &rule);
	}
	return false;
}

static bool check_deadline(struct json spec, struct json old, struct causes *causes)
{
	struct json now = json_get(spec, "activeDeadlineSeconds");
	struct json before = json_get(old, "activeDeadlineSeconds");
	PATH(spec_path, NULL, "spec");
	PATH(path, &spec_path, "activeDeadlineSeconds");
	struct rule_at at = rule_start(spec, &spec_path, causes);
	size_t causes_before = causes->len;

	if (!json_is(now, JSON_INT)) {
		if (json_is(before, JSON_INT))
			causes_add(
				causes, CAUSE_INVALID, &path,
				"Invalid value: null: must not update from a positive integer to "
				"nil value");
		return false;
	}
	rule_range(&at, "activeDeadlineSeconds", 0, INT32_MAX);
	if (causes->len == causes_before && json_is(before, JSON_INT) &&
	    json_int(before) < json_int(now))
		causes_invalid(causes, &path, now, "must be less than or equal to previous value");
	return causes->len != causes_before;
}

static const struct rule toleration_rows[] = {
	{R_EACH(R_TYPE(toleration))},
};
static const struct rules toleration_rules = RULES_OF(toleration_rows);

static bool is_same_toleration(struct json a, struct json b)
{
	static const char *const keys[] = {"key", "operator", "value", "effect"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!str_eq(rule_text(a, keys[i]), rule_text(b, keys[i])))
			return false;
	return true;
}

static bool has_toleration(struct json tolerations, struct json wanted)
{
	struct json_iter it = json_iter(tolerations);

	while (json_next(&it))
		if (is_same_toleration(it.value, wanted))
			return true;
	return false;
}

static void check_tolerations(struct json spec, struct json old, struct causes *causes)
{
	struct json tolerations = json_get(spec, "tolerations");
	struct json_iter it = json_iter(json_get(old, "tolerations"));
	PATH(spec_path, NULL, "spec");
	PATH(path, &spec_path, "tolerations");
	struct rule_at at = rule_start(tolerations, &path, causes);

	while (json_next(&it)) {
		if (has_toleration(tolerations, it.value))
			continue;
		causes_forbidden(causes, &path,
				 "existing toleration can not be modified except its "
				 "tolerationSeconds");
		return;
	}
	rules_check(&toleration_rules, &at);
}

static bool has_gate(struct json gates, struct str name)
{
	struct json_iter it = json_iter(gates);

	while (json_next(&it))
		if (str_eq(rule_text(it.value, "name"), name))
			return true;
	return false;
}

static void check_gates(struct json spec, struct json old, struct causes *causes)
{
	struct json_iter it = json_iter(json_get(spec, "schedulingGates"));
	PATH(spec_path, NULL, "spec");
	PATH(path, &spec_path, "schedulingGates");

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct str name = rule_text(it.value, "name");
		PATH(name_path, &at, "name");

		if (!has_gate(json_get(old, "schedulingGates"), name))
			causes_add(causes, CAUSE_FORBIDDEN, &name_path,
				   "Forbidden: only deletion is allowed, but found new scheduling "
				   "gate '%.*s'",
				   STR_ARG(name));
	}
}

/* --- gated pods ------------------------------------------------------------------------------ */

static void check_selector(struct json selector, struct json old, struct causes *causes)
{
	struct json_iter it = json_iter(old);
	PATH(spec, NULL, "spec");
	PATH(path, &spec, "nodeSelector");

	while (json_next(&it)) {
		if (json_eq(json_get_str(selector, it.key), it.value))
			continue;
		rules_invalid(selector, &path,
			      "only additions to spec.nodeSelector are allowed (no mutations or "
			      "deletions)",
			      causes);
		return;
	}
}

/* Does the list begin with the old one? */
static bool only_adds(struct json list, struct json old)
{
	struct json_iter it = json_iter(old);
	struct json_iter now = json_iter(list);

	while (json_next(&it))
		if (!json_next(&now) || !json_eq(now.value, it.value))
			return false;
	return true;
}

static bool term_only_adds(struct json term, struct json old)
{
	struct json expressions = json_get(old, "matchExpressions");
	struct json fields = json_get(old, "matchFields");

	if (!json_len(expressions) && !json_len(fields))
		return !json_len(json_get(term, "matchExpressions")) &&
		       !json_len(json_get(term, "matchFields"));
	return only_adds(json_get(term, "matchExpressions"), expressions) &&
	       only_adds(json_get(term, "matchFields"), fields);
}

static void check_node_affinity(struct json affinity, struct json old, struct causes *causes)
{
	static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
	struct json terms = json_get(json_get(affinity, required), "nodeSelectorTerms");
	struct json old_terms = json_get(json_get(old, required), "nodeSelectorTerms");
	PATH(spec, NULL, "spec");
	PATH(affinity_path, &spec, "affinity");
	PATH(node, &affinity_path, "nodeAffinity");
	struct path required_path = path_member(&node, str_from(required));
	PATH(path, &required_path, "nodeSelectorTerms");
	struct json_iter olds = json_iter(old_terms);
	struct json_iter now = json_iter(terms);

	if (json_len(old_terms) && json_len(old_terms) != json_len(terms)) {
		rule_invalid_go(&node_selector_term_type, terms, &path, causes,
				"no additions/deletions to non-empty NodeSelectorTerms list are "
				"allowed");
		return;
	}
	while (json_next(&olds) && json_next(&now)) {
		struct path at = path_index(&path, olds.index);

		if (!term_only_adds(now.value, olds.value))
			rule_invalid_go(&node_selector_term_type, now.value, &at, causes,
					"only additions are allowed (no mutations or deletions)");
	}
}

/* --- what is left ---------------------------------------------------------------------------- */

/* Put a member of the old spec into the new one, or take it out. */
static void put_back(struct json_doc *doc, struct json to, struct json from, const char *key)
{
	struct json value = json_get(from, key);

	if (json_is_absent(value))
		json_remove(doc, to, str_from(key));
	else
		json_set(doc, to, str_from(key), json_new_copy(doc, value));
}

static void put_images_back(struct json_doc *doc, struct json spec, struct json old,
			    const char *key)
{
	struct json_iter it = json_iter(json_get(spec, key));
	struct json_iter before = json_iter(json_get(old, key));

	while (json_next(&it))
		put_back(doc, it.value, json_next(&before) ? before.value : JSON_NONE, "image");
}

/* While it is gated, where it may run can be narrowed. */
static void put_nodes_back(struct json_doc *doc, struct json spec, struct json old,
			   struct causes *causes)
{
	struct json affinity = json_get(spec, "affinity");
	struct json node = json_get(affinity, "nodeAffinity");
	struct json old_affinity = json_get(old, "affinity");
	struct json old_node = json_get(old_affinity, "nodeAffinity");

	check_selector(json_get(spec, "nodeSelector"), json_get(old, "nodeSelector"), causes);
	put_back(doc, spec, old, "nodeSelector");
	if (json_eq(node, old_node))
		return;
	check_node_affinity(node, old_node, causes);
	if (json_is_absent(affinity))
		affinity = json_ensure_obj(doc, spec, "affinity");
	put_back(doc, affinity, old_affinity, "nodeAffinity");
	if (json_is_absent(old_affinity) && !json_len(affinity))
		json_remove(doc, spec, STR("affinity"));
}

/* The members that differ, a line each: what was (-) and what is (+). */
static void print_diff(struct json spec, struct json old, struct buf *to)
{
	struct json_iter it = json_iter(old);

	while (json_next(&it)) {
		struct json now = json_get_str(spec, it.key);

		if (json_eq(now, it.value))
			continue;
		buf_printf(to, "\n- %.*s: ", STR_ARG(it.key));
		json_print(it.value, JSON_COMPACT, to);
		if (json_is_absent(now))
			continue;
		buf_printf(to, "\n+ %.*s: ", STR_ARG(it.key));
		json_print(now, JSON_COMPACT, to);
	}
	it = json_iter(spec);
	while (json_next(&it)) {
		if (!json_is_absent(json_get_str(old, it.key)))
			continue;
		buf_printf(to, "\n+ %.*s: ", STR_ARG(it.key));
		json_print(it.value, JSON_COMPACT, to);
	}
	buf_putc(to, '\n');
}

static void check_rest(struct json spec, struct json old, struct causes *causes)
{
	static const char *const free_members[] = {
		"activeDeadlineSeconds",
		"schedulingGates",
		"tolerations",
	};
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(spec);
	AUTO(buf_done) struct buf diff = BUF_UNBOUNDED;
	struct json munged = json_doc_root(doc);
	PATH(path, NULL, "spec");

	put_images_back(doc, munged, old, "containers");
	put_images_back(doc, munged, old, "initContainers");
	for (size_t i = 0; i < ARRAY_LEN(free_members); i++)
		put_back(doc, munged, old, free_members[i]);
	if (json_int(json_get(old, "terminationGracePeriodSeconds")) < 0 &&
	    json_int(json_get(munged, "terminationGracePeriodSeconds")) == 1)
		put_back(doc, munged, old, "terminationGracePeriodSeconds");
	if (json_len(json_get(old, "schedulingGates")))
		put_nodes_back(doc, munged, old, causes);
	if (json_eq(munged, old))
		return;
	print_diff(munged, old, &diff);
	causes_add(causes, CAUSE_FORBIDDEN, &path,
		   "Forbidden: pod updates may not change fields other than "
		   "`spec.containers[*].image`,`spec.initContainers[*].image`,"
		   "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
		   "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if "
		   "it was previously negative)%s",
		   buf_text(&diff));
}

void pod_validate_update(struct json pod, struct json old, struct causes *causes)
{
	struct json spec = json_get(pod, "spec");
	struct json old_spec = json_get(old, "spec");

	check_annotations(pod, old, causes);
	if (check_containers(spec, old_spec, "containers", causes) ||
	    check_containers(spec, old_spec, "initContainers", causes) ||
	    check_deadline(spec, old_spec, causes))
		return;
	check_tolerations(spec, old_spec, causes);
	check_gates(spec, old_spec, causes);
	if (!json_eq(spec, old_spec))
		check_rest(spec, old_spec, causes);
}

/* --- ephemeral containers -------------------------------------------------------------------- */

static struct json find_container(struct json containers, struct str name)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it))
		if (str_eq(rule_text(it.value, "name"), name))
			return it.value;
	return JSON_NONE;
}

void pod_validate_ephemeral(struct json pod, struct json old, struct causes *causes)
{
	struct json containers = json_get(json_get(pod, "spec"), "ephemeralContainers");
	struct json_iter it = json_iter(json_get(json_get(old, "spec"), "ephemeralContainers"));
	struct path nowhere = path_member(NULL, STR(""));
	PATH(spec, NULL, "spec");
	PATH(path, &spec, "ephemeralContainers");

	check_annotations(pod, old, causes);
	if (rule_has(json_get(json_get(old, "metadata"), "annotations"), MIRROR)) {
		causes_forbidden(causes, &nowhere,
				 "static pods do not support ephemeral containers");
		return;
	}
	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
		struct json now = find_container(containers, rule_text(it.value, "name"));

		causes_quote(&quoted, rule_text(it.value, "name"));
		buf_printf(&text, "existing ephemeral containers %s may not be %s",
			   buf_text(&quoted), json_is_absent(now) ? "removed\n" : "changed");
		if (!json_is_absent(now))
			print_diff(now, it.value, &text);
		if (!json_eq(now, it.value))
			causes_forbidden(causes, &path, buf_text(&text));
	}
}
