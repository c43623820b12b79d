/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_run.c - `vcctl job run`: a job from a file, or one made of flags. */
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/submit.h"
#include "model/core/meta.h"
#include "model/volcano/wait_reason.h"

#include "base/banned.h"

/* Others who wait for what it uses see whose it is. */
static void set_submitter(struct cli *cli, struct json_doc *job)
{
	struct json metadata = json_ensure_obj(job, json_doc_root(job), "metadata");
	const char *user = cli->host->env("USER");
	struct json notes;

	if (!user || !*user)
		return;
	notes = json_ensure_obj(job, metadata, "annotations");
	if (json_is_absent(json_get(notes, SUBMITTER_ANNOTATION)))
		json_set_str(job, notes, SUBMITTER_ANNOTATION, str_from(user));
}

int job_create(struct cli *cli, struct str namespace, struct json_doc *job, struct str *ret_name,
	       struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *made = NULL;

	set_submitter(cli, job);
	made = cli_create(cli, RESOURCE_VCJOBS, namespace, job, err);
	if (!made)
		return -1;
	*ret_name = arena_str(cli->arena, meta_name(json_doc_root(made)));
	return 0;
}

static int create(struct cli *cli, struct str namespace, struct json_doc *job, struct err *err)
{
	struct str name;

	if (job_create(cli, namespace, job, &name, err) < 0)
		return -1;
	buf_printf(&cli->out, "run job %.*s successfully\n", STR_ARG(name));
	return 0;
}

/* --- files -------------------------------------------------------------------------------------- */

struct batch {
	struct cli *cli;
	size_t left; /* answers to come */
	bool done;
	struct err err; /* the first that was refused */
};

static void on_created(void *arg, const struct client_result *result)
{
	struct batch *batch = arg;

	if (!result->err)
		buf_printf(&batch->cli->out, "run job %.*s successfully\n",
			   STR_ARG(json_str(json_get(
				   json_get(json_doc_root(result->doc), "metadata"), "name"))));
	else if (batch->err.code == ERR_NONE)
		batch->err = *result->err;
	batch->done = --batch->left == 0;
}

/* The namespace of a job of a file: as the flag says, else as the file does. */
static struct str namespace_of(const struct cli *cli, const struct json_doc *job)
{
	struct json meta = json_get(json_doc_root(job), "metadata");

	return command_given(&cli->line, "namespace") ? cli_namespace(cli)
						      : json_str(json_get(meta, "namespace"));
}

/* All at once: the client bounds what is in flight. */
static int create_all(struct cli *cli, const struct cli_docs *docs, struct err *err)
{
	struct batch batch = {.cli = cli, .left = docs->len};
	struct client *client = cli_client(cli, err);

	if (!client)
		return -1;
	for (size_t i = 0; i < docs->len; i++)
		(void)client_send(client,
				  &(struct client_ask){.verb = CLIENT_CREATE,
						       .resource = &resources[RESOURCE_VCJOBS],
						       .namespace = namespace_of(cli, docs->ptr[i]),
						       .body = docs->ptr[i],
						       .done = on_created,
						       .arg = &batch});
	(void)cli_wait(cli, &batch.done, -1);
	if (batch.err.code == ERR_NONE)
		return 0;
	*err = batch.err;
	return -1;
}

/* The Jobs in the file. Who names another namespace there than by the flag hears it from the server. */
static int run_file(struct cli *cli, struct str path, struct err *err)
{
	AUTO(cli_docs_done) struct cli_docs docs = {0};

	if (str_find(path, STR(".yaml"), 0) < 0 && str_find(path, STR(".yml"), 0) < 0)
		return err_set(err, ERR_BAD_REQUEST, "only support yaml file");
	if (cli_read_docs(cli, path, &docs, err) < 0)
		return err_wrap(err, err->code == ERR_BAD_REQUEST ? "failed to unmarshal file, err"
								  : "failed to read file, err");
	for (size_t i = 0; i < docs.len; i++) {
		struct json_doc *job = json_doc_thaw(json_doc_root(docs.ptr[i]));
		struct str kind = json_str(json_get(json_doc_root(job), "kind"));
		struct json meta;

		json_doc_unref(docs.ptr[i]);
		docs.ptr[i] = job;
		if (kind.len && !str_is(kind, "Job")) /* without one, the command says it */
			return err_set(err, ERR_BAD_REQUEST,
				       "%.*s: must hold Jobs, and nothing else", STR_ARG(path));
		meta = json_ensure_obj(job, json_doc_root(job), "metadata");
		if (!json_str(json_get(meta, "namespace")).len)
			json_set_str(job, meta, "namespace", cli_namespace(cli));
	}
	if (!docs.len)
		return err_set(err, ERR_BAD_REQUEST, "%.*s: there is no Job in it", STR_ARG(path));
	return create_all(cli, &docs, err);
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str file = command_str(&cli->line, "filename");
	const struct submit submit = {
		.name = command_str(&cli->line, "name"),
		.namespace = cli_namespace(cli),
		.scheduler = command_str(&cli->line, "scheduler"),
		.image = command_str(&cli->line, "image"),
		.requests = command_str(&cli->line, "requests"),
		.limits = command_str(&cli->line, "limits"),
		.replicas = command_int(&cli->line, "replicas"),
		.min = command_int(&cli->line, "min"),
	};
	struct json_doc *job;

	if (!submit.name.len && !file.len)
		return err_set(err, ERR_BAD_REQUEST, "job name cannot be left blank");
	if (file.len)
		return run_file(cli, file, err);
	job = submit_job(&submit, err);
	return job ? create(cli, submit.namespace, job, err) : -1;
}

static const struct flag flags[] = {
	{.letter = 'f',
	 .name = "filename",
	 .about = "the file (YAML) that describes the job",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.letter = 'i',
	 .name = "image",
	 .value = "busybox",
	 .about = "the container's image",
	 .noun = "IMAGE"},
	{.letter = 'L',
	 .name = "limits",
	 .value = "cpu=1000m,memory=100Mi",
	 .about = "what a pod may use at most",
	 .noun = "LIST"},
	{.letter = 'm',
	 .name = "min",
	 .type = FLAG_INT,
	 .value = "1",
	 .about = "pods that must run at the same time",
	 .noun = "N"},
	CLI_FLAG_NAME("job"),
	CLI_FLAG_NAMESPACE,
	{.letter = 'r',
	 .name = "replicas",
	 .type = FLAG_INT,
	 .value = "1",
	 .about = "pods of the job",
	 .noun = "N"},
	{.letter = 'R',
	 .name = "requests",
	 .value = "cpu=1000m,memory=100Mi",
	 .about = "what a pod is given at least",
	 .noun = "LIST"},
	{.letter = 'S',
	 .name = "scheduler",
	 .value = "volcano",
	 .about = "the scheduler of the job",
	 .noun = "NAME"},
	{.name = NULL},
};

const struct command command_job_run = {
	.name = "run", .about = "run a job, from flags or from a file", .flags = flags, .run = run};
