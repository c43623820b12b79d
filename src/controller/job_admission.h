/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_admission.h - jobs that no webhook has seen: the defaults and the rules of admission, applied by the
 * controller to what it acts on.
 *
 * The stored job is not changed: a default is what the job means. Rules about other objects (is the
 * queue open?) are left out: the controller and the scheduler wait for these. */
#ifndef CONTROLLER_JOB_ADMISSION_H
#define CONTROLLER_JOB_ADMISSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/view.h"

/* The job with its defaults: a reference of the same document if it lacks none. */
struct json_doc *job_admission_default(struct json_doc *job, const struct strs *scheduler_names)
	__attribute__((returns_nonnull));
/* Would it be admitted? If not, *ret_why is the reason, in the arena. */
bool job_admission_check(struct json job, struct arena *arena, struct str *ret_why);

#endif
