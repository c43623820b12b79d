/* SPDX-License-Identifier: Apache-2.0 */
/* cli/manual.h - manual pages, made of the tables of commands, so that they cannot say anything else. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "base/buf.h"
#include "cli/command.h"

/* The page of a command, in roff: "vcctl", "vcctl-job", "vsub". `path` are the names from the root on;
 * the page of a group has a section for each command in it that is no group. */
void manual_put(const struct command *root, const struct str *path, size_t count, struct buf *to);

#endif
