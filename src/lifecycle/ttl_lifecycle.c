/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/ttl_lifecycle.c - ttlSecondsAfterFinished. Its dependents are deleted first, and only the job with
 * this uid, not a new job of the same name. */
#include "lifecycle/ttl_lifecycle.h"

#include "base/time.h"
#include "model/volcano/vcjob.h"

#include "base/banned.h"

int ttl_step(struct json job, int64_t now, struct plan *plan, struct err *err)
{
	struct vcjob view;
	const struct opt_int32 *ttl = &view.spec.ttl_seconds_after_finished;
	int64_t finished;
	int64_t end;

	if (type_decode(&vcjob_type, job, plan->arena, &view, err) < 0)
		return err_wrap(err, "job");
	finished = view.status.state.last_transition_time;
	if (meta_is_deleting(&view.meta) || !ttl->set || !finished ||
	    view.status.state.phase == VCJOB_ABORTED ||
	    !vcjob_phase_is_final(view.status.state.phase))
		return 0;
	end = time_after(finished, time_span(ttl->value));
	if (end > now)
		plan_step_at(plan, end);
	else
		plan_delete(plan, PLAN_JOB, &view.meta)->propagation = PLAN_FOREGROUND;
	return 0;
}
