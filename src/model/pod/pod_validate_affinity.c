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

/* --- nodes ----------------------------------------------------------------------------------- */

static void check_preference(const struct rule_at *at)
{
	node_selector_term_validate(at->value, true, at->path, at->causes);
}

#define R_WEIGHT R_ALWAYS, R_RANGE(1, WEIGHT_MAX), R_RANGE_AS("must be in the range 1-100")

static const struct rule preferred_node_rows[] = {
	{"weight", R_WEIGHT},
	{"preference", R_CHECK(check_preference)},
};
static const struct rule node_rows[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", R_TYPE(node_selector)},
	{"preferredDuringSchedulingIgnoredDuringExecution", R_EACH(R_OBJECT(preferred_node_rows))},
};

/* --- pods ------------------------------------------------------------------------------------ */

/* The place of a text in a list, or -1. */
static ptrdiff_t index_of(struct json list, struct str text)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(json_str(it.value), text))
			return (ptrdiff_t)it.index;
	return -1;
}

static bool lacks_selector(const struct rule_at *at)
{
	return !rule_has(at->value, "labelSelector");
}

static bool has_selector(const struct rule_at *at)
{
	return !lacks_selector(at);
}

/* The server has already added the keys to the selector: a duplicate means that the user had added them
 * too. Upstream reports them as elements of the object. */
static void check_selector_keys(const struct rule_at *at)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json keys = json_get(at->value, "matchLabelKeys");
	struct json selector = json_get(at->value, "labelSelector");
	struct json_iter it = json_iter(json_get(selector, "matchLabels"));

	if (!json_len(keys))
		return;
	while (json_next(&it))
		name_set_add(&seen, it.key);
	it = json_iter(json_get(selector, "matchExpressions"));
	while (json_next(&it)) {
		struct str key = rule_text(it.value, "key");
		ptrdiff_t index = index_of(keys, key);
		struct path path = path_index(at->path, index < 0 ? 0 : (size_t)index);

		if (!name_set_add(&seen, key) && index >= 0)
			causes_invalid_str(at->causes, &path, key,
					   "exists in both matchLabelKeys and labelSelector");
	}
}

static void check_mismatch(const struct rule_at *at)
{
	struct json mismatch = json_get(at->up->up->value, "mismatchLabelKeys");

	if (index_of(mismatch, json_str(at->value)) >= 0)
		rule_invalid(at, NULL, "exists in both matchLabelKeys and mismatchLabelKeys");
}

#define NO_SELECTOR "must not be specified when labelSelector is not set"

static const struct rule match_key_rows[] = {
	{"matchLabelKeys", R_WHEN(lacks_selector), R_FILLED, R_FORBIDDEN(NO_SELECTOR)},
	{"matchLabelKeys", R_WHEN(has_selector), R_EACH(R_FORMAT(QUALIFIED))},
	{"mismatchLabelKeys", R_WHEN(lacks_selector), R_FILLED, R_FORBIDDEN(NO_SELECTOR)},
	{"mismatchLabelKeys", R_WHEN(has_selector), R_EACH(R_FORMAT(QUALIFIED))},
	{R_CHECK(check_selector_keys)},
	{"matchLabelKeys", R_EACH(R_CHECK(check_mismatch))},
};
static const struct rule term_rows[] = {
	{"labelSelector", R_TYPE(label_selector)},
	{"namespaceSelector", R_TYPE(label_selector)},
	{"namespaces", R_AS("namespace"), R_FLAT, R_EACH(R_FORMAT(DNS_LABEL))},
	{R_OBJECT(match_key_rows)},
	{"topologyKey", R_REQUIRED_AS("can not be empty"), R_ALWAYS, R_FORMAT(QUALIFIED)},
};
static const struct rule preferred_pod_rows[] = {
	{"weight", R_WEIGHT},
	{"podAffinityTerm", R_ALWAYS, R_OBJECT(term_rows)},
};
static const struct rule pod_rows[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", R_EACH(R_OBJECT(term_rows))},
	{"preferredDuringSchedulingIgnoredDuringExecution", R_EACH(R_OBJECT(preferred_pod_rows))},
};

static const struct rule affinity_rows[] = {
	{"nodeAffinity", R_OBJECT(node_rows)},
	{"podAffinity", R_OBJECT(pod_rows)},
	{"podAntiAffinity", R_OBJECT(pod_rows)},
};
const struct rules pod_affinity_rules = RULES_OF(affinity_rows);

/* --- spreading ------------------------------------------------------------------------------- */

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

/* Is there a later constraint of the same key and action? `context` counts them. */
static void check_repeated(const struct rule_at *at)
{
	const struct spread_counts *counts = at->context;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t *left;

	print_spread(at->value, &text);
	left = map_get(counts->left, buf_str(&text));
	if (left && --*left > 0)
		rule_duplicate_str(at, "{topologyKey, whenUnsatisfiable}", buf_str(&text));
}

static void check_min_domains(const struct rule_at *at)
{
	struct str action = rule_beside(at, "whenUnsatisfiable");

	if (!str_is(action, "DoNotSchedule"))
		rule_invalid(at, NULL,
			     "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not %.*s",
			     STR_ARG(action));
}

#define R_POSITIVE R_MIN(1), R_RANGE_AS("must be greater than zero")

static const struct rule constraint_rows[] = {
	{"maxSkew", R_ALWAYS, R_POSITIVE},
	{"topologyKey", R_REQUIRED_AS("can not be empty")},
	{"whenUnsatisfiable", R_ALWAYS, R_TEXTS("DoNotSchedule", "ScheduleAnyway")},
	{R_CHECK(check_repeated)},
	{"minDomains", R_POSITIVE, R_CHECK(check_min_domains)},
	{"nodeAffinityPolicy", R_TEXTS("Honor", "Ignore")},
	{"nodeTaintsPolicy", R_TEXTS("Honor", "Ignore")},
	{R_OBJECT(match_key_rows)},
	{"labelSelector", R_TYPE(label_selector)},
};
static const struct rule spread_rows[] = {
	{R_EACH(R_OBJECT(constraint_rows))},
};

void pod_check_spread(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(spread_rows);
	AUTO(spread_counts_done) struct spread_counts counts = count_spread(at->value);
	struct rule_at list = *at;

	list.context = &counts;
	rules_check(&rules, &list);
}
