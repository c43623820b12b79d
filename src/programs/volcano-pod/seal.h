/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/seal.h - kernel files that a container which runs as a process of the machine may not write
 * or see. */
#ifndef PROGRAMS_VOLCANO_POD_SEAL_H
#define PROGRAMS_VOLCANO_POD_SEAL_H

#include "base/err.h"
#include "base/macro.h"

struct plan_container;

/* In a mount namespace of its own, before volumes are mounted: a hostPath volume of a sealed path is sealed, too. */
int seal_make(const struct plan_container *container, struct err *err) MUST_CHECK;

#endif
