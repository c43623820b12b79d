/* SPDX-License-Identifier: Apache-2.0 */
/* flags/manual_page.h - manual pages, made of the tables of commands, so that a page and `--help` agree. */
#ifndef FLAGS_MANUAL_PAGE_H
#define FLAGS_MANUAL_PAGE_H

#include "base/buf.h"
#include "flags/command_line.h"

/* What a page says besides commands and flags, in roff. */
struct manual_text {
	const char *section;     /* "1" for commands, "8" for services */
	const char *description; /* after the line about the command; NULL: nothing */
	const char *tail; /* after the flags: .SH EXIT STATUS, .SH FILES, ...; NULL: nothing */
};

/* The page of a command: "vcctl", "vcctl-job", "vsub". `path` are the names after the root's; the page of a
 * group has a section for each command in it that is no group. */
void manual_page_put(const struct command *root, const struct str *path, size_t count,
		     const struct manual_text *text, struct buf *to);

#endif
