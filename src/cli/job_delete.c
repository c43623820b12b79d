/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_delete.c - `vcctl job delete`, `vcancel`. */
#include "cli/cli.h"
#include "cli/commands.h"

#include "base/banned.h"

int job_delete(struct cli *cli, struct str namespace, struct str name, struct err *err)
{
	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "job name is mandatory to delete a particular job");
	if (cli_delete(cli, RESOURCE_VCJOBS, namespace, name, err) < 0)
		return -1;
	buf_printf(&cli->out, "delete job %.*s successfully\n", STR_ARG(name));
	return 0;
}

static int run(struct cli *cli, struct err *err)
{
	return job_delete(cli, cli_namespace(cli), command_str(&cli->line, "name"), err);
}

static const struct flag flags[] = {CLI_FLAG_NAME("job"), CLI_FLAG_NAMESPACE, {0}};

const struct command command_job_delete = {
	.name = "delete", .about = "delete a job", .flags = flags, .run = run};

static const struct flag short_flags[] = {
	{'n', "name", FLAG_STRING, NULL, "the name of the job", NULL, "NAME"},
	{'N', "namespace", FLAG_STRING, "default", "the namespace", NULL, "NAME"},
	{0},
};

const struct command command_vcancel = {
	.name = "vcancel", .about = "delete a job", .flags = short_flags, .run = run};
