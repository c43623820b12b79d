/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/flow_lifecycle.h - JobFlows: jobs from templates, each made when those before it are done; and
 * JobTemplates, which list the jobs that were made from them.
 *
 * A job's turn has come when each of its targets is Completed, or, where it has a probe, when that
 * holds of its targets: all pods of the named tasks are in the named phases, and answer to a GET or on
 * a port; whichever comes first. Whether pods answer is an input, since asking them takes a
 * network; where nobody can ask, such a probe waits for completion.
 *
 * | phase          | next                                                                   |
 * |----------------|------------------------------------------------------------------------|
 * | none, Pending  | Running when a job runs or is done and none has failed; Failed when one |
 * |                | has failed or was terminated; Succeed when there are no flows at all    |
 * | Running        | Succeed when as many are done as there are flows; Failed when one failed |
 * | Succeed        | with jobRetainPolicy delete the jobs are deleted                        |
 * | Failed         | stays                                                                   |
 *
 * A job that was made and is gone is not made again: it is listed among unKnowJobs, as is one whose
 * turn has come and whose template is missing. */
#ifndef LIFECYCLE_FLOW_LIFECYCLE_H
#define LIFECYCLE_FLOW_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

enum flow_probe { FLOW_PROBE_HTTP, FLOW_PROBE_TCP };

struct flow_world {
	struct json flow;
	/* Jobs and JobTemplates of its namespace by name, or JSON_NONE. */
	struct json (*find)(void *arg, enum plan_kind_id kind, struct str name);
	/* Do the pods of a task of a job answer? `entry` is the row of the probe. NULL: nobody knows. */
	bool (*answers)(void *arg, enum flow_probe probe, struct str job, struct json entry);
	void *arg;
	int64_t now;
};

int flow_step(const struct flow_world *world, struct plan *plan, struct err *err) MUST_CHECK;

/* `jobs` are those labelled with the template, in order of their names. */
int template_step(struct json template, const struct json *jobs, size_t job_count,
		  struct plan *plan, struct err *err) MUST_CHECK;

#endif
