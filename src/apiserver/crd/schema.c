/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema.c - compile a schema's JSON into a tree of nodes.
 *
 * The tree, its texts and its tables live in one arena; enums and defaults are references into a
 * frozen copy of the JSON. Whatever is not understood is passed over: whether a schema may be used
 * at all is for crd_validate() to say. The depth of the tree is that of the JSON, which is bounded
 * where it came in. */
#include "apiserver/crd/schema.h"

#include <stdlib.h>
#include <string.h>

#include "apiserver/crd/schema_internal.h"
#include "base/limits.h"
#include "base/mem.h"
#include "cel/cel.h"

#include "base/banned.h"

struct compiler {
	struct schema *schema;
	struct err *err;
};

static struct schema_node *compile(struct json source, struct compiler *c);

static const struct {
	const char *name;
	unsigned bit;
} types[] = {
	{"null", SCHEMA_NULL},     {"boolean", SCHEMA_BOOLEAN}, {"integer", SCHEMA_INTEGER},
	{"number", SCHEMA_NUMBER}, {"string", SCHEMA_STRING},   {"array", SCHEMA_ARRAY},
	{"object", SCHEMA_OBJECT},
};

static void compile_type(struct json source, struct schema_node *node)
{
	struct str name = json_str(json_get(source, "type"));

	if (json_bool(json_get(source, "x-kubernetes-int-or-string"))) {
		node->types = SCHEMA_INTEGER | SCHEMA_STRING;
		node->type_text = "integer,string";
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (!str_is(name, types[i].name))
			continue;
		node->types = types[i].bit;
		node->type_text = types[i].name;
	}
}

static struct schema_strs compile_strs(struct json list, struct compiler *c)
{
	struct json_iter it = json_iter(list);
	struct schema_strs made = {0};

	if (!json_is(list, JSON_ARR))
		return made;
	made.ptr = arena_calloc(c->schema->arena, json_len(list) + 1, sizeof(made.ptr[0]));
	while (json_next(&it))
		made.ptr[made.len++] = json_str(it.value);
	return made;
}

static struct schema_count compile_count(struct json value)
{
	struct schema_count count = {.set = json_is_i64(value), .value = json_int(value)};

	return count;
}

static struct json compile_number(struct json value)
{
	return json_is(value, JSON_INT) || json_is(value, JSON_REAL) ? value : JSON_NONE;
}

static int compile_nodes(struct json list, struct schema_nodes *nodes, struct compiler *c)
{
	struct json_iter it = json_iter(list);

	if (!json_is(list, JSON_ARR))
		return 0;
	nodes->ptr =
		arena_calloc(c->schema->arena, json_len(list) + 1, sizeof(struct schema_node *));
	while (json_next(&it)) {
		struct schema_node *node = compile(it.value, c);

		if (!node)
			return -1;
		nodes->ptr[nodes->len++] = node;
	}
	return 0;
}

static int property_cmp(const void *a, const void *b)
{
	const struct schema_property *left = a;
	const struct schema_property *right = b;

	return str_cmp(left->name, right->name);
}

/* What is below a node is below those above it. */
static void note_below(struct schema_node *node, const struct schema_node *below)
{
	node->has_rules_below |= below->has_rules_below;
	node->has_lists_below |= below->has_lists_below;
	node->has_embedded_below |= below->has_embedded_below;
	node->has_defaults_below |= below->has_defaults_below;
}

static int compile_properties(struct json source, struct schema_node *node, struct compiler *c)
{
	struct json list = json_get(source, "properties");
	struct json_iter it = json_iter(list);

	if (!json_is(list, JSON_OBJ))
		return 0;
	node->properties =
		arena_calloc(c->schema->arena, json_len(list) + 1, sizeof(node->properties[0]));
	while (json_next(&it)) {
		struct schema_property *property = &node->properties[node->property_count];

		property->name = it.key;
		property->node = compile(it.value, c);
		if (!property->node)
			return -1;
		node->property_count++;
		note_below(node, property->node);
	}
	if (node->property_count > 1)
		qsort(node->properties, node->property_count, sizeof(node->properties[0]),
		      property_cmp);
	return 0;
}

static struct pattern *compile_pattern(struct str text, struct compiler *c)
{
	struct pattern *pattern = pattern_new(text, c->err);

	if (!pattern)
		return NULL;
	pattern_set_add(&c->schema->patterns, pattern);
	if (c->schema->patterns.size <= LIMIT_PATTERN_SIZE)
		return pattern;
	(void)err_set(c->err, ERR_INVALID, "the patterns of the schema are too large together");
	return NULL;
}

static int compile_texts(struct json source, struct schema_node *node, struct compiler *c)
{
	struct str pattern = json_str(json_get(source, "pattern"));

	node->min_length = compile_count(json_get(source, "minLength"));
	node->max_length = compile_count(json_get(source, "maxLength"));
	node->format_text = json_str(json_get(source, "format"));
	node->format = text_format_find(node->format_text);
	if (pattern.len) {
		node->pattern = compile_pattern(pattern, c);
		if (!node->pattern)
			return err_wrap(c->err, "pattern");
	}
	if (node->format && node->format->pattern) {
		struct pattern *made = compile_pattern(str_from(node->format->pattern), c);

		if (!made)
			return -1;
		node->format_pattern = made;
	}
	return 0;
}

