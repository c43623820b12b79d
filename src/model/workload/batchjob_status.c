/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/batchjob_status.c - the rules of a Kubernetes Job's status, which others than our controllers
 * may write: what is finished stays finished, counters only rise, and what is said fits together.
 *
 * Most rules are asked only if what they look at has changed, so that a status from before can
 * still be written on. In the order and the words of upstream. */
#include <inttypes.h>

#include "base/time.h"
#include "model/rules/rules.h"
#include "model/workload/batchjob.h"
#include "model/workload/batchjob_internal.h"

#include "base/banned.h"

/* A version of the status, as the rules look at it. */
struct side {
	struct json spec;
	struct json status;
	bool complete, failed, failure_target, success, finished;
};

struct look {
	struct side now;
	struct side old;
	const struct path *path;
	struct causes *causes;
};

static bool is_condition(struct json status, const char *type, const char *value)
{
	struct json_iter it = json_iter(json_get(status, "conditions"));

	while (json_next(&it))
		if (str_is(rule_text(it.value, "type"), type) &&
		    str_is(rule_text(it.value, "status"), value))
			return true;
	return false;
}

static struct side side_of(struct json job)
{
	struct side side = {.spec = json_get(job, "spec"), .status = json_get(job, "status")};

	side.complete = is_condition(side.status, "Complete", "True");
	side.failed = is_condition(side.status, "Failed", "True");
	side.failure_target = is_condition(side.status, "FailureTarget", "True");
	side.success = is_condition(side.status, "SuccessCriteriaMet", "True");
	side.finished = side.complete || side.failed;
	return side;
}

static bool has_changed(const struct look *look, const char *key)
{
	return !rules_same(json_get(look->now.status, key), json_get(look->old.status, key));
}

static bool is_indexed(const struct look *look)
{
	return str_is(rule_text(look->now.spec, "completionMode"), "Indexed");
}

static void refuse(const struct look *look, bool wrong, const char *text)
{
	PATH(conditions, look->path, "conditions");

	if (wrong)
		causes_add(look->causes, CAUSE_INVALID, &conditions, "Invalid value: %s", text);
}

static void refuse_value(const struct look *look, bool wrong, const char *key, const char *text)
{
	struct path path = path_member(look->path, str_from(key));

	if (wrong)
		causes_invalid(look->causes, &path, json_get(look->now.status, key), "%s", text);
}

static void require(const struct look *look, bool wrong, const char *key, const char *text)
{
	struct path path = path_member(look->path, str_from(key));

	if (wrong)
		causes_required(look->causes, &path, text);
}

/* --- by itself ------------------------------------------------------------------------------- */

static void check_uncounted(const struct look *look)
{
	static const char *const lists[] = {"succeeded", "failed"};
	AUTO(name_set_done) struct name_set seen = {0};
	struct json pods = json_get(look->now.status, "uncountedTerminatedPods");
	PATH(path, look->path, "uncountedTerminatedPods");

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct path list = path_member(&path, str_from(lists[i]));
		struct json_iter it = json_iter(json_get(pods, lists[i]));

		while (json_next(&it)) {
			struct path at = path_index(&list, it.index);

			if (!json_str(it.value).len)
				causes_invalid(look->causes, &at, it.value, "must not be empty");
			else if (!name_set_add(&seen, json_str(it.value)))
				causes_duplicate(look->causes, &at, it.value);
		}
	}
}

static bool is_before(struct json a, struct json b)
{
	int64_t first;
	int64_t second;

	return time_parse(json_str(a), &first, NULL) == 0 &&
	       time_parse(json_str(b), &second, NULL) == 0 && first < second;
}

static void check_completion(const struct look *look)
{
	bool timed = has_changed(look, "completionTime");
	bool started = has_changed(look, "startTime");
	bool turned = look->now.complete != look->old.complete;
	bool there = rule_has(look->now.status, "completionTime");

	refuse_value(look, (turned || timed) && there && !look->now.complete, "completionTime",
		     "cannot set completionTime when there is no Complete=True condition");
	require(look, (turned || timed) && !there && look->now.complete, "completionTime",
		"completionTime is required for Complete jobs");
	refuse_value(look,
		     (started || timed) && is_before(json_get(look->now.status, "completionTime"),
						     json_get(look->now.status, "startTime")),
		     "completionTime", "must be equal to or after `startTime`");
}

