/* SPDX-License-Identifier: Apache-2.0 */
/* cli/complete.h - what may come next on a command line that is being typed. Pure: from the tables of
 * commands; names of objects are asked for by the caller (complete.kind). */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "cli/command.h"

enum complete_kind {
	COMPLETE_WORDS, /* those that were put, and no others */
	COMPLETE_FILES,
	COMPLETE_JOBS, /* names of objects */
	COMPLETE_QUEUES,
	COMPLETE_JOBFLOWS,
	COMPLETE_JOBTEMPLATES,
	COMPLETE_NAMESPACES,
	COMPLETE_KIND_COUNT
};

/* `words` are those behind the program's name, the last one as far as it is typed. Puts a line for each
 * candidate that begins so: the word, a tab, a line about it. Gives what else may stand there. */
enum complete_kind complete_put(const struct command *root, const struct str *words, size_t count,
				struct buf *to);

#endif
