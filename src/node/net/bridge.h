/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/bridge.h - a bridge of the node, and cables from it into network namespaces, by rtnetlink: no program
 * is needed. */
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
	const char *owner; /* the folder of its node, which becomes its alias; NULL: none */
	uint32_t subnet;   /* its first address; the bridge has the next one */
	unsigned prefix;   /* bits of the subnet */
	int socket;        /* NETLINK_ROUTE, in the machine's namespace */
};

/* Make it, with its address, and bring it up. An existing one is kept. */
int bridge_make(const struct bridge *bridge, struct err *err) MUST_CHECK;
int bridge_remove(const struct bridge *bridge, struct err *err) MUST_CHECK;
/* Remove the bridges with this prefix, and their tables, whose owner's folder was deleted and that have no cable.
 * Returns how many were removed. */
size_t bridge_remove_orphans(int socket, const char *prefix);

/* Let pods on the bridge reach other networks under the machine's own address: switches forwarding on, and adds a
 * table with the name of the bridge, which translates. */
int bridge_share(const struct bridge *bridge, struct err *err) MUST_CHECK;
/* Remove the table. Forwarding stays on: others may use it. */
int bridge_unshare(const struct bridge *bridge, struct err *err) MUST_CHECK;

/* Make a cable: `name` on the bridge (an existing one is replaced), eth0 with `address` in the namespace `fd`,
 * whose socket is `inside`. */
struct bridge_cable {
	const char *name;
	uint32_t address;
	int fd;
	int inside;
};
int bridge_connect(const struct bridge *bridge, const struct bridge_cable *cable,
		   struct err *err) MUST_CHECK;
int bridge_disconnect(const struct bridge *bridge, const char *name, struct err *err) MUST_CHECK;

/* Does an interface or route of the machine, except the bridge's, overlap with the subnet? */
bool bridge_overlaps(const struct bridge *bridge);

#endif
