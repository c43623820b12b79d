/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_roles.c - a user grants at most what they have: who writes a role must have its rules, or the
 * verb "escalate" on it; who binds one must have its rules, or the verb "bind" on it. Administrators may do both.
 *
 * An update that leaves the rules and the reference as they are is checked as well, as Kubernetes does, unless only
 * finalizers or owners change. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/auth/access.h"
#include "apiserver/reconcile/reconcilers.h"
#include "authorization/roles.h"
#include "model/group/rbac.h"

#include "base/banned.h"

#define GROUP "rbac.authorization.k8s.io"

static bool is_free(const struct admission *admission)
{
	return admission->call->internal ||
	       user_has_group(&admission->call->user, GROUP_ADMINISTRATORS) ||
	       !reconcile_roles_get(admission->call->api);
}

static struct str text_or_empty(struct json value)
{
	return json_is(value, JSON_STR) ? json_str(value) : STR("");
}

static struct str namespace_of(const struct admission *admission)
{
	return admission->call->namespace.len ? admission->call->namespace : STR("");
}

/* May the user apply a special verb to a role? */
static bool may(const struct admission *admission, const char *verb, const char *plural,
		struct str name)
{
	struct access access = {.verb = str_from(verb),
				.group = STR(GROUP),
				.plural = str_from(plural),
				.sub = STR(""),
				.namespace = namespace_of(admission),
				.name = name};

	return access_is_allowed_by(admission->call->api, &admission->call->user, &access, NULL);
}

/* Only what the garbage collector changes differs: owners and finalizers. */
static bool changes_owners_only(const struct admission *admission)
{
	static const char *const ignored[] = {"ownerReferences", "finalizers", "managedFields",
					      "resourceVersion"};
	AUTO(json_doc_unref) struct json_doc *now = NULL;
	AUTO(json_doc_unref) struct json_doc *old = NULL;

	if (json_is_absent(admission->old))
		return false;
	now = json_doc_thaw(admission->object);
	old = json_doc_thaw(admission->old);
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++) {
		(void)json_remove(now, json_get(json_doc_root(now), "metadata"),
				  str_from(ignored[i]));
		(void)json_remove(old, json_get(json_doc_root(old), "metadata"),
				  str_from(ignored[i]));
	}
	return json_eq(json_doc_root(now), json_doc_root(old));
}

static int check_rules(const struct admission *admission, struct role_rules rules, struct err *err)
{
	struct err why;

	if (roles_check_grant(reconcile_roles_get(admission->call->api), &admission->call->user,
			      namespace_of(admission), rules, &why) == 0)
		return 0;
	return admit_forbidden(admission, err, "%s", why.text);
}

/* --- roles ----------------------------------------------------------------------------------- */

static bool gathers(struct json role)
{
	return json_len(json_get(json_get(role, "aggregationRule"), "clusterRoleSelectors")) > 0;
}

/* An aggregated role may get any rule later. */
static int check_gathering(const struct admission *admission, struct err *err)
{
	struct str all[] = {STR_INIT("*")};
	const struct policy_rule everything[] = {
		{.verbs = {all, 1}, .api_groups = {all, 1}, .resources = {all, 1}},
		{.verbs = {all, 1}, .non_resource_urls = {all, 1}},
	};
	struct err why;

	if (!gathers(admission->object) && !gathers(admission->old))
		return 0;
	if (roles_check_grant(reconcile_roles_get(admission->call->api), &admission->call->user,
			      STR(""), (struct role_rules){everything, ARRAY_LEN(everything)},
			      &why) == 0)
		return 0;
	return admit_forbidden(admission, err,
			       "must have cluster-admin privileges to use the aggregationRule");
}

static int admit_role(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	struct clusterrole view = {0};
	const char *plural = str_is(call->kind->plural, "roles") ? "roles" : "clusterroles";

	if (is_free(admission) || changes_owners_only(admission) ||
	    may(admission, "escalate", plural, call->name.len ? call->name : STR("")))
		return 0;
	if (type_decode(&clusterrole_type, admission->object, call->arena, &view, err) < 0)
		return -1;
	if (check_rules(admission, (struct role_rules){view.rules.ptr, view.rules.len}, err) < 0)
		return -1;
	return check_gathering(admission, err);
}

/* --- bindings -------------------------------------------------------------------------------- */

static int admit_binding(const struct admission *admission, struct err *err)
{
	struct json reference = json_get(admission->object, "roleRef");
	struct str kind = text_or_empty(json_get(reference, "kind"));
	struct str name = text_or_empty(json_get(reference, "name"));
	bool cluster = str_is(kind, "ClusterRole");
	const struct role_rules *rules;

	if (is_free(admission) || changes_owners_only(admission) ||
	    (!cluster && !str_is(kind, "Role")) || /* validation refuses it */
	    may(admission, "bind", cluster ? "clusterroles" : "roles", name))
		return 0;
	rules = roles_find_rules(reconcile_roles_get(admission->call->api), namespace_of(admission),
				 kind, name);
	if (!rules) {
		/* kube-apiserver names the kind of the binding, not that of the role */
		admission->call->error.name = name;
		admission->call->error.kind = admission->call->kind->plural;
		admission->call->error.group = STR(GROUP);
		return err_set(err, ERR_NOT_FOUND, "%.*s." GROUP " \"%.*s\" not found",
			       STR_ARG(admission->call->kind->plural), STR_ARG(name));
	}
	return check_rules(admission, *rules, err);
}

#define WRITES ADMIT_CREATE | ADMIT_UPDATE

const struct admitter admitter_role = {
	.name = "RBAC", .verbs = WRITES, .group = GROUP, .plural = "roles", .check = admit_role};
const struct admitter admitter_cluster_role = {.name = "RBAC",
					       .verbs = WRITES,
					       .group = GROUP,
					       .plural = "clusterroles",
					       .check = admit_role};
const struct admitter admitter_role_binding = {.name = "RBAC",
					       .verbs = WRITES,
					       .group = GROUP,
					       .plural = "rolebindings",
					       .check = admit_binding};
const struct admitter admitter_cluster_role_binding = {.name = "RBAC",
						       .verbs = WRITES,
						       .group = GROUP,
						       .plural = "clusterrolebindings",
						       .check = admit_binding};
