/* SPDX-License-Identifier: Apache-2.0 */
/* cli/queue_list.c - `vcctl queue list`, `vcctl queue get`, `vqueues`. The numbers of podgroups are
 * counted here, from the podgroups themselves: a queue's status does not carry them. */
#include "base/arena.h"
#include "base/map.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/object_list.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum count { COUNT_INQUEUE, COUNT_PENDING, COUNT_RUNNING, COUNT_UNKNOWN, COUNT_COMPLETED, COUNTS };

static const char *const phases[] = {
	[COUNT_INQUEUE] = "Inqueue", [COUNT_PENDING] = "Pending",     [COUNT_RUNNING] = "Running",
	[COUNT_UNKNOWN] = "Unknown", [COUNT_COMPLETED] = "Completed",
};

struct counts {
	int64_t of[COUNTS];
};

/* --- cells -------------------------------------------------------------------------------------- */

static void cell_weight(struct cli *cli, const void *arg, struct json queue, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_int(to, json_int(json_get(json_get(queue, "spec"), "weight")));
}

static void cell_state(struct cli *cli, const void *arg, struct json queue, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(json_get(json_get(queue, "status"), "state")));
}

static void cell_parent(struct cli *cli, const void *arg, struct json queue, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(json_get(json_get(queue, "spec"), "parent")));
}

static void put_count(const void *arg, struct json queue, enum count which, struct buf *to)
{
	const struct counts *counts = map_get(arg, meta_name(queue));

	buf_put_int(to, counts ? counts->of[which] : 0);
}

#define COUNT_CELL(name, which)                                                      \
	static void cell_##name(struct cli *cli, const void *arg, struct json queue, \
				struct buf *to)                                      \
	{                                                                            \
		(void)cli;                                                           \
		put_count(arg, queue, which, to);                                    \
	}                                                                            \
	struct macro_semicolon
COUNT_CELL(inqueue, COUNT_INQUEUE);
COUNT_CELL(pending, COUNT_PENDING);
COUNT_CELL(running, COUNT_RUNNING);
COUNT_CELL(unknown, COUNT_UNKNOWN);
COUNT_CELL(completed, COUNT_COMPLETED);

static const struct listing_column columns[] = {
	{"Name", WIDTH_FIXED, 25, listing_cell_name, SHOW_ALWAYS},
	{"Weight", WIDTH_FIXED, 8, cell_weight, SHOW_ALWAYS},
	{"State", WIDTH_FIXED, 8, cell_state, SHOW_ALWAYS},
	{"Parent", WIDTH_FIXED, 8, cell_parent, SHOW_ALWAYS},
	{"Inqueue", WIDTH_FIXED, 8, cell_inqueue, SHOW_ALWAYS},
	{"Pending", WIDTH_FIXED, 8, cell_pending, SHOW_ALWAYS},
	{"Running", WIDTH_FIXED, 8, cell_running, SHOW_ALWAYS},
	{"Unknown", WIDTH_FIXED, 8, cell_unknown, SHOW_ALWAYS},
	{"Completed", WIDTH_FIXED, 8, cell_completed, SHOW_ALWAYS},
	{"Age", WIDTH_LONGEST, 3, listing_cell_age, SHOW_WIDE},
	{0},
};

/* --- counting ----------------------------------------------------------------------------------- */

/* Those of vqueues: upstream's has fewer. */
static const struct listing_column short_columns[] = {
	{"Name", WIDTH_FIXED, 25, listing_cell_name, SHOW_ALWAYS},
	{"Weight", WIDTH_FIXED, 8, cell_weight, SHOW_ALWAYS},
	{"State", WIDTH_FIXED, 8, cell_state, SHOW_ALWAYS},
	{"Inqueue", WIDTH_FIXED, 8, cell_inqueue, SHOW_ALWAYS},
	{"Pending", WIDTH_FIXED, 8, cell_pending, SHOW_ALWAYS},
	{"Running", WIDTH_FIXED, 8, cell_running, SHOW_ALWAYS},
	{"Unknown", WIDTH_FIXED, 8, cell_unknown, SHOW_ALWAYS},
	{"Parent", WIDTH_LONGEST, 3, cell_parent, SHOW_WIDE},
	{"Completed", WIDTH_LONGEST, 3, cell_completed, SHOW_WIDE},
	{"Age", WIDTH_LONGEST, 3, listing_cell_age, SHOW_WIDE},
	{0},
};

