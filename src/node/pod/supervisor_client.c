/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/supervisor_client.c - the agent's end of launcher and supervisors.
 *
 * A new supervisor gets its end of a pair of sockets through the launcher: messages can be sent before it runs. A
 * supervisor that has lost its agent listens in a folder of the node (pod/pod_messages.h): the agent connects
 * there after a connection broke, and to supervisors that an earlier agent has started. Whether a supervisor
 * exists is decided by the lock of its pod's folder; while it is held, connecting is retried.
 *
 * Always true: messages are sent in order; an event comes from the loop, never from within a call. */
#include "node/pod/supervisor_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
#include "pod/pod_messages.h"
#include "pod/pod_plan.h"
#include "pod/records.h"

#include "base/banned.h"

#define RELAUNCH (TIME_SECOND)
/* A supervisor listens after it has seen that its agent has ended. */
#define RECONNECT_FIRST (10 * TIME_MILLISECOND)
#define RECONNECT_MOST (TIME_SECOND / 2)
#define RECONNECT_PATIENCE (30 * TIME_SECOND)
#define LOCKS "/proc/locks"
#define STALE \
	"the volcano-pod next to this volcano is of another version: install both from one build"

enum { MESSAGE_BYTES = 16 * 1024, MESSAGES_A_TURN = 32, HOSTS_PIECE_BYTES = 64 * 1024 };
enum { LOCKS_MAX_BYTES = 16 * 1024 * 1024, DEATH_MS = 1000, DEATH_STEP_MS = 5 };

