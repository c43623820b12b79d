/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on the loop, and pulls: as many as want to may hang, and nothing else waits for them. The
 * runtime is a script that waits at a pipe for images whose name starts with "slow". */
#include "node/runtime/agent_pull.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "node/agent/agent_command.h"
#include "node/volume/atomic_folder.h"
#include "node/volume/remover.h"
#include "tap.h"

static const char script[] =
	"#!/bin/sh\n"
	"here=${0%/*}\n"
	"for image; do :; done\n"
	"case \"$1 $image\" in\n"
	"'image '*here*) exit 0 ;;\n"
	"image*) exit 1 ;;\n"
	"'pull slow'*) read line <\"$here/gate\"; exit 0 ;;\n"
	"'pull none'*) echo trying; echo \"$image: manifest unknown\" >&2; exit 125 ;;\n"
	"'rm '*) echo gone >\"$here/removed\"; echo printed; exit 0 ;;\n"
	"esac\n"
	"exit 0\n";

struct ended {
	struct loop *loop;
	int calls;
	int code;
	char output[200];
};

static void on_ended(void *arg, int code, struct str output)
{
	struct ended *ended = arg;

	ended->calls++;
	ended->code = code;
	snprintf(ended->output, sizeof(ended->output), "%.*s", STR_ARG(output));
}

static struct ended run(struct loop *loop, const char *text, size_t output_max)
{
	struct ended ended = {.loop = loop};
	const char *const argv[] = {"sh", "-c", text, NULL};
	const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
	struct err err;

	if (!agent_command_start(loop,
				 &(struct agent_command_options){.argv = argv,
								 .env = env,
								 .output_max = output_max,
								 .done = on_ended,
								 .arg = &ended},
				 &err))
		printf("# %s\n", err.text);
	while (!ended.calls)
		loop_turn(loop, -1);
	return ended;
}

static void test_command(struct loop *loop)
{
	struct ended ended = run(loop, "echo out; echo err >&2; exit 3", 100);
	struct err err;

	ok(ended.code == 3, "a command ends with its code");
	is(ended.output, "out\nerr\n");
	ended = run(loop, "kill -9 $$", 100);
	ok(ended.code == 128 + 9, "or the signal that ended it");
	ended = run(loop, "yes 123456789 | head -c 1000000", 20);
	is(ended.output, "123456789\n123456789\n");
	ended = run(loop, "sleep 1000 & echo $!", 100);
	ok(ended.code == 0 && (int)strtol(ended.output, NULL, 10) > 1,
	   "what it leaves running is not waited for");
	if ((int)strtol(ended.output, NULL, 10) > 1)
		(void)kill((int)strtol(ended.output, NULL, 10), SIGKILL);
	ended = run(loop, "echo no one reads this", 0);
	ok(ended.code == 0 && !ended.output[0], "its output may be unwanted");
	ok(!agent_command_start(loop,
				&(struct agent_command_options){
					.argv = (const char *const[]){"/no/such/program", NULL},
					.env = (const char *const[]){NULL},
					.done = on_ended,
					.arg = &ended},
				&err),
	   "one that is not there is not started: %s", err.text);
}

static void on_woken(void *arg)
{
	++*(int *)arg;
}

/* Ask until there is an answer. */
static enum agent_pull_is ask(struct loop *loop, struct agent_pull *pull, const char *image,
			      enum agent_pull_how how, char why[200])
{
	for (;;) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		const char *text = "";
		enum agent_pull_is is = agent_pull_ask(pull, str_from(image), how, arena, &text);

		snprintf(why, 200, "%s", text);
		if (is != PULL_IS_COMING)
			return is;
		loop_turn(loop, -1);
	}
}

static void test_slow_pulls(struct loop *loop, const char *folder)
{
	AUTO(mem_free) char *program = mem_printf("%s/podman", folder);
	AUTO(mem_free) char *gate = mem_printf("%s/gate", folder);
	AUTO(mem_free) char *removed = mem_printf("%s/removed", folder);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	int woken = 0, came = 0;
	struct agent_pull *pull = agent_pull_new(loop, program, NULL, on_woken, &woken);
	const char *text;
	char why[200];
	int fd;

	ok(mkfifo(gate, 0600) == 0, "(a gate)");
	for (int i = 0; i < 30; i++)
		(void)agent_pull_ask(pull, str_from(arena_printf(arena, "slow%d", i)),
				     PULL_HOW_MISSING, arena, &text);
	ok(ask(loop, pull, "here:1", PULL_HOW_MISSING, why) == PULL_IS_THERE && woken == 1,
	   "while thirty pulls hang, an image that is there is found");
	ok(ask(loop, pull, "away:1", PULL_HOW_NEVER, why) == PULL_IS_ABSENT,
	   "one that is never pulled is absent");
	agent_pull_run(pull, (const char *const[]){program, "rm", "x", NULL});
	while (access(removed, F_OK) < 0)
		loop_turn(loop, 1000);
	ok(true, "and other commands run");
	/* no one reads the gate of commands that wait: it stays open as long as needed */
	fd = open(gate, O_RDWR | O_CLOEXEC);
	for (int i = 0; i < 30; i++)
		came += write(fd, "go\n", 3) == 3;
	for (int i = 0; i < 30; i++)
		came += ask(loop, pull, arena_printf(arena, "slow%d", i), PULL_HOW_MISSING, why) ==
			PULL_IS_THERE;
	ok(came == 60, "all thirty come in the end");
	ok(ask(loop, pull, "none:1", PULL_HOW_ALWAYS, why) == PULL_HAS_FAILED,
	   "one that cannot be pulled has failed");
	is(why, "none:1: manifest unknown");
	(void)agent_pull_ask(pull, STR("slow"), PULL_HOW_ALWAYS, arena, &text);
	agent_pull_free(pull);
	(void)!write(fd, "go\n", 3);
	close(fd);
}

static void test_remover(struct loop *loop, const char *folder)
{
	struct remover *remover = remover_new(loop);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const char *last = NULL;

	for (int i = 0; i < 200; i++) {
		last = arena_printf(arena, "%s/f%d", folder, i);
		(void)mkdir(last, 0700);
		remover_add(remover, last);
	}
	while (access(last, F_OK) == 0)
		loop_turn(loop, -1);
	ok(true, "two hundred folders are removed");
	(void)mkdir(last, 0700);
	remover_add(remover, last);
	remover_add(remover, last);
	remover_free(remover);
}

int main(void)
{
	struct err err;
	struct loop *loop = loop_new(&err);
	char folder[] = "/tmp/volcano-pull-XXXXXX"; /* programs may not run in /dev/shm */
	char *program;

	assert(mkdtemp(folder));
	program = mem_printf("%s/podman", folder);
	ok(fd_write_file(program, script, sizeof(script) - 1, 0755, &err) == 0, "(a runtime)");
	test_command(loop);
	test_slow_pulls(loop, folder);
	test_remover(loop, folder);
	loop_free(loop);
	ok(folder_delete(folder, &err) == 0, "(and away)");
	mem_free(program);
	return tap_done();
}
