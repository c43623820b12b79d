/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/cluster_view.h - what rules read from the cluster: queues, namespaces, priority classes, from informers.
 *
 * Informers lag behind: a queue and its first job may come in one `kubectl apply`. So a review keeps a list of the
 * objects that it looked up; before it is refused these are read from the API server, and the rule runs again
 * (endpoint.c). */
#ifndef WEBHOOK_CLUSTER_VIEW_H
#define WEBHOOK_CLUSTER_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "admission/admission.h"
#include "base/buf.h"
#include "client/resource.h"
#include "json/doc.h"

struct client;
struct cluster_view;
struct log;

/* The kinds that are watched are those that the enabled paths need; empty: all of them. The client is lent. */
struct cluster_view *cluster_view_new(struct client *client, struct strs enabled, struct log *log)
	__attribute__((returns_nonnull));
void cluster_view_free(struct cluster_view *view);
DEFINE_AUTO(struct cluster_view *, cluster_view_free);

/* Has everything been read once? If not, says what is missing. */
bool cluster_view_is_complete(const struct cluster_view *view, struct buf *why);

/* What one review looked up by name, at most VIEW_READS objects. */
enum { VIEW_READS = 8 };
struct view_read {
	const struct resource *resource;
	struct str name;
	struct json_doc *doc; /* read from the API server; NULL: not read, or there is none */
	bool fresh;           /* was it? */
};
struct view_reads {
	struct cluster_view *view;
	struct arena *arena;
	struct view_read rows[VIEW_READS];
	size_t len;
};
void view_reads_init(struct view_reads *reads, struct cluster_view *view, struct arena *arena);
void view_reads_done(struct view_reads *reads);
/* For the rules; valid as long as `reads`, in one turn of the loop. */
struct admission_world view_reads_world(struct view_reads *reads);
/* The object as the API server has it now; NULL: it does not exist. */
void view_reads_refresh(struct view_reads *reads, size_t at, struct json_doc *doc);

#endif
