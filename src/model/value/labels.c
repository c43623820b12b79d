/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/labels.c - label sets, matching, and the object form of selectors. The text form is in
 * selector.c. */
#include "model/value/labels.h"

#include <stdlib.h>

#include "base/number.h"
#include "model/value/names.h"

#include "base/banned.h"

const struct label *labels_find(const struct labels *labels, struct str key)
{
	size_t low = 0;
	size_t high = labels->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_cmp(labels->ptr[middle].key, key);

		if (order == 0)
			return &labels->ptr[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct str labels_get(const struct labels *labels, struct str key)
{
	const struct label *label = labels_find(labels, key);

	return label ? label->value : str_none();
}

bool labels_contain(const struct labels *labels, const struct labels *some)
{
	for (size_t i = 0; i < some->len; i++) {
		const struct label *label = labels_find(labels, some->ptr[i].key);

		if (!label || !str_eq(label->value, some->ptr[i].value))
			return false;
	}
	return true;
}

void labels_validate(struct json labels, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(labels);

	while (json_next(&it)) {
		name_validate(NAME_QUALIFIED, it.key, path, causes);
		name_validate(NAME_LABEL_VALUE, json_str(it.value), path, causes);
	}
}

/* --- matching -------------------------------------------------------------------------------- */

static bool has_value(const struct requirement *requirement, struct str value)
{
	for (size_t i = 0; i < requirement->values.len; i++)
		if (str_eq(requirement->values.ptr[i], value))
			return true;
	return false;
}

static bool compares(const struct requirement *requirement, struct str value)
{
	int64_t left;
	int64_t right;

	if (requirement->values.len != 1 || number_parse_i64(value, &left, NULL) ||
	    number_parse_i64(requirement->values.ptr[0], &right, NULL))
		return false;
	return requirement->op == SELECTOR_GREATER ? left > right : left < right;
}

bool requirement_matches(const struct requirement *requirement, const struct labels *labels)
{
	const struct label *label = labels_find(labels, requirement->key);

	switch (requirement->op) {
	case SELECTOR_IN:
	case SELECTOR_EQUALS:
	case SELECTOR_DOUBLE_EQUALS:
		return label && has_value(requirement, label->value);
	case SELECTOR_NOT_IN:
	case SELECTOR_NOT_EQUALS:
		return !label || !has_value(requirement, label->value);
	case SELECTOR_EXISTS:
		return label;
	case SELECTOR_NOT_EXISTS:
		return !label;
	case SELECTOR_GREATER:
	case SELECTOR_LESS:
		return label && compares(requirement, label->value);
	default:
		return false;
	}
}

bool selector_matches(const struct selector *selector, const struct labels *labels)
{
	if (selector->nothing)
		return false;
	for (size_t i = 0; i < selector->len; i++)
		if (!requirement_matches(&selector->ptr[i], labels))
			return false;
	return true;
}

/* --- the object form ------------------------------------------------------------------------- */

static const char *const op_names[] = {
	[LABEL_SELECTOR_NONE] = "",
	[LABEL_SELECTOR_IN] = "In",
	[LABEL_SELECTOR_NOT_IN] = "NotIn",
	[LABEL_SELECTOR_EXISTS] = "Exists",
	[LABEL_SELECTOR_DOES_NOT_EXIST] = "DoesNotExist",
};

#define VIEW struct label_selector_requirement
static const struct field label_selector_requirement_fields[] = {
	{"key", F_STR, AT(key), F_ALWAYS, F_NEEDED},
	{"operator", F_ENUM(op_names), AT(op), F_OPEN, F_NEEDED, F_GO("v1.LabelSelectorOperator")},
	{"values", F_LIST(F_STR), AT(values), F_LIST_ATOMIC},
};
#undef VIEW

static void validate_requirement(struct json object, const struct path *path, struct causes *causes)
{
	struct path key = path_member(path, STR("key"));
	struct path operation = path_member(path, STR("operator"));
	struct path values = path_member(path, STR("values"));
	struct str op = json_str(json_get(object, "operator"));
	struct json_iter it = json_iter(json_get(object, "values"));
	size_t count = json_len(json_get(object, "values"));

	if (str_is(op, "In") || str_is(op, "NotIn")) {
		if (!count)
			causes_required(causes, &values,
					"must be specified when `operator` is 'In' or 'NotIn'");
	} else if (str_is(op, "Exists") || str_is(op, "DoesNotExist")) {
		if (count)
			causes_forbidden(causes, &values,
					 "may not be specified when `operator` is 'Exists' or "
					 "'DoesNotExist'");
	} else {
		causes_invalid_str(causes, &operation, op, "not a valid selector operator");
	}
	name_validate(NAME_QUALIFIED, json_str(json_get(object, "key")), &key, causes);
	while (json_next(&it)) {
		struct path value = path_index(&values, it.index);

		name_validate(NAME_LABEL_VALUE, json_str(it.value), &value, causes);
	}
}

const struct type label_selector_requirement_type = {
	TYPE("LabelSelectorRequirement", "v1", struct label_selector_requirement,
	     label_selector_requirement_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
	.validate = validate_requirement,
};

#define VIEW struct label_selector
static const struct field label_selector_fields[] = {
	{"matchLabels", F_LABELS, AT(match_labels)},
	{"matchExpressions", F_LIST(F_OBJECT(label_selector_requirement)), AT(match_expressions),
	 F_LIST_ATOMIC},
};
#undef VIEW

static void validate_selector(struct json object, const struct path *path, struct causes *causes)
{
	struct path labels = path_member(path, STR("matchLabels"));

	labels_validate(json_get(object, "matchLabels"), &labels, causes);
}

const struct type label_selector_type = {
	TYPE("LabelSelector", "v1", struct label_selector, label_selector_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
	.validate = validate_selector,
	.atomic = true,
};

static const enum selector_op ops[] = {
	[LABEL_SELECTOR_IN] = SELECTOR_IN,
	[LABEL_SELECTOR_NOT_IN] = SELECTOR_NOT_IN,
	[LABEL_SELECTOR_EXISTS] = SELECTOR_EXISTS,
	[LABEL_SELECTOR_DOES_NOT_EXIST] = SELECTOR_NOT_EXISTS,
};

static int by_key(const void *a, const void *b)
{
	const struct requirement *left = a;
	const struct requirement *right = b;

	return str_cmp(left->key, right->key);
}

int selector_from_object(const struct label_selector *object, struct arena *arena,
			 struct selector *ret, struct err *err)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct selector made = {0};

	if (!object) {
		*ret = (struct selector){.nothing = true};
		return 0;
	}
	made.ptr = arena_calloc(arena, object->match_labels.len + object->match_expressions.len,
				sizeof(made.ptr[0]));
	for (size_t i = 0; i < object->match_labels.len; i++)
		made.ptr[made.len++] =
			(struct requirement){object->match_labels.ptr[i].key,
					     SELECTOR_EQUALS,
					     {&object->match_labels.ptr[i].value, 1}};
	for (size_t i = 0; i < object->match_expressions.len; i++) {
		const struct label_selector_requirement *from = &object->match_expressions.ptr[i];

		if (from->op == LABEL_SELECTOR_NONE || from->op >= LABEL_SELECTOR_OP_COUNT)
			return err_set(err, ERR_INVALID, "not a valid label selector operator");
		made.ptr[made.len++] = (struct requirement){from->key, ops[from->op], from->values};
	}
	for (size_t i = 0; i < made.len; i++)
		requirement_check(&made.ptr[i], &causes);
	if (causes.len)
		return err_set(err, ERR_INVALID, "%s: %s", causes.ptr[0].field,
			       causes.ptr[0].message);
	if (made.len)
		qsort(made.ptr, made.len, sizeof(made.ptr[0]), by_key);
	*ret = made;
	return 0;
}
