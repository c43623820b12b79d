/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_scheduler.h - the scheduler component. */
#ifndef PROGRAMS_VOLCANO_COMPONENT_SCHEDULER_H
#define PROGRAMS_VOLCANO_COMPONENT_SCHEDULER_H

#include "programs/volcano/component.h"

void *component_scheduler_start(struct component_world *world, struct err *err);
bool component_scheduler_is_ready(const void *self);
void component_scheduler_stop(void *self, component_done_fn *done, void *arg);
void component_scheduler_free(void *self);

#endif
