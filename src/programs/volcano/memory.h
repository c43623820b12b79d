/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/memory.h - memory that is not used any more goes back to the system. */
#ifndef PROGRAMS_VOLCANO_MEMORY_H
#define PROGRAMS_VOLCANO_MEMORY_H

#include "base/macro.h"

struct loop;
struct memory;

/* Looks every few seconds how much of the heap is free. */
struct memory *memory_watch(struct loop *loop) __attribute__((returns_nonnull));
/* Takes NULL. */
void memory_free(struct memory *memory);
DEFINE_AUTO(struct memory *, memory_free);

#endif
