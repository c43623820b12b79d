/* SPDX-License-Identifier: Apache-2.0 */
/* Roles and bindings: whom they concern, where, why; what may be granted; and 100,000 random decisions, each compared
 * with a plain walk over everything. */
#include "authorization/roles.h"

#include <stdio.h>
#include <string.h>

#include "authorization/default_roles.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "quoted.h"
#include "random.h"
#include "tap.h"

static const struct str jane_groups[] = {STR_INIT("team"), STR_INIT("system:authenticated")};
static const struct user jane = {.name = STR_INIT("jane"), .groups = jane_groups, .group_count = 2};
static const struct user robot = {.name = STR_INIT("system:serviceaccount:a:robot")};

static void set_role(struct roles *roles, const char *namespace, const char *name, const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);

	roles_set_role(roles, str_from(namespace), str_from(name), json_doc_root(doc));
}

static void set_binding(struct roles *roles, const char *namespace, const char *name,
			const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);

	roles_set_binding(roles, str_from(namespace), str_from(name), json_doc_root(doc));
}

/* The reason, or "no" with its reason. */
static const char *why(struct roles *roles, const struct user *user, const char *verb,
		       const char *plural, const char *namespace)
{
	static char text[512];
	AUTO(buf_done) struct buf reason = BUF_UNBOUNDED;
	struct access access = {.verb = str_from(verb),
				.group = STR(""),
				.plural = str_from(plural),
				.sub = STR(""),
				.namespace = str_from(namespace),
				.name = STR("")};
	bool allowed = roles_allow(roles, user, &access, &reason);

	ok(allowed == roles_allow(roles, user, &access, NULL), "with or without a reason");
	snprintf(text, sizeof(text), "%s%s", allowed ? "" : "no ", buf_text(&reason));
	return text;
}

#define READ_PODS "{'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}"
#define REF(kind, name) "'roleRef':{'kind':'" kind "','name':'" name "'}"

static void test_scopes(void)
{
	AUTO(roles_free) struct roles *roles = roles_new();

	is(why(roles, &jane, "get", "pods", "a"), "no ");
	set_role(roles, "a", "reader", READ_PODS);
	set_binding(roles, "a", "b",
		    "{'subjects':[{'kind':'User','name':'jane'}]," REF("Role", "reader") "}");
	is(why(roles, &jane, "get", "pods", "a"),
	   "RBAC: allowed by RoleBinding \"b/a\" of Role \"reader\" to User \"jane\"");
	is(why(roles, &jane, "list", "pods", "a"), "no ");
	is(why(roles, &jane, "get", "pods", "b"), "no ");
	is(why(roles, &jane, "get", "pods", ""), "no ");
	roles_remove_role(roles, STR("a"), STR("reader"));
	is(why(roles, &jane, "get", "pods", "a"),
	   "no RBAC: role.rbac.authorization.k8s.io \"reader\" not found");
	set_role(roles, "", "reader", READ_PODS);
	is(why(roles, &jane, "get", "pods", "a"),
	   "no RBAC: role.rbac.authorization.k8s.io \"reader\" not found");
	set_binding(
		roles, "a", "b",
		"{'subjects':[{'kind':'Group','name':'team'}]," REF("ClusterRole", "reader") "}");
	is(why(roles, &jane, "get", "pods", "a"),
	   "RBAC: allowed by RoleBinding \"b/a\" of ClusterRole \"reader\" to Group \"team\"");
	is(why(roles, &jane, "get", "pods", ""), "no ");
	set_binding(
		roles, "", "all",
		"{'subjects':[{'kind':'Group','name':'team'}]," REF("ClusterRole", "reader") "}");
	is(why(roles, &jane, "get", "pods", ""), "RBAC: allowed by ClusterRoleBinding \"all\" of "
						 "ClusterRole \"reader\" to Group \"team\"");
	roles_remove_binding(roles, STR(""), STR("all"));
	roles_remove_binding(roles, STR(""), STR("all"));
	is(why(roles, &jane, "get", "pods", ""), "no ");
	set_binding(roles, "", "all",
		    "{'subjects':[{'kind':'User','name':'jane'}]," REF("Role", "reader") "}");
	is(why(roles, &jane, "get", "pods", ""),
	   "no RBAC: role.rbac.authorization.k8s.io \"reader\" not found");
}

