/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi_doc.c - documents of OpenAPI from field tables and the schemas of definitions.
 *
 * A built-in kind is its field table, and every type that it refers to is a definition once. A
 * custom kind is the schema of its definition, with what all objects have put in. Version 2 has no
 * words for alternatives and null: there less is said, as upstream does it. */
#include "apiserver/openapi/openapi_doc.h"

#include "apiserver/crd/definition.h"
#include "apiserver/kind/kind.h"
#include "apiserver/openapi/openapi_internal.h"
#include "base/hash.h"
#include "model/core/meta.h"
#include "model/core/status.h"

#include "base/banned.h"

#define API_VERSION_DOC                                                                         \
	"APIVersion defines the versioned schema of this representation of an object. Servers " \
	"should convert recognized schemas to the latest internal value, and may reject "       \
	"unrecognized values. More info: https://git.k8s.io/community/contributors/devel/"      \
	"sig-architecture/api-conventions.md#resources"
#define KIND_DOC                                                                                 \
	"Kind is a string value representing the REST resource this object represents. Servers " \
	"may infer this from the endpoint the client submits requests to. Cannot be updated. "   \
	"In CamelCase. More info: https://git.k8s.io/community/contributors/devel/"              \
	"sig-architecture/api-conventions.md#types-kinds"
#define META_DOC                                                                            \
	"Standard object's metadata. More info: https://git.k8s.io/community/contributors/" \
	"devel/sig-architecture/api-conventions.md#metadata"
#define TITLE "Kubernetes"

/* --- parts ----------------------------------------------------------------------------------- */

void openapi_put(struct openapi_writer *w, struct str name, struct json value)
{
	if (w->form == OPENAPI_V2_PROTO) {
		(w->paths ? openapi_proto_path : openapi_proto_definition)(w->to, name, value);
		return;
	}
	buf_puts(w->to, w->count++ ? ",\"" : "\"");
	buf_put_json(w->to, name);
	buf_puts(w->to, "\":");
	json_print(value, JSON_COMPACT, w->to);
}

/* The group of a custom kind from its end: "com.example". */
static void put_reversed(struct str group, struct buf *to)
{
	ptrdiff_t dot = str_rfind_byte(group, '.');

	buf_put_str(to, str_skip(group, (size_t)(dot + 1)));
	if (dot < 0)
		return;
	buf_putc(to, '.');
	put_reversed(str_slice(group, 0, (size_t)dot), to);
}

struct str openapi_kind_name(struct openapi_writer *w, const struct kind *kind)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

	if (kind->type) {
		type_schema_name(kind->type, &name);
	} else {
		put_reversed(kind->group, &name);
		buf_printf(&name, ".%.*s.%.*s", STR_ARG(kind->version), STR_ARG(kind->name));
	}
	return arena_str(w->arena, buf_str(&name));
}

struct str openapi_list_name(struct openapi_writer *w, const struct kind *kind)
{
	struct str name = openapi_kind_name(w, kind);

	name = str_slice(name, 0, (size_t)(str_rfind_byte(name, '.') + 1));
	return str_from(
		arena_printf(w->arena, "%.*s%.*s", STR_ARG(name), STR_ARG(kind->list_name)));
}

static const char *ref_prefix(const struct openapi_writer *w)
{
	return w->form == OPENAPI_V3 ? "#/components/schemas/" : "#/definitions/";
}

struct json openapi_ref(const struct openapi_writer *w, struct json_doc *doc, struct str name)
{
	struct json ref = json_new_obj(doc);

	json_set(doc, ref, STR("$ref"),
		 json_new_printf(doc, "%s%.*s", ref_prefix(w), STR_ARG(name)));
	return ref;
}

/* Is it the first time that this name is wanted? */
static bool is_new(struct openapi_writer *w, struct str name)
{
	if (map_get(w->seen, name))
		return false;
	map_put(w->seen, name, w);
	return true;
}

static struct str want_type(struct openapi_writer *w, const struct type *type)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	struct str kept;

	type_schema_name(type, &name);
	kept = arena_str(w->arena, buf_str(&name));
	if (is_new(w, kept))
		vec_push(&w->waiting, type);
	return kept;
}

struct json openapi_type_ref(struct openapi_writer *w, struct json_doc *doc,
			     const struct type *type)
{
	return openapi_ref(w, doc, want_type(w, type));
}

struct json openapi_gvk(struct json_doc *doc, struct str group, struct str version, struct str name)
{
	struct json gvk = json_new_obj(doc);

	json_set_str(doc, gvk, "group", group);
	json_set_str(doc, gvk, "kind", name);
	json_set_str(doc, gvk, "version", version);
	return gvk;
}

