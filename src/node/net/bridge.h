/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/bridge.h - a bridge of the node's own, and cables from it into network namespaces, by
 * rtnetlink: no program is needed. */
#ifndef NODE_BRIDGE_H
#define NODE_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"

/* Addresses are in the order of this machine: 10.0.0.1 is 0x0a000001. */
struct bridge {
	const char *name;  /* at most 15 bytes */
	const char *owner; /* the folder of its node, which is its alias; NULL: none */
	uint32_t subnet;   /* its first address; the bridge has the next one */
	unsigned prefix;   /* bits of the subnet */
	int socket;        /* NETLINK_ROUTE, in the machine's namespace */
};

/* Make it, with its address, and bring it up. What is there already stays. */
int bridge_make(const struct bridge *bridge, struct err *err) MUST_CHECK;
int bridge_remove(const struct bridge *bridge, struct err *err) MUST_CHECK;
/* Those that are named so, whose owner's folder has gone and that have no cable, go with their tables. How many
 * did. */
size_t bridge_remove_orphans(int socket, const char *prefix);

/* Let what is behind the bridge reach other networks under the machine's own address: forwarding is
 * switched on, and a table of its own, named as the bridge, translates. */
int bridge_share(const struct bridge *bridge, struct err *err) MUST_CHECK;
/* The end of the table. Forwarding stays: others may have come to rely on it. */
int bridge_unshare(const struct bridge *bridge, struct err *err) MUST_CHECK;

/* A cable: `name` on the bridge (one that is there is replaced), eth0 with `address` in the namespace
 * `fd`, whose socket is `inside`. */
struct bridge_cable {
	const char *name;
	uint32_t address;
	int fd;
	int inside;
};
int bridge_connect(const struct bridge *bridge, const struct bridge_cable *cable,
		   struct err *err) MUST_CHECK;
int bridge_disconnect(const struct bridge *bridge, const char *name, struct err *err) MUST_CHECK;

/* Does some interface or route of the machine, the bridge aside, overlap with the subnet? */
bool bridge_overlaps(const struct bridge *bridge);

#endif
