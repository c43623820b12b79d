/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/commands.h - the commands of `volcano`. Each gives the exit code; -1: the error
 * says why not. */
#ifndef PROGRAMS_VOLCANO_COMMANDS_H
#define PROGRAMS_VOLCANO_COMMANDS_H

#include "base/err.h"
#include "base/macro.h"

struct settings;

typedef int command_fn(struct settings *settings, struct err *err);
command_fn up_run, down_run, status_run, backup_run, store_run;

/* Of `status` where nothing runs, as the Linux Standard Base has it for services. */
enum { EXIT_NOT_RUNNING = 3 };

#endif
