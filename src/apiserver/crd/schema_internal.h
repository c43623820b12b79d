/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_internal.h - the tree that a schema is compiled into; for schema*.c and typed.c. */
#ifndef APISERVER_SCHEMA_INTERNAL_H
#define APISERVER_SCHEMA_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/field/path.h"
#include "model/rules/causes.h"
#include "model/value/text_format.h"
#include "regexp/pattern.h"

/* JSON types as bits. */
enum schema_type {
	SCHEMA_NULL = 1 << 0,
	SCHEMA_BOOLEAN = 1 << 1,
	SCHEMA_INTEGER = 1 << 2,
	SCHEMA_NUMBER = 1 << 3,
	SCHEMA_STRING = 1 << 4,
	SCHEMA_ARRAY = 1 << 5,
	SCHEMA_OBJECT = 1 << 6,
};

enum schema_list_type { SCHEMA_LIST_PLAIN, SCHEMA_LIST_SET, SCHEMA_LIST_MAP };

struct schema_node;
struct schema_rule;
struct cel_type;

struct schema_property {
	struct str name;
	struct schema_node *node;
};

/* anyOf, oneOf, allOf */
struct schema_nodes {
	struct schema_node **ptr;
	size_t len;
};

struct schema_strs {
	struct str *ptr;
	size_t len;
};

struct schema_rules {
	struct schema_rule **ptr;
	size_t len;
};

/* A bound that may be absent. */
struct schema_count {
	bool set;
	int64_t value;
};

struct schema_node {
	unsigned types;        /* enum schema_type; 0: any */
	const char *type_text; /* "string", "integer,string" */
	bool nullable;
	bool preserve;
	bool embedded;
	bool atomic; /* replaced as a whole by server-side apply */
	bool unique_items;
	bool exclusive_minimum;
	bool exclusive_maximum;
	bool has_additional;                /* additionalProperties: true or a schema */
	bool no_additional;                 /* additionalProperties: false */
	bool has_rules_below;               /* rules here or below */
	bool has_lists_below;               /* there are sets or lists with keys below it */
	bool has_embedded_below;            /* there are embedded objects below it */
	bool has_defaults_below;            /* there are defaults below it */
	uint8_t list_type;                  /* enum schema_list_type */
	struct schema_property *properties; /* sorted by name */
	size_t property_count;
	struct schema_node *additional; /* NULL: anything, if has_additional */
	struct schema_node *items;
	struct schema_node * not ;
	struct schema_nodes any_of;
	struct schema_nodes one_of;
	struct schema_nodes all_of;
	struct schema_strs required;
	struct schema_strs list_keys;
	struct schema_rules rules;
	struct json enums;   /* absent: none */
	struct json dflt;    /* absent: none */
	struct json minimum; /* absent: none; the same for the next ones */
	struct json maximum;
	struct json multiple_of;
	struct schema_count min_length, max_length;
	struct schema_count min_items, max_items;
	struct schema_count min_properties, max_properties;
	const struct pattern *pattern;
	const struct text_format *format;
	const struct pattern *format_pattern;
	struct str format_text; /* as the schema spells it */
};

struct schema {
	size_t refs;
	struct arena *arena;  /* nodes and texts */
	struct json_doc *doc; /* what enums and defaults lie in */
	struct schema_node *root;
	struct pattern_set patterns; /* of nodes and rules */
	size_t unchecked_rules;
};

/* The node of a property, or NULL. */
const struct schema_node *schema_property(const struct schema_node *node, struct str name);
/* The node that validates a member of an object: its property or the additional one. */
const struct schema_node *schema_member(const struct schema_node *node, struct str name);

/* --- rules (schema_rule.c) ------------------------------------------------------------------- */

/* The rule over data of a type, which the schema owns; NULL when it needs more than we have. */
struct schema_rule *schema_rule_new(struct json rule, const struct cel_type *type,
				    struct schema *schema);
/* Does it compare with what was there before? Then it is checked on updates only. */
bool schema_rule_is_transition(const struct schema_rule *rule);
/* Does it look at what was there before, if there was something? */
bool schema_rule_uses_old(const struct schema_rule *rule);
/* What the rules of one request may still cost. */
struct schema_budget {
	uint64_t cost;
	bool spent; /* no further rule may run: one has cost too much, or all together */
};
#define SCHEMA_BUDGET_SPENT                                                                      \
	"validation failed due to running out of cost budget, no further validation rules will " \
	"be run"
/* Does it hold? If it cannot be evaluated (a member is not there) `error` says why. */
bool schema_rule_holds(const struct schema_rule *rule, struct json self, struct json old,
		       struct schema_budget *budget, struct buf *error);
struct str schema_rule_message(const struct schema_rule *rule);
/* What its messageExpression comes to; false if it has none, or one that does not come to a line. */
bool schema_rule_print_message(const struct schema_rule *rule, struct json self, struct json old,
			       struct schema_budget *budget, struct buf *to);
/* "FieldValueForbidden" and similar, and the path below the value to report; none: not given. */
struct str schema_rule_reason(const struct schema_rule *rule);
struct str schema_rule_field_path(const struct schema_rule *rule);
struct str schema_rule_text(const struct schema_rule *rule);

/* --- validation ------------------------------------------------------------------------------ */

/* One walk over an object. */
struct schema_walk {
	const char *prefix; /* before the path of a field, "" for none; not in the texts */
	bool update;
	struct causes *causes;
	uint64_t *steps; /* that its patterns may still take; 0: they took too many */
};

/* A value against a node (schema_validate.c); `old` is what stood there, or absent. Gives the
 * number of checks that were passed, as upstream counts them to choose among alternatives. */
size_t schema_check(const struct schema_node *node, struct json value, struct json old,
		    const struct path *path, struct schema_walk *walk);
/* Doubles in sets and maps, and the metadata of embedded objects (schema_lists.c). */
void schema_check_lists(const struct schema_node *node, struct json value, const struct path *path,
			struct causes *causes);
/* Of what their metadata consists, before anything is decoded: ERR_BAD_REQUEST. */
int schema_check_embedded_types(const struct schema_node *node, struct json value,
				const struct path *path, struct err *err) MUST_CHECK;
void schema_check_embedded(const struct schema_node *node, struct json value,
			   const struct path *path, struct causes *causes);
/* Is there nothing in the value that the node does not know (schema_prune.c)? */
bool schema_is_pruned(const struct schema_node *node, struct json value);
/* The elements of a map-list by their keys, in the arena; NULL for any other list. */
struct map *schema_index_list(const struct schema_node *node, struct json old, struct arena *arena);
/* The one with the keys of `element`, or JSON_NONE. `olds` may be NULL. */
struct json schema_find_indexed(const struct schema_node *node, const struct map *olds,
				struct json element);
/* "x" as its list keys say it, for hashing. */
void schema_put_list_key(const struct schema_node *node, struct json element, struct buf *to);

#endif
