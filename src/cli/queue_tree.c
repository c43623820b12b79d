/* SPDX-License-Identifier: Apache-2.0 */
/* cli/queue_tree.c - `vcctl queue tree`. */
#include "base/macro.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/queue_bars.h"

#include "base/banned.h"

static int draw(struct cli *cli, const struct json *items, void *arg, struct err *err)
{
	const struct queue_tree_facts facts = {
		.queues = items[0],
		.nodes = items[1],
		.unicode = cli_has_unicode(cli),
		.bold = cli_colour(cli, COLOUR_BOLD),
		.faint = cli_colour(cli, COLOUR_FAINT),
		.good = cli_colour(cli, COLOUR_GOOD),
		.busy = cli_colour(cli, COLOUR_BUSY),
		.bad = cli_colour(cli, COLOUR_BAD),
		.plain = cli_colour(cli, COLOUR_NONE),
	};

	(void)arg;
	(void)err;
	queue_tree_print(&facts, cli->arena, &cli->out);
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	static const struct live_source sources[] = {{.id = RESOURCE_QUEUES},
						     {.id = RESOURCE_NODES}};

	if (command_bool(&cli->line, "watch"))
		return live_run(cli, sources, ARRAY_LEN(sources), draw, NULL, err);
	return live_once(cli, sources, ARRAY_LEN(sources), draw, NULL, err);
}

static const struct flag flags[] = {
	{.letter = 'w',
	 .name = "watch",
	 .type = FLAG_BOOL,
	 .about = "keep running, and show changes"},
	{.name = NULL},
};

const struct command command_queue_tree = {
	.name = "tree",
	.about = "show queues as a tree: what each uses, may use and is due",
	.more = "Each bar shows how much of a resource the jobs of a queue hold, out of what the "
		"queue may\n"
		"use: its capability, or else that of the queue above it, or the cluster. The mark "
		"in\n"
		"the bar is its share: what it deserves, or else what its weight gives it.",
	.flags = flags,
	.run = run};
