/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/batchjob_policy.c - the rules of a Kubernetes Job's policies: when failed pods fail the job,
 * which indexes make it a success, when a pod is replaced. In the order and the words of upstream. */
#include <inttypes.h>

#include "base/number.h"
#include "model/rules/rules.h"
#include "model/workload/batchjob.h"
#include "model/workload/batchjob_internal.h"

#include "base/banned.h"

enum {
	RULES_MAX = 20,
	EXIT_CODES_MAX = 255,
	CONDITIONS_MAX = 20,
	INDEXES_MAX_LEN = 64 * 1024,
};

/* --- when pods have failed ------------------------------------------------------------------- */

static void names_of(struct json containers, struct name_set *names)
{
	struct json_iter it = json_iter(containers);

	while (json_next(&it))
		(void)name_set_add(names, rule_text(it.value, "name"));
}

/* One of a few texts; `known` says them all, for where none is given. */
static void one_of(struct json value, struct rule_texts texts, const char *known,
		   const struct path *path, struct causes *causes)
{
	if (!json_str(value).len)
		causes_required(causes, path, known);
	else if (!rule_texts_have(texts, json_str(value)))
		causes_not_supported(causes, path, json_str(value), texts.ptr, texts.len);
}

static void check_codes(struct json codes, struct json operator, const struct path * path,
			struct causes *causes)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(codes);
	int64_t before = INT64_MIN;
	bool ordered = true;

	if (!json_len(codes))
		rules_invalid(codes, path, "at least one value is required", causes);
	else if (json_len(codes) > EXIT_CODES_MAX)
		causes_too_many(causes, path, json_len(codes), EXIT_CODES_MAX);
	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct path at = path_index(path, it.index);
		int64_t code = json_int(it.value);

		buf_put_int(&text, code);
		if (str_is(json_str(operator), "In") && code == 0)
			causes_invalid(causes, &at, it.value, "must not be 0 for the In operator");
		if (!name_set_add_copy(&seen, buf_str(&text)))
			causes_duplicate(causes, &at, it.value);
		if (before > code)
			ordered = false;
		before = code;
	}
	if (!ordered)
		causes_invalid(causes, path, codes, "must be ordered");
}

static void check_exit_codes(struct json on, const struct path *path, const struct name_set *names,
			     struct causes *causes)
{
	PATH(operator, path, "operator");
	PATH(container, path, "containerName");
	PATH(values, path, "values");
	struct json name = json_get(on, "containerName");

	one_of(json_get(on, "operator"), RULE_TEXTS("In", "NotIn"),
	       "valid values: [\"In\" \"NotIn\"]", &operator, causes);
	if (json_is(name, JSON_STR) && !name_set_has(names, json_str(name)))
		causes_invalid(causes, &container, name,
			       "must be one of the container or initContainer names in the pod "
			       "template");
	check_codes(json_get(on, "values"), json_get(on, "operator"), &values, causes);
}

static void check_conditions(struct json list, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(list);

	if (json_len(list) > CONDITIONS_MAX)
		causes_too_many(causes, path, json_len(list), CONDITIONS_MAX);
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		PATH(type, &at, "type");
		PATH(status, &at, "status");

		name_validate(NAME_QUALIFIED, rule_text(it.value, "type"), &type, causes);
		one_of(json_get(it.value, "status"), RULE_TEXTS("False", "True", "Unknown"),
		       "valid values: [\"False\" \"True\" \"Unknown\"]", &status, causes);
	}
}

static void check_failure_rule(struct json spec, struct json rule, const struct path *path,
			       const struct name_set *names, struct causes *causes)
{
	PATH(action, path, "action");
	PATH(codes, path, "onExitCodes");
	PATH(conditions, path, "onPodConditions");
	bool by_code = json_is(json_get(rule, "onExitCodes"), JSON_OBJ);
	bool by_condition = json_len(json_get(rule, "onPodConditions")) > 0;

	if (str_is(rule_text(rule, "action"), "FailIndex")) {
		if (!rule_has(spec, "backoffLimitPerIndex"))
			causes_invalid(causes, &action, json_get(rule, "action"),
				       "requires the backoffLimitPerIndex to be set");
	} else {
		one_of(json_get(rule, "action"),
		       RULE_TEXTS("Count", "FailIndex", "FailJob", "Ignore"),
		       "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]", &action,
		       causes);
	}
	if (by_code)
		check_exit_codes(json_get(rule, "onExitCodes"), &codes, names, causes);
	if (by_condition)
		check_conditions(json_get(rule, "onPodConditions"), &conditions, causes);
	if (by_code && by_condition)
		causes_add(causes, CAUSE_INVALID, path,
			   "Invalid value: specifying both OnExitCodes and OnPodConditions is not "
			   "supported");
	if (!by_code && !by_condition)
		causes_add(causes, CAUSE_INVALID, path,
			   "Invalid value: specifying one of OnExitCodes and OnPodConditions is "
			   "required");
}

static void check_failure(struct json spec, const struct path *path, struct causes *causes)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json pod = json_get(json_get(spec, "template"), "spec");
	struct json list = json_get(json_get(spec, "podFailurePolicy"), "rules");
	struct json_iter it = json_iter(list);
	PATH(rules, path, "rules");

	if (json_len(list) > RULES_MAX)
		causes_too_many(causes, &rules, json_len(list), RULES_MAX);
	names_of(json_get(pod, "containers"), &names);
	names_of(json_get(pod, "initContainers"), &names);
	while (json_next(&it)) {
		struct path at = path_index(&rules, it.index);

		check_failure_rule(spec, it.value, &at, &names, causes);
	}
}

/* --- lists of indexes: "1,3-5" --------------------------------------------------------------- */

