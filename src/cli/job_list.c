/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_list.c - `vcctl job list`. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/macro.h"
#include "base/map.h"
#include "cli/bar.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/object_list.h"
#include "cli/phase.h"
#include "cli/pod_problem.h"
#include "cli/pods.h"
#include "cli/waiting.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/volcano/wait_reason.h"

#include "base/banned.h"

#define LABEL_JOB_TYPE "volcano.sh/job-type"

static struct json spec(struct json job, const char *key)
{
	return json_get(json_get(job, "spec"), key);
}

static void put_status(struct json job, const char *key, struct buf *to)
{
	buf_put_int(to, json_int(json_get(json_get(job, "status"), key)));
}

/* --- what pods show ------------------------------------------------------------------------------ */

/* What the pods of a job show. The controller clears the counts of a job that has ended, as upstream's does: its pods
 * still exist, and are counted instead. */
struct seen {
	int64_t succeeded;
	int64_t failed;
	struct str failure; /* the last one, in short */
	struct str time;    /* of it */
	struct str problem; /* what keeps a pod from running, in short */
};

static struct str job_key(struct cli *cli, struct str namespace, struct str name)
{
	return str_from(arena_printf(cli->arena, "%.*s/%.*s", STR_ARG(namespace), STR_ARG(name)));
}

static bool has_lost_counts(struct json job)
{
	struct json status = json_get(job, "status");

	return phase_is_end(phase_of(job)) && !json_int(json_get(status, "succeeded")) &&
	       !json_int(json_get(status, "failed"));
}

static void add_pod(struct cli *cli, struct map *all, struct json pod)
{
	const struct pod_problem_facts facts = {.now = loop_now(cli->loop)};
	struct json metadata = json_get(pod, "metadata");
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));
	struct str key = job_key(cli, json_str(json_get(metadata, "namespace")),
				 json_str(json_get(json_get(metadata, "labels"), PODS_JOB_LABEL)));
	struct seen *seen = map_get(all, key);
	struct pod_place place = pod_place_of(pod);
	const struct pod_places one = {&place, 1};
	struct pod_problem problem;
	struct pod_failure failure;

	if (!seen) {
		seen = arena_calloc(cli->arena, 1, sizeof(*seen));
		(void)map_put(all, key, seen);
	}
	seen->succeeded += str_is(phase, "Succeeded");
	seen->failed += str_is(phase, "Failed");
	if (str_is(phase, "Succeeded"))
		return;
	if (pod_failure_of(pod, &failure) && str_cmp(failure.time, seen->time) >= 0) {
		seen->failure = pod_failure_brief(&failure, cli->arena);
		seen->time = arena_str(cli->arena, failure.time);
	}
	if (!seen->problem.len && !str_is(phase, "Failed") &&
	    pod_problem_find(&one, &facts, cli->arena, &problem))
		seen->problem = arena_str(cli->arena, problem.brief);
}

/* Of completed jobs only those whose counts were cleared need their pods. */
static bool needs_pods(struct json job)
{
	struct str phase = json_str(json_get(json_get(json_get(job, "status"), "state"), "phase"));

	return has_lost_counts(job) || !str_is(phase, "Completed");
}

static int read_pods(struct cli *cli, struct map *all, struct json jobs, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *pods = NULL;
	struct json_iter it = json_iter(jobs);
	bool any = false;

	map_clear(all);
	while (!any && json_next(&it))
		any = needs_pods(it.value);
	if (!any)
		return 0;
	pods = cli_list(cli, RESOURCE_PODS, cli_namespace(cli), STR(PODS_JOB_LABEL), err);
	if (!pods)
		return -1;
	it = json_iter(json_get(json_doc_root(pods), "items"));
	while (json_next(&it))
		add_pod(cli, all, it.value);
	return 0;
}

/* --- why jobs wait ------------------------------------------------------------------------------ */

/* What the list needs in addition to the jobs, by "namespace/name". */
struct more {
	struct map *seen;    /* struct seen */
	struct map *reasons; /* a short text */
};

/* By the PodGroups; if these cannot be read the column stays empty. */
static void read_reasons(struct cli *cli, struct map *reasons)
{
	AUTO(json_doc_unref) struct json_doc *groups = NULL;
	struct json_iter it;
	struct err err;

	map_clear(reasons);
	groups = cli_list(cli, RESOURCE_PODGROUPS, cli_namespace(cli), str_none(), &err);
	it = json_iter(groups ? json_get(json_doc_root(groups), "items") : JSON_NONE);
	while (json_next(&it)) {
		struct wait_reasons why = wait_reasons_of(it.value, cli->arena);
		struct str namespace =
			json_str(json_get(json_get(it.value, "metadata"), "namespace"));

		if (why.len)
			(void)map_put(reasons, job_key(cli, namespace, waiting_name(it.value)),
				      arena_printf(cli->arena, "%.*s", STR_ARG(why.ptr[0].brief)));
		wait_reasons_done(&why);
	}
}

