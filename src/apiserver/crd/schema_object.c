/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_object.c - the validations that a request asks for: which parts of an object are
 * looked at, in which order, and what is said when.
 *
 * First the schema, then embedded objects, lists, and, if nothing was found that could make them
 * meaningless, rules. */
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/index.h"

#include "base/banned.h"

/* --- rules ----------------------------------------------------------------------------------- */

struct rules {
	struct causes *causes;
	bool update;
	struct schema_budget *budget;
};

/* A rule that does not hold, as its reason says. */
static void report_reason(struct str reason, struct json value, const char *message,
			  const struct path *path, struct causes *causes)
{
	struct str type = json_is(value, JSON_OBJ)   ? STR("object")
			  : json_is(value, JSON_ARR) ? STR("array")
						     : str_none();

	if (str_is(reason, "FieldValueForbidden"))
		causes_forbidden(causes, path, message);
	else if (str_is(reason, "FieldValueRequired"))
		causes_required(causes, path, message);
	else if (str_is(reason, "FieldValueDuplicate") && !type.len)
		causes_duplicate(causes, path, value);
	else if (str_is(reason, "FieldValueDuplicate"))
		causes_duplicate_str(causes, path, type);
	else if (!type.len)
		causes_invalid(causes, path, value, "%s", message);
	else
		causes_invalid_str(causes, path, type, "%s", message);
}

/* ".a.b" or "['a'].b" below a path, as one step. */
static struct path below_path(const struct path *path, struct str field, struct buf *text)
{
	while (field.len) {
		size_t len = 0;

		if (str_starts(field, STR("['"))) {
			ptrdiff_t end = str_find(field, STR("']"), 0);
			size_t stop = end < 0 ? field.len : (size_t)end;

			buf_printf(text, "%s%.*s", text->len ? "." : "",
				   STR_ARG(str_slice(field, 2, stop)));
			field = str_skip(field, end < 0 ? field.len : stop + 2);
			continue;
		}
		if (field.ptr[0] == '.')
			field = str_skip(field, 1);
		while (len < field.len && field.ptr[len] != '.' && field.ptr[len] != '[')
			len++;
		buf_printf(text, "%s%.*s", text->len && len ? "." : "",
			   STR_ARG(str_slice(field, 0, len)));
		field = str_skip(field, len);
		if (!len && field.len) { /* an index: as it stands */
			buf_put_str(text, field);
			break;
		}
	}
	return path_member(path, buf_str(text));
}

/* A rule that does not hold of a value, or cannot be evaluated. */
struct failure {
	const struct schema_node *node;
	const struct schema_rule *rule;
	struct str error; /* empty: it was evaluated */
	struct json value;
	struct json old;
};

/* A rule that could not be evaluated. */
static void report_error(const struct failure *failure, struct str type, const struct path *path,
			 struct causes *causes)
{
	struct str message = schema_rule_message(failure->rule);
	struct str shown = message.len ? message : schema_rule_text(failure->rule);

	if (str_is(failure->error, SCHEMA_BUDGET_SPENT))
		causes_invalid_str(causes, path, type, "%s", SCHEMA_BUDGET_SPENT);
	else if (str_starts(failure->error, STR("no such overload")))
		causes_invalid_str(causes, path, type,
				   "'%.*s': call arguments did not match a supported operator, "
				   "function or macro signature for rule: %.*s",
				   STR_ARG(failure->error), STR_ARG(shown));
	else if (str_starts(failure->error, STR("operation cancelled")))
		causes_invalid_str(causes, path, type,
				   "'%.*s': no further validation rules will be run due to call "
				   "cost exceeds limit for rule: %.*s",
				   STR_ARG(failure->error), STR_ARG(shown));
	else
		causes_invalid_str(causes, path, type, "%.*s evaluating rule: %.*s",
				   STR_ARG(failure->error), STR_ARG(shown));
}

