/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd_schema.c - can the server work with a schema?
 *
 * Three walks, as upstream has them. Structural: every part has a type, alternatives only add
 * conditions, metadata is left alone; these causes are sorted. Defaults: each fits the schema that
 * it stands in. Words: what JSON schema has and Kubernetes does not, and list types. A word that is
 * not supported makes the first walk meaningless, so that it is left out. */
#include <stdlib.h>
#include <string.h>

#include "apiserver/crd/crd.h"
#include "apiserver/crd/crd_internal.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "base/mem.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum level { LEVEL_ROOT, LEVEL_ITEM, LEVEL_FIELD };

/* Is it set, and not empty or false? */
static bool is_set(struct json schema, const char *key)
{
	struct json value = json_get(schema, key);

	switch (json_type(value)) {
	case JSON_BOOL:
		return json_bool(value);
	case JSON_STR:
		return json_str(value).len > 0;
	case JSON_ARR:
	case JSON_OBJ:
		return json_len(value) > 0;
	default:
		return json_type(value) > JSON_NULL;
	}
}

static bool is_there(struct json schema, const char *key)
{
	return !json_is_absent(json_get(schema, key)) && !json_is(json_get(schema, key), JSON_NULL);
}

/* --- structural: alternatives ---------------------------------------------------------------- */

static void check_nested(struct json schema, bool skip_any, const struct path *path,
			 struct causes *causes);

static void check_each(struct json schema, const char *key, const struct path *path,
		       struct causes *causes)
{
	struct path at = path_member(path, str_from(key));
	struct json_iter it = json_iter(json_get(schema, key));

	while (json_next(&it)) {
		struct path element = path_index(&at, it.index);

		check_nested(it.value, false, &element, causes);
	}
}

/* anyOf: [{type: integer}, {type: string}], which is allowed together with int-or-string. */
static bool is_int_or_string(struct json any_of)
{
	return json_len(any_of) == 2 && json_len(json_at(any_of, 0)) == 1 &&
	       json_len(json_at(any_of, 1)) == 1 &&
	       str_is(json_str(json_get(json_at(any_of, 0), "type")), "integer") &&
	       str_is(json_str(json_get(json_at(any_of, 1), "type")), "string");
}

static void check_pattern(struct json schema, const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("pattern"));
	struct json pattern = json_get(schema, "pattern");
	struct err err;
	AUTO(pattern_free) struct pattern *made = NULL;

	if (!json_str(pattern).len)
		return;
	made = pattern_new(json_str(pattern), &err);
	if (!made)
		causes_invalid(causes, &at, pattern,
			       "must be a valid regular expression, but isn't: %s", err.text);
}

/* The conditions of a schema, which may nest. */
static void check_conditions(struct json schema, bool skip_any, const struct path *path,
			     struct causes *causes)
{
	struct path all_path = path_member(path, STR("allOf"));
	struct path not_path = path_member(path, STR("not"));
	struct json all = json_get(schema, "allOf");
	struct json_iter it = json_iter(all);

	if (!skip_any)
		check_each(schema, "anyOf", path, causes);
	while (json_next(&it)) {
		struct path element = path_index(&all_path, it.index);

		check_nested(it.value,
			     it.index == 0 && is_int_or_string(json_get(it.value, "anyOf")),
			     &element, causes);
	}
	check_each(schema, "oneOf", path, causes);
	if (json_is(json_get(schema, "not"), JSON_OBJ))
		check_nested(json_get(schema, "not"), false, &not_path, causes);
	check_pattern(schema, path, causes);
}

