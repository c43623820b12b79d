/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/down.c - `volcano down`: ask the one that runs to stop, and wait until it has.
 *
 * The process is held by a descriptor (pidfd) before it is looked at whether it still has the
 * folder, so that the signal cannot hit another one that got its number. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "programs/volcano/commands.h"
#include "programs/volcano/home.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

enum { PATIENCE_MS = 60 * 1000 };

static int say_not_running(const struct settings *settings)
{
	printf("volcano is not running in %s\n", settings->folder);
	return 0;
}

int down_run(struct settings *settings, struct err *err)
{
	pid_t pid = home_holder(settings->folder);
	AUTO(fd_close) int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	int rc;

	if (fd < 0 || home_holder(settings->folder) != pid)
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
	return 0;
}
