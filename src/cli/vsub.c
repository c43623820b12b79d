/* SPDX-License-Identifier: Apache-2.0 */
/* cli/vsub.c - `vsub`: a command or a script as a job, in one line, as sbatch users expect it.
 *
 * Upstream's vsub has -n NAME and -c COMMAND where sbatch has -n TASKS and -c CPUS: both are taken, a
 * number being what sbatch means. A line that has only upstream's flags makes the job that upstream
 * makes. Flags of a script's #VSUB lines come before those of the command line, which win. */
#include <assert.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/time.h"
#include "base/vec.h"
#include "cli/array.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/follow.h"
#include "cli/phase.h"
#include "cli/script.h"
#include "cli/submit.h"
#include "json/yaml.h"
#include "loop/loop.h"
#include "model/value/duration.h"

#include "base/banned.h"

enum { NAME_BYTES = 40, SUFFIX_BYTES = 5 };

struct plan {
	struct submit submit;
	struct array array;
	struct words command;
	struct words env;
	struct buf script; /* its text; empty: there is none */
};

static void plan_done(struct plan *plan)
{
	vec_done(&plan->command);
	vec_done(&plan->env);
	buf_done(&plan->script);
}
DEFINE_AUTO_IN_PLACE(struct plan, plan_done);

static bool is_number(struct str text)
{
	int64_t number;
	struct err err;

	return number_parse_i64(text, &number, &err) == 0;
}

/* --- scripts ------------------------------------------------------------------------------------ */

/* Is there a file that can be read? */
static bool has_file(struct cli *cli, const char *path)
{
	AUTO(buf_done) struct buf first = buf_make(1);
	struct err err;

	return cli->host->read(cli->host->arg, path, &first, &err) == 0 ||
	       err.code == ERR_TOO_LARGE;
}

static bool is_in_path(struct cli *cli, struct str name)
{
	struct str folders = str_from(cli->host->env("PATH"));
	struct str folder;

	if (str_find_byte(name, '/', 0) >= 0)
		return false;
	while (folders.len && str_split(&folders, ':', &folder))
		if (folder.len && has_file(cli, arena_printf(cli->arena, "%.*s/%.*s",
							     STR_ARG(folder), STR_ARG(name))))
			return true;
	return false;
}

/* The first argument, if there is no "--", is a script, whose text is kept, or a program of this
 * machine. Anything else is a mistake: a job would only fail where it runs. */
static int find_script(struct cli *cli, struct plan *plan, struct err *err)
{
	struct str name;
	int status;

	plan->script = buf_make(SCRIPT_BYTES_MAX);
	if (!cli->line.argument_count || cli->line.dashes)
		return 0;
	name = cli->line.arguments[0];
	status = cli->host->read(cli->host->arg, arena_str(cli->arena, name).ptr, &plan->script,
				 err);
	if (status == 0 && script_is(buf_str(&plan->script)))
		return 0;
	if (status == 0 &&
	    !str_starts(buf_str(&plan->script), STR("\x7f"
						    "ELF")) &&
	    !is_in_path(cli, name))
		return err_set(
			err, ERR_BAD_REQUEST,
			"%.*s does not begin with \"#!\": make \"#!/bin/sh\" its first line, "
			"or run it by name: vsub -- sh %.*s",
			STR_ARG(name), STR_ARG(name));
	buf_clear(&plan->script);
	if (status == 0 || err->code == ERR_TOO_LARGE || is_in_path(cli, name))
		return 0;
	return err_wrap(err,
			"cannot run %.*s (a program that only the job's machine has is named "
			"after \"--\")",
			STR_ARG(name));
}

/* The absolute path of the script: it finds its own folder by that. */
static struct str full_path(struct cli *cli, struct str path)
{
	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	if (str_starts(path, STR("/")))
		return path;
	return str_from(arena_printf(cli->arena, "%s/%.*s", cli->host->folder(cli->host->arg),
				     STR_ARG(path)));
}

