/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/network_probe.h - one request to a container over the network: a GET, or only a connection. For
 * probes and hooks; commands are run by the supervisor. */
#ifndef NODE_CHECK_H
#define NODE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct network_probe;
struct loop;

/* `text` says what failed, with a kubelet's texts; lent. */
typedef void network_probe_fn(void *arg, bool passed, struct str text);

struct network_probe_request {
	struct json action;    /* with httpGet or tcpSocket */
	struct json container; /* to resolve names of ports */
	const char *address;   /* of the pod */
	int64_t timeout_us;
};

/* Calls `fn` once, in a later turn, unless it is freed before. */
struct network_probe *network_probe_new(struct loop *loop,
					const struct network_probe_request *request,
					network_probe_fn *fn, void *arg)
	__attribute__((returns_nonnull));
/* Not from within `fn`. Takes NULL. */
void network_probe_free(struct network_probe *check);
DEFINE_AUTO(struct network_probe *, network_probe_free);

#endif
