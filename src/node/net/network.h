/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/network.h - an address of its own for every pod, the same for as long as the pod lives.
 *
 * On a node of root every pod has a network namespace with a cable to a bridge of the node; pods reach one another, the
 * machine, and what the machine reaches. Otherwise a pod has an address 127.x.y.z of the machine's loopback, which no
 * other pod of this machine has: its servers should listen on that (status.podIP) and not on all addresses. Two data
 * directories on one machine do not share addresses: bridge and subnet depend on the node's folder, and are recorded in it.
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
	bool bridge;        /* try network namespaces: this process is root */
};

/* Addresses of pods in the folder are known from the start. Works without a bridge if none can be made:
 * network_lacks() says why. */
struct network *network_open(const struct network_options *options, struct err *err) MUST_CHECK;
/* Bridge and namespaces stay: pods continue to run. Takes NULL. */
void network_close(struct network *network);
DEFINE_AUTO(struct network *, network_close);

bool network_has_bridge(const struct network *network);
/* A sentence for the node's conditions; NULL: nothing is lacking. */
const char *network_lacks(const struct network *network);
/* The address of the machine for pods: the bridge's, or 127.0.0.1. */
const char *network_host_address(const struct network *network);

struct network_pod {
	char address[NETWORK_ADDRESS_SIZE];
	char *netns; /* path of its namespace, for mem_free(); NULL: the machine's */
};
void network_pod_done(struct network_pod *pod);
DEFINE_AUTO_IN_PLACE(struct network_pod, network_pod_done);

/* Choose a pod's address and make its namespace, or find those that it has. Its folder must exist. `host`:
 * hostNetwork, it has the machine's. ERR_UNAVAILABLE when all addresses are in use. */
int network_pod_make(struct network *network, const char *uid, bool host, struct network_pod *ret,
		     struct err *err) MUST_CHECK;
/* Releases a pod's address when its last process has ended. May be called again. */
int network_pod_remove(struct network *network, const char *uid, struct err *err) MUST_CHECK;

/* Remove the bridge, when no pod is left. */
int network_remove(struct network *network, struct err *err) MUST_CHECK;

#endif
