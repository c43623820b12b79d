/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd.c - rules of a CustomResourceDefinition.
 *
 * kube-apiserver looks at a form of its own: what all versions say alike (schema, sub-resources,
 * columns) stands once at the top of the spec there, and spec.version is the first one's name. Its
 * paths show that, and so do ours: with one version the schema is spec.validation. */
#include "apiserver/crd/crd.h"

#include <ctype.h>

#include "apiserver/crd/crd_internal.h"
#include "base/mem.h"
#include "model/core/meta.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define APPROVAL "api-approved.kubernetes.io"

/* --- preparing ------------------------------------------------------------------------------- */

static void prepare_names(struct json_doc *doc, struct json names)
{
	struct str kind = json_str(json_get(names, "kind"));
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	if (!kind.len)
		return;
	for (size_t i = 0; i < kind.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)kind.ptr[i]));
	if (!json_str(json_get(names, "singular")).len)
		json_set_str(doc, names, "singular", buf_str(&lower));
	if (!json_str(json_get(names, "listKind")).len)
		json_set(doc, names, STR("listKind"),
			 json_new_printf(doc, "%.*sList", STR_ARG(kind)));
}

static bool is_null(void *arg, struct str key, struct json value)
{
	(void)arg;
	return (str_is(key, "default") || str_is(key, "example")) && json_is(value, JSON_NULL);
}

/* A default of null is none. */
static void drop_null_defaults(struct json_doc *doc, struct json schema)
{
	struct json_iter it = json_iter(schema);
	bool any = false;

	while (json_next(&it)) {
		struct json_iter below;

		if (it.object && json_is(it.value, JSON_NULL))
			any = true;
		if (!json_is(it.value, JSON_OBJ) && !json_is(it.value, JSON_ARR))
			continue;
		if (it.object && (str_is(it.key, "default") || str_is(it.key, "example") ||
				  str_is(it.key, "enum")))
			continue; /* values, not schemas */
		if (!it.object || !str_is(it.key, "properties")) {
			drop_null_defaults(doc, it.value);
			continue;
		}
		below = json_iter(it.value);
		while (json_next(&below)) /* whose keys are names */
			drop_null_defaults(doc, below.value);
	}
	if (any)
		json_remove_if(doc, schema, is_null, NULL);
}

void crd_prepare(struct json_doc *doc, struct json crd)
{
	struct json spec = json_get(crd, "spec");
	struct json_iter it = json_iter(json_get(spec, "versions"));

	if (!json_is(spec, JSON_OBJ))
		return;
	if (json_is(json_get(spec, "names"), JSON_OBJ))
		prepare_names(doc, json_get(spec, "names"));
	if (!json_is(json_get(spec, "conversion"), JSON_OBJ))
		json_set_str(doc, json_ensure_obj(doc, spec, "conversion"), "strategy",
			     STR("None"));
	while (json_next(&it))
		drop_null_defaults(doc, json_get(json_get(it.value, "schema"), "openAPIV3Schema"));
	it = json_iter(json_get(spec, "versions"));
	while (json_next(&it)) {
		struct json name = json_get(it.value, "name");
		struct json status;

		if (!json_bool(json_get(it.value, "storage")))
			continue;
		status = json_ensure_obj(doc, crd, "status");
		if (!json_has_str(json_get(status, "storedVersions"), json_str(name)))
			json_append(doc, json_ensure_arr(doc, status, "storedVersions"),
				    json_new_str(doc, json_str(name)));
		return;
	}
}

/* --- names ----------------------------------------------------------------------------------- */

/* Several problems of one name are one cause, with commas. */
static void check_name(enum name_format format, struct str name, const struct path *path,
		       struct causes *causes)
{
	(void)name_validate_joined(format, name, ",", path, causes);
}

/* A kind: as a label, but for the case of its letters. */
static void check_kind(struct str kind, const struct path *path, struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	for (size_t i = 0; i < kind.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)kind.ptr[i]));
	if (!name_check_joined(NAME_DNS1035_LABEL, buf_str(&lower), ",", &text))
		causes_invalid_str(causes, path, kind,
				   "may have mixed case, but should otherwise match: %s",
				   buf_text(&text));
}

