/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/remains.h on processes that have mount namespaces of their own. */
#include "node/pod/remains.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "folder.h"
#include "tap.h"

#define UID "0b4e9f52-7a68-4f0e-9d0c-3f6b8a1c2d10"
#define OTHER "5d1c3a70-2f4b-4c1a-8e37-9b6f0d2e4a11"

/* A mount as a container has it: a file of a pod's folder. Or as the machine has it: something that is mounted at
 * a place in that folder, as the pod's network namespace is, and that later processes inherit. */
struct mounting {
	const char *source, *target;
	const char *fstype; /* NULL: bind */
};

static int become_root(void)
{
	if (geteuid() == 0)
		return unshare(CLONE_NEWNS);
	return unshare(CLONE_NEWUSER | CLONE_NEWNS);
}

/* A process that waits to be ended, once it has mounted; 0 if that is not permitted. */
static pid_t start(const struct mounting *mounts, size_t count)
{
	int pipe_fds[2];
	pid_t pid;
	char word = 0;

	assert(pipe(pipe_fds) == 0);
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		bool fine = become_root() == 0 &&
			    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

		for (size_t i = 0; fine && i < count; i++)
			fine = mount(mounts[i].source, mounts[i].target, mounts[i].fstype,
				     mounts[i].fstype ? 0 : MS_BIND, NULL) == 0;
		(void)!write(pipe_fds[1], fine ? "y" : "n", 1);
		for (;;)
			(void)pause();
	}
	close(pipe_fds[1]);
	assert(read(pipe_fds[0], &word, 1) == 1);
	close(pipe_fds[0]);
	if (word == 'y')
		return pid;
	assert(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
	return 0;
}

static bool is_lost(void *arg, const char *uid)
{
	return strcmp(uid, arg) == 0;
}

static size_t kill_of(struct folder *in, const char *uid)
{
	return remains_kill(folder_at(in, "pods"), is_lost, (void *)uid);
}

static bool is_alive(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == 0;
}

static void finish(pid_t pid)
{
	if (!is_alive(pid))
		return;
	assert(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

int main(void)
{
	struct folder in;

	folder_open(&in);
	folder_write(&in, "pods/" UID "/hosts", "");
	folder_mkdir(&in, "pods/" UID "/netns");
	folder_write(&in, "pods/" OTHER "/hosts", "");
	folder_write(&in, "etc/hosts", "");

	const char *hosts = folder_at(&in, "etc/hosts");
	const char *netns = folder_at(&in, "pods/" UID "/netns");
	pid_t own = start(&(struct mounting){folder_at(&in, "pods/" UID "/hosts"), hosts, NULL}, 1);

	if (!own) { /* a user who may not, a chroot whose root is no mount */
		ok(kill_of(&in, UID) == 0, "without mount namespaces no process is found");
		folder_close(&in);
		return tap_done();
	}

	pid_t stranger = start(&(struct mounting){"none", netns, "tmpfs"}, 1);
	pid_t neighbour =
		start((struct mounting[]){{"none", netns, "tmpfs"},
					  {folder_at(&in, "pods/" OTHER "/hosts"), hosts, NULL}},
		      2);

	ok(stranger && neighbour, "three processes have mounts of their own");
	ok(kill_of(&in, "") == 0, "no pod is lost, and no process is killed");
	ok(kill_of(&in, UID) == 1, "of a pod that is lost one is");
	ok(waitpid(own, NULL, 0) == own, "which is its own");
	ok(is_alive(stranger), "who has inherited what is mounted in its folder is left alone");
	ok(is_alive(neighbour), "so is a process of another pod that has");
	ok(kill_of(&in, OTHER) == 1, "until that one is lost");
	finish(stranger);
	ok(waitpid(neighbour, NULL, 0) == neighbour, "it has ended, too");
	folder_close(&in);
	return tap_done();
}
