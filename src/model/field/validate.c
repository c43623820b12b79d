/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/validate.c - checks a document by the rules of the rows, and collects causes.
 *
 * Rows are visited in their order, so that causes come in the order in which a reader of the API
 * reference would look. After a rule has rejected a value the next one is skipped, unless Kubernetes
 * reports both. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/field/fields.h"
#include "model/field/fields_internal.h"
#include "model/field/rule.h"

#include "base/banned.h"

static void validate_value(const struct field *field, struct json value, const struct path *path,
			   struct causes *causes);

static void validate_number(const struct field *field, struct json value, const struct path *path,
			    struct causes *causes)
{
	int64_t number = json_int(value);
	bool low = field->has_min && number < field->min;
	bool high = field->has_max && number > field->max;

	if (!low && !high)
		return;
	if (field->has_min && field->has_max)
		causes_invalid(causes, path, value,
			       "must be between %" PRId64 " and %" PRId64 ", inclusive", field->min,
			       field->max);
	else if (low)
		causes_invalid(causes, path, value, "must be greater than or equal to %" PRId64,
			       field->min);
	else
		causes_invalid(causes, path, value, "must be less than or equal to %" PRId64,
			       field->max);
}

static void validate_text(const struct field *field, struct json value, const struct path *path,
			  struct causes *causes)
{
	struct str text = json_str(value);

	if (text.len < field->min_len) {
		if (text.len)
			causes_invalid(causes, path, value, "must be at least %u characters",
				       field->min_len);
		else if (!field->required)
			causes_required(causes, path, "");
		return;
	}
	if (field->names && !field->open && text.len && field_enum_value(field, text) < 0)
		causes_not_supported(causes, path, text, field->names, field->name_count);
	if (field->format != NAME_ANY && text.len)
		name_validate((enum name_format)field->format, text, path, causes);
	if (field->max_len && text.len > field->max_len &&
	    name_max_len((enum name_format)field->format) != field->max_len)
		causes_too_long(causes, path, field->max_len);
}

static void validate_quantity(const struct field *field, struct json value, const struct path *path,
			      struct causes *causes)
{
	struct quantity quantity;
	struct quantity bound = {0};

	if ((!field->has_min && !field->has_max) ||
	    field_quantity(value, NULL, &quantity, NULL)) /* wrong types are reported elsewhere */
		return;
	bound.value = field->min;
	if (field->has_min && quantity_cmp(&quantity, &bound) < 0)
		causes_invalid(causes, path, value, "must be greater than or equal to %" PRId64,
			       field->min);
	bound.value = field->max;
	if (field->has_max && quantity_cmp(&quantity, &bound) > 0)
		causes_invalid(causes, path, value, "must be less than or equal to %" PRId64,
			       field->max);
}

static void validate_count(const struct field *field, struct json value, const struct path *path,
			   struct causes *causes)
{
	size_t count = json_len(value);

	if (count < field->min_len) {
		if (count)
			causes_invalid(causes, path, value, "must have at least %u items",
				       field->min_len);
		else if (!field->required)
			causes_required(causes, path, "");
	}
	if (field->max_len && count > field->max_len)
		causes_too_many(causes, path, count, field->max_len);
}

/* --- doubles in lists ------------------------------------------------------------------------ */

/* The identity of an element in its list, as text. */
struct identity {
	struct buf text;
	size_t index;
	bool doubled;
};

static int identity_cmp(const void *a, const void *b)
{
	const struct identity *left = a;
	const struct identity *right = b;
	int order = str_cmp(buf_str(&left->text), buf_str(&right->text));

	if (order)
		return order;
	return left->index < right->index ? -1 : left->index > right->index;
}

static int identity_index_cmp(const void *a, const void *b)
{
	const struct identity *left = a;
	const struct identity *right = b;

	return left->index < right->index ? -1 : left->index > right->index;
}

static void put_identity(const struct field *field, struct json element, struct buf *to)
{
	if (field->list_type == FIELD_LIST_SET) {
		json_print(element, JSON_CANONICAL, to);
		return;
	}
	for (size_t k = 0; field->list_keys[k]; k++) {
		const struct field *row =
			type_find(field->of->type, str_from(field->list_keys[k]), NULL);
		struct json key = json_get(element, field->list_keys[k]);

		if (json_is_absent(key) && row && row->dflt)
			buf_printf(to, "\"%s\"", row->dflt);
		else
			json_print(key, JSON_CANONICAL, to);
		buf_putc(to, ' ');
	}
}

static void tell_double(const struct field *field, struct json element, const struct path *path,
			struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json keys;

	if (field->list_type == FIELD_LIST_SET) {
		causes_duplicate(causes, path, element);
		return;
	}
	if (!field->list_keys[1]) {
		struct path key = path_member(path, str_from(field->list_keys[0]));

		causes_duplicate(causes, &key, json_get(element, field->list_keys[0]));
		return;
	}
	doc = json_doc_new();
	keys = json_new_obj(doc);
	for (size_t k = 0; field->list_keys[k]; k++) {
		struct json key = json_get(element, field->list_keys[k]);

		if (!json_is_absent(key))
			json_set(doc, keys, str_from(field->list_keys[k]), json_new_copy(doc, key));
	}
	causes_duplicate(causes, path, keys);
}

