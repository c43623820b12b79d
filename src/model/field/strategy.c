/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/strategy.c - the merge strategies of the field tables, for strategic merge patches.
 *
 * A node of the walk is a row: of an object, whose type has the members, or of a map, all of whose
 * members are alike. */
#include "model/field/fields.h"

#include "base/banned.h"

/* The row for the level below this one; NULL if the tables have none. */
static const struct field *child_of(const struct field *row)
{
	if (row->is == FIELD_LIST)
		row = row->of;
	return row->is == FIELD_OBJECT || row->is == FIELD_MAP ? row : NULL;
}

static bool lookup(const void *node, struct str name, struct json_strategy_field *ret)
{
	const struct field *at = node;
	const struct field *row = at->is == FIELD_MAP ? at->of : type_find(at->type, name, NULL);

	if (!row)
		return false;
	*ret = (struct json_strategy_field){
		.strategy = row->replace ? JSON_STRATEGY_REPLACE
			    : row->merge ? JSON_STRATEGY_MERGE
					 : JSON_STRATEGY_DEFAULT,
		.merge_key = str_from(row->merge_key),
		.retain_keys = row->retain_keys,
		.child = child_of(row),
	};
	return true;
}

struct json_strategy_schema type_strategy(const struct type *type, struct field *root)
{
	*root = (struct field){.is = FIELD_OBJECT, .type = type};
	return (struct json_strategy_schema){lookup, root};
}
