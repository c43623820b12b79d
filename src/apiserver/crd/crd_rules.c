/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd_rules.c - the rules of a definition's schema, compiled.
 *
 * For every rule: does it compile, is its result a bool, is the result of its message a string, may
 * it use oldSelf at its place, and what does it cost? The cost is multiplied by how often the value
 * can occur in a request. If the schema itself is wrong, at a place or below it, rules of that
 * place are not checked: their errors might be misleading. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apiserver/crd/crd_internal.h"
#include "apiserver/crd/schema_internal.h"
#include "base/mem.h"
#include "cel/cel.h"

#include "base/banned.h"

#define UNBOUNDED UINT64_MAX

enum {
	RULE_COST_MAX = 10 * 1000 * 1000,
	TOTAL_COST_MAX = 100 * 1000 * 1000,
	REQUEST_BYTES = 3 * 1024 * 1024,
	DEAREST = 4
};

struct dear {
	char *path;
	uint64_t cost;
};

struct checking {
	struct schema *schema; /* what rules are compiled into */
	struct causes *causes;
	size_t schema_from, schema_to; /* causes about the schema */
	uint64_t total;
	struct dear dearest[DEAREST + 1];
	size_t dear_count;
};

static bool is_there(struct json schema, const char *key)
{
	struct json value = json_get(schema, key);

	return !json_is_absent(value) && !json_is(value, JSON_NULL);
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return b && a > UNBOUNDED / b ? UNBOUNDED : a * b;
}

/* --- reporting ------------------------------------------------------------------------------- */

static void put_text(struct buf *to, const char *name, struct str text)
{
	buf_printf(to, "\"%s\":\"", name);
	buf_put_json(to, text);
	buf_puts(to, "\",");
}

/* A rule as it is shown if it is wrong. */
static void report_wrong(struct json rule, const struct path *at, const char *why,
			 struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "Invalid value: {");
	put_text(&text, "Rule", json_str(json_get(rule, "rule")));
	put_text(&text, "Message", json_str(json_get(rule, "message")));
	put_text(&text, "MessageExpression", json_str(json_get(rule, "messageExpression")));
	buf_puts(&text, "\"Reason\":");
	if (is_there(rule, "reason"))
		json_print(json_get(rule, "reason"), JSON_COMPACT, &text);
	else
		buf_puts(&text, "null");
	buf_putc(&text, ',');
	put_text(&text, "FieldPath", json_str(json_get(rule, "fieldPath")));
	buf_puts(&text, "\"OptionalOldSelf\":");
	if (is_there(rule, "optionalOldSelf"))
		json_print(json_get(rule, "optionalOldSelf"), JSON_COMPACT, &text);
	else
		buf_puts(&text, "null");
	buf_printf(&text, "}: %s", why);
	causes_add(causes, CAUSE_INVALID, at, "%s", buf_text(&text));
}

static void report_issues(struct json rule, const struct path *at, const char *before,
			  const struct cel_rule *compiled, struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, before);
	cel_print_issues(compiled, &text);
	report_wrong(rule, at, buf_text(&text), causes);
}

static void report_cost(const char *what, uint64_t cost, uint64_t most, const struct path *at,
			struct causes *causes)
{
	double factor = (double)cost / (double)most;
	AUTO(mem_free)
	char *shown = factor > 100 ? mem_strdup("more than 100x")
				   : mem_printf(factor < 1.5 ? "%fx" : "%.1fx", factor);
	AUTO(mem_free)
	char *text = mem_printf("%s exceeds budget by factor of %s (try simplifying the rule, or "
				"adding maxItems, maxProperties, and maxLength where arrays, maps, "
				"and strings are declared)",
				what, shown);

	causes_forbidden(causes, at, text);
}

static int dear_cmp(const void *a, const void *b)
{
	const struct dear *left = a;
	const struct dear *right = b;

	return left->cost > right->cost ? -1 : left->cost < right->cost;
}

