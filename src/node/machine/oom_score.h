/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/oom_score.h - which container is killed first when the machine runs out of memory: as with a
 * kubelet, the one that uses the most beyond its requests. Pure. */
#ifndef NODE_OOM_SCORE_H
#define NODE_OOM_SCORE_H

#include <stdint.h>

#include "model/pod/container.h"
#include "model/pod/pod.h"

/* For oom_score_adj. `memory`: of the machine; 0: unknown. */
int oom_score(const struct pod *pod, const struct container *container, int64_t memory);

#endif
