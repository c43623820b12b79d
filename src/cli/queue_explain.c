/* SPDX-License-Identifier: Apache-2.0 */
/* cli/queue_explain.c - `vcctl queue explain`: what a queue uses of what it may use, and what its jobs wait for. */
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/waiting.h"
#include "loop/loop.h"
#include "model/value/quantity.h"

#include "base/banned.h"

static struct json spec(struct json queue, const char *key)
{
	return json_get(json_get(queue, "spec"), key);
}

/* "2 of 4 cpu", by each resource that the queue uses or is limited in. */
static void put_use(struct cli *cli, struct json queue)
{
	static const struct {
		const char *title;
		const char *key;
	} rows[] = {{"may use at most", "capability"}, {"deserves", "deserved"}};
	struct json_iter it = json_iter(json_get(json_get(queue, "status"), "allocated"));
	struct json guarantee = json_get(spec(queue, "guarantee"), "resource");
	const char *before = "  in use           ";

	while (json_next(&it)) {
		if (str_is(json_str(it.value), "0"))
			continue;
		buf_printf(&cli->out, "%s%.*s %.*s", before, STR_ARG(it.key),
			   STR_ARG(json_str(it.value)));
		before = ", ";
	}
	buf_puts(&cli->out, before[0] == ',' ? "\n" : "  in use           nothing\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool any = false;

		it = json_iter(spec(queue, rows[i].key));
		while (json_next(&it)) {
			if (!any)
				buf_printf(&cli->out, "  %-16s ", rows[i].title);
			buf_printf(&cli->out, "%s%.*s ", any ? ", " : "", STR_ARG(it.key));
			if (json_is(it.value, JSON_STR))
				buf_put_str(&cli->out, json_str(it.value));
			else
				json_print(it.value, JSON_COMPACT, &cli->out);
			any = true;
		}
		buf_puts(&cli->out, any ? "\n" : "");
	}
	if (json_len(guarantee)) {
		buf_puts(&cli->out, "  is guaranteed    ");
		json_print(guarantee, JSON_COMPACT, &cli->out);
		buf_putc(&cli->out, '\n');
	}
}

static void put_line(struct cli *cli, struct json queue, struct str name, size_t running,
		     size_t waiting)
{
	struct json status = json_get(queue, "status");
	struct str state = json_str(json_get(status, "state"));

	if (str_is(state, "Closed") || str_is(state, "Closing"))
		buf_printf(&cli->out,
			   "queue `%.*s` is closed: it starts no new jobs (%zu run, %zu wait)\n"
			   "What would help: Open it (vcctl queue operate -n %.*s -a open)\n\n",
			   STR_ARG(name), running, waiting, STR_ARG(name));
	else
		buf_printf(&cli->out, "queue `%.*s` is open: %zu job%s run%s, %zu wait%s\n\n",
			   STR_ARG(name), running, running == 1 ? "" : "s", running == 1 ? "s" : "",
			   waiting, waiting == 1 ? "s" : "");
}

static size_t count_running(struct json groups, struct str queue)
{
	struct json_iter it = json_iter(groups);
	size_t count = 0;

	while (json_next(&it)) {
		struct str its = json_str(json_get(json_get(it.value, "spec"), "queue"));

		count += str_eq(its.len ? its : STR("default"), queue) &&
			 str_is(json_str(json_get(json_get(it.value, "status"), "phase")),
				"Running");
	}
	return count;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	AUTO(json_doc_unref) struct json_doc *queue = NULL;
	AUTO(json_doc_unref) struct json_doc *groups = NULL;
	struct str name = cli_name(cli);
	AUTO(buf_done) struct buf jobs = BUF_UNBOUNDED;
	struct waiting_facts facts;
	size_t count;

	if (!name.len)
		return err_set(
			err, ERR_BAD_REQUEST,
			"which queue? `vcctl queue explain NAME`; `vcctl queue list` shows them");
	queue = cli_get(cli, RESOURCE_QUEUES, str_none(), name, err);
	if (!queue)
		return -1;
	groups = cli_list(cli, RESOURCE_PODGROUPS, str_none(), str_none(), err);
	if (!groups)
		return -1;
	facts = (struct waiting_facts){.groups = json_get(json_doc_root(groups), "items"),
				       .queue = name,
				       .now = loop_now(cli->loop),
				       .bold = cli_colour(cli, COLOUR_BOLD),
				       .faint = cli_colour(cli, COLOUR_FAINT),
				       .plain = cli_colour(cli, COLOUR_NONE)};
	count = waiting_print(&facts, cli->arena, &jobs);
	put_line(cli, json_doc_root(queue), name, count_running(facts.groups, name), count);
	put_use(cli, json_doc_root(queue));
	buf_putc(&cli->out, '\n');
	buf_put_str(&cli->out, count ? buf_str(&jobs) : STR("No job of it waits.\n"));
	return 0;
}

static const struct flag flags[] = {
	CLI_FLAG_NAME("queue"),
	{.name = NULL},
};

const struct command command_queue_explain = {
	.name = "explain",
	.about = "say what a queue uses and may use, and what its jobs wait for",
	.more = "The first line says whether the queue is open, and how many of its jobs run and "
		"wait. Then\n"
		"what it uses, its limit, what it deserves and is guaranteed; and the jobs that "
		"wait,\n"
		"grouped by what they wait for, the most common cause first.",
	.arguments = "NAME",
	.flags = flags,
	.run = run};
