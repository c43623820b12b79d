/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/definition_rows.c - rows of kinds from a definition.
 *
 * Names are those that were accepted (status.acceptedNames): they may lag behind what the spec asks
 * for while another definition has them. The plural is that of the spec, which never changes: keys in
 * the store begin with it. */
#include "apiserver/crd/definition_rows.h"

#include "apiserver/crd/definition.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/request/form.h"
#include "apiserver/verb/sub_scale.h"
#include "base/limits.h"

#include "base/banned.h"

static const char *text(struct arena *arena, struct json value)
{
	return arena_printf(arena, "%.*s", STR_ARG(json_str(value)));
}

/* A NULL-terminated list, or NULL for an empty one. */
static const char *const *texts(struct arena *arena, struct json list)
{
	size_t count = json_len(list);
	const char **made = arena_calloc(arena, count + 1, sizeof(*made));

	for (struct json_iter it = json_iter(list); json_next(&it);)
		made[it.index] = text(arena, it.value);
	return count ? made : NULL;
}

/* --- columns --- */

static struct kind_column make_column(struct arena *arena, struct json column)
{
	struct json doc = json_get(column, "description");
	const char *path = text(arena, json_get(column, "jsonPath"));

	return (struct kind_column){
		.name = text(arena, json_get(column, "name")),
		.type = text(arena, json_get(column, "type")),
		.format = text(arena, json_get(column, "format")),
		.doc = json_str(doc).len
			       ? text(arena, doc)
			       : arena_printf(arena,
					      "Custom resource definition column (in JSONPath "
					      "format): %s",
					      path),
		.priority = (int)json_int(json_get(column, "priority")),
		.path = path,
	};
}

static const struct kind_column *make_columns(struct arena *arena, struct json columns)
{
	size_t count = json_len(columns);
	struct kind_column *made = arena_calloc(arena, count + 3, sizeof(*made));

	made[0] = form_column_name;
	for (struct json_iter it = json_iter(columns); json_next(&it);)
		made[it.index + 1] = make_column(arena, it.value);
	if (count == 0)
		made[1] = form_column_age;
	return made;
}

/* --- sub-resources --- */

static const struct kind_scale *make_scale(struct arena *arena, struct json scale)
{
	struct kind_scale *made;

	if (!json_is(scale, JSON_OBJ))
		return NULL;
	made = arena_new_of(arena, struct kind_scale);
	made->spec_replicas = text(arena, json_get(scale, "specReplicasPath"));
	made->status_replicas = text(arena, json_get(scale, "statusReplicasPath"));
	if (json_str(json_get(scale, "labelSelectorPath")).len)
		made->selector = text(arena, json_get(scale, "labelSelectorPath"));
	return made;
}

static const struct kind_sub *make_subs(struct arena *arena, bool status, bool scale)
{
	struct kind_sub *made = arena_calloc(arena, 3, sizeof(*made));
	size_t count = 0;

	if (status)
		made[count++] = (struct kind_sub){.name = "status", .verbs = VERBS_STATUS};
	if (scale)
		made[count++] = sub_scale;
	return count ? made : NULL;
}

struct names {
	const char **names; /* ends with NULL */
	size_t count;
};

/* "spec.color" of ".spec.color", as selectors name it; each once. */
static void add_selectable(struct arena *arena, struct json version, struct names *to)
{
	struct json_iter it = json_iter(json_get(version, "selectableFields"));

	while (json_next(&it)) {
		const char *path = text(arena, json_get(it.value, "jsonPath"));
		bool known = false;

		path += path[0] == '.';
		for (size_t i = 0; i < to->count; i++)
			known = known || str_is(str_from(path), to->names[i]);
		if (!known)
			to->names[to->count++] = path;
	}
}

static const char *const *make_selectable(struct arena *arena, struct json version)
{
	size_t most = json_len(json_get(version, "selectableFields"));
	struct names made = {arena_calloc(arena, most + 1, sizeof(*made.names)), 0};

	add_selectable(arena, version, &made);
	return made.count ? made.names : NULL;
}

