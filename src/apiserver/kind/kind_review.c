/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_review.c - reviews of identity and access: `kubectl auth whoami`,
 * `kubectl auth can-i`, and what operators ask before they act for others.
 *
 * Nothing is stored: the question comes back with its answer. Access is decided by the same code that
 * authorizes requests (access.h). */
#include "apiserver/api_internal.h"
#include "apiserver/auth/access.h"
#include "apiserver/auth/auth.h"
#include "apiserver/auth/token.h"
#include "apiserver/kind/kind_row.h"
#include "apiserver/reconcile/reconcilers.h"
#include "authorization/roles.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/group/review.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

static struct json_doc *read_question(struct call *call)
{
	struct err err;
	struct json_doc *doc =
		body_decode(call, call->body.doc ? json_doc_root(call->body.doc) : JSON_NONE, &err);

	if (!doc)
		call_answer_err(call, &err);
	return doc;
}

static void put_groups(struct json_doc *doc, struct json to, const struct str *groups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_append(doc, json_ensure_arr(doc, to, "groups"), json_new_str(doc, groups[i]));
}

static void put_own_extra(struct json_doc *doc, struct json to, const struct user_extra *extra)
{
	struct json list = json_get_str(to, extra->key);

	if (json_is_absent(list)) {
		list = json_new_arr(doc);
		json_set(doc, to, extra->key, list);
	}
	json_append(doc, list, json_new_str(doc, extra->value));
}

static void serve_whoami(struct call *call)
{
	AUTO(json_doc_unref) struct json_doc *doc = read_question(call);
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	struct json info;
	char time[TIME_TEXT_SIZE];

	if (!doc)
		return;
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "creationTimestamp",
		     str_from(time_print(api_now(call->api), time)));
	info = json_ensure_obj(doc, json_ensure_obj(doc, root, "status"), "userInfo");
	json_set_str(doc, info, "username", call->user.name);
	if (call->user.uid.len)
		json_set_str(doc, info, "uid", call->user.uid);
	put_groups(doc, info, call->user.groups, call->user.group_count);
	for (size_t i = 0; i < call->user.extra_count; i++)
		put_own_extra(doc, json_ensure_obj(doc, info, "extra"), &call->user.extra[i]);
	call_answer_doc(call, 201, TAKE(doc));
}

static void put_extra(struct json_doc *doc, struct json user, const char *name, const char *prefix,
		      struct json value)
{
	struct json list;

	if (!json_str(value).len)
		return;
	list = json_ensure_arr(doc, json_ensure_obj(doc, user, "extra"), name);
	json_append(doc, list, json_new_printf(doc, "%s%.*s", prefix, STR_ARG(json_str(value))));
}

/* Who has a token of a service account. */
static void put_account(struct json_doc *doc, struct json status, struct json claims,
			struct json wanted)
{
	struct json own = json_get(claims, "kubernetes.io");
	struct json pod = json_get(own, "pod");
	struct json user = json_ensure_obj(doc, status, "user");
	struct json audiences = json_ensure_arr(doc, status, "audiences");
	struct json_iter it = json_iter(wanted);
	AUTO(mem_free)
	char *group = mem_printf("system:serviceaccounts:%.*s",
				 STR_ARG(json_str(json_get(own, "namespace"))));
	const struct str groups[] = {STR("system:serviceaccounts"), str_from(group),
				     STR("system:authenticated")};

	json_set_str(doc, user, "username", json_str(json_get(claims, "sub")));
	json_set_str(doc, user, "uid", json_str(json_get(json_get(own, "serviceaccount"), "uid")));
	put_groups(doc, user, groups, ARRAY_LEN(groups));
	put_extra(doc, user, "authentication.kubernetes.io/credential-id",
		  "JTI=", json_get(claims, "jti"));
	put_extra(doc, user, "authentication.kubernetes.io/pod-name", "", json_get(pod, "name"));
	put_extra(doc, user, "authentication.kubernetes.io/pod-uid", "", json_get(pod, "uid"));
	if (!json_len(wanted))
		json_append(doc, audiences, json_new_str(doc, STR(TOKEN_ISSUER)));
	while (json_next(&it))
		if (json_has_str(json_get(claims, "aud"), json_str(it.value)))
			json_append(doc, audiences, json_new_copy(doc, it.value));
}

