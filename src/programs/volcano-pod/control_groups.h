/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/control_groups.h - control groups that the plan leaves to the supervisor.
 *
 * The kernel may make a process that creates or joins a control group wait for every fork on the machine: the
 * supervisor waits, so that an agent with many pods does not. */
#ifndef PROGRAMS_VOLCANO_POD_GROUPS_H
#define PROGRAMS_VOLCANO_POD_GROUPS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"

struct plan_container;
struct pod_plan;

/* Make the groups of a container and write their limits. Groups that exist already stay. */
int control_groups_make(const struct plan_container *container, struct err *err) MUST_CHECK;
/* Remove the groups of all containers in which nothing runs. True: there were some, and all were removed;
 * otherwise the agent has to remove them. */
bool control_groups_remove(const struct pod_plan *plan);

#endif
