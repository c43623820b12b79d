/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/affinity.c - evaluate node selector terms, and their tables. */
#include "model/pod/affinity.h"

#include <assert.h>

#include "base/number.h"
#include "model/value/names.h"

#include "base/banned.h"

static const char *const op_names[] = {
	[NODE_SELECTOR_NONE] = "",
	[NODE_SELECTOR_IN] = "In",
	[NODE_SELECTOR_NOT_IN] = "NotIn",
	[NODE_SELECTOR_EXISTS] = "Exists",
	[NODE_SELECTOR_DOES_NOT_EXIST] = "DoesNotExist",
	[NODE_SELECTOR_GT] = "Gt",
	[NODE_SELECTOR_LT] = "Lt",
};
static_assert(ARRAY_LEN(op_names) == NODE_SELECTOR_OP_COUNT, "name every operator");

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct node_selector_requirement
static const struct field node_selector_requirement_fields[] = {
	{"key", F_STR, AT(key), F_NEEDED, F_ALWAYS},
	{"operator", F_ENUM(op_names), AT(op), F_NEEDED, F_OPEN, F_ALWAYS,
	 F_GO("v1.NodeSelectorOperator")},
	{"values", F_LIST(F_STR), AT(values), F_LIST_ATOMIC},
};
#undef VIEW
const struct type node_selector_requirement_type = {
	TYPE("NodeSelectorRequirement", "v1", struct node_selector_requirement,
	     node_selector_requirement_fields),
	CORE,
};

#define VIEW struct node_selector_term
static const struct field node_selector_term_fields[] = {
	{"matchExpressions", F_LIST(F_OBJECT(node_selector_requirement)), AT(match_expressions),
	 F_LIST_ATOMIC},
	{"matchFields", F_LIST(F_OBJECT(node_selector_requirement)), AT(match_fields),
	 F_LIST_ATOMIC},
};
#undef VIEW

static void validate_count(struct str op, struct json values, const struct path *path,
			   struct causes *causes)
{
	size_t count = json_len(values);

	if (str_is(op, "In") || str_is(op, "NotIn")) {
		if (!count)
			causes_required(causes, path,
					"must be specified when `operator` is 'In' or 'NotIn'");
	} else if (str_is(op, "Exists") || str_is(op, "DoesNotExist")) {
		if (count)
			causes_forbidden(causes, path,
					 "may not be specified when `operator` is 'Exists' or "
					 "'DoesNotExist'");
	} else if (count != 1) {
		causes_required(causes, path,
				"must be specified single value when `operator` is 'Lt' or 'Gt'");
	}
}

static bool is_op(struct str text)
{
	for (size_t i = 1; i < ARRAY_LEN(op_names); i++)
		if (str_is(text, op_names[i]))
			return true;
	return false;
}

static void validate_expression(struct json expression, bool any_value, const struct path *path,
				struct causes *causes)
{
	struct path values = path_member(path, STR("values"));
	struct path operation = path_member(path, STR("operator"));
	struct path key = path_member(path, STR("key"));
	struct str op = json_str(json_get(expression, "operator"));
	struct json_iter it = json_iter(json_get(expression, "values"));

	if (is_op(op))
		validate_count(op, json_get(expression, "values"), &values, causes);
	else
		causes_invalid_str(causes, &operation, op, "not a valid selector operator");
	name_validate(NAME_QUALIFIED, json_str(json_get(expression, "key")), &key, causes);
	while (!any_value && json_next(&it)) {
		struct path value = path_index(&values, it.index);

		name_validate(NAME_LABEL_VALUE, json_str(it.value), &value, causes);
	}
}

