/* SPDX-License-Identifier: Apache-2.0 */
/* Roles in the API: those that a cluster begins with, aggregated ones, what a restart does to them, and that a user
 * cannot grant more than they have. */
#include "apiserver/test/quotes.h"

#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define ROLES RBAC "/namespaces/default/roles"
#define BINDINGS RBAC "/namespaces/default/rolebindings"
#define TO_JANE "'subjects':[{'kind':'User','name':'jane'}]"
#define REF(kind, name) \
	"'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'" kind "','name':'" name "'}"
#define READ_SECRETS "'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['secrets']}]"

static const struct step defaults[] = {
	{"GET", RBAC "/clusterroles/cluster-admin", NULL, 200, "/rules",
	 "[{'verbs':['*'],'apiGroups':['*'],'resources':['*']},{'verbs':['*'],'nonResourceURLs':['*"
	 "']}]"},
	{"GET", RBAC "/clusterrolebindings/cluster-admin", NULL, 200, "/subjects/0/name",
	 "system:masters"},
	{"GET", RBAC "/clusterroles/view", NULL, 200, "/rules/0/verbs/0", "get"},
	{"GET", RBAC "/namespaces/kube-public/rolebindings/system:controller:bootstrap-signer",
	 NULL, 200, "/roleRef/kind", "Role"},
	{"GET", RBAC "/clusterroles/system:controller:job-controller", NULL, 200, "/kind",
	 "ClusterRole"},
};

static const struct step gathered[] = {
	{"POST", RBAC "/clusterroles",
	 "{'metadata':{'name':'sum'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':"
	 "{'add':'yes'}}]},'rules':[]}",
	 201, "/kind", "ClusterRole"},
	{"POST", RBAC "/clusterroles",
	 "{'metadata':{'name':'part-b','labels':{'add':'yes'}}," READ_SECRETS "}", 201, "/kind",
	 "ClusterRole"},
	{"POST", RBAC "/clusterroles",
	 "{'metadata':{'name':'part-a','labels':{'add':'yes'}},'rules':[{'verbs':['list'],"
	 "'apiGroups':[''],'resources':['pods']}]}",
	 201, "/kind", "ClusterRole"},
	{"GET", RBAC "/clusterroles/sum", NULL, 200, "/rules",
	 "[{'verbs':['list'],'apiGroups':[''],'resources':['pods']},{'verbs':['get'],'apiGroups':"
	 "[''],'resources':['secrets']}]"},
	{"DELETE", RBAC "/clusterroles/part-b", NULL, 200, "/status", "Success"},
	{"GET", RBAC "/clusterroles/sum", NULL, 200, "/rules/1", NULL},
	{"PATCH merge", RBAC "/clusterroles/part-a", "{'metadata':{'labels':null}}", 200, "/kind",
	 "ClusterRole"},
	{"GET", RBAC "/clusterroles/sum", NULL, 200, "/rules/0", NULL},
};

/* What a user has taken from a default role comes back at the next start, unless they said that it should not. */
static const struct step edited[] = {
	{"PATCH merge", RBAC "/clusterroles/system:basic-user", "{'rules':[]}", 200, "/kind",
	 "ClusterRole"},
	{"PATCH merge", RBAC "/clusterroles/system:discovery",
	 "{'rules':[],'metadata':{'annotations':{'rbac.authorization.kubernetes.io/autoupdate':"
	 "'false'}}}",
	 200, "/kind", "ClusterRole"},
	{"DELETE", RBAC "/clusterrolebindings/system:discovery", NULL, 200, "/status", "Success"},
	{"PATCH merge", RBAC "/clusterroles/system:monitoring",
	 "{'rules':[{'verbs':['get'],'nonResourceURLs':['/mine']}]}", 200, "/kind", "ClusterRole"},
};
static const struct step restarted[] = {
	{"GET", RBAC "/clusterroles/system:basic-user", NULL, 200, "/rules/0/verbs/0", "create"},
	{"GET", RBAC "/clusterroles/system:discovery", NULL, 200, "/rules/0", NULL},
	{"GET", RBAC "/clusterrolebindings/system:discovery", NULL, 200, "/kind",
	 "ClusterRoleBinding"},
	{"GET", RBAC "/clusterroles/system:monitoring", NULL, 200, "/rules/0/nonResourceURLs/0",
	 "/mine"},
	{"GET", RBAC "/clusterroles/system:monitoring", NULL, 200, "/rules/1/verbs/0", "get"},
};

