/* SPDX-License-Identifier: Apache-2.0 */
/* cli/top.c - `vcctl top [nodes|queues|jobs]`. */
#include "base/macro.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/toplist.h"

#include "base/banned.h"

static const struct part {
	const char *name;
	void (*print)(const struct top_facts *facts, struct arena *arena, struct buf *to);
} parts[] = {{"nodes", top_nodes}, {"queues", top_queues}, {"jobs", top_jobs}};

/* `arg` is the part that was asked for; NULL: all. */
static int draw(struct cli *cli, const struct json *items, void *arg, struct err *err)
{
	const struct top_facts facts = {
		.nodes = items[0],
		.pods = items[1],
		.queues = items[2],
		.groups = items[3],
		.jobs = items[4],
		.unicode = cli_has_unicode(cli),
		.bold = cli_colour(cli, COLOUR_BOLD),
		.good = cli_colour(cli, COLOUR_GOOD),
		.busy = cli_colour(cli, COLOUR_BUSY),
		.bad = cli_colour(cli, COLOUR_BAD),
		.plain = cli_colour(cli, COLOUR_NONE),
		.most = (size_t)command_int(&cli->line, "most"),
	};

	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (arg && arg != &parts[i])
			continue;
		if (!arg && i)
			buf_putc(&cli->out, '\n');
		parts[i].print(&facts, cli->arena, &cli->out);
	}
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	static const struct live_source sources[] = {
		{.id = RESOURCE_NODES},     {.id = RESOURCE_PODS},   {.id = RESOURCE_QUEUES},
		{.id = RESOURCE_PODGROUPS}, {.id = RESOURCE_VCJOBS},
	};
	const struct part *part = NULL;

	for (size_t i = 0; cli->line.argument_count && i < ARRAY_LEN(parts); i++)
		if (str_is(cli->line.arguments[0], parts[i].name))
			part = &parts[i];
	if (cli->line.argument_count && !part)
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%.*s\": must be one of nodes, queues and jobs",
			       STR_ARG(cli->line.arguments[0]));
	if (command_int(&cli->line, "most") < 1)
		return err_set(err, ERR_BAD_REQUEST, "--most: must be at least 1");
	if (command_bool(&cli->line, "watch"))
		return live_run(cli, sources, ARRAY_LEN(sources), draw, (void *)(uintptr_t)part,
				err);
	return live_once(cli, sources, ARRAY_LEN(sources), draw, (void *)(uintptr_t)part, err);
}

static const struct flag flags[] = {
	{.name = "most",
	 .type = FLAG_INT,
	 .value = "20",
	 .about = "rows of each part",
	 .noun = "N"},
	{.letter = 'w',
	 .name = "watch",
	 .type = FLAG_BOOL,
	 .about = "keep running, and show changes"},
	{.name = NULL},
};

const struct command command_top = {
	.name = "top",
	.about = "show who holds what: nodes, queues, jobs",
	.more = "Resources are those that pods have reserved (requests of pods that are bound to a "
		"node\n"
		"and have not ended): of a node out of what it offers, of queues and jobs out of "
		"what\n"
		"the cluster offers. The largest share of any resource comes first.",
	.arguments = "[nodes|queues|jobs]",
	.flags = flags,
	.run = run};