/* Count a cost, and keep the dearest. */
static void count_cost(struct checking *c, uint64_t cost, const struct path *at)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	c->total = cost > UNBOUNDED - c->total ? UNBOUNDED : c->total + cost;
	if (cost < TOTAL_COST_MAX / 100)
		return;
	path_print(at, &text);
	c->dearest[c->dear_count++] = (struct dear){mem_strdup(buf_text(&text)), cost};
	qsort(c->dearest, c->dear_count, sizeof(c->dearest[0]), dear_cmp);
	if (c->dear_count > DEAREST)
		mem_free(c->dearest[--c->dear_count].path);
}

/* --- one rule -------------------------------------------------------------------------------- */

/* The place of a rule. */
struct place {
	const struct path *path;
	const struct cel_type *type;
	uint64_t count;                  /* how often it can be there */
	const struct path *uncorrelated; /* what cannot be compared with what was before; NULL */
};

static void check_cost(struct checking *c, const char *what, uint64_t cost, const struct path *at)
{
	if (cost > RULE_COST_MAX)
		report_cost(what, cost, RULE_COST_MAX, at, c->causes);
	count_cost(c, cost, at);
}

static void check_message(struct checking *c, struct json rule, const struct place *place,
			  const struct path *at)
{
	struct path where = path_member(at, STR("messageExpression"));
	struct str text = json_str(json_get(rule, "messageExpression"));
	struct cel_rule compiled;

	if (!text.len)
		return;
	cel_compile(text, place->type, json_bool(json_get(rule, "optionalOldSelf")),
		    c->schema->arena, &c->schema->patterns, &compiled);
	if (!compiled.expr)
		report_issues(rule, &where, "messageExpression compilation failed: ", &compiled,
			      c->causes);
	else if (compiled.type->kind != CEL_STRING)
		report_wrong(rule, &where, "messageExpression must evaluate to a string",
			     c->causes);
	else
		check_cost(c, "estimated messageExpression cost", compiled.cost, &where);
}

static void check_old(struct checking *c, struct json rule, const struct cel_rule *compiled,
		      const struct place *place, const struct path *at)
{
	struct path where = path_member(at, STR("rule"));
	struct path optional = path_member(at, STR("optionalOldSelf"));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!compiled->uses_old) {
		if (is_there(rule, "optionalOldSelf"))
			causes_invalid(c->causes, &optional, json_get(rule, "optionalOldSelf"),
				       "may not be set if oldSelf is not used in rule");
		return;
	}
	if (!place->uncorrelated)
		return;
	path_print(place->uncorrelated, &text);
	causes_invalid_str(c->causes, &where, json_str(json_get(rule, "rule")),
			   "oldSelf cannot be used on the uncorrelatable portion of the schema "
			   "within %s",
			   buf_text(&text));
}

static void check_rule(struct checking *c, struct json rule, const struct place *place,
		       const struct path *at)
{
	struct path where = path_member(at, STR("rule"));
	uint64_t count = place->count != UNBOUNDED ? place->count
						   : REQUEST_BYTES / (place->type->min_size + 1);
	struct cel_rule compiled;

	cel_compile(json_str(json_get(rule, "rule")), place->type,
		    json_bool(json_get(rule, "optionalOldSelf")), c->schema->arena,
		    &c->schema->patterns, &compiled);
	if (!compiled.expr) {
		report_issues(rule, &where, "compilation failed: ", &compiled, c->causes);
		compiled.uses_old = false;
	} else if (compiled.type->kind != CEL_BOOL) {
		report_wrong(rule, &where, "cel expression must evaluate to a bool", c->causes);
		compiled.uses_old = false;
	} else {
		check_cost(c, "estimated rule cost", times(compiled.cost, count), &where);
		check_message(c, rule, place, at);
	}
	check_old(c, rule, &compiled, place, at);
}

/* --- the schema ------------------------------------------------------------------------------ */

/* Is something wrong with the schema here or below? */
static bool is_wrong_below(const struct checking *c, const struct path *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	path_print(path, &text);
	for (size_t i = c->schema_from; i < c->schema_to; i++)
		if (!strncmp(c->causes->ptr[i].field, buf_text(&text), text.len))
			return true;
	return false;
}

