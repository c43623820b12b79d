/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/supervisor.c - the process that holds a pod.
 *
 * One thread around one poll(): the agent's socket, or the socket on which the next agent connects; ends of
 * children (a signalfd); and the output of containers. What happens to a container is written into the pod's
 * folder first and reported to the agent second, so that an agent that connects later misses nothing.
 *
 * It takes no decisions: it starts and ends what the agent says. By itself it only ends everything at the pod's
 * deadline, and when its folder was deleted while it has no agent.
 *
 * Always true: a container has ended when its first process has; then the processes that are left are killed. When
 * the supervisor ends, no process of the pod is left: its children die with it. A pod has one supervisor: it holds
 * the lock of the pod's folder, and releases it before its agent sees that it ends. */
#include "programs/volcano-pod/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "pod/pod_plan.h"
#include "pod/records.h"
#include "programs/volcano-pod/control_groups.h"
#include "programs/volcano-pod/family.h"
#include "programs/volcano-pod/pod_child.h"
#include "programs/volcano-pod/signals.h"
#include "programs/volcano-pod/supervisor_internal.h"

#include "base/banned.h"

#define NEVER INT64_MAX
#define FOLDER_CHECK (5 * TIME_SECOND) /* while it has no agent */
#define LAST_TRIES (30 * TIME_SECOND)
#define HOLD_PATIENCE (10 * TIME_SECOND) /* for the previous supervisor to end */

enum { PIECE_BYTES = 16 * 1024, PIECES_A_TURN = 16, POLL_MAX_MS = 3600 * 1000, HOLD_PAUSE_MS = 5 };

/* --- time --- */

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return now.tv_sec * TIME_SECOND + now.tv_nsec / 1000;
}

int64_t supervisor_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t supervisor_uptime(void)
{
	return read_clock(
		CLOCK_BOOTTIME); /* counts while the machine is suspended, as deadlines do */
}

/* --- records --- */

void supervisor_report(struct supervisor *self, size_t index)
{
	char text[RECORD_SIZE];
	char message[RECORD_SIZE + 32];
	struct str line;
	int len;

	record_print(&self->containers[index].record, text);
	line = str_trim(str_from(text));
	len = snprintf(message, sizeof(message), "state %zu %.*s", index, STR_ARG(line));
	supervisor_send(self, message, (size_t)len);
}

/* The record of a container has changed. */
static void keep_record(struct supervisor *self, size_t index)
{
	records_put(self->folder, index, &self->containers[index].record);
	supervisor_report(self, index); /* also if the disk is full and nothing was written */
}

/* --- containers --- */

static size_t running(const struct supervisor *self)
{
	size_t count = 0;

	for (size_t i = 0; i < self->plan.n_containers; i++)
		count += self->containers[i].record.state == RECORD_RUNNING;
	return count;
}

static void begin_run(struct container *container, unsigned run, int64_t now)
{
	struct record *record = &container->record;

	if (record->state == RECORD_ENDED)
		record->last = record->now;
	record->run = run;
	record->pid = 0;
	record->now = (struct record_run){.started = now};
	record->message[0] = '\0';
	record->state = RECORD_RUNNING;
	container->kill_at = NEVER;
	container->stopping = false;
}

void supervisor_start(struct supervisor *self, size_t index, unsigned run)
{
	const struct plan_container *plan = &self->plan.containers[index];
	struct container *container = &self->containers[index];
	struct record *record = &container->record;
	struct pod_child child;
	struct err err;

	if (record->state == RECORD_RUNNING ||
	    (record->state == RECORD_ENDED && record->run >= run))
		return; /* the agent has asked twice */
	begin_run(container, run, supervisor_wall());
	if (run >= 2)
		output_remove(plan->name, run - 2, self->plan.log_files);
	if (plan->argc &&
	    (control_groups_make(plan, &err) < 0 ||
	     pod_child_start(&(struct pod_child_start){.plan = &self->plan,
						       .container = plan,
						       .argv = plan->argv,
						       .hosts = self->hosts.len
									? buf_text(&self->hosts)
									: NULL},
			     &child, &err) < 0)) {
		record->state = RECORD_ENDED;
		record->now.ended = record->now.started;
		record->now.exit_code = 128;
		record->now.start_failed = true;
		(void)snprintf(record->message, sizeof(record->message), "%.*s",
			       RECORD_MESSAGE_SIZE - 1, err.text);
	} else if (plan->argc) {
		record->pid = child.pid;
		container->pipe = child.output;
		container->end = child.status;
		fd_close(container->mounts);
		container->mounts = child.mounts;
		container->hosts = child.hosts;
		container->message = child.message;
		container->output = output_new(&(struct output_options){
			.name = plan->name,
			.run = run,
			.file_size = self->plan.log_size,
			.files = self->plan.log_files,
		});
	}
	keep_record(self, index);
}

