/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/conditions.h - lists of conditions: one entry per type, with the time at which its status
 * last changed.
 *
 * Setting works on the document, so that members which only some kinds have (lastProbeTime,
 * transitionID) stay as they are. */
#ifndef MODEL_CONDITIONS_H
#define MODEL_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct condition {
	struct str type;
	struct str status; /* True, False, Unknown */
	struct opt_int64 observed_generation;
	int64_t last_transition_time;
	struct str reason;
	struct str message;
};
struct conditions {
	struct condition *ptr;
	size_t len;
};
extern const struct type condition_type;
/* The same view, with the rules that schemas of custom kinds have for metav1.Condition. */
extern const struct type strict_condition_type;

/* The condition of a type, or NULL. */
const struct condition *conditions_find(const struct conditions *conditions, struct str type);
/* Is there one with this status? */
bool conditions_has(const struct conditions *conditions, struct str type, struct str status);

/* Sets a condition in the list (an array of `doc`), in place or at the end. The time changes to
 * `now` only with the status. Returns whether anything has changed. */
bool conditions_set(struct json_doc *doc, struct json list, const struct condition *condition,
		    int64_t now);
/* Returns whether there was one. */
bool conditions_remove(struct json_doc *doc, struct json list, struct str type);

#endif