static void check_names_in(struct json list, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct path element = path_index(path, it.index);

		check_name(NAME_DNS1035_LABEL, json_str(it.value), &element, causes);
	}
}

static void check_names(struct json names, const struct path *spec, struct causes *causes)
{
	static const char *const keys[] = {"plural", "singular", "kind", "listKind"};
	struct path at = path_member(spec, STR("names"));
	struct path list_kind = path_member(&at, STR("listKind"));
	struct path shorts = path_member(&at, STR("shortNames"));
	struct path categories = path_member(&at, STR("categories"));

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct path path = path_member(&at, str_from(keys[i]));

		if (!json_str(json_get(names, keys[i])).len)
			causes_required(causes, &path, "");
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct path path = path_member(&at, str_from(keys[i]));
		struct str name = json_str(json_get(names, keys[i]));

		if (name.len && i < 2)
			check_name(NAME_DNS1035_LABEL, name, &path, causes);
		else if (name.len)
			check_kind(name, &path, causes);
	}
	check_names_in(json_get(names, "shortNames"), &shorts, causes);
	if (json_str(json_get(names, "kind")).len &&
	    str_eq(json_str(json_get(names, "kind")), json_str(json_get(names, "listKind"))))
		causes_invalid(causes, &list_kind, json_get(names, "listKind"),
			       "kind and listKind may not be the same");
	check_names_in(json_get(names, "categories"), &categories, causes);
}

static void check_group(struct str group, const struct path *spec, struct causes *causes)
{
	struct path path = path_member(spec, STR("group"));

	if (!group.len)
		causes_required(causes, &path, "");
	else if (!name_is(NAME_DNS_SUBDOMAIN, group))
		check_name(NAME_DNS_SUBDOMAIN, group, &path, causes);
	else if (str_find_byte(group, '.', 0) < 0)
		causes_invalid_str(causes, &path, group,
				   "should be a domain with at least one dot");
}

static void check_scope(struct str scope, const struct path *spec, struct causes *causes)
{
	static const char *const scopes[] = {"Cluster", "Namespaced"};
	struct path path = path_member(spec, STR("scope"));

	if (!scope.len)
		causes_required(causes, &path, "");
	else if (!str_is(scope, scopes[0]) && !str_is(scope, scopes[1]))
		causes_not_supported(causes, &path, scope, scopes, ARRAY_LEN(scopes));
}

/* --- columns and sub-resources --------------------------------------------------------------- */

static void check_json_path(struct json value, const char *prefix, const char *other,
			    const char *words, const struct path *path, struct causes *causes)
{
	struct str text = json_str(value);

	if (text.ptr[0] != '.')
		causes_invalid(causes, path, value, "must be a simple json path starting with .");
	else if (prefix && !str_starts(text, str_from(prefix)) &&
		 !(other && str_starts(text, str_from(other))))
		causes_invalid(causes, path, value, "%s", words);
}

static bool is_among(struct str text, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(text, names[i]))
			return true;
	return false;
}

static void check_column(struct json column, const struct path *at, struct causes *causes)
{
	static const char *const column_types[] = {"boolean", "date", "integer", "number",
						   "string"};
	static const char *const formats[] = {"byte",  "date",  "date-time", "double",
					      "float", "int32", "int64",     "password"};
	struct path name = path_member(at, STR("name"));
	struct path type = path_member(at, STR("type"));
	struct path format = path_member(at, STR("format"));
	struct path json_path = path_member(at, STR("JSONPath"));
	struct str text = json_str(json_get(column, "type"));

	if (!json_str(json_get(column, "name")).len)
		causes_required(causes, &name, "");
	if (!text.len)
		causes_required(causes, &type, "must be one of boolean,date,integer,number,string");
	else if (!is_among(text, column_types, ARRAY_LEN(column_types)))
		causes_invalid_str(causes, &type, text,
				   "must be one of boolean,date,integer,number,string");
	text = json_str(json_get(column, "format"));
	if (text.len && !is_among(text, formats, ARRAY_LEN(formats)))
		causes_invalid_str(causes, &format, text,
				   "must be one of byte,date,date-time,double,float,int32,int64,"
				   "password");
	if (!json_str(json_get(column, "jsonPath")).len)
		causes_required(causes, &json_path, "");
	else
		check_json_path(json_get(column, "jsonPath"), NULL, NULL, NULL, &json_path, causes);
}

