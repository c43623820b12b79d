/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/roles.c - see roles.h.
 *
 * Three maps: roles and bindings by "NAMESPACE/NAME", and `subjects` from "NAMESPACE/KIND NAME" to the bindings of that
 * namespace that name the subject. A service account is the user that its tokens name. A name may contain a slash, a
 * namespace may not, so that no two keys are alike.
 *
 * A binding that names a user in several ways is visited once in a walk: it carries the number of the walk. */
#include "authorization/roles.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/rules/causes.h"

#include "base/banned.h"

/* So many comparisons of a granted part with a rule are made for one write at most. */
enum { COMPARISONS_MOST = 1000000 };
enum { MISSING_MOST = 100 }; /* parts that a refusal lists */

struct known_role {
	char *key;
	struct arena *arena;
	struct json_doc *texts;
	struct role_rules rules;
};

struct subjects {
	char *key;
	VEC(struct binding *) bindings;
};

struct binding {
	char *key;
	struct str namespace; /* in `key` */
	struct str name;
	struct str role_kind; /* in `texts`, as the subjects */
	struct str role_name;
	char *role_key; /* NULL: it cannot name a role */
	struct arena *arena;
	struct json_doc *texts;
	const struct subject *subjects;
	size_t subject_count;
	uint64_t walk; /* the last one that visited it */
};

struct roles {
	struct map *roles;
	struct map *bindings;
	struct map *subjects;
	uint64_t walk;
};

struct roles *roles_new(void)
{
	struct roles *roles = mem_new(struct roles);

	roles->roles = map_new(0);
	roles->bindings = map_new(0);
	roles->subjects = map_new(0);
	return roles;
}

static void role_free(struct known_role *role)
{
	if (!role)
		return;
	arena_free(role->arena);
	json_doc_unref(role->texts);
	mem_free(role->key);
	mem_free(role);
}

static void binding_free(struct binding *binding)
{
	if (!binding)
		return;
	arena_free(binding->arena);
	json_doc_unref(binding->texts);
	mem_free(binding->role_key);
	mem_free(binding->key);
	mem_free(binding);
}

static void subjects_free(struct subjects *subjects)
{
	vec_done(&subjects->bindings);
	mem_free(subjects->key);
	mem_free(subjects);
}

void roles_free(struct roles *roles)
{
	void *value;
	size_t at = 0;

	if (!roles)
		return;
	while (map_next(roles->roles, &at, NULL, &value))
		role_free(value);
	for (at = 0; map_next(roles->bindings, &at, NULL, &value);)
		binding_free(value);
	for (at = 0; map_next(roles->subjects, &at, NULL, &value);)
		subjects_free(value);
	map_free(roles->roles);
	map_free(roles->bindings);
	map_free(roles->subjects);
	mem_free(roles);
}

/* --- keys ------------------------------------------------------------------------------------ */

static char *make_key(struct str namespace, struct str name)
{
	return mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
}

/* "NAMESPACE/KIND NAME". False: such a subject names no user. */
static bool put_subject_key(struct buf *to, struct str namespace, const struct subject *subject)
{
	struct str home = subject->namespace.len ? subject->namespace : namespace;

	buf_printf(to, "%.*s/", STR_ARG(namespace));
	if (str_is(subject->kind, "ServiceAccount"))
		buf_printf(to, "User system:serviceaccount:%.*s:%.*s", STR_ARG(home),
			   STR_ARG(subject->name));
	else
		buf_printf(to, "%.*s %.*s", STR_ARG(subject->kind), STR_ARG(subject->name));
	if (str_is(subject->kind, "ServiceAccount"))
		return home.len > 0;
	return str_is(subject->kind, "User") || str_is(subject->kind, "Group");
}

/* --- roles ----------------------------------------------------------------------------------- */

void roles_remove_role(struct roles *roles, struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = make_key(namespace, name);

	role_free(map_remove(roles->roles, str_from(key)));
}

