/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_affinity.c - the rules of where a pod may run: affinity, spreading and
 * tolerations. */
#include "base/arena.h"
#include "base/map.h"
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "model/pod/pod_rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

enum { WEIGHT_MAX = 100 };

static void check_weight(struct pod_rules *r, struct json term, const struct path *path)
{
	int64_t weight = json_int(json_get(term, "weight"));
	PATH(at, path, "weight");

	if (weight <= 0 || weight > WEIGHT_MAX)
		causes_invalid_int(r->causes, &at, weight, "must be in the range 1-100");
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void check_node(struct pod_rules *r, struct json affinity, const struct path *path)
{
	struct json required = json_get(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
	struct json_iter it =
		json_iter(json_get(affinity, "preferredDuringSchedulingIgnoredDuringExecution"));
	PATH(required_path, path, "requiredDuringSchedulingIgnoredDuringExecution");
	PATH(preferred, path, "preferredDuringSchedulingIgnoredDuringExecution");

	if (json_is(required, JSON_OBJ))
		type_validate_at(&node_selector_type, required, &required_path, r->causes);
	while (json_next(&it)) {
		struct path at = path_index(&preferred, it.index);
		PATH(preference, &at, "preference");

		check_weight(r, it.value, &at);
		node_selector_term_validate(json_get(it.value, "preference"), true, &preference,
					    r->causes);
	}
}

/* --- pods ------------------------------------------------------------------------------------ */

static void check_selector(struct pod_rules *r, struct json object, const char *key,
			   const struct path *path)
{
	struct path at = path_member(path, str_from(key));

	if (rule_has(object, key))
		type_validate_at(&label_selector_type, json_get(object, key), &at, r->causes);
}

static void check_label_keys(struct pod_rules *r, struct json object, const char *key,
			     const struct path *path)
{
	struct path list = path_member(path, str_from(key));
	struct json_iter it = json_iter(json_get(object, key));

	if (!json_len(json_get(object, key)))
		return;
	if (!rule_has(object, "labelSelector")) {
		causes_forbidden(r->causes, &list,
				 "must not be specified when labelSelector is not set");
		return;
	}
	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);

		name_validate(NAME_QUALIFIED, json_str(it.value), &at, r->causes);
	}
}

/* The place of a text in a list, or -1. */
static ptrdiff_t index_of(struct json list, struct str text)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(json_str(it.value), text))
			return (ptrdiff_t)it.index;
	return -1;
}

/* The server has put the keys into the selector already: there twice means that the user had too. */
static void check_match_keys(struct pod_rules *r, struct json object, const struct path *path)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json keys = json_get(object, "matchLabelKeys");
	struct json mismatch = json_get(object, "mismatchLabelKeys");
	struct json selector = json_get(object, "labelSelector");
	struct json_iter it = json_iter(json_get(selector, "matchLabels"));
	PATH(keys_path, path, "matchLabelKeys");

	check_label_keys(r, object, "matchLabelKeys", path);
	check_label_keys(r, object, "mismatchLabelKeys", path);
	while (json_next(&it))
		name_set_add(&seen, it.key);
	it = json_iter(json_get(selector, "matchExpressions"));
	while (json_next(&it)) {
		struct str key = rule_text(it.value, "key");
		ptrdiff_t index = index_of(keys, key);
		struct path at = path_index(path, index < 0 ? 0 : (size_t)index);

		if (!name_set_add(&seen, key) && index >= 0)
			causes_invalid_str(r->causes, &at, key,
					   "exists in both matchLabelKeys and labelSelector");
	}
	it = json_iter(keys);
	while (json_next(&it)) {
		struct path at = path_index(&keys_path, it.index);

		if (index_of(mismatch, json_str(it.value)) >= 0)
			causes_invalid_str(r->causes, &at, json_str(it.value),
					   "exists in both matchLabelKeys and mismatchLabelKeys");
	}
}

static void check_term(struct pod_rules *r, struct json term, const struct path *path)
{
	struct str key = rule_text(term, "topologyKey");
	struct json_iter it = json_iter(json_get(term, "namespaces"));
	PATH(namespace, path, "namespace");
	PATH(key_path, path, "topologyKey");

	check_selector(r, term, "labelSelector", path);
	check_selector(r, term, "namespaceSelector", path);
	while (json_next(&it))
		name_validate(NAME_DNS_LABEL, json_str(it.value), &namespace, r->causes);
	check_match_keys(r, term, path);
	if (!key.len)
		causes_required(r->causes, &key_path, "can not be empty");
	name_validate(NAME_QUALIFIED, key, &key_path, r->causes);
}

static void check_pod(struct pod_rules *r, struct json affinity, const struct path *path)
{
	struct json_iter it =
		json_iter(json_get(affinity, "requiredDuringSchedulingIgnoredDuringExecution"));
	PATH(required, path, "requiredDuringSchedulingIgnoredDuringExecution");
	PATH(preferred, path, "preferredDuringSchedulingIgnoredDuringExecution");

	while (json_next(&it)) {
		struct path at = path_index(&required, it.index);

		check_term(r, it.value, &at);
	}
	it = json_iter(json_get(affinity, "preferredDuringSchedulingIgnoredDuringExecution"));
	while (json_next(&it)) {
		struct path at = path_index(&preferred, it.index);
		PATH(term, &at, "podAffinityTerm");

		check_weight(r, it.value, &at);
		check_term(r, json_get(it.value, "podAffinityTerm"), &term);
	}
}

