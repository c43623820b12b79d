/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/ttl_lifecycle.h - jobs that have finished are deleted when their time is over. Time counts from the
 * last change of the job's state; aborted jobs stay, since they can be resumed. */
#ifndef LIFECYCLE_TTL_LIFECYCLE_H
#define LIFECYCLE_TTL_LIFECYCLE_H

#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

int ttl_step(struct json job, int64_t now, struct plan *plan, struct err *err) MUST_CHECK;

#endif