/* A document of its own, so that the texts live as long as the view. */
static struct json_doc *copy_of(struct json object)
{
	return json_doc_thaw(object);
}

void roles_set_role(struct roles *roles, struct str namespace, struct str name, struct json object)
{
	struct known_role *role = mem_new(struct known_role);
	struct clusterrole view = {0};
	struct err err;

	roles_remove_role(roles, namespace, name);
	role->key = make_key(namespace, name);
	role->arena = arena_new(0);
	role->texts = copy_of(object);
	if (type_decode(&clusterrole_type, json_doc_root(role->texts), role->arena, &view, &err) ==
	    0)
		role->rules = (struct role_rules){view.rules.ptr, view.rules.len};
	(void)map_put(roles->roles, str_from(role->key), role);
}

/* The key of a role that a binding in this namespace names; NULL: there is no such kind of role. */
static char *make_role_key(struct str namespace, struct str kind, struct str name)
{
	if (str_is(kind, "ClusterRole"))
		return make_key(STR(""), name);
	return str_is(kind, "Role") && namespace.len ? make_key(namespace, name) : NULL;
}

static const struct role_rules *find_rules(const struct roles *roles, const char *key)
{
	const struct known_role *role = key ? map_get(roles->roles, str_from(key)) : NULL;

	return role ? &role->rules : NULL;
}

const struct role_rules *roles_find_rules(const struct roles *roles, struct str namespace,
					  struct str kind, struct str name)
{
	AUTO(mem_free) char *key = make_role_key(namespace, kind, name);

	return find_rules(roles, key);
}

/* --- bindings -------------------------------------------------------------------------------- */

static void index_subject(struct roles *roles, struct binding *binding,
			  const struct subject *subject)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct subjects *found;

	if (!put_subject_key(&key, binding->namespace, subject))
		return;
	found = map_get(roles->subjects, buf_str(&key));
	if (!found) {
		found = mem_new(struct subjects);
		found->key = buf_take(&key);
		(void)map_put(roles->subjects, str_from(found->key), found);
	}
	/* one that is listed twice is indexed once */
	if (!found->bindings.len || found->bindings.ptr[found->bindings.len - 1] != binding)
		vec_push(&found->bindings, binding);
}

static void forget_subject(struct roles *roles, const struct binding *binding,
			   const struct subject *subject)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct subjects *found = NULL;

	if (put_subject_key(&key, binding->namespace, subject))
		found = map_get(roles->subjects, buf_str(&key));
	for (size_t i = 0; found && i < found->bindings.len; i++)
		if (found->bindings.ptr[i] == binding) {
			vec_remove(&found->bindings, i);
			break;
		}
	if (found && !found->bindings.len) {
		(void)map_remove(roles->subjects, str_from(found->key));
		subjects_free(found);
	}
}

void roles_remove_binding(struct roles *roles, struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = make_key(namespace, name);
	struct binding *binding = map_remove(roles->bindings, str_from(key));

	for (size_t i = 0; binding && i < binding->subject_count; i++)
		forget_subject(roles, binding, &binding->subjects[i]);
	binding_free(binding);
}

void roles_set_binding(struct roles *roles, struct str namespace, struct str name,
		       struct json object)
{
	struct binding *binding = mem_new(struct binding);
	struct rolebinding view = {0};
	struct err err;

	roles_remove_binding(roles, namespace, name);
	binding->key = make_key(namespace, name);
	binding->namespace = str_of(binding->key, namespace.len);
	binding->name = str_skip(str_from(binding->key), namespace.len + 1);
	binding->arena = arena_new(0);
	binding->texts = copy_of(object);
	if (type_decode(&rolebinding_type, json_doc_root(binding->texts), binding->arena, &view,
			&err) == 0) {
		binding->role_kind = view.role_ref.kind;
		binding->role_name = view.role_ref.name;
		binding->subjects = view.subjects.ptr;
		binding->subject_count = view.subjects.len;
		binding->role_key =
			make_role_key(namespace, view.role_ref.kind, view.role_ref.name);
	}
	(void)map_put(roles->bindings, str_from(binding->key), binding);
	for (size_t i = 0; i < binding->subject_count; i++)
		index_subject(roles, binding, &binding->subjects[i]);
}

