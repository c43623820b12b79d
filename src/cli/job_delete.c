/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_delete.c - `vcctl job delete`, `vcancel`. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "model/core/meta.h"

#include "base/banned.h"

/* "delete", or "cancel" if Slurm's word is used. */
static const char *verb(const struct cli *cli)
{
	return cli->line.depth > 1 ? "delete" : "cancel";
}

static int job_delete(struct cli *cli, struct str namespace, struct str name, struct err *err)
{
	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST, "job name is mandatory to %s a particular job",
			       verb(cli));
	if (cli_delete(cli, RESOURCE_VCJOBS, namespace, name, err) < 0)
		return -1;
	buf_printf(&cli->out, "%s job %.*s successfully\n", verb(cli), STR_ARG(name));
	return 0;
}

static int delete_all(struct cli *cli, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *jobs = cli_list(cli, RESOURCE_VCJOBS, cli_namespace(cli), str_none(), err);
	struct json_iter it;

	if (!jobs)
		return -1;
	it = json_iter(json_get(json_doc_root(jobs), "items"));
	while (json_next(&it))
		if (job_delete(cli, cli_namespace(cli), meta_name(it.value), err) < 0)
			return -1;
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str name = cli_name(cli);
	size_t count = cli->line.argument_count;

	if (command_bool(&cli->line, "all"))
		return delete_all(cli, err);
	if (!count || command_given(&cli->line, "name"))
		return job_delete(cli, cli_namespace(cli), name, err);
	for (size_t i = 0; i < count; i++)
		if (job_delete(cli, cli_namespace(cli), cli->line.arguments[i], err) < 0)
			return -1;
	return 0;
}

#define FLAG_ALL                                                                       \
	{                                                                              \
		.name = "all", .type = FLAG_BOOL, .about = "all jobs of the namespace" \
	}

static const struct flag flags[] = {
	CLI_FLAG_NAME("job"), CLI_FLAG_NAMESPACE, FLAG_ALL, {.name = NULL}};

const struct command command_job_delete = {.name = "delete",
					   .about = "delete a job",
					   .arguments = "[NAME...]",
					   .flags = flags,
					   .run = run};

static const struct flag short_flags[] = {
	CLI_SHORT_NAME("the name of the job"),
	CLI_SHORT_NAMESPACE,
	FLAG_ALL,
	{.name = NULL},
};

const struct command command_vcancel = {.name = "vcancel",
					CLI_ROOT,
					.completes = "jobs",
					.about = "delete a job",
					.arguments = "[NAME...]",
					.flags = short_flags,
					.run = run};
