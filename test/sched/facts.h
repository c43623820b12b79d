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
/* Lines that tell where `have` lacks something `want` demands. */
void facts_missing(struct json want, struct json have, struct notes *notes);
/* Why a claim does not hold, as a note. */
void facts_claim(const struct world *world, struct json claim, struct notes *notes);

#endif