/* Read the command line again, with the flags of the script before its own. */
static int read_flags(struct cli *cli, struct plan *plan, struct err *err)
{
	struct str path = cli->line.arguments[0];
	struct words flags = {0};
	const char **argv;
	int argc = 1;
	int status = script_flags(buf_str(&plan->script), cli->arena, &flags, err);

	argv = arena_calloc(cli->arena, flags.len + (size_t)cli->argc + 1, sizeof(*argv));
	argv[0] = cli->argv[0];
	for (size_t i = 0; i < flags.len; i++)
		argv[argc++] = flags.ptr[i].ptr;
	for (int i = 1; i < cli->argc; i++)
		argv[argc++] = cli->argv[i];
	vec_done(&flags);
	if (status < 0)
		return err_wrap(err, "%.*s", STR_ARG(path));
	if (command_parse(cli->line.path[0], argc, argv, cli->host->env, cli->arena, &cli->line,
			  err) < 0)
		return err_wrap(err, "%.*s", STR_ARG(path));
	if (cli->line.argument_count && !str_eq(cli->line.arguments[0], path))
		return err_set(err, ERR_BAD_REQUEST, "%.*s: \"%.*s\" in a #VSUB line is no flag",
			       STR_ARG(path), STR_ARG(cli->line.arguments[0]));
	return 0;
}

/* --- the command -------------------------------------------------------------------------------- */

static int set_command(struct cli *cli, struct plan *plan, struct err *err)
{
	struct str wrap = command_str(&cli->line, "wrap");
	struct str text = command_str(&cli->line, "command");
	size_t from = 0;

	if (wrap.len) {
		vec_push(&plan->command, STR("sh"));
		vec_push(&plan->command, STR("-c"));
		vec_push(&plan->command, wrap);
	} else if (plan->script.len) {
		if (script_command(buf_str(&plan->script), full_path(cli, cli->line.arguments[0]),
				   cli->arena, &plan->command, err) < 0)
			return -1;
		from = 1;
	} else if (text.len && !is_number(text) && !cli->line.argument_count) {
		if (words_split(text, cli->arena, &plan->command, err) < 0)
			return -1;
	}
	for (size_t i = from; i < cli->line.argument_count; i++)
		vec_push(&plan->command, cli->line.arguments[i]);
	plan->submit.command = plan->command.ptr;
	plan->submit.words = plan->command.len;
	return 0;
}

/* A name from the command's: letters, digits and dashes, and a random suffix. */
static struct str make_name(struct cli *cli, const struct plan *plan)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	struct str from = cli->line.argument_count ? cli->line.arguments[0]
			  : plan->command.len      ? plan->command.ptr[0]
						   : STR("job");

	from = str_skip(from, (size_t)(str_rfind_byte(from, '/') + 1));
	if (str_find_byte(from, '.', 1) > 0)
		from = str_slice(from, 0, (size_t)str_find_byte(from, '.', 1));
	for (size_t i = 0; i < from.len && name.len < NAME_BYTES; i++) {
		char c = from.ptr[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (name.len && c >= '0' && c <= '9'))
			buf_putc(&name, c);
		else if (name.len && name.ptr[name.len - 1] != '-')
			buf_putc(&name, '-');
	}
	if (!name.len)
		buf_puts(&name, "job");
	if (name.ptr[name.len - 1] != '-')
		buf_putc(&name, '-');
	for (size_t i = 0; i < SUFFIX_BYTES; i++)
		buf_putc(&name, letters[loop_random_below(cli->loop, sizeof(letters) - 1)]);
	return arena_str(cli->arena, buf_str(&name));
}

/* --- what the job gets of where we are ---------------------------------------------------------- */

/* Is the server `volcano up` on this machine, where our files and programs are? */
static bool is_home(struct cli *cli)
{
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *version =
		cli_ask(cli,
			&(struct client_ask){
				.verb = CLIENT_RAW, .method = STR("GET"), .path = STR("/version")},
			&err);

	return version && str_find(json_str(json_get(json_doc_root(version), "gitVersion")),
				   STR("+volcano-"), 0) >= 0;
}

