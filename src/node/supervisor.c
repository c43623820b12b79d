/* SPDX-License-Identifier: Apache-2.0 */
/* node/supervisor.c - the agent's end of launcher and supervisors.
 *
 * A new supervisor gets its end of a pair of sockets through the launcher, so that it can be asked before
 * it is there; one that is found again is reached by an address that follows from its folder.
 *
 * Always true: what is asked is sent in order; an event comes from the loop, never from a call. */
#include "node/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "node/plan.h"
#include "node/records.h"
#include "node/wire.h"

#include "base/banned.h"

#define RELAUNCH (TIME_SECOND)
#define STALE \
	"the volcano-pod beside this volcano is of another version: install both from one build"

enum { MESSAGE_BYTES = 16 * 1024, MESSAGES_A_TURN = 32, HOSTS_PIECE_BYTES = 64 * 1024 };

struct launcher {
	struct loop *loop;
	struct log *log;
	char *program;
	int fd;
	struct loop_child *child;
	struct loop_timer *again;
	bool stale; /* the program is of another version */
};

struct message {
	char *text;
	size_t len;
};

struct supervisor {
	struct loop *loop;
	int fd;
	struct loop_fd *watch;
	const struct supervisor_events *events;
	void *arg;
	VEC(struct message) waiting; /* for the socket to take them */
	bool telling;                /* an event is being told: it is freed afterwards */
	bool freed;
	bool clean;
};

/* --- the launcher --- */

static int pair(int ends[2], struct err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_errno(err, errno, "sockets");
	return 0;
}

/* Signals as they are when a program starts, and a process group of its own: what a terminal sends to the
 * agent is not meant for it. */
static void set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t all, none;

	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	(void)posix_spawnattr_setsigdefault(attributes, &all);
	(void)posix_spawnattr_setsigmask(attributes, &none);
	(void)posix_spawnattr_setpgroup(attributes, 0);
	(void)posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
							   POSIX_SPAWN_SETPGROUP);
}

static int spawn(const char *program, int standard_input, pid_t *ret_pid, struct err *err)
{
	char *const argv[] = {(char *)program, (char *)"launch", (char *)PLAN_VERSION, NULL};
	char *const env[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int rc;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawn_file_actions_adddup2(&actions, standard_input, STDIN_FILENO);
	(void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	(void)posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	set_attributes(&attributes);
	rc = posix_spawn(ret_pid, program, &actions, &attributes, argv, env);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return rc ? err_errno(err, rc, "%s", program) : 0;
}

static void on_launcher_end(pid_t pid, int status, void *arg)
{
	struct launcher *launcher = arg;

	(void)pid;
	launcher->child = NULL;
	fd_close(fd_take(&launcher->fd));
	if (WIFEXITED(status) && WEXITSTATUS(status) == WIRE_EXIT_VERSION) {
		if (!launcher->stale)
			log_error(launcher->log, STALE, LOG_STR("program", launcher->program));
		launcher->stale = true;
	} else {
		log_warn(launcher->log, "the launcher of pods has ended; starting it again",
			 LOG_INT("status", status));
	}
	loop_timer_set(launcher->again, RELAUNCH);
}

static int start(struct launcher *launcher, struct err *err)
{
	int ends[2];
	pid_t pid;
	int rc;

	if (pair(ends, err) < 0)
		return -1;
	launcher->fd = ends[0];
	rc = spawn(launcher->program, ends[1], &pid, err);
	fd_close(ends[1]);
	if (rc < 0)
		return -1;
	launcher->child = loop_child_add(launcher->loop, pid, on_launcher_end, launcher, err);
	return launcher->child ? 0 : -1;
}

static void on_again(struct loop_timer *timer, void *arg)
{
	struct launcher *launcher = arg;
	struct err err;

	if (start(launcher, &err) == 0)
		return;
	fd_close(fd_take(&launcher->fd));
	log_error(launcher->log, "cannot start the launcher of pods", LOG_STR("error", err.text));
	loop_timer_set(timer, RELAUNCH);
}

struct launcher *launcher_new(struct loop *loop, const char *program, struct log *log,
			      struct err *err)
{
	AUTO(launcher_free) struct launcher *launcher = mem_new(struct launcher);

	launcher->loop = loop;
	launcher->log = log;
	launcher->program = mem_strdup(program);
	launcher->fd = -1;
	launcher->again = loop_timer_new(loop, on_again, launcher);
	return start(launcher, err) < 0 ? NULL : TAKE(launcher);
}

void launcher_free(struct launcher *launcher)
{
	if (!launcher)
		return;
	loop_child_remove(launcher->child);
	loop_timer_free(launcher->again);
	fd_close(launcher->fd);
	mem_free(launcher->program);
	mem_free(launcher);
}

/* A folder, and two descriptors with it. */
static int send_folder(int to, const char *folder, const int fds[2], struct err *err)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = (char *)folder, .iov_len = strlen(folder)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(head), fds, 2 * sizeof(int));
	if (sendmsg(to, &message, MSG_NOSIGNAL) < 0)
		return err_errno(err, errno, "the launcher");
	return 0;
}

