/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_wait.c - `vcctl job wait NAME... --for=Completed`: until jobs are in a phase, by watching
 * them; exit codes say how it ended. */
#include "base/arena.h"
#include "base/map.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/phase.h"
#include "client/informer.h"
#include "loop/loop.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum { TOLD_MOST = 3 };

struct wait {
	struct cli *cli;
	struct str phase;    /* what is waited for; none: that they are deleted */
	struct map *waiting; /* what those that are not there yet are, by name: a text that stays */
	bool may_come;       /* what is not there yet may come, in time */
	bool done;
	bool never; /* one of them will not come there */
};

static void reach(struct wait *wait, struct str name)
{
	(void)map_remove(wait->waiting, name);
	wait->done = wait->done || !map_len(wait->waiting);
	buf_printf(&wait->cli->out, "job %.*s is %.*s\n", STR_ARG(name),
		   STR_ARG(wait->phase.len ? wait->phase : STR("deleted")));
	cli_flush(wait->cli); /* of several, each is printed as it comes */
}

static const char *state_name(struct str phase)
{
	struct str known = phase_find(phase);

	return known.len ? known.ptr : phase.len ? "in another phase" : "new";
}

static void changed(void *arg, const struct informer_object *object)
{
	struct wait *wait = arg;
	struct str phase = phase_of(json_doc_root(object->doc));

	if (wait->done || !wait->phase.len || !map_get(wait->waiting, object->name))
		return;
	(void)map_put(wait->waiting, object->name, (void *)state_name(phase));
	if (str_eq(phase, wait->phase)) {
		reach(wait, object->name);
	} else if (phase_is_end(phase)) {
		wait->never = wait->done = true;
		cli_warn(wait->cli, "job %.*s is %.*s, and will not become %.*s",
			 STR_ARG(object->name), STR_ARG(phase), STR_ARG(wait->phase));
	}
}

static void deleted(void *arg, const struct informer_object *object)
{
	struct wait *wait = arg;

	if (wait->done || !map_get(wait->waiting, object->name))
		return;
	if (!wait->phase.len) {
		reach(wait, object->name);
		return;
	}
	wait->never = wait->done = true;
	cli_warn(wait->cli, "job %.*s was deleted", STR_ARG(object->name));
}

/* Do they exist? With --for=delete a missing one is what is wanted. */
static int look_first(struct wait *wait, struct str namespace, const struct str *names,
		      size_t count, struct err *err)
{
	AUTO(map_free) struct map *there = map_new(0);
	AUTO(json_doc_unref) struct json_doc *list = NULL;
	struct json_iter it;

	if (count == 1)
		list = cli_get(wait->cli, RESOURCE_VCJOBS, namespace, names[0], err);
	else
		list = cli_list(wait->cli, RESOURCE_VCJOBS, namespace, str_none(), err);
	if (!list &&
	    (count > 1 || err->code != ERR_NOT_FOUND || (wait->phase.len && !wait->may_come)))
		return -1;
	it = json_iter(json_get(list ? json_doc_root(list) : JSON_NONE, "items"));
	if (list && count == 1)
		(void)map_put(there, names[0], list);
	while (json_next(&it))
		(void)map_put(there, meta_name(it.value), list);
	for (size_t i = 0; i < count; i++) {
		if (map_get(there, names[i]))
			(void)map_put(wait->waiting, names[i], (void *)"there");
		if (map_get(there, names[i]) || (wait->phase.len && wait->may_come))
			continue;
		if (wait->phase.len)
			return err_set(err, ERR_NOT_FOUND,
				       "jobs.batch.volcano.sh \"%.*s\" not found",
				       STR_ARG(names[i]));
		reach(wait, names[i]);
	}
	return 0;
}

