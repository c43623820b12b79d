/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/default_roles.h - the roles and bindings that a cluster begins with, by Kubernetes' names.
 *
 * A rule is "verbs | groups | resources" or "verbs | groups | resources | names", each a list with blanks between, or
 * "verbs || URLs"; each is a line. The group "core" is the one without a name. Subjects, one in each line, are "Group NAME", "User NAME" or
 * "ServiceAccount NAMESPACE/NAME". */
#ifndef AUTHORIZATION_DEFAULT_ROLES_H
#define AUTHORIZATION_DEFAULT_ROLES_H

#include <stdbool.h>

#include "json/doc.h"

struct default_role {
	const char *name;      /* NULL ends a table */
	const char *namespace; /* NULL: a ClusterRole */
	const char *part_of;   /* the aggregated role that its rules belong to; NULL: none */
	bool gathers;          /* it is an aggregated role */
	const char *rules;     /* NULL: none */
};
struct default_binding {
	const char *name;      /* NULL ends a table */
	const char *namespace; /* NULL: a ClusterRoleBinding */
	const char *role;      /* a ClusterRole, or a Role of that namespace */
	const char *subjects;
};

extern const struct default_role default_roles[];
extern const struct default_binding default_bindings[];
extern const struct default_role controller_roles[];
extern const struct default_binding controller_bindings[];

/* The object as it is created. */
struct json_doc *default_role_make(const struct default_role *role)
	__attribute__((returns_nonnull));
struct json_doc *default_binding_make(const struct default_binding *binding)
	__attribute__((returns_nonnull));

#endif
