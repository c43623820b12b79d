/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/path.h - the path of a field in an object: spec.tasks[1].env[FOO].
 *
 * A path is a chain of steps on the stack of the function that walks the object; it costs nothing
 * until it is printed.
 *
 *	struct path spec = path_member(NULL, STR("spec"));
 *	struct path tasks = path_member(&spec, STR("tasks"));
 *	struct path task = path_index(&tasks, 1);
 *	causes_required(causes, &task, ""); */
#ifndef MODEL_PATH_H
#define MODEL_PATH_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum path_step { PATH_MEMBER, PATH_INDEX, PATH_KEY };

struct path {
	const struct path *up; /* NULL: the object itself */
	enum path_step step;
	struct str name; /* of a member, or the key of a map's entry */
	size_t index;
};

static inline struct path path_member(const struct path *up, struct str name)
{
	return (struct path){.up = up, .step = PATH_MEMBER, .name = name};
}

static inline struct path path_index(const struct path *up, size_t index)
{
	return (struct path){.up = up, .step = PATH_INDEX, .index = index};
}

static inline struct path path_key(const struct path *up, struct str key)
{
	return (struct path){.up = up, .step = PATH_KEY, .name = key};
}

/* "spec.tasks[1].env[FOO]"; nothing for NULL. */
void path_print(const struct path *path, struct buf *to);
/* As Go's decoder names it: members only, map keys as members: "spec.tasks.env". */
void path_print_members(const struct path *path, struct buf *to);

#endif
