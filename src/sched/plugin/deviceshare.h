/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/deviceshare.h - where the device configuration file is, for the service that watches it. */
#ifndef SCHED_DEVICESHARE_H
#define SCHED_DEVICESHARE_H

#include <stdbool.h>

#include "base/str.h"
#include "sched/session/config.h"

/* The ConfigMap with the file; lent. False: the plugin is not configured. */
bool deviceshare_source(const struct config *config, struct str *ret_namespace,
			struct str *ret_name);

#endif
