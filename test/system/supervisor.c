/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor.c - supervisors of pods as the agent meets them: real processes, started, stopped, lost and
 * found again. The argument is the program (volcano-pod). */
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"
#include "node/machine/machine.h"
#include "node/pod/supervisor_client.h"
#include "pod/pod_messages.h"
#include "pod/pod_plan.h"
#include "supervisors.h"
#include "tap.h"

enum { NUMBER_ROUNDS = 5 };

static void test_run(const char *program)
{
	struct world w;
	const char *argv[3][4];
	struct plan_container containers[] = {
		shell("first", argv[0], "echo $GREETING; echo world >&2; printf rest; exit 3"),
		shell("missing", argv[1], "true"), shell("idle", argv[2], NULL)};
	AUTO(mem_free) char *text = NULL;

	begin(&w, program);
	argv[1][0] = "no-such-program";
	launch(&w, containers, 3, NULL);
	supervisor_start(w.supervisor, 0, 0);
	supervisor_start(w.supervisor, 1, 0);
	supervisor_start(w.supervisor, 2, 0);
	WAIT(&w, w.records[0].state == RECORD_ENDED && w.records[1].state == RECORD_ENDED &&
			 w.records[2].state == RECORD_RUNNING);
	ok(w.ready, "it was ready before");
	ok(w.records[0].now.exit_code == 3 && !w.records[0].now.signal, "an exit code is reported");
	ok(w.records[0].now.started > 0 && w.records[0].now.ended >= w.records[0].now.started,
	   "and when it was");
	text = log_of(&w, "first.0.log");
	is(text, "stdout F hello|stdout F world|stdout F rest|");
	ok(w.records[1].now.start_failed && w.records[1].now.exit_code == 128,
	   "a program that is not there is reported");
	is(w.records[1].message, "exec: \"no-such-program\": executable file not found in $PATH");
	supervisor_stop(w.supervisor, 2, 0);
	WAIT(&w, w.records[2].state == RECORD_ENDED);
	ok(w.records[2].now.exit_code == 0, "one that idles ends when it is asked to");
	supervisor_start(w.supervisor, 0, 0); /* asked twice */
	supervisor_start(w.supervisor, 0, 1);
	WAIT(&w, w.records[0].run == 1 && w.records[0].state == RECORD_ENDED);
	ok(w.records[0].last.exit_code == 3, "the run before is remembered");
	supervisor_start(w.supervisor, 0, 2);
	WAIT(&w, w.records[0].run == 2 && w.records[0].state == RECORD_ENDED);
	mem_free(text);
	text = log_of(&w, "first.0.log");
	is(text, "(none)");
	mem_free(text);
	text = log_of(&w, "first.1.log");
	is(text, "stdout F hello|stdout F world|stdout F rest|");
	end(&w);
}

/* Processes whose environment names this folder. */
static size_t count_processes(const char *marker)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	assert(dir);
	while ((entry = readdir(dir))) {
		AUTO(mem_free) char *path = mem_printf("/proc/%s/environ", entry->d_name);
		AUTO(buf_done) struct buf text = BUF_INIT(1 << 20);

		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    fd_read_file(path, &text, NULL) == 0 &&
		    str_find(buf_str(&text), str_from(marker), 0) >= 0)
			count++;
	}
	(void)closedir(dir);
	return count;
}

/* A tree that does what it can to stay. */
static const char resist[] = "trap '' TERM HUP INT; setsid sh -c \"trap '' TERM; sleep 1000\" & "
			     "(setsid sh -c '(setsid sleep 1000 &) ; sleep 1000' &) ; echo up; "
			     "while :; do sleep 1000; done";

static void test_resist(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, resist)};
	const char *marked[3] = {env[0], NULL, NULL};
	AUTO(mem_free) char *marker = NULL;
	bool up = false;

	begin(&w, program);
	marker = mem_printf("MARKER=%s", w.folder);
	marked[1] = marker;
	containers[0].env = marked;
	containers[0].n_env = 2;
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, (up = count_processes(marker) >= 5));
	ok(up, "a tree of processes runs");
	supervisor_stop(w.supervisor, 0, 50 * TIME_MILLISECOND);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.signal == SIGKILL && w.records[0].now.exit_code == 137,
	   "what ignores SIGTERM is killed after its grace");
	supervisor_quit(w.supervisor);
	WAIT(&w, w.lost);
	ok(count_processes(marker) == 0, "nothing of the tree is left");
	end(&w);
}