static void test_accounts(void)
{
	AUTO(roles_free) struct roles *roles = roles_new();

	set_role(roles, "", "reader", READ_PODS);
	set_binding(roles, "a", "b",
		    "{'subjects':[{'kind':'ServiceAccount','name':'robot'}]," REF("ClusterRole",
										  "reader") "}");
	is(why(roles, &robot, "get", "pods", "a"),
	   "RBAC: allowed by RoleBinding \"b/a\" of ClusterRole \"reader\" to ServiceAccount "
	   "\"robot/a\"");
	set_binding(roles, "a", "b",
		    "{'subjects':[{'kind':'ServiceAccount','name':'robot','namespace':'b'}]," REF(
			    "ClusterRole", "reader") "}");
	is(why(roles, &robot, "get", "pods", "a"), "no ");
	set_binding(roles, "", "c",
		    "{'subjects':[{'kind':'ServiceAccount','name':'robot'}]," REF("ClusterRole",
										  "reader") "}");
	is(why(roles, &robot, "get", "pods", "a"), "no ");
	set_binding(roles, "", "c",
		    "{'subjects':[{'kind':'User','name':'system:serviceaccount:a:robot'}]," REF(
			    "ClusterRole", "reader") "}");
	is(why(roles, &robot, "get", "pods", "a"),
	   "RBAC: allowed by ClusterRoleBinding \"c\" of ClusterRole \"reader\" to User "
	   "\"system:serviceaccount:a:robot\"");
	set_binding(
		roles, "", "c",
		"{'subjects':[{'kind':'Robot','name':'jane'}]," REF("ClusterRole", "reader") "}");
	is(why(roles, &jane, "get", "pods", "a"), "no ");
}

static void count_rule(void *arg, const struct policy_rule *rule)
{
	(void)rule;
	(*(int *)arg)++;
}

static void test_once(void)
{
	AUTO(roles_free) struct roles *roles = roles_new();
	int count = 0;

	set_role(roles, "", "reader", READ_PODS);
	set_binding(roles, "", "b",
		    "{'subjects':[{'kind':'User','name':'jane'},{'kind':'User','name':'jane'},"
		    "{'kind':'Group','name':'team'}]," REF("ClusterRole", "reader") "}");
	roles_each_rule(roles, &jane, STR("a"), count_rule, &count);
	ok(count == 1, "a binding that names a user three times counts once");
}

static struct role_rules rules_of(struct roles *roles, const char *name, const char *text)
{
	set_role(roles, "", name, text);
	return *roles_find_rules(roles, STR(""), STR("ClusterRole"), str_from(name));
}

