/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain_internal.h - what explain_text.c and explain_wait.c share. */
#ifndef CLI_EXPLAIN_INTERNAL_H
#define CLI_EXPLAIN_INTERNAL_H

#include "base/vec.h"
#include "cli/explain_text.h"
#include "cli/pod_problem.h"
#include "cli/pods.h"
#include "model/volcano/wait_reason.h"

struct reason {
	struct str code;
	struct str text;
	struct str since;
	struct str help;
};
struct reasons VEC_FIELDS(struct reason);

struct explain {
	const struct explain_facts *facts;
	struct arena *arena;
	struct reasons reasons;
	struct wait_reasons reported; /* what the annotation says; the reasons lie in it */
	struct pod_places pods;
	struct str name;
	struct str phase;
	struct str advice; /* what would help; may be empty */
};

/* Fills e->reasons: why the job waits, the one that matters most first; at least one. */
void explain_find_reasons(struct explain *e);
/* The same for a job of which some pods wait; false: nothing is known. */
bool explain_find_some(struct explain *e);
/* Why the API server rejected its pods; false: it did not, or some were created. */
bool explain_find_rejected(struct explain *e, struct reason *ret);
/* When the job came to the phase that it is in. */
struct str explain_phase_since(struct json job);
struct pod_problem_facts explain_problem_facts(const struct explain *e);
/* When an event happened last. */
struct str explain_event_time(struct json event);

#endif
