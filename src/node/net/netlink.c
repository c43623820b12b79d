/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/netlink.c - messages to the kernel and its answers.
 *
 * The kernel answers a request before sendmsg() returns, so that waiting takes no time; a receive timeout is set
 * in case a kernel does not. */
#include "node/net/netlink.h"

#include <assert.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"

#include "base/banned.h"

enum { REPLY_BYTES = 64 * 1024, WAIT_SECONDS = 5 };

int netlink_open(int family)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	struct timeval wait = {.tv_sec = WAIT_SECONDS};
	AUTO(fd_close) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return fd_take(&fd);
}

/* Adds bytes at the end, zeroed up to the next boundary. */
static void *extend(struct netlink *message, size_t len)
{
	size_t room = NLMSG_ALIGN(len);
	char *at = message->bytes + message->len;
	struct nlmsghdr *header;

	assert(message->len + room <= NETLINK_BYTES);
	memset(at, 0, room);
	message->len += room;
	header = (struct nlmsghdr *)(void *)(message->bytes + message->start);
	header->nlmsg_len = (uint32_t)(message->len - message->start);
	return at;
}

void netlink_begin(struct netlink *message, uint16_t type, uint16_t flags, const void *header,
		   size_t len)
{
	struct nlmsghdr *first;

	message->start = message->len;
	first = extend(message, sizeof(*first));
	first->nlmsg_type = type;
	first->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	first->nlmsg_seq = 1;
	message->acked = message->acked || (flags & NLM_F_ACK);
	memcpy(extend(message, len), header, len);
}

void netlink_put(struct netlink *message, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attribute = extend(message, sizeof(*attribute) + len);

	attribute->nla_type = type;
	attribute->nla_len = (uint16_t)(sizeof(*attribute) + len);
	if (len)
		memcpy(attribute + 1, data, len);
}

void netlink_put_str(struct netlink *message, uint16_t type, const char *text)
{
	netlink_put(message, type, text, strlen(text) + 1);
}

void netlink_put_u32(struct netlink *message, uint16_t type, uint32_t value)
{
	netlink_put(message, type, &value, sizeof(value));
}

size_t netlink_nest(struct netlink *message, uint16_t type)
{
	size_t at = message->len;

	netlink_put(message, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void netlink_put_raw(struct netlink *message, const void *data, size_t len)
{
	memcpy(extend(message, len), data, len);
}

void netlink_nest_end(struct netlink *message, size_t at)
{
	struct nlattr *attribute = (struct nlattr *)(void *)(message->bytes + at);

	attribute->nla_len = (uint16_t)(message->len - at);
}

/* Reads one datagram. True: it was the last; *number has the result. */
static bool look_through(const char *bytes, size_t len, netlink_fn *fn, void *arg, int *number)
{
	while (len >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *header = (const struct nlmsghdr *)(const void *)bytes;
		const struct nlmsgerr *error = (const void *)(bytes + NLMSG_HDRLEN);
		size_t step = NLMSG_ALIGN(header->nlmsg_len);

		if (header->nlmsg_len < NLMSG_HDRLEN || header->nlmsg_len > len)
			return false;
		if (header->nlmsg_type == NLMSG_DONE)
			return *number = 0, true;
		if (header->nlmsg_type == NLMSG_ERROR)
			return *number = -error->error, true;
		if (fn)
			fn(arg, header->nlmsg_type, error, header->nlmsg_len - NLMSG_LENGTH(0));
		if (step >= len)
			return false;
		bytes += step;
		len -= step;
	}
	return false;
}

static int talk(int fd, struct netlink *message, netlink_fn *fn, void *arg)
{
	_Alignas(8) char reply[REPLY_BYTES];
	ssize_t len = send(fd, message->bytes, message->len, 0);
	int number = 0;

	message->len = message->start = 0;
	message->acked = false;
	if (len < 0)
		return errno;
	for (;;) {
		len = recv(fd, reply, sizeof(reply), 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == EAGAIN ? ETIMEDOUT : errno;
		if (look_through(reply, (size_t)len, fn, arg, &number))
			return number;
	}
}

int netlink_ask(int fd, struct netlink *message)
{
	struct nlmsghdr *header = (struct nlmsghdr *)(void *)(message->bytes + message->start);

	if (!message->acked)
		header->nlmsg_flags |= NLM_F_ACK;
	return talk(fd, message, NULL, NULL);
}

int netlink_list(int fd, struct netlink *message, netlink_fn *fn, void *arg)
{
	struct nlmsghdr *header = (struct nlmsghdr *)(void *)(message->bytes + message->start);

	header->nlmsg_flags |= NLM_F_DUMP;
	return talk(fd, message, fn, arg);
}