static void check_nested(struct json schema, bool skip_any, const struct path *path,
			 struct causes *causes)
{
	static const struct {
		const char *key;
		const char *words;
	} forbidden[] = {
		{"type", "must be empty to be structural"},
		{"additionalProperties", "must be undefined to be structural"},
		{"default", "must be undefined to be structural"},
		{"title", "must be empty to be structural"},
		{"description", "must be empty to be structural"},
		{"nullable", "must be false to be structural"},
		{"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
		{"x-kubernetes-embedded-resource", "must be false to be structural"},
		{"x-kubernetes-int-or-string", "must be false to be structural"},
		{"x-kubernetes-list-map-keys", "must be empty to be structural"},
		{"x-kubernetes-list-type", "must be undefined to be structural"},
		{"x-kubernetes-map-type", "must be undefined to be structural"},
		{"x-kubernetes-validations", "must be empty to be structural"},
	};
	struct path items = path_member(path, STR("items"));
	struct path properties = path_member(path, STR("properties"));
	struct path meta = path_key(&properties, STR("metadata"));
	struct json_iter it = json_iter(json_get(schema, "properties"));

	check_conditions(schema, skip_any, path, causes);
	if (json_is(json_get(schema, "items"), JSON_OBJ))
		check_nested(json_get(schema, "items"), false, &items, causes);
	while (json_next(&it)) {
		struct path property = path_key(&properties, it.key);

		check_nested(it.value, false, &property, causes);
	}
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++) {
		struct path at = path_member(path, str_from(forbidden[i].key));

		if (is_set(schema, forbidden[i].key))
			causes_forbidden(causes, &at, forbidden[i].words);
	}
	if (is_there(json_get(schema, "properties"), "metadata"))
		causes_forbidden(causes, &meta, "must not be specified in a nested context");
}

/* --- structural: the skeleton ---------------------------------------------------------------- */

static void check_skeleton(struct json schema, enum level level, const struct path *path,
			   struct causes *causes);

static void check_type(struct json schema, enum level level, const struct path *path,
		       struct causes *causes)
{
	static const char *const empty[] = {
		[LEVEL_ROOT] = "must not be empty at the root",
		[LEVEL_ITEM] = "must not be empty for specified array items",
		[LEVEL_FIELD] = "must not be empty for specified object fields",
	};
	struct path at = path_member(path, STR("type"));
	struct str type = json_str(json_get(schema, "type"));

	if (is_set(schema, "x-kubernetes-embedded-resource") && !str_is(type, "object")) {
		if (!type.len)
			causes_required(causes, &at,
					"must be object if x-kubernetes-embedded-resource is true");
		else
			causes_invalid_str(causes, &at, type,
					   "must be object if x-kubernetes-embedded-resource is "
					   "true");
	} else if (!type.len && !is_set(schema, "x-kubernetes-int-or-string") &&
		   !is_set(schema, "x-kubernetes-preserve-unknown-fields")) {
		causes_required(causes, &at, empty[level]);
	}
	if (level == LEVEL_ROOT && type.len && !str_is(type, "object"))
		causes_invalid_str(causes, &at, type, "must be object at the root");
}

/* Metadata at the root: its type, and its two names. */
static bool is_plain_meta(struct json meta)
{
	struct json_iter it = json_iter(meta);

	while (json_next(&it)) {
		struct json_iter below = json_iter(it.value);

		if (str_is(it.key, "type"))
			continue;
		if (!str_is(it.key, "properties"))
			return false;
		while (json_next(&below))
			if (!str_is(below.key, "name") && !str_is(below.key, "generateName"))
				return false;
	}
	return true;
}

static void check_meta(struct json schema, enum level level, const struct path *path,
		       struct causes *causes)
{
	static const char *const texts[] = {"kind", "apiVersion"};
	struct path properties = path_member(path, STR("properties"));
	struct path meta_path = path_key(&properties, STR("metadata"));
	struct path meta_type = path_member(&meta_path, STR("type"));
	struct json members = json_get(schema, "properties");
	struct json meta = json_get(members, "metadata");
	bool object = level == LEVEL_ROOT || is_set(schema, "x-kubernetes-embedded-resource");

