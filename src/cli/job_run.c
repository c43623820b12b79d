/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_run.c - `vcctl job run`: a job from a file, or one made of flags; `vsub` builds on it. */
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "model/quantity.h"

#include "base/banned.h"

/* "cpu=1000m,memory=100Mi" as an object. */
static int set_amounts(struct json_doc *doc, struct json to, const char *key, struct str text,
		       struct err *err)
{
	struct json amounts = json_ensure_obj(doc, to, key);
	struct str rest = text;
	struct str part;

	if (!text.len)
		return 0;
	while (str_split(&rest, ',', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);
		struct str name = str_slice(part, 0, equals < 0 ? 0 : (size_t)equals);
		struct str value = str_skip(part, (size_t)equals + 1);
		struct quantity amount;

		if (equals < 0 || str_find_byte(value, '=', 0) >= 0)
			return err_set(err, ERR_BAD_REQUEST,
				       "invalid argument syntax %.*s, expected <resource>=<value>",
				       STR_ARG(part));
		if (quantity_parse(value, &amount, err) < 0)
			return -1;
		json_set(doc, amounts, name, json_new_str(doc, value));
	}
	return 0;
}

/* Words as a shell would split them: quotes and backslashes, nothing more. */
static int set_words(struct json_doc *doc, struct json container, struct str text, struct err *err)
{
	AUTO(buf_done) struct buf word = BUF_UNBOUNDED;
	struct json list = json_ensure_arr(doc, container, "command");
	bool open = false;
	char quote = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool blank = c == ' ' || c == '\t' || c == '\n';

		if (!quote && blank) {
			if (open)
				json_append(doc, list, json_new_str(doc, buf_str(&word)));
			buf_clear(&word);
			open = false;
			continue;
		}
		open = true;
		if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (c == quote)
			quote = 0;
		else if (c == '\\' && quote != '\'' && i + 1 < text.len)
			buf_putc(&word, text.ptr[++i]);
		else
			buf_putc(&word, c);
	}
	if (quote)
		return err_set(err, ERR_BAD_REQUEST, "the quote %c in the command is not closed",
			       quote);
	if (open)
		json_append(doc, list, json_new_str(doc, buf_str(&word)));
	return 0;
}

static int fill_container(struct cli *cli, struct json_doc *doc, struct json container,
			  struct str name, struct err *err)
{
	struct json amounts = json_ensure_obj(doc, container, "resources");

	json_set_str(doc, container, "name", name);
	json_set_str(doc, container, "image", command_str(&cli->line, "image"));
	json_set_str(doc, container, "imagePullPolicy", STR("IfNotPresent"));
	if (set_amounts(doc, amounts, "limits", command_str(&cli->line, "limits"), err) < 0)
		return -1;
	return set_amounts(doc, amounts, "requests", command_str(&cli->line, "requests"), err);
}

static struct json_doc *make_job(struct cli *cli, struct str namespace, struct str name,
				 struct str command, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata, spec, task, template, pod, container;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("batch.volcano.sh/v1alpha1"));
	json_set_str(doc, root, "kind", STR("Job"));
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, metadata, "name", name);
	json_set_str(doc, metadata, "namespace", namespace);
	spec = json_ensure_obj(doc, root, "spec");
	json_set_int(doc, spec, "minAvailable", command_int(&cli->line, "min"));
	json_set_str(doc, spec, "schedulerName", command_str(&cli->line, "scheduler"));
	task = json_new_obj(doc);
	json_append(doc, json_ensure_arr(doc, spec, "tasks"), task);
	json_set_int(doc, task, "replicas", command_int(&cli->line, "replicas"));
	template = json_ensure_obj(doc, task, "template");
	metadata = json_ensure_obj(doc, template, "metadata");
	json_set_str(doc, metadata, "name", name);
	json_set_str(doc, json_ensure_obj(doc, metadata, "labels"), "job.volcano.sh", name);
	pod = json_ensure_obj(doc, template, "spec");
	json_set_str(doc, pod, "restartPolicy", STR("Never"));
	container = json_new_obj(doc);
	json_append(doc, json_ensure_arr(doc, pod, "containers"), container);
	if (fill_container(cli, doc, container, name, err) < 0)
		return NULL;
	if (command.len && set_words(doc, container, command, err) < 0)
		return NULL;
	return TAKE(doc);
}

static int create(struct cli *cli, struct str namespace, struct json_doc *job, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *made = cli_create(cli, RESOURCE_VCJOBS, namespace, job, err);
	struct str name;

	if (!made)
		return -1;
	name = json_str(json_get(json_get(json_doc_root(made), "metadata"), "name"));
	buf_printf(&cli->out, "run job %.*s successfully\n", STR_ARG(name));
	return 0;
}

int job_submit(struct cli *cli, struct str namespace, struct str name, struct str command,
	       struct err *err)
{
	struct json_doc *job = make_job(cli, namespace, name, command, err);

	return job ? create(cli, namespace, job, err) : -1;
}

/* The one Job in the file, in the namespace of the flags. */
static int run_file(struct cli *cli, struct str path, struct err *err)
{
	AUTO(cli_docs_done) struct cli_docs docs = {0};
	struct json_doc *job;
	struct json root;

	if (str_find(path, STR(".yaml"), 0) < 0 && str_find(path, STR(".yml"), 0) < 0)
		return err_set(err, ERR_BAD_REQUEST, "only support yaml file");
	if (cli_read_docs(cli, path, &docs, err) < 0)
		return err_wrap(err, "failed to read file, err");
	if (docs.len != 1 || !str_is(json_str(json_get(json_doc_root(docs.ptr[0]), "kind")), "Job"))
		return err_set(err, ERR_BAD_REQUEST, "%.*s: must hold one Job, and nothing else",
			       STR_ARG(path));
	job = json_doc_thaw(json_doc_root(docs.ptr[0]));
	root = json_doc_root(job);
	json_set_str(job, json_ensure_obj(job, root, "metadata"), "namespace", cli_namespace(cli));
	return create(cli, cli_namespace(cli), job, err);
}

static int run(struct cli *cli, struct err *err)
{
	struct str name = command_str(&cli->line, "name");
	struct str file = command_str(&cli->line, "filename");

	if (!name.len && !file.len)
		return err_set(err, ERR_BAD_REQUEST, "job name cannot be left blank");
	if (file.len)
		return run_file(cli, file, err);
	return job_submit(cli, cli_namespace(cli), name, str_none(), err);
}

static const struct flag flags[] = {
	{'f', "filename", FLAG_STRING, NULL, "the file (YAML) that describes the job", NULL,
	 "FILE"},
	{'i', "image", FLAG_STRING, "busybox", "the container's image", NULL, "IMAGE"},
	{'L', "limits", FLAG_STRING, "cpu=1000m,memory=100Mi", "what a pod may use at most", NULL,
	 "LIST"},
	{'m', "min", FLAG_INT, "1", "pods that must run at the same time", NULL, "N"},
	CLI_FLAG_NAME("job"),
	CLI_FLAG_NAMESPACE,
	{'r', "replicas", FLAG_INT, "1", "pods of the job", NULL, "N"},
	{'R', "requests", FLAG_STRING, "cpu=1000m,memory=100Mi", "what a pod is given at least",
	 NULL, "LIST"},
	{'S', "scheduler", FLAG_STRING, "volcano", "the scheduler of the job", NULL, "NAME"},
	{0},
};

const struct command command_job_run = {
	.name = "run", .about = "run a job, from flags or from a file", .flags = flags, .run = run};