struct launcher {
	struct loop *loop;
	struct log *log;
	char *program;
	int fd;
	struct loop_child *child;
	struct loop_timer *again;
	char *control;
	char secret[POD_SOCKET_SECRET_SIZE];
	bool stale; /* exit code: the program is of another version */
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
	VEC(struct message) waiting; /* until the socket can take them */
	char *folder;
	char *control;
	struct loop_timer *again; /* runs while the connection is being made again */
	int64_t pause;
	int64_t patience_until;
	bool launched; /* launched by this agent, and has not sent hello yet */
	bool greeted;  /* has sent hello over this connection */
	bool quitting; /* it was asked to end */
	bool found;    /* the connection was made again, which the next `ready` reports */
	bool telling;  /* an event is being delivered: it is freed afterwards */
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

/* Default signals, and a process group of its own: signals of a terminal to the agent are not meant for it. */
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
	if (WIFEXITED(status) && WEXITSTATUS(status) == POD_SOCKET_EXIT_VERSION) {
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

/* The secret of this data directory, which supervisors of earlier agents know, too; made if there is none. */
static int take_secret(struct launcher *launcher, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/" POD_SOCKET_SECRET, launcher->control);
	unsigned char bytes[POD_SOCKET_SECRET_SIZE / 2];

	if (pod_socket_read_secret(launcher->control, launcher->secret, err) == 0)
		return 0;
	if (err->code != ERR_NOT_FOUND && err->code != ERR_INVALID && err->code != ERR_TOO_LARGE)
		return -1;
	loop_random(launcher->loop, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(launcher->secret + 2 * i, 3, "%02x", bytes[i]);
	return fd_write_file(path, launcher->secret, POD_SOCKET_SECRET_SIZE - 1, 0600, err);
}

/* Makes a folder that only this user may enter. */
static int make_control(struct launcher *launcher, struct err *err)
{
	AUTO(fd_close) int fd = -1;

	if (mkdir(launcher->control, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "%s", launcher->control);
	fd = open(launcher->control, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0700) < 0)
		return err_errno(err, errno, "%s", launcher->control);
	return take_secret(launcher, err);
}

struct launcher *launcher_new(struct loop *loop, const char *program, const char *control,
			      struct log *log, struct err *err)
{
	AUTO(launcher_free) struct launcher *launcher = mem_new(struct launcher);

	launcher->loop = loop;
	launcher->log = log;
	launcher->program = mem_strdup(program);
	launcher->control = mem_strdup(control);
	launcher->fd = -1;
	launcher->again = loop_timer_new(loop, on_again, launcher);
	if (make_control(launcher, err) < 0)
		return NULL;
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
	mem_free(launcher->control);
	mem_free(launcher);
}

/* Sends what a supervisor is started with (pod/pod_messages.h), and two descriptors. */
static int send_folder(const struct launcher *launcher, const char *folder, const int fds[2],
		       struct err *err)
{
	const char *const words[] = {folder, launcher->control, launcher->secret};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct iovec part;
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		buf_put(&text, words[i], strlen(words[i]) + 1);
	part = (struct iovec){.iov_base = text.ptr, .iov_len = text.len};
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(head), fds, 2 * sizeof(int));
	if (sendmsg(launcher->fd, &message, MSG_NOSIGNAL) < 0)
		return err_errno(err, errno, "the launcher");
	return 0;
}

/* Makes a file in memory with the plan. */
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

static void handle_state(struct supervisor *self, struct str words)
{
	struct record record;
	int64_t container;

	if (next_number(&words, 0, INT32_MAX, &container) &&
	    record_parse(words, &record, NULL) == 0)
		self->events->state(self->arg, (size_t)container, &record);
}

static void handle_done(struct supervisor *self, struct str words)
{
	ptrdiff_t end = str_find_byte(words, '\0', 0);
	struct str head = str_slice(words, 0, end < 0 ? words.len : (size_t)end);
	struct str output = end < 0 ? STR("") : str_skip(words, (size_t)end + 1);
	int64_t id;
	int64_t code;

	if (next_number(&head, 0, INT64_MAX, &id) && next_number(&head, INT32_MIN, 255, &code))
		self->events->done(self->arg, (uint64_t)id, (int)code, output);
}

static void handle_hello(struct supervisor *self, struct str words)
{
	int64_t number;
	struct str pod_ip;
	struct str host_ip;

	self->greeted = true;
	self->launched = false;
	if (self->events->hello && next_number(&words, 0, INT64_MAX, &number) &&
	    next_number(&words, 0, INT64_MAX, &number) && str_split(&words, ' ', &pod_ip) &&
	    str_split(&words, ' ', &host_ip))
		self->events->hello(self->arg, pod_ip, host_ip);
}

static void handle_ready(struct supervisor *self)
{
	bool found = self->found;

	self->found = false;
	self->events->ready(self->arg);
	if (found && self->events->found && !self->freed)
		self->events->found(self->arg);
}

static void hear(struct supervisor *self, struct str message)
{
	struct str word;

	if (!str_split(&message, ' ', &word))
		return;
	if (str_is(word, "state"))
		handle_state(self, message);
	else if (str_is(word, "done"))
		handle_done(self, message);
	else if (str_is(word, "clean"))
		self->clean = true;
	else if (str_is(word, "hello"))
		handle_hello(self, message);
	else if (str_is(word, "ready"))
		handle_ready(self);
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

static void reconnect(struct supervisor *self);
static int try_to_connect(struct supervisor *self);

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
		fd_close(fd_take(&self->fd));
		if (!self->clean && (self->greeted || !self->launched) &&
		    pod_folder_is_locked(self->folder))
			reconnect(self);
		else
			self->events->lost(self->arg);
		break;
	}
	self->telling = false;
	if (self->freed)
		supervisor_free(self);
}

/* --- connecting --- */

static void on_try_again(struct loop_timer *timer, void *arg)
{
	struct supervisor *self = arg;

	(void)timer;
	self->pause = self->pause * 2 < RECONNECT_MOST ? self->pause * 2 : RECONNECT_MOST;
	if (pod_folder_is_locked(self->folder) && loop_uptime(self->loop) < self->patience_until &&
	    try_to_connect(self) == 0)
		return;
	if (pod_folder_is_locked(self->folder) && loop_uptime(self->loop) < self->patience_until) {
		loop_timer_set(self->again, self->pause);
		return;
	}
	supervisor_kill(self->folder);
	self->telling = true;
	self->events->lost(self->arg);
	self->telling = false;
	if (self->freed)
		supervisor_free(self);
}

/* Connects as soon as the supervisor listens. */
static void reconnect(struct supervisor *self)
{
	if (!self->again)
		self->again = loop_timer_new(self->loop, on_try_again, self);
	if (self->greeted || !self->pause) {
		self->pause = RECONNECT_FIRST;
		self->patience_until = loop_uptime(self->loop) + RECONNECT_PATIENCE;
	}
	self->found = true;
	self->greeted = false;
	loop_timer_set(self->again, self->pause);
}

static int try_to_connect(struct supervisor *self)
{
	int fd = pod_socket_connect(self->control, pod_socket_name(self->folder), NULL);

	if (fd < 0)
		return -1;
	self->watch =
		loop_fd_add(self->loop, fd, self->waiting.len ? LOOP_READ | LOOP_WRITE : LOOP_READ,
			    on_socket, self, NULL);
	if (!self->watch) {
		fd_close(fd);
		return -1;
	}
	self->fd = fd;
	if (self->quitting)
		supervisor_quit(self); /* it may not have received `quit` */
	return 0;
}

/* --- life --- */

static struct supervisor *supervisor_new(const struct launcher *launcher, const char *folder,
					 const struct supervisor_events *events, void *arg)
{
	struct supervisor *self = mem_new(struct supervisor);

	self->loop = launcher->loop;
	self->fd = -1;
	self->folder = mem_strdup(folder);
	self->control = mem_strdup(launcher->control);
	self->events = events;
	self->arg = arg;
	return self;
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
	loop_timer_free(TAKE(supervisor->again));
	fd_close(fd_take(&supervisor->fd));
	supervisor->freed = true;
	if (supervisor->telling)
		return;
	for (size_t i = 0; i < supervisor->waiting.len; i++)
		mem_free(supervisor->waiting.ptr[i].text);
	vec_done(&supervisor->waiting);
	mem_free(supervisor->folder);
	mem_free(supervisor->control);
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
	self = supervisor_new(launcher, folder, events, arg);
	self->fd = ends[0];
	self->launched = true;
	self->watch = loop_fd_add(self->loop, self->fd, LOOP_READ, on_socket, self, err);
	if (!self->watch || send_folder(launcher, folder, (int[]){ends[1], file}, err) < 0) {
		supervisor_free(self);
		self = NULL;
	}
	fd_close(ends[1]);
	return self;
}

struct supervisor *supervisor_connect(struct launcher *launcher, const char *folder,
				      const struct supervisor_events *events, void *arg,
				      struct err *err)
{
	struct supervisor *self;