static void compile_lists(struct json source, struct schema_node *node, struct compiler *c)
{
	struct str type = json_str(json_get(source, "x-kubernetes-list-type"));

	node->min_items = compile_count(json_get(source, "minItems"));
	node->max_items = compile_count(json_get(source, "maxItems"));
	node->unique_items = json_bool(json_get(source, "uniqueItems"));
	node->list_keys = compile_strs(json_get(source, "x-kubernetes-list-map-keys"), c);
	if (str_is(type, "set"))
		node->list_type = SCHEMA_LIST_SET;
	else if (str_is(type, "map") && node->list_keys.len)
		node->list_type = SCHEMA_LIST_MAP;
	node->has_lists_below = node->list_type != SCHEMA_LIST_PLAIN;
}

static void compile_rules(struct json source, struct schema_node *node, struct compiler *c)
{
	struct json list = json_get(source, "x-kubernetes-validations");
	struct json_iter it = json_iter(list);
	const struct cel_type *type;

	if (!json_is(list, JSON_ARR) || !json_len(list))
		return;
	node->has_rules_below = true;
	type = cel_type_of_schema(source, node == c->schema->root || node->embedded,
				  c->schema->arena);
	node->rules.ptr =
		arena_calloc(c->schema->arena, json_len(list), sizeof(struct schema_rule *));
	while (json_next(&it)) {
		struct schema_rule *rule = schema_rule_new(it.value, type, c->schema);

		if (rule)
			node->rules.ptr[node->rules.len++] = rule;
		else
			c->schema->unchecked_rules++;
	}
}

/* A schema below, if there is one. */
static int compile_below(struct json source, const char *key, struct schema_node *node,
			 struct schema_node **ret, struct compiler *c)
{
	struct json below = json_get(source, key);

	if (!json_is(below, JSON_OBJ))
		return 0;
	*ret = compile(below, c);
	if (!*ret)
		return -1;
	note_below(node, *ret);
	return 0;
}

static int compile_parts(struct json source, struct schema_node *node, struct compiler *c)
{
	struct json additional = json_get(source, "additionalProperties");

	node->has_additional = json_is(additional, JSON_OBJ) || json_bool(additional);
	node->no_additional = json_is(additional, JSON_BOOL) && !json_bool(additional);
	if (compile_properties(source, node, c) ||
	    compile_below(source, "additionalProperties", node, &node->additional, c) ||
	    compile_below(source, "items", node, &node->items, c) ||
	    compile_below(source, "not", node, &node->not, c))
		return -1;
	if (compile_nodes(json_get(source, "anyOf"), &node->any_of, c) ||
	    compile_nodes(json_get(source, "oneOf"), &node->one_of, c) ||
	    compile_nodes(json_get(source, "allOf"), &node->all_of, c))
		return -1;
	return compile_texts(source, node, c);
}

static struct schema_node *compile(struct json source, struct compiler *c)
{
	struct schema_node *node = arena_new_of(c->schema->arena, struct schema_node);

	if (!c->schema->root)
		c->schema->root = node;
	compile_type(source, node);
	node->nullable = json_bool(json_get(source, "nullable"));
	node->preserve = json_bool(json_get(source, "x-kubernetes-preserve-unknown-fields"));
	node->atomic = str_is(json_str(json_get(source, "x-kubernetes-map-type")), "atomic");
	node->embedded = json_bool(json_get(source, "x-kubernetes-embedded-resource"));
	node->has_embedded_below = node->embedded;
	node->required = compile_strs(json_get(source, "required"), c);
	node->min_properties = compile_count(json_get(source, "minProperties"));
	node->max_properties = compile_count(json_get(source, "maxProperties"));
	node->minimum = compile_number(json_get(source, "minimum"));
	node->maximum = compile_number(json_get(source, "maximum"));
	node->multiple_of = compile_number(json_get(source, "multipleOf"));
	node->exclusive_minimum = json_bool(json_get(source, "exclusiveMinimum"));
	node->exclusive_maximum = json_bool(json_get(source, "exclusiveMaximum"));
	node->dflt = json_get(source, "default");
	if (json_is(node->dflt, JSON_NULL))
		node->dflt = JSON_NONE;
	node->has_defaults_below = !json_is_absent(node->dflt);
	if (json_len(json_get(source, "enum")))
		node->enums = json_get(source, "enum");
	compile_lists(source, node, c);
	compile_rules(source, node, c);
	return compile_parts(source, node, c) ? NULL : node;
}

struct schema *schema_new(struct json openapi, struct err *err)
{
	AUTO(schema_free) struct schema *schema = schema_ref(mem_new(struct schema));
	struct compiler c = {schema, err};

	schema->arena = arena_new(0);
	schema->doc = json_doc_freeze(openapi);
	schema->root = compile(json_doc_root(schema->doc), &c);
	if (!schema->root)
		return NULL;
	return TAKE(schema);
}

struct schema *schema_ref(struct schema *schema)
{
	schema->refs++;
	return schema;
}

void schema_free(struct schema *schema)
{
	if (!schema || --schema->refs)
		return;
	pattern_set_done(&schema->patterns);
	json_doc_unref(schema->doc);
	arena_free(schema->arena);
	mem_free(schema);
}

const struct schema_node *schema_root(const struct schema *schema)
{
	return schema->root;
}

size_t schema_unchecked_rules(const struct schema *schema)
{
	return schema->unchecked_rules;
}

const struct schema_node *schema_property(const struct schema_node *node, struct str name)
{
	size_t low = 0;
	size_t high = node->property_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_cmp(node->properties[middle].name, name);

		if (order == 0)
			return node->properties[middle].node;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct schema_node *schema_member(const struct schema_node *node, struct str name)
{
	const struct schema_node *property = schema_property(node, name);

	return property ? property : node->additional;
}
