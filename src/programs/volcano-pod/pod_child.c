/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/pod_child.c - starts a process with the namespaces, mounts, limits and user that its
 * container's plan describes.
 *
 * The child takes one step after the other. A step that fails writes why into a pipe; the pipe closes by itself
 * when the program starts. The order matters: what needs privileges comes before they are dropped, and the death
 * signal after that, since a change of user clears it.
 *
 * With a PID namespace the child is its first process and starts the container's program as a child of its own
 * (init.h). Its /proc is mounted first, so that no volume can bring in the machine's.
 *
 * The program joins the last of its control groups, that of CPU shares, itself and right before it starts: a
 * process with a very small share that holds a kernel lock, as mounting and joining do, would delay all others.
 *
 * Always true: the program inherits no descriptor but 0, 1 and 2, no blocked or ignored signal, and no variable
 * that its plan does not name. */
#include "programs/volcano-pod/pod_child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "pod/pod_plan.h"
#include "programs/volcano-pod/descriptor.h"
#include "programs/volcano-pod/init.h"
#include "programs/volcano-pod/mounts.h"
#include "programs/volcano-pod/seal.h"
#include "programs/volcano-pod/signals.h"

#include "base/banned.h"

enum {
	EXIT_NOT_STARTED = 127,
	UMASK = 022,
	CAPABILITIES = 64,
	KIND_NAMESPACE =
		'n', /* of a descriptor: the mount namespace; files have the first letter of their kind */
};

/* --- steps of the child --- */

/* Joins all but the last, which is only opened: it is joined later, perhaps as another user. */
static int join_cgroups(const struct plan_container *container, int *ret_last, struct err *err)
{
	for (size_t i = 0; i < container->n_cgroups; i++) {
		AUTO(fd_close) int fd = open(container->cgroups[i], O_WRONLY | O_CLOEXEC);
		bool last = i + 1 == container->n_cgroups;

		if (fd < 0 || (!last && write(fd, "0", 1) < 0))
			return err_errno(err, errno, "joining %s", container->cgroups[i]);
		if (last)
			*ret_last = fd_take(&fd);
	}
	return 0;
}

static int join_last(const struct plan_container *container, int last, struct err *err)
{
	if (last >= 0 && write(last, "0", 1) < 0)
		return err_errno(err, errno, "joining %s",
				 container->cgroups[container->n_cgroups - 1]);
	return 0;
}

static int join_namespace(const char *path, int type, struct err *err)
{
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, type) < 0)
		return err_errno(err, errno, "joining %s", path);
	return 0;
}

static int write_text(const char *path, const char *text, struct err *err)
{
	AUTO(fd_close) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Maps the same user and group into a new user namespace, and no other. */
static int map_user(uid_t uid, gid_t gid, struct err *err)
{
	char text[64];

	if (write_text("/proc/self/setgroups", "deny", err) < 0)
		return -1;
	(void)snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	if (write_text("/proc/self/uid_map", text, err) < 0)
		return -1;
	(void)snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	return write_text("/proc/self/gid_map", text, err);
}

/* Does the supervisor find leftover processes of this container by its mount namespace (family.h)? In a PID
 * namespace the kernel kills them. */
static bool sends_namespace(const struct pod_child_start *start)
{
	return start->plan->mount_namespace && !start->plan->pid_namespace && !start->join_pid;
}

static int send_namespace(int to, struct err *err)
{
	AUTO(fd_close) int fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, errno, "/proc/self/ns/mnt");
	return descriptor_send(to, KIND_NAMESPACE, fd, err);
}