void pod_rules_affinity(struct pod_rules *r, struct json affinity, const struct path *path)
{
	PATH(node, path, "nodeAffinity");
	PATH(pod, path, "podAffinity");
	PATH(anti, path, "podAntiAffinity");

	if (rule_has(affinity, "nodeAffinity"))
		check_node(r, json_get(affinity, "nodeAffinity"), &node);
	if (rule_has(affinity, "podAffinity"))
		check_pod(r, json_get(affinity, "podAffinity"), &pod);
	if (rule_has(affinity, "podAntiAffinity"))
		check_pod(r, json_get(affinity, "podAntiAffinity"), &anti);
}

/* --- spreading ------------------------------------------------------------------------------- */

static void check_positive(struct pod_rules *r, int64_t value, const struct path *path)
{
	if (value <= 0)
		causes_invalid_int(r->causes, path, value, "must be greater than zero");
}

/* Constraints by key and action: how many are still to come. */
struct spread_counts {
	struct arena *arena;
	struct map *left;
};

static void spread_counts_done(struct spread_counts *counts)
{
	map_free(counts->left);
	arena_free(counts->arena);
}
DEFINE_AUTO_IN_PLACE(struct spread_counts, spread_counts_done);

static void print_spread(struct json constraint, struct buf *to)
{
	buf_printf(to, "{%.*s, %.*s}", STR_ARG(rule_text(constraint, "topologyKey")),
		   STR_ARG(rule_text(constraint, "whenUnsatisfiable")));
}

static struct spread_counts count_spread(struct json spread)
{
	struct spread_counts counts = {arena_new(0), map_new(json_len(spread))};
	struct json_iter it = json_iter(spread);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		size_t *left;

		print_spread(it.value, &text);
		left = map_get(counts.left, buf_str(&text));
		if (!left) {
			left = arena_new_of(counts.arena, size_t);
			(void)map_put(counts.left, arena_str(counts.arena, buf_str(&text)), left);
		}
		++*left;
	}
	return counts;
}

/* Is there a later constraint of the same key and action? */
static void check_repeated(struct pod_rules *r, const struct spread_counts *counts,
			   struct json constraint, const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t *left;
	PATH(at, path, "{topologyKey, whenUnsatisfiable}");

	print_spread(constraint, &text);
	left = map_get(counts->left, buf_str(&text));
	if (left && --*left > 0)
		causes_duplicate_str(r->causes, &at, buf_str(&text));
}

static void check_min_domains(struct pod_rules *r, struct json constraint, const struct path *path)
{
	struct json domains = json_get(constraint, "minDomains");
	struct str action = rule_text(constraint, "whenUnsatisfiable");
	PATH(at, path, "minDomains");

	if (!json_is(domains, JSON_INT))
		return;
	check_positive(r, json_int(domains), &at);
	if (!str_is(action, "DoNotSchedule"))
		causes_invalid(r->causes, &at, domains,
			       "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "
			       "%.*s",
			       STR_ARG(action));
}

void pod_rules_spread(struct pod_rules *r, struct json spread, const struct path *path)
{
	const struct rule_texts actions = RULE_TEXTS("DoNotSchedule", "ScheduleAnyway");
	AUTO(spread_counts_done) struct spread_counts counts = count_spread(spread);
	struct json_iter it = json_iter(spread);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct rule_at rule = pod_rule_at(r, it.value, &at);
		struct str action = rule_text(it.value, "whenUnsatisfiable");
		PATH(skew, &at, "maxSkew");
		PATH(key, &at, "topologyKey");
		PATH(action_path, &at, "whenUnsatisfiable");

		check_positive(r, json_int(json_get(it.value, "maxSkew")), &skew);
		if (!rule_text(it.value, "topologyKey").len)
			causes_required(r->causes, &key, "can not be empty");
		if (!rule_texts_have(actions, action))
			causes_not_supported(r->causes, &action_path, action, actions.ptr,
					     actions.len);
		check_repeated(r, &counts, it.value, &at);
		check_min_domains(r, it.value, &at);
		rule_text_of(&rule, "nodeAffinityPolicy", RULE_TEXTS("Honor", "Ignore"));
		rule_text_of(&rule, "nodeTaintsPolicy", RULE_TEXTS("Honor", "Ignore"));
		check_match_keys(r, it.value, &at);
		check_selector(r, it.value, "labelSelector", &at);
	}
}

void pod_rules_tolerations(struct pod_rules *r, struct json tolerations, const struct path *path)
{
	struct json_iter it = json_iter(tolerations);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);

		type_validate_at(&toleration_type, it.value, &at, r->causes);
	}
}