static void serve_token(struct call *call)
{
	AUTO(json_doc_unref) struct json_doc *doc = read_question(call);
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	struct json wanted = json_get(json_get(root, "spec"), "audiences");
	struct str token = rule_text(json_get(root, "spec"), "token");
	AUTO(json_doc_unref) struct json_doc *claims = NULL;
	const struct user *known = NULL;
	struct json status;
	struct err err;

	if (!doc)
		return;
	if (!token.len) {
		(void)err_set(&err, ERR_BAD_REQUEST,
			      "token is required for TokenReview in authentication");
		call_answer_err(call, &err);
		return;
	}
	status = json_new_obj(doc);
	claims = token_read(call->api, token, wanted);
	/* a token of a file is for this server, and so for no other audience */
	if (!claims && call->api->auth && !json_len(wanted))
		known = auth_find_token(call->api->auth, token);
	if (claims || known)
		json_set(doc, status, STR("authenticated"), json_new_bool(doc, true));
	if (known) {
		struct json user = json_ensure_obj(doc, status, "user");

		json_set_str(doc, user, "username", known->name);
		put_groups(doc, user, known->groups, known->group_count);
		json_append(doc, json_ensure_arr(doc, status, "audiences"),
			    json_new_str(doc, STR(TOKEN_ISSUER)));
	} else if (claims) {
		put_account(doc, status, json_doc_root(claims), wanted);
	} else {
		(void)json_ensure_obj(doc, status, "user");
		json_set_str(doc, status, "error", STR("invalid bearer token"));
	}
	json_set(doc, root, STR("status"), status);
	call_answer_doc(call, 201, TAKE(doc));
}

/* A question has no name. The namespace is cleared or checked elsewhere. */
static void check_no_metadata(const struct call *call, struct json metadata, struct causes *causes)
{
	PATH(path, NULL, "metadata");
	struct json_iter it = json_iter(metadata);

	while (json_next(&it)) {
		if (rules_is_empty(it.value) || str_is(it.key, "managedFields") ||
		    str_is(it.key, "namespace"))
			continue;
		causes_invalid(causes, &path, metadata, "%s",
			       call->kind->namespaced ? "must be empty except for namespace"
						      : "must be empty");
		return;
	}
}

/* Operators that this version does not know are accepted, as kube-apiserver does. */
static void check_requirement(struct json requirement, bool label, const struct path *up,
			      struct causes *causes)
{
	struct str operator= rule_text(requirement, "operator");
	size_t count = json_len(json_get(requirement, "values"));
	PATH(key, up, "key");
	PATH(values, up, "values");

	if ((str_is(operator, "In") || str_is(operator, "NotIn")) && !count)
		causes_required(causes, &values,
				"must be specified when `operator` is 'In' or 'NotIn'");
	if ((str_is(operator, "Exists") || str_is(operator, "DoesNotExist")) && count)
		causes_forbidden(causes, &values,
				 "may not be specified when `operator` is 'Exists' or "
				 "'DoesNotExist'");
	if (label)
		(void)name_validate(NAME_QUALIFIED, rule_text(requirement, "key"), &key, causes);
	else if (!rule_text(requirement, "key").len)
		causes_required(causes, &key, "must be specified");
}

/* A selector that limits what is asked about: it is checked, and grants nothing more or less. */
static void check_selector(struct json attributes, const char *key, const struct path *up,
			   struct causes *causes)
{
	struct json selector = json_get(attributes, key);
	struct json requirements = json_get(selector, "requirements");
	struct str raw = rule_text(selector, "rawSelector");
	struct json_iter it = json_iter(requirements);
	struct path path = path_member(up, str_from(key));
	PATH(raw_path, &path, "rawSelector");
	PATH(list, &path, "requirements");

	if (!json_is(selector, JSON_OBJ))
		return;
	if (raw.len && json_len(requirements))
		causes_invalid_str(causes, &raw_path, raw,
				   "may not specified at the same time as requirements");
	if (!raw.len && !json_len(requirements))
		causes_add(causes, CAUSE_REQUIRED, &list,
			   "Required value: when spec.resourceAttributes.%s is specified, "
			   "requirements or rawSelector is required",
			   key);
	while (json_next(&it)) {
		struct path item = path_index(&list, it.index);

		check_requirement(it.value, str_is(str_from(key), "labelSelector"), &item, causes);
	}
}