/* Writes what the container has printed; true: there may be more. */
static bool read_output(struct container *container)
{
	char piece[PIECE_BYTES];

	for (int i = 0; i < PIECES_A_TURN; i++) {
		ssize_t got = read(container->pipe, piece, sizeof(piece));

		if (got > 0) {
			output_add(container->output, piece, (size_t)got, supervisor_wall());
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 || errno != EAGAIN)
			fd_close(fd_take(&container->pipe)); /* no process can print any more */
		return false;
	}
	return true;
}

/* Kills the processes that a container has left; `dead`: its first process has ended. In a PID namespace the
 * kernel has killed them before it reported that. */
static void kill_rest(struct supervisor *self, size_t index, bool dead)
{
	const struct plan_container *plan = &self->plan.containers[index];

	if (dead && self->plan.pid_namespace)
		return;
	family_kill_group((pid_t)self->containers[index].record.pid);
	for (size_t i = 0; i < plan->n_cgroups; i++)
		family_kill_cgroup(plan->cgroups[i]);
	if (running(self) == 0)
		(void)family_kill_children();
	else
		(void)family_kill_children_in(self->containers[index].mounts);
}

static void close_files(struct container *container)
{
	fd_close(fd_take(&container->pipe));
	fd_close(fd_take(&container->end));
	fd_close(fd_take(&container->hosts));
	fd_close(fd_take(&container->message));
}

/* Writes the container's termination message into the folder, for the agent; most containers have none. */
static void keep_message(const struct container *container, const char *name)
{
	AUTO(mem_free) char *path = NULL;
	AUTO(fd_close) int to = -1;
	char text[POD_MESSAGE_BYTES];
	ssize_t len =
		container->message < 0 ? -1 : pread(container->message, text, sizeof(text), 0);

	if (len < 0)
		return;
	path = mem_printf("%s" POD_MESSAGE_SUFFIX, name);
	if (len == 0) {
		if (container->record.run > 0)
			(void)unlink(path); /* of an earlier run */
		return;
	}
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	len = to < 0 ? -1 : write(to, text, (size_t)len);
	(void)len; /* it is lost if the disk is full */
}

/* The first process of a container has ended. */
static void end_run(struct supervisor *self, size_t index, int status)
{
	struct container *container = &self->containers[index];
	struct record *record = &container->record;

	record->state = RECORD_ENDED;
	record->now.ended = supervisor_wall();
	record->now.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	record->now.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	record->now.deadline = self->past_deadline;
	kill_rest(self, index, true);
	while (container->pipe >= 0 && read_output(container)) {
	}
	keep_message(container, self->plan.containers[index].name);
	close_files(container);
	output_free(TAKE(container->output), supervisor_wall());
	record->pid = 0;
	container->kill_at = NEVER;
	container->lingers = false;
	keep_record(self, index);
}

/* Has its process group members? As long as it has, no other process has its number. */
static bool has_group(const struct container *container)
{
	return container->record.pid > 1 && kill(-(pid_t)container->record.pid, 0) == 0;
}

/* If the first process is init.h, it cannot die of a signal as the program has; it has sent the program's status. */
static int program_status(const struct container *container, int status)
{
	int reported;

	return read(container->end, &reported, sizeof(reported)) == (ssize_t)sizeof(reported)
		       ? reported
		       : status;
}

/* The first process of a container has ended. If the container is stopping, processes that are left in its group,
 * such as children of a shell, have received SIGTERM, too, and may use the rest of the grace period. */
static void main_ended(struct supervisor *self, size_t index, int status)
{
	struct container *container = &self->containers[index];

	status = program_status(container, status);
	if (container->stopping && container->kill_at != NEVER && has_group(container)) {
		container->lingers = true;
		container->status = status;
	} else {
		end_run(self, index, status);
	}
}

