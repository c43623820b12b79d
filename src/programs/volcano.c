/* SPDX-License-Identifier: Apache-2.0 */
/* volcano - single-node mode: a Kubernetes-compatible API server, scheduler, controllers and nodes in one
 * process.
 *
 *	volcano up [-d]		run it (programs/volcano/volcano_up.c)
 *	volcano status		show whether it runs (status.c)
 *	volcano backup --to F	copy its store (backup.c)
 *	volcano store get KEY	read the store while it does not run (store.c)
 *	volcano down		stop it (down.c) */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "flags/command_line.h"
#include "flags/manual_page.h"
#include "programs/volcano/settings.h"
#include "programs/volcano/volcano_commands.h"

#include "base/banned.h"

enum { EXIT_USAGE = 2 };

static int print_version(void *program, struct err *err)
{
	(void)program;
	(void)err;
	printf("volcano %s\n", VOLCANO_VERSION);
	return 0;
}

/* The command lines of `volcano`. */
static const struct command command_up = {
	.name = "up",
	.about = "run it, in the foreground or (-d) in the background",
	.flags = settings_up,
	.run = up_run};
static const struct command command_down = {.name = "down",
					    .about = "stop it, and wait until it has ended",
					    .flags = settings_down,
					    .run = down_run};
static const struct command command_backup = {.name = "backup",
					      .about = "copy its store, while it runs",
					      .flags = settings_backup,
					      .run = backup_run};
static const struct command command_store = {
	.name = "store",
	.about = "read or repair the store while it does not run",
	.arguments = "list [PREFIX] | get KEY | delete KEY | release KEY",
	.run = store_run};
static const struct command command_status = {.name = "status",
					      .about = "show whether, where and what it runs",
					      .flags = settings_status,
					      .run = status_run};
static const struct command command_version = {
	.name = "version", .about = "show the version", .run = print_version, .no_common = true};

static const struct flag root_flags[] = {
	{.name = "version", .type = FLAG_BOOL, .about = "show the version"}, {.name = NULL}};
static const struct command root = {
	.name = "volcano",
	.about = "a batch system for one machine, with a Kubernetes API",
	.flags = root_flags,
	.common = settings_common,
	.below = (const struct command *const[]){&command_up, &command_down, &command_backup,
						 &command_store, &command_status, &command_version,
						 NULL}};

static const struct manual_text manual = {
	.section = "1",
	.description =
		"\\fBvolcano up\\fR makes this machine a cluster of its own: an API server that "
		"kubectl and \\fBvcctl\\fR(1) talk to, the scheduler, the controllers, and a node "
		"that runs pods as processes. It needs no container engine and no privileges; it "
		"reports at the start what the machine does not permit.\n"
		".PP\n"
		"Pods outlive \\fBvolcano\\fR: it may be stopped, killed or upgraded, and finds "
		"them again when it starts. \\fBvolcano down \\-\\-pods\\fR stops them as well.\n"
		".PP\n"
		"\\fBvolcano store\\fR is for an object that keeps it from starting. A "
		"\\fIKEY\\fR is \\fIgroup\\fR/\\fIplural\\fR/\\fInamespace\\fR/\\fIname\\fR, such "
		"as batch.volcano.sh/jobs/default/train, pods/default/p (the core has no group) "
		"or scheduling.volcano.sh/queues//q.\n",
	.tail = ".SH FILES\n"
		".TP\n\\fID\\fR/kubeconfig\nHow clients reach the server, with all rights.\n"
		".TP\n\\fID\\fR/volcano.log\nIts log, if it runs in the background.\n"
		".TP\n\\fID\\fR/lock\nThe number of the process that uses the folder.\n"
		".TP\n\\fID\\fR/store\nEverything that it stores.\n"
		".TP\n\\fID\\fR/quarantine\nObjects that crashed a component. After the second "
		"crash the next start sets the object aside: no component sees it, but it can be "
		"read, changed and deleted; a change or \\fBvolcano store release\\fR brings it "
		"back.\n"
		".TP\n\\fID\\fR/pods/\\fIUID\\fR\nA pod: its volumes, its output, the state of "
		"its containers.\n"
		".TP\n\\fID\\fR/images/\\fINAME\\fR\nImages for \\fB\\-\\-runtime crun\\fR.\n"
		".SH ENVIRONMENT\n"
		".TP\n\\fBVOLCANO_HOME\\fR\nThe folder \\fID\\fR, if \\fB\\-\\-data\\-dir\\fR "
		"does not name it (~/.volcano).\n"
		".SH EXIT STATUS\n"
		".TP\n\\fB0\\fR\nSuccess.\n"
		".TP\n\\fB1\\fR\nIt failed.\n"
		".TP\n\\fB2\\fR\nThe command line is wrong.\n"
		".TP\n\\fB3\\fR\n\\fBstatus\\fR: nothing runs there.\n"
		".SH EXAMPLES\n"
		".nf\n"
		"volcano up \\-d\n"
		"vsub \\-n 4 \\-\\-wait \\-\\- hostname\n"
		"volcano up \\-d \\-\\-nodes 4 \\-\\-node\\-resources nvidia.com/gpu=4\n"
		"volcano down \\-\\-pods\n"
		".fi\n"
		".SH SEE ALSO\n"
		"\\fBvcctl\\fR(1), \\fBvsub\\fR(1), \\fBvjobs\\fR(1), \\fBvqueues\\fR(1), "
		"\\fBkubectl\\fR(1)\n"};

static int fail(const struct err *err, int code)
{
	(void)fprintf(stderr, "volcano: %s\n", err->text);
	return code;
}

static int print_help(const struct command_line *line)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	command_help(line, &text);
	printf("%s", buf_text(&text));
	return 0;
}

/* `volcano __manual`, for the build. */
static int print_manual(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	manual_page_put(&root, NULL, 0, &manual, &text);
	printf("%s", buf_text(&text));
	return 0;
}

static int run(const struct command_line *line)
{
	AUTO(settings_done) struct settings settings = {0};
	struct err err = {0};
	int code;

	if (!line->command->no_common &&
	    settings_read(&settings, line, secure_getenv("VOLCANO_HOME"), secure_getenv("HOME"),
			  &err) < 0)
		return fail(&err, EXIT_USAGE);
	code = line->command->run(&settings, &err);
	return code < 0 ? fail(&err, 1) : code;
}

int main(int argc, char **argv)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str first = str_from(argc > 1 ? argv[1] : "");
	struct command_line line;
	struct err err = {0};

	(void)umask(077);
	if (str_is(first, "__manual"))
		return print_manual();
	if (str_is(first, "help")) { /* `volcano help up` is `volcano up --help` */
		if (command_find(&root, (struct str[]){str_from(argc > 2 ? argv[2] : "")}, argc > 2,
				 &line, &err) < 0)
			return fail(&err, EXIT_USAGE);
		return print_help(&line);
	}
	if (command_parse(&root, argc, (const char *const *)argv, NULL, arena, &line, &err) < 0)
		return fail(&err, EXIT_USAGE);
	if (line.depth == 1 && command_bool(&line, "version"))
		return print_version(NULL, NULL);
	if (argc == 1) {
		(void)err_set(&err, ERR_BAD_REQUEST, "which command? `volcano --help` lists them");
		return fail(&err, EXIT_USAGE);
	}
	return line.help ? print_help(&line) : run(&line);
}