static void validate_field(struct json expression, const struct path *path, struct causes *causes)
{
	struct path values = path_member(path, STR("values"));
	struct path operation = path_member(path, STR("operator"));
	struct path key = path_member(path, STR("key"));
	struct str op = json_str(json_get(expression, "operator"));
	struct json_iter it = json_iter(json_get(expression, "values"));

	if (!str_is(op, "In") && !str_is(op, "NotIn"))
		causes_invalid_str(causes, &operation, op, "not a valid selector operator");
	else if (json_len(json_get(expression, "values")) != 1)
		causes_required(
			causes, &values,
			"must be only one value when `operator` is 'In' or 'NotIn' for node "
			"field selector");
	if (!str_is(json_str(json_get(expression, "key")), "metadata.name")) {
		causes_invalid(causes, &key, json_get(expression, "key"),
			       "not a valid field selector key");
		return;
	}
	while (json_next(&it)) {
		struct path value = path_index(&values, it.index);

		name_validate(NAME_DNS_SUBDOMAIN, json_str(it.value), &value, causes);
	}
}

void node_selector_term_validate(struct json term, bool any_value, const struct path *path,
				 struct causes *causes)
{
	struct path expressions = path_member(path, STR("matchExpressions"));
	struct path fields = path_member(path, STR("matchFields"));
	struct json_iter it = json_iter(json_get(term, "matchExpressions"));

	while (json_next(&it)) {
		struct path at = path_index(&expressions, it.index);

		validate_expression(it.value, any_value, &at, causes);
	}
	it = json_iter(json_get(term, "matchFields"));
	while (json_next(&it)) {
		struct path at = path_index(&fields, it.index);

		validate_field(it.value, &at, causes);
	}
}

static void validate_term(struct json term, const struct path *path, struct causes *causes)
{
	node_selector_term_validate(term, false, path, causes);
}

const struct type node_selector_term_type = {
	TYPE("NodeSelectorTerm", "v1", struct node_selector_term, node_selector_term_fields),
	CORE,
	.validate = validate_term,
	.atomic = true,
};

#define VIEW struct node_selector
static const struct field node_selector_fields[] = {
	{"nodeSelectorTerms", F_LIST(F_OBJECT(node_selector_term)), AT(terms), F_NEEDED, F_ALWAYS,
	 F_LIST_ATOMIC},
};
#undef VIEW

static void validate_selector(struct json selector, const struct path *path, struct causes *causes)
{
	struct path terms = path_member(path, STR("nodeSelectorTerms"));

	if (!json_len(json_get(selector, "nodeSelectorTerms")))
		causes_required(causes, &terms, "must have at least one node selector term");
}

const struct type node_selector_type = {
	TYPE("NodeSelector", "v1", struct node_selector, node_selector_fields),
	CORE,
	.validate = validate_selector,
	.atomic = true,
};

#define VIEW struct preferred_term
static const struct field preferred_term_fields[] = {
	{"weight", F_INT32, AT(weight), F_NEEDED, F_ALWAYS},
	{"preference", F_OBJECT(node_selector_term), AT(preference), F_NEEDED, F_ALWAYS},
};
#undef VIEW

static void validate_preferred(struct json term, const struct path *path, struct causes *causes)
{
	struct path weight = path_member(path, STR("weight"));
	int64_t value = json_int(json_get(term, "weight"));

	if (value <= 0 || value > 100)
		causes_invalid_int(causes, &weight, value, "must be in the range 1-100");
}

const struct type preferred_term_type = {
	TYPE("PreferredSchedulingTerm", "v1", struct preferred_term, preferred_term_fields),
	CORE,
	.validate = validate_preferred,
};

#define VIEW struct node_affinity
static const struct field node_affinity_fields[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", F_OBJECT(node_selector), AT(required)},
	{"preferredDuringSchedulingIgnoredDuringExecution", F_LIST(F_OBJECT(preferred_term)),
	 AT(preferred), F_LIST_ATOMIC},
};
#undef VIEW
const struct type node_affinity_type = {
	TYPE("NodeAffinity", "v1", struct node_affinity, node_affinity_fields),
	CORE,
};

/* --- matching -------------------------------------------------------------------------------- */

static const enum selector_op ops[] = {
	[NODE_SELECTOR_IN] = SELECTOR_IN,
	[NODE_SELECTOR_NOT_IN] = SELECTOR_NOT_IN,
	[NODE_SELECTOR_EXISTS] = SELECTOR_EXISTS,
	[NODE_SELECTOR_DOES_NOT_EXIST] = SELECTOR_NOT_EXISTS,
	[NODE_SELECTOR_GT] = SELECTOR_GREATER,
	[NODE_SELECTOR_LT] = SELECTOR_LESS,
};

