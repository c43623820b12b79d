/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_node.h - the node component: this machine, and simulated nodes. */
#ifndef PROGRAMS_VOLCANO_COMPONENT_NODE_H
#define PROGRAMS_VOLCANO_COMPONENT_NODE_H

#include "programs/volcano/component.h"

void *component_node_start(struct component_world *world, struct err *err);
bool component_node_is_ready(const void *self);
void component_node_stop(void *self, component_done_fn *done, void *arg);
void component_node_free(void *self);

#endif
