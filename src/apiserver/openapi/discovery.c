/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/discovery.c - which groups, versions and resources there are.
 *
 * Versions of a group stand in Kubernetes' order of preference: stable before beta before alpha,
 * higher numbers first; names that are not versions come last, in alphabetical order. */
#include "apiserver/openapi/discovery.h"

#include <stdlib.h>

#include "apiserver/kind/kind.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/vec.h"
#include "json/doc.h"

#include "base/banned.h"

/* --- order of versions --- */

enum stability { STABILITY_NONE, STABILITY_ALPHA, STABILITY_BETA, STABILITY_STABLE };

struct rank {
	enum stability stability;
	int64_t major;
	int64_t minor;
};

static struct str digits(struct str text)
{
	size_t len = 0;

	while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9')
		len++;
	return str_slice(text, 0, len);
}

/* v1, v2beta1, v1alpha3; anything else has no rank. */
static struct rank rank_of(struct str version)
{
	struct rank none = {STABILITY_NONE, 0, 0};
	struct rank rank = {STABILITY_STABLE, 0, 0};
	struct str major = digits(str_skip(version, 1));
	struct str rest = str_skip(version, 1 + major.len);

	if (!str_starts(version, STR("v")) ||
	    number_parse_range(major, 1, INT32_MAX, &rank.major, NULL) < 0)
		return none;
	if (rest.len == 0)
		return rank;
	rank.stability = str_starts(rest, STR("beta"))    ? STABILITY_BETA
			 : str_starts(rest, STR("alpha")) ? STABILITY_ALPHA
							  : STABILITY_NONE;
	rest = str_skip(rest, rank.stability == STABILITY_BETA ? 4 : 5);
	if (rank.stability == STABILITY_NONE ||
	    number_parse_range(rest, 1, INT32_MAX, &rank.minor, NULL) < 0)
		return none;
	return rank;
}

static int descending(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

int discovery_compare_versions(const void *left, const void *right)
{
	struct str a = *(const struct str *)left;
	struct str b = *(const struct str *)right;
	struct rank x = rank_of(a);
	struct rank y = rank_of(b);
	int order = descending(x.stability, y.stability);

	if (!order)
		order = descending(x.major, y.major);
	if (!order)
		order = descending(x.minor, y.minor);
	return order ? order : str_cmp(a, b);
}

/* --- groups --- */

struct names VEC_FIELDS(struct str);

static bool has_name(const struct names *names, struct str name)
{
	for (size_t i = 0; i < names->len; i++)
		if (str_eq(names->ptr[i], name))
			return true;
	return false;
}

static void collect_versions(const struct kinds *kinds, struct str group, struct names *versions)
{
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(kinds, &at)))
		if (str_eq(kind->group, group) && !has_name(versions, kind->version))
			vec_push(versions, kind->version);
	if (versions->len)
		qsort(versions->ptr, versions->len, sizeof(struct str), discovery_compare_versions);
}

static struct json group_version(struct json_doc *doc, struct str group, struct str version)
{
	struct json object = json_new_obj(doc);

	json_set(doc, object, STR("groupVersion"),
		 json_new_printf(doc, "%.*s/%.*s", STR_ARG(group), STR_ARG(version)));
	json_set_str(doc, object, "version", version);
	return object;
}

static void fill_group(const struct kinds *kinds, struct str group, struct json_doc *doc,
		       struct json object)
{
	struct names versions = {0};
	struct json list;

	collect_versions(kinds, group, &versions);
	json_set_str(doc, object, "name", group);
	list = json_ensure_arr(doc, object, "versions");
	for (size_t i = 0; i < versions.len; i++)
		json_append(doc, list, group_version(doc, group, versions.ptr[i]));
	json_set(doc, object, STR("preferredVersion"), json_new_copy(doc, json_at(list, 0)));
	vec_done(&versions);
}

static struct json new_document(struct json_doc *doc, const char *kind)
{
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "kind", str_from(kind));
	return root;
}

