/* SPDX-License-Identifier: Apache-2.0 */
/* cli/cli.c - see cli.h. The connection is looked for where people expect it: --kubeconfig,
 * $KUBECONFIG, ~/.kube/config, the data directory of `volcano up` ($VOLCANO_HOME or ~/.volcano), and the files of
 * a pod. */
#include "cli/cli.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/time.h"
#include "base/vec.h"
#include "cli/exit.h"
#include "client/kubeconfig.h"
#include "client/transport.h"
#include "json/yaml.h"
#include "loop/loop.h"

#include "base/banned.h"

const struct flag cli_common[] = {
	{.letter = 'k',
	 .name = "kubeconfig",
	 .about = "the kubeconfig file to use",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.letter = 's', .name = "master", .about = "the address of the API server", .noun = "URL"},
	{.name = "context", .about = "the context of the kubeconfig file to use", .noun = "NAME"},
	{.name = NULL},
};

const struct flag cli_global[] = {
	{.name = "log-flush-frequency",
	 .type = FLAG_DURATION,
	 .value = "5s",
	 .about = "has no effect"},
	{.letter = 'v', .name = "v", .type = FLAG_INT, .about = "has no effect", .noun = "LEVEL"},
	{.name = "vmodule", .about = "has no effect", .noun = "LIST"},
	{.name = NULL},
};

/* --- printing ----------------------------------------------------------------------------------- */

void cli_flush(struct cli *cli)
{
	if (cli->out.len)
		cli->host->out(cli->host->arg, buf_str(&cli->out));
	buf_clear(&cli->out);
}

void cli_warn(struct cli *cli, const char *format, ...)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	cli_flush(cli);
	cli->host->error(cli->host->arg, buf_str(&text));
}

bool cli_is_live(const struct cli *cli)
{
	const char *term = cli->host->env("TERM");

	return cli->host->is_terminal(cli->host->arg) && !str_is(str_from(term), "dumb");
}

bool cli_has_colour(const struct cli *cli)
{
	const char *no = cli->host->env("NO_COLOR");

	return cli_is_live(cli) && !(no && *no);
}

const char *cli_colour(const struct cli *cli, enum colour colour)
{
	static const char *const codes[] = {
		[COLOUR_NONE] = "\x1b[0m",  [COLOUR_BOLD] = "\x1b[1m",  [COLOUR_FAINT] = "\x1b[2m",
		[COLOUR_GOOD] = "\x1b[32m", [COLOUR_BUSY] = "\x1b[33m", [COLOUR_BAD] = "\x1b[31m",
	};

	return cli_has_colour(cli) ? codes[colour] : "";
}

bool cli_has_unicode(const struct cli *cli)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct str value = str_from(cli->host->env(names[i]));

		if (value.len)
			return str_find(value, STR("UTF-8"), 0) >= 0 ||
			       str_find(value, STR("utf8"), 0) >= 0;
	}
	return false;
}

/* --- the connection ----------------------------------------------------------------------------- */

/* Does the file have a context to use? Absent ones do not. */
static int try_list(struct cli *cli, const char *paths, struct kubeconfig_access *ret,
		    struct err *err)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	const struct kubeconfig_choice choice = {
		.context = arena_str(cli->arena, command_str(&cli->line, "context")).ptr};

	if (kubeconfig_load_list(config, paths, err) < 0)
		return -1;
	return kubeconfig_select(config, &choice, ret, err);
}

static int find_access(struct cli *cli, struct kubeconfig_access *ret, struct err *err)
{
	struct str given = command_str(&cli->line, "kubeconfig");
	const char *listed = cli->host->env("KUBECONFIG");
	const char *home = cli->host->env("HOME");
	const char *volcano = cli->host->env("VOLCANO_HOME");
	const struct kubeconfig_pod pod = {
		.host = cli->host->env("KUBERNETES_SERVICE_HOST"),
		.port = cli->host->env("KUBERNETES_SERVICE_PORT"),
	};

	if (given.len) {
		AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
		const struct kubeconfig_choice choice = {
			.context = arena_str(cli->arena, command_str(&cli->line, "context")).ptr};

		if (kubeconfig_load(config, arena_str(cli->arena, given).ptr, err) < 0)
			return -1;
		return kubeconfig_select(config, &choice, ret, err);
	}
	if (listed && *listed)
		return try_list(cli, listed, ret, err);
	if (home && try_list(cli, arena_printf(cli->arena, "%s/.kube/config", home), ret, err) == 0)
		return 0;
	if (home && err->code != ERR_NOT_FOUND)
		return -1;
	if (volcano && *volcano)
		return try_list(cli, arena_printf(cli->arena, "%s/kubeconfig", volcano), ret, err);
	if (home &&
	    try_list(cli, arena_printf(cli->arena, "%s/.volcano/kubeconfig", home), ret, err) == 0)
		return 0;
	if (kubeconfig_in_pod(&pod, ret, err) == 0)
		return 0;
	return err_set(err, ERR_NOT_FOUND,
		       "no server to talk to: start one with `volcano up`, or name a kubeconfig "
		       "file with --kubeconfig or $KUBECONFIG");
}

