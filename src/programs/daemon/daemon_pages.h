/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/daemon_pages.h - what a daemon reports about itself over HTTP: /healthz, /livez, /readyz and
 * the metrics of its client.
 *
 * /healthz and /livez: the process answers. /readyz: it waits to become the leader, or leads and
 * its informers have listed everything. Missing permissions are shown (?verbose) but do not make it
 * unready by themselves: only if an informer that it needs cannot list, it is unready. */
#ifndef PROGRAMS_DAEMON_DAEMON_PAGES_H
#define PROGRAMS_DAEMON_DAEMON_PAGES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct client;
struct http_request;

struct daemon_state {
	const struct client *client;
	bool elects;    /* one replica leads, the others wait */
	bool works;     /* it leads, or there is no leader election */
	bool ready;     /* its work knows what is there */
	struct str why; /* if not: a line per reason; may be empty */
};

/* Answers. */
void daemon_pages_serve(struct http_request *request, const struct daemon_state *state);
/* In the text format of Prometheus. */
void daemon_pages_print_metrics(const struct daemon_state *state, struct buf *to);

#endif
