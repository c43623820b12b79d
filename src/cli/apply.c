/* SPDX-License-Identifier: Apache-2.0 */
/* cli/apply.c - `vcctl apply -f` and `vcctl delete -f`: any object of the kinds that the system uses, from
 * a file, for those who have no kubectl: queues with capabilities, priority classes, cron jobs, flows. */
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include "base/banned.h"

struct object {
	const struct resource *resource;
	struct str namespace;
	struct str name;
	struct json_doc *doc;
};

static struct str text(struct json_doc *doc, const char *key)
{
	return json_str(json_get(json_get(json_doc_root(doc), "metadata"), key));
}

static int find_object(struct cli *cli, struct json_doc *doc, struct object *ret, struct err *err)
{
	struct str version = json_str(json_get(json_doc_root(doc), "apiVersion"));
	struct str kind = json_str(json_get(json_doc_root(doc), "kind"));
	const struct resource *resource = resource_find(version, kind);

	if (!resource)
		return err_set(err, ERR_BAD_REQUEST,
			       "do not know the kind \"%.*s\" of \"%.*s\"; kubectl can apply it",
			       STR_ARG(kind), STR_ARG(version));
	*ret = (struct object){.resource = resource, .name = text(doc, "name"), .doc = doc};
	if (!ret->name.len)
		return err_set(err, ERR_BAD_REQUEST, "%.*s: metadata.name: must be given",
			       STR_ARG(kind));
	if (resource->namespaced) {
		ret->namespace = text(doc, "namespace");
		if (!ret->namespace.len)
			ret->namespace = command_str(&cli->line, "namespace");
	}
	return 0;
}

/* Each object of the file; all of them are known before the first is touched. */
static int each(struct cli *cli, int (*act)(struct cli *, const struct object *, struct err *),
		struct err *err)
{
	AUTO(cli_docs_done) struct cli_docs docs = {0};
	struct str path = command_str(&cli->line, "filename");
	struct object *objects;

	if (!path.len)
		return err_set(err, ERR_BAD_REQUEST, "which file? -f FILE, or -f - for the input");
	if (cli_read_docs(cli, path, &docs, err) < 0)
		return -1;
	objects = arena_calloc(cli->arena, docs.len + 1, sizeof(*objects));
	for (size_t i = 0; i < docs.len; i++)
		if (find_object(cli, docs.ptr[i], &objects[i], err) < 0)
			return err_wrap(err, "%.*s", STR_ARG(path));
	for (size_t i = 0; i < docs.len; i++)
		if (act(cli, &objects[i], err) < 0)
			return err_wrap(err, "%.*s %.*s", STR_ARG(objects[i].resource->kind),
					STR_ARG(objects[i].name));
	return 0;
}

static int apply(struct cli *cli, const struct object *object, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *answer = cli_ask(cli,
					  &(struct client_ask){.verb = CLIENT_PATCH,
							       .patch = CLIENT_PATCH_APPLY,
							       .resource = object->resource,
							       .namespace = object->namespace,
							       .name = object->name,
							       .field_manager = STR("vcctl"),
							       .force = true,
							       .body = object->doc},
					  err);

	if (!answer)
		return -1;
	buf_printf(&cli->out, "%.*s %.*s is applied\n", STR_ARG(object->resource->kind),
		   STR_ARG(object->name));
	return 0;
}

static int delete_one(struct cli *cli, const struct object *object, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *answer = cli_ask(cli,
					  &(struct client_ask){.verb = CLIENT_DELETE,
							       .resource = object->resource,
							       .namespace = object->namespace,
							       .name = object->name,
							       .propagation = CLIENT_BACKGROUND},
					  err);

	if (!answer && err->code != ERR_NOT_FOUND)
		return -1;
	buf_printf(&cli->out, "%.*s %.*s %s\n", STR_ARG(object->resource->kind),
		   STR_ARG(object->name), answer ? "is deleted" : "was not there");
	return 0;
}

static int run_apply(void *program, struct err *err)
{
	struct cli *cli = program;

	return each(cli, apply, err);
}

static int run_delete(void *program, struct err *err)
{
	struct cli *cli = program;

	return each(cli, delete_one, err);
}

static const struct flag flags[] = {
	{.letter = 'f',
	 .name = "filename",
	 .about = "the file (YAML or JSON); -: the input",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.letter = 'n',
	 .name = "namespace",
	 .value = "default",
	 .about = "the namespace of objects that name none",
	 .noun = "NAME",
	 .completes = "namespaces"},
	{.name = NULL},
};

const struct command command_apply = {
	.name = "apply",
	.about = "create or change the objects in a file, of any kind",
	.more = "As `kubectl apply --server-side` does, for the kinds of Kubernetes and Volcano "
		"that the\n"
		"system uses: queues, priority classes, jobs, cron jobs, flows, config maps, ...",
	.flags = flags,
	.run = run_apply};
const struct command command_delete = {.name = "delete",
				       .about = "delete the objects in a file, of any kind",
				       .flags = flags,
				       .run = run_delete};