static void check_lingering(struct supervisor *self)
{
	for (size_t i = 0; i < self->plan.n_containers; i++) {
		struct container *container = &self->containers[i];

		if (container->lingers && (container->kill_at == NEVER || !has_group(container)))
			end_run(self, i, container->status);
	}
}

void supervisor_stop(struct supervisor *self, size_t index, int64_t grace)
{
	struct container *container = &self->containers[index];
	pid_t pid = (pid_t)container->record.pid;
	int64_t kill_at = supervisor_uptime() + (grace > 0 ? grace : 0);

	if (container->record.state != RECORD_RUNNING)
		return;
	if (!pid) { /* it has no process */
		end_run(self, index, 0);
		return;
	}
	if (!container->stopping && grace > 0)
		(void)kill(-pid, SIGTERM);
	container->stopping = true;
	if (kill_at < container->kill_at)
		container->kill_at = kill_at; /* the shortest grace period counts */
}

void supervisor_stop_all(struct supervisor *self, int64_t grace)
{
	for (size_t i = 0; i < self->plan.n_containers; i++)
		supervisor_stop(self, i, grace);
}

/* Kill the leftover processes of containers that have ended while others run. A process that has left its group
 * and lost its parents is found by its mount namespace, of which each container has its own. */
static void kill_leftovers(struct supervisor *self)
{
	for (size_t i = 0; i < self->plan.n_containers; i++) {
		struct container *container = &self->containers[i];

		if (container->record.state == RECORD_ENDED && container->mounts >= 0 &&
		    family_kill_children_in(container->mounts) == 0)
			fd_close(fd_take(&container->mounts));
	}
}

/* Reaps children that have ended, and orphans of containers. */
static void reap(struct supervisor *self)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (size_t i = 0; i < self->plan.n_containers; i++)
			if (self->containers[i].record.pid == pid && !self->containers[i].lingers)
				main_ended(self, i, status);
		supervisor_exec_ended(self, pid, status);
	}
	check_lingering(self);
	/* Children of killed processes have become ours; no container runs to which they could belong. */
	if (pid == 0 && running(self) == 0 && self->execs.len == 0)
		(void)family_kill_children();
	else
		kill_leftovers(self);
}

/* --- timers --- */

static void check_folder(struct supervisor *self)
{
	struct stat status;

	if (self->agent >= 0 || supervisor_uptime() < self->next_check)
		return;
	self->next_check = supervisor_uptime() + FOLDER_CHECK;
	if (fstat(self->folder, &status) == 0 && status.st_nlink == 0)
		self->quitting = true; /* no agent will ever connect */
}

/* Stops every container once, also those that the agent has started since: its message was on the way. */
static void check_deadline(struct supervisor *self, int64_t now)
{
	if (self->deadline > now)
		return;
	self->past_deadline = true;
	for (size_t i = 0; i < self->plan.n_containers; i++)
		if (!self->containers[i].stopping)
			supervisor_stop(self, i, self->plan.grace_us);
}

static void run_timers(struct supervisor *self)
{
	int64_t now = supervisor_uptime();

	for (size_t i = 0; i < self->plan.n_containers; i++) {
		struct container *container = &self->containers[i];

		if (container->kill_at > now)
			continue;
		container->kill_at = NEVER;
		family_kill_group((pid_t)container->record.pid);
		if (!container->lingers)
			(void)kill((pid_t)container->record.pid, SIGKILL);
	}
	check_lingering(self);
	check_deadline(self, now);
	supervisor_exec_check(self, now);
	supervisor_check_connections(self, now);
	check_folder(self);
}

static int poll_timeout(const struct supervisor *self)
{
	int64_t next = self->past_deadline ? NEVER : self->deadline;
	int64_t left;

	for (size_t i = 0; i < self->plan.n_containers; i++)
		if (self->containers[i].kill_at < next)
			next = self->containers[i].kill_at;
	for (size_t i = 0; i < self->execs.len; i++)
		if (self->execs.ptr[i].due < next)
			next = self->execs.ptr[i].due;
	if (self->agent < 0 && self->next_check < next)
		next = self->next_check;
	next = supervisor_connections_due(self, next);
	if (next == NEVER)
		return -1;
	left = (next - supervisor_uptime() + 999) / 1000;
	return left < 0 ? 0 : left > POLL_MAX_MS ? POLL_MAX_MS : (int)left;
}

