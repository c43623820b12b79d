/* SPDX-License-Identifier: Apache-2.0 */
/* cli/order.c - asking a controller for an action, by a Command object that names its target: suspend
 * and resume of jobs, open and close of queues. */
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "model/core/meta.h"

#include "base/banned.h"

static const struct {
	enum resource_id id;
	bool namespaced;
} targets[] = {
	[ORDER_JOB] = {RESOURCE_VCJOBS, true},
	[ORDER_QUEUE] = {RESOURCE_QUEUES, false},
};

/* A reference to the target, as its controller. */
static struct json reference(struct json_doc *doc, enum resource_id id, struct json target)
{
	AUTO(buf_done) struct buf version = BUF_UNBOUNDED;
	struct json ref = json_new_obj(doc);
	struct json metadata = json_get(target, "metadata");

	resource_put_api_version(&resources[id], &version);
	json_set_str(doc, ref, "apiVersion", buf_str(&version));
	json_set_str(doc, ref, "kind", resources[id].kind);
	json_set_str(doc, ref, "name", json_str(json_get(metadata, "name")));
	json_set_str(doc, ref, "uid", json_str(json_get(metadata, "uid")));
	json_set_bool(doc, ref, "controller", true);
	json_set_bool(doc, ref, "blockOwnerDeletion", true);
	return ref;
}

static struct str lower(struct cli *cli, const char *text)
{
	AUTO(buf_done) struct buf to = BUF_UNBOUNDED;

	for (; *text; text++)
		buf_putc(&to, *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text);
	return arena_str(cli->arena, buf_str(&to));
}

static struct json_doc *make_command(struct cli *cli, enum resource_id id, struct json target,
				     struct str namespace, const char *action)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata;
	struct str name = meta_name(target);
	struct str suffix = lower(cli, action);

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("bus.volcano.sh/v1alpha1"));
	json_set_str(doc, root, "kind", STR("Command"));
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set(doc, metadata, STR("generateName"),
		 json_new_printf(doc, "%.*s-%.*s-", STR_ARG(name), STR_ARG(suffix)));
	json_set_str(doc, metadata, "namespace", namespace);
	json_append(doc, json_ensure_arr(doc, metadata, "ownerReferences"),
		    reference(doc, id, target));
	json_set(doc, root, STR("target"), reference(doc, id, target));
	json_set_str(doc, root, "action", str_from(action));
	return doc;
}

int order_give(struct cli *cli, enum order_target target, struct str namespace, struct str name,
	       const char *action, struct err *err)
{
	enum resource_id id = targets[target].id;
	struct str where = targets[target].namespaced ? namespace : STR("default");
	AUTO(json_doc_unref)
	struct json_doc *object =
		cli_get(cli, id, targets[target].namespaced ? namespace : str_none(), name, err);
	AUTO(json_doc_unref) struct json_doc *made = NULL;

	if (!object)
		return -1;
	made = cli_create(cli, RESOURCE_COMMANDS, where,
			  make_command(cli, id, json_doc_root(object), where, action), err);
	return made ? 0 : -1;
}

/* --- vcctl job suspend, resume ------------------------------------------------------------------ */

static int order_job(struct cli *cli, const char *verb, const char *action, struct err *err)
{
	struct str name = cli_name(cli);

	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST, "job name is mandatory to %s a particular job",
			       verb);
	if (order_give(cli, ORDER_JOB, cli_namespace(cli), name, action, err) < 0)
		return -1;
	buf_printf(&cli->out, "%s job %.*s successfully\n", verb, STR_ARG(name));
	return 0;
}

static int suspend(void *program, struct err *err)
{
	struct cli *cli = program;

	return order_job(cli, "suspend", "AbortJob", err);
}

static int resume(void *program, struct err *err)
{
	struct cli *cli = program;

	return order_job(cli, "resume", "ResumeJob", err);
}

static const struct flag flags[] = {CLI_FLAG_NAME("job"), CLI_FLAG_NAMESPACE, {.name = NULL}};

const struct command command_job_suspend = {.name = "suspend",
					    .about = "stop a job and keep it",
					    .arguments = "[NAME]",
					    .flags = flags,
					    .run = suspend};
const struct command command_job_resume = {.name = "resume",
					   .about = "let a suspended job run again",
					   .arguments = "[NAME]",
					   .flags = flags,
					   .run = resume};

/* --- vsuspend, vresume: -N is the namespace here ------------------------------------------------ */

static const struct flag short_flags[] = {
	CLI_SHORT_NAME("the name of the job"),
	CLI_SHORT_NAMESPACE,
	{.name = NULL},
};

const struct command command_vsuspend = {.name = "vsuspend",
					 CLI_ROOT,
					 .completes = "jobs",
					 .about = "stop a job and keep it",
					 .arguments = "[NAME]",
					 .flags = short_flags,
					 .run = suspend};
const struct command command_vresume = {.name = "vresume",
					CLI_ROOT,
					.completes = "jobs",
					.about = "let a suspended job run again",
					.arguments = "[NAME]",
					.flags = short_flags,
					.run = resume};
