/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/network.h - an address of its own for every pod, the same for as long as the pod lives.
 *
 * As root every pod has a network namespace with a cable to a bridge of the node's own; pods reach
 * one another, the machine, and what the machine reaches. Otherwise a pod has an address 127.x.y.z of
 * the machine's loopback, which nobody else on this machine has: its servers should listen on
 * that (status.podIP) and not on all addresses. Two homes on one machine do not meet: bridge and
 * subnet are chosen by the node's folder, and kept in it.
 *
 *	folder/network			subnet, as text
 *	folder/pods/UID/address		of a pod
 *	folder/pods/UID/netns		its network namespace */
#ifndef NODE_NETWORK_H
#define NODE_NETWORK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"

enum { NETWORK_ADDRESS_SIZE = 16 };

struct network;

struct network_options {
	const char *folder; /* the node's own; outlives the network */
	bool bridge;        /* root, with network namespaces: try */
};

/* Addresses of pods that are in the folder are known from the start. A bridge that cannot be had is
 * done without: network_lacks() says why. */
struct network *network_open(const struct network_options *options, struct err *err) MUST_CHECK;
/* Bridge and namespaces stay: pods run on. Takes NULL. */
void network_close(struct network *network);
DEFINE_AUTO(struct network *, network_close);

bool network_has_bridge(const struct network *network);
/* A sentence for the node's conditions; NULL where nothing is lacking. */
const char *network_lacks(const struct network *network);
/* Where pods find the machine: the bridge's address, or 127.0.0.1. */
const char *network_host_address(const struct network *network);

struct network_pod {
	char address[NETWORK_ADDRESS_SIZE];
	char *netns; /* path of its namespace, for mem_free(); NULL: the machine's */
};
void network_pod_done(struct network_pod *pod);
DEFINE_AUTO_IN_PLACE(struct network_pod, network_pod_done);

/* Give a pod its address and namespace, or find those that it has. Its folder must be there.
 * `host`: hostNetwork, it has the machine's. ERR_UNAVAILABLE when all addresses are taken. */
int network_pod_make(struct network *network, const char *uid, bool host, struct network_pod *ret,
		     struct err *err) MUST_CHECK;
/* When its last process has ended. May be called again. */
int network_pod_remove(struct network *network, const char *uid, struct err *err) MUST_CHECK;

/* The end of the bridge, when no pod is left. */
int network_remove(struct network *network, struct err *err) MUST_CHECK;

#endif
