/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/remover.h - deletes folders with their content on a worker, one after the other.
 *
 * Any number may wait: none is refused. What cannot be deleted stays; the agent searches for leftovers at its next
 * start. */
#ifndef NODE_REMOVER_H
#define NODE_REMOVER_H

struct loop;
struct remover;

struct remover *remover_new(struct loop *loop) __attribute__((returns_nonnull));
/* Folders that wait are left. Takes NULL. */
void remover_free(struct remover *remover);

void remover_add(struct remover *remover, const char *folder);

#endif
