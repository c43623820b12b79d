/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/access.c - may a user do this? A table of rules, then roles; what neither allows is refused.
 *
 * Always true: a rule matches only what it names. "*" in an access review is a name that no list
 * contains, so that `can-i '*' '*'` is yes for administrators only. */
#include "apiserver/auth/access.h"

#include "apiserver/reconcile/reconcilers.h"
#include "authorization/roles.h"
#include "base/buf.h"
#include "base/macro.h"

#include "base/banned.h"

enum scope {
	SCOPE_ANY,
	SCOPE_NAMESPACE, /* one, whichever */
	SCOPE_OWN,       /* that of the service account */
};

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Members that are NULL allow any value. Resources are named as in messages: "pods",
 * "serviceaccounts/token", "selfsubjectreviews.authentication.k8s.io"; "*.GROUP" is a whole group. */
struct rule {
	const char *group; /* of users; NULL: everyone */
	const char *const *verbs;
	const char *const *resources;
	const char *const *excluded;
	const char *const *subs; /* "" is the object itself */
	enum scope scope;
	bool everything;
	const char *reason;
};

static const char *const reads[] = {"get", "list", "watch", NULL};
static const char *const writes[] = {"create", "update",           "patch",
				     "delete", "deletecollection", NULL};
/* Parts of an object that only show it. */
static const char *const shown[] = {"", "status", "scale", "log", NULL};

static const struct rule rules[] = {
	{.group = "system:masters", .everything = true},
	{.group = "system:serviceaccounts",
	 .verbs = reads,
	 .excluded = LIST("secrets"),
	 .subs = shown,
	 .scope = SCOPE_OWN,
	 .reason = "a service account may read its own namespace"},
	{.group = "volcano:users",
	 .verbs = reads,
	 .subs = shown,
	 .reason = "users may read all objects"},
	/* What limits a namespace, makes identities or places pods is not theirs. */
	{.group = "volcano:users",
	 .verbs = writes,
	 .excluded = LIST("namespaces", "resourcequotas", "limitranges", "bindings", "pods/binding",
			  "serviceaccounts/token", "*.rbac.authorization.k8s.io",
			  "*.authorization.k8s.io"),
	 .scope = SCOPE_NAMESPACE,
	 .reason = "users may write the objects of namespaces"},
};

bool user_has_group(const struct user *user, struct str group)
{
	for (size_t i = 0; i < user->group_count; i++)
		if (str_eq(user->groups[i], group))
			return true;
	return false;
}

struct str user_account_namespace(const struct user *user)
{
	struct str rest = user->name;
	struct str namespace;

	if (!str_starts(rest, USER_ACCOUNT_PREFIX))
		return str_none();
	rest = str_skip(rest, USER_ACCOUNT_PREFIX.len);
	if (!str_split(&rest, ':', &namespace) || !rest.len || str_find_byte(rest, ':', 0) >= 0)
		return str_none();
	return namespace;
}

static bool has(const char *const *list, struct str text)
{
	for (size_t i = 0; list[i]; i++)
		if (str_is(text, list[i]))
			return true;
	return false;
}

/* "pods", "serviceaccounts/token", "jobs.batch", "*.GROUP". */
static bool resource_fits(const struct access *access, const char *pattern)
{
	struct str text = str_from(pattern);
	ptrdiff_t dot = str_find_byte(text, '.', 0);
	ptrdiff_t slash = str_find_byte(text, '/', 0);
	struct str group = dot < 0 ? STR("") : str_skip(text, (size_t)dot + 1);
	struct str plural = dot < 0 ? text : str_slice(text, 0, (size_t)dot);

	if (slash >= 0) {
		if (!str_eq(access->sub, str_skip(text, (size_t)slash + 1)))
			return false;
		plural = str_slice(text, 0, (size_t)slash);
	}
	return str_eq(access->group, group) &&
	       (str_is(plural, "*") || str_eq(access->plural, plural));
}

static bool is_wild(struct str text)
{
	return str_is(text, "*");
}

static bool resources_fit(const struct rule *rule, const struct access *access)
{
	if (is_wild(access->plural) || is_wild(access->group) || is_wild(access->sub))
		return false; /* it would cover what is excluded */
	for (size_t i = 0; rule->excluded && rule->excluded[i]; i++)
		if (resource_fits(access, rule->excluded[i]))
			return false;
	if (!rule->resources)
		return true;
	for (size_t i = 0; rule->resources[i]; i++)
		if (resource_fits(access, rule->resources[i]))
			return true;
	return false;
}

static bool scope_fits(const struct rule *rule, const struct user *user, struct str namespace)
{
	struct str own;

	switch (rule->scope) {
	case SCOPE_ANY:
		return true;
	case SCOPE_NAMESPACE:
		return namespace.len > 0;
	case SCOPE_OWN:
		own = user_account_namespace(user);
		return own.len && str_eq(own, namespace);
	}
	return false;
}

static bool is_of(const struct rule *rule, const struct user *user)
{
	return !rule->group || user_has_group(user, str_from(rule->group));
}

static bool rule_allows(const struct rule *rule, const struct user *user,
			const struct access *access)
{
	if (!is_of(rule, user))
		return false;
	if (rule->everything)
		return true;
	if (!has(rule->verbs, access->verb) || !str_is_none(access->path))
		return false;
	return resources_fit(rule, access) && (!rule->subs || has(rule->subs, access->sub)) &&
	       scope_fits(rule, user, access->namespace);
}

bool access_is_allowed(struct roles *roles, const struct user *user, const struct access *access,
		       struct buf *reason)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (!rule_allows(&rules[i], user, access))
			continue;
		if (reason && rules[i].reason)
			buf_puts(reason, rules[i].reason);
		return true;
	}
	return roles && roles_allow(roles, user, access, reason);
}

bool access_is_allowed_by(const struct api *api, const struct user *user,
			  const struct access *access, struct buf *reason)
{
	return access_is_allowed(reconcile_roles_get(api), user, access, reason);
}
