/* SPDX-License-Identifier: Apache-2.0 */
/* cli/vjobs.c - `vjobs`, for those who come from Slurm. Here -N is the namespace and -n the name. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/listing.h"

#include "base/banned.h"

#define FLAG_SHORT_NAMESPACE                                                                      \
	{                                                                                         \
		.letter = 'N', .name = "namespace", .value = "default", .about = "the namespace", \
		.noun = "NAME", .completes = "namespaces"                                         \
	}

static int list_or_view(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str name = cli_name(cli);

	return name.len ? job_view(cli, cli_namespace(cli), name, err) : job_list(cli, err);
}

static const struct flag jobs_flags[] = {
	{.letter = 'n',
	 .name = "name",
	 .about = "show this job in full",
	 .noun = "NAME",
	 .completes = COMPLETE_NAME},
	FLAG_SHORT_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	{.letter = 'q',
	 .name = "queue",
	 .about = "only jobs of this queue",
	 .noun = "NAME",
	 .completes = "queues"},
	{.letter = 'S',
	 .name = "scheduler",
	 .about = "only jobs of this scheduler",
	 .noun = "NAME"},
	{.name = "selector",
	 .about = "only jobs with this in their name, or with these labels (a=b)",
	 .noun = "TEXT"},
	LISTING_FLAGS,
	LISTING_WATCH,
	{.name = NULL},
};

const struct command command_vjobs = {.name = "vjobs",
				      CLI_ROOT,
				      .completes = "jobs",
				      .about = "list jobs, or show one",
				      .arguments = "[NAME]",
				      .flags = jobs_flags,
				      .run = list_or_view};
