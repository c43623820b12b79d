/* SPDX-License-Identifier: Apache-2.0 */
/* json/strategic_internal.h - shared by the files that implement strategic.h. */
#ifndef JSON_STRATEGIC_INTERNAL_H
#define JSON_STRATEGIC_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "json/doc.h"
#include "json/strategic.h"

#define STRATEGIC_PATCH STR("$patch")
#define STRATEGIC_RETAIN STR("$retainKeys")
#define STRATEGIC_ORDER STR("$setElementOrder")
#define STRATEGIC_DELETE STR("$deleteFromPrimitiveList")

struct strategic {
	struct json_doc *doc;
	struct arena *arena; /* ids of elements */
	json_strategy_lookup_fn *lookup;
};

/* One element of a merged list. Its id is the text of its merge key's value, or its own text if it
 * is a scalar. Elements with equal ids are the same element. */
struct item {
	struct json value;
	struct str id;
	size_t rank;   /* 1 + place in the wanted order; 0: not in it */
	size_t server; /* the same in the order of the target */
	size_t at;     /* place before sorting */
};
struct items VEC_FIELDS(struct item);

/* --- strategic.c ------------------------------------------------------------------------------- */

/* What the schema declares for a field, or the defaults. */
struct json_strategy_field strategic_field(const struct strategic *s, const void *node,
					   struct str key);
/* "$retainKeys", "$setElementOrder...", "$deleteFromPrimitiveList..."; not "$patch". */
bool strategic_is_directive(struct str key);
/* Merge into `target`, a value of s->doc that may be in no container. */
int strategic_merge_map(struct strategic *s, struct json target, struct json patch,
			const void *node, struct err *err) MUST_CHECK;

/* --- strategic_list.c -------------------------------------------------------------------------- */

/* Merge `patch` (may be absent) into `list` and put it in the order of `order` (may be absent). */
int strategic_merge_list(struct strategic *s, struct json list, struct json patch,
			 struct json order, const struct json_strategy_field *field,
			 struct err *err) MUST_CHECK;
int strategic_delete_from_list(struct strategic *s, struct json list, struct json removed,
			       struct err *err) MUST_CHECK;
/* The one type of all elements of both lists, JSON_ABSENT if there are none. */
int strategic_element_type(struct json a, struct json b, enum json_type *ret,
			   struct err *err) MUST_CHECK;
int strategic_id(struct strategic *s, struct json element, struct str merge_key, struct str *ret,
		 struct err *err) MUST_CHECK;
/* "expected a ..., but received a ..." */
int strategic_bad_type(const char *expected, struct json got, struct err *err);
/* "unknown patch type: ..." */
int strategic_bad_directive(struct json patch, struct err *err);

#endif