static void validate_unique(const struct field *field, struct json list, const struct path *path,
			    struct causes *causes)
{
	struct json_iter it = json_iter(list);
	VEC(struct identity) found = {0};

	while (json_next(&it)) {
		struct identity *identity = vec_add(&found);

		identity->text = buf_make(SIZE_MAX / 4);
		identity->index = it.index;
		put_identity(field, it.value, &identity->text);
	}
	if (!found.ptr)
		return;
	qsort(found.ptr, found.len, sizeof(*found.ptr), identity_cmp);
	for (size_t i = 1; i < found.len; i++)
		found.ptr[i].doubled =
			str_eq(buf_str(&found.ptr[i - 1].text), buf_str(&found.ptr[i].text));
	qsort(found.ptr, found.len, sizeof(*found.ptr), identity_index_cmp);
	it = json_iter(list);
	while (json_next(&it)) {
		struct path element = path_index(path, it.index);

		if (found.ptr[it.index].doubled)
			tell_double(field, it.value, &element, causes);
		buf_done(&found.ptr[it.index].text);
	}
	vec_done(&found);
}

/* --- objects --------------------------------------------------------------------------------- */

static void validate_elements(const struct field *field, struct json value, const struct path *path,
			      struct causes *causes)
{
	struct json_iter it = json_iter(value);

	while (json_next(&it)) {
		struct path below = field->is == FIELD_LIST ? path_index(path, it.index)
							    : path_key(path, it.key);

		if (field->key_format)
			name_validate((enum name_format)field->key_format, it.key, path, causes);
		if (field->of->required && field_is_missing(it.value))
			causes_required(causes, &below, "");
		else
			validate_value(field->of, it.value, &below, causes);
	}
}

static void validate_value(const struct field *field, struct json value, const struct path *path,
			   struct causes *causes)
{
	if (json_is_absent(value) || json_is(value, JSON_NULL))
		return;
	switch (field->is) {
	case FIELD_INT32:
	case FIELD_INT64:
		validate_number(field, value, path, causes);
		break;
	case FIELD_STR:
	case FIELD_ENUM:
		validate_text(field, value, path, causes);
		break;
	case FIELD_QUANTITY:
		validate_quantity(field, value, path, causes);
		break;
	case FIELD_OBJECT:
		type_validate_at(field->type, value, path, causes);
		break;
	case FIELD_LIST:
	case FIELD_MAP:
		validate_count(field, value, path, causes);
		validate_elements(field, value, path, causes);
		if (field->list_type == FIELD_LIST_SET || field->list_type == FIELD_LIST_MAP)
			validate_unique(field, value, path, causes);
		break;
	default:
		break;
	}
}

void type_validate_at(const struct type *type, struct json object, const struct path *path,
		      struct causes *causes)
{
	struct json values[FIELD_ROWS_MAX];
	struct json_iter it = json_iter(object);
	size_t hint = 0;

	if (type->rules) {
		struct rule_at at = rule_start(object, path, causes);

		rules_check(type->rules, &at);
		return;
	}
	if (type->whole) {
		type->validate(object, path, causes);
		return;
	}
	memset(values, 0, type->count * sizeof(values[0]));
	while (json_next(&it)) {
		const struct field *field = type_find(type, it.key, &hint);

		if (field)
			values[field - type->fields] = it.value;
	}
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		struct path member = path_member(path, str_from(field->name));

		if (field->required && field_is_missing(values[i]))
			causes_required(causes, &member, "");
		else
			validate_value(field, values[i], &member, causes);
	}
	if (type->validate)
		type->validate(object, path, causes);
}

void type_validate(const struct type *type, struct json object, struct causes *causes)
{
	type_validate_at(type, object, NULL, causes);
}

/* --- updates --------------------------------------------------------------------------------- */

static void validate_update_at(const struct type *type, struct json old, struct json object,
			       const struct path *path, struct causes *causes)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		struct path member = path_member(path, str_from(field->name));
		struct json before;
		struct json after;

		if (!field->immutable && field->is != FIELD_OBJECT)
			continue;
		before = json_get(old, field->name);
		after = json_get(object, field->name);
		if (json_is_absent(before) && json_is_absent(after))
			continue;
		if (!field->immutable)
			validate_update_at(field->type, before, after, &member, causes);
		else if (!json_eq(before, after) &&
			 !(field_is_missing(before) && field_is_missing(after)))
			causes_invalid(causes, &member, after, "field is immutable");
	}
}

void type_validate_update(const struct type *type, struct json old, struct json object,
			  struct causes *causes)
{
	struct rule_at at = {.value = object, .old = old, .causes = causes};

	if (type->update)
		rules_check(type->update, &at);
	else
		validate_update_at(type, old, object, NULL, causes);
}

void type_validate_status(const struct type *type, struct json old, struct json object,
			  struct causes *causes)
{
	struct rule_at at = {.value = object, .old = old, .causes = causes};

	if (type->status)
		rules_check(type->status, &at);
}
