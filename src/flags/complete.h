/* SPDX-License-Identifier: Apache-2.0 */
/* flags/complete.h - what may come next on a command line that is being typed. Pure: it reads the tables of
 * commands; the caller finds names of objects. */
#ifndef FLAGS_COMPLETE_H
#define FLAGS_COMPLETE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "flags/command_line.h"

/* Values of `completes`, in addition to those that the program knows ("jobs"): */
#define COMPLETE_FILES "files"
/* Of a flag: what its command's arguments are. */
#define COMPLETE_NAME "name"

/* `words` are those after the program's name, the last one as far as it is typed. Puts a line for each
 * candidate that begins so: the word, a tab, a line about it. Returns what else may be there: the `completes`
 * of a flag or a command, or NULL for nothing. */
const char *complete_put(const struct command *root, const struct str *words, size_t count,
			 struct buf *to);

#endif