static int read_more(struct cli *cli, void *state, struct json jobs, struct err *err)
{
	struct more *more = state;

	read_reasons(cli, more->reasons);
	return read_pods(cli, more->seen, jobs, err);
}

static void cell_reason(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	const struct more *more = arg;
	struct json metadata = json_get(job, "metadata");
	struct str phase = json_str(json_get(json_get(json_get(job, "status"), "state"), "phase"));
	struct str key = job_key(cli, json_str(json_get(metadata, "namespace")), meta_name(job));
	const char *reason = map_get(more->reasons, key);
	const struct seen *seen = map_get(more->seen, key);
	bool aborted = str_is(phase, "Aborted");
	bool failed = aborted ? phase_may_abort(job)
			      : !reason && (str_is(phase, "Failed") || str_is(phase, "Terminated"));

	if (failed && seen && seen->failure.len)
		buf_put_str(to, seen->failure);
	else if (aborted)
		buf_puts(to, "suspended");
	else if (reason)
		buf_puts(to, reason);
	else if (seen && !str_is(phase, "Completed"))
		buf_put_str(to, seen->problem);
}

/* NULL: the job's own counts hold. */
static const struct seen *ended_of(struct cli *cli, const struct map *seen, struct json job)
{
	struct json metadata = json_get(job, "metadata");

	if (!has_lost_counts(job))
		return NULL;
	return map_get(seen, job_key(cli, json_str(json_get(metadata, "namespace")),
				     json_str(json_get(metadata, "name"))));
}

/* --- columns ------------------------------------------------------------------------------------ */

static void cell_phase(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(json_get(json_get(json_get(job, "status"), "state"), "phase")));
}

static void cell_type(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	struct str type =
		json_str(json_get(json_get(json_get(job, "metadata"), "labels"), LABEL_JOB_TYPE));

	(void)cli;
	(void)arg;
	buf_put_str(to, type.len ? type : STR("Batch"));
}

static void cell_replicas(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	struct json_iter it = json_iter(spec(job, "tasks"));
	int64_t replicas = 0;

	(void)cli;
	(void)arg;
	while (json_next(&it))
		replicas += json_int(json_get(it.value, "replicas"));
	buf_put_int(to, replicas);
}

static void cell_queue(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(spec(job, "queue")));
}