static void add_variable(struct cli *cli, struct plan *plan, struct str name)
{
	const char *value = cli->host->env(arena_str(cli->arena, name).ptr);

	if (value)
		vec_push(&plan->env,
			 str_from(arena_printf(cli->arena, "%.*s=%s", STR_ARG(name), value)));
}

static void set_environment(struct cli *cli, struct plan *plan, bool home)
{
	struct str list = command_given(&cli->line, "export") ? command_str(&cli->line, "export")
			  : home                              ? STR("PATH,HOME,USER,LANG")
							      : STR("NONE");
	struct str given = command_str(&cli->line, "env");
	const char *const *all = cli->host->environment(cli->host->arg);
	struct str part;

	if (str_is(list, "ALL"))
		for (; *all; all++)
			vec_push(&plan->env, str_from(*all));
	else if (!str_is(list, "NONE"))
		while (str_split(&list, ',', &part))
			add_variable(cli, plan, part);
	while (given.len && str_split(&given, ',', &part))
		vec_push(&plan->env, part);
	plan->submit.env = plan->env.ptr;
	plan->submit.env_count = plan->env.len;
}

/* --- the flags ---------------------------------------------------------------------------------- */

/* With --dry-run, -o is the format that the job is printed in. */
static bool is_format(const struct cli *cli, struct str output)
{
	return command_bool(&cli->line, "dry-run") &&
	       (str_is(output, "yaml") || str_is(output, "json"));
}

/* The file that the output goes to; none: the log. */
static struct str output_file(const struct cli *cli)
{
	struct str output = command_str(&cli->line, "output");

	return command_given(&cli->line, "output") && !is_format(cli, output) ? output : str_none();
}

/* Does the line say anything that upstream's vsub does not know? */
static bool is_batch(const struct cli *cli)
{
	static const char *const ours[] = {"ntasks",
					   "cpus",
					   "mem",
					   "gpus",
					   "array",
					   "time",
					   "wrap",
					   "export",
					   "env",
					   "chdir",
					   "retries",
					   "priority",
					   "kill-on-bad-exit",
					   "uid",
					   "gid"};

	if (cli->line.argument_count || is_number(command_str(&cli->line, "name")) ||
	    is_number(command_str(&cli->line, "command")))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (command_given(&cli->line, ours[i]))
			return true;
	return output_file(cli).len > 0;
}

static struct str given_str(const struct cli *cli, const char *flag)
{
	return command_given(&cli->line, flag) ? command_str(&cli->line, flag) : str_none();
}

static int set_size(struct cli *cli, struct submit *submit, struct err *err)
{
	struct str name = command_str(&cli->line, "name");
	struct str command = command_str(&cli->line, "command");
	int64_t tasks = 0;

	submit->replicas = command_int(&cli->line, "replicas");
	submit->min = command_int(&cli->line, "min");
	if (command_given(&cli->line, "ntasks"))
		tasks = command_int(&cli->line, "ntasks");
	else if (is_number(name) && number_parse_i64(name, &tasks, err) < 0)
		return -1;
	if (tasks < 0 || (tasks == 0 && (command_given(&cli->line, "ntasks") || is_number(name))))
		return err_set(err, ERR_BAD_REQUEST, "-n: there must be at least 1 task");
	if (tasks) {
		submit->replicas = tasks;
		submit->min = command_given(&cli->line, "min") ? submit->min : tasks;
	}
	submit->cpus = is_number(command) && !command_given(&cli->line, "cpus")
			       ? command
			       : command_str(&cli->line, "cpus");
	return 0;
}

static int set_array(struct cli *cli, struct plan *plan, struct err *err)
{
	struct str text = command_str(&cli->line, "array");

	if (!text.len)
		return 0;
	if (array_parse(text, &plan->array, err) < 0)
		return err_wrap(err, "--array");
	if (!plan->submit.words)
		return err_set(err, ERR_BAD_REQUEST, "--array: there must be a command to run");
	plan->submit.array = &plan->array;
	plan->submit.replicas = plan->array.at_once ? plan->array.at_once : plan->array.count;
	plan->submit.min = 1;
	return 0;
}