static void test_grants(void)
{
	AUTO(roles_free) struct roles *roles = roles_new();
	struct role_rules wanted;
	struct err err = {0};

	set_role(roles, "", "own",
		 "{'rules':[{'verbs':['get','list'],'apiGroups':[''],'resources':['pods','secrets']"
		 "},"
		 "{'verbs':['get'],'nonResourceURLs':['/a/*']},"
		 "{'verbs':['get'],'apiGroups':['apps'],'resources':['*/scale']}]}");
	set_binding(roles, "", "b",
		    "{'subjects':[{'kind':'User','name':'jane'}]," REF("ClusterRole", "own") "}");
	wanted =
		rules_of(roles, "w",
			 "{'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'"
			 "resourceNames':['x']},"
			 "{'verbs':['list'],'apiGroups':[''],'resources':['secrets']},"
			 "{'verbs':['get'],'apiGroups':['apps'],'resources':['deployments/scale']},"
			 "{'verbs':['get'],'nonResourceURLs':['/a/b']}]}");
	ok(roles_check_grant(roles, &jane, STR("n"), wanted, &err) == 0,
	   "what one has can be granted");
	wanted = rules_of(roles, "w",
			  "{'rules':[{'verbs':['watch','delete','get'],'apiGroups':['','apps'],'"
			  "resources':['pods']},"
			  "{'verbs':['get','post'],'nonResourceURLs':['/a/b','/c']}]}");
	ok(roles_check_grant(roles, &jane, STR("n"), wanted, &err) < 0 && err.code == ERR_FORBIDDEN,
	   "what one has not cannot");
	is(err.text,
	   "user \"jane\" (groups=[\"team\" \"system:authenticated\"]) is attempting to "
	   "grant RBAC permissions not currently held:\n"
	   "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\"]}\n"
	   "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\" \"get\"]}\n"
	   "{NonResourceURLs:[\"/a/b\"], Verbs:[\"post\"]}\n"
	   "{NonResourceURLs:[\"/c\"], Verbs:[\"get\"]}\n"
	   "{NonResourceURLs:[\"/c\"], Verbs:[\"post\"]}");
	wanted = rules_of(roles, "w", "{}");
	ok(roles_check_grant(roles, &robot, STR("n"), wanted, &err) == 0,
	   "no rules need no rights");
}

/* A rule whose combinations would take years to compare. */
static void test_large_grant(void)
{
	AUTO(roles_free) struct roles *roles = roles_new();
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	static const char *const keys[] = {"verbs", "apiGroups", "resources", "resourceNames"};
	struct err err = {0};

	buf_puts(&text, "{'rules':[{");
	for (int i = 0; i < 4; i++) {
		buf_printf(&text, "%s'%s':[", i ? "," : "", keys[i]);
		for (int j = 0; j < 5000; j++)
			buf_printf(&text, "%s'x%d'", j ? "," : "", j);
		buf_puts(&text, "]");
	}
	buf_puts(&text, "}]}");
	ok(roles_check_grant(roles, &jane, STR(""), rules_of(roles, "w", buf_text(&text)), &err) <
		   0,
	   "too many combinations are refused");
	ok(strstr(err.text, "too many combinations") != NULL, "... and the reason is given");
}

/* --- random worlds ---------------------------------------------------------------------------- */

static const char *const names[] = {"a", "b", "c"};
static const char *const verb_names[] = {"get", "list", "*"};
static const char *const resource_names[] = {"pods", "pods/log", "*/log", "*"};
static const char *const kind_names[] = {"User", "Group", "ServiceAccount"};
#define PICK(list) list[random_below(&seed, sizeof(list) / sizeof(list[0]))]

/* What a world consists of, for the plain walk. */
struct plain {
	VEC(char *) roles; /* "namespace name verb resource object-or-dash" */
	VEC(char *)
	bindings; /* "namespace name role-kind role-name subject-kind subject subject-namespace" */
};

static uint64_t seed = 20261118;

static const char *namespace_or_none(void)
{
	return random_below(&seed, 2) ? "" : PICK(names);
}

static void add_role(struct roles *roles, struct plain *plain)
{
	const char *namespace = namespace_or_none(), *name = PICK(names), *verb = PICK(verb_names);
	const char *resource = PICK(resource_names),
		   *object = random_below(&seed, 3) ? "-" : PICK(names);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "{'rules':[{'verbs':['%s'],'apiGroups':[''],'resources':['%s']", verb,
		   resource);
	if (object[0] != '-')
		buf_printf(&text, ",'resourceNames':['%s']", object);
	buf_puts(&text, "}]}");
	set_role(roles, namespace, name, buf_text(&text));
	for (size_t i = 0; i < plain->roles.len; i++) {
		char old_namespace[8] = "", old_name[8] = "";

		(void)sscanf(plain->roles.ptr[i], "'%7[^']' %7s", old_namespace, old_name);
		if (plain->roles.ptr[i][1] == '\'')
			(void)sscanf(plain->roles.ptr[i], "'' %7s", old_name);
		if (strcmp(old_namespace, namespace) == 0 && strcmp(old_name, name) == 0) {
			mem_free(plain->roles.ptr[i]);
			vec_remove(&plain->roles, i);
			break;
		}
	}
	vec_push(&plain->roles,
		 mem_printf("'%s' %s %s %s %s", namespace, name, verb, resource, object));
}

