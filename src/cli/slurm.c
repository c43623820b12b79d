/* SPDX-License-Identifier: Apache-2.0 */
/* cli/slurm.c - `vjobs` and `vsub`, for those who come from Slurm. Here -N is the namespace and -n
 * the name. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/listing.h"

#include "base/banned.h"

#define FLAG_SHORT_NAMESPACE                                               \
	{                                                                  \
		'N', "namespace", FLAG_STRING, "default", "the namespace", \
			"VOLCANO_DEFAULT_JOB_NAMESPACE", "NAME"            \
	}

static int list_or_view(struct cli *cli, struct err *err)
{
	struct str name = command_str(&cli->line, "name");

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
	{0},
};

const struct command command_vjobs = {.name = "vjobs",
				      .about = "list jobs, or show one",
				      .flags = jobs_flags,
				      .run = list_or_view};

static int submit(struct cli *cli, struct err *err)
{
	struct str name = command_str(&cli->line, "name");

	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST, "job name cannot be left blank");
	return job_submit(cli, cli_namespace(cli), name, command_str(&cli->line, "command"), err);
}

static const struct flag submit_flags[] = {
	{'n', "name", FLAG_STRING, NULL, "the name of the job", NULL, "NAME"},
	FLAG_SHORT_NAMESPACE,
	{'c', "command", FLAG_STRING, NULL, "the command to run", NULL, "TEXT"},
	{'i', "image", FLAG_STRING, "busybox", "the container's image", "VOLCANO_DEFAULT_IMAGE",
	 "IMAGE"},
	{'L', "limits", FLAG_STRING, "cpu=1000m,memory=100Mi", "what a pod may use at most", NULL,
	 "LIST"},
	{'m', "min", FLAG_INT, "1", "pods that must run at the same time", NULL, "N"},
	{'r', "replicas", FLAG_INT, "1", "pods of the job", NULL, "N"},
	{'R', "requests", FLAG_STRING, "cpu=1000m,memory=100Mi", "what a pod is given at least",
	 NULL, "LIST"},
	{'S', "scheduler", FLAG_STRING, "volcano", "the scheduler of the job",
	 "VOLCANO_SCHEDULER_NAME", "NAME"},
	{0},
};

const struct command command_vsub = {
	.name = "vsub", .about = "submit a job", .flags = submit_flags, .run = submit};
