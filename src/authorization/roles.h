/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/roles.h - Kubernetes' RBAC: roles, bindings, and what they permit a user. Pure.
 *
 *	roles_set_role(roles, STR("team-a"), STR("reader"), object);	a Role; STR(""): a ClusterRole
 *	roles_set_binding(roles, STR("team-a"), STR("b"), object);	a RoleBinding; STR(""): a ClusterRoleBinding
 *	if (roles_allow(roles, &user, &access, &why)) ...
 *
 * Bindings are indexed by namespace and subject: a decision looks at the bindings of the user and of their groups, in
 * the cluster scope and in one namespace, however many others there are. A ClusterRoleBinding works in every namespace;
 * a RoleBinding in its own only, even if it names a ClusterRole. */
#ifndef AUTHORIZATION_ROLES_H
#define AUTHORIZATION_ROLES_H

#include <stdbool.h>
#include <stddef.h>

#include "authorization/permission.h"
#include "authorization/user.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct buf;
struct roles;

struct roles *roles_new(void) __attribute__((returns_nonnull));
void roles_free(struct roles *roles);
DEFINE_AUTO(struct roles *, roles_free);

/* The object is new or changed; what cannot be decoded permits nothing. Texts are copied. */
void roles_set_role(struct roles *roles, struct str namespace, struct str name, struct json object);
void roles_remove_role(struct roles *roles, struct str namespace, struct str name);
void roles_set_binding(struct roles *roles, struct str namespace, struct str name,
		       struct json object);
void roles_remove_binding(struct roles *roles, struct str namespace, struct str name);

/* May they? `reason`, if not NULL, gets which binding says so; for a refusal the roles that bindings of the user name
 * and that do not exist; or nothing. */
bool roles_allow(struct roles *roles, const struct user *user, const struct access *access,
		 struct buf *reason);

/* Each rule that the user has in a namespace ("": in the cluster scope). */
typedef void roles_rule_fn(void *arg, const struct policy_rule *rule);
void roles_each_rule(struct roles *roles, const struct user *user, struct str namespace,
		     roles_rule_fn *fn, void *arg);

struct role_rules {
	const struct policy_rule *ptr;
	size_t len;
};
/* The rules of a role that a binding in this namespace names; NULL if there is none. Lent until the role changes. */
const struct role_rules *roles_find_rules(const struct roles *roles, struct str namespace,
					  struct str kind, struct str name);

/* May the user grant these rules in the namespace, because they have all of them? ERR_FORBIDDEN lists what they have
 * not, in Kubernetes' words. */
int roles_check_grant(struct roles *roles, const struct user *user, struct str namespace,
		      struct role_rules rules, struct err *err) MUST_CHECK;

#endif