#define STATUS_CELL(key)                                                                          \
	static void cell_##key(struct cli *cli, const void *arg, struct json job, struct buf *to) \
	{                                                                                         \
		(void)cli;                                                                        \
		(void)arg;                                                                        \
		put_status(job, #key, to);                                                        \
	}                                                                                         \
	struct macro_semicolon
STATUS_CELL(minAvailable);
STATUS_CELL(pending);
STATUS_CELL(running);
STATUS_CELL(unknown);
STATUS_CELL(retryCount);

static void cell_succeeded(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	const struct seen *ended = ended_of(cli, ((const struct more *)arg)->seen, job);

	if (ended)
		buf_put_int(to, ended->succeeded);
	else
		put_status(job, "succeeded", to);
}

static void cell_failed(struct cli *cli, const void *arg, struct json job, struct buf *to)
{
	const struct seen *ended = ended_of(cli, ((const struct more *)arg)->seen, job);

	if (ended)
		buf_put_int(to, ended->failed);
	else
		put_status(job, "failed", to);
}

static const struct listing_column columns[] = {
	{"Namespace", WIDTH_LONGEST, 3, listing_cell_namespace, SHOW_ALL_NAMESPACES},
	{"Name", WIDTH_LONGEST, 3, listing_cell_name, SHOW_ALWAYS},
	{"Creation", WIDTH_FIXED, 15, listing_cell_day, SHOW_ALWAYS},
	{"Phase", WIDTH_FIXED, 12, cell_phase, SHOW_ALWAYS},
	{"JobType", WIDTH_FIXED, 12, cell_type, SHOW_ALWAYS},
	{"Replicas", WIDTH_FIXED, 12, cell_replicas, SHOW_ALWAYS},
	{"Min", WIDTH_FIXED, 6, cell_minAvailable, SHOW_ALWAYS},
	{"Pending", WIDTH_FIXED, 10, cell_pending, SHOW_ALWAYS},
	{"Running", WIDTH_FIXED, 10, cell_running, SHOW_ALWAYS},
	{"Succeeded", WIDTH_FIXED, 12, cell_succeeded, SHOW_ALWAYS},
	{"Failed", WIDTH_FIXED, 10, cell_failed, SHOW_ALWAYS},
	{"Unknown", WIDTH_FIXED, 12, cell_unknown, SHOW_ALWAYS},
	{"RetryCount", WIDTH_FIXED, 10, cell_retryCount, SHOW_ALWAYS},
	{"Queue", WIDTH_LONGEST, 3, cell_queue, SHOW_WIDE},
	{"Age", WIDTH_LONGEST, 3, listing_cell_age, SHOW_WIDE},
	{"Reason", WIDTH_LONGEST, 0, cell_reason, SHOW_FILLED},
	{0},
};

/* Upstream's --selector is a part of the name; a text with an operator in it is a selector of
 * labels, as everywhere else. */
static bool is_label_selector(struct str text)
{
	return str_find_byte(text, '=', 0) >= 0 || str_find_byte(text, '!', 0) >= 0 ||
	       str_find_byte(text, ' ', 0) >= 0 || str_find_byte(text, ',', 0) >= 0;
}

struct str job_selector(const struct cli *cli)
{
	struct str selector = command_str(&cli->line, "selector");

	return is_label_selector(selector) ? selector : str_none();
}

static bool has_value(const struct cli *cli, const char *flag, struct json value)
{
	struct str wanted = command_str(&cli->line, flag);

	return !wanted.len || str_eq(wanted, json_str(value));
}

static bool keep(struct cli *cli, struct json job)
{
	struct str selector = command_str(&cli->line, "selector");

	if (selector.len && !is_label_selector(selector) &&
	    str_find(meta_name(job), selector, 0) < 0)
		return false;
	return has_value(cli, "queue", spec(job, "queue")) &&
	       has_value(cli, "scheduler", spec(job, "schedulerName"));
}

/* --- progress, if the list is watched -------------------------------------------------------- */

enum { PROGRESS_JOBS_MAX = 12, PROGRESS_WIDTH = 30 };

static void put_progress(struct cli *cli, struct json job, struct json task)
{
	struct json phases =
		json_get(json_get_str(json_get(json_get(job, "status"), "taskStatusCount"),
				      json_str(json_get(task, "name"))),
			 "phase");
	int64_t all = json_int(json_get(task, "replicas"));
	int64_t done = json_int(json_get(phases, "Succeeded"));
	int64_t failed = json_int(json_get(phases, "Failed"));
	int64_t running = json_int(json_get(phases, "Running"));
	double whole = all > 0 ? (double)all : 1;
	const struct bar_part parts[] = {
		{(double)done / whole, BAR_FULL, cli_colour(cli, COLOUR_GOOD)},
		{(double)failed / whole, BAR_FULL, cli_colour(cli, COLOUR_BAD)},
		{(double)running / whole, BAR_HALF, cli_colour(cli, COLOUR_BUSY)},
	};
	const struct bar bar = {.width = PROGRESS_WIDTH,
				.unicode = cli_has_unicode(cli),
				.plain = cli_colour(cli, COLOUR_NONE),
				.parts = parts,
				.count = ARRAY_LEN(parts),
				.mark = -1};

	buf_printf(&cli->out, "  %-20.*s ", STR_ARG(json_str(json_get(task, "name"))));
	bar_put(&bar, &cli->out);
	buf_printf(&cli->out, "  %lld of %lld run, %lld done", (long long)running, (long long)all,
		   (long long)done);
	if (failed)
		buf_printf(&cli->out, ", %lld failed", (long long)failed);
	buf_putc(&cli->out, '\n');
}

static void progress(struct cli *cli, struct json jobs)
{
	struct json_iter it = json_iter(jobs);
	size_t shown = 0;

	while (json_next(&it) && shown < PROGRESS_JOBS_MAX) {
		struct json_iter task = json_iter(spec(it.value, "tasks"));

		if (phase_is_end(phase_of(it.value)) || !keep(cli, it.value))
			continue;
		shown++;
		buf_printf(&cli->out, "\n%s%.*s%s\n", cli_colour(cli, COLOUR_BOLD),
			   STR_ARG(meta_name(it.value)), cli_colour(cli, COLOUR_NONE));
		while (json_next(&task))
			put_progress(cli, it.value, task.value);
	}
}

static enum colour colour_of(const char *title, struct str cell)
{
	return str_is(str_from(title), "Phase") ? phase_colour(cell) : COLOUR_NONE;
}

int job_list(struct cli *cli, struct err *err)
{
	AUTO(map_free) struct map *seen = map_new(loop_random_u64(cli->loop));
	AUTO(map_free) struct map *reasons = map_new(loop_random_u64(cli->loop));
	struct more more = {seen, reasons};
	const struct listing listing = {.id = RESOURCE_VCJOBS,
					.singular = "job",
					.columns = columns,
					.keep = keep,
					.arg = &more,
					.prepare = read_more,
					.state = &more,
					.below = progress,
					.colour = colour_of};

	return listing_run(cli, &listing, cli_namespace(cli), job_selector(cli), err);
}

static int run(void *program, struct err *err)
{
	return job_list(program, err);
}

static const struct flag flags[] = {
	CLI_FLAG_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	JOB_LIST_FLAGS,
	{.name = NULL},
};

const struct command command_job_list = {
	.name = "list", .about = "list jobs", .flags = flags, .run = run};
