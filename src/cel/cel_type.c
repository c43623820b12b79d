/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_type.c - the types that rules see for a schema, and the names of types.
 *
 * Rules do not see members whose schema has nothing that they could use (unknown fields only, lists
 * without items), nor members whose name cannot be written in CEL. The largest size of data in a
 * request is estimated as kube-apiserver does, because the cost estimate of a rule depends on it. */
#include <ctype.h>
#include <string.h>

#include "cel/cel_internal.h"

#include "base/banned.h"

enum { REQUEST_BYTES = 3 * 1024 * 1024, TYPE_DEPTH = 128 };

static const char *const names[CEL_KIND_COUNT] = {
	[CEL_ERROR] = "!error!",
	[CEL_DYN] = "dyn",
	[CEL_NULL] = "null",
	[CEL_BOOL] = "bool",
	[CEL_INT] = "int",
	[CEL_UINT] = "uint",
	[CEL_DOUBLE] = "double",
	[CEL_STRING] = "string",
	[CEL_BYTES] = "bytes",
	[CEL_DURATION] = "duration",
	[CEL_TIMESTAMP] = "timestamp",
	[CEL_LIST] = "list",
	[CEL_MAP] = "map",
	[CEL_OBJECT] = "object",
	[CEL_OPTIONAL] = "optional_type",
	[CEL_TYPE] = "type",
	[CEL_QUANTITY] = "kubernetes.Quantity",
	[CEL_IP] = "net.IP",
	[CEL_CIDR] = "net.CIDR",
	[CEL_URL] = "kubernetes.URL",
	[CEL_SEMVER] = "kubernetes.Semver",
	[CEL_FORMAT] = "kubernetes.NamedFormat",
	[CEL_PARAM] = "dyn",
};

const char *cel_kind_name(enum cel_kind kind)
{
	return names[kind];
}

#define SIMPLE(which) [which] = {.kind = (which)}

const struct cel_type *cel_type_simple(enum cel_kind kind)
{
	static const struct cel_type simple[CEL_KIND_COUNT] = {
		SIMPLE(CEL_ERROR),
		SIMPLE(CEL_DYN),
		SIMPLE(CEL_NULL),
		[CEL_BOOL] = {.kind = CEL_BOOL, .min_size = 4},
		[CEL_INT] = {.kind = CEL_INT, .min_size = 1},
		SIMPLE(CEL_UINT),
		[CEL_DOUBLE] = {.kind = CEL_DOUBLE, .min_size = 1},
		[CEL_STRING] = {.kind = CEL_STRING, .min_size = 2},
		SIMPLE(CEL_BYTES),
		SIMPLE(CEL_DURATION),
		SIMPLE(CEL_TIMESTAMP),
		SIMPLE(CEL_LIST),
		SIMPLE(CEL_MAP),
		SIMPLE(CEL_OBJECT),
		SIMPLE(CEL_OPTIONAL),
		SIMPLE(CEL_TYPE),
		SIMPLE(CEL_QUANTITY),
		SIMPLE(CEL_IP),
		SIMPLE(CEL_CIDR),
		SIMPLE(CEL_URL),
		SIMPLE(CEL_SEMVER),
		SIMPLE(CEL_FORMAT),
		SIMPLE(CEL_PARAM),
	};

	return &simple[kind];
}

const struct cel_type *cel_type_wrap(enum cel_kind kind, const struct cel_type *of,
				     struct arena *arena)
{
	struct cel_type *type = arena_new_of(arena, struct cel_type);

	type->kind = kind;
	type->of = of;
	return type;
}

const struct cel_type *cel_type_map(const struct cel_type *key, const struct cel_type *of,
				    struct arena *arena)
{
	struct cel_type *type = arena_new_of(arena, struct cel_type);

	type->kind = CEL_MAP;
	type->key = key;
	type->of = of;
	return type;
}

void cel_type_print(const struct cel_type *type, struct buf *to)
{
	buf_puts(to, names[type->kind]);
	if (!type->of)
		return;
	buf_putc(to, '(');
	if (type->key) {
		cel_type_print(type->key, to);
		buf_puts(to, ", ");
	}
	cel_type_print(type->of, to);
	buf_putc(to, ')');
}

