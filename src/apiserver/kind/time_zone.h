/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/time_zone.h - is there a time zone of this name on this machine? */
#ifndef APISERVER_TIME_ZONE_H
#define APISERVER_TIME_ZONE_H

#include <stdbool.h>

#include "base/str.h"

/* UTC is always there; others are files of tzdata, which are read and checked. May be called on a worker. */
bool time_zone_exists(struct str name);

#endif