struct json_doc *discovery_core(struct str server_address)
{
	struct json_doc *doc = json_doc_new();
	struct json root = new_document(doc, "APIVersions");
	struct json address = json_new_obj(doc);

	json_append(doc, json_ensure_arr(doc, root, "versions"), json_new_str(doc, STR("v1")));
	json_set_str(doc, address, "clientCIDR", STR("0.0.0.0/0"));
	json_set_str(doc, address, "serverAddress", server_address);
	json_append(doc, json_ensure_arr(doc, root, "serverAddressByClientCIDRs"), address);
	return doc;
}

struct json_doc *discovery_groups(const struct kinds *kinds)
{
	struct json_doc *doc = json_doc_new();
	struct json root = new_document(doc, "APIGroupList");
	struct json list;
	struct names seen = {0};
	const struct kind *kind;
	size_t at = 0;

	json_set_str(doc, root, "apiVersion", STR("v1"));
	list = json_ensure_arr(doc, root, "groups");
	while ((kind = kinds_next(kinds, &at))) {
		struct json group;

		if (!kind->group.len || has_name(&seen, kind->group))
			continue;
		vec_push(&seen, kind->group);
		group = json_new_obj(doc);
		fill_group(kinds, kind->group, doc, group);
		json_append(doc, list, group);
	}
	vec_done(&seen);
	return doc;
}

struct json_doc *discovery_group(const struct kinds *kinds, struct str group)
{
	struct json_doc *doc;
	struct json root;

	if (!kinds_has_group(kinds, group))
		return NULL;
	doc = json_doc_new();
	root = new_document(doc, "APIGroup");
	json_set_str(doc, root, "apiVersion", STR("v1"));
	fill_group(kinds, group, doc, root);
	return doc;
}

/* --- resources --- */

static void set_names(struct json_doc *doc, struct json object, const char *key,
		      const char *const *names)
{
	struct json list;

	if (!names || !names[0])
		return;
	list = json_ensure_arr(doc, object, key);
	for (; *names; names++)
		json_append(doc, list, json_new_str(doc, str_from(*names)));
}

enum { VERBS_LISTED = 8 };

static void put_verbs(struct json_doc *doc, struct json object, unsigned verbs,
		      const enum verb order[VERBS_LISTED])
{
	struct json list = json_ensure_arr(doc, object, "verbs");

	for (size_t i = 0; i < VERBS_LISTED; i++)
		if (verbs & 1u << order[i])
			json_append(doc, list, json_new_str(doc, str_from(verb_name(order[i]))));
}

/* By the alphabet, as clients are used to. */
static void set_verbs(struct json_doc *doc, struct json object, unsigned verbs)
{
	static const enum verb order[VERBS_LISTED] = {
		VERB_CREATE, VERB_DELETE, VERB_DELETE_COLLECTION, VERB_GET, VERB_LIST, VERB_PATCH,
		VERB_UPDATE, VERB_WATCH};

	put_verbs(doc, object, verbs, order);
}

/* Those of a definition have an order of their own. */
static void set_kind_verbs(struct json_doc *doc, struct json object, const struct kind *kind)
{
	static const enum verb order[VERBS_LISTED] = {VERB_DELETE, VERB_DELETE_COLLECTION,
						      VERB_GET,    VERB_LIST,
						      VERB_PATCH,  VERB_CREATE,
						      VERB_UPDATE, VERB_WATCH};

	if (kind->custom)
		put_verbs(doc, object, kind->verbs, order);
	else
		set_verbs(doc, object, kind->verbs);
}

/* Shows clients with caches when the stored form of a kind changes. */
static void set_storage_hash(struct json_doc *doc, struct json object, const struct kind *kind)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf encoded = BUF_UNBOUNDED;
	uint64_t hash;

	buf_printf(&text, "%.*s/%.*s", STR_ARG(kind->stored->api_version), STR_ARG(kind->name));
	hash = hash_fnv1a_64(buf_str(&text));
	base64_print(&encoded, &hash, sizeof(hash));
	json_set_str(doc, object, "storageVersionHash", buf_str(&encoded));
}

