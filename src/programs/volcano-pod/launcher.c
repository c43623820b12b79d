/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/launcher.c - the small process that starts supervisors for an agent.
 *
 * A supervisor is a fork of the launcher, which is small: that takes a fraction of the time of starting a program,
 * and the agent, which may be large, is never copied. */
#include "programs/volcano-pod/launcher.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "pod/pod_messages.h"
#include "programs/volcano-pod/signals.h"
#include "programs/volcano-pod/supervisor.h"

#include "base/banned.h"

enum { SOCKET, PLAN, DESCRIPTORS };
enum { FOLDER, CONTROL, SECRET, WORDS, MESSAGE_BYTES = 2 * PATH_MAX + POD_SOCKET_SECRET_SIZE };

/* Receives what a supervisor is started with; 0: the agent has ended. */
static ssize_t receive(int agent, char text[MESSAGE_BYTES], int ret[DESCRIPTORS])
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
	} control;
	struct iovec part = {.iov_base = text, .iov_len = MESSAGE_BYTES - 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head;
	ssize_t len;

	do
		len = recvmsg(agent, &message, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	ret[SOCKET] = ret[PLAN] = -1;
	if (len <= 0)
		return 0;
	text[len] = '\0';
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(DESCRIPTORS * sizeof(int)))
		memcpy(ret, CMSG_DATA(head), DESCRIPTORS * sizeof(int));
	return len;
}

/* Splits a message into words, each of which ends in NUL; missing ones are empty. */
static void split(const char *text, size_t len, const char *ret[WORDS])
{
	const char *end = text + len;

	for (size_t i = 0; i < WORDS; i++) {
		ret[i] = text;
		text += strlen(text);
		if (text < end)
			text++;
	}
}

int launcher_run(int agent, struct err *err)
{
	char text[MESSAGE_BYTES];
	int fds[DESCRIPTORS];
	ssize_t len;

	signals_ignore(SIGCHLD); /* no one waits for supervisors */
	signals_ignore(SIGINT);  /* from a terminal; the launcher ends when the agent ends */
	while ((len = receive(agent, text, fds)) > 0) {
		pid_t pid = fork();

		if (pid == 0) {
			const char *words[WORDS];

			fd_close(agent);
			split(text, (size_t)len, words);
			return supervisor_run(
				&(struct supervisor_options){.folder = words[FOLDER],
							     .control = words[CONTROL],
							     .secret = words[SECRET],
							     .agent = fds[SOCKET],
							     .plan = fds[PLAN]},
				err);
		}
		fd_close(fds[PLAN]);
		fd_close(fds[SOCKET]); /* if fork() failed, the agent sees its socket close */
	}
	fd_close(agent);
	return 0;
}
