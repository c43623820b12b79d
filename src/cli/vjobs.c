/* SPDX-License-Identifier: Apache-2.0 */
/* cli/vjobs.c - `vjobs`, for those who come from Slurm. Here -N is the namespace and -n the name. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/object_list.h"

#include "base/banned.h"

static int list_or_view(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str name = cli_name(cli);

	return name.len ? job_view(cli, cli_namespace(cli), name, err) : job_list(cli, err);
}

static const struct flag jobs_flags[] = {
	CLI_SHORT_NAME("show this job in full"),
	CLI_SHORT_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	JOB_LIST_FLAGS,
	{.name = NULL},
};

const struct command command_vjobs = {.name = "vjobs",
				      CLI_ROOT,
				      .completes = "jobs",
				      .about = "list jobs, or show one",
				      .arguments = "[NAME]",
				      .flags = jobs_flags,
				      .run = list_or_view};