/* Exactly one kind of attributes is given, and a review about another user names that user. */
static bool is_invalid(struct call *call, struct json root, bool others)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct json spec = json_get(root, "spec");
	bool resource = json_is(json_get(spec, "resourceAttributes"), JSON_OBJ);
	bool other = json_is(json_get(spec, "nonResourceAttributes"), JSON_OBJ);
	PATH(path, NULL, "spec");
	PATH(resource_path, &path, "resourceAttributes");
	PATH(other_path, &path, "nonResourceAttributes");
	PATH(user, &path, "user");

	if (resource && other)
		rule_invalid_go(&non_resource_attributes_type,
				json_get(spec, "nonResourceAttributes"), &other_path, &causes,
				"cannot be specified in combination with resourceAttributes");
	if (!resource && !other)
		causes_add(&causes, CAUSE_INVALID, &resource_path,
			   "Invalid value: null: exactly one of nonResourceAttributes or "
			   "resourceAttributes must be specified");
	check_selector(json_get(spec, "resourceAttributes"), "fieldSelector", &resource_path,
		       &causes);
	check_selector(json_get(spec, "resourceAttributes"), "labelSelector", &resource_path,
		       &causes);
	if (others && !rule_text(spec, "user").len && !json_len(json_get(spec, "groups")))
		causes_invalid_str(&causes, &user, STR(""),
				   "at least one of user or group must be specified");
	check_no_metadata(call, json_get(root, "metadata"), &causes);
	if (!causes.len)
		return false;
	/* upstream names the group alone */
	call_answer_invalid(call, call->kind->group, STR(""), STR(""), &causes);
	return true;
}

/* The user that a review is about; texts are lent from the spec. */
static struct user subject_of(struct call *call, struct json spec)
{
	struct json groups = json_get(spec, "groups");
	struct str *list = arena_calloc(call->arena, json_len(groups) + 1, sizeof(*list));
	struct user user = {.name = rule_text(spec, "user"), .groups = list};

	for (struct json_iter it = json_iter(groups); json_next(&it);)
		list[user.group_count++] = json_str(it.value);
	return user;
}

static struct str text_of(struct json object, const char *key)
{
	struct str text = rule_text(object, key);

	return text.len ? text : STR("");
}

/* What a review asks about. */
static struct access asked(struct json spec)
{
	struct json resource = json_get(spec, "resourceAttributes");
	struct json other = json_get(spec, "nonResourceAttributes");
	struct access access = {
		.verb = text_of(resource, "verb"),
		.group = text_of(resource, "group"),
		.plural = text_of(resource, "resource"),
		.sub = text_of(resource, "subresource"),
		.namespace = text_of(resource, "namespace"),
		.name = text_of(resource, "name"),
	};

	if (json_is(other, JSON_OBJ))
		return (struct access){.verb = text_of(other, "verb"),
				       .path = text_of(other, "path")};
	return access;
}

static void answer_access(struct call *call, bool others)
{
	AUTO(json_doc_unref) struct json_doc *doc = read_question(call);
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	struct json spec = json_get(root, "spec");
	AUTO(buf_done) struct buf reason = BUF_UNBOUNDED;
	struct user user;
	struct access access;
	struct json status;

	if (!doc || is_invalid(call, root, others))
		return;
	user = others ? subject_of(call, spec) : call->user;
	access = asked(spec);
	status = json_new_obj(doc);
	json_set(doc, status, STR("allowed"),
		 json_new_bool(doc, access_is_allowed_by(call->api, &user, &access, &reason)));
	if (reason.len)
		json_set_str(doc, status, "reason", buf_str(&reason));
	json_set(doc, root, STR("status"), status);
	call_answer_doc(call, 201, TAKE(doc));
}

static void serve_own_access(struct call *call)
{
	answer_access(call, false);
}

static void serve_access(struct call *call)
{
	answer_access(call, true);
}

static void put_text(struct json_doc *doc, struct json rule, const char *key, struct str text)
{
	json_append(doc, json_ensure_arr(doc, rule, key), json_new_str(doc, text));
}

/* What the user may do with a kind in a namespace by their groups, without roles; absent if that is nothing. */
static struct json rule_of_kind(struct call *call, struct json_doc *doc, const struct kind *kind,
				struct str namespace)
{
	struct json rule = json_new_obj(doc);
	bool any = false;

	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		struct access access = {
			.verb = str_from(verb_name(verb)),
			.group = kind->group,
			.plural = kind->plural,
			.sub = STR(""),
			.namespace = kind->namespaced ? namespace : STR(""),
		};

		if (!(kind->verbs & 1U << verb) ||
		    !access_is_allowed(NULL, &call->user, &access, NULL))
			continue;
		put_text(doc, rule, "verbs", access.verb);
		any = true;
	}
	if (!any)
		return JSON_NONE;
	put_text(doc, rule, "apiGroups", kind->group);
	put_text(doc, rule, "resources", kind->plural);
	return rule;
}

