/* SPDX-License-Identifier: Apache-2.0 */
/* numbered.h - which numbered scenarios of the specification are shown, and where.
 *
 * A scenario names its numbers in `spec`. A file (test/scenario/spec.yaml) lists the others: shown by a unit
 * test, or of what is not built yet. */
#ifndef TEST_SCHED_NUMBERED_H
#define TEST_SCHED_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "facts.h"
#include "json/doc.h"

enum { NUMBERED_MAX = 256 };
struct numbered {
	bool shown[NUMBERED_MAX];
};

/* The numbers of a scenario; a list that may be absent. */
void numbered_add(struct numbered *numbered, struct json list, struct notes *notes);
/* Is every number in one place? Prints how many are where. */
void numbered_check(const struct numbered *numbered, struct str file, struct notes *notes);

#endif
