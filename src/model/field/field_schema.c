/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/field_schema.c - the OpenAPI v3 schema of a field table.
 *
 * In place it is a structural schema as a CustomResourceDefinition carries it. With references it is
 * what /openapi serves for built-in types, merge strategies and the values of closed types included; values
 * that are more than a string or number are types of their own there (IntOrString, Quantity, Time).
 * A type that contains itself
 * cannot be written in place: its second occurrence is an object with anything in it. */
#include "model/field/fields.h"
#include "model/field/fields_internal.h"
#include "model/field/go_values.h"

#include "base/banned.h"

#define QUANTITY_PATTERN                                                       \
	"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|" \
	"([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"

struct writer {
	struct json_doc *doc;
	const struct schema_options *options;
};

/* The types around this place. */
struct around {
	const struct type *type;
	const struct around *up;
};

static void put_object(const struct type *type, struct json schema, const struct around *up,
		       const struct writer *w);

static void put_str(const struct writer *w, struct json schema, const char *key, const char *value)
{
	json_set_str(w->doc, schema, key, str_from(value));
}

void type_schema_name(const struct type *type, struct buf *to)
{
	if (type->group)
		buf_printf(to, "%s.", type->group);
	buf_printf(to, "%s.%s", type->package, type->name);
}

static void put_doc(const char *doc, struct json schema, const struct writer *w)
{
	if (doc && !w->options->no_docs)
		put_str(w, schema, "description", doc);
}

/* What the simple classes are. */
static const struct {
	const char *type;
	const char *format;
} shapes[FIELD_CLASS_COUNT] = {
	[FIELD_BOOL] = {"boolean", NULL},       [FIELD_INT32] = {"integer", "int32"},
	[FIELD_INT64] = {"integer", "int64"},   [FIELD_DOUBLE] = {"number", "double"},
	[FIELD_STR] = {"string", NULL},         [FIELD_BYTES] = {"string", "byte"},
	[FIELD_ENUM] = {"string", NULL},        [FIELD_DURATION] = {"string", NULL},
	[FIELD_TIME] = {"string", "date-time"}, [FIELD_MICROTIME] = {"string", "date-time"},
	[FIELD_LIST] = {"array", NULL},         [FIELD_MAP] = {"object", NULL},
};

/* A value of either of two types. */
static void put_either(struct json schema, const char *key, const char *first, const char *second,
		       const struct writer *w)
{
	struct json list = json_new_arr(w->doc);
	struct json one = json_new_obj(w->doc);
	struct json other = json_new_obj(w->doc);

	put_str(w, one, "type", first);
	put_str(w, other, "type", second);
	json_append(w->doc, list, one);
	json_append(w->doc, list, other);
	json_set(w->doc, schema, str_from(key), list);
}

static void put_mixed(enum field_class is, struct json schema, const struct writer *w)
{
	bool quantity = is == FIELD_QUANTITY;

	if (w->options->ref_prefix && !w->options->all_of) {
		put_str(w, schema, "type", "string");
		if (!quantity)
			put_str(w, schema, "format", "int-or-string");
		return;
	}
	if (w->options->ref_prefix) {
		if (quantity) {
			put_either(schema, "oneOf", "string", "number", w);
		} else {
			put_either(schema, "oneOf", "integer", "string", w);
			put_str(w, schema, "format", "int-or-string");
		}
		return;
	}
	put_either(schema, "anyOf", "integer", "string", w);
	if (quantity)
		put_str(w, schema, "pattern", QUANTITY_PATTERN);
	json_set_bool(w->doc, schema, "x-kubernetes-int-or-string", true);
}

/* What has a name of its own in OpenAPI. */
static const struct type named[FIELD_CLASS_COUNT] = {
	[FIELD_QUANTITY] = {.name = "Quantity",
			    .package = "resource",
			    .group = "io.k8s.apimachinery.pkg.api",
			    .scalar = FIELD_QUANTITY},
	[FIELD_INTSTR] = {.name = "IntOrString",
			  .package = "intstr",
			  .group = "io.k8s.apimachinery.pkg.util",
			  .scalar = FIELD_INTSTR},
	[FIELD_TIME] = {.name = "Time",
			.package = "v1",
			.group = "io.k8s.apimachinery.pkg.apis.meta",
			.scalar = FIELD_TIME},
	[FIELD_MICROTIME] = {.name = "MicroTime",
			     .package = "v1",
			     .group = "io.k8s.apimachinery.pkg.apis.meta",
			     .scalar = FIELD_MICROTIME},
};