static int nothing_to_run(struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST,
		       "nothing to run: give a command after \"--\", a script, or --wrap TEXT (see "
		       "vsub --help)");
}

static int set_batch(struct cli *cli, struct plan *plan, struct err *err)
{
	struct submit *submit = &plan->submit;
	struct str time = command_str(&cli->line, "time");
	bool home = is_home(cli);

	submit->requests = given_str(cli, "requests");
	submit->limits = given_str(cli, "limits");
	submit->mem = command_str(&cli->line, "mem");
	submit->gpus = command_str(&cli->line, "gpus");
	submit->gpu_resource = command_str(&cli->line, "gpu-resource");
	submit->priority = command_str(&cli->line, "priority");
	submit->retries = command_int(&cli->line, "retries");
	submit->output = output_file(cli);
	submit->stop_on_failure = command_bool(&cli->line, "kill-on-bad-exit");
	submit->slurm_env = command_bool(&cli->line, "slurm-env");
	submit->folder = command_given(&cli->line, "chdir") ? command_str(&cli->line, "chdir")
			 : home ? str_from(cli->host->folder(cli->host->arg))
				: str_none();
	if (submit->folder.len && submit->folder.ptr[0] != '/')
		return err_set(err, ERR_BAD_REQUEST,
			       "--chdir %.*s: must be a path from the root on",
			       STR_ARG(submit->folder));
	if (submit->retries < 0 || submit->retries >= INT32_MAX)
		return err_set(err, ERR_BAD_REQUEST, "--retries: must be from 0 to %d",
			       INT32_MAX - 1);
	if (!submit->words && !command_given(&cli->line, "image"))
		return nothing_to_run(err);
	submit->uid = given_str(cli, "uid");
	submit->gid = given_str(cli, "gid");
	submit->home = home;
	set_environment(cli, plan, home);
	if (time.len && submit_parse_time(time, &submit->time_s, err) < 0)
		return err_wrap(err, "--time");
	return set_array(cli, plan, err);
}

static int make_plan(struct cli *cli, struct plan *plan, struct err *err)
{
	struct submit *submit = &plan->submit;
	struct str queue;

	if (cli->argc == 1)
		return nothing_to_run(err);
	if (find_script(cli, plan, err) < 0 || (plan->script.len && read_flags(cli, plan, err) < 0))
		return -1;
	queue = command_str(&cli->line, "queue");
	*submit = (struct submit){
		.namespace = cli_namespace(cli),
		.queue = queue.len ? queue : command_str(&cli->line, "partition"),
		.scheduler = command_str(&cli->line, "scheduler"),
		.image = command_str(&cli->line, "image"),
		.requests = command_str(&cli->line, "requests"),
		.limits = command_str(&cli->line, "limits"),
		.batch = is_batch(cli),
		.name = command_str(&cli->line, "job-name"),
	};
	if (!submit->name.len && !is_number(command_str(&cli->line, "name")))
		submit->name = command_str(&cli->line, "name");
	if (set_size(cli, submit, err) < 0 || set_command(cli, plan, err) < 0)
		return -1;
	if (!submit->name.len && !submit->batch)
		return err_set(err, ERR_BAD_REQUEST, "job name cannot be left blank");
	if (!submit->name.len)
		submit->name = make_name(cli, plan);
	return submit->batch ? set_batch(cli, plan, err) : 0;
}

/* --- running ------------------------------------------------------------------------------------ */

static void print_job(struct cli *cli, struct json_doc *job)
{
	struct str format = command_str(&cli->line, "output");

	if (!str_is(format, "json")) {
		yaml_print(json_doc_root(job), &cli->out);
		return;
	}
	json_print(json_doc_root(job), JSON_PRETTY, &cli->out);
	buf_putc(&cli->out, '\n');
}