static void append_kind(struct json_doc *doc, struct json list, const struct kind *kind)
{
	struct json object = json_new_obj(doc);

	json_set_str(doc, object, "name", kind->plural);
	json_set_str(doc, object, "singularName", kind->singular);
	json_set_bool(doc, object, "namespaced", kind->namespaced);
	json_set_str(doc, object, "kind", kind->name);
	set_kind_verbs(doc, object, kind);
	set_names(doc, object, "shortNames", kind->short_names);
	set_names(doc, object, "categories", kind->categories);
	if (kind->verbs & 1u << VERB_LIST)
		set_storage_hash(doc, object, kind);
	json_append(doc, list, object);
}

static void append_sub(struct json_doc *doc, struct json list, const struct kind *kind,
		       const struct kind_sub *sub)
{
	struct json object = json_new_obj(doc);
	struct str api_version = str_from(sub->api_version);
	ptrdiff_t slash = str_find_byte(api_version, '/', 0);

	json_set(doc, object, STR("name"),
		 json_new_printf(doc, "%.*s/%s", STR_ARG(kind->plural), sub->name));
	json_set_str(doc, object, "singularName", STR(""));
	json_set_bool(doc, object, "namespaced", kind->namespaced);
	if (slash > 0) {
		json_set_str(doc, object, "group", str_slice(api_version, 0, (size_t)slash));
		json_set_str(doc, object, "version", str_skip(api_version, (size_t)slash + 1));
	}
	json_set_str(doc, object, "kind", sub->kind ? str_from(sub->kind) : kind->name);
	set_verbs(doc, object, sub->verbs);
	json_append(doc, list, object);
}

/* What a version has, by the alphabet: "pods", "pods/log", ... */
struct entry {
	struct str name;
	const struct kind *kind;
	const struct kind_sub *sub; /* NULL: the kind itself */
};
struct entries VEC_FIELDS(struct entry);

static int compare_entries(const void *left, const void *right)
{
	return str_cmp(((const struct entry *)left)->name, ((const struct entry *)right)->name);
}

static void collect_entries(const struct kinds *kinds, struct str group, struct str version,
			    struct arena *arena, struct entries *entries)
{
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(kinds, &at))) {
		if (!str_eq(kind->group, group) || !str_eq(kind->version, version))
			continue;
		vec_push(entries, (struct entry){kind->plural, kind, NULL});
		for (const struct kind_sub *sub = kind->subs; sub && sub->name; sub++) {
			const char *name =
				arena_printf(arena, "%.*s/%s", STR_ARG(kind->plural), sub->name);

			vec_push(entries, (struct entry){str_from(name), kind, sub});
		}
	}
	if (entries->len)
		qsort(entries->ptr, entries->len, sizeof(struct entry), compare_entries);
}

struct json_doc *discovery_version(const struct kinds *kinds, struct str group, struct str version)
{
	struct json_doc *doc;
	struct json root;
	struct json list;
	AUTO(arena_free) struct arena *arena = NULL;
	struct entries entries = {0};

	if (!kinds_has_version(kinds, group, version))
		return NULL;
	arena = arena_new(0);
	collect_entries(kinds, group, version, arena, &entries);
	doc = json_doc_new();
	root = new_document(doc, "APIResourceList");
	if (group.len) {
		json_set_str(doc, root, "apiVersion", STR("v1"));
		json_set(doc, root, STR("groupVersion"),
			 json_new_printf(doc, "%.*s/%.*s", STR_ARG(group), STR_ARG(version)));
	} else {
		json_set_str(doc, root, "groupVersion", version);
	}
	list = json_ensure_arr(doc, root, "resources");
	for (size_t i = 0; i < entries.len; i++) {
		if (entries.ptr[i].sub)
			append_sub(doc, list, entries.ptr[i].kind, entries.ptr[i].sub);
		else
			append_kind(doc, list, entries.ptr[i].kind);
	}
	vec_done(&entries);
	return doc;
}

/* --- everything at once --- */

