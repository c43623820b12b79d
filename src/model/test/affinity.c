/* SPDX-License-Identifier: Apache-2.0 */
/* Node affinity, taints and tolerations. */
#include "model/pod/affinity.h"

#include "base/arena.h"
#include "model/core/taints.h"
#include "tap.h"

static struct json_doc *parse(const char *text)
{
	struct err err = {0};
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	if (!doc)
		ok(false, "%s parses: %s", text, err.text);
	return doc;
}

#define REQUIRED(terms) \
	"{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[" terms "]}}"
#define EXPRESSION(key, op, values) \
	"{\"key\":\"" key "\",\"operator\":\"" op "\",\"values\":[" values "]}"

static const struct {
	const char *affinity;
	bool want; /* of node n1 with labels gen=5 zone=a */
} required_rows[] = {
	{"{}", true},
	{REQUIRED(""), false},
	{REQUIRED("{}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "In", "\"a\",\"b\"") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "In", "\"b\"") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "In", "") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "NotIn", "\"b\"") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("none", "NotIn", "\"b\"") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "NotIn", "") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "Exists", "") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "Exists", "\"a\"") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("none", "DoesNotExist", "") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("gen", "Gt", "\"4\"") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("gen", "Gt", "\"5\"") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("gen", "Lt", "\"6\"") "]}"), true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("gen", "Lt", "\"x\"") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("gen", "Like", "\"5\"") "]}"), false},
	{REQUIRED("{\"matchExpressions\":[{\"key\":\"gen\"}]}"), false},
	/* alternatives, and all of one */
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION(
		 "zone", "In", "\"b\"") "]},"
					"{\"matchExpressions\":[" EXPRESSION("gen", "Exists",
									     "") "]}"),
	 true},
	{REQUIRED("{\"matchExpressions\":[" EXPRESSION("zone", "In", "\"b\"") "," EXPRESSION(
		 "gen", "Exists", "") "]}"),
	 false},
	{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "In", "\"n1\"") "]}"), true},
	{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "NotIn", "\"n1\"") "]}"), false},
	{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "NotIn", "\"n2\"") "]}"), true},
	{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "In", "\"n1\",\"n2\"") "]}"),
	 false},
	{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "Exists", "\"n1\"") "]}"),
	 false},
	{REQUIRED("{\"matchFields\":[" EXPRESSION("spec.x", "In", "\"n1\"") "]}"), false},
};

static void test_required(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct label pairs[] = {{STR("gen"), STR("5")}, {STR("zone"), STR("a")}};
	struct label wrong[] = {{STR("gen"), STR("6")}};
	struct labels labels = {pairs, ARRAY_LEN(pairs)};
	struct labels selector = {pairs, 1};
	struct labels other = {wrong, 1};
	struct labels none = {0};

	is(type_check(&node_affinity_type, arena), NULL);
	for (size_t i = 0; i < ARRAY_LEN(required_rows); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(required_rows[i].affinity);
		struct node_affinity affinity;
		struct err err = {0};

		ok(type_decode(&node_affinity_type, json_doc_root(doc), arena, &affinity, &err) ==
				   0 &&
			   node_affinity_allows(&none, &affinity, STR("n1"), &labels) ==
				   required_rows[i].want,
		   "%d: %s %s", required_rows[i].want, required_rows[i].affinity, err.text);
	}
	ok(node_affinity_allows(&selector, NULL, STR("n1"), &labels) &&
		   !node_affinity_allows(&other, NULL, STR("n1"), &labels),
	   "plain node selectors");
}

static void test_preferred(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref)
	struct json_doc *doc = parse(
		"{\"preferredDuringSchedulingIgnoredDuringExecution\":["
		"{\"weight\":10,\"preference\":{\"matchExpressions\":[" EXPRESSION(
			"a", "Exists", "") "]}},{\"weight\":5,\"preference\":{\"matchFields\":"
					   "[" EXPRESSION("metadata.name", "In",
							  "\"n1\"") "]}},{\"weight\":100,"
								    "\"preference\":{}}]}");
	struct label pairs[] = {{STR("a"), STR("")}};
	struct labels labels = {pairs, 1};
	struct labels none = {0};
	struct node_affinity affinity;

	ok(type_decode(&node_affinity_type, json_doc_root(doc), arena, &affinity, NULL) == 0,
	   "decodes");
	ok(node_affinity_score(&affinity, STR("n1"), &labels) == 15, "both match");
	ok(node_affinity_score(&affinity, STR("n2"), &labels) == 10, "one matches");
	ok(node_affinity_score(&affinity, STR("n2"), &none) == 0, "none does");
	ok(node_affinity_score(NULL, STR("n2"), &none) == 0, "there is none");
}

