/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/vccronjob.h - CronJob (batch.volcano.sh/v1alpha1): a Job at set times. */
#ifndef MODEL_VCCRONJOB_H
#define MODEL_VCCRONJOB_H

#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/volcano/vcjob.h"

enum cron_policy { CRON_NONE, CRON_ALLOW, CRON_FORBID, CRON_REPLACE, CRON_POLICY_COUNT };

/* The metadata of a template: what is copied into what is made from it. */
struct template_meta {
	struct str name;
	struct str namespace;
	struct labels labels;
	struct labels annotations;
	struct strs finalizers;
};
extern const struct type template_meta_type;

struct vccronjob_template {
	struct template_meta meta;
	struct json spec; /* a JobSpec, copied whole */
};

struct vccronjob_spec {
	struct str schedule;
	struct str time_zone;
	struct opt_int64 starting_deadline_seconds;
	enum cron_policy concurrency_policy;
	struct opt_bool suspend;
	struct vccronjob_template job_template;
	struct opt_int32 successful_jobs_history_limit;
	struct opt_int32 failed_jobs_history_limit;
};

struct vccronjob_status {
	VIEW_LIST(struct object_reference) active;
	int64_t last_schedule_time;
	int64_t last_successful_time;
};

struct vccronjob {
	struct meta meta;
	struct vccronjob_spec spec;
	struct vccronjob_status status;
};

extern const struct type vccronjob_type;

#endif
