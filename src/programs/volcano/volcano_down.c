/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/volcano_down.c - `volcano down`: ask the one that runs to stop, and wait until it has.
 *
 * Pods run on without it, so that it can be upgraded or started again; it says so. With --pods they end
 * as well: their supervisors are asked, also if no volcano runs.
 *
 * The process is held by a descriptor (pidfd) before it is looked at whether it still has the
 * folder, so that the signal cannot hit another one that got its number. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "node/net/network.h"
#include "pod/pod_messages.h"
#include "pod/record.h"
#include "programs/volcano/home.h"
#include "programs/volcano/settings.h"
#include "programs/volcano/volcano_commands.h"

#include "base/banned.h"

enum { PATIENCE_MS = 60 * 1000, STEP_MS = 10 };

static const struct timeval patience = {.tv_sec = 60};

/* A socket to the supervisor of the pod in D/pods/NAME; -1: there is none. One whose agent has just gone listens soon. */
static int reach(const struct settings *settings, const char *folder)
{
	AUTO(mem_free) char *control = home_path(settings->folder, "control");

	for (int waited = 0; waited < PATIENCE_MS && pod_folder_is_locked(folder);
	     waited += STEP_MS) {
		AUTO(fd_close) int fd = pod_socket_connect(control, pod_socket_name(folder), NULL);

		if (fd >= 0) {
			(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
			return fd_take(&fd);
		}
		(void)poll(NULL, 0, STEP_MS);
	}
	return -1;
}

/* Until it has ended; it says other things first. */
static void end_pod(int fd)
{
	char message[RECORD_SIZE * 2];

	if (send(fd, "quit", strlen("quit"), MSG_NOSIGNAL) < 0)
		return;
	while (recv(fd, message, sizeof(message), 0) > 0) {
	}
}

/* The pods that run, or have just run. */
static size_t meet_pods(const struct settings *settings)
{
	AUTO(mem_free) char *pods = home_path(settings->folder, "pods");
	struct dirent **names = NULL;
	int count = scandir(pods, &names, NULL, alphasort);
	size_t found = 0;

	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *folder = mem_printf("%s/%s", pods, names[i]->d_name);
		bool held = names[i]->d_name[0] != '.' && pod_folder_is_locked(folder);
		AUTO(fd_close) int fd = held && settings->pods ? reach(settings, folder) : -1;

		found += held;
		if (fd >= 0)
			end_pod(fd);
		free(names[i]); /* the C library's */
	}
	free((void *)names);
	return found;
}

/* No pod is left: their network namespaces and the bridge go as well, if there have been any. */
static void end_network(const struct settings *settings)
{
	AUTO(mem_free) char *known = home_path(settings->folder, "network");
	AUTO(mem_free) char *pods = home_path(settings->folder, "pods");
	AUTO(network_close) struct network *network = NULL;
	struct dirent **names = NULL;
	struct err err = {0};
	int count;

	if (geteuid() != 0 || access(known, F_OK) < 0)
		return;
	network = network_open(
		&(struct network_options){.folder = settings->folder, .bridge = true}, &err);
	count = network ? scandir(pods, &names, NULL, NULL) : 0;
	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.' &&
		    network_pod_remove(network, names[i]->d_name, &err) < 0)
			(void)fprintf(stderr, "volcano: %s\n", err.text);
		free(names[i]); /* the C library's */
	}
	free((void *)names);
	if (!network || network_remove(network, &err) < 0)
		(void)fprintf(stderr, "volcano: %s\n", err.text);
}

static void tell_pods(const struct settings *settings)
{
	size_t count = meet_pods(settings);

	if (settings->pods || count == 0)
		end_network(settings);
	if (count && settings->pods)
		printf("%zu pod%s ended\n", count, count == 1 ? " was" : "s were");
	else if (count)
		printf("%zu pod%s on; `volcano down --pods` ends %s\n", count,
		       count == 1 ? " runs" : "s run", count == 1 ? "it" : "them");
}

static int say_not_running(const struct settings *settings)
{
	printf("volcano is not running in %s\n", settings->folder);
	tell_pods(settings);
	return 0;
}

int down_run(void *program, struct err *err)
{
	struct settings *settings = program;
	pid_t pid = home_holder(settings->folder, err);
	AUTO(fd_close) int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	int rc;

	if (pid < 0)
		return -1;
	if (fd < 0 || home_holder(settings->folder, NULL) != pid)
		return say_not_running(settings);
	if (syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) < 0)
		return err_errno(err, errno, "process %ld", (long)pid);
	do
		rc = poll(&poll_fd, 1, PATIENCE_MS);
	while (rc < 0 && errno == EINTR);
	if (rc <= 0)
		return err_set(err, ERR_TIMEOUT, "process %ld has not ended within %d seconds",
			       (long)pid, PATIENCE_MS / 1000);
	printf("volcano has stopped\n");
	tell_pods(settings);
	return 0;
}
