/* SPDX-License-Identifier: Apache-2.0 */
/* node/registry/registry.h - the Node objects of this instance: a watch on those that are declared, and
 * the removal of those that an earlier start declared and this one does not.
 *
 * A node belongs to the instance whose id its label NODE_INSTANCE_LABEL has; nodes without it are not touched.
 * A node that is no longer declared
 *
 *	takes no new pods: it is marked as unschedulable,
 *	loses its pods: they get the condition DisruptionTarget, which says why, and are deleted,
 *	is deleted with its lease when no unfinished pod is left.
 *
 * All state is in the API, so that a restart continues. A node that is
 * declared again meanwhile is unmarked and stays. */
#ifndef NODE_REGISTRY_H
#define NODE_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct client;
struct log;
struct loop;
struct registry;

#define NODE_INSTANCE_LABEL "volcano.sh/instance"

struct registry_options {
	const char *instance; /* copied */
	bool (*is_declared)(void *arg, struct str name);
	/* A declared node has a new version; NULL: it was deleted. */
	void (*changed)(void *arg, struct str name, struct json_doc *doc);
	/* Do processes of this pod run here? Then they are given their grace period, and the agent confirms. */
	bool (*has_processes)(void *arg, struct str uid);
	void *arg;
	struct log *log; /* may be NULL */
};

/* Starts at once. The options are copied. */
struct registry *registry_new(struct client *client, const struct registry_options *options)
	__attribute__((returns_nonnull));
/* Takes NULL. */
void registry_free(struct registry *registry);
DEFINE_AUTO(struct registry *, registry_free);

/* Are the undeclared nodes that existed at the start marked, so that they take no new pods? */
bool registry_is_settled(const struct registry *registry);
/* How many of them are left. */
size_t registry_undeclared(const struct registry *registry);

/* The id of the instance that has this data directory, made at the first call; for mem_free(). */
char *registry_instance(struct loop *loop, const char *folder, struct err *err) MUST_CHECK;

#endif
