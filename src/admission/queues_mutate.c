/* SPDX-License-Identifier: Apache-2.0 */
/* admission/queues_mutate.c - the defaults of a new Queue: its path in the tree starts at root, it
 * is reclaimable, and it has a weight. */
#include "admission/hooks.h"
#include "admission/queues.h"

#include "base/banned.h"

static void fill_path(struct json_doc *doc, struct json annotations)
{
	struct str path = json_str(json_get(annotations, QUEUE_HIERARCHY));
	struct str weights = json_str(json_get(annotations, QUEUE_WEIGHTS));

	if (!path.len || !weights.len || str_starts(path, STR("root")))
		return;
	json_set(doc, annotations, STR(QUEUE_HIERARCHY),
		 json_new_printf(doc, "root/%.*s", STR_ARG(path)));
	json_set(doc, annotations, STR(QUEUE_WEIGHTS),
		 json_new_printf(doc, "1/%.*s", STR_ARG(weights)));
}

int queues_mutate(const struct admission_case *c)
{
	struct json spec = json_get(c->review->object, "spec");

	if (hook_check_types(c, &queue_type) < 0)
		return -1;
	if (!json_is(spec, JSON_OBJ))
		return hook_deny_no_spec(c);
	fill_path(c->doc, json_get(json_get(c->review->object, "metadata"), "annotations"));
	if (!json_is(json_get(spec, "reclaimable"), JSON_BOOL))
		json_set_bool(c->doc, spec, "reclaimable", true);
	if (!json_int(json_get(spec, "weight")))
		json_set_int(c->doc, spec, "weight", 1);
	return 0;
}