/* --- from a schema --------------------------------------------------------------------------- */

static uint64_t count_of(struct json schema, const char *key)
{
	int64_t count = json_int(json_get(schema, key));

	return count > 0 ? (uint64_t)count : 0;
}

static bool has(struct json schema, const char *key)
{
	struct json value = json_get(schema, key);

	return !json_is_absent(value) && !json_is(value, JSON_NULL);
}

static uint64_t longest_enum(struct json list)
{
	struct json_iter it = json_iter(list);
	uint64_t longest = 0;

	while (json_next(&it))
		if (json_str(it.value).len > longest)
			longest = json_str(it.value).len;
	return longest;
}

static const struct cel_type *type_of_text(struct json schema, struct arena *arena)
{
	static const struct {
		const char *format;
		enum cel_kind kind;
		uint64_t min_size;
		uint64_t max_elements;
	} formats[] = {
		{"byte", CEL_BYTES, 2, REQUEST_BYTES - 2},
		{"duration", CEL_DURATION, 3, 32},
		{"date", CEL_TIMESTAMP, 12, 12},
		{"date-time", CEL_TIMESTAMP, 21, 32},
	};
	struct cel_type *type = arena_new_of(arena, struct cel_type);

	type->kind = CEL_STRING;
	type->min_size = 2;
	type->max_elements = REQUEST_BYTES - 2;
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (str_is(json_str(json_get(schema, "format")), formats[i].format)) {
			type->kind = formats[i].kind;
			type->min_size = formats[i].min_size;
			type->max_elements = formats[i].max_elements;
		}
	if (has(schema, "maxLength") && type->kind == CEL_STRING)
		type->max_elements = count_of(schema, "maxLength") * 4;
	else if (has(schema, "maxLength") && type->kind == CEL_BYTES)
		type->max_elements = count_of(schema, "maxLength");
	else if (json_len(json_get(schema, "enum")) && type->kind == CEL_STRING)
		type->max_elements = longest_enum(json_get(schema, "enum"));
	return type;
}

/* A name as rules write it; none if they cannot. */
static struct str escape_name(struct str name, struct arena *arena)
{
	static const char *const words[] = {
		"true",     "false",   "null",      "in",       "as",  "break",  "const",
		"continue", "else",    "for",       "function", "if",  "import", "let",
		"loop",     "package", "namespace", "return",   "var", "void",   "while"};
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;

	if (!name.len || isdigit((unsigned char)name.ptr[0]))
		return str_none();
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(name, words[i]))
			return str_from(arena_printf(arena, "__%s__", words[i]));
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == '_' && i + 1 < name.len && name.ptr[i + 1] == '_') {
			buf_puts(&made, "__underscores__");
			i++;
		} else if (isalnum((unsigned char)c) || c == '_') {
			buf_putc(&made, c);
		} else if (c == '.' || c == '-' || c == '/') {
			buf_puts(&made, c == '.' ? "__dot__" : c == '-' ? "__dash__" : "__slash__");
		} else {
			return str_none();
		}
	}
	return arena_str(arena, buf_str(&made));
}

static const struct cel_type *type_of(struct json schema, bool root, unsigned depth,
				      struct arena *arena);

static const struct cel_type *type_below(struct json schema, unsigned depth, struct arena *arena)
{
	return type_of(schema, json_bool(json_get(schema, "x-kubernetes-embedded-resource")),
		       depth + 1, arena);
}

static const struct cel_type *type_of_list(struct json schema, unsigned depth, struct arena *arena)
{
	struct json items = json_get(schema, "items");
	const struct cel_type *of =
		json_is(items, JSON_OBJ) ? type_below(items, depth, arena) : NULL;
	struct cel_type *type;

	if (!of)
		return NULL;
	type = arena_new_of(arena, struct cel_type);
	type->kind = CEL_LIST;
	type->of = of;
	type->min_size = 2;
	type->max_elements = has(schema, "maxItems") ? count_of(schema, "maxItems")
						     : (REQUEST_BYTES - 2) / (of->min_size + 1);
	return type;
}