static void check_causes(const struct type *type, const char *text, const char *want)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse(text);
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;

	type_validate(type, json_doc_root(doc), &causes);
	for (size_t k = 0; k < causes.len; k++)
		buf_printf(&got, "%s%s: %s", k ? "\n" : "", causes.ptr[k].field,
			   causes.ptr[k].message);
	ok(strcmp(buf_text(&got), want) == 0, "%s", text);
	if (strcmp(buf_text(&got), want) != 0)
		printf("# got  %s\n# want %s\n", buf_text(&got), want);
}

#define R "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
static void test_affinity_rules(void)
{
	static const struct {
		const char *affinity, *want;
	} rows[] = {
		{REQUIRED(""), R ": Required value: must have at least one node selector term"},
		{REQUIRED("{\"matchExpressions\":[" EXPRESSION("a", "In", "") "]}"),
		 R "[0].matchExpressions[0].values: Required value: must be specified when "
		   "`operator` is "
		   "'In' or 'NotIn'"},
		{REQUIRED("{\"matchExpressions\":[" EXPRESSION("a", "Exists", "\"x\"") "]}"),
		 R "[0].matchExpressions[0].values: Forbidden: may not be specified when "
		   "`operator` is "
		   "'Exists' or 'DoesNotExist'"},
		{REQUIRED("{\"matchExpressions\":[" EXPRESSION("a", "Like", "\"x\"") "]}"), R
		 "[0].matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector "
		 "operator"},
		{REQUIRED("{\"matchExpressions\":[" EXPRESSION("a", "Gt", "\"1\",\"2\"") "]}"),
		 R "[0].matchExpressions[0].values: Required value: must be specified single value "
		   "when "
		   "`operator` is 'Lt' or 'Gt'"},
		{REQUIRED("{\"matchFields\":[" EXPRESSION("spec.x", "In", "\"x\"") "]}"),
		 R "[0].matchFields[0].key: Invalid value: \"spec.x\": not a valid field selector "
		   "key"},
		{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "Exists", "\"x\"") "]}"),
		 R "[0].matchFields[0].operator: Invalid value: \"Exists\": not a valid selector "
		   "operator"},
		{REQUIRED("{\"matchFields\":[" EXPRESSION("metadata.name", "In", "") "]}"),
		 R "[0].matchFields[0].values: Required value: must be only one value when "
		   "`operator` is "
		   "'In' or 'NotIn' for node field selector"},
		{"{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":101,"
		 "\"preference\":{}}]}",
		 "preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: "
		 "must be "
		 "in the range 1-100"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_causes(&node_affinity_type, rows[i].affinity, rows[i].want);
}

static void test_tolerations(void)
{
	static const struct {
		const char *toleration, *taint;
		bool want;
	} rows[] = {
		{"{\"operator\":\"Exists\"}", "{\"key\":\"a\",\"effect\":\"NoSchedule\"}", true},
		{"{\"key\":\"a\",\"operator\":\"Exists\"}",
		 "{\"key\":\"a\",\"value\":\"x\",\"effect\":"
		 "\"NoExecute\"}",
		 true},
		{"{\"key\":\"b\",\"operator\":\"Exists\"}",
		 "{\"key\":\"a\",\"effect\":\"NoExecute\"}", false},
		{"{\"key\":\"a\",\"value\":\"x\"}",
		 "{\"key\":\"a\",\"value\":\"x\",\"effect\":"
		 "\"NoExecute\"}",
		 true},
		{"{\"key\":\"a\",\"operator\":\"Equal\",\"value\":\"y\"}",
		 "{\"key\":\"a\",\"value\":\"x\",\"effect\":\"NoExecute\"}", false},
		{"{\"key\":\"a\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}",
		 "{\"key\":\"a\",\"effect\":\"NoExecute\"}", false},
		{"{\"key\":\"a\",\"operator\":\"Gt\",\"value\":\"750\"}",
		 "{\"key\":\"a\",\"value\":\"950\",\"effect\":\"NoSchedule\"}", true},
		{"{\"key\":\"a\",\"operator\":\"Lt\",\"value\":\"800\"}",
		 "{\"key\":\"a\",\"value\":\"950\",\"effect\":\"NoSchedule\"}", false},
		{"{\"key\":\"a\",\"operator\":\"Lt\",\"value\":\"800\"}",
		 "{\"key\":\"a\",\"value\":\"x\",\"effect\":\"NoSchedule\"}", false},
		{"{\"key\":\"a\",\"operator\":\"SemverGt\",\"value\":\"8\"}",
		 "{\"key\":\"a\",\"value\":\"8\",\"effect\":\"NoSchedule\"}", false},
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);

	is(type_check(&toleration_type, arena), NULL);
	is(type_check(&taint_type, arena), NULL);
	is(taint_effect_name(TAINT_NO_EXECUTE), "NoExecute");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *left = parse(rows[i].toleration);
		AUTO(json_doc_unref) struct json_doc *right = parse(rows[i].taint);
		struct toleration toleration;
		struct taint taint;

		ok(type_decode(&toleration_type, json_doc_root(left), arena, &toleration, NULL) ==
				   0 &&
			   type_decode(&taint_type, json_doc_root(right), arena, &taint, NULL) ==
				   0 &&
			   toleration_matches(&toleration, &taint) == rows[i].want,
		   "%d: %s %s", rows[i].want, rows[i].toleration, rows[i].taint);
	}
}