static void count_group(struct cli *cli, struct map *all, struct json group)
{
	struct str queue = json_str(json_get(json_get(group, "spec"), "queue"));
	struct str phase = json_str(json_get(json_get(group, "status"), "phase"));
	struct counts *counts = map_get(all, queue);

	if (!counts) {
		counts = arena_new_of(cli->arena, struct counts);
		(void)map_put(all, arena_str(cli->arena, queue), counts);
	}
	for (size_t i = 0; i < COUNTS; i++)
		if (str_is(phase, phases[i]))
			counts->of[i]++;
}

/* vqueues is a program of its own. */
static struct listing queues(const struct cli *cli)
{
	return (struct listing){.id = RESOURCE_QUEUES,
				.singular = "queue",
				.columns = cli->line.depth > 1 ? columns : short_columns};
}

/* Of queues and podgroups. */
static int draw(struct cli *cli, const struct json *items, void *arg, struct err *err)
{
	AUTO(map_free) struct map *counts = map_new(0);
	struct listing listing = *(const struct listing *)arg;
	struct json_iter it = json_iter(items[1]);

	while (json_next(&it))
		count_group(cli, counts, it.value);
	listing.arg = counts;
	return listing_print(cli, &listing, items[0], err);
}

static int list(void *program, struct err *err)
{
	struct cli *cli = program;
	const struct live_source sources[] = {
		{.id = RESOURCE_QUEUES, .selector = command_str(&cli->line, "selector")},
		{.id = RESOURCE_PODGROUPS},
	};
	struct listing listing = queues(cli);

	if (command_bool(&cli->line, "watch"))
		return listing_watch(cli, &listing, sources, ARRAY_LEN(sources), draw, err);
	return live_once(cli, sources, ARRAY_LEN(sources), draw, &listing, err);
}

static int get(void *program, struct err *err)
{
	struct cli *cli = program;
	AUTO(json_doc_unref) struct json_doc *queue = NULL;
	AUTO(json_doc_unref) struct json_doc *groups = NULL;
	AUTO(json_doc_unref) struct json_doc *one = json_doc_new();
	struct listing listing = queues(cli);
	struct str name = cli_name(cli);

	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "name is mandatory to get the particular queue details");
	queue = cli_get(cli, RESOURCE_QUEUES, str_none(), name, err);
	if (!queue)
		return -1;
	json_doc_set_root(one, json_new_arr(one));
	json_append(one, json_doc_root(one), json_new_copy(one, json_doc_root(queue)));
	groups = cli_list(cli, RESOURCE_PODGROUPS, str_none(), str_none(), err);
	if (!groups)
		return -1;
	return draw(cli,
		    (struct json[]){json_doc_root(one), json_get(json_doc_root(groups), "items")},
		    &listing, err);
}

static const struct flag list_flags[] = {
	{.name = "selector", .about = "only queues with these labels (a=b)", .noun = "TEXT"},
	LISTING_FLAGS,
	LISTING_WATCH,
	{.name = NULL},
};
static const struct flag get_flags[] = {
	CLI_SHORT_NAME("the name of the queue"),
	LISTING_FLAGS,
	{.name = NULL},
};

const struct command command_queue_list = {
	.name = "list", .about = "list all queues", .flags = list_flags, .run = list};
const struct command command_queue_get = {.name = "get",
					  .about = "show one queue",
					  .arguments = "[NAME]",
					  .flags = get_flags,
					  .run = get};

static int list_or_get(void *program, struct err *err)
{
	struct cli *cli = program;

	return cli_name(cli).len ? get(cli, err) : list(cli, err);
}

static const struct flag short_flags[] = {
	CLI_SHORT_NAME("show only this queue"),
	{.name = "selector", .about = "only queues with these labels (a=b)", .noun = "TEXT"},
	LISTING_FLAGS,
	LISTING_WATCH,
	{.name = NULL},
};

const struct command command_vqueues = {.name = "vqueues",
					CLI_ROOT,
					.completes = "queues",
					.about = "list queues, or show one",
					.arguments = "[NAME]",
					.flags = short_flags,
					.run = list_or_get};
