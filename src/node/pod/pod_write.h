/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_write.h - the two writes that a node makes of a pod: its status, and that it has gone. */
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
/* Its deletion was waiting for its processes: now it goes, if it is still the same pod. */
struct client_request *pod_write_removal(const struct pod_write *to, struct str uid);

#endif
