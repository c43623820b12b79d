/* SPDX-License-Identifier: Apache-2.0 */
/* What a crash records, and what the next process does with it. */
#include "base/quarantine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "tap.h"

#define POD "/pods/a/p"

__attribute__((noreturn)) static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

static struct quarantine *must_open(const char *folder, struct quarantine_row *crashed)
{
	struct err err;
	struct quarantine *q = quarantine_open(folder, crashed, &err);

	if (!q)
		bail_out(err.text);
	return q;
}

/* A process that is killed by a signal while it processes this object, or (leaves) after it. */
static void die(const char *folder, int signo, bool leaves)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct quarantine *q = must_open(folder, NULL);

		quarantine_enter(q, "scheduler", STR("/pods/"), STR("a"), STR("p"));
		if (leaves)
			quarantine_leave(q);
		(void)raise(signo);
		_exit(1);
	}
	(void)waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == signo, "it ends by signal %d", signo);
}

static bool is_aside(const char *folder)
{
	AUTO(quarantine_close) struct quarantine *q = must_open(folder, NULL);

	return quarantine_has(q, STR("/pods/"), STR("a"), STR("p")) &&
	       quarantine_has_key(q, STR(POD));
}

static void test_crashes(const char *folder)
{
	struct quarantine_row crashed;
	struct quarantine *q;
	size_t at = 0;

	die(folder, SIGKILL, false);
	die(folder, SIGABRT, true);
	q = must_open(folder, &crashed);
	ok(!crashed.key && !quarantine_next(q, &at, &crashed),
	   "neither a kill from outside nor a crash between two objects counts");
	quarantine_close(q);
	die(folder, SIGABRT, false);
	q = must_open(folder, &crashed);
	ok(crashed.key && str_is(str_from(crashed.key), POD) && crashed.crashes == 1 &&
		   crashed.signal == SIGABRT && str_is(str_from(crashed.component), "scheduler"),
	   "a crash is reported once");
	ok(!quarantine_has_key(q, STR(POD)), "the first sets nothing aside");
	quarantine_close(q);
	ok(!is_aside(folder), "and does not count twice");
	die(folder, SIGSEGV, false);
	ok(is_aside(folder), "the second does");
	ok(is_aside(folder), "for good");
}

static void test_release(const char *folder)
{
	struct quarantine *q = must_open(folder, NULL);
	struct quarantine_row row;
	size_t at = 0;
	struct err err;

	ok(!quarantine_release(q, STR("/pods/a/q")), "another one is not released");
	ok(quarantine_release(q, STR(POD)) && !quarantine_has_key(q, STR(POD)), "this one is");
	quarantine_close(q);
	ok(!is_aside(folder), "for good");
	die(folder, SIGBUS, false);
	q = must_open(folder, NULL);
	ok(quarantine_next(q, &at, &row) && row.crashes == 1, "and counts from the beginning");
	quarantine_close(q);
	q = quarantine_read(folder, &err);
	ok(q && quarantine_release(q, STR(POD)), "who only reads can release as well");
	quarantine_close(q);
}

static void test_damage(const char *folder)
{
	static const char list[] =
		"x\n2 11 scheduler\n2 11 scheduler /pods/a/p\n-1 2 c k\n\n99999999 1 a b\n";
	AUTO(mem_free) char *path = mem_printf("%s/quarantine", folder);
	AUTO(mem_free) char *marker = mem_printf("%s/crash-marker", folder);
	struct quarantine_row row;
	struct err err;
	size_t at = 0;

	ok(fd_write_file(path, list, sizeof(list) - 1, 0600, &err) == 0 &&
		   fd_write_file(marker, "volcano-crash-1\0\xff\xff\xff\xff\xff\xff\xff\xff", 24,
				 0600, &err) == 0,
	   "files that were damaged");
	struct quarantine *q = must_open(folder, &row);

	ok(!row.key && quarantine_has_key(q, STR(POD)), "what makes sense counts");
	ok(quarantine_next(q, &at, &row) && !quarantine_next(q, &at, &row), "and nothing else");
	quarantine_close(q);
	(void)unlink(path);
	(void)unlink(marker);
}

static void test_none(void)
{
	size_t at = 0;
	struct quarantine_row row;
	char name[3000];

	memset(name, 'n', sizeof(name));
	quarantine_enter(NULL, "c", STR("/pods/"), STR("a"), STR("p"));
	quarantine_leave(NULL);
	ok(!quarantine_has_key(NULL, STR(POD)) && !quarantine_release(NULL, STR(POD)) &&
		   !quarantine_next(NULL, &at, &row),
	   "none has nothing");
}

static void test_long(const char *folder)
{
	AUTO(quarantine_close) struct quarantine *q = must_open(folder, NULL);
	char name[3000];

	memset(name, 'n', sizeof(name));
	quarantine_enter(q, "a component with a name that is too long for it", STR("/pods/"),
			 STR("a"), str_of(name, sizeof(name)));
	quarantine_enter_key(q, "c", str_of(name, sizeof(name)));
	ok(!quarantine_has(q, STR("/pods/"), STR("a"), str_of(name, sizeof(name))),
	   "keys that are too long are passed over");
}

int main(void)
{
	char folder[] = "/tmp/quarantine-XXXXXX";

	if (!mkdtemp(folder))
		bail_out("no temporary folder");
	test_none();
	test_crashes(folder);
	test_release(folder);
	test_damage(folder);
	test_long(folder);
	AUTO(mem_free) char *marker = mem_printf("%s/crash-marker", folder);

	(void)unlink(marker);
	(void)rmdir(folder);
	return tap_done();
}
