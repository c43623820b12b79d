/* SPDX-License-Identifier: Apache-2.0 */
/* cli/phase.h - phases of a job: which there are, which are its end, what colour they have. */
#ifndef CLI_PHASE_H
#define CLI_PHASE_H

#include <stdbool.h>

#include "base/str.h"
#include "cli/cli.h"
#include "json/doc.h"

/* Of a Job; "" before the controller has seen it. */
struct str phase_of(struct json job);
/* Has the job, or one of its tasks, a policy with the action AbortJob? Else only a user suspends it. */
bool phase_may_abort(struct json job);
/* No pod of the job runs any more, and none will unless a user asks: Completed, Failed,
 * Terminated, Aborted. */
bool phase_is_end(struct str phase);
/* As it is spelled, whatever letters were typed ("completed"); none: there is no such phase. */
struct str phase_find(struct str typed);
enum colour phase_colour(struct str phase);

#endif