struct client *cli_client(struct cli *cli, struct err *err)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	struct str master = command_str(&cli->line, "master");
	struct transport *transport;
	const struct client_options options = {
		.field_manager = STR("vcctl"),
		.attempts = 4,
	};

	if (cli->client)
		return cli->client;
	if (find_access(cli, &access, err) < 0)
		return NULL;
	if (master.len)
		access.server = arena_str(cli->arena, master).ptr;
	transport = cli->host->connect(cli->host->arg, cli->loop, &access, err);
	if (!transport)
		return NULL;
	cli->client = client_new(cli->loop, transport, &options);
	return cli->client;
}

/* --- asking ------------------------------------------------------------------------------------- */

struct answer {
	struct json_doc *doc;
	struct err err;
	bool failed;
	bool done;
};

static void on_answer(void *arg, const struct client_result *result)
{
	struct answer *answer = arg;

	answer->done = true;
	answer->failed = result->err != NULL;
	if (result->err)
		answer->err = *result->err;
	else if (result->doc)
		answer->doc = json_doc_ref(result->doc);
}

bool cli_wait(struct cli *cli, const bool *flag, int64_t deadline_us)
{
	int64_t end = loop_uptime(cli->loop) + deadline_us;

	while (!*flag) {
		int64_t left = deadline_us < 0 ? -1 : end - loop_uptime(cli->loop);

		if (deadline_us >= 0 && left <= 0)
			return false;
		(void)loop_turn(cli->loop, left);
	}
	return true;
}

struct json_doc *cli_ask(struct cli *cli, const struct client_ask *ask, struct err *err)
{
	struct client *client = cli_client(cli, err);
	struct client_ask mine = *ask;
	struct answer answer = {0};

	if (!client)
		return NULL;
	mine.done = on_answer;
	mine.arg = &answer;
	(void)client_send(client, &mine);
	(void)cli_wait(cli, &answer.done, -1);
	if (answer.failed) {
		*err = answer.err;
		return NULL;
	}
	return answer.doc ? answer.doc : json_doc_new();
}

struct json_doc *cli_get(struct cli *cli, enum resource_id id, struct str namespace,
			 struct str name, struct err *err)
{
	return cli_ask(cli,
		       &(struct client_ask){.verb = CLIENT_GET,
					    .resource = &resources[id],
					    .namespace = namespace,
					    .name = name},
		       err);
}

struct json_doc *cli_list(struct cli *cli, enum resource_id id, struct str namespace,
			  struct str selector, struct err *err)
{
	return cli_ask(cli,
		       &(struct client_ask){.verb = CLIENT_LIST,
					    .resource = &resources[id],
					    .namespace = namespace,
					    .label_selector = selector},
		       err);
}

struct json_doc *cli_create(struct cli *cli, enum resource_id id, struct str namespace,
			    struct json_doc *body, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *taken = body;

	return cli_ask(cli,
		       &(struct client_ask){.verb = CLIENT_CREATE,
					    .resource = &resources[id],
					    .namespace = namespace,
					    .body = taken},
		       err);
}

int cli_delete(struct cli *cli, enum resource_id id, struct str namespace, struct str name,
	       struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *answer = cli_ask(cli,
					  &(struct client_ask){.verb = CLIENT_DELETE,
							       .resource = &resources[id],
							       .namespace = namespace,
							       .name = name,
							       .propagation = CLIENT_BACKGROUND},
					  err);

	return answer ? 0 : -1;
}

/* --- files and flags ---------------------------------------------------------------------------- */

int cli_read_docs(struct cli *cli, struct str path, struct cli_docs *ret, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	AUTO(cli_docs_done) struct cli_docs docs = {0};
	AUTO(yaml_reader_free) struct yaml_reader *reader = NULL;
	const char *name = arena_str(cli->arena, path).ptr;

	if (cli->host->read(cli->host->arg, name, &text, err) < 0)
		return -1;
	reader = yaml_reader_new(buf_str(&text), NULL);
	for (;;) {
		struct json_doc *doc = NULL;

		if (yaml_reader_next(reader, &doc, err) < 0)
			return err_wrap(err, "%s", name);
		if (!doc)
			break;
		vec_push(&docs, doc);
	}
	*ret = docs;
	docs = (struct cli_docs){0};
	return 0;
}

void cli_docs_done(struct cli_docs *docs)
{
	for (size_t i = 0; i < docs->len; i++)
		json_doc_unref(docs->ptr[i]);
	vec_done(docs);
}

struct str cli_name(const struct cli *cli)
{
	struct str name =
		command_has(&cli->line, "name") ? command_str(&cli->line, "name") : str_none();

	if (name.len || !cli->line.argument_count)
		return name;
	return cli->line.arguments[0];
}

struct str cli_namespace(const struct cli *cli)
{
	if (!command_has(&cli->line, "namespace") || (command_has(&cli->line, "all-namespaces") &&
						      command_bool(&cli->line, "all-namespaces")))
		return str_none();
	return command_str(&cli->line, "namespace");
}

