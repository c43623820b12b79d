/* SPDX-License-Identifier: Apache-2.0 */
/* cli/vjobs.c - `vjobs`, for those who come from Slurm. Here -N is the namespace and -n the name. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/listing.h"

#include "base/banned.h"

#define FLAG_SHORT_NAMESPACE                                                            \
	{                                                                               \
		'N', "namespace", FLAG_STRING, "default", "the namespace", NULL, "NAME" \
	}

static int list_or_view(struct cli *cli, struct err *err)
{
	struct str name = cli_name(cli);

	return name.len ? job_view(cli, cli_namespace(cli), name, err) : job_list(cli, err);
}

static const struct flag jobs_flags[] = {
	{'n', "name", FLAG_STRING, NULL, "show this job in full", NULL, "NAME"},
	FLAG_SHORT_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	{'q', "queue", FLAG_STRING, NULL, "only jobs of this queue", NULL, "NAME"},
	{'S', "scheduler", FLAG_STRING, NULL, "only jobs of this scheduler", NULL, "NAME"},
	{0, "selector", FLAG_STRING, NULL,
	 "only jobs with this in their name, or with these labels (a=b)", NULL, "TEXT"},
	LISTING_FLAGS,
	LISTING_WATCH,
	{0},
};

const struct command command_vjobs = {.name = "vjobs",
				      .about = "list jobs, or show one",
				      .arguments = "[NAME]",
				      .flags = jobs_flags,
				      .run = list_or_view};