static void put_gvk(struct json_doc *doc, struct json schema, const struct kind *kind,
		    struct str name)
{
	struct json list = json_new_arr(doc);

	json_append(doc, list, openapi_gvk(doc, kind->group, kind->version, name));
	json_set(doc, schema, STR("x-kubernetes-group-version-kind"), list);
}

/* --- built-in types -------------------------------------------------------------------------- */

static void on_ref(void *arg, const struct type *type)
{
	(void)want_type(arg, type);
}

static struct json make_type(struct openapi_writer *w, struct json_doc *doc,
			     const struct type *type)
{
	struct schema_options options = {
		.ref_prefix = ref_prefix(w),
		.on_ref = on_ref,
		.arg = w,
		.all_of = w->form == OPENAPI_V3,
	};

	return type_schema(type, doc, &options);
}

static void put_types(struct openapi_writer *w)
{
	while (w->waiting.len) {
		const struct type *type = w->waiting.ptr[--w->waiting.len];
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
		AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

		type_schema_name(type, &name);
		openapi_put(w, buf_str(&name), make_type(w, doc, type));
	}
}

/* --- what all objects have ------------------------------------------------------------------- */

static void set_text(struct json_doc *doc, struct json properties, const char *name,
		     const char *text)
{
	struct json property = json_new_obj(doc);

	json_set_str(doc, property, "description", str_from(text));
	json_set_str(doc, property, "type", STR("string"));
	json_set(doc, properties, str_from(name), property);
}

/* A reference with a description: in version 3 they cannot stand side by side. */
static void set_ref(struct openapi_writer *w, struct json_doc *doc, struct json properties,
		    const char *name, const struct type *type)
{
	struct json ref = openapi_type_ref(w, doc, type);
	struct json property = ref;

	if (w->form == OPENAPI_V3) {
		property = json_new_obj(doc);
		json_append(doc, json_ensure_arr(doc, property, "allOf"), ref);
	}
	json_set_str(doc, property, "description", STR(META_DOC));
	json_set(doc, properties, str_from(name), property);
}

static struct json make_list(struct openapi_writer *w, struct json_doc *doc,
			     const struct kind *kind)
{
	struct json schema = json_new_obj(doc);
	struct json properties = json_ensure_obj(doc, schema, "properties");
	struct json items = json_new_obj(doc);

	json_set_str(doc, schema, "type", STR("object"));
	json_append(doc, json_ensure_arr(doc, schema, "required"), json_new_str(doc, STR("items")));
	set_text(doc, properties, "apiVersion", API_VERSION_DOC);
	json_set_str(doc, items, "type", STR("array"));
	json_set(doc, items, STR("items"), openapi_ref(w, doc, openapi_kind_name(w, kind)));
	json_set(doc, properties, STR("items"), items);
	set_text(doc, properties, "kind", KIND_DOC);
	set_ref(w, doc, properties, "metadata", &list_meta_type);
	put_gvk(doc, schema, kind, kind->list_name);
	return schema;
}

/* --- custom kinds ---------------------------------------------------------------------------- */

static void add_embedded(struct openapi_writer *w, struct json_doc *doc, struct json schema)
{
	struct json properties = json_ensure_obj(doc, schema, "properties");

	set_text(doc, properties, "apiVersion", API_VERSION_DOC);
	set_text(doc, properties, "kind", KIND_DOC);
	set_ref(w, doc, properties, "metadata", &meta_type);
}

static void remove_words(struct json_doc *doc, struct json schema, const char *const *words,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)json_remove(doc, schema, str_from(words[i]));
}

/* What version 2 cannot say is left out; if that would say too much, so is the type. */
static void weaken(struct json_doc *doc, struct json schema)
{
	static const char *const never[] = {"oneOf", "anyOf", "not", "allOf", "default"};
	static const char *const loose[] = {"type", "items", "properties", "required",
					    "additionalProperties"};
	bool open = json_bool(json_get(schema, "x-kubernetes-preserve-unknown-fields"));

	remove_words(doc, schema, never, ARRAY_LEN(never));
	if (json_bool(json_get(schema, "nullable")) || open)
		remove_words(doc, schema, loose, ARRAY_LEN(loose));
	(void)json_remove(doc, schema, STR("nullable"));
}

/* Walk a custom schema: embedded objects have what all objects have; version 2 is weakened. */
static void add_extensions(struct openapi_writer *w, struct json_doc *doc, struct json schema)
{
	struct json_iter it;

	if (!json_is(schema, JSON_OBJ))
		return;
	if (json_bool(json_get(schema, "x-kubernetes-embedded-resource")))
		add_embedded(w, doc, schema);
	if (w->form != OPENAPI_V3)
		weaken(doc, schema);
	add_extensions(w, doc, json_get(schema, "items"));
	add_extensions(w, doc, json_get(schema, "additionalProperties"));
	for (it = json_iter(json_get(schema, "properties")); json_next(&it);)
		add_extensions(w, doc, it.value);
}