static void put_scalar(enum field_class is, struct json schema, const struct writer *w)
{
	if (is == FIELD_QUANTITY || is == FIELD_INTSTR) {
		put_mixed(is, schema, w);
		return;
	}
	put_str(w, schema, "type", shapes[is].type);
	if (shapes[is].format)
		put_str(w, schema, "format", shapes[is].format);
}

/* The values of a closed type of Go, which only built-in types list. */
static void put_go_values(const struct field *field, struct json schema, const struct writer *w)
{
	struct str rest = go_values(w->options->ref_prefix ? field->go_type : NULL);
	struct json list = json_new_arr(w->doc);
	struct str value;

	if (str_is_none(rest))
		return;
	while (str_split(&rest, '|', &value))
		json_append(w->doc, list, json_new_str(w->doc, value));
	json_set(w->doc, schema, STR("enum"), list);
}

static void put_names(const struct field *field, struct json schema, const struct writer *w)
{
	struct json list = json_new_arr(w->doc);

	for (uint32_t i = 0; i < field->name_count; i++)
		if (field->names[i] && field->names[i][0])
			json_append(w->doc, list, json_new_str(w->doc, str_from(field->names[i])));
	json_set(w->doc, schema, STR("enum"), list);
}

static void put_lengths(const struct field *field, struct json schema, const struct writer *w)
{
	static const struct {
		const char *min, *max;
	} words[FIELD_CLASS_COUNT] = {
		[FIELD_STR] = {"minLength", "maxLength"},
		[FIELD_LIST] = {"minItems", "maxItems"},
		[FIELD_MAP] = {"minProperties", "maxProperties"},
	};
	size_t most = field->max_len;

	if (!words[field->is].min)
		return;
	if (!most && field->is == FIELD_STR)
		most = name_max_len((enum name_format)field->format);
	if (field->min_len)
		json_set_int(w->doc, schema, words[field->is].min, field->min_len);
	if (most)
		json_set_int(w->doc, schema, words[field->is].max, (int64_t)most);
}

static void put_limits(const struct field *field, struct json schema, const struct writer *w)
{
	const char *pattern = field->pattern;
	bool number = field->is == FIELD_INT32 || field->is == FIELD_INT64;

	if (!pattern && field->is == FIELD_STR)
		pattern = name_pattern((enum name_format)field->format);
	if (pattern)
		put_str(w, schema, "pattern", pattern);
	put_lengths(field, schema, w);
	if (field->has_min && number)
		json_set_int(w->doc, schema, "minimum", field->min);
	if (field->has_max && number)
		json_set_int(w->doc, schema, "maximum", field->max);
	if (field->nullable)
		json_set_bool(w->doc, schema, "nullable", true);
	if (field->dflt)
		json_set(w->doc, schema, STR("default"), field_default(field, w->doc));
}

static void put_list_type(const struct field *field, struct json schema, const struct writer *w)
{
	static const char *const names[] = {
		[FIELD_LIST_PLAIN] = NULL,
		[FIELD_LIST_ATOMIC] = "atomic",
		[FIELD_LIST_SET] = "set",
		[FIELD_LIST_MAP] = "map",
	};
	struct json keys;

	if (field->list_keys) {
		keys = json_new_arr(w->doc);
		for (size_t i = 0; field->list_keys[i]; i++)
			json_append(w->doc, keys,
				    json_new_str(w->doc, str_from(field->list_keys[i])));
		json_set(w->doc, schema, STR("x-kubernetes-list-map-keys"), keys);
	}
	if (names[field->list_type])
		put_str(w, schema, "x-kubernetes-list-type", names[field->list_type]);
	if (!w->options->ref_prefix)
		return;
	if (field->merge_key)
		put_str(w, schema, "x-kubernetes-patch-merge-key", field->merge_key);
	if (field->replace)
		put_str(w, schema, "x-kubernetes-patch-strategy", "replace");
	else if (field->merge || field->retain_keys)
		put_str(w, schema, "x-kubernetes-patch-strategy",
			!field->retain_keys ? "merge"
			: field->merge      ? "merge,retainKeys"
					    : "retainKeys");
}

