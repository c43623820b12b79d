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
	size_t start; /* start of the last one */
	bool acked;   /* one of them asks for an answer (NLM_F_ACK) */
};

/* A socket for NETLINK_ROUTE or another family, in the network namespace of the caller; -1 with
 * errno. */
int netlink_open(int family);

/* Begins a message after those in the struct, which must begin zeroed. Exceeding NETLINK_BYTES aborts: callers
 * send only small messages of bounded size. */
void netlink_begin(struct netlink *message, uint16_t type, uint16_t flags, const void *header,
		   size_t len);
void netlink_put(struct netlink *message, uint16_t type, const void *data, size_t len);
void netlink_put_str(struct netlink *message, uint16_t type, const char *text);
void netlink_put_u32(struct netlink *message, uint16_t type, uint32_t value);
/* Begins nested attributes; returns the argument of netlink_nest_end(). */
size_t netlink_nest(struct netlink *message, uint16_t type);
/* Adds bytes that are no attribute: a header that some nested attributes begin with. */
void netlink_put_raw(struct netlink *message, const void *data, size_t len);
void netlink_nest_end(struct netlink *message, size_t at);

/* Sends the messages, waits for the answer (to the last one, or to the one that asks for it), and empties the
 * struct. 0, or an errno value. */
int netlink_ask(int fd, struct netlink *message) MUST_CHECK;

/* Asks for a list: calls `fn` for each message. 0, or an errno value. */
typedef void netlink_fn(void *arg, uint16_t type, const void *data, size_t len);
int netlink_list(int fd, struct netlink *message, netlink_fn *fn, void *arg) MUST_CHECK;

#endif