/* Makes the namespaces of a container, and its mounts. */
static int make_namespaces(const struct pod_child_start *start, int status, struct err *err)
{
	const struct pod_plan *plan = start->plan;
	int flags = (plan->user_namespace ? CLONE_NEWUSER : 0) |
		    (plan->mount_namespace ? CLONE_NEWNS : 0) |
		    (plan->uts_namespace ? CLONE_NEWUTS : 0);
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (plan->netns && join_namespace(plan->netns, CLONE_NEWNET, err) < 0)
		return -1;
	if (flags && unshare(flags) < 0)
		return err_errno(err, errno, "namespaces of its own");
	if (plan->user_namespace && map_user(uid, gid, err) < 0)
		return -1;
	if (plan->uts_namespace && plan->hostname &&
	    sethostname(plan->hostname, strlen(plan->hostname)) < 0)
		return err_errno(err, errno, "host name %s", plan->hostname);
	if (!plan->mount_namespace)
		return start->container->n_mounts
			       ? err_set(err, ERR_NOT_IMPLEMENTED, "mounts need a mount namespace")
			       : 0;
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return err_errno(err, errno, "a mount namespace of its own");
	if (sends_namespace(start) && send_namespace(status, err) < 0)
		return -1;
	if (plan->pid_namespace &&
	    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return err_errno(err, errno, "a /proc of its own");
	if (seal_make(start->container, err) < 0)
		return -1;
	return mounts_make(start, status, err);
}

/* Opens the root folder of a process. A process that joins a mount namespace is at the root of that namespace,
 * which is a different folder if the node runs in a chroot. */
static int open_root(pid_t of)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%ld/root", (long)of);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Joins the namespaces of a process of the container. */
static int join_process(const struct pod_child_start *start, struct err *err)
{
	const struct pod_plan *plan = start->plan;
	const struct {
		const char *name;
		int type;
		bool wanted;
	} rows[] = {
		{"user", CLONE_NEWUSER,
		 plan->user_namespace}, /* first: it gives the right to join the others */
		{"net", CLONE_NEWNET, plan->netns != NULL},
		{"uts", CLONE_NEWUTS, plan->uts_namespace},
		{"mnt", CLONE_NEWNS, plan->mount_namespace},
	};
	AUTO(fd_close) int root = open_root(start->join_pid);
	int fds[ARRAY_LEN(rows)] = {-1, -1, -1, -1};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && rc == 0; i++) {
		char path[64];

		if (!rows[i].wanted)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%ld/ns/%s", (long)start->join_pid,
			       rows[i].name);
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			rc = err_errno(err, errno, "%s", path);
	}
	for (size_t i = 0; i < ARRAY_LEN(rows) && rc == 0; i++)
		if (rows[i].wanted && setns(fds[i], rows[i].type) < 0)
			rc = err_errno(err, errno, "joining the container's %s namespace",
				       rows[i].name);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		fd_close(fds[i]);
	if (rc == 0 && plan->mount_namespace && (fchdir(root) < 0 || chroot(".") < 0))
		rc = err_errno(err, errno, "the container's root");
	return rc;
}

static int set_limit(int resource, int64_t value, const char *what, struct err *err)
{
	struct rlimit limit;

	if (value < 0)
		return 0;
	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
		return err_errno(err, errno, "%s", what);
	limit.rlim_cur = (rlim_t)value;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max && geteuid() != 0)
		limit.rlim_cur = limit.rlim_max;
	limit.rlim_max = limit.rlim_cur;
	return setrlimit((__rlimit_resource_t)resource, &limit) < 0
		       ? err_errno(err, errno, "%s", what)
		       : 0;
}

/* Best effort: an ordinary user may not lower the score. */
static void set_oom_score(int score)
{
	AUTO(fd_close) int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", score);
	ssize_t ignored = fd < 0 ? 0 : write(fd, text, (size_t)len);

	(void)ignored;
}

static int set_limits(const struct plan_identity *identity, struct err *err)
{
	if (identity->nice && setpriority(PRIO_PROCESS, 0, identity->nice) < 0)
		return err_errno(err, errno, "nice %d", identity->nice);
	if (set_limit(RLIMIT_NPROC, identity->max_processes, "limit of processes", err) < 0 ||
	    set_limit(RLIMIT_NOFILE, identity->max_files, "limit of open files", err) < 0)
		return -1;
	return set_limit(RLIMIT_CORE, identity->core_size, "limit of a core file", err);
}

static int set_user(const struct plan_identity *identity, struct err *err)
{
	gid_t gid = identity->gid >= 0 ? (gid_t)identity->gid : getegid();

	if (identity->uid < 0 && identity->gid < 0 && !identity->n_groups)
		return 0;
	if (setgroups(identity->n_groups, identity->groups) < 0 &&
	    (errno != EPERM || identity->n_groups))
		return err_errno(err, errno, "supplementary groups");
	if (setresgid(gid, gid, gid) < 0)
		return err_errno(err, errno, "group %ld", (long)gid);
	if (identity->uid >= 0 &&
	    setresuid((uid_t)identity->uid, (uid_t)identity->uid, (uid_t)identity->uid) < 0)
		return err_errno(err, errno, "user %ld", (long)identity->uid);
	return 0;
}

/* Removes from the bounding set what the container may not keep; no program that it starts can get it back. */
static int drop_capabilities(const struct plan_identity *identity, struct err *err)
{
	for (int i = 0; i < CAPABILITIES; i++) {
		if (identity->keep_capabilities & UINT64_C(1) << i)
			continue;
		if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0 || errno == EPERM)
			continue;
		if (errno == EINVAL)
			break; /* the kernel has no more of them */
		return err_errno(err, errno, "dropping capability %d", i);
	}
	return 0;
}

