/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/manual.h - `volcano __manual`, which the build calls: the manual page, in roff. */
#ifndef PROGRAMS_VOLCANO_MANUAL_H
#define PROGRAMS_VOLCANO_MANUAL_H

#include <stddef.h>

#include "base/buf.h"
#include "programs/volcano/settings.h"

/* A command as volcano.c lists them. */
struct manual_command {
	const char *name;
	enum command command;
	const char *about;
};
void manual_put(const struct manual_command *commands, size_t count, struct buf *to);

#endif
