/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/permission.h - what one rule of a role permits, as Kubernetes' RBAC defines it.
 *
 * "*" stands for every verb, API group or resource; "*" with "/scale" after it for that part of every resource; a URL that ends in
 * "*" for all that begin like it. A rule without resource names permits every name.
 *
 * A rule covers a part of another if it permits all that the part does. Parts have one verb and one resource (or one
 * URL) each, so that a single rule covers a part or none does. */
#ifndef AUTHORIZATION_PERMISSION_H
#define AUTHORIZATION_PERMISSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/group/rbac.h"

struct buf;

/* What a user wants to do. */
struct access {
	struct str verb;      /* "get", "deletecollection", ... */
	struct str path;      /* of what is no resource; none: it is one */
	struct str group;     /* "" for the core */
	struct str plural;    /* "pods" */
	struct str sub;       /* "log"; "" for the object itself */
	struct str namespace; /* "": the cluster scope, and so a list of all namespaces */
	struct str name;      /* of the object; "" or none: no single one */
};

bool permission_allows(const struct policy_rule *rule, const struct access *access);

/* A part of a rule: one verb with one group and resource, or with one URL. */
struct permission_part {
	struct str verb;
	struct str group;
	struct str resource; /* "pods/log"; none: a URL */
	struct str name;     /* none: every name */
	struct str url;
};
/* How many parts a rule has; SIZE_MAX if that is more than a size_t holds. */
size_t permission_part_count(const struct policy_rule *rule);
/* The part of this index, below permission_part_count(); ordered by group, resource, verb, name. */
struct permission_part permission_part(const struct policy_rule *rule, size_t index);
bool permission_covers(const struct policy_rule *rule, const struct permission_part *part);

#endif