/* The plan as a file in memory, to be read from its start. */
static int hold(struct str plan, struct err *err)
{
	AUTO(fd_close) int fd = memfd_create("plan", MFD_CLOEXEC);

	if (fd < 0 || write(fd, plan.ptr, plan.len) != (ssize_t)plan.len)
		return err_errno(err, errno, "a plan in memory");
	return fd_take(&fd);
}

/* --- hearing --- */

static bool next_number(struct str *rest, int64_t min, int64_t max, int64_t *ret)
{
	struct str word;

	return str_split(rest, ' ', &word) && number_parse_range(word, min, max, ret, NULL) == 0;
}

static void hear_state(struct supervisor *self, struct str words)
{
	struct record record;
	int64_t container;

	if (next_number(&words, 0, INT32_MAX, &container) &&
	    record_parse(words, &record, NULL) == 0)
		self->events->state(self->arg, (size_t)container, &record);
}

static void hear_done(struct supervisor *self, struct str words)
{
	ptrdiff_t end = str_find_byte(words, '\0', 0);
	struct str head = str_slice(words, 0, end < 0 ? words.len : (size_t)end);
	struct str output = end < 0 ? STR("") : str_skip(words, (size_t)end + 1);
	int64_t id;
	int64_t code;

	if (next_number(&head, 0, INT64_MAX, &id) && next_number(&head, INT32_MIN, 255, &code))
		self->events->done(self->arg, (uint64_t)id, (int)code, output);
}

static void hear_hello(struct supervisor *self, struct str words)
{
	int64_t number;
	struct str pod_ip;
	struct str host_ip;

	if (self->events->hello && next_number(&words, 0, INT64_MAX, &number) &&
	    next_number(&words, 0, INT64_MAX, &number) && str_split(&words, ' ', &pod_ip) &&
	    str_split(&words, ' ', &host_ip))
		self->events->hello(self->arg, pod_ip, host_ip);
}

static void hear(struct supervisor *self, struct str message)
{
	struct str word;

	if (!str_split(&message, ' ', &word))
		return;
	if (str_is(word, "state"))
		hear_state(self, message);
	else if (str_is(word, "done"))
		hear_done(self, message);
	else if (str_is(word, "clean"))
		self->clean = true;
	else if (str_is(word, "hello"))
		hear_hello(self, message);
	else if (str_is(word, "ready"))
		self->events->ready(self->arg);
}