	for (size_t i = 0; object && i < ARRAY_LEN(texts); i++) {
		struct path at = path_key(&properties, str_from(texts[i]));
		struct path type = path_member(&at, STR("type"));
		struct json member = json_get(members, texts[i]);

		if (json_is(member, JSON_OBJ) &&
		    !str_is(json_str(json_get(member, "type")), "string"))
			causes_invalid_str(causes, &type, json_str(json_get(member, "type")),
					   "must be string");
	}
	if (!json_is(meta, JSON_OBJ))
		return;
	if (object && !str_is(json_str(json_get(meta, "type")), "object"))
		causes_invalid_str(causes, &meta_type, json_str(json_get(meta, "type")),
				   "must be object");
	if (level == LEVEL_ROOT && !is_plain_meta(meta))
		causes_forbidden(causes, &meta_path,
				 "must not specify anything other than name and generateName, but "
				 "metadata is implicitly specified");
}

static void check_extensions(struct json schema, const struct path *path, struct causes *causes)
{
	static const char *const keys[] = {"x-kubernetes-preserve-unknown-fields",
					   "x-kubernetes-embedded-resource"};
	struct path additional = path_member(path, STR("additionalProperties"));
	struct path properties = path_member(path, STR("properties"));
	bool embedded = is_set(schema, "x-kubernetes-embedded-resource");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct path at = path_member(path, str_from(keys[i]));

		if (is_set(schema, "x-kubernetes-int-or-string") && is_set(schema, keys[i]))
			causes_invalid(causes, &at, json_get(schema, keys[i]),
				       "must be false if x-kubernetes-int-or-string is true");
	}
	if (embedded && is_there(schema, "additionalProperties"))
		causes_forbidden(causes, &additional,
				 "must not be used if x-kubernetes-embedded-resource is set");
	if (embedded && !is_set(schema, "x-kubernetes-preserve-unknown-fields") &&
	    !is_set(schema, "properties"))
		causes_required(causes, &properties,
				"must not be empty if x-kubernetes-embedded-resource is true "
				"without x-kubernetes-preserve-unknown-fields");
}

static void check_below(struct json schema, enum level level, const struct path *path,
			struct causes *causes)
{
	struct path items = path_member(path, STR("items"));
	struct path properties = path_member(path, STR("properties"));
	struct path additional = path_member(path, STR("additionalProperties"));
	struct json_iter it = json_iter(json_get(schema, "properties"));

	if (json_is(json_get(schema, "items"), JSON_OBJ))
		check_skeleton(json_get(schema, "items"), LEVEL_ITEM, &items, causes);
	else if (str_is(json_str(json_get(schema, "type")), "array"))
		causes_required(causes, &items, "must be specified");
	while (json_next(&it)) {
		struct path property = path_key(&properties, it.key);

		check_skeleton(it.value, LEVEL_FIELD, &property, causes);
	}
	if (is_there(schema, "additionalProperties") && level == LEVEL_ROOT)
		causes_forbidden(causes, &additional, "must not be used at the root");
	if (json_is(json_get(schema, "additionalProperties"), JSON_OBJ))
		check_skeleton(json_get(schema, "additionalProperties"), LEVEL_FIELD, &additional,
			       causes);
}

/* Whatever a condition talks about is in the skeleton as well. */
static void check_complete(struct json schema, struct json nested, const struct path *path,
			   const struct path *from, struct causes *causes)
{
	struct path properties = path_member(path, STR("properties"));
	struct path from_properties = path_member(from, STR("properties"));
	struct json members = json_get(schema, "properties");
	struct json_iter it = json_iter(json_get(nested, "properties"));

	while (json_next(&it)) {
		struct path at = path_key(&properties, it.key);
		struct path defined = path_key(&from_properties, it.key);
		AUTO(buf_done) struct buf words = BUF_UNBOUNDED;

		if (json_is(json_get_str(members, it.key), JSON_OBJ)) {
			check_complete(json_get_str(members, it.key), it.value, &at, &defined,
				       causes);
			continue;
		}
		buf_puts(&words, "because it is defined in ");
		path_print(&defined, &words);
		causes_required(causes, &at, buf_text(&words));
	}
}