static void check_finished(const struct look *look)
{
	const struct side *now = &look->now;
	struct json uncounted = json_get(now->status, "uncountedTerminatedPods");
	bool ended = now->finished != look->old.finished;
	bool idle = json_bool(json_get(now->spec, "suspend")) &&
		    rule_has(now->spec, "completions") &&
		    json_int(json_get(now->spec, "completions")) == 0;
	PATH(path, look->path, "uncountedTerminatedPods");

	if (!now->finished)
		return;
	refuse_value(look,
		     (ended || has_changed(look, "active")) &&
			     json_int(json_get(now->status, "active")) > 0,
		     "active", "active>0 is invalid for finished job");
	require(look,
		(ended || has_changed(look, "startTime")) && !idle &&
			!rule_has(now->status, "startTime"),
		"startTime", "startTime is required for finished job");
	if ((ended || has_changed(look, "uncountedTerminatedPods")) &&
	    json_len(json_get(uncounted, "succeeded")) + json_len(json_get(uncounted, "failed")))
		rule_invalid_go(&batch_uncounted_pods_type, uncounted, &path, look->causes,
				"must be empty for finished job");
}

/* The first index that is in both lists, or -1. What cannot be parsed is reported elsewhere. */
static int64_t find_common(struct str completed, struct str failed, int64_t completions)
{
	while (!str_is_none(completed)) {
		struct batch_indexes done;
		struct str rest = failed;

		if (batch_indexes_next(&completed, completions, &done, NULL) < 0)
			continue;
		while (!str_is_none(rest)) {
			struct batch_indexes bad;

			if (batch_indexes_next(&rest, completions, &bad, NULL) == 0 &&
			    done.first <= bad.last && bad.first <= done.last)
				return done.first > bad.first ? done.first : bad.first;
		}
	}
	return -1;
}

static void check_format(const struct look *look, const char *key)
{
	struct path path = path_member(look->path, str_from(key));
	struct json list = json_get(look->now.status, key);
	int64_t completions = json_int(json_get(look->now.spec, "completions"));
	int64_t count;
	struct err err;

	if (batch_indexes_count(json_str(list), completions, &count, &err) < 0)
		causes_invalid(look->causes, &path, list, "error parsing %s: %s", key, err.text);
}

