/* SPDX-License-Identifier: Apache-2.0 */
/* cli/completion.c - `vcctl completion SHELL`, and `vcctl __complete`, which the shells call: the program
 * finds in its tables and on the server what may come next. */
#include "base/macro.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "flags/complete.h"
#include "model/core/meta.h"

#include "base/banned.h"

/* --- scripts ------------------------------------------------------------------------------------ */

static const char bash_script[] =
	"_vcctl() {\n"
	"\tlocal IFS=$'\\n' lines\n"
	"\tlines=$(\"${VCCTL:-vcctl}\" __complete \"${COMP_WORDS[@]:0:COMP_CWORD+1}\" "
	"2>/dev/null)\n"
	"\tif [ \"${lines##*$'\\n'}\" = :files ]; then\n"
	"\t\tcompopt -o default\n"
	"\t\tCOMPREPLY=()\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tCOMPREPLY=($(printf '%s\\n' \"$lines\" | cut -f1))\n"
	"}\n"
	"complete -F _vcctl vcctl vsub vjobs vqueues vcancel vsuspend vresume\n";

static const char zsh_script[] =
	"#compdef vcctl vsub vjobs vqueues vcancel vsuspend vresume\n"
	"_vcctl() {\n"
	"\tlocal -a lines found\n"
	"\tlocal line\n"
	"\tlines=(\"${(@f)$(${VCCTL:-vcctl} __complete \"${(@)words[1,CURRENT]}\" "
	"2>/dev/null)}\")\n"
	"\tif [[ $lines[-1] == :files ]]; then\n"
	"\t\t_files\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor line in $lines; do\n"
	"\t\tfound+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
	"\tdone\n"
	"\t_describe -V vcctl found\n"
	"}\n"
	"compdef _vcctl vcctl vsub vjobs vqueues vcancel vsuspend vresume\n";

static const char fish_script[] =
	"function __vcctl\n"
	"\tset -q VCCTL; or set -l VCCTL vcctl\n"
	"\tset -l lines ($VCCTL __complete (commandline -opc) (commandline -ct) 2>/dev/null)\n"
	"\tif test \"$lines[-1]\" = :files\n"
	"\t\t__fish_complete_path (commandline -ct)\n"
	"\t\treturn\n"
	"\tend\n"
	"\tprintf '%s\\n' $lines\n"
	"end\n"
	"for program in vcctl vsub vjobs vqueues vcancel vsuspend vresume\n"
	"\tcomplete -c $program -f -a '(__vcctl)'\n"
	"end\n";

static const struct {
	const char *shell;
	const char *script;
} scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str shell = cli->line.argument_count ? cli->line.arguments[0] : str_none();

	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		if (!str_is(shell, scripts[i].shell))
			continue;
		buf_puts(&cli->out, scripts[i].script);
		return 0;
	}
	return err_set(err, ERR_BAD_REQUEST,
		       "for which shell? `vcctl completion bash`, zsh or fish");
}

const struct command command_completion = {
	.name = "completion",
	.about = "print what makes a shell complete these commands",
	.more = "  bash:  source <(vcctl completion bash)\n"
		"  zsh:   source <(vcctl completion zsh)\n"
		"  fish:  vcctl completion fish | source\n\n"
		"Commands, flags and what they take are completed, and the names of jobs, queues, "
		"flows\n"
		"and namespaces that the server has.",
	.arguments = "[bash|zsh|fish]",
	.run = run,
	.no_common = true};

/* --- what the shells ask ------------------------------------------------------------------------ */

/* The resources whose names complete a word, by the `completes` of flags and commands. */
static const struct {
	const char *completes;
	enum resource_id id;
} listed[] = {
	{"jobs", RESOURCE_VCJOBS},           {"queues", RESOURCE_QUEUES},
	{"jobflows", RESOURCE_JOBFLOWS},     {"jobtemplates", RESOURCE_JOBTEMPLATES},
	{"namespaces", RESOURCE_NAMESPACES},
};

/* In the namespace that the line names so far. */
static struct str typed_namespace(const struct str *words, size_t count, bool short_names)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (str_is(words[i], "--namespace") || str_is(words[i], short_names ? "-N" : "-n"))
			return words[i + 1];
	return STR("default");
}

/* A server that does not answer at once says nothing. */
static void put_names(struct cli *cli, const struct resource *resource, struct str namespace,
		      struct str typed)
{
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *list = cli_ask(
		cli,
		&(struct client_ask){.verb = CLIENT_LIST,
				     .resource = resource,
				     .namespace = resource->namespaced ? namespace : str_none(),
				     .deadline_us = 2000000,
				     .attempts = 1},
		&err);
	struct json_iter it;

	if (!list)
		return;
	it = json_iter(json_get(json_doc_root(list), "items"));
	while (json_next(&it)) {
		struct str name = meta_name(it.value);

		if (str_starts(name, typed))
			buf_printf(&cli->out, "%.*s\t\n", STR_ARG(name));
	}
}

static int complete(void *program, struct err *err)
{
	struct cli *cli = program;
	size_t count = cli->line.argument_count;
	const struct str *words = cli->line.arguments;
	const struct command *root;
	struct str kind;

	(void)err;
	if (count < 2)
		return 0;
	root = commands_find(words[0]);
	kind = str_from(complete_put(root, words + 1, count - 1, &cli->out));
	if (str_is(kind, COMPLETE_FILES))
		buf_puts(&cli->out, ":files\n");
	for (size_t i = 0; i < ARRAY_LEN(listed); i++)
		if (str_is(kind, listed[i].completes))
			put_names(cli, &resources[listed[i].id],
				  typed_namespace(words, count, root != &command_vcctl),
				  words[count - 1]);
	return 0;
}

const struct command command_complete = {.name = "__complete",
					 .about = "what may come next, for shells",
					 .arguments = "PROGRAM WORD...",
					 .run = complete,
					 .pass_on = true,
					 .hidden = true};