static void check_completeness(struct json schema, const struct path *path, struct causes *causes)
{
	static const char *const keys[] = {"anyOf", "allOf", "oneOf"};
	struct path not_path = path_member(path, STR("not"));

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct path at = path_member(path, str_from(keys[i]));
		struct json_iter it = json_iter(json_get(schema, keys[i]));

		while (json_next(&it)) {
			struct path element = path_index(&at, it.index);

			check_complete(schema, it.value, path, &element, causes);
		}
	}
	check_complete(schema, json_get(schema, "not"), path, &not_path, causes);
}

static void check_skeleton(struct json schema, enum level level, const struct path *path,
			   struct causes *causes)
{
	check_below(schema, level, path, causes);
	check_extensions(schema, path, causes);
	check_conditions(schema, is_int_or_string(json_get(schema, "anyOf")), path, causes);
	check_type(schema, level, path, causes);
	check_meta(schema, level, path, causes);
	check_completeness(schema, path, causes);
}

/* --- words ----------------------------------------------------------------------------------- */

static const struct {
	const char *key;
	const char *words;
} unsupported[] = {
	{"id", "id is not supported"},
	{"additionalItems", "additionalItems is not supported"},
	{"patternProperties", "patternProperties is not supported"},
	{"definitions", "definitions is not supported"},
	{"dependencies", "dependencies is not supported"},
	{"$ref", "$ref is not supported"},
	{"uniqueItems",
	 "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
};

static void check_unsupported(struct json schema, const struct path *path, struct causes *causes)
{
	static const char *const types[] = {"array",  "boolean", "integer",
					    "number", "object",  "string"};
	struct path type_path = path_member(path, STR("type"));
	struct path items = path_member(path, STR("items"));
	struct str type = json_str(json_get(schema, "type"));
	bool known = !type.len;

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		known = known || str_is(type, types[i]);
	if (!known)
		causes_not_supported(causes, &type_path, type, types, ARRAY_LEN(types));
	for (size_t i = 0; i < ARRAY_LEN(unsupported); i++) {
		struct path at = path_member(path, str_from(unsupported[i].key));

		if (is_set(schema, unsupported[i].key))
			causes_forbidden(causes, &at, unsupported[i].words);
	}
	if (str_is(type, "null"))
		causes_forbidden(causes, &type_path,
				 "type cannot be set to null, use nullable as an alternative");
	if (json_len(json_get(schema, "items")) && json_is(json_get(schema, "items"), JSON_ARR))
		causes_forbidden(causes, &items, "items must be a schema object and not an array");
}

static void check_list_keys(struct json schema, const struct path *path, struct causes *causes)
{
	struct path keys_path = path_member(path, STR("x-kubernetes-list-map-keys"));
	struct path items_path = path_member(path, STR("items"));
	struct path properties = path_member(&items_path, STR("properties"));
	struct json items = json_get(schema, "items");
	struct json members = json_get(items, "properties");
	struct json keys = json_get(schema, "x-kubernetes-list-map-keys");
	struct json_iter it = json_iter(keys);
	AUTO(name_set_done) struct name_set seen = {0};

	while (json_next(&it)) {
		struct path at = path_key(&properties, json_str(it.value));
		struct path type_path = path_member(&at, STR("type"));
		struct json member = json_get_str(members, json_str(it.value));
		struct str type = json_str(json_get(member, "type"));

		if (json_is_absent(member))
			causes_invalid(causes, &keys_path, keys,
				       "entries must all be names of item properties");
		else if (str_is(type, "array") || str_is(type, "object"))
			causes_invalid(causes, &type_path, json_get(items, "type"),
				       "must be a scalar type if parent array's "
				       "x-kubernetes-list-type is map");
		if (!name_set_add(&seen, json_str(it.value)))
			causes_invalid(causes, &keys_path, keys,
				       "must not contain duplicate entries");
	}
}

/* Elements can be distinguished: none is null, and their keys are always there. */
static void check_set_items(struct json schema, struct str list, const struct path *path,
			    struct causes *causes)
{
	struct path items_path = path_member(path, STR("items"));
	struct path nullable = path_member(&items_path, STR("nullable"));
	struct path properties = path_member(&items_path, STR("properties"));
	struct json items = json_get(schema, "items");
	struct json_iter it = json_iter(json_get(schema, "x-kubernetes-list-map-keys"));
	struct json_iter required = json_iter(json_get(items, "required"));
	AUTO(name_set_done) struct name_set always = {0};

	while (json_next(&required))
		(void)name_set_add(&always, json_str(required.value));
	if (is_set(items, "nullable"))
		causes_forbidden(causes, &nullable,
				 str_is(list, "map")
					 ? "cannot be nullable when x-kubernetes-list-type is map"
					 : "cannot be nullable when x-kubernetes-list-type is set");
	while (str_is(list, "map") && json_next(&it)) {
		struct path at = path_key(&properties, json_str(it.value));
		struct path dflt = path_member(&at, STR("default"));
		struct path null = path_member(&at, STR("nullable"));
		struct json member =
			json_get_str(json_get(items, "properties"), json_str(it.value));

		if (json_is_absent(member))
			continue;
		if (!name_set_has(&always, json_str(it.value)) && !is_there(member, "default"))
			causes_required(
				causes, &dflt,
				"this property is in x-kubernetes-list-map-keys, so it must "
				"have a default or be a required property");
		if (is_set(member, "nullable"))
			causes_forbidden(causes, &null,
					 "this property is in x-kubernetes-list-map-keys, so it "
					 "cannot be nullable");
	}
}

static void check_map_list(struct json schema, const struct path *path, struct causes *causes)
{
	struct path keys = path_member(path, STR("x-kubernetes-list-map-keys"));
	struct path items_path = path_member(path, STR("items"));
	struct path type = path_member(&items_path, STR("type"));
	struct json items = json_get(schema, "items");

	if (!json_len(json_get(schema, "x-kubernetes-list-map-keys")))
		causes_required(causes, &keys,
				"must not be empty if x-kubernetes-list-type is map");
	if (!json_is(items, JSON_OBJ))
		causes_required(causes, &items_path,
				"must have a schema if x-kubernetes-list-type is map");
	else if (!str_is(json_str(json_get(items, "type")), "object"))
		causes_invalid_str(causes, &type, json_str(json_get(items, "type")),
				   "must be object if parent array's x-kubernetes-list-type is "
				   "map");
	else
		check_list_keys(schema, path, causes);
}

/* Extensions that require a type: `want` together with `key`. */
static void check_wanted_type(struct json schema, const char *key, const char *want,
			      const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("type"));
	struct str type = json_str(json_get(schema, "type"));
	AUTO(mem_free) char *words = mem_printf("must be %s if %s is specified", want, key);

	if (!is_there(schema, key) || str_is(type, want))
		return;
	if (type.len)
		causes_invalid_str(causes, &at, type, "%s", words);
	else
		causes_required(causes, &at, words);
}