/* --- walks ----------------------------------------------------------------------------------- */

/* A binding of the user. `rules` is NULL if its role does not exist. False ends the walk. */
typedef bool visit_fn(void *arg, const struct binding *binding, const struct role_rules *rules,
		      const struct subject *identity);

struct walk {
	struct roles *roles;
	visit_fn *visit;
	void *arg;
	struct buf key;
};

static bool visit_identity(struct walk *walk, struct str namespace, const struct subject *identity)
{
	struct roles *roles = walk->roles;
	struct subjects *found;

	walk->key.len = 0;
	(void)put_subject_key(&walk->key, namespace, identity);
	found = map_get(roles->subjects, buf_str(&walk->key));
	for (size_t i = 0; found && i < found->bindings.len; i++) {
		struct binding *binding = found->bindings.ptr[i];

		if (binding->walk == roles->walk)
			continue;
		binding->walk = roles->walk;
		if (!walk->visit(walk->arg, binding, find_rules(roles, binding->role_key),
				 identity))
			return false;
	}
	return true;
}

static bool visit_scope(struct walk *walk, struct str namespace, const struct user *user)
{
	struct subject identity = {.kind = STR("User"), .name = user->name};

	if (!visit_identity(walk, namespace, &identity))
		return false;
	identity.kind = STR("Group");
	for (size_t i = 0; i < user->group_count; i++) {
		identity.name = user->groups[i];
		if (!visit_identity(walk, namespace, &identity))
			return false;
	}
	return true;
}

static void visit_bindings(struct roles *roles, const struct user *user, struct str namespace,
			   visit_fn *visit, void *arg)
{
	struct walk walk = {roles, visit, arg, BUF_UNBOUNDED};

	roles->walk++;
	if (visit_scope(&walk, STR(""), user) && namespace.len)
		(void)visit_scope(&walk, namespace, user);
	buf_done(&walk.key);
}

/* --- decisions ------------------------------------------------------------------------------- */

struct question {
	const struct access *access;
	bool allowed;
	struct buf *reason; /* may be NULL */
	size_t missing;
};

/* As its subject says: a service account by name and namespace. */
static void put_subject(struct buf *to, const struct binding *binding,
			const struct subject *identity)
{
	struct str account = identity->name;
	struct str prefix = STR("system:serviceaccount:");

	for (size_t i = 0; i < binding->subject_count; i++) {
		const struct subject *subject = &binding->subjects[i];
		struct str home = subject->namespace.len ? subject->namespace : binding->namespace;

		if (!str_is(subject->kind, "ServiceAccount") || !str_starts(account, prefix) ||
		    account.len != prefix.len + home.len + 1 + subject->name.len ||
		    !str_starts(str_skip(account, prefix.len), home) ||
		    !str_ends(account, subject->name))
			continue;
		buf_printf(to, "ServiceAccount \"%.*s/%.*s\"", STR_ARG(subject->name),
			   STR_ARG(home));
		return;
	}
	buf_printf(to, "%.*s ", STR_ARG(identity->kind));
	causes_quote(to, identity->name);
}

static void put_allowed(struct buf *to, const struct binding *binding,
			const struct subject *identity)
{
	if (binding->namespace.len)
		buf_printf(to, "RBAC: allowed by RoleBinding \"%.*s/%.*s\"", STR_ARG(binding->name),
			   STR_ARG(binding->namespace));
	else
		buf_printf(to, "RBAC: allowed by ClusterRoleBinding \"%.*s\"",
			   STR_ARG(binding->name));
	buf_printf(to, " of %.*s \"%.*s\" to ", STR_ARG(binding->role_kind),
		   STR_ARG(binding->role_name));
	put_subject(to, binding, identity);
}

