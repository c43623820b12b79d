/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/volcano_commands.h - the commands of `volcano`. Each returns the exit code; -1: the error
 * says why not. */
#ifndef PROGRAMS_VOLCANO_VOLCANO_COMMANDS_H
#define PROGRAMS_VOLCANO_VOLCANO_COMMANDS_H

#include "base/err.h"
#include "base/macro.h"
#include "flags/command_line.h"

/* The program is a struct settings. */
command_run_fn up_run, down_run, status_run, backup_run, store_run;

/* Of `status` if nothing runs, as the Linux Standard Base has it for services. */
enum { EXIT_NOT_RUNNING = 3 };

#endif
