/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/labels.h - sets of labels, and selectors over them.
 *
 * A set (struct labels in model/field/view.h) is sorted by key, as every decoded map is.
 *
 * A selector is a list of requirements that must all hold. It comes from a text, as list requests
 * carry it, or from the matchLabels and matchExpressions of an object:
 *
 *	a=b, c!=d, e in (x,y), f notin (z), g, !h, i>5, j<7 */
#ifndef MODEL_LABELS_H
#define MODEL_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/path.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

/* The entry, or NULL. */
const struct label *labels_find(const struct labels *labels, struct str key);
/* The value, or none. */
struct str labels_get(const struct labels *labels, struct str key);
/* Are all of `some` in `labels`, with the same values? */
bool labels_contain(const struct labels *labels, const struct labels *some);
/* Keys and values in the wording of metadata.labels. */
void labels_validate(struct json labels, const struct path *path, struct causes *causes);

enum selector_op {
	SELECTOR_IN,
	SELECTOR_NOT_IN,
	SELECTOR_EQUALS,
	SELECTOR_DOUBLE_EQUALS,
	SELECTOR_NOT_EQUALS,
	SELECTOR_EXISTS,
	SELECTOR_NOT_EXISTS,
	SELECTOR_GREATER,
	SELECTOR_LESS,
	SELECTOR_OP_COUNT
};

struct requirement {
	struct str key;
	enum selector_op op;
	struct strs values; /* sorted, each once */
};

struct selector {
	struct requirement *ptr; /* sorted by key */
	size_t len;
	bool nothing; /* matches nothing; without requirements it matches everything */
};

/* Borrows `text`, and lives in the arena. ERR_BAD_REQUEST in upstream's words. */
int selector_parse(struct str text, struct arena *arena, struct selector *ret,
		   struct err *err) MUST_CHECK;
void selector_print(const struct selector *selector, struct buf *to);
bool selector_matches(const struct selector *selector, const struct labels *labels);
bool requirement_matches(const struct requirement *requirement, const struct labels *labels);
/* Adds the causes of a requirement, with the messages of NewRequirement. */
void requirement_check(const struct requirement *requirement, struct causes *causes);

/* The object form. */
enum label_selector_op {
	LABEL_SELECTOR_NONE,
	LABEL_SELECTOR_IN,
	LABEL_SELECTOR_NOT_IN,
	LABEL_SELECTOR_EXISTS,
	LABEL_SELECTOR_DOES_NOT_EXIST,
	LABEL_SELECTOR_OP_COUNT /* a text that is none of these */
};
struct label_selector_requirement {
	struct str key;
	enum label_selector_op op;
	struct strs values;
};
struct label_selector {
	struct labels match_labels;
	VIEW_LIST(struct label_selector_requirement) match_expressions;
};
extern const struct type label_selector_type;
extern const struct type label_selector_requirement_type;

/* An absent (NULL) one matches nothing, an empty one everything. ERR_INVALID if a requirement is
 * malformed. */
int selector_from_object(const struct label_selector *object, struct arena *arena,
			 struct selector *ret, struct err *err) MUST_CHECK;

#endif