/* What jane may do before she tries. */
static const struct step given[] = {
	{"POST", ROLES,
	 "{'metadata':{'name':'writer'},'rules':[{'verbs':['*'],'apiGroups':["
	 "'rbac.authorization.k8s.io'],'resources':['roles','rolebindings'],'resourceNames':[]}]}",
	 201, "/kind", "Role"},
	{"POST", BINDINGS, "{'metadata':{'name':'writer'}," TO_JANE "," REF("Role", "writer") "}",
	 201, "/kind", "RoleBinding"},
	{"POST", ROLES, "{'metadata':{'name':'secrets'}," READ_SECRETS "}", 201, "/kind", "Role"},
};

/* A request of jane's. */
static int as_jane(struct world *w, const char *method, const char *path, const char *body,
		   struct str *ret_message, struct answer *answer)
{
	static const struct str groups[] = {STR_INIT("system:authenticated")};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct call *call = world_question(w, method, path, quotes_text(arena, body), answer);

	call->user = (struct user){.name = STR("jane"), .groups = groups, .group_count = 1};
	api_serve(call);
	while (!answer->done)
		loop_turn(w->loop, -1);
	world_settle(w);
	*ret_message = json_str(json_get(json_doc_root(answer->doc), "message"));
	return answer->code;
}

static void jane(struct world *w, const char *method, const char *path, const char *body, int code,
		 const char *message)
{
	struct answer answer = {0};
	struct str text;
	int got = as_jane(w, method, path, body, &text, &answer);

	if (!ok(got == code && str_starts(text, str_from(message)), "jane: %s %s: %d", method, path,
		code))
		printf("#   %d %.*s\n", got, STR_ARG(text));
	answer_done(&answer);
}

static void test_grants(struct world *w)
{
	quotes_steps(w, given, ARRAY_LEN(given));
	jane(w, "POST", ROLES, "{'metadata':{'name':'more'}," READ_SECRETS "}", 201, "");
	jane(w, "PUT", ROLES "/more", "{'metadata':{'name':'more'}," READ_SECRETS "}", 200, "");
	quotes_steps(w,
		     (const struct step[]){{"PATCH merge", ROLES "/writer",
					    "{'rules':[{'verbs':['create','update','patch'],"
					    "'apiGroups':['rbac.authorization.k8s.io'],"
					    "'resources':['roles','rolebindings']}]}",
					    200, "/kind", "Role"}},
		     1);
	jane(w, "POST", ROLES, "{'metadata':{'name':'evil'}," READ_SECRETS "}", 403,
	     "roles.rbac.authorization.k8s.io \"evil\" is forbidden: user \"jane\" "
	     "(groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not "
	     "currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}");
	jane(w, "PATCH merge", ROLES "/more",
	     "{'rules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*']}]}", 403,
	     "roles.rbac.authorization.k8s.io \"more\" is forbidden: user \"jane\"");
	jane(w, "PATCH merge", ROLES "/more", "{'metadata':{'finalizers':['a.com/x']}}", 200, "");
	jane(w, "POST", BINDINGS,
	     "{'metadata':{'name':'b'}," TO_JANE "," REF("Role", "secrets") "}", 403,
	     "rolebindings.rbac.authorization.k8s.io \"b\" is forbidden: user \"jane\"");
	jane(w, "POST", BINDINGS,
	     "{'metadata':{'name':'b'}," TO_JANE "," REF("ClusterRole", "cluster-admin") "}", 403,
	     "rolebindings.rbac.authorization.k8s.io \"b\" is forbidden: user \"jane\"");
	jane(w, "POST", BINDINGS, "{'metadata':{'name':'b'}," TO_JANE "," REF("Role", "none") "}",
	     404, "rolebindings.rbac.authorization.k8s.io \"none\" not found");
	jane(w, "POST", BINDINGS,
	     "{'metadata':{'name':'own'}," TO_JANE "," REF("Role", "writer") "}", 201, "");
}

int main(void)
{
	struct world w = world_new();

	world_settle(&w);
	quotes_steps(&w, defaults, ARRAY_LEN(defaults));
	quotes_steps(&w, gathered, ARRAY_LEN(gathered));
	test_grants(&w);
	quotes_steps(&w, edited, ARRAY_LEN(edited));
	world_restart(&w);
	world_settle(&w);
	quotes_steps(&w, restarted, ARRAY_LEN(restarted));
	int64_t revision = store_revision(w.store);
	world_restart(&w);
	world_settle(&w);
	ok(store_revision(w.store) == revision, "a start that finds all as it is writes nothing");
	world_free(&w);
	return tap_done();
}
