/* SPDX-License-Identifier: Apache-2.0 */
/* json/strategic.h - strategic merge patch, as Kubernetes has it for its built-in kinds.
 *
 * A merge patch that knows the kind: lists may merge by a key instead of being replaced, and
 * directives in the patch say what plain JSON cannot:
 *
 *	"$patch": "replace" | "delete"          of an object, or as (part of) an element of a list
 *	"$retainKeys": [...]                    members of the object to keep; all others are removed
 *	"$setElementOrder/<field>": [...]       the order of a list that merges
 *	"$deleteFromPrimitiveList/<field>": []  values to take out of a list of scalars
 *
 * Elements of a merged list are ordered as the patch has them; those only in the target keep their
 * order and go before the first one of the patch that they were before; new ones come first.
 *
 * If nothing else is declared, or the schema does not know the field, objects merge and lists are
 * replaced. Null members and directives never get into the result. */
#ifndef JSON_STRATEGIC_H
#define JSON_STRATEGIC_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

enum json_strategy {
	JSON_STRATEGY_DEFAULT, /* objects merge, lists are replaced */
	JSON_STRATEGY_MERGE,   /* lists merge too: objects by `merge_key`, scalars by value */
	JSON_STRATEGY_REPLACE, /* objects are replaced too */
};

/* What the schema declares for one field. */
struct json_strategy_field {
	enum json_strategy strategy;
	struct str merge_key; /* none: a list of scalars */
	bool retain_keys;     /* a diff says which members to keep (unions) */
	const void *child;    /* the node of the object, or of the list's elements; NULL: unknown */
};

/* Looks up a field of an object type; false when it is unknown. `node` is never NULL. */
typedef bool json_strategy_lookup_fn(const void *node, struct str field,
				     struct json_strategy_field *ret);

struct json_strategy_schema {
	json_strategy_lookup_fn *lookup;
	const void *node; /* of the document's root; NULL: nothing is known */
};

/* Applies `patch` to `target`, both objects, and returns the result as a new, mutable document.
 * Neither argument changes. The codes are those of kube-apiserver:
 * ERR_BAD_REQUEST: a malformed directive, or an argument that is not an object.
 * ERR_INVALID: a list of lists.
 * ERR_UNKNOWN: the rest, as "map: map[name:x] does not contain declared merge key: port". */
struct json_doc *json_strategic_apply(struct json target, struct json patch,
				      const struct json_strategy_schema *schema,
				      struct err *err) MUST_CHECK;

/* A patch that makes `to` of `from`, both objects, as a new document. A patch cannot express null
 * members: they are missing from the result. ERR_INVALID for what no patch can express: a member
 * with the name of a directive, a merged list with elements of different types or, of scalars,
 * repetitions. */
struct json_doc *json_strategic_diff(struct json from, struct json to,
				     const struct json_strategy_schema *schema,
				     struct err *err) MUST_CHECK;

/* Prints a value as Go's %v does, as much as fits: map[spec:map[replicas:x]]. Error messages show
 * patches in this form. */
void json_print_go(struct json j, struct buf *to);

#endif