/* `bare`: nothing is next to the reference, so that it needs no allOf. */
static void put_ref(const struct type *type, struct json schema, bool bare, const struct writer *w)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	struct json ref = schema;

	buf_puts(&name, w->options->ref_prefix);
	type_schema_name(type, &name);
	if (w->options->all_of && !bare) {
		struct json list = json_new_arr(w->doc);

		ref = json_new_obj(w->doc);
		json_append(w->doc, list, ref);
		json_set(w->doc, schema, STR("allOf"), list);
	}
	json_set_str(w->doc, ref, "$ref", buf_str(&name));
	if (w->options->on_ref)
		w->options->on_ref(w->options->arg, type);
}

static struct json make_schema(const struct field *field, const struct around *up,
			       const struct writer *w);

static void put_class(const struct field *field, struct json schema, const struct around *up,
		      const struct writer *w)
{
	if (field->is == FIELD_ANY)
		return;
	if (field->is == FIELD_OBJECT && !w->options->ref_prefix) {
		put_object(field->type, schema, up, w);
		return;
	}
	if (field->is == FIELD_OBJECT) {
		put_ref(field->type, schema, false, w);
		return;
	}
	if (w->options->ref_prefix && named[field->is].name) {
		put_ref(&named[field->is], schema, !field->name && !field->doc, w);
		return;
	}
	put_scalar(field->is, schema, w);
	if (field->names && !field->open)
		put_names(field, schema, w);
	else
		put_go_values(field, schema, w);
	if (field->of)
		json_set(w->doc, schema,
			 field->is == FIELD_LIST ? STR("items") : STR("additionalProperties"),
			 make_schema(field->of, up, w));
}

static struct json make_schema(const struct field *field, const struct around *up,
			       const struct writer *w)
{
	struct json schema = json_new_obj(w->doc);

	put_doc(field->doc, schema, w);
	put_class(field, schema, up, w);
	put_limits(field, schema, w);
	put_list_type(field, schema, w);
	if (field->atomic)
		put_str(w, schema, "x-kubernetes-map-type", "atomic");
	if (field->preserve)
		json_set_bool(w->doc, schema, "x-kubernetes-preserve-unknown-fields", true);
	return schema;
}

static bool is_around(const struct type *type, const struct around *up)
{
	for (; up; up = up->up)
		if (up->type == type)
			return true;
	return false;
}

static void put_rules(const struct type_rule *rules, struct json schema, const struct writer *w)
{
	struct json list = json_new_arr(w->doc);

	for (; rules->rule; rules++) {
		struct json rule = json_new_obj(w->doc);

		put_str(w, rule, "rule", rules->rule);
		put_str(w, rule, "message", rules->message);
		json_append(w->doc, list, rule);
	}
	json_set(w->doc, schema, STR("x-kubernetes-validations"), list);
}

static void put_object(const struct type *type, struct json schema, const struct around *up,
		       const struct writer *w)
{
	struct around here = {type, up};
	struct json properties;
	struct json required;

	if (json_is_absent(json_get(schema, "description")))
		put_doc(type->doc, schema, w);
	if (type->scalar) {
		put_scalar(type->scalar, schema, w);
		return;
	}
	put_str(w, schema, "type", "object");
	if (type->atomic)
		put_str(w, schema, "x-kubernetes-map-type", "atomic");
	if (type->cel && !w->options->ref_prefix)
		put_rules(type->cel, schema, w);
	if (type->preserve || is_around(type, up))
		json_set_bool(w->doc, schema, "x-kubernetes-preserve-unknown-fields", true);
	if (is_around(type, up))
		return;
	properties = json_new_obj(w->doc);
	required = json_new_arr(w->doc);
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];

		json_set(w->doc, properties, str_from(field->name), make_schema(field, &here, w));
		if (field->required || field->needed)
			json_append(w->doc, required, json_new_str(w->doc, str_from(field->name)));
	}
	if (type->count)
		json_set(w->doc, schema, STR("properties"), properties);
	if (json_len(required))
		json_set(w->doc, schema, STR("required"), required);
}

struct json type_schema(const struct type *type, struct json_doc *doc,
			const struct schema_options *options)
{
	static const struct schema_options in_place = {0};
	struct writer w = {doc, options ? options : &in_place};
	struct json schema = json_new_obj(doc);

	put_object(type, schema, NULL, &w);
	return schema;
}
