/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/ttl_lifecycle.h - finished jobs are deleted after their time to live. Time counts from
 * the last change of the job's state; aborted jobs stay, because they can be resumed. */
#ifndef LIFECYCLE_TTL_LIFECYCLE_H
#define LIFECYCLE_TTL_LIFECYCLE_H

#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

int ttl_step(struct json job, int64_t now, struct plan *plan, struct err *err) MUST_CHECK;

#endif