/* How often each member or element can be there, if the whole is there once. */
static uint64_t spread(struct json schema)
{
	const char *key = NULL;
	int64_t most;

	if (str_is(json_str(json_get(schema, "type")), "array"))
		key = "maxItems";
	else if (str_is(json_str(json_get(schema, "type")), "object") &&
		 is_there(schema, "additionalProperties"))
		key = "maxProperties";
	if (!key)
		return 1;
	most = json_int(json_get(schema, key));
	return !is_there(schema, key) ? UNBOUNDED : most > 0 ? (uint64_t)most : 0;
}

static void check_schema(struct checking *c, struct json schema, const struct place *up, bool root);

static void check_below(struct checking *c, struct json schema, struct json below,
			const struct path *path, const struct place *up)
{
	uint64_t factor = spread(schema);
	struct place place = {path, NULL, UNBOUNDED, up->uncorrelated};
	bool list = str_is(json_str(json_get(schema, "type")), "array");

	if (!json_is(below, JSON_OBJ))
		return;
	if (up->count != UNBOUNDED && factor != UNBOUNDED)
		place.count = times(up->count, factor);
	if (list ? !str_is(json_str(json_get(schema, "x-kubernetes-list-type")), "map")
		 : !is_there(schema, "additionalProperties") &&
			    str_is(json_str(json_get(schema, "x-kubernetes-map-type")), "atomic"))
		place.uncorrelated = up->path;
	check_schema(c, below, &place, false);
}

static void check_schema(struct checking *c, struct json schema, const struct place *up, bool root)
{
	struct path additional = path_member(up->path, STR("additionalProperties"));
	struct path properties = path_member(up->path, STR("properties"));
	struct path items = path_member(up->path, STR("items"));
	struct path rules = path_member(up->path, STR("x-kubernetes-validations"));
	struct json list = json_get(schema, "x-kubernetes-validations");
	struct json_iter it = json_iter(json_get(schema, "properties"));
	struct place place = *up;

	check_below(c, schema, json_get(schema, "additionalProperties"), &additional, up);
	while (json_next(&it)) {
		struct path one = path_key(&properties, it.key);

		check_below(c, schema, it.value, &one, up);
	}
	check_below(c, schema, json_get(schema, "items"), &items, up);
	if (!json_len(list) || is_wrong_below(c, up->path))
		return;
	place.type = cel_type_of_schema(
		schema, root || json_bool(json_get(schema, "x-kubernetes-embedded-resource")),
		c->schema->arena);
	if (!place.type) {
		causes_add(
			c->causes, CAUSE_INTERNAL, &rules,
			"Internal error: internal error: failed to construct type information for "
			"x-kubernetes-validations rules: unable to convert structural schema to "
			"CEL declarations");
		return;
	}
	for (it = json_iter(list); json_next(&it);) {
		struct path one = path_index(&rules, it.index);

		check_rule(c, it.value, &place, &one);
	}
}

void crd_check_rules(struct json schema, const struct path *at, size_t from, struct causes *causes)
{
	struct schema compiled = {.arena = arena_new(0)};
	struct checking c = {.schema = &compiled,
			     .causes = causes,
			     .schema_from = from,
			     .schema_to = causes->len};
	struct place place = {.path = at, .count = 1};

	check_schema(&c, schema, &place, true);
	if (c.total > TOTAL_COST_MAX) {
		for (size_t i = 0; i < c.dear_count; i++) {
			struct path where = path_member(NULL, str_from(c.dearest[i].path));

			causes_forbidden(causes, &where,
					 "contributed to estimated rule cost total exceeding cost "
					 "limit for entire OpenAPIv3 schema");
		}
		report_cost(
			"x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
			"schema",
			c.total, TOTAL_COST_MAX, at, causes);
	}
	while (c.dear_count)
		mem_free(c.dearest[--c.dear_count].path);
	pattern_set_done(&compiled.patterns);
	arena_free(compiled.arena);
}