/* The elements of a set are compared as a whole, so a manager cannot own a part of one. */
static void check_atomic_items(struct json items, const struct path *up, struct causes *causes)
{
	static const char words[] = "must be atomic as item of a list with "
				    "x-kubernetes-list-type=set";
	struct path path = path_member(up, STR("items"));
	struct path list_path = path_member(&path, STR("x-kubernetes-list-type"));
	struct path map_path = path_member(&path, STR("x-kubernetes-map-type"));
	struct str type = json_str(json_get(items, "type"));
	struct json list = json_get(items, "x-kubernetes-list-type");

	if (str_is(type, "array") && json_is(list, JSON_STR) && !str_is(json_str(list), "atomic"))
		causes_invalid(causes, &list_path, list, "%s", words);
	if (str_is(type, "object") &&
	    !str_is(json_str(json_get(items, "x-kubernetes-map-type")), "atomic"))
		causes_add(causes, CAUSE_INVALID, &map_path, "Invalid value: null: %s", words);
}

static void check_list_type(struct json schema, const struct path *path, struct causes *causes)
{
	static const char *const list_types[] = {"atomic", "set", "map"};
	static const char *const map_types[] = {"atomic", "granular"};
	struct path list_path = path_member(path, STR("x-kubernetes-list-type"));
	struct path map_path = path_member(path, STR("x-kubernetes-map-type"));
	struct str list = json_str(json_get(schema, "x-kubernetes-list-type"));
	struct str map = json_str(json_get(schema, "x-kubernetes-map-type"));

	if (json_is(json_get(schema, "x-kubernetes-preserve-unknown-fields"), JSON_BOOL) &&
	    !json_bool(json_get(schema, "x-kubernetes-preserve-unknown-fields"))) {
		struct path preserve =
			path_member(path, STR("x-kubernetes-preserve-unknown-fields"));

		causes_invalid(causes, &preserve,
			       json_get(schema, "x-kubernetes-preserve-unknown-fields"),
			       "must be true or undefined");
	}
	check_wanted_type(schema, "x-kubernetes-map-type", "object", path, causes);
	if (map.len && !str_is(map, map_types[0]) && !str_is(map, map_types[1]))
		causes_not_supported(causes, &map_path, map, map_types, ARRAY_LEN(map_types));
	check_wanted_type(schema, "x-kubernetes-list-type", "array", path, causes);
	if (str_is(list, "set") && str_is(json_str(json_get(schema, "type")), "array"))
		check_atomic_items(json_get(schema, "items"), path, causes);
	if (list.len && !str_is(list, "atomic") && !str_is(list, "set") && !str_is(list, "map"))
		causes_not_supported(causes, &list_path, list, list_types, ARRAY_LEN(list_types));
	if (json_len(json_get(schema, "x-kubernetes-list-map-keys")) && !str_is(list, "map")) {
		if (list.len)
			causes_invalid_str(
				causes, &list_path, list,
				"must be map if x-kubernetes-list-map-keys is non-empty");
		else
			causes_required(causes, &list_path,
					"must be map if x-kubernetes-list-map-keys is non-empty");
	}
	if (str_is(list, "map"))
		check_map_list(schema, path, causes);
	if (json_is(json_get(schema, "items"), JSON_OBJ) &&
	    (str_is(list, "map") || str_is(list, "set")))
		check_set_items(schema, list, path, causes);
}