static void check_columns(struct json columns, const struct path *up, struct causes *causes)
{
	struct path at = path_member(up, STR("additionalPrinterColumns"));
	struct json_iter it = json_iter(columns);

	while (json_next(&it)) {
		struct path column = path_index(&at, it.index);

		check_column(it.value, &column, causes);
	}
}

static void check_subresources(struct json subs, const struct path *up, struct causes *causes)
{
	struct path at = path_member(up, STR("subresources"));
	struct path spec = path_member(&at, STR("scale.specReplicasPath"));
	struct path status = path_member(&at, STR("scale.statusReplicasPath"));
	struct path labels = path_member(&at, STR("scale.labelSelectorPath"));
	struct json scale = json_get(subs, "scale");

	if (!json_is(scale, JSON_OBJ))
		return;
	if (!json_str(json_get(scale, "specReplicasPath")).len)
		causes_required(causes, &spec, "");
	else
		check_json_path(json_get(scale, "specReplicasPath"), ".spec.", NULL,
				"should be a json path under .spec", &spec, causes);
	if (!json_str(json_get(scale, "statusReplicasPath")).len)
		causes_required(causes, &status, "");
	else
		check_json_path(json_get(scale, "statusReplicasPath"), ".status.", NULL,
				"should be a json path under .status", &status, causes);
	if (json_str(json_get(scale, "labelSelectorPath")).len)
		check_json_path(json_get(scale, "labelSelectorPath"), ".spec.", ".status.",
				"should be a json path under either .spec or .status", &labels,
				causes);
}

/* --- versions -------------------------------------------------------------------------------- */

/* What is the same in all versions: it is reported once, at the top of the spec. */
enum shared_part { SHARED_SCHEMA, SHARED_SUBS, SHARED_COLUMNS, SHARED_SELECTABLE, SHARED_COUNT };
static const struct {
	const char *key;
	const char *go;
} shared_parts[SHARED_COUNT] = {
	[SHARED_SCHEMA] = {"schema", "Schema"},
	[SHARED_SUBS] = {"subresources", "Subresources"},
	[SHARED_COLUMNS] = {"additionalPrinterColumns", "AdditionalPrinterColumns"},
	[SHARED_SELECTABLE] = {"selectableFields", "SelectableFields"},
};
struct shared {
	struct json versions;
	bool part[SHARED_COUNT];
};

static bool is_shared(struct json versions, const char *key)
{
	struct json_iter it = json_iter(versions);
	struct json first = json_get(json_at(versions, 0), key);

	while (json_next(&it)) {
		struct json value = json_get(it.value, key);

		if (json_is_absent(value) != json_is_absent(first) ||
		    (!json_is_absent(value) && !json_eq(value, first)))
			return false;
	}
	return true;
}

/* Compared once: each version asks for the result. */
static struct shared find_shared(struct json versions)
{
	struct shared ret = {.versions = versions};

	for (size_t i = 0; i < SHARED_COUNT; i++)
		ret.part[i] = is_shared(versions, shared_parts[i].key);
	return ret;
}

static void put_json(struct buf *to, struct json value)
{
	if (json_is_absent(value))
		buf_puts(to, "null");
	else
		json_print(value, JSON_COMPACT, to);
}

