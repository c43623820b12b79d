/* SPDX-License-Identifier: Apache-2.0 */
/* cli/script.h - scripts for vsub: what runs them, and the flags in their `#VSUB` lines.
 *
 *	#!/bin/bash
 *	#VSUB -n 4 --cpus 2
 *	#VSUB -q research
 *	./train
 *
 * `#VSUB` lines count up to the first line that is neither empty nor a comment. */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct arena;

enum {
	SCRIPT_BYTES_MAX = 100 * 1000
}; /* what fits into one argument of a program, with a margin */

struct words {
	struct str *ptr;
	size_t len;
	size_t size;
};

/* Words as a shell splits them: quotes and backslashes, nothing more. Words live in the arena, the
 * array is the caller's (vec_done). */
int words_split(struct str text, struct arena *arena, struct words *ret,
		struct err *err) MUST_CHECK;

/* Does it begin as a script does, with "#!"? */
bool script_is(struct str text);
/* The flags of all `#VSUB` lines are added to `ret`. An error names the line. */
int script_flags(struct str text, struct arena *arena, struct words *ret,
		 struct err *err) MUST_CHECK;
/* The words that run `text`: its interpreter, how that takes a program as an argument, the text, and
 * `path` as the name that the script knows itself by ($0, __file__). An error for an interpreter that
 * is not known to take one. */
int script_command(struct str text, struct str path, struct arena *arena, struct words *ret,
		   struct err *err) MUST_CHECK;

#endif