/* --- the loop --- */

static void on_signals(struct supervisor *self)
{
	struct signalfd_siginfo info;

	while (read(self->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo != SIGCHLD) {
			supervisor_stop_all(self, self->plan.grace_us);
			self->quit_when_ended = true;
		}
	}
	reap(self);
}

struct watched {
	VEC(struct pollfd) fds;
	VEC(struct container *) containers; /* of the same index in fds; NULL: another descriptor */
};

static void watch(struct watched *watched, int fd, struct container *container)
{
	if (fd < 0)
		return;
	vec_push(&watched->fds, (struct pollfd){.fd = fd, .events = POLLIN});
	vec_push(&watched->containers, container);
}

static bool is_ready(const struct watched *watched, int fd)
{
	for (size_t i = 0; i < watched->fds.len; i++)
		if (watched->fds.ptr[i].fd == fd)
			return watched->fds.ptr[i].revents != 0;
	return false;
}

/* One turn of the loop: reads the descriptors that are ready. */
static void turn(struct supervisor *self, struct watched *watched)
{
	vec_clear(&watched->fds);
	vec_clear(&watched->containers);
	watch(watched, self->signals, NULL);
	watch(watched, self->listener, NULL);
	watch(watched, self->agent, NULL);
	for (size_t i = 0; i < SUPERVISOR_CANDIDATES; i++)
		watch(watched, self->candidates[i].fd, NULL);
	for (size_t i = 0; i < self->plan.n_containers; i++)
		watch(watched, self->containers[i].pipe, &self->containers[i]);
	for (size_t i = 0; i < self->execs.len; i++)
		watch(watched, self->execs.ptr[i].pipe, NULL);
	if (poll(watched->fds.ptr, watched->fds.len, poll_timeout(self)) < 0 && errno != EINTR)
		return;
	for (size_t i = 0; i < watched->fds.len; i++)
		if (watched->containers.ptr[i] && watched->fds.ptr[i].revents &&
		    watched->containers.ptr[i]->pipe == watched->fds.ptr[i].fd)
			(void)read_output(watched->containers.ptr[i]);
	supervisor_exec_read(self);
	if (is_ready(watched, self->signals))
		on_signals(self);
	if (is_ready(watched, self->agent))
		supervisor_read_agent(self);
	if (self->agent < 0 && self->listener >= 0)
		supervisor_accept(self);
	run_timers(self);
}

/* Ends all processes of the pod. */
static void end_all(struct supervisor *self)
{
	int64_t until = supervisor_uptime() + LAST_TRIES;

	for (size_t i = 0; i < self->plan.n_containers; i++) {
		if (self->containers[i].record.state != RECORD_RUNNING)
			continue;
		self->containers[i].kill_at = NEVER;
		if (self->containers[i].lingers)
			end_run(self, i, self->containers[i].status);
		else if (self->containers[i].record.pid)
			kill_rest(self, i, false);
		else
			end_run(self, i, 0);
	}
	for (;;) {
		struct pollfd one = {.fd = self->signals, .events = POLLIN};

		if (!family_kill_children() && running(self) == 0)
			break;
		(void)poll(&one, 1, 100);
		on_signals(self);
		if (supervisor_uptime() > until)
			break; /* a process that does not die of SIGKILL waits in the kernel */
	}
}

/* --- life --- */

static int open_signals(struct supervisor *self, struct err *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	(void)pthread_sigmask(SIG_SETMASK, &set, NULL);
	signals_ignore(SIGPIPE);
	signals_ignore(SIGXFSZ);
	(void)signal(SIGCHLD, SIG_DFL);
	self->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return self->signals < 0 ? err_errno(err, errno, "signals") : 0;
}

/* Reads a file in memory from its start: its writer has left the offset at its end. */
static int read_memory(int fd, struct buf *to, struct err *err)
{
	char piece[PIECE_BYTES];
	ssize_t got;

	for (off_t at = 0; (got = pread(fd, piece, sizeof(piece), at)) > 0; at += got)
		if (buf_add(to, piece, (size_t)got, err) < 0)
			return -1;
	return got < 0 ? err_errno(err, errno, "reading") : 0;
}

