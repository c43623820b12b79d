/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_logs.c - `vcctl job logs NAME [TASK[/INDEX]]`: what the pods of a job have printed. */
#include "base/number.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/follow.h"

#include "base/banned.h"

/* "worker", "worker/3" */
static int read_target(struct str text, struct follow_options *options, struct err *err)
{
	ptrdiff_t slash = str_find_byte(text, '/', 0);

	options->index = -1;
	options->task = slash < 0 ? text : str_slice(text, 0, (size_t)slash);
	if (slash < 0)
		return 0;
	if (number_parse_i64(str_skip(text, (size_t)slash + 1), &options->index, err) < 0 ||
	    options->index < 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%.*s\": must be TASK or TASK/INDEX, as in worker/0",
			       STR_ARG(text));
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str name = cli_name(cli);
	size_t at = command_given(&cli->line, "name") ? 0 : 1;
	struct follow_options options = {
		.namespace = cli_namespace(cli),
		.job = name,
		.index = -1,
		.container = command_str(&cli->line, "container"),
		.previous = command_bool(&cli->line, "previous"),
		.timestamps = command_bool(&cli->line, "timestamps"),
		.prefix = command_bool(&cli->line, "prefix"),
		.tail = command_int(&cli->line, "tail"),
		.since_us = command_duration(&cli->line, "since"),
		.timeout_us = -1,
	};
	struct follow_result result;

	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "which job? `vcctl job logs NAME`; `vcctl job list` shows them");
	if (cli->line.argument_count > at &&
	    read_target(cli->line.arguments[at], &options, err) < 0)
		return -1;
	if (command_bool(&cli->line, "follow"))
		return follow_to_end(cli, &options, &result, err);
	return follow_once(cli, &options, err);
}

static const struct flag flags[] = {
	CLI_FLAG_NAME("job"),
	CLI_FLAG_NAMESPACE,
	{.letter = 'c',
	 .name = "container",
	 .about = "only this container of each pod",
	 .noun = "NAME"},
	{.letter = 'f',
	 .name = "follow",
	 .type = FLAG_BOOL,
	 .about = "go on until the job has ended"},
	{.letter = 'p',
	 .name = "previous",
	 .type = FLAG_BOOL,
	 .about = "of the run before the last restart of a container"},
	{.name = "prefix",
	 .type = FLAG_BOOL,
	 .about = "name the pod before each line even if it is the only one"},
	{.name = "since",
	 .type = FLAG_DURATION,
	 .value = "0s",
	 .about = "only lines that are no older than this",
	 .noun = "DURATION"},
	{.name = "tail",
	 .type = FLAG_INT,
	 .value = "-1",
	 .about = "only the last lines of each container; -1: all",
	 .noun = "N"},
	{.name = "timestamps", .type = FLAG_BOOL, .about = "show when each line was printed"},
	{.name = NULL},
};

const struct command command_job_logs = {
	.name = "logs",
	.about = "show what the pods of a job have printed",
	.more = "Of all pods, of the pods of one TASK, or of one pod, TASK/INDEX. Without --follow "
		"pod\n"
		"after pod; with it as it comes, from pods that come later and from restarted ones "
		"as\n"
		"well, until the job has ended. Lines of several pods begin with TASK/INDEX.",
	.arguments = "NAME [TASK[/INDEX]]",
	.flags = flags,
	.run = run};