/* Those of all versions: a field that only one of them has is found there. */
static const char *const *make_indexed(struct arena *arena, struct json versions)
{
	struct json_iter it = json_iter(versions);
	struct names made = {NULL, 0};
	size_t most = 0;

	while (json_next(&it))
		most += json_len(json_get(it.value, "selectableFields"));
	made.names = arena_calloc(arena, most + 1, sizeof(*made.names));
	for (it = json_iter(versions); json_next(&it);)
		add_selectable(arena, it.value, &made);
	return made.count ? made.names : NULL;
}

/* --- the row --- */

/* The version to change to: the best one that is served, not deprecated, and better than this. */
static struct str successor(struct json versions, struct str version)
{
	struct json_iter it = json_iter(versions);
	struct str best = str_none();

	while (json_next(&it)) {
		struct str name = json_str(json_get(it.value, "name"));

		if (json_bool(json_get(it.value, "served")) &&
		    !json_bool(json_get(it.value, "deprecated")) &&
		    discovery_compare_versions(&name, best.len ? &best : &version) < 0)
			best = name;
	}
	return best;
}

static const char *make_warning(struct arena *arena, struct json versions, struct json version,
				const struct kind *kind)
{
	struct json own = json_get(version, "deprecationWarning");
	struct str next = successor(versions, kind->version);

	if (!json_bool(json_get(version, "deprecated")))
		return NULL;
	if (json_str(own).len)
		return text(arena, own);
	if (next.len)
		return arena_printf(arena, "%.*s/%.*s %.*s is deprecated; use %.*s/%.*s %.*s",
				    STR_ARG(kind->group), STR_ARG(kind->version),
				    STR_ARG(kind->name), STR_ARG(kind->group), STR_ARG(next),
				    STR_ARG(kind->name));
	return arena_printf(arena, "%.*s/%.*s %.*s is deprecated", STR_ARG(kind->group),
			    STR_ARG(kind->version), STR_ARG(kind->name));
}

/* One that was accepted; what the spec asks for if the status says nothing (anyone may write it). */
static struct str name_of(struct arena *arena, struct json names, struct json wanted,
			  const char *key)
{
	struct str name = json_str(json_get(names, key));

	return arena_str(arena, name.len ? name : json_str(json_get(wanted, key)));
}

struct kind definition_row(struct json crd, struct json version, struct arena *arena)
{
	struct json spec = json_get(crd, "spec");
	struct json names = json_get(json_get(crd, "status"), "acceptedNames");
	struct json wanted = json_get(spec, "names");
	struct json subs = json_get(version, "subresources");
	bool status = json_is(json_get(subs, "status"), JSON_OBJ);
	struct kind row = {
		.group = arena_str(arena, json_str(json_get(spec, "group"))),
		.version = arena_str(arena, json_str(json_get(version, "name"))),
		.plural = arena_str(arena, json_str(json_get(wanted, "plural"))),
		.singular = arena_str(arena, json_str(json_get(names, "singular"))),
		.name = name_of(arena, names, wanted, "kind"),
		.list_name = name_of(arena, names, wanted, "listKind"),
		.short_names = texts(arena, json_get(names, "shortNames")),
		.categories = texts(arena, json_get(names, "categories")),
		.namespaced = str_is(json_str(json_get(spec, "scope")), "Namespaced"),
		.generation = true,
		.status = status,
		.version_on_update = true,
		.hidden = !json_bool(json_get(version, "served")),
		.verbs = VERBS_ALL,
		.content = &content_custom,
		.custom = true,
		.ops = status ? &custom_ops : &custom_ops_statusless,
		.columns = make_columns(arena, json_get(version, "additionalPrinterColumns")),
		.selectable = make_selectable(arena, version),
		.indexed = make_indexed(arena, json_get(spec, "versions")),
		.scale = make_scale(arena, json_get(subs, "scale")),
	};

	row.subs = make_subs(arena, status, row.scale != NULL);
	row.deprecated = make_warning(arena, json_get(spec, "versions"), version, &row);
	return row;
}
