/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/explain.h - why a job waits, as its PodGroup reports it: the annotation of model/volcano/wait_reason.h.
 *
 * Causes and ranks are those of reason.h, texts those of message.h. `since` is when a cause became one of the job's
 * reasons; it survives a restart, since it is read from the annotation. The text is decided again only if it
 * changes; a change of numbers or holders alone is minor, and may be written later. */
#ifndef SCHED_EXPLAIN_H
#define SCHED_EXPLAIN_H

#include <stdbool.h>

#include "base/str.h"

struct decision;
struct job;
struct session;

enum explained { EXPLAINED_SAME, EXPLAINED_NUMBERS, EXPLAINED_CHANGED };

/* At the end of a session: adds what follows from how its tasks stand (gates, part of a gang, capacity that
 * is being released), keeps the first in words (job->why), and sets `d->reasons` if the annotation has
 * to change; says whether it has, or only numbers in it. With `waits` false the reasons are taken
 * away. */
enum explained explain_job(struct session *ssn, struct job *job, bool waits, struct decision *d);

/* What the API has: the annotation's text, or nothing. */
void explain_read(struct job *job, struct str text);

#endif