	if (!pod_folder_is_locked(folder)) {
		(void)err_set(err, ERR_NOT_FOUND, "%s has no supervisor", folder);
		return NULL;
	}
	self = supervisor_new(launcher, folder, events, arg);
	if (try_to_connect(self) < 0)
		reconnect(self);
	self->found = false;
	return self;
}

bool supervisor_is_there(const char *folder)
{
	return pod_folder_is_locked(folder);
}

void supervisor_forget(const struct launcher *launcher, const char *folder)
{
	pod_socket_remove(launcher->control, pod_socket_name(folder));
}

/* --- killing --- */

/* Is this folder the working directory of the process, as for a supervisor? */
static bool is_in(pid_t pid, const struct stat *folder)
{
	char path[64];
	struct stat own;

	(void)snprintf(path, sizeof(path), "/proc/%ld/cwd", (long)pid);
	return stat(path, &own) == 0 && own.st_dev == folder->st_dev &&
	       own.st_ino == folder->st_ino;
}

/* Parses "1: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF"; 0: it is of another file. */
static pid_t holder_of(struct str line, const struct stat *folder)
{
	struct str words[6] = {{0}};
	size_t count = 0;
	struct str word;
	ptrdiff_t colon;
	int64_t pid, inode;

	while (count < ARRAY_LEN(words) && str_split(&line, ' ', &word))
		if (word.len)
			words[count++] = word;
	colon = str_rfind_byte(words[5], ':');
	if (count < ARRAY_LEN(words) || colon < 0 || !str_is(words[1], "FLOCK") ||
	    number_parse_range(words[4], 2, INT32_MAX, &pid, NULL) < 0 ||
	    number_parse_range(str_skip(words[5], (size_t)colon + 1), 0, INT64_MAX, &inode, NULL) <
		    0)
		return 0;
	return (ino_t)inode == folder->st_ino && is_in((pid_t)pid, folder) ? (pid_t)pid : 0;
}

void supervisor_kill(const char *folder)
{
	AUTO(buf_done) struct buf locks = BUF_INIT(LOCKS_MAX_BYTES);
	struct stat info;
	struct str rest;
	struct str line;

	if (!pod_folder_is_locked(folder) || stat(folder, &info) < 0 ||
	    fd_read_file(LOCKS, &locks, NULL) < 0)
		return;
	rest = buf_str(&locks);
	while (str_split(&rest, '\n', &line)) {
		pid_t pid = holder_of(line, &info);

		if (pid)
			(void)kill(pid, SIGKILL);
	}
	for (int i = 0; i < DEATH_MS / DEATH_STEP_MS && pod_folder_is_locked(folder); i++)
		(void)poll(NULL, 0, DEATH_STEP_MS);
}

/* --- asking --- */

static void ask(struct supervisor *self, const char *text, size_t len)
{
	struct message message;

	if (!self->watch && !self->again)
		return; /* it is lost */
	if (self->watch && !self->waiting.len) {
		if (send(self->fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
			return;
		if (errno != EAGAIN)
			return; /* the connection is lost, which the loop will report */
	}
	message = (struct message){mem_dup(text, len), len};
	vec_push(&self->waiting, message);
	if (self->watch)
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
	AUTO(buf_done) struct buf text = BUF_INIT(POD_SOCKET_MAX_BYTES);

	buf_printf(&text, "exec %llu %zu %lld", (unsigned long long)id, container,
		   (long long)timeout_us);
	buf_putc(&text, '\0');
	for (size_t i = 0; i < n_args; i++) {
		buf_put_str(&text, args[i]);
		buf_putc(&text, '\0');
	}
	if (buf_is_over(&text)) { /* without a command: the supervisor answers with an error */
		buf_truncate(&text, 0);
		buf_printf(&text, "exec %llu %zu 0%c", (unsigned long long)id, container, '\0');
	}
	ask(supervisor, text.ptr, text.len);
}

void supervisor_hosts(struct supervisor *supervisor, struct str hosts)
{
	size_t at = 0;

	do {
		AUTO(buf_done) struct buf text = BUF_INIT(POD_SOCKET_MAX_BYTES);
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
	supervisor->quitting = true;
	ask(supervisor, "quit", strlen("quit"));
}

void supervisor_read_records(const char *folder, struct record *records, size_t count)
{
	AUTO(fd_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < count; i++)
		if (fd < 0 || !records_get(fd, i, &records[i]))
			records[i] = (struct record){.state = RECORD_NEW};
}
