/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/path.c - print paths: from the top down, so the chain is walked to its end first. Depth is
 * bounded by the document's (LIMIT_JSON_DEPTH). */
#include "model/field/path.h"

#include "base/banned.h"

static void put_member(const struct path *path, struct buf *to)
{
	if (path->up)
		buf_putc(to, '.');
	buf_put_str(to, path->name);
}

void path_print(const struct path *path, struct buf *to)
{
	if (!path)
		return;
	path_print(path->up, to);
	switch (path->step) {
	case PATH_MEMBER:
		put_member(path, to);
		break;
	case PATH_INDEX:
		buf_printf(to, "[%zu]", path->index);
		break;
	case PATH_KEY:
		buf_putc(to, '[');
		buf_put_str(to, path->name);
		buf_putc(to, ']');
		break;
	}
}

void path_print_members(const struct path *path, struct buf *to)
{
	if (!path)
		return;
	path_print_members(path->up, to);
	if (path->step == PATH_MEMBER)
		put_member(path, to);
}
