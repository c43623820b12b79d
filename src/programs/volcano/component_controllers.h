/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_controllers.h - the controllers component. */
#ifndef PROGRAMS_VOLCANO_COMPONENT_CONTROLLERS_H
#define PROGRAMS_VOLCANO_COMPONENT_CONTROLLERS_H

#include "programs/volcano/component.h"

void *component_controllers_start(struct component_world *world, struct err *err);
void component_controllers_stop(void *self, component_done_fn *done, void *arg);
void component_controllers_free(void *self);

#endif
