/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/mountinfo.h - lines of /proc/PID/mountinfo:
 *
 *	36 35 0:30 /root /mount/point rw,relatime shared:9 - cgroup cgroup rw,cpu */
#ifndef NODE_MOUNTINFO_H
#define NODE_MOUNTINFO_H

#include <stdbool.h>

#include "base/str.h"

struct mount_line {
	struct str root; /* the part of the file system that is mounted */
	struct str point;
	struct str fstype;
	struct str options; /* of the file system */
};

/* Takes the next line from a text; false at its end. Malformed lines are skipped. */
bool mountinfo_next(struct str *text, struct mount_line *ret);

#endif
