/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/netlink.h - asking the kernel about networks: messages with attributes, each answered.
 *
 *	netlink_begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof(header));
 *	netlink_put_str(&m, IFLA_IFNAME, "br0");
 *	at = netlink_nest(&m, IFLA_LINKINFO);
 *	netlink_put_str(&m, IFLA_INFO_KIND, "bridge");
 *	netlink_nest_end(&m, at);
 *	number = netlink_ask(fd, &m);			0, or an errno value */
#ifndef NODE_NETLINK_H
#define NODE_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

enum { NETLINK_BYTES = 4096 };

struct netlink {
	_Alignas(8) char bytes[NETLINK_BYTES];
	size_t len;   /* of all messages */
	size_t start; /* of the last one */
	bool acked;   /* one of them asks for an answer (NLM_F_ACK) */
};

/* A socket for NETLINK_ROUTE or another family, in the network namespace of the caller; -1 with
 * errno. */
int netlink_open(int family);

/* A new message behind those that are there. The struct must begin zeroed. Going over the room
 * aborts: messages are ours, and small. */
void netlink_begin(struct netlink *message, uint16_t type, uint16_t flags, const void *header,
		   size_t len);
void netlink_put(struct netlink *message, uint16_t type, const void *data, size_t len);
void netlink_put_str(struct netlink *message, uint16_t type, const char *text);
void netlink_put_u32(struct netlink *message, uint16_t type, uint32_t value);
/* Attributes within one; gives what netlink_nest_end() wants. */
size_t netlink_nest(struct netlink *message, uint16_t type);
/* The header of what is nested comes first in some: bytes without an attribute of their own. */
void netlink_put_raw(struct netlink *message, const void *data, size_t len);
void netlink_nest_end(struct netlink *message, size_t at);

/* Send, wait for the answer (to the last message, or to the one that asks for it), and empty it. 0, or
 * an errno value. */
int netlink_ask(int fd, struct netlink *message) MUST_CHECK;

/* Ask for a list: each message that comes is shown. 0, or an errno value. */
typedef void netlink_fn(void *arg, uint16_t type, const void *data, size_t len);
int netlink_list(int fd, struct netlink *message, netlink_fn *fn, void *arg) MUST_CHECK;

#endif