static int wait_for(struct cli *cli, struct str namespace, struct str name, struct err *err)
{
	const struct follow_options options = {.namespace = namespace,
					       .job = name,
					       .index = -1,
					       .impatient = true,
					       .tail = -1,
					       .timeout_us = -1};
	struct follow_result result;

	if (follow_to_end(cli, &options, &result, err) < 0)
		return -1;
	if (str_is(result.phase, "Completed"))
		return 0;
	cli->exit = result.exit_code ? result.exit_code : 1;
	if (!result.phase.len) {
		cli_warn(cli, "job %.*s was deleted before it ended", STR_ARG(name));
	} else if (result.time_limit) {
		char limit[DURATION_TEXT_SIZE];

		cli_warn(cli, "job %.*s was stopped at its time limit of %s (--time)",
			 STR_ARG(name), duration_print_age(time_span(result.time_limit), limit));
		cli->exit = EXIT_TOO_LATE;
	} else {
		cli_warn(cli, "job %.*s is %.*s; `vcctl job explain %.*s` says more", STR_ARG(name),
			 STR_ARG(result.phase), STR_ARG(name));
	}
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	AUTO(plan_done) struct plan plan = {0};
	AUTO(json_doc_unref) struct json_doc *job = NULL;
	struct str name;

	if (make_plan(cli, &plan, err) < 0)
		return -1;
	job = submit_job(&plan.submit, err);
	if (!job)
		return -1;
	if (command_bool(&cli->line, "dry-run")) {
		print_job(cli, job);
		return 0;
	}
	if (job_create(cli, plan.submit.namespace, TAKE(job), &name, err) < 0)
		return -1;
	if (command_bool(&cli->line, "wait"))
		return wait_for(cli, plan.submit.namespace, name, err);
	buf_printf(&cli->out,
		   command_bool(&cli->line, "parsable") ? "%.*s\n" : "run job %.*s successfully\n",
		   STR_ARG(name));
	return 0;
}

