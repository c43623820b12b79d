/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/batchjob.c - batch/v1: jobs and cron jobs of Kubernetes itself: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/workload/batchjob.h"

#include <inttypes.h>

#include "base/mem.h"
#include "model/core/reference.h"
#include "model/field/fill.h"
#include "model/pod/pod.h"
#include "model/rules/rules.h"
#include "model/value/cron.h"
#include "model/value/zone.h"
#include "model/workload/batchjob_internal.h"

#include "base/banned.h"

enum {
	BACKOFF_DEFAULT = 6,
	HISTORY_DONE = 3,
	HISTORY_FAILED = 1,
	NAME_MAX_LEN = 52,
	MANAGER_MAX_LEN = 63,
	INDEXED_MAX = 100000, /* parallelism, failed indexes */
	MANY_MAX = 10000,     /* the same of a job with more completions than that */
};

static const struct field pod_failure_policy_on_exit_codes_requirement_fields[] = {
	{"containerName", F_STR, F_POINTER},
	{"operator", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PodFailurePolicyOnExitCodesOperator")},
	{"values", F_LIST(F_INT32), F_ALWAYS, F_REQUIRED, F_LIST_SET},
};
static const struct type pod_failure_policy_on_exit_codes_requirement_type = {
	TYPE_KNOWN("PodFailurePolicyOnExitCodesRequirement", "v1",
		   pod_failure_policy_on_exit_codes_requirement_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field pod_failure_policy_on_pod_conditions_pattern_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PodConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
};
static void fill_condition_pattern(struct json_doc *doc, struct json pattern)
{
	if (!json_str(json_get(pattern, "status")).len)
		json_set_str(doc, pattern, "status", STR("True"));
}
static const struct type pod_failure_policy_on_pod_conditions_pattern_type = {
	TYPE_KNOWN("PodFailurePolicyOnPodConditionsPattern", "v1",
		   pod_failure_policy_on_pod_conditions_pattern_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
	.fill = fill_condition_pattern,
};

static const struct field pod_failure_policy_rule_fields[] = {
	{"action", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PodFailurePolicyAction")},
	{"onExitCodes", F_OBJECT(pod_failure_policy_on_exit_codes_requirement)},
	{"onPodConditions", F_LIST(F_OBJECT(pod_failure_policy_on_pod_conditions_pattern)),
	 F_LIST_ATOMIC},
};
static const struct type pod_failure_policy_rule_type = {
	TYPE_KNOWN("PodFailurePolicyRule", "v1", pod_failure_policy_rule_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field pod_failure_policy_fields[] = {
	{"rules", F_LIST(F_OBJECT(pod_failure_policy_rule)), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
};
static const struct type pod_failure_policy_type = {
	TYPE_KNOWN("PodFailurePolicy", "v1", pod_failure_policy_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field success_policy_rule_fields[] = {
	{"succeededIndexes", F_STR, F_POINTER},
	{"succeededCount", F_INT32, F_POINTER},
};
static const struct type success_policy_rule_type = {
	TYPE_KNOWN("SuccessPolicyRule", "v1", success_policy_rule_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field success_policy_fields[] = {
	{"rules", F_LIST(F_OBJECT(success_policy_rule)), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
};
const struct type batch_success_policy_type = {
	TYPE_KNOWN("SuccessPolicy", "v1", success_policy_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

/* Of a job itself; the template of one in a cron job is left as it is. */
static void fill_job_parts(struct json_doc *doc, struct json spec)
{
	bool by_index = !json_is_absent(json_get(spec, "backoffLimitPerIndex"));
	bool policy = !json_is_absent(json_get(spec, "podFailurePolicy"));

	if (json_is_absent(json_get(spec, "completions")) &&
	    json_is_absent(json_get(spec, "parallelism")))
		json_set_int(doc, spec, "completions", 1);
	fill_int(doc, spec, "parallelism", 1);
	fill_int(doc, spec, "backoffLimit", by_index ? INT32_MAX : BACKOFF_DEFAULT);
	fill_text(doc, spec, "completionMode", "NonIndexed");
	fill_bool(doc, spec, "suspend", false);
	fill_text(doc, spec, "podReplacementPolicy", policy ? "Failed" : "TerminatingOrFailed");
	fill_bool(doc, spec, "manualSelector", false);
}

#define VIEW struct batch_job_spec
static const struct field batch_job_spec_fields[] = {
	{"parallelism", F_INT32, AT(parallelism), F_POINTER},
	{"completions", F_INT32, AT(completions), F_POINTER},
	{"activeDeadlineSeconds", F_INT64, AT(active_deadline_seconds), F_POINTER},
	{"podFailurePolicy", F_OBJECT(pod_failure_policy)},
	{"successPolicy", F_OBJECT(batch_success_policy)},
	{"backoffLimit", F_INT32, AT(backoff_limit), F_POINTER},
	{"backoffLimitPerIndex", F_INT32, F_POINTER},
	{"maxFailedIndexes", F_INT32, F_POINTER},
	{"selector", F_OBJECT(label_selector), AT(selector)},
	{"manualSelector", F_BOOL, F_POINTER},
	{"template", F_OBJECT(pod_template_spec), F_ALWAYS, F_REQUIRED},
	{"ttlSecondsAfterFinished", F_INT32, AT(ttl_seconds_after_finished), F_POINTER},
	{"completionMode", F_STR, F_POINTER, F_GO("v1.CompletionMode")},
	{"suspend", F_BOOL, AT(suspend), F_POINTER},
	{"podReplacementPolicy", F_STR, F_POINTER, F_GO("v1.PodReplacementPolicy")},
	{"managedBy", F_STR, F_POINTER},
};
#undef VIEW
const struct type batch_job_spec_type = {
	TYPE("JobSpec", "v1", struct batch_job_spec, batch_job_spec_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field batch_job_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.JobConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastProbeTime", F_TIME, F_ALWAYS},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type batch_job_condition_type = {
	TYPE_KNOWN("JobCondition", "v1", batch_job_condition_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field uncounted_terminated_pods_fields[] = {
	{"succeeded", F_LIST(F_STR, F_GO("types.UID")), F_LIST_SET},
	{"failed", F_LIST(F_STR, F_GO("types.UID")), F_LIST_SET},
};
const struct type batch_uncounted_pods_type = {
	TYPE_KNOWN("UncountedTerminatedPods", "v1", uncounted_terminated_pods_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static const struct field batch_job_status_fields[] = {
	{"conditions", F_LIST(F_OBJECT(batch_job_condition)), F_LIST_ATOMIC, F_MERGE_KEY("type")},
	{"startTime", F_TIME},
	{"completionTime", F_TIME},
	{"active", F_INT32},
	{"succeeded", F_INT32},
	{"failed", F_INT32},
	{"terminating", F_INT32, F_POINTER},
	{"completedIndexes", F_STR},
	{"failedIndexes", F_STR, F_POINTER},
	{"uncountedTerminatedPods", F_OBJECT(batch_uncounted_pods)},
	{"ready", F_INT32, F_POINTER},
};
static const struct type batch_job_status_type = {
	TYPE_KNOWN("JobStatus", "v1", batch_job_status_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

/* A job without labels has those of its pods. */
static void inherit_labels(struct json_doc *doc, struct json meta, struct json labels)
{
	if (json_len(labels) && rules_is_empty(json_get(meta, "labels")))
		json_set(doc, meta, STR("labels"), json_new_copy(doc, labels));
}

static void fill_batch_job(struct json_doc *doc, struct json job)
{
	struct json spec = json_ensure_obj(doc, job, "spec");
	struct json meta = json_ensure_obj(doc, job, "metadata");
	struct json labels = json_get(json_get(json_get(spec, "template"), "metadata"), "labels");

	fill_job_parts(doc, spec);
	inherit_labels(doc, meta, labels);
}

#define VIEW struct batch_job
static const struct field batch_job_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(batch_job_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(batch_job_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type batch_job_type = {
	TYPE("Job", "v1", struct batch_job, batch_job_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
	.fill = fill_batch_job,
};

static const struct field batch_job_template_fields[] = {
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(batch_job_spec), F_DEFAULT("{}")},
};
static const struct type batch_job_template_type = {
	TYPE_KNOWN("JobTemplateSpec", "v1", batch_job_template_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

static void fill_batch_cron_job_spec(struct json_doc *doc, struct json spec)
{
	fill_plain_text(doc, spec, "concurrencyPolicy", "Allow");
	fill_bool(doc, spec, "suspend", false);
	fill_int(doc, spec, "successfulJobsHistoryLimit", HISTORY_DONE);
	fill_int(doc, spec, "failedJobsHistoryLimit", HISTORY_FAILED);
}

static const struct field batch_cron_job_spec_fields[] = {
	{"schedule", F_STR, F_ALWAYS, F_REQUIRED},
	{"timeZone", F_STR, F_POINTER},
	{"startingDeadlineSeconds", F_INT64, F_POINTER},
	{"concurrencyPolicy", F_STR, F_GO("v1.ConcurrencyPolicy")},
	{"suspend", F_BOOL, F_POINTER},
	{"jobTemplate", F_OBJECT(batch_job_template), F_ALWAYS, F_REQUIRED},
	{"successfulJobsHistoryLimit", F_INT32, F_POINTER},
	{"failedJobsHistoryLimit", F_INT32, F_POINTER},
};
static const struct type batch_cron_job_spec_type = {
	TYPE_KNOWN("CronJobSpec", "v1", batch_cron_job_spec_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
	.fill = fill_batch_cron_job_spec,
};

static const struct field batch_cron_job_status_fields[] = {
	{"active", F_LIST(F_OBJECT(object_reference)), F_LIST_ATOMIC},
	{"lastScheduleTime", F_TIME},
	{"lastSuccessfulTime", F_TIME},
};
static const struct type batch_cron_job_status_type = {
	TYPE_KNOWN("CronJobStatus", "v1", batch_cron_job_status_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

#define VIEW struct batch_cron_job
static const struct field batch_cron_job_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(batch_cron_job_spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(batch_cron_job_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type batch_cron_job_type = {
	TYPE("CronJob", "v1", struct batch_cron_job, batch_cron_job_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

/* What the pods of a job are known by. */
static void set_labels(struct json_doc *doc, struct json labels, struct json job)
{
	struct json meta = json_get(job, "metadata");
	struct str uid = json_str(json_get(meta, "uid"));
	struct str name = json_str(json_get(meta, "name"));

	json_set_str(doc, labels, "controller-uid", uid);
	json_set_str(doc, labels, "batch.kubernetes.io/controller-uid", uid);
	json_set_str(doc, labels, "job-name", name);
	json_set_str(doc, labels, "batch.kubernetes.io/job-name", name);
}

void batch_job_prepare_create(struct json_doc *doc, struct json job)
{
	struct json meta = json_get(job, "metadata");
	struct json spec = json_ensure_obj(doc, job, "spec");
	struct str uid = json_str(json_get(meta, "uid"));
	struct json template = json_ensure_obj(doc, spec, "template");
	struct json labels =
		json_ensure_obj(doc, json_ensure_obj(doc, template, "metadata"), "labels");
	struct json chosen;

	json_set(doc, job, STR("status"), json_new_obj(doc));
	if (json_bool(json_get(spec, "manualSelector")))
		return;
	set_labels(doc, labels, job);
	chosen = json_ensure_obj(doc, json_ensure_obj(doc, spec, "selector"), "matchLabels");
	json_set_str(doc, chosen, "batch.kubernetes.io/controller-uid", uid);
	inherit_labels(doc, meta, labels);
}

static bool is_indexed(struct json spec)
{
	return str_is(json_str(json_get(spec, "completionMode")), "Indexed");
}

static void at_most(struct json spec, const char *key, int64_t limit, const char *when,
		    const struct rule_at *at)
{
	struct path path = path_member(at->path, str_from(key));

	if (json_int(json_get(spec, key)) > limit)
		causes_invalid(at->causes, &path, json_get(spec, key),
			       "must be less than or equal to %" PRId64 "%s", limit, when);
}

/* How large an indexed job may be. */
static void validate_indexed(struct json spec, const struct path *path, struct causes *causes)
{
	static const char when[] = " when completions are above 100000 and used with backoff limit "
				   "per index";
	struct rule_at at = rule_start(spec, path, causes);
	struct json completions = json_get(spec, "completions");
	PATH(failed, path, "maxFailedIndexes");

	at_most(spec, "parallelism", INDEXED_MAX, " when completion mode is Indexed", &at);
	if (rule_has(spec, "completions") &&
	    json_int(json_get(spec, "maxFailedIndexes")) > json_int(completions))
		causes_invalid(causes, &failed, json_get(spec, "maxFailedIndexes"),
			       "must be less than or equal to completions");
	at_most(spec, "maxFailedIndexes", INDEXED_MAX, "", &at);
	if (json_int(completions) <= INDEXED_MAX || !rule_has(spec, "backoffLimitPerIndex"))
		return;
	if (!rule_has(spec, "maxFailedIndexes"))
		causes_required(causes, &failed,
				"must be specified when completions is above 100000");
	at_most(spec, "parallelism", MANY_MAX, when, &at);
	at_most(spec, "maxFailedIndexes", MANY_MAX, when, &at);
}

static void validate_mode(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const modes[] = {"NonIndexed", "Indexed"};
	static const char *const by_index[] = {"backoffLimitPerIndex", "maxFailedIndexes"};
	struct path mode_path = path_member(path, STR("completionMode"));
	struct path completions = path_member(path, STR("completions"));
	struct json mode = json_get(spec, "completionMode");

	if (!json_is_absent(mode))
		rules_one_of(mode, modes, ARRAY_LEN(modes), &mode_path, causes);
	if (str_is(json_str(mode), "Indexed")) {
		if (!rule_has(spec, "completions"))
			causes_required(causes, &completions, "when completion mode is Indexed");
		validate_indexed(spec, path, causes);
	}
	if (!json_is_absent(mode) && !str_is(json_str(mode), "NonIndexed"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(by_index); i++) {
		struct path at = path_member(path, str_from(by_index[i]));

		if (!json_is_absent(json_get(spec, by_index[i])))
			causes_invalid(causes, &at, json_get(spec, by_index[i]),
				       "requires indexed completion mode");
	}
}

static void validate_restart(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const known[] = {"OnFailure", "Never"};
	struct path template = path_member(path, STR("template"));
	struct path pod = path_member(&template, STR("spec"));
	struct path at = path_member(&pod, STR("restartPolicy"));
	struct str policy =
		json_str(json_get(json_get(json_get(spec, "template"), "spec"), "restartPolicy"));

	if (!policy.len || str_is(policy, "Always"))
		causes_required(causes, &at, "valid values: \"OnFailure\", \"Never\"");
	else if (!str_is(policy, "OnFailure") && !str_is(policy, "Never"))
		causes_not_supported(causes, &at, policy, known, ARRAY_LEN(known));
	else if (!json_is_absent(json_get(spec, "podFailurePolicy")) && !str_is(policy, "Never"))
		causes_invalid_str(
			causes, &at, policy,
			"only \"Never\" is supported when podFailurePolicy is specified");
}

/* The controller that runs the job instead of the built-in one. */
static void validate_manager(struct json manager, const struct path *up, struct causes *causes)
{
	PATH(path, up, "managedBy");

	if (!json_is(manager, JSON_STR))
		return;
	rules_domain_path(json_str(manager), &path, causes);
	if (json_str(manager).len > MANAGER_MAX_LEN)
		causes_too_long(causes, &path, MANAGER_MAX_LEN);
}

/* Without the selector, which the template in a cron job does not have. */
static void validate_job_spec(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const counts[] = {
		"parallelism",
		"completions",
		"activeDeadlineSeconds",
		"backoffLimit",
		"ttlSecondsAfterFinished",
		"backoffLimitPerIndex",
		"maxFailedIndexes",
	};
	struct path by_index = path_member(path, STR("backoffLimitPerIndex"));
	struct path template = path_member(path, STR("template"));

	rules_counts(spec, counts, ARRAY_LEN(counts), path, causes);
	if (!json_is_absent(json_get(spec, "maxFailedIndexes")) &&
	    json_is_absent(json_get(spec, "backoffLimitPerIndex")))
		causes_required(causes, &by_index, "when maxFailedIndexes is specified");
	validate_manager(json_get(spec, "managedBy"), path, causes);
	validate_mode(spec, path, causes);
	batch_job_validate_policies(spec, path, causes);
	type_validate_at(&pod_template_spec_type, json_get(spec, "template"), &template, causes);
	validate_restart(spec, path, causes);
}

/* One that was not chosen by hand must choose by what the server labels pods with, and nothing else. */
static void validate_generated(struct json job, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json spec = json_get(job, "spec");
	struct json selector = json_get(spec, "selector");
	struct json labels = json_new_obj(doc);
	PATH(path, NULL, "spec");
	PATH(at, &path, "selector");

	if (json_bool(json_get(spec, "manualSelector")) || !json_is(selector, JSON_OBJ))
		return;
	set_labels(doc, labels, job);
	if (!rules_selects(selector, labels))
		causes_invalid(causes, &at, selector, "`selector` not auto-generated");
}

static void validate_job(struct json job, struct causes *causes)
{
	struct json spec = json_get(job, "spec");
	struct json selector = json_get(spec, "selector");
	struct json labels = json_get(json_get(json_get(spec, "template"), "metadata"), "labels");
	struct path path = path_member(NULL, STR("spec"));
	struct path selector_path = path_member(&path, STR("selector"));
	struct path template = path_member(&path, STR("template"));
	struct path meta = path_member(&template, STR("metadata"));
	struct path labels_path = path_member(&meta, STR("labels"));

	validate_job_spec(spec, &path, causes);
	if (!json_is(selector, JSON_OBJ)) {
		causes_required(causes, &selector_path, "");
		return;
	}
	rules_label_selector(selector, &selector_path, causes);
	if (!rules_selects(selector, labels))
		rules_invalid(labels, &labels_path, "`selector` does not match template `labels`",
			      causes);
}

/* The pods of an indexed job are called after it and their index. */
static void validate_pod_names(struct json job, struct causes *causes)
{
	struct json spec = json_get(job, "spec");
	struct str name = json_str(json_get(json_get(job, "metadata"), "name"));
	int64_t completions = json_int(json_get(spec, "completions"));
	PATH(meta, NULL, "metadata");
	PATH(path, &meta, "name");
	AUTO(mem_free) char *last = NULL;

	if (!is_indexed(spec) || completions <= 0)
		return;
	last = mem_printf("%.*s-%" PRId64, STR_ARG(name), completions - 1);
	if (!name_is(NAME_DNS_LABEL, str_from(last)))
		causes_invalid_str(causes, &path, name,
				   "will not able to create pod with invalid DNS label: %s", last);
}

void batch_job_validate_create(struct json job, struct causes *causes)
{
	validate_generated(job, causes);
	validate_job(job, causes);
	validate_pod_names(job, causes);
}

static void validate_completions(struct json spec, struct json before, const struct path *path,
				 struct causes *causes)
{
	struct path at = path_member(path, STR("completions"));
	struct json new = json_get(spec, "completions");

	if (!is_indexed(spec))
		rules_immutable(new, json_get(before, "completions"), &at, causes);
	else if (!rules_same(new, json_get(before, "completions")) &&
		 json_int(new) != json_int(json_get(spec, "parallelism")))
		causes_invalid(causes, &at, new,
			       "can only be modified in tandem with spec.parallelism");
}

/* Suspended, and never started: where its pods go may still be changed. */
static bool is_waiting(struct json old)
{
	return json_bool(json_get(json_get(old, "spec"), "suspend")) &&
	       !rule_has(json_get(old, "status"), "startTime");
}

static void take(struct json_doc *doc, struct json to, struct json from, const char *key)
{
	struct json value = json_get(from, key);

	if (json_is_absent(value))
		(void)json_remove(doc, to, str_from(key));
	else
		json_set(doc, to, str_from(key), json_new_copy(doc, value));
}

/* Do two templates differ only in scheduling directives? */
static bool differ_for_scheduler(struct json template, struct json old)
{
	static const char *const of_meta[] = {"annotations", "labels"};
	static const char *const of_spec[] = {"nodeSelector", "tolerations", "schedulingGates"};
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(old);
	struct json meta = json_ensure_obj(doc, json_doc_root(doc), "metadata");
	struct json spec = json_ensure_obj(doc, json_doc_root(doc), "spec");
	struct json affinity = json_ensure_obj(doc, spec, "affinity");

	for (size_t i = 0; i < ARRAY_LEN(of_meta); i++)
		take(doc, meta, json_get(template, "metadata"), of_meta[i]);
	for (size_t i = 0; i < ARRAY_LEN(of_spec); i++)
		take(doc, spec, json_get(template, "spec"), of_spec[i]);
	take(doc, affinity, json_get(json_get(template, "spec"), "affinity"), "nodeAffinity");
	if (!json_len(affinity) && !rule_has(json_get(template, "spec"), "affinity"))
		(void)json_remove(doc, spec, STR("affinity"));
	return json_eq(template, json_doc_root(doc));
}

void batch_job_validate_update(struct json job, struct json old, struct causes *causes)
{
	static const char *const fixed[] = {"selector",
					    "template",
					    "completionMode",
					    "podFailurePolicy",
					    "backoffLimitPerIndex",
					    "managedBy",
					    "successPolicy"};
	struct json spec = json_get(job, "spec");
	struct json before = json_get(old, "spec");
	struct path path = path_member(NULL, STR("spec"));

	batch_job_validate_create(job, causes);
	validate_job(job, causes); /* reported twice, as in upstream */
	validate_completions(spec, before, &path, causes);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		struct path at = path_member(&path, str_from(fixed[i]));

		if (str_is(str_from(fixed[i]), "template") && is_waiting(old) &&
		    differ_for_scheduler(json_get(spec, "template"), json_get(before, "template")))
			continue;
		rules_immutable(json_get(spec, fixed[i]), json_get(before, fixed[i]), &at, causes);
	}
}

static void validate_schedule(struct json spec, struct json old, const struct path *up,
			      struct causes *causes)
{
	struct str text = json_str(json_get(spec, "schedule"));
	bool zoned = str_find(text, STR("TZ"), 0) >= 0;
	bool allowed = str_find(json_str(json_get(old, "schedule")), STR("TZ"), 0) >= 0;
	struct cron cron;
	struct err err;
	PATH(path, up, "schedule");

	if (!text.len) {
		causes_required(causes, &path, "");
		return;
	}
	if (cron_parse(text, &cron, &err) < 0)
		causes_invalid_str(causes, &path, text, "%s", err.text);
	if (zoned && !allowed)
		causes_invalid_str(causes, &path, text,
				   "cannot use TZ or CRON_TZ in schedule, use timeZone field "
				   "instead");
	else if (zoned && rule_has(spec, "timeZone"))
		causes_invalid_str(causes, &path, text,
				   "cannot use both timeZone field and TZ or CRON_TZ in schedule");
}

/* Whether the zone exists is checked by code that can read its file. */
static void validate_zone(struct json spec, struct json old, const struct path *up,
			  struct causes *causes)
{
	struct json zone = json_get(spec, "timeZone");
	struct str rest = json_str(zone);
	struct str part;
	PATH(path, up, "timeZone");

	if (!json_is(zone, JSON_STR) || json_eq(zone, json_get(old, "timeZone")))
		return;
	if (!rest.len) {
		causes_invalid(causes, &path, zone, "timeZone must be nil or non-empty string");
		return;
	}
	while (str_split(&rest, '/', &part))
		if (!zone_part_is_safe(part)) {
			causes_invalid(causes, &path, zone, "unknown time zone %.*s",
				       STR_ARG(json_str(zone)));
			return;
		}
	if (str_eq_nocase(json_str(zone), STR("Local")))
		causes_invalid(causes, &path, zone,
			       "timeZone must be an explicit time zone as defined in "
			       "https://www.iana.org/time-zones");
}

static void validate_cron(struct json cron, struct json old, struct causes *causes)
{
	static const char *const policies[] = {"Allow", "Forbid", "Replace"};
	static const char *const deadline[] = {"startingDeadlineSeconds"};
	static const char *const counts[] = {"successfulJobsHistoryLimit",
					     "failedJobsHistoryLimit"};
	struct json spec = json_get(cron, "spec");
	struct path path = path_member(NULL, STR("spec"));
	struct path policy = path_member(&path, STR("concurrencyPolicy"));
	struct path template = path_member(&path, STR("jobTemplate"));
	struct path inner = path_member(&template, STR("spec"));
	struct path selector = path_member(&inner, STR("selector"));
	struct path manual = path_member(&inner, STR("manualSelector"));
	struct json job = json_get(json_get(spec, "jobTemplate"), "spec");

	validate_schedule(spec, json_get(old, "spec"), &path, causes);
	rules_counts(spec, deadline, ARRAY_LEN(deadline), &path, causes);
	validate_zone(spec, json_get(old, "spec"), &path, causes);
	rules_one_of_required(json_get(spec, "concurrencyPolicy"), policies, ARRAY_LEN(policies),
			      &policy, causes);
	validate_job_spec(job, &inner, causes);
	if (rule_has(job, "selector"))
		causes_invalid(causes, &selector, json_get(job, "selector"),
			       "`selector` will be auto-generated");
	if (json_bool(json_get(job, "manualSelector")))
		causes_add(causes, CAUSE_NOT_SUPPORTED, &manual,
			   "Unsupported value: true: supported values: \"nil\", \"false\"");
	rules_counts(spec, counts, ARRAY_LEN(counts), &path, causes);
}

void batch_cron_job_validate_create(struct json cron, struct causes *causes)
{
	struct path meta = path_member(NULL, STR("metadata"));
	struct path path = path_member(&meta, STR("name"));
	struct str name = json_str(json_get(json_get(cron, "metadata"), "name"));

	validate_cron(cron, JSON_NONE, causes);
	if (name.len > NAME_MAX_LEN)
		causes_invalid_str(causes, &path, name, "must be no more than %d characters",
				   NAME_MAX_LEN);
}

void batch_cron_job_validate_update(struct json cron, struct json old, struct causes *causes)
{
	validate_cron(cron, old, causes);
}
