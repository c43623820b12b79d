/* SPDX-License-Identifier: Apache-2.0 */
/* model/batchjob.c - batch/v1: jobs and cron jobs of Kubernetes itself: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/batchjob.h"

#include "model/pod.h"
#include "model/reference.h"
#include "model/rules.h"

#include "base/banned.h"

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
static const struct type pod_failure_policy_on_pod_conditions_pattern_type = {
	TYPE_KNOWN("PodFailurePolicyOnPodConditionsPattern", "v1",
		   pod_failure_policy_on_pod_conditions_pattern_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
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
static const struct type success_policy_type = {
	TYPE_KNOWN("SuccessPolicy", "v1", success_policy_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

#define VIEW struct batch_job_spec
static const struct field batch_job_spec_fields[] = {
	{"parallelism", F_INT32, AT(parallelism), F_POINTER},
	{"completions", F_INT32, AT(completions), F_POINTER},
	{"activeDeadlineSeconds", F_INT64, AT(active_deadline_seconds), F_POINTER},
	{"podFailurePolicy", F_OBJECT(pod_failure_policy)},
	{"successPolicy", F_OBJECT(success_policy)},
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
static const struct type uncounted_terminated_pods_type = {
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
	{"uncountedTerminatedPods", F_OBJECT(uncounted_terminated_pods)},
	{"ready", F_INT32, F_POINTER},
};
static const struct type batch_job_status_type = {
	TYPE_KNOWN("JobStatus", "v1", batch_job_status_fields),
	.group = "io.k8s.api.batch",
	.as_go = true,
};

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
