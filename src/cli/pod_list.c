/* SPDX-License-Identifier: Apache-2.0 */
/* cli/pod_list.c - `vcctl pod list`: the pods of jobs, of one job, or of one queue. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/object_list.h"
#include "loop/loop.h"
#include "model/pod/pod_summary.h"
#include "model/value/duration.h"

#include "base/banned.h"

#define LABEL_JOB "volcano.sh/job-name"
#define LABEL_QUEUE "volcano.sh/queue-name"
#define NOTE_QUEUE "scheduling.volcano.sh/queue-name"

static void cell_ready(struct cli *cli, const void *arg, struct json pod, struct buf *to)
{
	AUTO(pod_summary_done) struct pod_summary summary = pod_summary_of(pod);

	(void)cli;
	(void)arg;
	buf_printf(to, "%zu/%zu", summary.ready, summary.total);
}

static void cell_status(struct cli *cli, const void *arg, struct json pod, struct buf *to)
{
	AUTO(pod_summary_done) struct pod_summary summary = pod_summary_of(pod);

	(void)cli;
	(void)arg;
	buf_put_str(to, buf_str(&summary.reason));
}

static void cell_restarts(struct cli *cli, const void *arg, struct json pod, struct buf *to)
{
	AUTO(pod_summary_done) struct pod_summary summary = pod_summary_of(pod);
	char ago[DURATION_TEXT_SIZE];

	(void)arg;
	buf_put_int(to, summary.restarts);
	if (summary.restarts && summary.last_restart)
		buf_printf(to, " (%s ago)",
			   duration_print_age(loop_now(cli->loop) - summary.last_restart, ago));
}

static void cell_node(struct cli *cli, const void *arg, struct json pod, struct buf *to)
{
	struct str node = json_str(json_get(json_get(pod, "spec"), "nodeName"));

	(void)cli;
	(void)arg;
	buf_put_str(to, node.len ? node : STR("<none>"));
}

static const struct listing_column columns[] = {
	{"Namespace", WIDTH_LONGEST_VALUE, 8, listing_cell_namespace, SHOW_ALL_NAMESPACES},
	{"Name", WIDTH_LONGEST_VALUE, 8, listing_cell_name, SHOW_ALWAYS},
	{"Ready", WIDTH_LONGEST_VALUE, 8, cell_ready, SHOW_ALWAYS},
	{"Status", WIDTH_LONGEST_VALUE, 8, cell_status, SHOW_ALWAYS},
	{"Restart", WIDTH_LONGEST_VALUE, 8, cell_restarts, SHOW_ALWAYS},
	{"Age", WIDTH_LONGEST_VALUE, 8, listing_cell_age, SHOW_ALWAYS},
	{"Node", WIDTH_LONGEST_VALUE, 8, cell_node, SHOW_WIDE},
	{0},
};

static struct str note(struct json pod, const char *map, const char *key)
{
	return json_str(json_get(json_get(json_get(pod, "metadata"), map), key));
}

/* Of a job; else of a queue, by label or by annotation; else of any job. */
static bool keep(struct cli *cli, struct json pod)
{
	struct str job = command_str(&cli->line, "job");
	struct str queue = command_str(&cli->line, "queue");

	if (job.len)
		return str_eq(note(pod, "labels", LABEL_JOB), job);
	if (queue.len)
		return str_eq(note(pod, "labels", LABEL_QUEUE), queue) ||
		       str_eq(note(pod, "annotations", NOTE_QUEUE), queue);
	return note(pod, "labels", LABEL_JOB).len > 0;
}

/* Of a queue's pods those of jobs come first. */
static bool later(struct cli *cli, struct json pod)
{
	struct str queue = command_str(&cli->line, "queue");

	return !command_str(&cli->line, "job").len && queue.len &&
	       !str_eq(note(pod, "labels", LABEL_QUEUE), queue);
}

/* A job and a queue that its pods are not in is a slip of the hand. */
static int check_queue(struct cli *cli, struct str job, struct str queue, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *pods = NULL;
	struct json_iter it;

	if (!job.len || !queue.len)
		return 0;
	pods = cli_list(cli, RESOURCE_PODS, cli_namespace(cli), str_none(), err);
	if (!pods)
		return -1;
	it = json_iter(json_get(json_doc_root(pods), "items"));
	while (json_next(&it)) {
		struct str in = note(it.value, "labels", LABEL_QUEUE);

		if (keep(cli, it.value) && in.len && !str_eq(in, queue))
			return err_set(err, ERR_BAD_REQUEST,
				       "the input vcjob %.*s does not match the queue %.*s",
				       STR_ARG(job), STR_ARG(queue));
	}
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	const struct listing listing = {.id = RESOURCE_PODS,
					.singular = "pod",
					.columns = columns,
					.keep = keep,
					.later = later};

	if (check_queue(cli, command_str(&cli->line, "job"), command_str(&cli->line, "queue"),
			err) < 0)
		return -1;
	return listing_run(cli, &listing, cli_namespace(cli), command_str(&cli->line, "selector"),
			   err);
}

static const struct flag flags[] = {
	CLI_FLAG_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	{.letter = 'j',
	 .name = "job",
	 .about = "only pods of this job",
	 .noun = "NAME",
	 .completes = "jobs"},
	{.letter = 'q',
	 .name = "queue",
	 .about = "only pods of this queue",
	 .noun = "NAME",
	 .completes = "queues"},
	{.name = "selector", .about = "only pods with these labels (a=b)", .noun = "TEXT"},
	LISTING_FLAGS,
	LISTING_WATCH,
	{.name = NULL},
};

const struct command command_pod_list = {
	.name = "list", .about = "list the pods of jobs", .flags = flags, .run = run};