static void check_indexes(const struct look *look)
{
	const struct side *now = &look->now;
	bool completed = has_changed(look, "completedIndexes");
	bool failed = has_changed(look, "failedIndexes");
	bool counted = rule_has(now->spec, "completions");
	bool limited = rule_has(now->spec, "backoffLimitPerIndex");
	bool any_failed = rule_has(now->status, "failedIndexes");
	PATH(path, look->path, "failedIndexes");
	int64_t common;

	if (completed && counted)
		check_format(look, "completedIndexes");
	if (failed && counted && limited && any_failed)
		check_format(look, "failedIndexes");
	refuse_value(look,
		     completed && rule_text(now->status, "completedIndexes").len &&
			     !is_indexed(look),
		     "completedIndexes",
		     "cannot set non-empty completedIndexes when non-indexed completion mode");
	refuse_value(look, failed && !limited && any_failed, "failedIndexes",
		     "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
	if (!(failed || completed) || !counted || !any_failed)
		return;
	common = find_common(rule_text(now->status, "completedIndexes"),
			     rule_text(now->status, "failedIndexes"),
			     json_int(json_get(now->spec, "completions")));
	if (common >= 0)
		causes_invalid(look->causes, &path, json_get(now->status, "failedIndexes"),
			       "failedIndexes and completedIndexes overlap at index: %" PRId64,
			       common);
}

static void check_conditions(const struct look *look)
{
	const struct side *now = &look->now;
	bool complete = now->complete != look->old.complete;
	bool failed = now->failed != look->old.failed;
	bool target = now->failure_target != look->old.failure_target;

	refuse(look, (complete || failed) && now->complete && now->failed,
	       "cannot set Complete=True and Failed=true conditions");
	refuse(look, (complete || target) && now->complete && now->failure_target,
	       "cannot set Complete=True and FailureTarget=true conditions");
	check_completion(look);
	refuse(look,
	       (failed || has_changed(look, "failedIndexes")) && now->failed &&
		       !now->failure_target,
	       "cannot set Failed=True condition without the FailureTarget=true condition");
	refuse(look,
	       (complete || now->success != look->old.success) && now->complete && !now->success,
	       "cannot set Complete=True condition without the SuccessCriteriaMet=true "
	       "condition");
}

static void check_last(const struct look *look)
{
	const struct side *now = &look->now;
	struct json ready = json_get(now->status, "ready");
	bool ended = now->finished != look->old.finished;

	refuse_value(look,
		     (ended || has_changed(look, "terminating")) && now->finished &&
			     json_int(json_get(now->status, "terminating")) > 0,
		     "terminating", "terminating>0 is invalid for finished job");
	refuse_value(look,
		     (has_changed(look, "ready") || has_changed(look, "active")) &&
			     json_int(ready) > json_int(json_get(now->status, "active")),
		     "ready", "cannot set more ready pods than active");
	refuse(look, now->success && now->failed,
	       "cannot set SuccessCriteriaMet=True and Failed=true conditions");
	refuse(look, now->success && now->failure_target,
	       "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
	refuse(look, rule_has(now->spec, "successPolicy") && !now->success && now->complete,
	       "cannot set Complete=True for Job with SuccessPolicy unless "
	       "SuccessCriteriaMet=True");
}

/* --- compared with the old one--------------------------------------------------------------------- */

static void check_turns(const struct look *look)
{
	static const char *const terminal[] = {"Failed", "Complete", "FailureTarget"};

	for (size_t i = 0; i < ARRAY_LEN(terminal); i++) {
		PATH(conditions, look->path, "conditions");

		if (is_condition(look->old.status, terminal[i], "True") &&
		    !is_condition(look->now.status, terminal[i], "True"))
			causes_add(look->causes, CAUSE_INVALID, &conditions,
				   "Invalid value: cannot disable the terminal %s=True condition",
				   terminal[i]);
	}
}

static bool falls(const struct look *look, const char *key)
{
	return json_int(json_get(look->now.status, key)) <
	       json_int(json_get(look->old.status, key));
}

/* A counter that is left out is 0. */
static void refuse_fall(const struct look *look, const char *key)
{
	struct path path = path_member(look->path, str_from(key));

	if (falls(look, key))
		causes_invalid_int(look->causes, &path, json_int(json_get(look->now.status, key)),
				   "cannot decrease the %s counter", key);
}

static void check_change(const struct look *look)
{
	const struct side *now = &look->now;
	const struct side *old = &look->old;
	bool scaled = is_indexed(look) && rules_same(json_get(now->spec, "completions"),
						     json_get(now->spec, "parallelism"));
	bool resumed = is_condition(old->status, "Suspended", "True") &&
		       is_condition(now->status, "Suspended", "False");

	check_turns(look);
	refuse_fall(look, "failed");
	if (!scaled)
		refuse_fall(look, "succeeded");
	refuse_value(look,
		     rule_has(now->status, "completionTime") &&
			     rule_has(old->status, "completionTime") &&
			     has_changed(look, "completionTime"),
		     "completionTime", "field is immutable");
	require(look,
		!resumed && rule_has(old->status, "startTime") && has_changed(look, "startTime") &&
			!json_bool(json_get(now->spec, "suspend")),
		"startTime", "startTime cannot be removed for unsuspended job");
	refuse(look, old->success && !now->success,
	       "cannot disable the SuccessCriteriaMet=True condition");
	refuse(look, old->complete && !old->success && now->success,
	       "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

void batch_job_validate_status(struct json job, struct json old, struct causes *causes)
{
	static const char *const counts[] = {"active", "succeeded", "failed", "ready",
					     "terminating"};
	struct path path = path_member(NULL, STR("status"));
	struct look look = {side_of(job), side_of(old), &path, causes};

	rules_counts(look.now.status, counts, ARRAY_LEN(counts), &path, causes);
	check_uncounted(&look);
	check_conditions(&look);
	check_finished(&look);
	check_indexes(&look);
	check_last(&look);
	check_change(&look);
}
