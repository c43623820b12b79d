/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/default_roles.c - objects from the tables of default roles and bindings. */
#include "authorization/default_roles.h"

#include "base/str.h"

#include "base/banned.h"

#define GROUP "rbac.authorization.k8s.io"

static struct json_doc *make(const char *name, const char *namespace, struct json *ret_root)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata;

	json_doc_set_root(doc, root);
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, metadata, "name", str_from(name));
	if (namespace)
		json_set_str(doc, metadata, "namespace", str_from(namespace));
	json_set_str(doc, json_ensure_obj(doc, metadata, "annotations"),
		     "rbac.authorization.kubernetes.io/autoupdate", STR("true"));
	json_set_str(doc, json_ensure_obj(doc, metadata, "labels"), "kubernetes.io/bootstrapping",
		     STR("rbac-defaults"));
	*ret_root = root;
	return doc;
}

/* A list of the words of a part of a rule. */
static void put_words(struct json_doc *doc, struct json rule, const char *key, struct str words)
{
	struct json list = json_ensure_arr(doc, rule, key);
	struct str word;

	words = str_trim(words);
	while (str_split(&words, ' ', &word))
		json_append(doc, list, json_new_str(doc, str_is(word, "core") ? STR("") : word));
}

static struct json make_rule(struct json_doc *doc, struct str text)
{
	static const char *const keys[] = {"verbs", "apiGroups", "resources", "resourceNames"};
	struct json rule = json_new_obj(doc);
	ptrdiff_t urls = str_find(text, STR("||"), 0);
	struct str part;

	if (urls >= 0) {
		put_words(doc, rule, "verbs", str_slice(text, 0, (size_t)urls));
		put_words(doc, rule, "nonResourceURLs", str_skip(text, (size_t)urls + 2));
		return rule;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys) && str_split(&text, '|', &part); i++)
		put_words(doc, rule, keys[i], part);
	return rule;
}

typedef struct json line_fn(struct json_doc *doc, struct str line);

/* A list with one element per line. */
static void put_lines(struct json_doc *doc, struct json root, const char *key, const char *text,
		      line_fn *make_element)
{
	struct str rest = text ? str_from(text) : str_none();
	struct str line;

	while (rest.len && str_split(&rest, '\n', &line))
		if (line.len)
			json_append(doc, json_ensure_arr(doc, root, key), make_element(doc, line));
}

/* Aggregated roles find their parts by this label. */
static struct str part_label(const char *of)
{
	static const char *const labels[][2] = {
		{"admin", GROUP "/aggregate-to-admin"},
		{"edit", GROUP "/aggregate-to-edit"},
		{"view", GROUP "/aggregate-to-view"},
	};

	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (str_is(str_from(of), labels[i][0]))
			return str_from(labels[i][1]);
	return STR(GROUP "/aggregate");
}

static void put_selector(struct json_doc *doc, struct json root, const char *name)
{
	struct json rule = json_ensure_obj(doc, root, "aggregationRule");
	struct json selectors = json_ensure_arr(doc, rule, "clusterRoleSelectors");
	struct json selector = json_new_obj(doc);

	json_set(doc, json_ensure_obj(doc, selector, "matchLabels"), part_label(name),
		 json_new_str(doc, STR("true")));
	json_append(doc, selectors, selector);
}

struct json_doc *default_role_make(const struct default_role *role)
{
	struct json root;
	struct json_doc *doc = make(role->name, role->namespace, &root);
	struct json metadata = json_get(root, "metadata");

	if (role->part_of)
		json_set(doc, json_get(metadata, "labels"), part_label(role->part_of),
			 json_new_str(doc, STR("true")));
	put_lines(doc, root, "rules", role->rules, make_rule);
	if (role->gathers)
		put_selector(doc, root, role->name);
	return doc;
}

static struct json make_subject(struct json_doc *doc, struct str text)
{
	struct json subject = json_new_obj(doc);
	struct str kind, namespace;

	(void)str_split(&text, ' ', &kind);
	json_set_str(doc, subject, "kind", kind);
	if (str_is(kind, "ServiceAccount")) {
		(void)str_split(&text, '/', &namespace);
		json_set_str(doc, subject, "namespace", namespace);
	} else {
		json_set_str(doc, subject, "apiGroup", STR(GROUP));
	}
	json_set_str(doc, subject, "name", text);
	return subject;
}

struct json_doc *default_binding_make(const struct default_binding *binding)
{
	struct json root;
	struct json_doc *doc = make(binding->name, binding->namespace, &root);
	struct json reference = json_ensure_obj(doc, root, "roleRef");

	json_set_str(doc, reference, "apiGroup", STR(GROUP));
	json_set_str(doc, reference, "kind", binding->namespace ? STR("Role") : STR("ClusterRole"));
	json_set_str(doc, reference, "name", str_from(binding->role));
	put_lines(doc, root, "subjects", binding->subjects, make_subject);
	return doc;
}