static void note_missing(struct question *question, const struct binding *binding)
{
	const char *plural = str_is(binding->role_kind, "Role") ? "role" : "clusterrole";

	if (!question->reason || question->missing >= MISSING_MOST)
		return;
	buf_printf(question->reason, "%s%s.rbac.authorization.k8s.io \"%.*s\" not found",
		   question->missing ? ", " : "", plural, STR_ARG(binding->role_name));
	question->missing++;
}

static bool ask_binding(void *arg, const struct binding *binding, const struct role_rules *rules,
			const struct subject *identity)
{
	struct question *question = arg;

	if (!rules)
		note_missing(question, binding);
	for (size_t i = 0; rules && i < rules->len; i++) {
		if (!permission_allows(&rules->ptr[i], question->access))
			continue;
		question->allowed = true;
		if (question->reason) {
			question->reason->len = 0;
			put_allowed(question->reason, binding, identity);
		}
		return false;
	}
	return true;
}

bool roles_allow(struct roles *roles, const struct user *user, const struct access *access,
		 struct buf *reason)
{
	AUTO(buf_done) struct buf missing = BUF_UNBOUNDED;
	struct question question = {.access = access, .reason = reason ? &missing : NULL};
	struct str namespace = str_is_none(access->path) ? access->namespace : STR("");

	visit_bindings(roles, user, namespace, ask_binding, &question);
	if (!reason)
		return question.allowed;
	if (question.allowed)
		buf_put_str(reason, buf_str(&missing));
	else if (question.missing)
		buf_printf(reason, question.missing > 1 ? "RBAC: [%s]" : "RBAC: %s",
			   buf_text(&missing));
	return question.allowed;
}

struct rule_walk {
	roles_rule_fn *fn;
	void *arg;
};

static bool pass_rules(void *arg, const struct binding *binding, const struct role_rules *rules,
		       const struct subject *identity)
{
	struct rule_walk *rule_walk = arg;

	(void)binding;
	(void)identity;
	for (size_t i = 0; rules && i < rules->len; i++)
		rule_walk->fn(rule_walk->arg, &rules->ptr[i]);
	return true;
}

void roles_each_rule(struct roles *roles, const struct user *user, struct str namespace,
		     roles_rule_fn *fn, void *arg)
{
	struct rule_walk rule_walk = {fn, arg};

	visit_bindings(roles, user, namespace, pass_rules, &rule_walk);
}

/* --- grants ---------------------------------------------------------------------------------- */

struct owned {
	VEC(const struct policy_rule *) rules;
};

static void own_rule(void *arg, const struct policy_rule *rule)
{
	struct owned *owned = arg;

	vec_push(&owned->rules, rule);
}

static bool is_owned(const struct owned *owned, const struct permission_part *part)
{
	for (size_t i = 0; i < owned->rules.len; i++)
		if (permission_covers(owned->rules.ptr[i], part))
			return true;
	return false;
}

/* What is missing, one line for all verbs of a resource. */
struct missing {
	struct arena *arena;
	struct map *by_thing; /* the line up to its verbs -> struct line */
	VEC(struct line *) lines;
};
struct line {
	struct buf text;
};

static void put_list(struct buf *to, const char *name, struct str value)
{
	buf_printf(to, "%s%s:[", to->len > 1 ? ", " : "", name);
	causes_quote(to, value);
	buf_puts(to, "]");
}

