/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_explain.c - `vcctl job explain`: gathers what explain_text.c reads. What cannot be read (a right
 * that is missing, an object that was deleted) is left out: the rest is still useful. */
#include "base/arena.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/explain_text.h"
#include "cli/logstream.h"
#include "cli/pods.h"
#include "cli/waiting.h"
#include "loop/loop.h"

#include "base/banned.h"

struct gathered {
	struct json_doc *job;
	struct json_doc *group;
	struct json_doc *queue;
	struct json_doc *pods;
	struct json_doc *nodes;
	struct json_doc *events;
};

static void gathered_done(struct gathered *all)
{
	json_doc_unref(all->job);
	json_doc_unref(all->group);
	json_doc_unref(all->queue);
	json_doc_unref(all->pods);
	json_doc_unref(all->nodes);
	json_doc_unref(all->events);
}
DEFINE_AUTO_IN_PLACE(struct gathered, gathered_done);

static struct str meta(struct json object, const char *key)
{
	return json_str(json_get(json_get(object, "metadata"), key));
}

static struct json root(struct json_doc *doc)
{
	return doc ? json_doc_root(doc) : JSON_NONE;
}

/* Named after the job and its uid, or, by older controllers, after the job. */
static struct json_doc *get_group(struct cli *cli, struct str namespace, struct json job)
{
	struct str name = meta(job, "name");
	struct err err;
	struct json_doc *group =
		cli_get(cli, RESOURCE_PODGROUPS, namespace,
			str_from(arena_printf(cli->arena, "%.*s-%.*s", STR_ARG(name),
					      STR_ARG(meta(job, "uid")))),
			&err);

	return group ? group : cli_get(cli, RESOURCE_PODGROUPS, namespace, name, &err);
}

/* It is about an earlier job of this name. Times are compared to the second. */
static bool is_older(struct json event, struct json job)
{
	enum { SECONDS = sizeof("2026-01-02T10:00:00") - 1 };
	struct str last = str_slice(json_str(json_get(event, "lastTimestamp")), 0, SECONDS);

	return last.len && str_cmp(last, str_slice(meta(job, "creationTimestamp"), 0, SECONDS)) < 0;
}

/* Pods that were deleted count as well: why they were is what one wants to know. */
static bool is_about(struct json event, const struct gathered *all)
{
	struct json about = json_get(event, "involvedObject");
	struct str kind = json_str(json_get(about, "kind"));
	struct str name = json_str(json_get(about, "name"));

	if (is_older(event, root(all->job)))
		return false;
	if (str_is(kind, "Job"))
		return str_eq(name, meta(root(all->job), "name"));
	if (str_is(kind, "PodGroup"))
		return str_eq(name, meta(root(all->group), "name"));
	return str_is(kind, "Pod") && pod_name_is_of(name, root(all->job));
}

/* Those that are about this job, as an array. */
static void keep_events(struct gathered *all)
{
	struct json_doc *kept = json_doc_new();
	struct json_iter it = json_iter(json_get(root(all->events), "items"));

	json_doc_set_root(kept, json_new_arr(kept));
	while (json_next(&it))
		if (is_about(it.value, all))
			json_append(kept, json_doc_root(kept), json_new_copy(kept, it.value));
	json_doc_unref(all->events);
	all->events = kept;
}

static int gather(struct cli *cli, struct str namespace, struct str name, struct gathered *all,
		  struct err *err)
{
	struct err none;
	struct str queue;

	all->job = cli_get(cli, RESOURCE_VCJOBS, namespace, name, err);
	if (!all->job)
		return -1;
	all->group = get_group(cli, namespace, root(all->job));
	queue = json_str(json_get(json_get(root(all->job), "spec"), "queue"));
	all->queue = cli_get(cli, RESOURCE_QUEUES, str_none(), queue.len ? queue : STR("default"),
			     &none);
	all->pods = cli_list(cli, RESOURCE_PODS, namespace, pods_selector(name, cli->arena), &none);
	all->nodes = cli_list(cli, RESOURCE_NODES, str_none(), str_none(), &none);
	all->events = cli_list(cli, RESOURCE_EVENTS, namespace, str_none(), &none);
	keep_events(all);
	return 0;
}

static struct explain_facts facts_of(struct cli *cli, const struct gathered *all)
{
	return (struct explain_facts){
		.job = root(all->job),
		.group = root(all->group),
		.queue = root(all->queue),
		.pods = json_get(root(all->pods), "items"),
		.nodes = json_get(root(all->nodes), "items"),
		.events = root(all->events),
		.now = loop_now(cli->loop),
		.bold = cli_colour(cli, COLOUR_BOLD),
		.faint = cli_colour(cli, COLOUR_FAINT),
		.good = cli_colour(cli, COLOUR_GOOD),
		.busy = cli_colour(cli, COLOUR_BUSY),
		.bad = cli_colour(cli, COLOUR_BAD),
		.plain = cli_colour(cli, COLOUR_NONE),
	};
}

/* --- the last output ---------------------------------------------------------------------------- */

struct last_line {
	struct arena *arena;
	struct str text;
	bool done;
};

static void on_line(void *arg, struct str line)
{
	struct last_line *last = arg;

	if (str_trim(line).len)
		last->text = arena_str(last->arena, str_trim(line));
}

static void on_end(void *arg, const struct err *err)
{
	(void)err;
	((struct last_line *)arg)->done = true;
}

