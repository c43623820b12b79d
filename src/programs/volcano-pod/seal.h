/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/seal.h - what a container that is a process of the machine may not write or see of the kernel's. */
#ifndef PROGRAMS_VOLCANO_POD_SEAL_H
#define PROGRAMS_VOLCANO_POD_SEAL_H

#include "base/err.h"
#include "base/macro.h"

struct plan_container;

/* In a mount namespace of its own, before volumes are mounted: a hostPath of what is sealed is sealed, too. */
int seal_make(const struct plan_container *container, struct err *err) MUST_CHECK;

#endif