/* The versions as Go prints its own struct. */
static void put_versions(const struct shared *shared, struct buf *to)
{
	struct json_iter it = json_iter(shared->versions);

	if (!json_is(shared->versions, JSON_ARR)) {
		buf_puts(to, "null");
		return;
	}
	buf_putc(to, '[');
	while (json_next(&it)) {
		AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

		buf_put_json(&name, json_str(json_get(it.value, "name")));
		buf_printf(to, "%s{\"Name\":\"%s\",\"Served\":%s,\"Storage\":%s,\"Deprecated\":%s,",
			   it.index ? "," : "", buf_text(&name),
			   json_bool(json_get(it.value, "served")) ? "true" : "false",
			   json_bool(json_get(it.value, "storage")) ? "true" : "false",
			   json_bool(json_get(it.value, "deprecated")) ? "true" : "false");
		buf_puts(to, "\"DeprecationWarning\":");
		put_json(to, json_get(it.value, "deprecationWarning"));
		for (size_t i = 0; i < SHARED_COUNT; i++) {
			buf_printf(to, ",\"%s\":", shared_parts[i].go);
			put_json(to, shared->part[i] ? JSON_NONE
						     : json_get(it.value, shared_parts[i].key));
		}
		buf_putc(to, '}');
	}
	buf_putc(to, ']');
}

static void report_versions(const struct shared *shared, const struct path *spec, const char *words,
			    struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path path = path_member(spec, STR("versions"));

	put_versions(shared, &text);
	causes_add(causes, CAUSE_INVALID, &path, "Invalid value: %s: %s", buf_text(&text), words);
}

/* A schema, where one stands: `path` is that of the object that has it. */
static void check_schema(struct json holder, struct json subs, const struct path *path,
			 struct causes *causes)
{
	struct json schema = json_get(holder, "openAPIV3Schema");
	struct path at = path_member(path, STR("openAPIV3Schema"));
	struct path type = path_member(path, STR("openAPIV3Schema.type"));
	struct path nullable = path_member(path, STR("openAPIV3Schema.nullable"));
	struct str is = json_str(json_get(schema, "type"));

	if (!json_is(schema, JSON_OBJ))
		return;
	if (json_is(json_get(subs, "status"), JSON_OBJ) && is.len && !str_is(is, "object"))
		causes_invalid_str(causes, &type, is,
				   "only \"object\" is allowed as the type at the root of the "
				   "schema if the status subresource is enabled");
	if (json_bool(json_get(schema, "nullable")))
		causes_forbidden(causes, &nullable, "nullable cannot be true at the root");
	crd_validate_schema(schema, &at, causes);
}

static void check_version(const struct shared *shared, struct json version, const struct path *at,
			  struct causes *causes)
{
	struct path name = path_member(at, STR("name"));
	struct path schema = path_member(at, STR("schema"));
	struct json subs = json_get(version, "subresources");

	check_name(NAME_DNS1035_LABEL, json_str(json_get(version, "name")), &name, causes);
	crd_check_deprecation(version, at, causes);
	if (!shared->part[SHARED_SCHEMA])
		check_schema(json_get(version, "schema"), subs, &schema, causes);
	if (!shared->part[SHARED_SUBS])
		check_subresources(subs, at, causes);
	if (!shared->part[SHARED_COLUMNS])
		check_columns(json_get(version, "additionalPrinterColumns"), at, causes);
	if (!shared->part[SHARED_SELECTABLE])
		crd_check_selectable(version, at, causes);
}