static void report_rule(const struct failure *failure, const struct path *path,
			const struct rules *rules)
{
	const struct schema_node *node = failure->node;
	const struct schema_rule *rule = failure->rule;
	struct path nowhere = path_member(NULL, STR("<nil>"));
	struct str message = schema_rule_message(rule);
	struct causes *causes = rules->causes;
	struct str type = str_from(node->type_text ? node->type_text : "");
	struct str field = schema_rule_field_path(rule);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf steps = BUF_UNBOUNDED;
	struct path below;

	if (failure->error.len) {
		report_error(failure, type, path ? path : &nowhere, causes);
		return;
	}
	if (!schema_rule_print_message(rule, failure->value, failure->old, rules->budget, &text)) {
		if (message.len)
			buf_put_str(&text, message);
		else
			buf_printf(&text, "failed rule: %.*s", STR_ARG(schema_rule_text(rule)));
	}
	if (field.len) {
		below = below_path(path, field, &steps);
		path = &below;
	}
	if (rules->budget->spent) /* the message was not made: the value is not shown either */
		causes_invalid_str(causes, path ? path : &nowhere, type, "%s", buf_text(&text));
	else
		report_reason(schema_rule_reason(rule), failure->value, buf_text(&text),
			      path ? path : &nowhere, causes);
}

/* A value, what stood there before, and what it lies in. */
struct level {
	struct json value;
	struct json old; /* absent: there is none, or it is not known */
	const struct level *up;
};

/* An unchanged value need not be valid. */
static bool is_unchanged(const struct level *level)
{
	while (level && json_is_absent(level->old))
		level = level->up;
	return level && json_eq(level->value, level->old);
}

static void check_node(const struct schema_node *node, const struct level *level,
		       const struct path *path, const struct rules *rules)
{
	for (size_t i = 0; i < node->rules.len && !rules->budget->spent; i++) {
		const struct schema_rule *rule = node->rules.ptr[i];
		AUTO(buf_done) struct buf error = BUF_UNBOUNDED;

		if (schema_rule_is_transition(rule) &&
		    (!rules->update || json_is_absent(level->old)))
			continue;
		struct failure failure = {
			.node = node, .rule = rule, .value = level->value, .old = level->old};
		struct rules warned = *rules;
		bool kept;

		if (schema_rule_holds(rule, level->value, level->old, rules->budget, &error))
			continue;
		failure.error = buf_str(&error);
		kept = !error.len && rules->update && !schema_rule_uses_old(rule) &&
		       is_unchanged(level);
		warned.causes = rules->causes->warned;
		if (!kept || warned.causes)
			report_rule(&failure, path, kept ? &warned : rules);
	}
}

static void check_rules(const struct schema_node *node, struct level level, const struct path *path,
			const struct rules *rules)
{
	AUTO(arena_free) struct arena *arena = NULL;
	AUTO(map_free) struct map *olds = NULL;
	AUTO(json_index_done) struct json_index members = {0};
	struct json_iter it = json_iter(level.value);

	if (!node->has_rules_below || json_is(level.value, JSON_NULL))
		return;
	check_node(node, &level, path, rules);
	if (rules->update && json_is(level.old, JSON_ARR)) {
		arena = arena_new(0);
		olds = schema_index_list(node, level.old, arena);
	} else if (rules->update) {
		members = json_index_make(level.old);
	}
	while (!rules->budget->spent && json_next(&it)) {
		const struct schema_node *property =
			it.object ? schema_property(node, it.key) : NULL;
		struct path below = property ? path_member(path, it.key) : path_key(path, it.key);
		struct path element = path_index(path, it.index);
		struct level inner = {it.value, JSON_NONE, &level};

		if (!it.object && node->items) {
			inner.old = schema_find_indexed(node, olds, it.value);
			check_rules(node->items, inner, &element, rules);
		} else if (it.object && (property || node->additional)) {
			inner.old = json_index_get(&members, it.key);
			check_rules(property ? property : node->additional, inner, &below, rules);
		}
	}
}

/* Causes that could make a rule's answer meaningless. */
static bool is_blocking(const struct causes *causes)
{
	for (size_t i = 0; i < causes->len; i++) {
		switch (causes->ptr[i].reason) {
		case CAUSE_NOT_SUPPORTED:
		case CAUSE_REQUIRED:
		case CAUSE_TOO_LONG:
		case CAUSE_TOO_MANY:
		case CAUSE_TYPE_INVALID:
			return true;
		default:
			break;
		}
	}
	return false;
}

static void run_rules(const struct schema *schema, struct json object, struct json old, bool update,
		      struct causes *causes)
{
	struct path nowhere = path_member(NULL, STR("<nil>"));
	struct schema_budget budget = {.cost = LIMIT_CEL_REQUEST_COST};
	struct rules rules = {causes, update, &budget};

	if (!schema->root->has_rules_below)
		return;
	if (is_blocking(causes))
		causes_add(causes, CAUSE_INVALID, &nowhere,
			   "Invalid value: null: some validation rules were not checked because "
			   "the object was invalid; correct the existing errors to complete "
			   "validation");
	else
		check_rules(schema->root, (struct level){object, old, NULL}, NULL, &rules);
}

