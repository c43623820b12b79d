/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/control_groups.h - control groups that a plan leaves to the supervisor.
 *
 * Whoever makes or joins one may wait for every fork of the machine; an agent with many pods must not. */
#ifndef PROGRAMS_VOLCANO_POD_CONTROL_GROUPS_H
#define PROGRAMS_VOLCANO_POD_CONTROL_GROUPS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"

struct plan_container;
struct pod_plan;

/* Those of a container, with their bounds. Ones that are there already stay. */
int groups_make(const struct plan_container *container, struct err *err) MUST_CHECK;
/* Of all containers, where nothing runs in them. True: there were some, and all are gone; else the agent has to
 * see to it. */
bool groups_remove(const struct pod_plan *plan);

#endif