/* Of two containers one ends, and leaves processes that have left its group and session; the other runs on. */
static void test_daemons(const char *program)
{
	static const char leaves[] =
		"(setsid sh -c '(setsid sleep 1000 &) ; sleep 1000' &) ; echo up";
	const struct pod_plan plan = {
		.grace_us = TIME_SECOND, .mount_namespace = true, .user_namespace = geteuid() != 0};
	struct world w;
	const char *argv[2][4];
	struct plan_container containers[] = {shell("ends", argv[0], leaves),
					      shell("stays", argv[1],
						    "(setsid sleep 1000 &) ; "
						    "sleep 1000")};
	char *markers[2];
	const char *marked[2][3] = {{env[0]}, {env[0]}};
	bool done = false;

	begin(&w, program);
	for (size_t i = 0; i < 2; i++) {
		markers[i] = mem_printf("MARKER=%zu-%s", i, w.folder);
		marked[i][1] = markers[i];
		containers[i].env = marked[i];
		containers[i].n_env = 2;
	}
	launch(&w, containers, 2, &plan);
	supervisor_start(w.supervisor, 1, 0);
	WAIT(&w, (done = count_processes(markers[1]) >= 3));
	ok(done, "a container has a process that has left it");
	for (unsigned run = 0; run < 3; run++) {
		supervisor_start(w.supervisor, 0, run);
		WAIT(&w, w.records[0].state == RECORD_ENDED && w.records[0].run == run);
		WAIT(&w, (done = count_processes(markers[0]) == 0));
		ok(done, "run %u of one next to it ends, and nothing of it is left", run);
	}
	ok(count_processes(markers[1]) == 3, "of the other everything is");
	end(&w);
	ok(count_processes(markers[1]) == 0, "until the pod ends");
	mem_free(markers[0]);
	mem_free(markers[1]);
}

/* The kernel gives the number of a mount namespace that no longer exists to the next one. A container that starts after
 * another one has ended keeps its processes, also when a command that ran in it ends. Another program on the machine may
 * take the number first, therefore several rounds. */
static void test_namespace_numbers(const char *program)
{
	const struct pod_plan plan = {
		.grace_us = TIME_SECOND, .mount_namespace = true, .user_namespace = geteuid() != 0};
	const struct str command[] = {STR("sh"), STR("-c"), STR("sleep 0; exit 5")};
	int kept = 0;

	for (int round = 0; round < NUMBER_ROUNDS; round++) {
		struct world w;
		const char *argv[2][4];
		struct plan_container containers[] = {shell("first", argv[0], "true"),
						      shell("second", argv[1], "exec sleep 1000")};

		begin(&w, program);
		launch(&w, containers, 2, &plan);
		supervisor_start(w.supervisor, 0, 0);
		WAIT(&w, w.records[0].state == RECORD_ENDED);
		supervisor_start(w.supervisor, 1, 0);
		for (uint64_t id = 1; id <= 2; id++) {
			w.code = -99;
			supervisor_exec(w.supervisor, id, 1, TIME_MINUTE, command,
					ARRAY_LEN(command));
			WAIT(&w, w.code != -99);
		}
		kept += w.code == 5 && w.records[1].state == RECORD_RUNNING;
		end(&w);
	}
	ok(kept == NUMBER_ROUNDS, "a container runs on after commands in it (%d of %d rounds)",
	   kept, NUMBER_ROUNDS);
}

/* A shell without a handler ends at once; what it runs has the time to put things in order. */
static void test_grace(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {
		shell("main", argv,
		      "sh -c 'trap \"sleep 0.2; echo saved; exit 0\" TERM; echo up >ready; "
		      "while :; do sleep 0.01; done'; echo never")};
	AUTO(mem_free) char *text = NULL;
	AUTO(mem_free) char *ready = NULL;

	begin(&w, program);
	ready = mem_printf("%s/ready", w.pod);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, access(ready, F_OK) == 0);
	supervisor_stop(w.supervisor, 0, TIME_MINUTE);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.signal == SIGTERM, "it ends as its first process does");
	text = log_of(&w, "main.0.log");
	ok(strstr(text, "saved|") && !strstr(text, "never"), "the others have used their grace");
	end(&w);
}

