/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/affinity.h - which nodes a pod may and would like to run on: node selectors and node
 * affinity.
 *
 * Terms are alternatives, the requirements in a term must all hold. An empty term matches no node; a
 * term that makes no sense (Gt of a word, a field other than metadata.name) matches none either.
 */
#ifndef MODEL_AFFINITY_H
#define MODEL_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/value/labels.h"

enum node_selector_op {
	NODE_SELECTOR_NONE,
	NODE_SELECTOR_IN,
	NODE_SELECTOR_NOT_IN,
	NODE_SELECTOR_EXISTS,
	NODE_SELECTOR_DOES_NOT_EXIST,
	NODE_SELECTOR_GT,
	NODE_SELECTOR_LT,
	NODE_SELECTOR_OP_COUNT /* a text that is none of these */
};

struct node_selector_requirement {
	struct str key;
	enum node_selector_op op;
	struct strs values;
};
struct node_selector_term {
	VIEW_LIST(struct node_selector_requirement) match_expressions;
	VIEW_LIST(struct node_selector_requirement) match_fields;
};
struct node_selector {
	VIEW_LIST(struct node_selector_term) terms;
};
struct preferred_term {
	int32_t weight;
	struct node_selector_term preference;
};
struct node_affinity {
	const struct node_selector *required;
	VIEW_LIST(struct preferred_term) preferred;
};
extern const struct type node_selector_requirement_type;
extern const struct type node_selector_term_type;
extern const struct type node_selector_type;
extern const struct type preferred_term_type;
extern const struct type node_affinity_type;

/* The rules of a term. `any_value`: values need not look like those of labels, as upstream has it for
 * preferred terms. */
void node_selector_term_validate(struct json term, bool any_value, const struct path *path,
				 struct causes *causes);

bool node_selector_term_matches(const struct node_selector_term *term, struct str node_name,
				const struct labels *labels);
bool node_selector_matches(const struct node_selector *selector, struct str node_name,
			   const struct labels *labels);

/* May a pod with this nodeSelector and affinity run there? `affinity` may be NULL. */
bool node_affinity_allows(const struct labels *node_selector, const struct node_affinity *affinity,
			  struct str node_name, const struct labels *labels);
/* Does each of the required terms ask for names of nodes that contradict each other? */
bool node_affinity_is_contradictory(const struct node_affinity *affinity);
/* The sum of the weights of the preferred terms that match. */
int64_t node_affinity_score(const struct node_affinity *affinity, struct str node_name,
			    const struct labels *labels);

#endif
