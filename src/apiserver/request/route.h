/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/route.h - what a path asks for. Pure: text in, parts out.
 *
 *	/api/v1/namespaces/a/pods/p/log		group "", version "v1", and the rest by name
 *	/apis/batch/v1/jobs			group "batch", all namespaces
 *	/api/v1/watch/namespaces/ns/pods	the old way to say watch=true
 *	/healthz, /openapi/v3/...		not a resource */
#ifndef APISERVER_ROUTE_H
#define APISERVER_ROUTE_H

#include <stdbool.h>

#include "apiserver/kind/kind.h"
#include "base/str.h"
#include "http/http_server.h"

enum route_class {
	ROUTE_NONE,     /* nothing of ours */
	ROUTE_RESOURCE, /* group, version and plural are set */
	ROUTE_VERSION,  /* /api/v1, /apis/batch/v1: discovery */
	ROUTE_GROUP,    /* /apis/batch */
	ROUTE_CORE,     /* /api */
	ROUTE_GROUPS,   /* /apis */
	ROUTE_OTHER,    /* /version, /healthz, /openapi/...: look at the path */
	ROUTE_WRONG,    /* /api/v1/watch: upstream cannot even classify it, 500 */
};

struct route {
	enum route_class class;
	struct str group;
	struct str version;
	struct str namespace;
	struct str plural;
	struct str name;
	struct str sub; /* may contain '/': "proxy/x" */
	bool watch;     /* by the old path */
};

struct route route_parse(struct str path);

/* Which verb a method is for this route; VERB_COUNT if it is none. `watch` is what the query
 * says; it only counts for a collection: GET of one object reads it. */
enum verb route_verb(const struct route *route, enum http_method method, bool watch);
/* Can the verb only be used inside a namespace, and none is given? The path of all namespaces has
 * GET alone: a DELETE of it must not delete the objects of all namespaces. */
bool route_lacks_namespace(const struct kind *kind, enum verb verb, struct str namespace);

#endif