static const struct cel_type *type_of_map(struct json schema, unsigned depth, struct arena *arena)
{
	const struct cel_type *of =
		type_below(json_get(schema, "additionalProperties"), depth, arena);
	struct cel_type *type;
	struct cel_type *key;

	if (!of)
		return NULL;
	key = arena_new_of(arena, struct cel_type);
	key->kind = CEL_STRING;
	key->min_size = 2;
	type = arena_new_of(arena, struct cel_type);
	type->kind = CEL_MAP;
	type->key = key;
	type->of = of;
	type->min_size = 2;
	type->max_elements = has(schema, "maxProperties")
				     ? count_of(schema, "maxProperties")
				     : (REQUEST_BYTES - 2) / (of->min_size + 6);
	return type;
}

static bool is_required(struct json schema, struct str name)
{
	return json_has_str(json_get(schema, "required"), name);
}

static void add_field(struct cel_type *type, struct str name, const struct cel_type *of,
		      struct arena *arena)
{
	struct str escaped = escape_name(name, arena);

	for (size_t i = 0; i < type->field_count; i++)
		if (str_eq(type->fields[i].key, name)) {
			type->fields[i].type = of;
			return;
		}
	if (!str_is_none(escaped))
		type->fields[type->field_count++] =
			(struct cel_field){escaped, arena_str(arena, name), of};
}

/* The members that every object has at its root. */
static void add_root(struct cel_type *type, struct arena *arena)
{
	struct cel_type *text = arena_new_of(arena, struct cel_type);
	struct cel_type *metadata = arena_new_of(arena, struct cel_type);

	text->kind = CEL_STRING;
	text->min_size = 2;
	text->max_elements = REQUEST_BYTES - 2;
	metadata->kind = CEL_OBJECT;
	metadata->min_size = 2;
	metadata->fields = arena_calloc(arena, 2, sizeof(metadata->fields[0]));
	add_field(metadata, STR("name"), text, arena);
	add_field(metadata, STR("generateName"), text, arena);
	add_field(type, STR("kind"), text, arena);
	add_field(type, STR("apiVersion"), text, arena);
	add_field(type, STR("metadata"), metadata, arena);
}

static const struct cel_type *type_of_object(struct json schema, bool root, unsigned depth,
					     struct arena *arena)
{
	struct cel_type *type = arena_new_of(arena, struct cel_type);
	struct json properties = json_get(schema, "properties");
	struct json_iter it = json_iter(properties);

	type->kind = CEL_OBJECT;
	type->min_size = 2;
	type->fields = arena_calloc(arena, json_len(properties) + 3, sizeof(type->fields[0]));
	while (json_next(&it)) {
		const struct cel_type *of = type_below(it.value, depth, arena);

		if (!of)
			continue;
		add_field(type, it.key, of, arena);
		if (is_required(schema, it.key) && !has(it.value, "default"))
			type->min_size += it.key.len + of->min_size + 4;
	}
	if (root)
		add_root(type, arena);
	return type;
}

static const struct cel_type *type_of(struct json schema, bool root, unsigned depth,
				      struct arena *arena)
{
	static const struct {
		const char *name;
		enum cel_kind kind;
	} plain[] = {{"boolean", CEL_BOOL}, {"number", CEL_DOUBLE}, {"integer", CEL_INT}};
	struct str type = json_str(json_get(schema, "type"));

	if (depth > TYPE_DEPTH)
		return NULL;
	if (json_bool(json_get(schema, "x-kubernetes-int-or-string"))) {
		struct cel_type *any = arena_new_of(arena, struct cel_type);

		any->kind = CEL_DYN;
		any->min_size = 1;
		any->max_elements = has(schema, "maxLength") ? count_of(schema, "maxLength") * 4
							     : REQUEST_BYTES - 2;
		return any;
	}
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (str_is(type, plain[i].name))
			return cel_type_simple(plain[i].kind);
	if (str_is(type, "string"))
		return type_of_text(schema, arena);
	if (str_is(type, "array"))
		return type_of_list(schema, depth, arena);
	if (!str_is(type, "object"))
		return NULL;
	return json_is(json_get(schema, "additionalProperties"), JSON_OBJ)
		       ? type_of_map(schema, depth, arena)
		       : type_of_object(schema, root, depth, arena);
}

const struct cel_type *cel_type_of_schema(struct json schema, bool root, struct arena *arena)
{
	return type_of(schema, root, 0, arena);
}
