/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/explain.h - why a job waits, as its PodGroup reports it: the annotation
 * `scheduling.volcano.sh/reasons`, a JSON list, the one that matters most first.
 *
 *	[{"code": "QueueCapability",
 *	  "text": "queue research is at its capability for nvidia.com/gpu: 64 of 64, 4 promised, needs 12 more",
 *	  "help": "wait for jobs of queue research to end, or raise its capability",
 *	  "since": "2026-01-02T03:04:05Z",
 *	  "subject": "research", "dimension": "nvidia.com/gpu",
 *	  "have": "64", "promised": "4", "limit": "64", "asked": "8", "shortfall": "12"},
 *	 {"code": "NoNodeFits", ..., "nodes": 120,
 *	  "counts": [{"code": "Insufficient", "dimension": "cpu", "nodes": 80,
 *		      "asked": "4", "largestFree": "2500m"},
 *		     {"code": "Taint", "text": "node(s) had untolerated taint(s)", "nodes": 40}]}]
 *
 * Codes, ranks and texts are those of reason.h. `since` is when a code became one of the job's reasons;
 * it outlives a restart, since it is read from the annotation. The text is decided again only when it
 * changes; a change of numbers alone is minor, and may be reported later. */
#ifndef SCHED_EXPLAIN_H
#define SCHED_EXPLAIN_H

#include <stdbool.h>

#include "base/str.h"

struct decision;
struct job;
struct session;

enum explained { EXPLAINED_SAME, EXPLAINED_NUMBERS, EXPLAINED_CHANGED };

#define EXPLAIN_ANNOTATION "scheduling.volcano.sh/reasons"

/* At the end of a session: adds what follows from how its tasks stand (gates, part of a gang, capacity that
 * is being released), keeps the first in words (job->why), and sets `d->reasons` if the annotation has
 * to change; says whether it has, or only numbers in it. With `waits` false the reasons are taken
 * away. */
enum explained explain_job(struct session *ssn, struct job *job, bool waits, struct decision *d);

/* What the API has: the annotation's text, or nothing. */
void explain_read(struct job *job, struct str text);

#endif