/* --- rules ----------------------------------------------------------------------------------- */

static void check_rules(struct json schema, const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("x-kubernetes-validations"));
	struct json_iter it = json_iter(json_get(schema, "x-kubernetes-validations"));

	while (json_next(&it)) {
		struct path one = path_index(&at, it.index);

		crd_check_rule_words(schema, it.value, &one, causes);
	}
}

/* The place of a schema: below metadata nothing can be defaulted. */
struct words {
	bool root;
	bool inside_meta;
	const char *no_defaults; /* why there may be no default here; NULL: there may */
};

static bool is_meta(struct str key)
{
	return str_is(key, "metadata") || str_is(key, "apiVersion") || str_is(key, "kind");
}

static struct words words_of_property(struct words here, struct json schema, struct str key)
{
	struct words below = {.inside_meta = here.inside_meta, .no_defaults = here.no_defaults};

	if ((here.root || is_set(schema, "x-kubernetes-embedded-resource")) && is_meta(key))
		below.inside_meta = true;
	if (here.root && is_meta(key))
		below.no_defaults = str_is(key, "metadata")     ? "in top-level metadata"
				    : str_is(key, "apiVersion") ? "in top-level apiVersion"
								: "in top-level kind";
	return below;
}

static void check_words(struct json schema, const struct path *path, struct words here,
			struct causes *causes)
{
	struct words plain = {.inside_meta = here.inside_meta, .no_defaults = here.no_defaults};
	struct words values = plain;
	struct path dflt = path_member(path, STR("default"));
	static const char *const lists[] = {"allOf", "oneOf", "anyOf"};
	static const char *const parts[] = {"additionalProperties", "not", "items"};
	struct path properties = path_member(path, STR("properties"));
	struct path additional = path_member(path, STR("additionalProperties"));
	struct json_iter it = json_iter(json_get(schema, "properties"));

