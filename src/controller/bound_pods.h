/* SPDX-License-Identifier: Apache-2.0 */
/* controller/bound_pods.h - what the eviction controller remembers: nodes, the pods of each, and which jobs
 * are unfinished. About 200 bytes per pod: documents are not kept, and equal tolerations are shared.
 *
 * A node has a row as long as it exists or pods name it, a job as long as it is known or pods name it. */
#ifndef CONTROLLER_BOUND_PODS_H
#define CONTROLLER_BOUND_PODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "lifecycle/eviction_lifecycle.h"

struct bound_pods;
struct bound_pod;

struct bound_node {
	struct eviction_node facts; /* taints: of `taints` */
	struct json_doc *taints;    /* NULL: none that matter */
	VEC(struct bound_pod *) pods;
	char *name;
};

struct bound_job {
	bool known;
	bool finished;
	size_t pods;
	char *uid;
};

struct shared_tolerations {
	struct json_doc *doc;
	size_t users;
	uint64_t hash;
};

struct bound_pod {
	struct bound_node *node; /* NULL: none */
	struct bound_job *job;   /* NULL: none */
	struct shared_tolerations *tolerations;
	size_t at;     /* in node->pods */
	int64_t since; /* since when its node threatens it; 0: it does not, as far as is known */
	int64_t created;
	size_t namespace_len;
	size_t key_len;
	bool finished;
	bool deleting;
	bool has_grace;
	bool removed; /* its removal was acknowledged */
	char uid[40];
	char key[]; /* "namespace/name" */
};

struct bound_pods *bound_pods_new(uint64_t seed) __attribute__((returns_nonnull));
void bound_pods_free(struct bound_pods *all);
DEFINE_AUTO(struct bound_pods *, bound_pods_free);

/* A new version of a pod. */
struct bound_pod *bound_pods_put(struct bound_pods *all, struct json document)
	__attribute__((returns_nonnull));
void bound_pods_remove(struct bound_pods *all, struct str namespace, struct str name);
struct bound_pod *bound_pods_get(const struct bound_pods *all, struct str key);
struct bound_pod *bound_pods_next(const struct bound_pods *all, size_t *at);
size_t bound_pods_finished(const struct bound_pods *all);

/* A new version of a node; JSON_NONE: it was deleted. True: its pods must be looked at. */
bool bound_pods_put_node(struct bound_pods *all, struct str name, struct json node);
/* NULL: no pod names it, and it does not exist. */
struct bound_node *bound_pods_node(const struct bound_pods *all, struct str name);

/* A job is there, or was deleted. */
void bound_pods_put_job(struct bound_pods *all, struct str uid, bool finished);
void bound_pods_remove_job(struct bound_pods *all, struct str uid);

/* What the policy reads; lent. */
void bound_pod_facts(const struct bound_pod *pod, struct eviction_pod *ret);

#endif
