/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor_guard.c - what supervisors hand on and whom they listen to: descriptors, strangers at the socket, broken
 * connections, and one supervisor per pod. The argument is the program (volcano-pod). */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "supervisors.h"
#include "tap.h"

/* A descriptor without close-on-exec, as a library may open one. */
static void test_descriptors(const char *program)
{
	struct world w;
	const char *argv[4];
	const char *list =
		"for f in /proc/self/fd/*; do readlink $f >/dev/null && echo ${f##*/}; done";
	AUTO(mem_free) char *script = mem_printf("%s; exec sleep 1000", list);
	struct plan_container containers[] = {shell("main", argv, script)};
	const struct str command[] = {STR("sh"), STR("-c"), str_from(list)};
	AUTO(fd_close) int leak = open("/etc/passwd", O_RDONLY);
	AUTO(fd_close) int high = fcntl(leak, F_DUPFD, 500);
	AUTO(mem_free) char *text = NULL;

	begin(&w, program);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	w.code = -99;
	supervisor_exec(w.supervisor, 1, 0, TIME_MINUTE, command, 3);
	WAIT(&w, w.code != -99);
	is(w.output, "0\n1\n2\n");
	for (int i = 0; i < 1000 && (!text || !strchr(text, '2')); i++) {
		(void)loop_turn(w.loop, 20 * TIME_MILLISECOND);
		mem_free(text);
		text = log_of(&w, "main.0.log");
	}
	is(text, "stdout F 0|stdout F 1|stdout F 2|");
	ok(high >= 500, "although the agent has others");
	end(&w);
}

static int at_door(const struct world *w)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", w->control, pod_socket_name(w->pod));
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

static bool is_closed(int fd)
{
	char byte[8];

	return recv(fd, byte, sizeof(byte), MSG_DONTWAIT) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? info.st_mode & 07777 : 0;
}

/* Strangers can neither ask for anything nor keep the agent away, and see nothing. */
static void test_strangers(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, "exec sleep 1000")};
	static const char wrong[] =
		"agent "
		"0000000000000000000000000000000000000000000000000000000000000000";
	int strangers[20];
	bool open = true;
	int first = -1, second = -1;
	pid_t pid;
	struct err err;

	begin(&w, program);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_RUNNING);
	pid = (pid_t)w.records[0].pid;
	ok(at_door(&w) < 0, "while there is an agent no one can connect");
	ok(mode_of(w.control) == 0700, "the folder of sockets is the node's alone");
	supervisor_free(TAKE(w.supervisor));
	WAIT(&w, (first = at_door(&w)) >= 0);
	ok(send(first, "quit", 4, MSG_NOSIGNAL) == 4, "a stranger says something");
	WAIT(&w, is_closed(first));
	ok(is_closed(first), "and is sent away without an answer");
	second = at_door(&w);
	ok(send(second, wrong, sizeof(wrong) - 1, MSG_NOSIGNAL) > 0, "another one guesses");
	WAIT(&w, is_closed(second));
	ok(is_closed(second), "and goes, too");
	for (size_t i = 0; i < ARRAY_LEN(strangers); i++)
		strangers[i] = at_door(&w); /* and says nothing */
	w.ready = w.lost = false;
	w.supervisor = supervisor_connect(w.launcher, w.pod, &events, &w, &err);
	WAIT(&w, w.ready);
	ok(w.ready && !w.lost, "the agent comes all the same");
	ok(w.records[0].state == RECORD_RUNNING && kill(pid, 0) == 0, "nothing was ended");
	ok(at_door(&w) < 0, "and the door is closed again");
	for (size_t i = 0; i < ARRAY_LEN(strangers); i++) {
		open = open && strangers[i] >= 0 && !is_closed(strangers[i]);
		fd_close(strangers[i]);
	}
	ok(!open, "those who were there have been sent away");
	fd_close(first);
	fd_close(second);
	end(&w);
}

/* The connection breaks, as where the agent does not read for long. */
static void test_broken(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, "exec sleep 1000")};
	const struct str noise[] = {STR("sh"), STR("-c"),
				    STR("head -c 10000 /dev/zero | tr '\\0' x")};
	AUTO(fd_close) int stranger = -1;
	pid_t pid;

	begin(&w, program);
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_RUNNING);
	pid = (pid_t)w.records[0].pid;
	for (uint64_t i = 0; i < 100; i++)
		supervisor_exec(w.supervisor, i, 0, TIME_MINUTE, noise, 3);
	for (int i = 0; i < 1200 && stranger < 0; i++) { /* nothing is read meanwhile */
		(void)poll(NULL, 0, 50);
		stranger = at_door(&w);
	}
	WAIT(&w, w.found || w.lost);
	ok(w.found && !w.lost, "a connection that breaks is made again");
	ok(kill(pid, 0) == 0 && w.records[0].state == RECORD_RUNNING, "what runs runs on");
	supervisor_stop(w.supervisor, 0, 0);
	WAIT(&w, w.records[0].state == RECORD_ENDED);
	ok(w.records[0].now.signal == SIGKILL, "and it can be asked again");
	end(&w);
}

/* Two supervisors of a pod are never there at the same time. */
static void test_one(const char *program)
{
	struct world w;
	const char *argv[4];
	struct plan_container containers[] = {shell("main", argv, "exec sleep 1000")};
	AUTO(fd_close) int held = -1;

	begin(&w, program);
	held = open(w.pod, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(flock(held, LOCK_EX | LOCK_NB) == 0 && supervisor_is_there(w.pod), "one is there");
	launch(&w, containers, 1, NULL);
	supervisor_start(w.supervisor, 0, 0);
	for (int i = 0; i < 10; i++)
		(void)loop_turn(w.loop, 20 * TIME_MILLISECOND);
	ok(!w.ready && w.records[0].state == RECORD_NEW, "the next one waits for it");
	fd_close(fd_take(&held));
	WAIT(&w, w.records[0].state == RECORD_RUNNING);
	ok(w.ready && supervisor_is_there(w.pod), "until it has ended");
	supervisor_kill(w.pod);
	WAIT(&w, w.lost);
	ok(w.lost && !supervisor_is_there(w.pod), "one that is killed is lost");
	end(&w);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	test_descriptors(argv[1]);
	test_strangers(argv[1]);
	test_broken(argv[1]);
	test_one(argv[1]);
	return tap_done();
}
