/* SPDX-License-Identifier: Apache-2.0 */
/* cli/flow_commands.c - `vcctl jobflow ...` and `vcctl jobtemplate ...`, which differ in their kind and
 * their columns. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/exit.h"
#include "cli/object_list.h"
#include "json/yaml.h"

#include "base/banned.h"

struct sort {
	enum resource_id id;
	const char *kind;   /* "JobFlow" */
	const char *word;   /* "jobflow" */
	const char *spaced; /* "job template" */
	const struct listing_column *columns;
};

static void cell_phase(struct cli *cli, const void *arg, struct json flow, struct buf *to)
{
	(void)cli;
	(void)arg;
	buf_put_str(to, json_str(json_get(json_get(json_get(flow, "status"), "state"), "phase")));
}

static const struct listing_column flow_columns[] = {
	{"Name", WIDTH_LONGEST, 4, listing_cell_name, SHOW_ALWAYS},
	{"Namespace", WIDTH_LONGEST, 4, listing_cell_namespace, SHOW_ALWAYS},
	{"Phase", WIDTH_LONGEST, 4, cell_phase, SHOW_ALWAYS},
	{"Age", WIDTH_LONGEST, 4, listing_cell_age, SHOW_ALWAYS},
	{0},
};
static const struct listing_column template_columns[] = {
	{"Name", WIDTH_LONGEST, 4, listing_cell_name, SHOW_ALWAYS},
	{"Namespace", WIDTH_LONGEST, 4, listing_cell_namespace, SHOW_ALWAYS},
	{0},
};

static const struct sort flow = {RESOURCE_JOBFLOWS, "JobFlow", "jobflow", "jobflow", flow_columns};
static const struct sort template = {RESOURCE_JOBTEMPLATES, "JobTemplate", "jobtemplate",
				     "job template", template_columns};

/* --- files -------------------------------------------------------------------------------------- */

static struct str doc_text(struct json_doc *doc, const char *key, struct str otherwise)
{
	struct str text = json_str(json_get(json_get(json_doc_root(doc), "metadata"), key));

	return text.len ? text : otherwise;
}

static int check_kind(const struct sort *sort, struct json_doc *doc, struct str path,
		      struct err *err)
{
	struct str kind = json_str(json_get(json_doc_root(doc), "kind"));

	if (str_is(kind, sort->kind) || !kind.len) /* the command says it */
		return 0;
	return err_set(err, ERR_BAD_REQUEST, "%.*s: kind: must be %s, not \"%.*s\"", STR_ARG(path),
		       sort->kind, STR_ARG(kind));
}

/* One object of the file; how it went is printed, and the rest goes on. */
static void create_one(struct cli *cli, const struct sort *sort, struct json_doc *doc)
{
	struct str namespace = doc_text(doc, "namespace", STR("default"));
	AUTO(json_doc_unref) struct json_doc *made = NULL;
	struct err err;

	made = cli_create(cli, sort->id, namespace, json_doc_ref(doc), &err);
	if (made) {
		buf_printf(&cli->out, "Created %s: %.*s/%.*s\n", sort->kind, STR_ARG(namespace),
			   STR_ARG(doc_text(made, "name", str_none())));
		return;
	}
	cli_warn(cli, "Failed to create %s: %s", sort->kind, err.text);
	cli->exit = EXIT_FAILED;
}

static int read_file(struct cli *cli, const struct sort *sort, struct cli_docs *docs,
		     struct err *err)
{
	struct str path = command_str(&cli->line, "file");

	if (cli_read_docs(cli, path, docs, err) < 0)
		return -1;
	for (size_t i = 0; i < docs->len; i++)
		if (check_kind(sort, docs->ptr[i], path, err) < 0)
			return -1;
	return 0;
}

static int create(struct cli *cli, const struct sort *sort, struct err *err)
{
	AUTO(cli_docs_done) struct cli_docs docs = {0};

	if (read_file(cli, sort, &docs, err) < 0)
		return -1;
	for (size_t i = 0; i < docs.len; i++)
		create_one(cli, sort, docs.ptr[i]);
	return 0;
}

static int delete_one(struct cli *cli, const struct sort *sort, struct str namespace,
		      struct str name, struct err *err)
{
	if (cli_delete(cli, sort->id, namespace, name, err) < 0)
		return -1;
	buf_printf(&cli->out, "Deleted %s: %.*s/%.*s\n", sort->kind, STR_ARG(namespace),
		   STR_ARG(name));
	return 0;
}

static int delete (struct cli *cli, const struct sort *sort, struct err *err)
{
	AUTO(cli_docs_done) struct cli_docs docs = {0};
	struct str name = cli_name(cli);

	if (!command_str(&cli->line, "file").len) {
		if (!name.len)
			return err_set(err, ERR_BAD_REQUEST, "%s name must be specified",
				       sort->spaced);
		return delete_one(cli, sort, cli_namespace(cli), name, err);
	}
	if (read_file(cli, sort, &docs, err) < 0)
		return -1;
	for (size_t i = 0; i < docs.len; i++) {
		struct err of_one;

		if (delete_one(cli, sort, doc_text(docs.ptr[i], "namespace", STR("default")),
			       doc_text(docs.ptr[i], "name", str_none()), &of_one) == 0)
			continue;
		cli_warn(cli, "Failed to delete %s: %s", sort->kind, of_one.text);
		cli->exit = EXIT_FAILED;
	}
	return 0;
}

/* --- showing ------------------------------------------------------------------------------------ */