static void send_waiting(struct supervisor *self)
{
	while (self->waiting.len) {
		struct message first = self->waiting.ptr[0];

		if (send(self->fd, first.text, first.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
		    errno == EAGAIN)
			return;
		mem_free(first.text);
		vec_remove(&self->waiting, 0);
	}
	loop_fd_set(self->watch, LOOP_READ);
}

static void on_socket(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct supervisor *self = arg;
	char text[MESSAGE_BYTES];

	(void)watch;
	self->telling = true;
	if (events & LOOP_WRITE)
		send_waiting(self);
	for (int i = 0; i < MESSAGES_A_TURN && !self->freed; i++) {
		ssize_t len = recv(fd, text, sizeof(text), MSG_DONTWAIT);

		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (len > 0) {
			hear(self, str_of(text, (size_t)len));
			continue;
		}
		loop_fd_remove(TAKE(self->watch));
		self->events->lost(self->arg);
		break;
	}
	self->telling = false;
	if (self->freed)
		supervisor_free(self);
}

/* --- life --- */

/* Takes the socket. */
static struct supervisor *supervisor_new(struct loop *loop, int fd,
					 const struct supervisor_events *events, void *arg,
					 struct err *err)
{
	struct supervisor *self = mem_new(struct supervisor);

	self->loop = loop;
	self->fd = fd;
	self->events = events;
	self->arg = arg;
	self->watch = loop_fd_add(loop, fd, LOOP_READ, on_socket, self, err);
	if (self->watch)
		return self;
	supervisor_free(self);
	return NULL;
}

bool supervisor_is_clean(const struct supervisor *supervisor)
{
	return supervisor->clean;
}

void supervisor_free(struct supervisor *supervisor)
{
	if (!supervisor)
		return;
	loop_fd_remove(TAKE(supervisor->watch));
	fd_close(fd_take(&supervisor->fd));
	supervisor->freed = true;
	if (supervisor->telling)
		return;
	for (size_t i = 0; i < supervisor->waiting.len; i++)
		mem_free(supervisor->waiting.ptr[i].text);
	vec_done(&supervisor->waiting);
	mem_free(supervisor);
}

struct supervisor *supervisor_launch(struct launcher *launcher, const char *folder, struct str plan,
				     const struct supervisor_events *events, void *arg,
				     struct err *err)
{
	AUTO(fd_close) int file = hold(plan, err);
	struct supervisor *self;
	int ends[2];

	if (file < 0)
		return NULL;
	if (launcher->fd < 0) {
		(void)err_set(err, launcher->stale ? ERR_INTERNAL : ERR_UNAVAILABLE, "%s",
			      launcher->stale ? STALE : "the launcher is being started");
		return NULL;
	}
	if (pair(ends, err) < 0)
		return NULL;
	self = supervisor_new(launcher->loop, ends[0], events, arg, err);
	if (self && send_folder(launcher->fd, folder, (int[]){ends[1], file}, err) < 0) {
		supervisor_free(self);
		self = NULL;
	}
	fd_close(ends[1]);
	return self;
}

struct supervisor *supervisor_connect(struct loop *loop, const char *folder,
				      const struct supervisor_events *events, void *arg,
				      struct err *err)
{
	AUTO(fd_close) int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(fd_close) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t len = wire_address(dir, &address);

	if (dir < 0 || fd < 0) {
		(void)err_errno(err, errno, "%s", folder);
		return NULL;
	}
	if (connect(fd, (struct sockaddr *)&address, len) < 0) {
		int number = errno == ECONNREFUSED ? ENOENT : errno;

		(void)err_errno(err, number, "the supervisor of %s", folder);
		return NULL;
	}
	return supervisor_new(loop, fd_take(&fd), events, arg, err);
}

bool supervisor_is_there(const char *folder)
{
	AUTO(fd_close) int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(fd_close) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t len = wire_address(dir, &address);

	return bind(fd, (struct sockaddr *)&address, len) < 0 && errno == EADDRINUSE;
}

/* --- asking --- */

static void ask(struct supervisor *self, const char *text, size_t len)
{
	struct message message;

	if (!self->watch)
		return; /* it is lost */
	if (!self->waiting.len && send(self->fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return;
	if (!self->waiting.len && errno != EAGAIN)
		return; /* it is lost, and the loop will tell */
	message = (struct message){mem_dup(text, len), len};
	vec_push(&self->waiting, message);
	loop_fd_set(self->watch, LOOP_READ | LOOP_WRITE);
}

void supervisor_start(struct supervisor *supervisor, size_t container, unsigned run)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "start %zu %u", container, run);

	ask(supervisor, text, (size_t)len);
}

void supervisor_stop(struct supervisor *supervisor, size_t container, int64_t grace_us)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "stop %zu %lld", container,
			   (long long)(grace_us > 0 ? grace_us : 0));

	ask(supervisor, text, (size_t)len);
}

void supervisor_exec(struct supervisor *supervisor, uint64_t id, size_t container,
		     int64_t timeout_us, const struct str *args, size_t n_args)
{
	AUTO(buf_done) struct buf text = BUF_INIT(WIRE_MAX_BYTES);

	buf_printf(&text, "exec %llu %zu %lld", (unsigned long long)id, container,
		   (long long)timeout_us);
	buf_putc(&text, '\0');
	for (size_t i = 0; i < n_args; i++) {
		buf_put_str(&text, args[i]);
		buf_putc(&text, '\0');
	}
	if (buf_is_over(&text)) { /* asked without a command, which will be told */
		buf_truncate(&text, 0);
		buf_printf(&text, "exec %llu %zu 0%c", (unsigned long long)id, container, '\0');
	}
	ask(supervisor, text.ptr, text.len);
}

void supervisor_hosts(struct supervisor *supervisor, struct str hosts)
{
	size_t at = 0;

	do {
		AUTO(buf_done) struct buf text = BUF_INIT(WIRE_MAX_BYTES);
		struct str piece = str_slice(hosts, at, at + HOSTS_PIECE_BYTES);

		buf_printf(&text, "hosts %zu %zu", at, hosts.len);
		buf_putc(&text, '\0');
		buf_put_str(&text, piece);
		ask(supervisor, text.ptr, text.len);
		at += piece.len;
	} while (at < hosts.len);
}

void supervisor_quit(struct supervisor *supervisor)
{
	ask(supervisor, "quit", strlen("quit"));
}

void supervisor_read_records(const char *folder, struct record *records, size_t count)
{
	AUTO(fd_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < count; i++)
		if (fd < 0 || !records_get(fd, i, &records[i]))
			records[i] = (struct record){.state = RECORD_NEW};
}
