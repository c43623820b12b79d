/* SPDX-License-Identifier: Apache-2.0 */
/* admission/groups.h - resource groups: which pods, and what they get. */
#ifndef ADMISSION_GROUPS_H
#define ADMISSION_GROUPS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/view.h"

enum group_match {
	MATCH_ANNOTATION_OR_NAME, /* an annotation, or volcano.sh/resource-group with its name */
	MATCH_ANNOTATION,
	MATCH_NAMESPACE,
};

struct resource_group {
	struct str name;
	enum group_match match;
	struct strs namespaces;
	struct labels annotations; /* one of them is enough */
	struct str scheduler_name;
	struct labels labels;    /* of the nodes */
	struct json tolerations; /* a list */
	struct json affinity;    /* absent: none */
};

struct admission_groups {
	struct arena *arena;
	struct json_doc *doc;
	struct json_doc **parts; /* documents that were texts in it */
	size_t part_count;
	struct resource_group *ptr;
	size_t len;
};

#endif