/* An agent that is killed with SIGKILL: another process has the launcher and the supervisor. */
static void test_killed_agent(const char *program)
{
	struct world w;
	const char *argv[2][4];
	AUTO(mem_free) char *go = NULL;
	AUTO(mem_free) char *script = NULL;
	struct plan_container containers[2];
	AUTO(mem_free) char *text = NULL;
	struct record records[2];
	struct err err;
	int status;
	pid_t agent;

	begin(&w, program);
	go = mem_printf("%s/go", w.folder);
	script = mem_printf("echo one; read line <%s; echo $line; exit 7", go);
	containers[0] = shell("main", argv[0], script);
	containers[1] = shell("second", argv[1], "exit 1");
	ok(mkfifo(go, 0600) == 0, "a pipe that it waits at");
	fflush(stdout);
	agent = fork();
	if (agent == 0) {
		struct world other;

		begin_with(&other, program, w.control);
		(void)rmdir(other.folder);
		mem_free(other.pod);
		other.pod = w.pod;
		launch(&other, containers, 2,
		       &(struct pod_plan){.grace_us = TIME_SECOND,
					  .address = "127.9.0.5 127.0.0.1"});
		supervisor_start(other.supervisor, 0, 0);
		WAIT(&other, other.records[0].state == RECORD_RUNNING);
		(void)kill(getpid(), SIGKILL);
	}
	(void)waitpid(agent, &status, 0);
	ok(WIFSIGNALED(status), "the agent was killed");
	w.supervisor = supervisor_connect(w.launcher, w.pod, &events, &w, &err);
	ok(w.supervisor != NULL, "its supervisor is found");
	WAIT(&w, w.ready);
	ok(w.records[0].state == RECORD_RUNNING && w.records[0].pid > 1, "the container runs");
	ok(kill((pid_t)w.records[0].pid, 0) == 0, "it is the same process");
	is(w.addresses, "127.9.0.5, 127.0.0.1");
	supervisor_free(TAKE(w.supervisor)); /* and away again */
	{
		AUTO(fd_close) int fd = open(go, O_WRONLY | O_CLOEXEC);

		ok(fd >= 0 && write(fd, "two\n", 4) == 4,
		   "it is asked to go on while no agent runs");
	}
	w.ready = false;
	w.supervisor = supervisor_connect(w.launcher, w.pod, &events, &w, &err);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.exit_code == 7, "its exit code was kept");
	text = log_of(&w, "main.0.log");
	is(text, "stdout F one|stdout F two|");
	supervisor_read_records(w.pod, records, 2);
	ok(records[0].state == RECORD_ENDED && records[0].now.exit_code == 7 &&
		   records[1].state == RECORD_NEW,
	   "the same is written down");
	end(&w);
}

/* Folders stand for control groups: they are made before the program, and go with the supervisor. */
static void test_groups(const char *program)
{
	struct world w;
	const char *argv[2][4];
	const char *folders[1];
	const char *values[2];
	const char *nowhere[] = {"/nowhere/group"};
	struct plan_container containers[] = {shell("main", argv[0], "exec sleep 1000"),
					      shell("other", argv[1], "true")};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free) char *folder = NULL;
	AUTO(mem_free) char *file = NULL;
	struct err err;

	begin(&w, program);
	folder = mem_printf("%s/group", w.pod);
	file = mem_printf("%s/bound", w.pod);
	folders[0] = folder;
	values[0] = file;
	values[1] = "77";
	ok(fd_write_file(file, "", 0, 0600, &err) == 0, "a file for a bound");
	containers[0].group_folders = folders;
	containers[0].n_group_folders = 1;
	containers[0].group_values = values;
	containers[0].n_group_values = 2;
	containers[1].group_folders = nowhere;
	containers[1].n_group_folders = 1;
	launch(&w, containers, 2, NULL);
	supervisor_start(w.supervisor, 0, 0);
	supervisor_start(w.supervisor, 1, 0);
	WAIT(&w, w.records[0].state == RECORD_RUNNING && w.records[1].state == RECORD_ENDED);
	ok(access(folder, F_OK) == 0 && fd_read_file(file, &text, NULL) == 0 &&
		   str_is(buf_str(&text), "77"),
	   "a group is there before its program, with its bounds");
	ok(w.records[1].now.start_failed, "without its group a program is not started");
	is(w.records[1].message, "control group: /nowhere/group: No such file or directory");
	supervisor_quit(w.supervisor);
	WAIT(&w, w.lost);
	ok(access(folder, F_OK) < 0, "it goes with the supervisor");
	ok(w.clean, "which has reported that");
	end(&w);
}

