/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_rule.c - the rules of a schema: x-kubernetes-validations, written in CEL.
 *
 * A rule is compiled once, with its schema (cel.h). One that does not compile, which a
 * definition of an older version may have, gives NULL: a rule is checked as it is meant, or not at all. What it
 * takes to evaluate one lies in an arena that goes with the answer. */
#include "apiserver/crd/schema_internal.h"
#include "base/buf.h"
#include "cel/cel.h"

#include "base/banned.h"

enum { MESSAGE_MAX = 5 * 1024 };

struct schema_rule {
	struct cel_rule rule;
	struct cel_rule message_rule; /* without expression: none, or one that does not compile */
	const struct cel_type *type;  /* of self */
	bool optional_old;
	struct str message;
	struct str reason;
	struct str field_path;
};

struct schema_rule *schema_rule_new(struct json rule, const struct cel_type *type,
				    struct schema *schema)
{
	struct schema_rule *made = arena_new_of(schema->arena, struct schema_rule);
	struct str message = json_str(json_get(rule, "messageExpression"));

	if (!type)
		return NULL;
	made->type = type;
	made->optional_old = json_bool(json_get(rule, "optionalOldSelf"));
	cel_compile(json_str(json_get(rule, "rule")), type, made->optional_old, schema->arena,
		    &schema->patterns, &made->rule);
	if (!made->rule.expr)
		return NULL;
	if (message.len)
		cel_compile(message, type, made->optional_old, schema->arena, &schema->patterns,
			    &made->message_rule);
	made->message = str_trim(json_str(json_get(rule, "message")));
	made->reason = json_str(json_get(rule, "reason"));
	made->field_path = str_trim(json_str(json_get(rule, "fieldPath")));
	return made;
}

bool schema_rule_is_transition(const struct schema_rule *rule)
{
	return rule->rule.uses_old && !rule->optional_old;
}

bool schema_rule_uses_old(const struct schema_rule *rule)
{
	return rule->rule.uses_old;
}

/* Take what an evaluation has cost from the budget; false: there is not so much left. */
static bool pay(struct schema_budget *budget, uint64_t cost)
{
	if (cost > budget->cost)
		budget->spent = true;
	else
		budget->cost -= cost;
	return !budget->spent;
}

bool schema_rule_holds(const struct schema_rule *rule, struct json self, struct json old,
		       struct schema_budget *budget, struct buf *error)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct cel_input input = {rule->type, self, old, rule->optional_old};
	uint64_t cost;
	struct cel_value value = cel_evaluate(&rule->rule, &input, arena, &cost);

	if (!pay(budget, cost)) {
		buf_puts(error, SCHEMA_BUDGET_SPENT);
		return false;
	}
	if (value.kind == CEL_ERROR)
		buf_put_str(error, value.text);
	budget->spent = value.kind == CEL_ERROR && str_starts(value.text, STR(CEL_CANCELLED));
	return value.kind == CEL_BOOL && value.truth;
}

bool schema_rule_print_message(const struct schema_rule *rule, struct json self, struct json old,
			       struct schema_budget *budget, struct buf *to)
{
	AUTO(arena_free) struct arena *arena = NULL;
	struct cel_input input = {rule->type, self, old, rule->optional_old};
	struct cel_value value;
	uint64_t cost;
	struct str text;

	if (!rule->message_rule.expr)
		return false;
	arena = arena_new(0);
	value = cel_evaluate(&rule->message_rule, &input, arena, &cost);
	if (!pay(budget, cost)) {
		buf_puts(to, "messageExpression evaluation failed due to running out of cost "
			     "budget, no further validation rules will be run");
		return true;
	}
	if (value.kind == CEL_ERROR && str_starts(value.text, STR(CEL_CANCELLED))) {
		budget->spent = true;
		buf_puts(to, "no further validation rules will be run due to call cost exceeds "
			     "limit for messageExpression: ");
		causes_quote(to, rule->message_rule.text);
		return true;
	}
	text = str_trim(value.text);
	if (value.kind != CEL_STRING || !text.len || value.text.len > MESSAGE_MAX ||
	    str_find_byte(text, '\n', 0) >= 0)
		return false;
	buf_put_str(to, text);
	return true;
}

struct str schema_rule_message(const struct schema_rule *rule)
{
	return rule->message;
}

struct str schema_rule_reason(const struct schema_rule *rule)
{
	return rule->reason;
}

struct str schema_rule_field_path(const struct schema_rule *rule)
{
	return rule->field_path;
}

struct str schema_rule_text(const struct schema_rule *rule)
{
	return str_trim(rule->rule.text);
}
