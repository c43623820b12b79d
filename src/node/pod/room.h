/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/room.h - what is known when the room for a pod is made: the pod, its node, and what the
 * pod refers to. Filled in by the agent from its informers, by a test from a table. */
#ifndef NODE_ROOM_H
#define NODE_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/pod/pod.h"

/* Kinds that a pod refers to by name. */
enum room_kind {
	ROOM_CONFIG_MAP,
	ROOM_SECRET,
	ROOM_CLAIM,
	ROOM_VOLUME, /* persistent; has no namespace */
	ROOM_KIND_COUNT
};

/* JSON_NONE where there is none. The result lives until the room has been made. */
typedef struct json room_find_fn(void *arg, enum room_kind kind, struct str namespace,
				 struct str name);
/* A token for the pod's account, or none where there is none (yet): `err` says why. */
typedef int room_token_fn(void *arg, const struct token_projection *token, struct str *ret,
			  struct err *err);

struct room {
	const struct pod *pod;
	room_find_fn *find;
	room_token_fn *token; /* NULL: the server gives none */
	void *arg;

	struct str node_name;
	struct str host_ip;
	struct str pod_ip;
	struct str hostname;     /* of the pod */
	struct json allocatable; /* of the node */
	/* Of the pod's namespace, and `kubernetes` of the namespace `default`. */
	const struct json *services;
	size_t n_services;
	/* Where pods reach the API server; none: as the service `kubernetes` says. */
	struct str api_host;
	struct str api_port;
	const char *path; /* of programs; NULL: the usual one */
	/* Whom containers run as that name no user: what they mount of the API is theirs. 0: the node's own. */
	int64_t default_user;
};

static inline struct json room_find(const struct room *room, enum room_kind kind, struct str name)
{
	struct str namespace = room->pod->meta.namespace;

	return room->find ? room->find(room->arg, kind,
				       kind == ROOM_VOLUME ? str_none() : namespace, name)
			  : JSON_NONE;
}

/* Each object that a pod's containers and volumes name; for fetching them, and for knowing whom a
 * change concerns. The same may come more than once. */
typedef void room_reference_fn(void *arg, enum room_kind kind, struct str name, bool optional);
void room_references(const struct pod *pod, room_reference_fn *fn, void *arg);

#endif
