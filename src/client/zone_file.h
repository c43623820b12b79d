/* SPDX-License-Identifier: Apache-2.0 */
/* client/zone_file.h - time zones from this machine's tzdata, for services (model/ itself does no I/O). */
#ifndef CLIENT_ZONE_FILE_H
#define CLIENT_ZONE_FILE_H

#include <stdbool.h>

#include "base/str.h"

struct zone;

/* The zone of a name such as Europe/Berlin; NULL if tzdata has no such zone. */
struct zone *zone_file_read(struct str name);
/* Is there such a zone, or is it UTC, which needs no file? */
bool zone_file_exists(struct str name);

#endif