static const struct flag flags[] = {
	{.letter = 'n',
	 .name = "name",
	 .about = "the name of the job; a number: as --ntasks",
	 .noun = "NAME|N",
	 .completes = COMPLETE_NAME},
	{.letter = 'J',
	 .name = "job-name",
	 .about = "the name of the job (default: after the command)",
	 .noun = "NAME"},
	{.letter = 'N',
	 .name = "namespace",
	 .value = "default",
	 .about = "the namespace",
	 .noun = "NAME",
	 .env = "VOLCANO_DEFAULT_JOB_NAMESPACE",
	 .completes = "namespaces"},
	{.letter = 'q',
	 .name = "queue",
	 .about = "the queue",
	 .noun = "NAME",
	 .completes = "queues"},
	{.letter = 'p',
	 .name = "partition",
	 .about = "the same as --queue",
	 .noun = "NAME",
	 .completes = "queues"},
	{.name = "ntasks",
	 .type = FLAG_INT,
	 .value = "1",
	 .about = "tasks, which all run at the same time",
	 .noun = "N"},
	{.name = "cpus", .about = "CPUs per task (default 1)", .noun = "N"},
	{.name = "mem", .about = "memory per task: 4Gi, or a number of MiB", .noun = "SIZE"},
	{.name = "gpus", .about = "GPUs per task", .noun = "N"},
	{.name = "gpu-resource",
	 .value = "nvidia.com/gpu",
	 .about = "what GPUs are called",
	 .noun = "NAME"},
	{.letter = 't',
	 .name = "time",
	 .about = "time limit per task or array element: minutes, 1-12:00:00, 90s",
	 .noun = "TIME"},
	{.letter = 'a',
	 .name = "array",
	 .about = "run it once for each number: 1-100, 0-9:3, 1,5; %k: k at once",
	 .noun = "LIST"},
	{.letter = 'W',
	 .name = "wait",
	 .type = FLAG_BOOL,
	 .about = "show the output; end with the job's exit code"},
	{.letter = 'D',
	 .name = "chdir",
	 .about = "the folder to work in (default: this one, on one machine)",
	 .noun = "DIR",
	 .completes = COMPLETE_FILES},
	{.name = "uid",
	 .about =
		 "the user to run as, by number (0: if volcano was started with --allow-root-pods)",
	 .noun = "N"},
	{.name = "gid", .about = "the group to run as, by number", .noun = "N"},
	{.name = "export",
	 .about =
		 "variables that tasks see: names, ALL or NONE (default PATH,HOME,USER,LANG on one "
		 "machine)",
	 .noun = "LIST",
	 .choices = "ALL NONE"},
	{.letter = 'e',
	 .name = "env",
	 .type = FLAG_LIST,
	 .about = "more variables: NAME=VALUE",
	 .noun = "LIST"},
	{.name = "wrap", .about = "a command line for the shell", .noun = "TEXT"},
	{.name = "retries",
	 .type = FLAG_INT,
	 .value = "0",
	 .about = "run the job up to N more times if a task fails",
	 .noun = "N"},
	{.letter = 'K',
	 .name = "kill-on-bad-exit",
	 .type = FLAG_BOOL,
	 .about = "end all tasks when one fails"},
	{.name = "priority", .about = "the priority class", .noun = "NAME"},
	{.name = "slurm-env",
	 .type = FLAG_BOOL,
	 .about = "set the variables under their names in Slurm, too"},
	{.name = "parsable", .type = FLAG_BOOL, .about = "print only the name of the job"},
	{.name = "dry-run", .type = FLAG_BOOL, .about = "print the job instead of submitting it"},
	{.letter = 'o',
	 .name = "output",
	 .value = "yaml",
	 .about = "file for the output: %j is the job's name, %a the element of an array, %t the "
		  "task; "
		  "with --dry-run: yaml or json",
	 .noun = "FILE",
	 .choices = "yaml json"},
	{.letter = 'c',
	 .name = "command",
	 .about = "the command to run; a number: as --cpus",
	 .noun = "TEXT|N"},
	{.letter = 'i',
	 .name = "image",
	 .value = "busybox",
	 .about = "the container's image",
	 .noun = "IMAGE",
	 .env = "VOLCANO_DEFAULT_IMAGE"},
	{.letter = 'm',
	 .name = "min",
	 .type = FLAG_INT,
	 .value = "1",
	 .about = "tasks that must run at the same time",
	 .noun = "N"},
	{.letter = 'r',
	 .name = "replicas",
	 .type = FLAG_INT,
	 .value = "1",
	 .about = "tasks of the job",
	 .noun = "N"},
	{.letter = 'R',
	 .name = "requests",
	 .value = "cpu=1000m,memory=100Mi",
	 .about = "what a task is given at least",
	 .noun = "LIST"},
	{.letter = 'L',
	 .name = "limits",
	 .value = "cpu=1000m,memory=100Mi",
	 .about = "what a task may use at most",
	 .noun = "LIST"},
	{.letter = 'S',
	 .name = "scheduler",
	 .value = "volcano",
	 .about = "the scheduler of the job",
	 .noun = "NAME",
	 .env = "VOLCANO_SCHEDULER_NAME"},
	{.name = NULL},
};

const struct command command_vsub = {
	.name = "vsub",
	CLI_ROOT,
	.completes = COMPLETE_FILES,
	.about = "run a command or a script as a job",
	.more = "  vsub -n 4 --cpus 2 --mem 4Gi --gpus 1 -q research -J train -- ./train.sh\n"
		"  vsub --array 1-100 -- sh -c 'convert $VSUB_ARRAY_TASK_ID'\n"
		"  vsub script.sh          with flags in lines that begin with #VSUB\n\n"
		"The N tasks of -n run at the same time or not at all, and find one another by "
		"name. The\n"
		"elements of an array run when there is capacity. A task sees VSUB_JOB_NAME, "
		"VSUB_PROCID\n"
		"(0 to N-1), VSUB_NTASKS, VSUB_CPUS_PER_TASK, and of an array VSUB_ARRAY_TASK_ID,\n"
		"VSUB_ARRAY_TASK_COUNT, VSUB_ARRAY_TASK_MIN and VSUB_ARRAY_TASK_MAX.\n\n"
		"With --wait the exit code is 0 when the job has completed, else the highest of "
		"its\n"
		"tasks; the job goes on if vsub is interrupted.",
	.arguments = "[-- COMMAND... | SCRIPT [ARGUMENT...]]",
	.flags = flags,
	.run = run,
	.pass_on = true};