static struct json make_custom(struct openapi_writer *w, struct json_doc *doc,
			       const struct kind *kind)
{
	AUTO(json_doc_unref) struct json_doc *own = definition_openapi(kind);
	struct json schema = own ? json_new_copy(doc, json_doc_root(own)) : json_new_obj(doc);

	add_extensions(w, doc, schema);
	if (json_is_absent(json_get(schema, "type")))
		json_set_str(doc, schema, "type", STR("object"));
	else
		add_embedded(w, doc, schema);
	return schema;
}

/* --- the document ---------------------------------------------------------------------------- */

static void put_kind(struct openapi_writer *w, const struct kind *kind)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct str name = openapi_kind_name(w, kind);
	struct json schema;

	if (is_new(w, name)) {
		schema = kind->type ? make_type(w, doc, kind->type) : make_custom(w, doc, kind);
		put_gvk(doc, schema, kind, kind->name);
		openapi_put(w, name, schema);
	}
	name = openapi_list_name(w, kind);
	if ((kind->verbs & 1u << VERB_LIST) && is_new(w, name))
		openapi_put(w, name, make_list(w, doc, kind));
}

static bool is_wanted(const struct kind *kind, enum openapi_form form, struct str group,
		      struct str version)
{
	return form != OPENAPI_V3 || (str_eq(kind->group, group) && str_eq(kind->version, version));
}

typedef void put_fn(struct openapi_writer *w, const struct kind *kind);

static void put_each(struct openapi_writer *w, const struct kinds *kinds, struct str group,
		     struct str version, put_fn *put)
{
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(kinds, &at)))
		if (is_wanted(kind, w->form, group, version))
			put(w, kind);
}

static void put_head(struct openapi_writer *w)
{
	if (w->form == OPENAPI_V2_PROTO)
		openapi_proto_head(w->to, TITLE, VOLCANO_VERSION);
	else
		buf_printf(w->to,
			   "{\"%s\":\"%s\",\"info\":{\"title\":\"%s\",\"version\":\"%s\"},"
			   "\"paths\":{",
			   w->form == OPENAPI_V3 ? "openapi" : "swagger",
			   w->form == OPENAPI_V3 ? "3.0.0" : "2.0", TITLE, VOLCANO_VERSION);
}

void openapi_doc_print(const struct kinds *kinds, enum openapi_form form, struct str group,
		       struct str version, struct buf *to)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(map_free) struct map *seen = map_new(1);
	struct openapi_writer w = {
		.form = form, .to = to, .paths = true, .arena = arena, .seen = seen};

	put_head(&w);
	put_each(&w, kinds, group, version, openapi_put_paths);
	if (form != OPENAPI_V2_PROTO)
		buf_puts(to, form == OPENAPI_V3 ? "},\"components\":{\"schemas\":{"
						: "},\"definitions\":{");
	w.paths = false;
	w.count = 0;
	put_each(&w, kinds, group, version, put_kind);
	put_types(&w);
	if (form != OPENAPI_V2_PROTO)
		buf_puts(to, form == OPENAPI_V3 ? "}}}" : "}}");
	vec_done(&w.waiting);
}

/* --- its hash -------------------------------------------------------------------------------- */

static uint64_t hash_type(const struct type *type, uint64_t hash, size_t depth)
{
	enum { DEPTH = 6 }; /* deep enough to see any possible change */

	for (size_t i = 0; i < type->count && depth < DEPTH; i++) {
		const struct field *field = &type->fields[i];
		uint32_t facts[] = {(uint32_t)field->is, field->list_type, field->required,
				    field->merge};

		hash = hash_str(str_from(field->name), hash);
		hash = hash_bytes(facts, sizeof(facts), hash);
		for (; field->of; field = field->of)
			;
		if (field->type)
			hash = hash_type(field->type, hash, depth + 1);
	}
	return hash;
}

uint64_t openapi_doc_hash(const struct kinds *kinds, struct str group, struct str version)
{
	uint64_t hash = hash_str(STR(VOLCANO_VERSION), 1);
	const struct kind *kind;
	size_t at = 0;

	while ((kind = kinds_next(kinds, &at))) {
		if (!str_is_none(group) &&
		    (!str_eq(kind->group, group) || !str_eq(kind->version, version)))
			continue;
		hash = hash_str(kind->api_version, hash);
		hash = hash_str(kind->name, hash);
		if (kind->type)
			hash = hash_type(kind->type, hash, 0);
		else
			hash ^= definition_hash(kind);
	}
	return hash;
}
