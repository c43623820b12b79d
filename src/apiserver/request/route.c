/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/route.c - what a path asks for. */
#include "apiserver/request/route.h"

#include "base/macro.h"

#include "base/banned.h"

enum { PARTS_MAX = 10 };

/* The parts between slashes, without an empty one at the end ("/api/v1/" is "/api/v1"). The last
 * part holds what is left if there are too many. */
static size_t split(struct str path, struct str parts[PARTS_MAX])
{
	size_t count = 0;

	path = str_skip(path, 1);
	while (path.len && count < PARTS_MAX - 1)
		if (str_split(&path, '/', &parts[count]))
			count++;
	if (path.len)
		parts[count++] = path;
	return count;
}

/* What follows the version: [watch/] [namespaces/NS/] plural [/name [/sub]]. */
static void parse_resource(struct route *route, const struct str *parts, size_t count,
			   struct str path)
{
	size_t at = 0;

	if (count > 1 && str_is(parts[0], "watch")) {
		route->watch = true;
		at = 1;
	}
	if (count - at > 2 && str_is(parts[at], "namespaces") && !str_is(parts[at + 2], "status") &&
	    !str_is(parts[at + 2], "finalize")) {
		route->namespace = parts[at + 1];
		at += 2;
	}
	route->class = ROUTE_RESOURCE;
	route->plural = parts[at];
	if (count - at > 1)
		route->name = parts[at + 1];
	if (count - at > 2)
		route->sub = str_skip(path, (size_t)(parts[at + 2].ptr - path.ptr));
}

static void parse_versioned(struct route *route, const struct str *parts, size_t count,
			    struct str path)
{
	route->version = parts[0];
	route->class = ROUTE_VERSION;
	if (count == 2 && (str_is(parts[1], "watch") || str_is(parts[1], "proxy")))
		route->class = ROUTE_WRONG;
	else if (count > 1)
		parse_resource(route, parts + 1, count - 1, path);
}

struct route route_parse(struct str path)
{
	struct route route = {.class = ROUTE_NONE, .group = STR("")};
	struct str parts[PARTS_MAX];
	size_t count = split(path, parts);

	if (path.len == 0 || path.ptr[0] != '/')
		return route;
	if (count == 0 || (!str_is(parts[0], "api") && !str_is(parts[0], "apis"))) {
		route.class = ROUTE_OTHER;
	} else if (str_is(parts[0], "api")) {
		route.class = ROUTE_CORE;
		if (count > 1)
			parse_versioned(&route, parts + 1, count - 1, path);
	} else if (count == 1) {
		route.class = ROUTE_GROUPS;
	} else {
		route.group = parts[1];
		route.class = ROUTE_GROUP;
		if (count > 2)
			parse_versioned(&route, parts + 2, count - 2, path);
	}
	return route;
}

enum verb route_verb(const struct route *route, enum http_method method, bool watch)
{
	bool named = route->name.len > 0;

	switch (method) {
	case HTTP_METHOD_GET:
		if (route->watch || (watch && !named))
			return VERB_WATCH;
		return named ? VERB_GET : VERB_LIST;
	case HTTP_METHOD_POST:
		return named && !route->sub.len ? VERB_COUNT : VERB_CREATE;
	case HTTP_METHOD_PUT:
		return named ? VERB_UPDATE : VERB_COUNT;
	case HTTP_METHOD_PATCH:
		return named ? VERB_PATCH : VERB_COUNT;
	case HTTP_METHOD_DELETE:
		return named ? VERB_DELETE : VERB_DELETE_COLLECTION;
	case HTTP_METHOD_HEAD:
	case HTTP_METHOD_OPTIONS:
	case HTTP_METHOD_OTHER:
	case HTTP_METHOD_COUNT:
		break;
	}
	return VERB_COUNT;
}

bool route_lacks_namespace(const struct kind *kind, enum verb verb, struct str namespace)
{
	return kind->namespaced && !namespace.len && verb != VERB_LIST && verb != VERB_WATCH;
}
