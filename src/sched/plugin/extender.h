/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/extender.h - what others need of the plugin extender: its calls, and which jobs wait for answers. */
#ifndef SCHED_EXTENDER_H
#define SCHED_EXTENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct config;
struct job;
struct outside;
struct session;

/* Where its calls go, and how long each may take; NULL: the configuration has none. */
struct outside *extender_calls(const struct config *config, struct str *ret_url,
			       int64_t *ret_timeout);
/* Does this session know too little of a job, since an answer is missing? Then nothing is reported of it yet. */
bool extender_holds(const struct session *ssn, const struct job *job);

#endif