static void put_rules(struct call *call, struct json_doc *doc, struct json resources,
		      struct str namespace)
{
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(api_kinds(call->api), &at))) {
		struct json rule;

		if (kind->hidden)
			continue;
		rule = rule_of_kind(call, doc, kind, namespace);
		if (!json_is_absent(rule))
			json_append(doc, resources, rule);
	}
}

/* The rules of roles, as they are written there. */
struct rule_lists {
	struct json_doc *doc;
	struct json resources;
	struct json others;
};

static void put_list(struct json_doc *doc, struct json rule, const char *key,
		     const struct strs *list)
{
	for (size_t i = 0; i < list->len; i++)
		put_text(doc, rule, key, list->ptr[i]);
}

static void put_role_rule(void *arg, const struct policy_rule *rule)
{
	struct rule_lists *lists = arg;
	struct json_doc *doc = lists->doc;
	struct json put = json_new_obj(doc);

	put_list(doc, put, "verbs", &rule->verbs);
	if (rule->non_resource_urls.len) {
		put_list(doc, put, "nonResourceURLs", &rule->non_resource_urls);
		json_append(doc, lists->others, put);
		return;
	}
	put_list(doc, put, "apiGroups", &rule->api_groups);
	put_list(doc, put, "resources", &rule->resources);
	put_list(doc, put, "resourceNames", &rule->resource_names);
	json_append(doc, lists->resources, put);
}

static void serve_rules(struct call *call)
{
	AUTO(json_doc_unref) struct json_doc *doc = read_question(call);
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	struct str namespace = rule_text(json_get(root, "spec"), "namespace");
	struct json status;
	struct json resources;
	struct json others;

	if (!doc)
		return;
	if (!namespace.len) {
		struct err err;

		(void)err_set(&err, ERR_BAD_REQUEST, "no namespace on request");
		call_answer_err(call, &err);
		return;
	}
	status = json_new_obj(doc);
	resources = json_ensure_arr(doc, status, "resourceRules");
	others = json_ensure_arr(doc, status, "nonResourceRules");
	if (reconcile_roles_get(call->api))
		roles_each_rule(reconcile_roles_get(call->api), &call->user, namespace,
				put_role_rule, &(struct rule_lists){doc, resources, others});
	if (!user_has_group(&call->user, GROUP_ADMINISTRATORS))
		put_rules(call, doc, resources, namespace);
	json_set(doc, status, STR("incomplete"), json_new_bool(doc, false));
	json_set(doc, root, STR("spec"), json_new_obj(doc)); /* as kube-apiserver answers */
	json_set(doc, root, STR("status"), status);
	call_answer_doc(call, 201, TAKE(doc));
}

#define ACCESS(plural_name, singular_name, kind_name, table) \
	ROW("authorization.k8s.io", "v1", plural_name, singular_name, kind_name, table)

static const struct kind rows[] = {
	{ROW("authentication.k8s.io", "v1", "selfsubjectreviews", "selfsubjectreview",
	     "SelfSubjectReview", self_subject_review_type),
	 .verbs = VERBS_CREATE, .serve = serve_whoami},
	{ROW("authentication.k8s.io", "v1", "tokenreviews", "tokenreview", "TokenReview",
	     token_review_type),
	 .verbs = VERBS_CREATE, .serve = serve_token},
	{ACCESS("localsubjectaccessreviews", "localsubjectaccessreview", "LocalSubjectAccessReview",
		local_subject_access_review_type),
	 .namespaced = true, .verbs = VERBS_CREATE, .serve = serve_access},
	{ACCESS("selfsubjectaccessreviews", "selfsubjectaccessreview", "SelfSubjectAccessReview",
		self_subject_access_review_type),
	 .verbs = VERBS_CREATE, .serve = serve_own_access},
	{ACCESS("selfsubjectrulesreviews", "selfsubjectrulesreview", "SelfSubjectRulesReview",
		self_subject_rules_review_type),
	 .verbs = VERBS_CREATE, .serve = serve_rules},
	{ACCESS("subjectaccessreviews", "subjectaccessreview", "SubjectAccessReview",
		subject_access_review_type),
	 .verbs = VERBS_CREATE, .serve = serve_access},
};

const struct kind_group kind_group_reviews = {rows, ARRAY_LEN(rows)};
