/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/mountinfo.c - lines of /proc/PID/mountinfo. Between the mount point's options and the single dash
 * there may be any number of fields. */
#include "node/machine/mountinfo.h"

#include "base/banned.h"

enum { ROOT = 3, POINT = 4 };

static bool read_line(struct str line, struct mount_line *ret)
{
	struct str word;

	*ret = (struct mount_line){0};
	for (int index = 0; str_split(&line, ' ', &word) && !str_is(word, "-"); index++) {
		if (index == ROOT)
			ret->root = word;
		if (index == POINT)
			ret->point = word;
	}
	if (!str_split(&line, ' ', &ret->fstype) || !str_split(&line, ' ', &word))
		return false;
	ret->options = line;
	return ret->point.len > 0;
}

bool mountinfo_next(struct str *text, struct mount_line *ret)
{
	struct str line;

	while (str_split(text, '\n', &line))
		if (read_line(line, ret))
			return true;
	return false;
}