static struct listing listing_of(const struct sort *sort)
{
	return (struct listing){.id = sort->id, .singular = sort->word, .columns = sort->columns};
}

static int list(struct cli *cli, const struct sort *sort, struct err *err)
{
	struct listing listing = listing_of(sort);

	return listing_run(cli, &listing, cli_namespace(cli), command_str(&cli->line, "selector"),
			   err);
}

static int get(struct cli *cli, const struct sort *sort, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *object = NULL;
	AUTO(json_doc_unref) struct json_doc *one = json_doc_new();
	struct str name = cli_name(cli);
	struct listing listing = listing_of(sort);

	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "name is mandatory to get the particular %s details", sort->spaced);
	object = cli_get(cli, sort->id, cli_namespace(cli), name, err);
	if (!object)
		return -1;
	json_doc_set_root(one, json_new_arr(one));
	json_append(one, json_doc_root(one), json_new_copy(one, json_doc_root(object)));
	return listing_print(cli, &listing, json_doc_root(one), err);
}

static void describe_one(struct cli *cli, const struct sort *sort, struct json object, bool yaml)
{
	AUTO(json_doc_unref) struct json_doc *doc = describe_shape(sort->id, object);

	if (yaml) {
		yaml_print(json_doc_root(doc), &cli->out);
	} else {
		json_print(json_doc_root(doc), JSON_INDENTED, &cli->out);
		buf_putc(&cli->out, '\n');
	}
}

static int describe(struct cli *cli, const struct sort *sort, struct err *err)
{
	struct str name = cli_name(cli);
	struct str format = command_str(&cli->line, "format");
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json_iter it;

	if (!str_is(format, "yaml") && !str_is(format, "json"))
		return err_set(err, ERR_BAD_REQUEST, "Unsupported format: %.*s", STR_ARG(format));
	if (name.len)
		doc = cli_get(cli, sort->id, cli_namespace(cli), name, err);
	else
		doc = cli_list(cli, sort->id, cli_namespace(cli), str_none(), err);
	if (!doc)
		return -1;
	if (name.len) {
		describe_one(cli, sort, json_doc_root(doc), str_is(format, "yaml"));
		return 0;
	}
	it = json_iter(json_get(json_doc_root(doc), "items"));
	while (json_next(&it)) {
		if (it.index)
			buf_puts(&cli->out, "\n\n");
		describe_one(cli, sort, it.value, str_is(format, "yaml"));
	}
	return 0;
}

/* --- rows --------------------------------------------------------------------------------------- */

static const struct flag file_flags[] = {
	{.letter = 'f',
	 .name = "file",
	 .about = "the file (YAML) that describes them",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.name = NULL},
};
static const struct flag delete_flags[] = {
	CLI_FLAG_NAMESPACE,
	{.letter = 'N',
	 .name = "name",
	 .about = "the name",
	 .noun = "NAME",
	 .completes = COMPLETE_NAME},
	{.letter = 'f',
	 .name = "file",
	 .about = "the file (YAML) that names them",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.name = NULL},
};
static const struct flag list_flags[] = {
	CLI_FLAG_NAMESPACE,
	CLI_FLAG_ALL_NAMESPACES,
	{.name = "selector", .about = "only those with these labels (a=b)", .noun = "TEXT"},
	LISTING_FLAGS,
	LISTING_WATCH,
	{.name = NULL}};
static const struct flag get_flags[] = {CLI_FLAG_NAMESPACE,
					{.letter = 'N',
					 .name = "name",
					 .about = "the name",
					 .noun = "NAME",
					 .completes = COMPLETE_NAME},
					LISTING_FLAGS,
					{.name = NULL}};
static const struct flag describe_flags[] = {
	CLI_FLAG_NAMESPACE,
	{.letter = 'N',
	 .name = "name",
	 .about = "the name; without it, all of the namespace",
	 .noun = "NAME",
	 .completes = COMPLETE_NAME},
	{.letter = 'o',
	 .name = "format",
	 .value = "yaml",
	 .about = "yaml or json",
	 .noun = "FORMAT",
	 .choices = "yaml json"},
	{.name = NULL},
};

#define FLOW_COMMAND(sort, verb, text, of_arguments, of_flags)                        \
	static int sort##_##verb(void *program, struct err *err)                      \
	{                                                                             \
		return verb(program, &sort, err);                                     \
	}                                                                             \
	const struct command command_job##sort##_##verb = {.name = #verb,             \
							   .about = text,             \
							   .arguments = of_arguments, \
							   .flags = of_flags,         \
							   .run = sort##_##verb}
FLOW_COMMAND(flow, create, "create jobflows from a file", NULL, file_flags);
FLOW_COMMAND(flow, delete, "delete a jobflow", "[NAME]", delete_flags);
FLOW_COMMAND(flow, list, "list jobflows", NULL, list_flags);
FLOW_COMMAND(flow, get, "show one jobflow", "[NAME]", get_flags);
FLOW_COMMAND(flow, describe, "print a jobflow in full", "[NAME]", describe_flags);
FLOW_COMMAND(template, create, "create jobtemplates from a file", NULL, file_flags);
FLOW_COMMAND(template, delete, "delete a jobtemplate", "[NAME]", delete_flags);
FLOW_COMMAND(template, list, "list jobtemplates", NULL, list_flags);
FLOW_COMMAND(template, get, "show one jobtemplate", "[NAME]", get_flags);
FLOW_COMMAND(template, describe, "print a jobtemplate in full", "[NAME]", describe_flags);