/* Takes the lock of the folder. A previous supervisor is ending, or was killed; never two hold it. */
static int hold(struct supervisor *self, struct err *err)
{
	int64_t until = supervisor_uptime() + HOLD_PATIENCE;

	while (pod_folder_lock(self->folder, &self->lock) < 0) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || supervisor_uptime() > until)
			return err_errno(err, errno, "the pod has another supervisor");
		(void)poll(NULL, 0, HOLD_PAUSE_MS);
	}
	return 0;
}

static int read_plan(struct supervisor *self, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_PLAN_BYTES);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct pod_plan plan;

	if (read_memory(self->plan_file, &text, err) < 0 ||
	    pod_plan_decode(buf_str(&text), arena, &plan, err) < 0)
		return err_wrap(err, "plan");
	fd_close(fd_take(&self->plan_file));
	self->arena = TAKE(arena);
	self->plan = plan;
	return 0;
}

/* Continues with the records of an earlier supervisor of this pod. */
static void read_records(struct supervisor *self)
{
	for (size_t i = 0; i < self->plan.n_containers; i++) {
		struct container *container = &self->containers[i];

		container->pipe = container->end = container->hosts = container->message = -1;
		container->mounts = -1;
		container->kill_at = NEVER;
		if (records_get(self->folder, i, &container->record) &&
		    container->record.state == RECORD_RUNNING) { /* it died with its supervisor */
			container->record.state = RECORD_ENDED;
			container->record.pid = 0;
			container->record.now.ended = supervisor_wall();
			container->record.now.exit_code = 128 + SIGKILL;
			container->record.now.signal = SIGKILL;
			keep_record(self, i);
		}
	}
}

static int open_all(struct supervisor *self, const char *folder, struct err *err)
{
	if (chdir(folder) < 0)
		return err_errno(err, errno, "%s", folder);
	self->folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (self->folder < 0)
		return err_errno(err, errno, "%s", folder);
	if (read_plan(self, err) < 0 || open_signals(self, err) < 0 || hold(self, err) < 0)
		return -1;
	self->containers = mem_calloc(self->plan.n_containers + 1, sizeof(*self->containers));
	read_records(self);
	return 0;
}

static void close_all(struct supervisor *self)
{
	for (size_t i = 0; self->containers && i < self->plan.n_containers; i++) {
		close_files(&self->containers[i]);
		fd_close(self->containers[i].mounts);
		output_free(self->containers[i].output, supervisor_wall());
	}
	mem_free(self->containers);
	mem_free(self->message);
	buf_done(&self->hosts);
	buf_done(&self->hosts_coming);
	vec_done(&self->execs);
	supervisor_stop_listening(self);
	fd_close(self->plan_file);
	fd_close(self->signals);
	fd_close(self->lock);
	fd_close(self->folder);
	fd_close(self->agent); /* last: an agent that sees it close may start the next supervisor */
	arena_free(self->arena);
}

int supervisor_run(const struct supervisor_options *options, struct err *err)
{
	struct supervisor self = {.hosts = BUF_INIT(POD_SOCKET_HOSTS_BYTES),
				  .hosts_coming = BUF_INIT(POD_SOCKET_HOSTS_BYTES),
				  .agent = options->agent,
				  .plan_file = options->plan,
				  .control = options->control,
				  .name = pod_socket_name(options->folder),
				  .secret = options->secret,
				  .listener = -1,
				  .candidates = {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}},
				  .signals = -1,
				  .folder = -1,
				  .lock = -1,
				  .deadline = NEVER};
	struct watched watched = {0};
	int rc = -1;

	(void)setsid();
	family_adopt();
	if (open_all(&self, options->folder, err) == 0) {
		(void)prctl(PR_SET_NAME, self.plan.name);
		self.next_check = supervisor_uptime() + FOLDER_CHECK;
		if (self.plan.deadline_us > 0)
			self.deadline = supervisor_uptime() + self.plan.deadline_us;
		supervisor_send_all(&self);
		while (!self.quitting && !(self.quit_when_ended && running(&self) == 0))
			turn(&self, &watched);
		end_all(&self);
		if (control_groups_remove(&self.plan))
			supervisor_send(&self, "clean", strlen("clean"));
		rc = 0;
	}
	vec_done(&watched.fds);
	vec_done(&watched.containers);
	close_all(&self);
	return rc;
}
