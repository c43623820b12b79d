/* SPDX-License-Identifier: Apache-2.0 */
/* cli/help.c - `vcctl help [COMMAND...]`, and the table of exit codes. */
#include "base/macro.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/exit.h"

#include "base/banned.h"

const struct exit_code exit_codes[] = {
	{EXIT_WELL, "it was done; for `vsub --wait`: the job has completed"},
	{EXIT_USAGE, "the command line is wrong; nothing was asked of the server"},
	{EXIT_NEVER, "`job wait`: the job has ended in another phase than the one waited for"},
	{EXIT_TOO_LATE, "`--timeout` has passed, or the job was stopped at its time limit"},
	{EXIT_FAILED, "it failed: the server could not be reached, or refused"},
};
const size_t exit_code_count = ARRAY_LEN(exit_codes);

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct command_line about;

	if (command_find(cli->line.path[0], cli->line.arguments, cli->line.argument_count, &about,
			 err) < 0)
		return -1;
	command_help(&about, &cli->out);
	return 0;
}

const struct command command_help_command = {.name = "help",
					     .about = "help about any command",
					     .arguments = "[COMMAND...]",
					     .run = run,
					     .no_common = true};