/* Few containers write a message: then the last line that they printed says the most. */
static void add_output(struct cli *cli, struct str namespace, struct explain_facts *facts)
{
	enum { LINES = 5 };
	struct logstream *stream;
	struct last_line last = {.arena = cli->arena};
	struct pod_failure failure;
	struct client *client;
	struct err err;

	if (!explain_find_failure(facts, cli->arena, &failure) || failure.message.len ||
	    !failure.container.len)
		return;
	client = cli_client(cli, &err);
	if (!client)
		return;
	stream = logstream_new(client, &(struct logstream_options){.namespace = namespace,
								   .pod = failure.pod,
								   .container = failure.container,
								   .previous = failure.restarted,
								   .tail = LINES,
								   .line = on_line,
								   .ended = on_end,
								   .arg = &last});
	(void)cli_wait(cli, &last.done, 5 * TIME_SECOND);
	logstream_free(stream);
	facts->output_pod = failure.pod;
	facts->output = last.text;
}

/* --- a job that was deleted --------------------------------------------------------------------- */

/* Its events outlive it for a while: those of the job, of its PodGroup (NAME-UID) and its pods (NAME-TASK-INDEX). */
static bool is_of_deleted(struct json event, struct str job)
{
	struct json about = json_get(event, "involvedObject");
	struct str name = json_str(json_get(about, "name"));
	struct str kind = json_str(json_get(about, "kind"));

	if (str_is(kind, "Job"))
		return str_eq(name, job);
	return (str_is(kind, "PodGroup") || str_is(kind, "Pod")) && str_starts(name, job) &&
	       name.len > job.len && name.ptr[job.len] == '-';
}

/* -1, and *err as it was, if nothing is left of it. */
static int explain_deleted(struct cli *cli, struct str namespace, struct str name, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *events = NULL;
	AUTO(json_doc_unref) struct json_doc *kept = json_doc_new();
	struct gathered none = {0};
	struct explain_facts facts = facts_of(cli, &none);
	struct json_iter it;
	struct err other;

	if (err->code != ERR_NOT_FOUND)
		return -1;
	events = cli_list(cli, RESOURCE_EVENTS, namespace, str_none(), &other);
	json_doc_set_root(kept, json_new_arr(kept));
	it = json_iter(json_get(root(events), "items"));
	while (json_next(&it))
		if (is_of_deleted(it.value, name))
			json_append(kept, json_doc_root(kept), json_new_copy(kept, it.value));
	if (!json_len(json_doc_root(kept)))
		return -1;
	facts.events = json_doc_root(kept);
	explain_print_deleted(&facts, name, cli->arena, &cli->out);
	return 0;
}

/* --- all jobs ----------------------------------------------------------------------------------- */

static int explain_all(struct cli *cli, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *groups =
		cli_list(cli, RESOURCE_PODGROUPS, cli_namespace(cli), str_none(), err);
	AUTO(json_doc_unref) struct json_doc *pods = NULL;
	struct waiting_facts facts;
	struct err none;

	if (!groups)
		return -1;
	pods = cli_list(cli, RESOURCE_PODS, cli_namespace(cli), STR(PODS_JOB_LABEL), &none);
	facts = (struct waiting_facts){.groups = json_get(root(groups), "items"),
				       .pods = json_get(root(pods), "items"),
				       .now = loop_now(cli->loop),
				       .bold = cli_colour(cli, COLOUR_BOLD),
				       .faint = cli_colour(cli, COLOUR_FAINT),
				       .plain = cli_colour(cli, COLOUR_NONE)};
	if (!waiting_print(&facts, cli->arena, &cli->out))
		buf_puts(&cli->out, "No job waits.\n");
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	AUTO(gathered_done) struct gathered all = {0};
	struct str name = cli_name(cli);
	struct explain_facts facts;

	if (command_bool(&cli->line, "all"))
		return explain_all(cli, err);
	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "which job? `vcctl job explain NAME`; `vcctl job list` shows them");
	if (gather(cli, cli_namespace(cli), name, &all, err) < 0)
		return explain_deleted(cli, cli_namespace(cli), name, err);
	facts = facts_of(cli, &all);
	add_output(cli, cli_namespace(cli), &facts);
	if (!command_bool(&cli->line, "short")) {
		explain_print(&facts, cli->arena, &cli->out);
		return 0;
	}
	explain_line(&facts, cli->arena, &cli->out);
	buf_putc(&cli->out, '\n');
	return 0;
}

static const struct flag flags[] = {
	CLI_FLAG_NAME("job"),
	CLI_FLAG_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	{.name = "all",
	 .type = FLAG_BOOL,
	 .about = "all jobs that wait, grouped by cause, the most common first"},
	{.name = "short", .type = FLAG_BOOL, .about = "only the line, without the detail"},
	{.name = NULL},
};

const struct command command_job_explain = {
	.name = "explain",
	.about = "say what a job waits for, or what became of it",
	.more = "The first line says what the job waits for: how much it needs, how much there is, "
		"who has\n"
		"it, and since when; of a job that runs or has ended, how it fares and its last "
		"failure.\n"
		"The next line says what would help. The detail follows: every other reason, the "
		"pods,\n"
		"which of them were evicted and for whom, and what happened last. Of a job that "
		"was\n"
		"deleted it shows what its last events say.",
	.arguments = "NAME",
	.flags = flags,
	.run = run};
