/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/local_zone.h - what clocks show where the scheduler runs, for plugins that go by the hour.
 *
 * As everywhere in Unix it is what the variable TZ says, and without it the file /etc/localtime; the
 * variable is read by the program. */
#ifndef SCHEDULER_LOCAL_ZONE_H
#define SCHEDULER_LOCAL_ZONE_H

struct log;
struct zone;

/* The file of tzdata for a value of TZ: NULL stands for a variable that is not set. The caller's; NULL: UTC. */
char *local_zone_path(const char *tz);
/* The zone of such a file; NULL: UTC, as where there is no such file. One that makes no sense is warned of. */
struct zone *local_zone_read(const char *path, struct log *log);

#endif
