/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/batchjob.h - batch/v1: jobs and cron jobs of Kubernetes itself. */
#ifndef MODEL_BATCHJOB_H
#define MODEL_BATCHJOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

struct batch_job_spec {
	struct opt_int32 parallelism;
	struct opt_int32 completions;
	struct opt_int64 active_deadline_seconds;
	struct opt_int32 backoff_limit;
	const struct label_selector *selector;
	struct opt_int32 ttl_seconds_after_finished;
	struct opt_bool suspend;
};
extern const struct type batch_job_spec_type;

struct batch_job {
	struct meta meta;
	struct batch_job_spec spec;
};
extern const struct type batch_job_type;

struct batch_cron_job {
	struct meta meta;
};
extern const struct type batch_cron_job_type;

/* Unless the user chooses pods by hand: label the pods with the job's uid and name, and choose by the
 * uid. Comes after the metadata has been completed, and before the rules. */
void batch_job_prepare_create(struct json_doc *doc, struct json job);

/* How to call them: model/rules/rules.h. Whether there is a time zone of a name
 * is checked by code that can read its file. */
void batch_job_validate_create(struct json job, struct causes *causes);
void batch_job_validate_update(struct json job, struct json old, struct causes *causes);
void batch_job_validate_status(struct json job, struct json old, struct causes *causes);
void batch_cron_job_validate_create(struct json cron, struct causes *causes);
void batch_cron_job_validate_update(struct json cron, struct json old, struct causes *causes);

#endif