static int parse_index(struct str text, int64_t completions, int64_t *ret, struct err *err)
{
	if (number_parse_i64(text, ret, NULL) < 0)
		return err_set(err, ERR_INVALID,
			       "cannot convert string to integer for index: \"%.*s\"",
			       STR_ARG(text));
	if (*ret >= completions)
		return err_set(err, ERR_INVALID, "too large index: \"%.*s\"", STR_ARG(text));
	return 0;
}

int batch_indexes_next(struct str *rest, int64_t completions, struct batch_indexes *ret,
		       struct err *err)
{
	struct str whole;
	struct str first;
	struct str last;

	(void)str_split(rest, ',', &whole);
	last = whole;
	(void)str_split(&last, '-', &first);
	if (str_is_none(last)) {
		if (parse_index(whole, completions, &ret->first, err) < 0)
			return -1;
		ret->last = ret->first;
		return 0;
	}
	if (str_find_byte(last, '-', 0) >= 0)
		return err_set(err, ERR_INVALID,
			       "the fragment \"%.*s\" violates the requirement that an index "
			       "interval can have at most two parts separated by '-'",
			       STR_ARG(whole));
	if (parse_index(first, completions, &ret->first, err) < 0 ||
	    parse_index(last, completions, &ret->last, err) < 0)
		return -1;
	if (ret->first >= ret->last)
		return err_set(err, ERR_INVALID,
			       "non-increasing order, previous: %" PRId64 ", current: %" PRId64,
			       ret->first, ret->last);
	return 0;
}

int batch_indexes_count(struct str text, int64_t completions, int64_t *ret, struct err *err)
{
	struct batch_indexes now = {0};
	int64_t before = -1;

	*ret = 0;
	if (!text.len)
		return 0;
	while (!str_is_none(text)) {
		if (batch_indexes_next(&text, completions, &now, err) < 0)
			return -1;
		if (before >= now.first)
			return err_set(err, ERR_INVALID,
				       "non-increasing order, previous: %" PRId64
				       ", current: %" PRId64,
				       before, now.first);
		*ret += now.last - now.first + 1;
		before = now.last;
	}
	return 0;
}

/* --- what is a success ----------------------------------------------------------------------- */

static void check_count(struct json rule, int64_t completions, int64_t indexes,
			const struct path *path, struct causes *causes)
{
	struct json count = json_get(rule, "succeededCount");

	rules_not_negative(count, path, causes);
	if (json_int(count) > completions)
		causes_invalid(causes, path, count,
			       "must be less than or equal to %" PRId64
			       " (the number of specified completions)",
			       completions);
	if (rule_has(rule, "succeededIndexes") && json_int(count) > indexes)
		causes_invalid(causes, path, count,
			       "must be less than or equal to %" PRId64
			       " (the number of indexes in the specified succeededIndexes field)",
			       indexes);
}

static void check_success_rule(struct json rule, int64_t completions, const struct path *path,
			       struct causes *causes)
{
	PATH(indexes_path, path, "succeededIndexes");
	PATH(count_path, path, "succeededCount");
	struct json indexes = json_get(rule, "succeededIndexes");
	int64_t total = 0;
	struct err err;

	if (!rule_has(rule, "succeededCount") && !rule_has(rule, "succeededIndexes"))
		causes_required(causes, path,
				"at least one of succeededCount or succeededIndexes must be "
				"specified");
	if (json_is(indexes, JSON_STR)) {
		if (json_str(indexes).len > INDEXES_MAX_LEN)
			causes_too_long(causes, &indexes_path, INDEXES_MAX_LEN);
		if (batch_indexes_count(json_str(indexes), completions, &total, &err) < 0) {
			causes_invalid(causes, &indexes_path, indexes,
				       "error parsing succeededIndexes: %s", err.text);
			total = 0;
		}
	}
	if (rule_has(rule, "succeededCount"))
		check_count(rule, completions, total, &count_path, causes);
}

static void check_success(struct json spec, const struct path *path, struct causes *causes)
{
	struct json list = json_get(json_get(spec, "successPolicy"), "rules");
	struct json_iter it = json_iter(list);
	PATH(rules, path, "rules");

	if (!json_len(list))
		causes_required(causes, &rules,
				"at least one rules must be specified when the successPolicy is "
				"specified");
	if (json_len(list) > RULES_MAX)
		causes_too_many(causes, &rules, json_len(list), RULES_MAX);
	while (json_next(&it)) {
		struct path at = path_index(&rules, it.index);

		check_success_rule(it.value, json_int(json_get(spec, "completions")), &at, causes);
	}
}

static void check_replacement(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const both[] = {"Failed", "TerminatingOrFailed"};
	bool strict = json_is(json_get(spec, "podFailurePolicy"), JSON_OBJ);
	struct json policy = json_get(spec, "podReplacementPolicy");

	if (json_is(policy, JSON_STR))
		rules_one_of(policy, both, strict ? 1 : ARRAY_LEN(both), path, causes);
}

void batch_job_validate_policies(struct json spec, const struct path *path, struct causes *causes)
{
	struct json success = json_get(spec, "successPolicy");
	PATH(failure_path, path, "podFailurePolicy");
	PATH(success_path, path, "successPolicy");
	PATH(replacement, path, "podReplacementPolicy");

	if (json_is(json_get(spec, "podFailurePolicy"), JSON_OBJ))
		check_failure(spec, &failure_path, causes);
	if (json_is(success, JSON_OBJ)) {
		if (!str_is(rule_text(spec, "completionMode"), "Indexed"))
			rule_invalid_go(&batch_success_policy_type, success, &success_path, causes,
					"requires indexed completion mode");
		else
			check_success(spec, &success_path, causes);
	}
	check_replacement(spec, &replacement, causes);
}