static void set_response_kind(struct json_doc *doc, struct json object, struct str api_version,
			      struct str kind)
{
	struct json response = json_ensure_obj(doc, object, "responseKind");
	ptrdiff_t slash = str_find_byte(api_version, '/', 0);

	json_set_str(doc, response, "group",
		     slash > 0 ? str_slice(api_version, 0, (size_t)slash) : STR(""));
	json_set_str(doc, response, "version",
		     slash > 0 ? str_skip(api_version, (size_t)slash + 1) : STR(""));
	json_set_str(doc, response, "kind", kind);
}

static struct json aggregated_kind(struct json_doc *doc, const struct kind *kind)
{
	struct json object = json_new_obj(doc);

	json_set_str(doc, object, "resource", kind->plural);
	set_response_kind(doc, object, str_none(), kind->name);
	json_set_str(doc, object, "scope", kind->namespaced ? STR("Namespaced") : STR("Cluster"));
	json_set_str(doc, object, "singularResource", kind->singular);
	set_kind_verbs(doc, object, kind);
	set_names(doc, object, "shortNames", kind->short_names);
	set_names(doc, object, "categories", kind->categories);
	return object;
}

static struct json aggregated_sub(struct json_doc *doc, const struct kind *kind,
				  const struct kind_sub *sub)
{
	struct json object = json_new_obj(doc);

	json_set_str(doc, object, "subresource", str_from(sub->name));
	set_response_kind(doc, object, str_from(sub->api_version),
			  sub->kind ? str_from(sub->kind) : kind->name);
	set_verbs(doc, object, sub->verbs);
	return object;
}

static struct json aggregated_version(const struct kinds *kinds, struct str group,
				      struct str version, struct json_doc *doc)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct entries entries = {0};
	struct json object = json_new_obj(doc);
	struct json list;
	struct json kind = JSON_NONE; /* the last one: its sub-resources follow it */

	collect_entries(kinds, group, version, arena, &entries);
	json_set_str(doc, object, "version", version);
	list = json_ensure_arr(doc, object, "resources");
	for (size_t i = 0; i < entries.len; i++) {
		const struct entry *entry = &entries.ptr[i];

		if (!entry->sub) {
			kind = aggregated_kind(doc, entry->kind);
			json_append(doc, list, kind);
		} else if (!json_is_absent(kind)) {
			json_append(doc, json_ensure_arr(doc, kind, "subresources"),
				    aggregated_sub(doc, entry->kind, entry->sub));
		}
	}
	json_set_str(doc, object, "freshness", STR("Current"));
	vec_done(&entries);
	return object;
}

static struct json aggregated_group(const struct kinds *kinds, struct str group,
				    struct json_doc *doc)
{
	struct json object = json_new_obj(doc);
	struct json metadata = json_ensure_obj(doc, object, "metadata");
	struct json list = json_ensure_arr(doc, object, "versions");
	struct names versions = {0};

	if (group.len)
		json_set_str(doc, metadata, "name", group);
	collect_versions(kinds, group, &versions);
	for (size_t i = 0; i < versions.len; i++)
		json_append(doc, list, aggregated_version(kinds, group, versions.ptr[i], doc));
	vec_done(&versions);
	return object;
}

struct json_doc *discovery_aggregated(const struct kinds *kinds, bool core, struct str version)
{
	struct json_doc *doc = json_doc_new();
	struct json root = new_document(doc, "APIGroupDiscoveryList");
	struct names seen = {0};
	const struct kind *kind;
	struct json list;
	size_t at = 0;

	json_set(doc, root, STR("apiVersion"),
		 json_new_printf(doc, "apidiscovery.k8s.io/%.*s", STR_ARG(version)));
	(void)json_ensure_obj(doc, root, "metadata");
	list = json_ensure_arr(doc, root, "items");
	while ((kind = kinds_next(kinds, &at))) {
		if ((kind->group.len == 0) != core || has_name(&seen, kind->group))
			continue;
		vec_push(&seen, kind->group);
		json_append(doc, list, aggregated_group(kinds, kind->group, doc));
	}
	vec_done(&seen);
	return doc;
}
