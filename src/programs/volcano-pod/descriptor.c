/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/descriptor.c - see descriptor.h. One packet per descriptor: a byte that says what it is,
 * and the descriptor as ancillary data.
 *
 * The kernel limits the descriptors that an ordinary user has in transit, over all of the user's processes
 * together: a sender retries until others have been received. */
#include "programs/volcano-pod/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/banned.h"

enum { SEND_TRIES = 1000, SEND_PAUSE_MS = 10 };

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int descriptor_send(int socket, char kind, int fd, struct err *err)
{
	union control control = {0};
	struct iovec part = {.iov_base = &kind, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(int));
	for (int i = 0; sendmsg(socket, &message, MSG_NOSIGNAL) < 0; i++) {
		if (errno != ETOOMANYREFS || i == SEND_TRIES)
			return err_errno(err, errno, "sending a descriptor to the supervisor");
		(void)poll(NULL, 0, SEND_PAUSE_MS);
	}
	return 0;
}

int descriptor_receive(int socket, char *ret_kind)
{
	union control control;
	struct iovec part = {.iov_base = ret_kind, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(head), sizeof(int));
	return fd;
}