static void add_binding(struct roles *roles, struct plain *plain, int number)
{
	const char *namespace = namespace_or_none(), *role = PICK(names);
	const char *role_kind = random_below(&seed, 2) ? "Role" : "ClusterRole";
	const char *kind = PICK(kind_names), *name = PICK(names), *home = namespace_or_none();
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	char binding[16];

	snprintf(binding, sizeof(binding), "b%d", number);
	buf_printf(&text, "{'subjects':[{'kind':'%s','name':'%s'", kind, name);
	if (home[0])
		buf_printf(&text, ",'namespace':'%s'", home);
	buf_printf(&text, "}],'roleRef':{'kind':'%s','name':'%s'}}", role_kind, role);
	set_binding(roles, namespace, binding, buf_text(&text));
	vec_push(&plain->bindings,
		 mem_printf("'%s' %s %s %s %s '%s'", namespace, role_kind, role, kind, name, home));
}

/* One quoted word that may be empty, then the rest. */
static const char *read_quoted(const char *text, char *to)
{
	const char *end = strchr(text + 1, '\'');

	memcpy(to, text + 1, (size_t)(end - text - 1));
	to[end - text - 1] = 0;
	return end + 1;
}

static bool role_allows(const struct plain *plain, const char *namespace, const char *name,
			const struct access *access)
{
	for (size_t i = 0; i < plain->roles.len; i++) {
		char of[8], role[8], verb[8], resource[16], object[8], wanted[32];
		const char *rest = read_quoted(plain->roles.ptr[i], of);

		if (sscanf(rest, " %7s %7s %15s %7s", role, verb, resource, object) != 4 ||
		    strcmp(of, namespace) != 0 || strcmp(role, name) != 0)
			continue;
		snprintf(wanted, sizeof(wanted), "%.*s%s%.*s", STR_ARG(access->plural),
			 access->sub.len ? "/" : "", STR_ARG(access->sub));
		if (strcmp(verb, "*") != 0 && !str_is(access->verb, verb))
			continue;
		if (strcmp(resource, "*") != 0 && strcmp(resource, wanted) != 0 &&
		    !(strcmp(resource, "*/log") == 0 && str_is(access->sub, "log")))
			continue;
		if (object[0] == '-' || str_is(access->name, object))
			return true;
	}
	return false;
}

static bool names_user(const char *kind, const char *name, const char *home,
		       const struct user *user)
{
	char account[64];

	if (strcmp(kind, "User") == 0)
		return str_is(user->name, name);
	if (strcmp(kind, "Group") == 0) {
		for (size_t i = 0; i < user->group_count; i++)
			if (str_is(user->groups[i], name))
				return true;
		return false;
	}
	snprintf(account, sizeof(account), "system:serviceaccount:%s:%s", home, name);
	return home[0] && str_is(user->name, account);
}

static bool plain_allows(const struct plain *plain, const struct user *user,
			 const struct access *access)
{
	for (size_t i = 0; i < plain->bindings.len; i++) {
		char namespace[8], role_kind[16], role[8], kind[16], name[8], home[8];
		const char *rest = read_quoted(plain->bindings.ptr[i], namespace);
		int used = 0;

		if (sscanf(rest, " %15s %7s %15s %7s %n", role_kind, role, kind, name, &used) != 4)
			continue;
		(void)read_quoted(rest + used, home);
		if (namespace[0] && !str_is(access->namespace, namespace))
			continue;
		if (!names_user(kind, name, home[0] ? home : namespace, user))
			continue;
		if (strcmp(role_kind, "Role") == 0 && !namespace[0])
			continue;
		if (role_allows(plain, strcmp(role_kind, "Role") == 0 ? namespace : "", role,
				access))
			return true;
	}
	return false;
}