static bool expression_matches(const struct node_selector_requirement *r,
			       const struct labels *labels)
{
	struct requirement requirement = {.key = r->key, .values = r->values};
	bool set = r->op == NODE_SELECTOR_IN || r->op == NODE_SELECTOR_NOT_IN;

	/* none of these is true for anything */
	if (r->op == NODE_SELECTOR_NONE || r->op >= NODE_SELECTOR_OP_COUNT)
		return false;
	if (set != (r->values.len > 0) &&
	    (set || r->op == NODE_SELECTOR_EXISTS || r->op == NODE_SELECTOR_DOES_NOT_EXIST))
		return false;
	requirement.op = ops[r->op];
	return requirement_matches(&requirement, labels);
}

static bool field_matches(const struct node_selector_requirement *r, struct str node_name)
{
	if (!str_is(r->key, "metadata.name") || r->values.len != 1)
		return false;
	if (r->op == NODE_SELECTOR_IN)
		return str_eq(r->values.ptr[0], node_name);
	return r->op == NODE_SELECTOR_NOT_IN && !str_eq(r->values.ptr[0], node_name);
}

bool node_selector_term_matches(const struct node_selector_term *term, struct str node_name,
				const struct labels *labels)
{
	if (!term->match_expressions.len && !term->match_fields.len)
		return false;
	for (size_t i = 0; i < term->match_expressions.len; i++)
		if (!expression_matches(&term->match_expressions.ptr[i], labels))
			return false;
	for (size_t i = 0; i < term->match_fields.len; i++)
		if (!field_matches(&term->match_fields.ptr[i], node_name))
			return false;
	return true;
}

bool node_selector_matches(const struct node_selector *selector, struct str node_name,
			   const struct labels *labels)
{
	for (size_t i = 0; i < selector->terms.len; i++)
		if (node_selector_term_matches(&selector->terms.ptr[i], node_name, labels))
			return true;
	return false;
}

bool node_affinity_allows(const struct labels *node_selector, const struct node_affinity *affinity,
			  struct str node_name, const struct labels *labels)
{
	if (!labels_contain(labels, node_selector))
		return false;
	return !affinity || !affinity->required ||
	       node_selector_matches(affinity->required, node_name, labels);
}

/* Is this a name that all requirements of a term on names allow? */
static bool allows_name(const struct node_selector_term *term, struct str name)
{
	for (size_t i = 0; i < term->match_fields.len; i++) {
		const struct node_selector_requirement *field = &term->match_fields.ptr[i];
		bool found = false;

		if (field->op != NODE_SELECTOR_IN || !str_is(field->key, "metadata.name"))
			continue;
		for (size_t j = 0; j < field->values.len; j++)
			found |= str_eq(field->values.ptr[j], name);
		if (!found)
			return false;
	}
	return true;
}

static bool term_is_contradictory(const struct node_selector_term *term)
{
	bool names = false;

	for (size_t i = 0; i < term->match_fields.len; i++) {
		const struct node_selector_requirement *field = &term->match_fields.ptr[i];

		if (field->op != NODE_SELECTOR_IN || !str_is(field->key, "metadata.name"))
			continue;
		names = true;
		for (size_t j = 0; j < field->values.len; j++)
			if (allows_name(term, field->values.ptr[j]))
				return false;
	}
	return names;
}

bool node_affinity_is_contradictory(const struct node_affinity *affinity)
{
	if (!affinity || !affinity->required || !affinity->required->terms.len)
		return false;
	for (size_t i = 0; i < affinity->required->terms.len; i++)
		if (!term_is_contradictory(&affinity->required->terms.ptr[i]))
			return false;
	return true;
}

int64_t node_affinity_score(const struct node_affinity *affinity, struct str node_name,
			    const struct labels *labels)
{
	int64_t score = 0;

	for (size_t i = 0; affinity && i < affinity->preferred.len; i++) {
		const struct preferred_term *term = &affinity->preferred.ptr[i];

		if (node_selector_term_matches(&term->preference, node_name, labels))
			score += term->weight;
	}
	return score;
}
