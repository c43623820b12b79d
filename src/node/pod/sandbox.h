/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/sandbox.h - what is known when the sandbox of a pod is made: the pod, its node, and the objects that
 * the pod refers to. The agent fills it from its informers, a test from a table. */
#ifndef NODE_SANDBOX_H
#define NODE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/pod/pod.h"

/* Kinds that a pod refers to by name. */
enum sandbox_kind {
	SANDBOX_CONFIG_MAP,
	SANDBOX_SECRET,
	SANDBOX_CLAIM,
	SANDBOX_VOLUME, /* persistent; has no namespace */
	SANDBOX_KIND_COUNT
};

/* JSON_NONE: there is none. The result lives until the sandbox was made. */
typedef struct json sandbox_find_fn(void *arg, enum sandbox_kind kind, struct str namespace,
				    struct str name);
/* Gives a token of the pod's account; fails if there is none (yet): `err` says why. */
typedef int sandbox_token_fn(void *arg, const struct token_projection *token, struct str *ret,
			     struct err *err);

struct sandbox {
	const struct pod *pod;
	sandbox_find_fn *find;
	sandbox_token_fn *token; /* NULL: the server gives none */
	void *arg;

	struct str node_name;
	struct str host_ip;
	struct str pod_ip;
	struct str hostname;     /* of the pod */
	struct json allocatable; /* of the node */
	/* Services of the pod's namespace, and `kubernetes` of the namespace `default`. */
	const struct json *services;
	size_t n_services;
	/* The address at which pods reach the API server; none: that of the service `kubernetes`. */
	struct str api_host;
	struct str api_port;
	const char *path; /* PATH of programs; NULL: the default */
	/* The user of containers that name none: it owns the files of API objects that they mount. 0: the node's
	 * user. */
	int64_t default_user;
};

static inline struct json sandbox_find(const struct sandbox *sandbox, enum sandbox_kind kind,
				       struct str name)
{
	struct str namespace = sandbox->pod->meta.namespace;

	return sandbox->find ? sandbox->find(sandbox->arg, kind,
					     kind == SANDBOX_VOLUME ? str_none() : namespace, name)
			     : JSON_NONE;
}

/* Calls `fn` for each object that a pod's containers and volumes name, to fetch them and to find pods that a
 * change concerns. An object may come more than once. */
typedef void sandbox_reference_fn(void *arg, enum sandbox_kind kind, struct str name,
				  bool optional);
void sandbox_references(const struct pod *pod, sandbox_reference_fn *fn, void *arg);

#endif