static void check_versions(const struct shared *shared, const struct path *spec,
			   struct causes *causes)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct path at = path_member(spec, STR("versions"));
	struct path top = path_member(spec, STR("version"));
	struct json_iter it = json_iter(shared->versions);
	struct str first = json_str(json_get(json_at(shared->versions, 0), "name"));
	size_t stored = 0;
	bool doubled = false;

	while (json_next(&it)) {
		struct path version = path_index(&at, it.index);
		struct path schema = path_member(&version, STR("schema"));
		struct path open_api = path_member(&schema, STR("openAPIV3Schema"));

		if (!json_is(json_get(json_get(it.value, "schema"), "openAPIV3Schema"), JSON_OBJ))
			causes_required(causes, &open_api, "");
	}
	for (it = json_iter(shared->versions); json_next(&it);) {
		struct path version = path_index(&at, it.index);

		stored += json_bool(json_get(it.value, "storage"));
		doubled = !name_set_add(&names, json_str(json_get(it.value, "name"))) || doubled;
		check_version(shared, it.value, &version, causes);
	}
	if (doubled)
		report_versions(shared, spec, "must contain unique version names", causes);
	if (stored != 1)
		report_versions(shared, spec,
				"must have exactly one version marked as storage version", causes);
	if (first.len)
		check_name(NAME_DNS1035_LABEL, first, &top, causes);
}

/* What stands once at the top because all versions say it. */
static void check_shared(const struct shared *shared, const struct path *spec,
			 struct causes *causes)
{
	struct json first = json_at(shared->versions, 0);
	struct path validation = path_member(spec, STR("validation"));

	if (shared->part[SHARED_SCHEMA])
		check_schema(json_get(first, "schema"), json_get(first, "subresources"),
			     &validation, causes);
	if (shared->part[SHARED_SUBS])
		check_subresources(json_get(first, "subresources"), spec, causes);
	if (shared->part[SHARED_COLUMNS])
		check_columns(json_get(first, "additionalPrinterColumns"), spec, causes);
	if (shared->part[SHARED_SELECTABLE])
		crd_check_selectable(first, spec, causes);
}

static void check_stored(struct json stored, struct json versions, struct causes *causes)
{
	struct path status = path_member(NULL, STR("status"));
	struct path path = path_member(&status, STR("storedVersions"));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(name_set_done) struct name_set stored_names = {0};
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it;

	put_json(&text, stored);
	if (!json_len(stored)) {
		causes_add(causes, CAUSE_INVALID, &path,
			   "Invalid value: %s: must have at least one stored version",
			   buf_text(&text));
		return;
	}
	for (it = json_iter(stored); json_next(&it);)
		(void)name_set_add(&stored_names, json_str(it.value));
	for (it = json_iter(versions); json_next(&it);) {
		struct str name = json_str(json_get(it.value, "name"));

		(void)name_set_add(&names, name);
		if (json_bool(json_get(it.value, "storage")) && !name_set_has(&stored_names, name))
			causes_add(causes, CAUSE_INVALID, &path,
				   "Invalid value: %s: must have the storage version %.*s",
				   buf_text(&text), STR_ARG(name));
	}
	for (it = json_iter(stored); json_next(&it);) {
		struct path element = path_index(&path, it.index);
		struct str name = json_str(it.value);

		if (!name_set_has(&names, name))
			causes_invalid_str(
				causes, &element, name,
				"missing from spec.versions; %.*s was previously a storage "
				"version, "
				"and must remain in spec.versions until a storage migration "
				"ensures "
				"no data remains persisted in %.*s and removes %.*s from "
				"status.storedVersions",
				STR_ARG(name), STR_ARG(name), STR_ARG(name));
	}
}

/* --- the whole ------------------------------------------------------------------------------- */

bool crd_group_is_protected(struct str group)
{
	return str_is(group, "k8s.io") || str_is(group, "kubernetes.io") ||
	       str_ends(group, STR(".k8s.io")) || str_ends(group, STR(".kubernetes.io"));
}

static struct str approval_of(struct json crd)
{
	return json_str(json_get(json_get(json_get(crd, "metadata"), "annotations"), APPROVAL));
}