static bool has_said(const struct world *w, const char *file, const char *what)
{
	AUTO(mem_free) char *text = log_of(w, file);

	return strstr(text, what) != NULL;
}

/* Whether this machine permits what the test needs. */
static bool may_mount(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare((geteuid() ? CLONE_NEWUSER : 0) | CLONE_NEWNS) == 0 ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

#define FILES_SCRIPT                                     \
	"head -n1 names; echo $(ls scratch | wc -l); "   \
	"until grep -q two names; do sleep 0.05; done; " \
	"[ $(wc -c <names) = 150004 ] && echo whole; "   \
	"[ -e been ] && exit 0; touch been; echo bye >words; exit 3"

/* Names and last words are files in memory: names may change while it runs, words are kept when it has ended. */
static void test_files(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_mount mounts[3] = {
		{.fstype = "tmpfs", .options = "mode=0555,size=1m"},
		{.fstype = PLAN_HOSTS, .options = "one\n"},
		{.fstype = PLAN_MESSAGE},
	};
	struct plan_container containers[] = {shell("main", argv, FILES_SCRIPT)};
	AUTO(buf_done) struct buf names = BUF_UNBOUNDED;
	char *paths[3];
	char *text;
	struct err err;

	if (!may_mount()) {
		ok(true, "files in memory # SKIP no mount namespaces");
		return;
	}
	begin(&w, program);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		static const char *const files[] = {"scratch", "names", "words"};

		paths[i] = mem_printf("%s/%s", w.folder, files[i]);
		mounts[i].target = paths[i];
		ok(i ? fd_write_file(paths[i], "", 0, 0600, &err) == 0 : mkdir(paths[i], 0755) == 0,
		   "a place for %s", files[i]);
	}
	containers[0].mounts = mounts;
	containers[0].n_mounts = ARRAY_LEN(mounts);
	containers[0].scratch = paths[0];
	containers[0].cwd = w.folder;
	launch(&w, containers, 1,
	       &(struct pod_plan){.grace_us = TIME_SECOND,
				  .mount_namespace = true,
				  .user_namespace = geteuid() != 0,
				  .log_size = 1 << 20,
				  .log_files = 2});
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_ENDED || has_said(&w, "main.0.log", "F 0|"));
	is(w.records[0].message, "");
	buf_puts(&names, "two\n");
	while (names.len < 150004)
		buf_putc(&names, '#');
	supervisor_hosts(w.supervisor, buf_str(&names));
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.exit_code == 3, "it has seen names change in place");
	text = log_of(&w, "main.0.log");
	is(text, "stdout F one|stdout F 0|stdout F whole|");
	mem_free(text);
	buf_clear(&names);
	text = mem_printf("%s/main" POD_MESSAGE_SUFFIX, w.pod);
	ok(fd_read_file(text, &names, &err) == 0 && str_is(buf_str(&names), "bye\n"),
	   "its last words are kept");
	supervisor_start(w.supervisor, 0, 1);
	WAIT(&w, w.records[0].state == RECORD_ENDED && w.records[0].run == 1);
	ok(access(text, F_OK) < 0, "those of a run that says nothing are not the last one's");
	mem_free(text);
	text = log_of(&w, "main.1.log");
	is(text, "stdout F two|stdout F 0|stdout F whole|");
	mem_free(text);
	(void)rmdir(paths[0]);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		mem_free(paths[i]);
	end(&w);
}

static void test_killed_supervisor(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, "echo up; exec sleep 1000")};
	struct record record;
	struct err err;
	pid_t pid, supervisor;

	begin(&w, program);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_RUNNING);
	pid = (pid_t)w.records[0].pid;
	supervisor = parent_of(pid);
	(void)kill(supervisor, SIGKILL);
	WAIT(&w, w.lost && has_ended(supervisor)); /* its sockets close one after the other */
	ok(w.lost, "a supervisor that was killed is lost");
	supervisor_read_records(w.pod, &record, 1);
	ok(record.state == RECORD_RUNNING, "and says so by what it has left");
	ok(!supervisor_connect(w.launcher, w.pod, &events, &w, &err) && err.code == ERR_NOT_FOUND,
	   "nobody is found there");
	w.lost = false;
	memset(w.records, 0, sizeof(w.records));
	launch(&w, containers, 1, NULL);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.signal == SIGKILL, "the next one knows that its container is dead");
	end(&w);
}