static int take_identity(const struct plan_identity *identity, struct err *err)
{
	if (set_limits(identity, err) < 0 || drop_capabilities(identity, err) < 0 ||
	    set_user(identity, err) < 0)
		return -1;
	if (identity->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, errno, "no new privileges");
	return 0;
}

struct ends {
	int output;
	int report;
	int status;
};

/* From now on this process dies with its parent. If the parent has died already, no one reads the report. */
static void tie_to_parent(const struct ends *ends)
{
	struct pollfd report = {.fd = ends->report};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (poll(&report, 1, 0) > 0 && (report.revents & POLLERR))
		_exit(EXIT_NOT_STARTED);
}

/* Opens an empty standard input: a pipe that is closed already. Not /dev/null: crun makes the container's user the
 * owner of its streams, which would be the machine's own /dev/null. */
static int open_empty(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	fd_close(ends[1]);
	return ends[0];
}

static int set_streams(int output, bool tty, struct err *err)
{
	AUTO(fd_close) int empty = tty ? -1 : open_empty();

	if (dup2(tty ? output : empty, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(output, STDERR_FILENO) < 0)
		return err_errno(err, errno, "standard streams");
	return 0;
}

/* Called with the container's user: if this user cannot enter the folder, other_cwd is used. */
static int go_to(const struct plan_container *container, struct err *err)
{
	if (!container->cwd || chdir(container->cwd) == 0)
		return 0;
	if (errno != EACCES || !container->other_cwd || chdir(container->other_cwd) < 0)
		return err_errno(err, errno, "working directory %s", container->cwd);
	(void)dprintf(STDERR_FILENO,
		      "volcano: working directory %s: Permission denied for user %ld; using %s\n",
		      container->cwd, (long)geteuid(), container->other_cwd);
	return 0;
}

/* Tries only the folders of PATH that have the file: access() takes a tenth of the time of execv(). */
static void start_found(const struct plan_container *container, char *const *argv)
{
	struct str rest = str_none();
	struct str folder;
	char path[PATH_MAX];

	for (size_t i = 0; i < container->n_env && !rest.len; i++)
		if (strncmp(container->env[i], "PATH=", strlen("PATH=")) == 0)
			rest = str_from(container->env[i] + strlen("PATH="));
	while (rest.len && str_split(&rest, ':', &folder) && folder.len) {
		int len = snprintf(path, sizeof(path), "%.*s/%s", STR_ARG(folder), argv[0]);

		if (len >= (int)sizeof(path))
			return;
		if (access(path, F_OK) == 0) {
			(void)execv(path, argv);
			return;
		}
	}
}

static void start_program(const struct pod_child_start *start, struct err *err)
{
	char *const *argv = (char *const *)start->argv;
	int number;

	/* execvp() takes PATH from the environment. */
	environ = (char **)start->container->env;
	if (!strchr(argv[0], '/'))
		start_found(start->container, argv);
	(void)execvp(argv[0], argv); /* for scripts without a first line, and for errno */
	number = errno;
	if (number == ENOENT && !strchr(start->argv[0], '/'))
		(void)err_set(err, ERR_NOT_FOUND,
			      "exec: \"%s\": executable file not found in $PATH", start->argv[0]);
	else
		(void)err_errno(err, number, "exec: \"%s\"", start->argv[0]);
}

/* What the program's own process has left to do. */
struct program {
	const struct pod_child_start *start;
	const struct ends *ends;
	int last_group;
	struct err err;
};

/* Returns only if the program could not be started; the report says why. */
static void become_program(void *arg)
{
	struct program *program = arg;
	const struct plan_container *container = program->start->container;
	ssize_t ignored;

	if (container->tty)
		(void)ioctl(STDIN_FILENO, TIOCSCTTY, 0);
	if (join_last(container, program->last_group, &program->err) == 0)
		start_program(program->start, &program->err);
	ignored = write(program->ends->report, program->err.text, strlen(program->err.text));
	(void)ignored;
}

/* Runs in the child. */
static void become(const struct pod_child_start *start, const struct ends *ends)
{
	const struct plan_container *container = start->container;
	bool first = start->plan->pid_namespace && !start->join_pid;
	struct program program = {.start = start, .ends = ends, .last_group = -1};
	struct err err = {0};
	ssize_t ignored;

	signals_give_back();
	set_oom_score(container->identity
			      .oom_score_adj); /* now: later a volume may be mounted at /proc */
	(void)umask(UMASK);
	(void)setsid();
	if (set_streams(ends->output, container->tty, &err) == 0 &&
	    join_cgroups(container, &program.last_group, &err) == 0 &&
	    (start->join_pid ? join_process(start, &err)
			     : make_namespaces(start, ends->status, &err)) == 0 &&
	    take_identity(&container->identity, &err) == 0 && go_to(container, &err) == 0 &&
	    fd_set_cloexec_from(STDERR_FILENO + 1, &err) == 0) {
		tie_to_parent(ends);
		if (first)
			init_run(&(struct init_program){become_program, &program, container->argc},
				 ends->status, &err);
		else
			become_program(&program);
	}
	ignored = write(ends->report, err.text, strlen(err.text));
	(void)ignored;
	_exit(EXIT_NOT_STARTED);
}

/* --- the parent --- */

/* Opens both ends of what the child prints. */
static int open_output(bool tty, int *ret_read, int *ret_write, struct err *err)
{
	int ends[2];
	char name[64];

	if (!tty) {
		if (pipe2(ends, O_CLOEXEC) < 0)
			return err_errno(err, errno, "pipe");
		(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
		*ret_read = ends[0];
		*ret_write = ends[1];
		return 0;
	}
	*ret_read = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (*ret_read < 0 || grantpt(*ret_read) < 0 || unlockpt(*ret_read) < 0 ||
	    ptsname_r(*ret_read, name, sizeof(name)) != 0)
		return err_errno(err, errno, "a terminal");
	*ret_write = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return *ret_write < 0 ? err_errno(err, errno, "%s", name) : 0;
}

/* Reads why the child could not start its program; 0: it has started. */
static size_t read_report(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t got;

	while ((got = read(fd, text + len, size - 1 - len)) > 0 || (got < 0 && errno == EINTR))
		len += got > 0 ? (size_t)got : 0;
	text[len] = '\0';
	return len;
}

/* Like fork(), but the child is in the container's PID namespace: a new one, or that of a process of the
 * container. */
static pid_t fork_into(const struct pod_child_start *start)
{
	AUTO(fd_close) int own = -1;
	AUTO(fd_close) int theirs = -1;
	char path[64];
	pid_t pid;
	int number;

	if (!start->plan->pid_namespace)
		return fork();
	own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	(void)snprintf(path, sizeof(path), "/proc/%ld/ns/pid", (long)start->join_pid);
	if (start->join_pid)
		theirs = open(path, O_RDONLY | O_CLOEXEC);
	if (own < 0 || (start->join_pid && theirs < 0))
		return -1;
	if ((start->join_pid ? setns(theirs, CLONE_NEWPID) : unshare(CLONE_NEWPID)) < 0)
		return -1;
	pid = fork();
	number = errno;
	if (pid != 0)
		(void)setns(own, CLONE_NEWPID); /* always permitted: it is this process's own */
	errno = number;
	return pid;
}

/* Takes the descriptors that a child sends before its program starts. */
static void take_descriptors(const struct pod_child_start *start, struct pod_child *child)
{
	size_t expected = sends_namespace(start);
	char kind = '\0';

	for (size_t i = 0; !start->join_pid && i < start->container->n_mounts; i++)
		expected += plan_mount_is_file(&start->container->mounts[i]);
	for (size_t i = 0; i < expected; i++) {
		int fd = descriptor_receive(child->status, &kind);

		int *to = kind == KIND_NAMESPACE  ? &child->mounts
			  : kind == PLAN_HOSTS[0] ? &child->hosts
						  : &child->message;

		if (fd < 0)
			return;
		fd_close(*to);
		*to = fd;
	}
}

int pod_child_start(const struct pod_child_start *start, struct pod_child *ret, struct err *err)
{
	AUTO(fd_close) int output = -1;
	AUTO(fd_close) int output_end = -1;
	int report[2] = {-1, -1};
	int status[2] = {-1, -1};
	char text[ERR_TEXT_SIZE];
	size_t len;
	pid_t pid;

	if (open_output(start->container->tty, &output, &output_end, err) < 0)
		return -1;
	if (pipe2(report, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, status) < 0) {
		(void)err_errno(err, errno, "pipe");
		fd_close(report[0]);
		fd_close(report[1]);
		return -1;
	}
	pid = fork_into(start);
	if (pid == 0) {
		fd_close(report[0]);
		become(start, &(struct ends){output_end, report[1], status[1]});
	}
	if (pid < 0)
		(void)err_errno(err, errno, "fork");
	fd_close(report[1]);
	fd_close(status[1]);
	len = pid < 0 ? 0 : read_report(report[0], text, sizeof(text));
	fd_close(report[0]);
	if (pid < 0 || len) {
		fd_close(status[0]);
		if (len)
			(void)waitpid(pid, NULL, 0);
		return len ? err_set(err, ERR_INTERNAL, "%s", text) : -1;
	}
	*ret = (struct pod_child){.pid = pid,
				  .output = fd_take(&output),
				  .status = status[0],
				  .hosts = -1,
				  .message = -1,
				  .mounts = -1};
	take_descriptors(start, ret);
	return 0;
}
