/* SPDX-License-Identifier: Apache-2.0 */
/* cli/queue_commands.c - `vcctl queue create`, `delete`, `operate`. */
#include "cli/cli.h"
#include "cli/commands.h"

#include "base/banned.h"

static int require_name(const struct cli *cli, struct err *err)
{
	if (command_str(&cli->line, "name").len)
		return 0;
	return err_set(err, ERR_BAD_REQUEST, "queue name must be specified");
}

/* --- create ------------------------------------------------------------------------------------- */

static int create(void *program, struct err *err)
{
	struct cli *cli = program;
	struct json_doc *doc = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *made = NULL;
	struct str name = command_str(&cli->line, "name");
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("scheduling.volcano.sh/v1beta1"));
	json_set_str(doc, root, "kind", STR("Queue"));
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "name", name);
	json_set_int(doc, json_ensure_obj(doc, root, "spec"), "weight",
		     command_int(&cli->line, "weight"));
	json_set_str(doc, json_ensure_obj(doc, root, "status"), "state",
		     command_str(&cli->line, "state"));
	made = cli_create(cli, RESOURCE_QUEUES, str_none(), doc, err);
	if (!made)
		return -1;
	buf_printf(&cli->out, "create queue %.*s successfully\n", STR_ARG(name));
	return 0;
}

static const struct flag create_flags[] = {
	{.letter = 'n',
	 .name = "name",
	 .value = "test",
	 .about = "the name of the queue",
	 .noun = "NAME",
	 .completes = COMPLETE_NAME},
	{.letter = 'w',
	 .name = "weight",
	 .type = FLAG_INT,
	 .value = "1",
	 .about = "its weight among its siblings",
	 .noun = "N"},
	{.letter = 'S',
	 .name = "state",
	 .value = "Open",
	 .about = "its state",
	 .noun = "STATE",
	 .choices = "Open Closed"},
	{.name = NULL},
};

const struct command command_queue_create = {
	.name = "create", .about = "create a queue", .flags = create_flags, .run = create};

/* --- delete ------------------------------------------------------------------------------------- */

static int delete (void *program, struct err *err)
{
	struct cli *cli = program;
	struct str name = command_str(&cli->line, "name");

	if (require_name(cli, err) < 0 ||
	    cli_delete(cli, RESOURCE_QUEUES, str_none(), name, err) < 0)
		return -1;
	buf_printf(&cli->out, "delete queue %.*s successfully\n", STR_ARG(name));
	return 0;
}

static const struct flag delete_flags[] = {
	{.letter = 'n',
	 .name = "name",
	 .about = "the name of the queue",
	 .noun = "NAME",
	 .completes = COMPLETE_NAME},
	{.name = NULL},
};

const struct command command_queue_delete = {
	.name = "delete", .about = "delete a queue", .flags = delete_flags, .run = delete};

/* --- operate ------------------------------------------------------------------------------------ */

static int set_weight(struct cli *cli, struct str name, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *patch = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *answer = NULL;
	int64_t weight = command_int(&cli->line, "weight");

	if (weight == 0)
		return err_set(
			err, ERR_BAD_REQUEST,
			"when update queue %.*s, weight must be specified, the value must be "
			"greater than 0",
			STR_ARG(name));
	json_doc_set_root(patch, json_new_obj(patch));
	json_set_int(patch, json_ensure_obj(patch, json_doc_root(patch), "spec"), "weight", weight);
	answer = cli_ask(cli,
			 &(struct client_ask){.verb = CLIENT_PATCH,
					      .patch = CLIENT_PATCH_MERGE,
					      .resource = &resources[RESOURCE_QUEUES],
					      .name = name,
					      .body = patch},
			 err);
	return answer ? 0 : -1;
}

static int operate(void *program, struct err *err)
{
	struct cli *cli = program;
	static const struct {
		const char *name;
		const char *action;
	} orders[] = {{"open", "OpenQueue"}, {"close", "CloseQueue"}};
	struct str name = command_str(&cli->line, "name");
	struct str action = command_str(&cli->line, "action");
	int status = 1;

	if (require_name(cli, err) < 0)
		return -1;
	if (!action.len)
		return err_set(err, ERR_BAD_REQUEST, "action can not be null");
	if (str_is(action, "update"))
		status = set_weight(cli, name, err);
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (str_is(action, orders[i].name))
			status = order_give(cli, ORDER_QUEUE, str_none(), name, orders[i].action,
					    err);
	if (status > 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "action %.*s invalid, valid actions are open, close and update",
			       STR_ARG(action));
	if (status == 0)
		buf_printf(&cli->out, "%.*s queue %.*s successfully\n", STR_ARG(action),
			   STR_ARG(name));
	return status;
}

static const struct flag operate_flags[] = {
	{.letter = 'n',
	 .name = "name",
	 .about = "the name of the queue",
	 .noun = "NAME",
	 .completes = COMPLETE_NAME},
	{.letter = 'a',
	 .name = "action",
	 .about = "open, close or update",
	 .noun = "ACTION",
	 .choices = "open close update"},
	{.letter = 'w',
	 .name = "weight",
	 .type = FLAG_INT,
	 .value = "0",
	 .about = "the new weight, with update",
	 .noun = "N"},
	{.name = NULL},
};

const struct command command_queue_operate = {.name = "operate",
					      .about = "open, close or weigh a queue",
					      .flags = operate_flags,
					      .run = operate};