static void test_exec(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, "exec sleep 1000")};
	const struct str good[] = {STR("sh"), STR("-c"), STR("echo $GREETING; exit 4")};
	const struct str slow[] = {STR("sleep"), STR("1000")};
	const struct str none[] = {STR("no-such-program")};

	begin(&w, program);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	w.code = -99;
	supervisor_exec(w.supervisor, 1, 0, TIME_MINUTE, good, 3);
	WAIT(&w, w.code != -99);
	ok(w.code == 4, "a command in the container's place has a code");
	is(w.output, "hello\n");
	w.code = -99;
	supervisor_exec(w.supervisor, 2, 0, TIME_MILLISECOND, slow, 2);
	WAIT(&w, w.code != -99);
	ok(w.code == POD_EXEC_TIMED_OUT, "one that takes too long is ended");
	w.code = -99;
	supervisor_exec(w.supervisor, 3, 0, TIME_MINUTE, none, 1);
	WAIT(&w, w.code != -99);
	ok(w.code == POD_EXEC_NOT_STARTED, "one that is not there is reported");
	is(w.output, "exec: \"no-such-program\": executable file not found in $PATH");
	end(&w);
}

static void test_deadline(const char *program, int64_t deadline, const char *what)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("late", argv, "exec sleep 1000")};
	struct pod_plan plan = {.grace_us = 2 * PATIENCE, .deadline_us = deadline};

	begin(&w, program);
	launch(&w, containers, 1, &plan);
	WAIT(&w, w.ready);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.deadline && w.records[0].now.signal == SIGTERM, "%s", what);
	end(&w);
}

static void test_bounds(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell(
		"loud", argv, "i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done")};
	struct pod_plan plan = {.grace_us = TIME_SECOND, .log_size = 4096, .log_files = 3};
	AUTO(mem_free) char *text = NULL;
	static const char *const parts[] = {"loud.0.log", "loud.0.log.1", "loud.0.log.2"};
	size_t most = 0;

	begin(&w, program);
	launch(&w, containers, 1, &plan);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	for (size_t i = 0; i < 3; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", w.pod, parts[i]);
		AUTO(buf_done) struct buf file = BUF_UNBOUNDED;
		struct err err;

		ok(fd_read_file(path, &file, &err) == 0, "%s is there", parts[i]);
		if (file.len > most)
			most = file.len;
	}
	ok(most <= 4096 && most > 2048, "none is longer than it may be");
	text = log_of(&w, "loud.0.log.3");
	is(text, "(none)");
	mem_free(text);
	text = log_of(&w, "loud.0.log");
	ok(strstr(text, "line 499|") != NULL, "the end is in the newest");
	end(&w);
}

static void on_gone(pid_t pid, int status, void *arg)
{
	(void)pid;
	(void)status;
	((struct world *)arg)->lost = true;
}

/* After its folder was deleted nothing of the pod is needed any more. */
static void test_forgotten(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, "exec sleep 1000")};
	struct err err;

	begin(&w, program);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_RUNNING);
	ok(loop_child_add(w.loop, (pid_t)w.records[0].pid, on_gone, &w, &err), "it runs");
	supervisor_free(TAKE(w.supervisor));
	remove_all(w.folder);
	WAIT(&w, w.lost);
	ok(w.lost, "a pod whose folder was deleted ends");
	end(&w);
}

/* A plain chroot, whose root is no mount, has none. */
static bool has_mount_namespaces(void)
{
	struct machine machine;
	struct err err;
	bool has;

	if (machine_open(&(struct machine_paths){0}, &machine, &err) < 0)
		return false;
	has = machine.namespaces & MACHINE_MOUNT;
	machine_close(&machine);
	return has;
}

int main(int argc, char **argv)
{
	bool mounts = has_mount_namespaces();

	if (argc != 2)
		return 2;
	if (!mounts)
		ok(true, "daemons, files # SKIP there are no mount namespaces here");
	test_run(argv[1]);
	test_resist(argv[1]);
	if (mounts) {
		test_daemons(argv[1]);
		test_namespace_numbers(argv[1]);
	}
	test_grace(argv[1]);
	test_killed_agent(argv[1]);
	test_groups(argv[1]);
	if (mounts)
		test_files(argv[1]);
	test_killed_supervisor(argv[1]);
	test_exec(argv[1]);
	test_deadline(argv[1], 300 * TIME_MILLISECOND, "what runs at the pod's deadline is ended");
	test_deadline(argv[1], 1, "so is what is started after it");
	test_bounds(argv[1]);
	test_forgotten(argv[1]);
	return tap_done();
}