static void add_missing(struct missing *missing, const struct permission_part *part)
{
	AUTO(buf_done) struct buf thing = BUF_UNBOUNDED;
	struct line *line;

	buf_puts(&thing, "{");
	if (str_is_none(part->resource)) {
		put_list(&thing, "NonResourceURLs", part->url);
	} else {
		put_list(&thing, "APIGroups", part->group);
		put_list(&thing, "Resources", part->resource);
		if (!str_is_none(part->name))
			put_list(&thing, "ResourceNames", part->name);
	}
	/* Kubernetes joins the verbs of resources only */
	line = str_is_none(part->resource) ? NULL : map_get(missing->by_thing, buf_str(&thing));
	if (line) {
		buf_puts(&line->text, " ");
	} else {
		line = arena_calloc(missing->arena, 1, sizeof(*line));
		line->text = buf_make(SIZE_MAX / 4);
		vec_push(&missing->lines, line);
		(void)map_put(missing->by_thing, arena_str(missing->arena, buf_str(&thing)), line);
		buf_put_str(&line->text, buf_str(&thing));
		buf_puts(&line->text, ", Verbs:[");
	}
	causes_quote(&line->text, part->verb);
}

static int compare_lines(const void *a, const void *b)
{
	return str_cmp(buf_str(&(*(struct line *const *)a)->text),
		       buf_str(&(*(struct line *const *)b)->text));
}

static int refuse(const struct user *user, struct missing *missing, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "user ");
	causes_quote(&text, user->name);
	buf_puts(&text, " (groups=[");
	for (size_t i = 0; i < user->group_count; i++) {
		buf_puts(&text, i ? " " : "");
		causes_quote(&text, user->groups[i]);
	}
	buf_puts(&text, "]) is attempting to grant RBAC permissions not currently held:\n");
	qsort(missing->lines.ptr, missing->lines.len, sizeof(struct line *), compare_lines);
	for (size_t i = 0; i < missing->lines.len && i < MISSING_MOST; i++)
		buf_printf(&text, "%s%s]}", i ? "\n" : "", buf_text(&missing->lines.ptr[i]->text));
	if (missing->lines.len > MISSING_MOST)
		buf_printf(&text, "\nand %zu more", missing->lines.len - MISSING_MOST);
	return err_set(err, ERR_FORBIDDEN, "%s", buf_text(&text));
}

/* The comparisons that the check would take. */
static size_t cost_of(const struct owned *owned, struct role_rules rules)
{
	size_t parts = 0;

	for (size_t i = 0; i < rules.len; i++)
		if (__builtin_add_overflow(parts, permission_part_count(&rules.ptr[i]), &parts))
			return SIZE_MAX;
	return __builtin_mul_overflow(parts, owned->rules.len + 1, &parts) ? SIZE_MAX : parts;
}

static int check_parts(const struct user *user, const struct owned *owned, struct role_rules rules,
		       struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(map_free) struct map *by_thing = map_new(0);
	struct missing missing = {.arena = arena, .by_thing = by_thing};
	int rc = 0;

	for (size_t i = 0; i < rules.len; i++) {
		size_t count = permission_part_count(&rules.ptr[i]);

		for (size_t j = 0; j < count; j++) {
			struct permission_part part = permission_part(&rules.ptr[i], j);

			if (!is_owned(owned, &part))
				add_missing(&missing, &part);
		}
	}
	if (missing.lines.len)
		rc = refuse(user, &missing, err);
	for (size_t i = 0; i < missing.lines.len; i++)
		buf_done(&missing.lines.ptr[i]->text);
	vec_done(&missing.lines);
	return rc;
}

int roles_check_grant(struct roles *roles, const struct user *user, struct str namespace,
		      struct role_rules rules, struct err *err)
{
	struct owned owned = {0};
	int rc;

	roles_each_rule(roles, user, namespace, own_rule, &owned);
	if (cost_of(&owned, rules) > COMPARISONS_MOST)
		rc = err_set(
			err, ERR_FORBIDDEN,
			"the rules have too many combinations of verbs, resources and names to "
			"compare with those of user \"%.*s\": split the role into smaller ones",
			STR_ARG(user->name));
	else
		rc = check_parts(user, &owned, rules, err);
	vec_done(&owned.rules);
	return rc;
}
