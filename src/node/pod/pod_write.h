/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_write.h - the two writes of a node to a pod: its status, and its deletion. */
#ifndef NODE_POD_WRITE_H
#define NODE_POD_WRITE_H

#include "base/str.h"
#include "client/client.h"
#include "json/doc.h"

struct pod_write {
	struct client *client;
	struct str namespace;
	struct str name;
	client_done_fn *done;
	void *arg;
};

/* A patch (strategic) of the status. */
struct client_request *pod_write_status(const struct pod_write *to, struct json_doc *patch);
/* Its deletion has waited for its processes: delete it now, if it is still the same pod. */
struct client_request *pod_write_removal(const struct pod_write *to, struct str uid);

#endif
