/* SPDX-License-Identifier: Apache-2.0 */
/* volcano - the one-machine home: a Kubernetes-compatible API server and what belongs to it, in one
 * process.
 *
 *	volcano up [-d]		run it (programs/volcano/up.c)
 *	volcano status		look at it (status.c)
 *	volcano backup --to F	copy its store (backup.c)
 *	volcano store get KEY	look into the store of one that does not run (store.c)
 *	volcano down		stop it (down.c) */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/str.h"
#include "programs/volcano/commands.h"
#include "programs/volcano/manual.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

enum { EXIT_USAGE = 2 };

static const struct {
	const char *name;
	enum command command;
	command_fn *run;
	const char *about;
} commands[] = {
	{"up", COMMAND_UP, up_run, "run it, in the foreground or (-d) in the background"},
	{"down", COMMAND_DOWN, down_run, "stop it, and wait until it has ended"},
	{"backup", COMMAND_BACKUP, backup_run, "copy everything that it stores, while it runs"},
	{"store", COMMAND_STORE, store_run,
	 "look into the store while it does not run: list [PREFIX], get KEY, delete KEY, release "
	 "KEY"},
	{"status", COMMAND_STATUS, status_run, "show whether, where and what it runs"},
};

static void help(void)
{
	printf("usage: volcano COMMAND [OPTION...]\n\n"
	       "A batch system for one machine, with a Kubernetes API.\n\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].about);
	printf("\n`volcano COMMAND --help` shows the options of a command; `volcano --version` the "
	       "version.\n");
}

static void manual(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct manual_command rows[ARRAY_LEN(commands)];

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		rows[i] = (struct manual_command){commands[i].name, commands[i].command,
						  commands[i].about};
	manual_put(rows, ARRAY_LEN(rows), &text);
	printf("%s", buf_text(&text));
}

static void command_help(size_t which)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	settings_print_help(commands[which].command, &text);
	printf("usage: volcano %s [OPTION...]: %s\n\n%s", commands[which].name,
	       commands[which].about, buf_text(&text));
}

static int fail(const struct err *err, int code)
{
	(void)fprintf(stderr, "volcano: %s\n", err->text);
	return code;
}

static int run(size_t which, char **args)
{
	AUTO(settings_done) struct settings settings;
	struct err err = {0};
	int code;

	settings_init(&settings);
	if (settings_parse(&settings, commands[which].command, args, &err) < 0)
		return fail(&err, EXIT_USAGE);
	if (settings.help) {
		command_help(which);
		return 0;
	}
	if (settings_complete(&settings, secure_getenv("VOLCANO_HOME"), secure_getenv("HOME"),
			      &err) < 0)
		return fail(&err, EXIT_USAGE);
	code = commands[which].run(&settings, &err);
	return code < 0 ? fail(&err, 1) : code;
}

int main(int argc, char **argv)
{
	struct str name = str_from(argc > 1 ? argv[1] : "");
	struct err err = {0};

	(void)umask(077);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (str_is(name, commands[i].name))
			return run(i, argv + 2);
	if (str_is(name, "--version") || str_is(name, "version")) {
		printf("volcano %s\n", VOLCANO_VERSION);
		return 0;
	}
	if (str_is(name, "--help") || str_is(name, "-h") || str_is(name, "help")) {
		help();
		return 0;
	}
	if (str_is(name, "__manual")) { /* for the build */
		manual();
		return 0;
	}
	if (argc > 1)
		(void)err_set(&err, ERR_BAD_REQUEST,
			      "there is no command \"%s\"; `volcano --help` lists them", argv[1]);
	else
		(void)err_set(&err, ERR_BAD_REQUEST, "say a command; `volcano --help` lists them");
	return fail(&err, EXIT_USAGE);
}