	if (here.inside_meta)
		values.no_defaults = "inside additionalProperties applying to object metadata";
	if (here.no_defaults && is_there(schema, "default")) {
		AUTO(mem_free) char *why = mem_printf("must not be set %s", here.no_defaults);

		causes_forbidden(causes, &dflt, why);
	}
	check_unsupported(schema, path, causes);
	if (is_there(schema, "additionalProperties") && is_set(schema, "properties") &&
	    !json_bool(json_get(schema, "additionalProperties")))
		causes_forbidden(causes, &additional,
				 "additionalProperties and properties are mutual exclusive");
	while (json_next(&it)) {
		struct path property = path_key(&properties, it.key);

		check_words(it.value, &property, words_of_property(here, schema, it.key), causes);
	}
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct path at = path_member(path, str_from(parts[i]));

		if (json_is(json_get(schema, parts[i]), JSON_OBJ))
			check_words(json_get(schema, parts[i]), &at, i == 0 ? values : plain,
				    causes);
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct path at = path_member(path, str_from(lists[i]));
		struct json_iter element = json_iter(json_get(schema, lists[i]));

		while (json_next(&element)) {
			struct path one = path_index(&at, element.index);

			check_words(element.value, &one, plain, causes);
		}
	}
	check_list_type(schema, path, causes);
	check_rules(schema, path, causes);
}

/* --- the whole ------------------------------------------------------------------------------- */

static int cause_cmp(const void *a, const void *b)
{
	const struct cause *left = a;
	const struct cause *right = b;
	int order = strcmp(left->field, right->field);

	return order ? order : strcmp(left->message, right->message);
}

/* Is there a word with which no skeleton can be made? */
static bool is_foreign(struct json schema)
{
	static const char *const maps[] = {"properties", "anyOf", "allOf", "oneOf"};
	static const char *const parts[] = {"additionalProperties", "items", "not"};

	if (!json_is(schema, JSON_OBJ))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(unsupported); i++)
		if (is_set(schema, unsupported[i].key))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		struct json_iter it = json_iter(json_get(schema, maps[i]));

		while (json_next(&it))
			if (is_foreign(it.value))
				return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (is_foreign(json_get(schema, parts[i])))
			return true;
	return false;
}

static void check_defaults(struct json schema, const struct path *path, struct causes *causes)
{
	struct err err = {.code = ERR_NONE};
	AUTO(schema_free) struct schema *made = schema_new(schema, &err);

	if (made)
		schema_validate_defaults(made, path, causes);
	else
		causes_invalid_str(causes, path, STR(""), "%s", err.text);
}

void crd_validate_schema(struct json schema, const struct path *path, struct causes *causes)
{
	size_t before = causes->len;
	bool structural;

	if (!is_foreign(schema)) {
		check_skeleton(schema, LEVEL_ROOT, path, causes);
		if (causes->len > before + 1)
			qsort(causes->ptr + before, causes->len - before, sizeof(causes->ptr[0]),
			      cause_cmp);
		if (causes->len == before)
			check_defaults(schema, path, causes);
	}
	structural = causes->len == before;
	before = causes->len;
	check_words(schema, path, (struct words){.root = true}, causes);
	if (structural)
		crd_check_rules(schema, path, before, causes);
}
