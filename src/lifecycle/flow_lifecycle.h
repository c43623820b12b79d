/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/flow_lifecycle.h - JobFlows: jobs from templates, each created when the jobs before it are
 * done; and JobTemplates, which list the jobs that were made from them.
 *
 * A job is created when each of its targets is Completed, or, if it has a probe, when the probe
 * succeeds for its targets: all pods of the named tasks are in the named phases, and answer to a GET
 * or on a port; whichever comes first. Whether pods answer is an input, because probing needs the
 * network; if nothing can probe, the job waits for completion.
 *
 * | phase          | next                                                                   |
 * |----------------|------------------------------------------------------------------------|
 * | none, Pending  | Running when a job runs or is done and none has failed; Failed when one |
 * |                | has failed or was terminated; Succeed when there are no flows at all    |
 * | Running        | Succeed when as many are done as there are flows; Failed when one failed |
 * | Succeed        | with jobRetainPolicy delete the jobs are deleted                        |
 * | Failed         | stays                                                                   |
 *
 * A job that was created and then deleted is not created again: it is listed in unKnowJobs, as is a
 * job whose template is missing when it should be created. */
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
	/* Do the pods of a task of a job answer? `entry` is the row of the probe. NULL: unknown. */
	bool (*answers)(void *arg, enum flow_probe probe, struct str job, struct json entry);
	void *arg;
	int64_t now;
};

int flow_step(const struct flow_world *world, struct plan *plan, struct err *err) MUST_CHECK;

/* `jobs` are those labelled with the template, in order of their names. */
int template_step(struct json template, const struct json *jobs, size_t job_count,
		  struct plan *plan, struct err *err) MUST_CHECK;

#endif