/* Time is up: how many, and what the first of them are. */
static void report_late(struct wait *wait, size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const char *before = ": ";
	struct str name;
	void *is;

	buf_printf(&text, "%zu of %zu jobs are still not %.*s", map_len(wait->waiting), count,
		   STR_ARG(wait->phase.len ? wait->phase : STR("deleted")));
	for (size_t at = 0, reported = 0; map_next(wait->waiting, &at, &name, &is); reported++) {
		if (reported == TOLD_MOST) {
			buf_printf(&text, ", ...");
			break;
		}
		buf_printf(&text, "%s%.*s is %s", before, STR_ARG(name), (const char *)is);
		before = ", ";
	}
	cli_warn(wait->cli, "%s", buf_text(&text));
}

/* The exit code, or -1. */
static int wait_for(struct wait *wait, const struct str *names, size_t count, int64_t timeout_us,
		    struct err *err)
{
	static const struct informer_events events = {
		.added = changed, .updated = changed, .deleted = deleted};
	struct cli *cli = wait->cli;
	struct str one =
		str_from(arena_printf(cli->arena, "metadata.name=%.*s", STR_ARG(names[0])));
	struct informer *jobs;
	bool in_time;

	if (look_first(wait, cli_namespace(cli), names, count, err) < 0)
		return -1;
	jobs = informer_new(cli->client, &(struct informer_options){
						 .resource = &resources[RESOURCE_VCJOBS],
						 .namespace = cli_namespace(cli),
						 .field_selector = count == 1 ? one : str_none(),
					 });
	informer_listen(jobs, &events, wait);
	if (!wait->done)
		informer_start(jobs);
	in_time = cli_wait(cli, &wait->done, timeout_us);
	informer_free(jobs);
	if (!in_time)
		report_late(wait, count);
	return !in_time ? EXIT_TOO_LATE : wait->never ? EXIT_NEVER : EXIT_WELL;
}

static int read_goal(struct str text, struct str *ret, struct err *err)
{
	if (str_is(text, "delete"))
		return 0;
	*ret = phase_find(text);
	if (ret->len)
		return 0;
	return err_set(err, ERR_BAD_REQUEST,
		       "--for %.*s: must be a phase (Pending, Running, Completed, Failed, Aborted, "
		       "Terminated, ...) or delete",
		       STR_ARG(text));
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	AUTO(map_free) struct map *waiting = map_new(loop_random_u64(cli->loop));
	struct str named = command_str(&cli->line, "name");
	const struct str *names = named.len ? &named : cli->line.arguments;
	size_t count = named.len ? 1 : cli->line.argument_count;
	int64_t timeout = command_duration(&cli->line, "timeout");
	struct wait wait = {.cli = cli, .waiting = waiting, .may_come = timeout > 0};
	int code;

	if (!count)
		return err_set(err, ERR_BAD_REQUEST,
			       "which job? `vcctl job wait NAME`; `vcctl job list` shows them");
	if (read_goal(command_str(&cli->line, "for"), &wait.phase, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		(void)map_put(waiting, names[i], (void *)"not there");
	code = wait_for(&wait, names, count, timeout > 0 ? timeout : -1, err);
	if (code < 0)
		return -1;
	cli->exit = code;
	return 0;
}

static const struct flag flags[] = {
	CLI_FLAG_NAME("job"),
	CLI_FLAG_NAMESPACE,
	{.name = "for",
	 .value = "Completed",
	 .about = "the phase to wait for, or delete",
	 .noun = "PHASE",
	 .choices = "Pending Running Completed Failed Aborted Terminated delete"},
	{.name = "timeout",
	 .type = FLAG_DURATION,
	 .value = "0s",
	 .about = "give up after this time; 0s: never",
	 .noun = "DURATION"},
	{.name = NULL},
};

const struct command command_job_wait = {.name = "wait",
					 .about = "wait until jobs are in a phase, or deleted",
					 .more = "Ends with 0 when all are, with 2 as soon as one "
						 "has ended in another phase or was\n"
						 "deleted, and with 124 when --timeout has passed.",
					 .arguments = "NAME...",
					 .flags = flags,
					 .run = run};