static bool try_world(int questions)
{
	AUTO(roles_free) struct roles *roles = roles_new();
	struct plain plain = {0};
	bool same = true;

	for (int i = 0; i < 6; i++)
		add_role(roles, &plain);
	for (int i = 0; i < 8; i++)
		add_binding(roles, &plain, i);
	for (int i = 0; i < questions && same; i++) {
		struct str groups[] = {str_from(PICK(names))};
		char account[64];
		struct user user = {
			.name = str_from(PICK(names)), .groups = groups, .group_count = 1};
		struct access access = {.verb = str_from(PICK(verb_names)),
					.group = STR(""),
					.plural = STR("pods"),
					.sub = random_below(&seed, 2) ? STR("log") : STR(""),
					.namespace = str_from(namespace_or_none()),
					.name = str_from(PICK(names))};

		if (random_below(&seed, 3) == 0) {
			snprintf(account, sizeof(account), "system:serviceaccount:%s:%s",
				 PICK(names), PICK(names));
			user.name = str_from(account);
		}
		same = roles_allow(roles, &user, &access, NULL) ==
		       plain_allows(&plain, &user, &access);
	}
	for (size_t i = 0; i < plain.roles.len; i++)
		mem_free(plain.roles.ptr[i]);
	for (size_t i = 0; i < plain.bindings.len; i++)
		mem_free(plain.bindings.ptr[i]);
	vec_done(&plain.roles);
	vec_done(&plain.bindings);
	return same;
}

static void test_random(void)
{
	bool same = true;
	uint64_t first = seed;

	for (int i = 0; i < 2000 && same; i++)
		same = try_world(50);
	ok(same, "100,000 decisions agree with a plain walk (seed %llu)",
	   (unsigned long long)first);
}

static void test_defaults(void)
{
	AUTO(roles_free) struct roles *roles = roles_new();
	static const struct str masters[] = {STR_INIT("system:masters")};
	struct user admin = {.name = STR("admin"), .groups = masters, .group_count = 1};
	size_t count = 0;

	for (const struct default_role *role = default_roles; role->name; role++, count++) {
		AUTO(json_doc_unref) struct json_doc *doc = default_role_make(role);

		roles_set_role(roles, role->namespace ? str_from(role->namespace) : STR(""),
			       str_from(role->name), json_doc_root(doc));
	}
	for (const struct default_binding *binding = default_bindings; binding->name; binding++) {
		AUTO(json_doc_unref) struct json_doc *doc = default_binding_make(binding);

		roles_set_binding(roles,
				  binding->namespace ? str_from(binding->namespace) : STR(""),
				  str_from(binding->name), json_doc_root(doc));
	}
	ok(count > 30, "there are default roles");
	is(why(roles, &admin, "delete", "nodes", ""),
	   "RBAC: allowed by ClusterRoleBinding \"cluster-admin\" of ClusterRole \"cluster-admin\" "
	   "to Group \"system:masters\"");
	is(why(roles, &jane, "get", "pods", "a"), "no ");
	ok(roles_allow(roles, &jane, &(struct access){.verb = STR("get"), .path = STR("/version")},
		       NULL),
	   "everyone may read the version");
	ok(roles_allow(roles, &jane,
		       &(struct access){.verb = STR("create"),
					.group = STR("authorization.k8s.io"),
					.plural = STR("selfsubjectaccessreviews")},
		       NULL),
	   "... and ask about themselves");
}

int main(void)
{
	test_scopes();
	test_accounts();
	test_once();
	test_grants();
	test_large_grant();
	test_random();
	test_defaults();
	return tap_done();
}