/* --- a run -------------------------------------------------------------------------------------- */

/* What to do next, for people; scripts see only the error. */
static void print_advice(struct cli *cli, const struct err *err)
{
	static const struct {
		enum err_code code;
		const char *text;
	} advice[] = {
		{ERR_NOT_FOUND, "`vcctl job list --all-namespaces` shows which jobs there are"},
		{ERR_UNAUTHORIZED, "is the kubeconfig file the one of this server?"},
		{ERR_FORBIDDEN, "ask an administrator for the permission, or use another context "
				"(--context)"},
		{ERR_ALREADY_EXISTS, "choose another name, or delete the old one first"},
		{ERR_UNAVAILABLE, "does the server run? `volcano status` shows it"},
	};

	for (size_t i = 0; i < ARRAY_LEN(advice); i++)
		if (advice[i].code == err->code && cli->client)
			cli_warn(cli, "%s", advice[i].text);
}

/* Texts of the server that need one more line in plain words; a name stands between `before` and `end`. */
static const struct hint {
	const char *before;
	char end;
	const char *text; /* after the noun and the name */
	const char *noun;
} hints[] = {
	{"queue.scheduling.volcano.sh \"", '"',
	 "does not exist: `vcctl queue list` shows all queues", "queue"},
	{"to queue with state `Open`, queue `", '`',
	 "is closed: open it (vcctl queue operate -a open -n), or use another queue", "queue"},
	{"to leaf queue, queue `", '`',
	 "has child queues and takes no jobs itself: `vcctl queue tree` shows them", "queue"},
	{"no PriorityClass with name ", ' ',
	 "does not exist: `kubectl get priorityclass` shows all of them", "priority class"},
	{"namespaces \"", '"',
	 "does not exist: create it (kubectl create namespace), or use another namespace",
	 "namespace"},
	{"jobs.batch.volcano.sh \"", '"', "does not exist: `vcctl job list -A` shows all jobs",
	 "job"},
};

static bool print_hint(struct cli *cli, struct str text)
{
	for (size_t i = 0; i < ARRAY_LEN(hints); i++) {
		ptrdiff_t at = str_find(text, str_from(hints[i].before), 0);
		struct str name;
		ptrdiff_t end;

		if (at < 0)
			continue;
		name = str_skip(text, (size_t)at + strlen(hints[i].before));
		end = str_find_byte(name, hints[i].end, 0);
		if (end <= 0)
			continue;
		cli_warn(cli, "%s `%.*s` %s", hints[i].noun, (int)end, name.ptr, hints[i].text);
		return true;
	}
	return false;
}

/* What a command does, if its name is no verb, or one that wants another word. */
static const char *verb_of(const char *command)
{
	static const char *const rows[][2] = {
		{"logs", "show the output of"}, {"tree", "show the tree of"}, {"wait", "wait for"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(str_from(command), rows[i][0]))
			return rows[i][1];
	return command;
}

/* "Failed to list job: ...": the names from the leaf up to just below the root. */
static void print_failure(struct cli *cli, const struct err *err)
{
	AUTO(buf_done) struct buf what = BUF_UNBOUNDED;

	for (size_t i = cli->line.depth; i-- > 1;)
		buf_printf(&what, " %s", verb_of(cli->line.path[i]->name));
	if (cli->line.depth == 1)
		cli_warn(cli, "%s: %s", cli->line.command->name, err->text);
	else
		cli_warn(cli, "Failed to%s: %s", buf_text(&what), err->text);
	if (cli->host->error_is_terminal(cli->host->arg) && !print_hint(cli, str_from(err->text)))
		print_advice(cli, err);
}

static int run(struct cli *cli, const struct command *root, int argc, const char *const *argv)
{
	struct err err = {0};

	if (command_parse(root, argc, argv, cli->host->env, cli->arena, &cli->line, &err) < 0) {
		cli_warn(cli, "Error: %s", err.text);
		if (cli->host->error_is_terminal(cli->host->arg)) {
			AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

			command_print_path(&cli->line, &path);
			cli_warn(cli, "`%s --help` shows what can be given", buf_text(&path));
		}
		return EXIT_USAGE;
	}
	if (cli->line.help) {
		command_help(&cli->line, &cli->out);
		return 0;
	}
	if (cli->line.command->run(cli, &err) < 0) {
		print_failure(cli, &err);
		return EXIT_FAILED;
	}
	return cli->exit;
}

int cli_run(const struct command *root, int argc, const char *const *argv, struct loop *loop,
	    const struct cli_host *host)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf none = BUF_UNBOUNDED;
	struct cli cli = {.host = host,
			  .arena = arena,
			  .out = none,
			  .loop = loop,
			  .argc = argc,
			  .argv = argv};
	int code = run(&cli, root, argc, argv);

	cli_flush(&cli);
	client_free(cli.client);
	buf_done(&cli.out);
	return code;
}
