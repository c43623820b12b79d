/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - what can be seen of a world, in the form in which cases expect it, and comparing the two:
 * the same meaning as the replay program of the recorded cases. */
#ifndef TEST_SCHED_FACTS_H
#define TEST_SCHED_FACTS_H

#include <stddef.h>

#include "base/vec.h"
#include "json/doc.h"
#include "world.h"

struct notes VEC_FIELDS(char *);
void notes_done(struct notes *notes);

/* {"groups": ..., "queues": ..., "conditions": ..., "unbound": ..., "events": ...}, and "nodes" or
 * "pods" if `placement` says so. The caller's. */
struct json_doc *facts_of(const struct world *world, struct str placement);
/* ... and "annotations": of every pod, those that are named. */
void facts_add_annotations(const struct world *world, struct json names, struct json_doc *facts);
/* Lines that say where `have` lacks something `want` demands. */
void facts_missing(struct json want, struct json have, struct notes *notes);
/* The short form of expectations, for groups of the namespace default and for nodes:
 *
 *	bound: {g1: 3}   pending: {g1: 0}   evicted: {g1: 1}   phase: {g1: Running}
 *	filled: {n1: 2}                   how many pods are bound to a node
 *	at: {g1-w-0: n1}                  where a pod is
 *	why: {g1: at its capability}      a part of the line that says why a job waits
 *	reasons: {g1: NoNodeFits}         the codes of what its annotation reports
 *	help: {g1: add a node}            what would help, of each of these */
void facts_short(const struct world *world, struct json want, struct json have,
		 struct notes *notes);
/* Why a claim does not hold, as a note. */
void facts_claim(const struct world *world, struct json claim, struct notes *notes);

#endif