/* Groups that belong to Kubernetes need an approval: a URL, or "unapproved" and a reason. */
static void check_approval(struct json crd, struct json old, struct causes *causes)
{
	struct path meta = path_member(NULL, STR("metadata"));
	struct path annotations = path_member(&meta, STR("annotations"));
	struct path path = path_key(&annotations, STR(APPROVAL));
	struct str approval = approval_of(crd);

	if (!crd_group_is_protected(json_str(json_get(json_get(crd, "spec"), "group"))))
		return;
	if (!json_is_absent(old) && str_eq(approval_of(old), approval))
		return;
	if (!approval.len)
		causes_required(causes, &path,
				"protected groups must have approval annotation \"" APPROVAL
				"\", see "
				"https://github.com/kubernetes/enhancements/pull/1111");
	else if (!str_starts(approval, STR("unapproved")) && str_find(approval, STR("://"), 0) < 0)
		causes_invalid_str(causes, &path, approval,
				   "protected groups must have approval annotation \"" APPROVAL
				   "\" with either a URL or a reason starting with \"unapproved\", "
				   "see https://github.com/kubernetes/enhancements/pull/1111");
}

static void check_same(struct json now, struct json old, const struct path *path,
		       struct causes *causes)
{
	if (!str_eq(json_str(now), json_str(old)))
		causes_invalid(causes, path, now, "field is immutable");
}

static void check_changes(struct json crd, struct json old, const struct path *at,
			  struct causes *causes)
{
	struct json spec = json_get(crd, "spec");
	struct json before = json_get(old, "spec");
	struct json names = json_get(spec, "names");
	struct json names_before = json_get(before, "names");
	struct path scope = path_member(at, STR("scope"));
	struct path group = path_member(at, STR("group"));
	struct path names_path = path_member(at, STR("names"));
	struct path kind = path_member(&names_path, STR("kind"));
	struct path plural = path_member(&names_path, STR("plural"));

	if (meta_has_condition(old, "Established")) {
		check_same(json_get(spec, "scope"), json_get(before, "scope"), &scope, causes);
		check_same(json_get(names, "kind"), json_get(names_before, "kind"), &kind, causes);
	}
	check_same(json_get(spec, "group"), json_get(before, "group"), &group, causes);
	check_same(json_get(names, "plural"), json_get(names_before, "plural"), &plural, causes);
}

static void check_own_name(struct json crd, struct causes *causes)
{
	struct path meta = path_member(NULL, STR("metadata"));
	struct path path = path_member(&meta, STR("name"));
	struct json spec = json_get(crd, "spec");
	struct json name = json_get(json_get(crd, "metadata"), "name");
	AUTO(mem_free)
	char *want = mem_printf("%.*s.%.*s",
				STR_ARG(json_str(json_get(json_get(spec, "names"), "plural"))),
				STR_ARG(json_str(json_get(spec, "group"))));

	if (!str_is(json_str(name), want))
		causes_invalid(causes, &path, name, "must be spec.names.plural+\".\"+spec.group");
}

void crd_validate(struct json crd, struct json old, struct causes *causes)
{
	struct path at = path_member(NULL, STR("spec"));
	struct path preserve = path_member(&at, STR("preserveUnknownFields"));
	struct json spec = json_get(crd, "spec");
	struct json versions = json_get(spec, "versions");
	struct shared shared = find_shared(versions);

	if (json_is_absent(old))
		check_own_name(crd, causes);
	if (json_is_absent(old) || !json_eq(spec, json_get(old, "spec"))) {
		check_group(json_str(json_get(spec, "group")), &at, causes);
		check_scope(json_str(json_get(spec, "scope")), &at, causes);
		check_versions(&shared, &at, causes);
		check_names(json_get(spec, "names"), &at, causes);
		check_shared(&shared, &at, causes);
		crd_check_conversion(json_get(spec, "conversion"), &at, causes);
	}
	if (!json_is_absent(old))
		check_changes(crd, old, &at, causes);
	check_stored(json_get(json_get(crd, "status"), "storedVersions"), versions, causes);
	check_approval(crd, old, causes);
	if (json_bool(json_get(spec, "preserveUnknownFields")) &&
	    !json_bool(json_get(json_get(old, "spec"), "preserveUnknownFields")))
		causes_invalid(causes, &preserve, json_get(spec, "preserveUnknownFields"),
			       "cannot set to true, set x-kubernetes-preserve-unknown-fields to "
			       "true in spec.versions[*].schema instead");
}