/* An object whose patterns took too many steps is refused: nothing is known about the rest of it. */
static void check_steps(const struct schema_walk *walk)
{
	struct path where = path_member(NULL, STR("<nil>"));

	if (!*walk->steps)
		causes_add(walk->causes, CAUSE_INVALID, &where,
			   "Invalid value: \"\": validation failed due to running out of steps to "
			   "match the patterns of the schema (%d per request): send shorter texts, "
			   "or fewer of them",
			   LIMIT_PATTERN_STEPS);
}

/* --- requests -------------------------------------------------------------------------------- */

void schema_validate(const struct schema *schema, struct json object, struct causes *causes)
{
	uint64_t steps = LIMIT_PATTERN_STEPS;
	struct schema_walk walk = {.prefix = "", .causes = causes, .steps = &steps};

	schema_check(schema->root, object, JSON_NONE, NULL, &walk);
	check_steps(&walk);
	schema_check_embedded(schema->root, object, NULL, causes);
	schema_check_lists(schema->root, object, NULL, causes);
	run_rules(schema, object, JSON_NONE, false, causes);
}

/* Doubles count only if there were none before; that is looked at only if there are some. */
static void update_lists(const struct schema *schema, struct json object, struct json old,
			 struct causes *causes)
{
	AUTO(causes_done) struct causes now = CAUSES_INIT;
	AUTO(causes_done) struct causes before = CAUSES_INIT;

	schema_check_lists(schema->root, object, NULL, &now);
	if (!now.len)
		return;
	schema_check_lists(schema->root, old, NULL, &before);
	if (!before.len)
		schema_check_lists(schema->root, object, NULL, causes);
}

void schema_validate_update(const struct schema *schema, struct json object, struct json old,
			    struct causes *causes)
{
	uint64_t steps = LIMIT_PATTERN_STEPS;
	struct schema_walk walk = {.prefix = "", .update = true, .causes = causes, .steps = &steps};

	schema_check(schema->root, object, old, NULL, &walk);
	check_steps(&walk);
	schema_check_embedded(schema->root, object, NULL, causes);
	update_lists(schema, object, old, causes);
	run_rules(schema, object, old, true, causes);
}

void schema_validate_status(const struct schema *schema, struct json object, struct json old,
			    struct causes *causes)
{
	const struct schema_node *status = schema_property(schema->root, STR("status"));
	uint64_t steps = LIMIT_PATTERN_STEPS;
	struct schema_walk walk = {
		.prefix = "status", .update = true, .causes = causes, .steps = &steps};
	struct json value = json_get(object, "status");

	if (status && !json_is_absent(value))
		schema_check(status, value, json_get(old, "status"), NULL, &walk);
	check_steps(&walk);
	update_lists(schema, object, old, causes);
	run_rules(schema, object, old, true, causes);
}

/* --- defaults -------------------------------------------------------------------------------- */

static void validate_default(const struct schema_node *node, const struct path *path,
			     struct causes *causes)
{
	AUTO(buf_done) struct buf prefix = BUF_UNBOUNDED;
	struct path here = path_member(path, STR("default"));
	uint64_t steps = LIMIT_PATTERN_STEPS;
	struct schema_walk walk = {.causes = causes, .steps = &steps};

	if (json_is_absent(node->dflt))
		return;
	if (!schema_is_pruned(node, node->dflt))
		causes_invalid(causes, &here, node->dflt, "must not have unknown fields");
	path_print(&here, &prefix);
	walk.prefix = buf_text(&prefix);
	schema_check(node, node->dflt, JSON_NONE, NULL, &walk);
	check_steps(&walk);
}

static void validate_defaults(const struct schema_node *node, const struct path *path,
			      struct causes *causes)
{
	struct path properties = path_member(path, STR("properties"));
	struct path items = path_member(path, STR("items"));

	validate_default(node, path, causes);
	if (node->items)
		validate_defaults(node->items, &items, causes);
	for (size_t i = 0; i < node->property_count; i++) {
		struct path below = path_key(&properties, node->properties[i].name);

		validate_defaults(node->properties[i].node, &below, causes);
	}
}

void schema_validate_defaults(const struct schema *schema, const struct path *path,
			      struct causes *causes)
{
	validate_defaults(schema->root, path, causes);
}