static void test_taints(void)
{
	struct taint all[] = {
		{.key = STR("a"), .effect = TAINT_PREFER_NO_SCHEDULE},
		{.key = STR("b"), .effect = TAINT_NO_SCHEDULE},
		{.key = STR("c"), .effect = TAINT_NO_EXECUTE},
	};
	struct toleration some[] = {
		{.key = STR("b"), .op = TOLERATION_EXISTS},
		{.key = STR("c"), .op = TOLERATION_EXISTS, .seconds = {true, 30}},
		{.key = STR("c"), .op = TOLERATION_EXISTS, .seconds = {true, 20}},
	};
	struct taints taints = {all, ARRAY_LEN(all)};
	struct tolerations tolerations = {some, ARRAY_LEN(some)};
	struct tolerations none = {0};

	ok(taints_first_untolerated(&taints, &none, TAINTS_THAT_FORBID) == &all[1] &&
		   !taints_first_untolerated(&taints, &tolerations, TAINTS_THAT_FORBID),
	   "taints that forbid");
	ok(taints_first_untolerated(&taints, &tolerations, TAINTS_THAT_ADVISE) == &all[0] &&
		   taints_count_untolerated(&taints, &tolerations, TAINTS_THAT_ADVISE) == 1 &&
		   taints_count_untolerated(&taints, &none, TAINTS_THAT_FORBID) == 2,
	   "taints that advise");
	ok(taints_seconds(&taints, &tolerations) == 20, "the shortest time counts");
	ok(taints_seconds(&taints, &none) == 0, "no time without a toleration");
	some[1].seconds.set = false;
	some[2].seconds.value = -5;
	ok(taints_seconds(&taints, &tolerations) == 0, "a negative time is none");
	some[2].seconds.set = false;
	ok(taints_seconds(&taints, &tolerations) == -1, "without limit");
}

static void test_toleration_rules(void)
{
	/* recorded */
	static const struct {
		const char *toleration, *want;
	} rows[] = {
		{"{\"key\":\"a\",\"operator\":\"Exists\"}", ""},
		{"{\"key\":\"a\",\"operator\":\"Maybe\"}",
		 "operator: Unsupported value: \"Maybe\": supported values: \"Equal\", \"Exists\""},
		{"{\"key\":\"a\",\"operator\":\"Exists\",\"value\":\"v\"}",
		 "operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"},
		{"{\"operator\":\"Equal\"}", "operator: Invalid value: \"Equal\": operator must be "
					     "Exists when `key` is empty, which "
					     "means \"match all values and all keys\""},
		{"{\"key\":\"a\",\"operator\":\"Exists\",\"effect\":\"Never\"}",
		 "effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", "
		 "\"PreferNoSchedule\", \"NoExecute\""},
		{"{\"key\":\"a\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\","
		 "\"tolerationSeconds\":5}",
		 "effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
		 "`tolerationSeconds` is set"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_causes(&toleration_type, rows[i].toleration, rows[i].want);
	check_causes(&taint_type, "{\"key\":\"a\",\"effect\":\"Sometimes\"}",
		     "effect: Unsupported value: \"Sometimes\": supported values: \"NoSchedule\", "
		     "\"PreferNoSchedule\", \"NoExecute\"");
	check_causes(&taint_type, "{}", "key: Required value\neffect: Required value");
}

int main(void)
{
	test_required();
	test_preferred();
	test_affinity_rules();
	test_tolerations();
	test_taints();
	test_toleration_rules();
	return tap_done();
}
