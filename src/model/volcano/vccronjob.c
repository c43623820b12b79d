/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/vccronjob.c - the tables of CronJob. Admission checks the schedule. */
#include "model/volcano/vccronjob.h"

#include "base/banned.h"

static const char *const policy_names[CRON_POLICY_COUNT] = {
	[CRON_NONE] = "",
	[CRON_ALLOW] = "Allow",
	[CRON_FORBID] = "Forbid",
	[CRON_REPLACE] = "Replace",
};

#define BATCH .group = "sh.volcano.batch"

#define VIEW struct template_meta
static const struct field template_meta_fields[] = {
	{"name", F_STR, AT(name)},
	{"namespace", F_STR, AT(namespace)},
	{"labels", F_LABELS, AT(labels)},
	{"annotations", F_LABELS, AT(annotations)},
	{"finalizers", F_LIST(F_STR), AT(finalizers)},
};
#undef VIEW
const struct type template_meta_type = {
	TYPE("ObjectMeta", "v1", struct template_meta, template_meta_fields),
};

#define VIEW struct vccronjob_template
static const struct field vccronjob_template_fields[] = {
	{"metadata", F_OBJECT(template_meta), AT(meta)},
	{"spec", F_OBJECT(vcjob_spec), AT(spec)},
};
#undef VIEW
static const struct type vccronjob_template_type = {
	TYPE("JobTemplateSpec", "v1alpha1", struct vccronjob_template, vccronjob_template_fields),
	BATCH,
};

#define VIEW struct vccronjob_spec
static const struct field vccronjob_spec_fields[] = {
	{"schedule", F_STR, AT(schedule), F_REQUIRED, F_DOC("when to run, as cron writes it")},
	{"timeZone", F_STR, AT(time_zone), F_DOC("IANA name of the time zone")},
	{"startingDeadlineSeconds", F_INT64, AT(starting_deadline_seconds), F_MIN(0),
	 F_DOC("how late a run may start")},
	{"concurrencyPolicy", F_ENUM(policy_names), AT(concurrency_policy), F_DEFAULT("Allow"),
	 F_DOC("what happens when the last run has not ended")},
	{"suspend", F_BOOL, AT(suspend), F_DEFAULT("false"), F_DOC("start no runs")},
	{"jobTemplate", F_OBJECT(vccronjob_template), AT(job_template), F_REQUIRED,
	 F_DOC("what each run is made from")},
	{"successfulJobsHistoryLimit", F_INT32, AT(successful_jobs_history_limit), F_DEFAULT("3"),
	 F_MIN(0), F_DOC("completed jobs to keep")},
	{"failedJobsHistoryLimit", F_INT32, AT(failed_jobs_history_limit), F_DEFAULT("1"), F_MIN(0),
	 F_DOC("failed jobs to keep")},
};
#undef VIEW
static const struct type vccronjob_spec_type = {
	TYPE("CronJobSpec", "v1alpha1", struct vccronjob_spec, vccronjob_spec_fields),
	BATCH,
};

#define VIEW struct vccronjob_status
static const struct field vccronjob_status_fields[] = {
	{"active", F_LIST(F_OBJECT(object_reference)), AT(active), F_LIST_ATOMIC,
	 F_DOC("running jobs")},
	{"lastScheduleTime", F_TIME, AT(last_schedule_time)},
	{"lastSuccessfulTime", F_TIME, AT(last_successful_time)},
};
#undef VIEW
static const struct type vccronjob_status_type = {
	TYPE("CronJobStatus", "v1alpha1", struct vccronjob_status, vccronjob_status_fields),
	BATCH,
};

#define VIEW struct vccronjob
static const struct field vccronjob_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(vccronjob_spec), AT(spec)},
	{"status", F_OBJECT(vccronjob_status), AT(status)},
};
#undef VIEW
const struct type vccronjob_type = {
	TYPE("CronJob", "v1alpha1", struct vccronjob, vccronjob_fields),
	BATCH,
	.doc = "a job at set times",
};
