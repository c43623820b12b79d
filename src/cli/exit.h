/* SPDX-License-Identifier: Apache-2.0 */
/* cli/exit.h - what the programs end with, for scripts; docs/command-line.md and the manual pages
 * print the same table (exit_codes). */
#ifndef CLI_EXIT_H
#define CLI_EXIT_H

#include <stddef.h>

enum {
	EXIT_WELL = 0,
	EXIT_USAGE = 1,
	EXIT_NEVER = 2,
	EXIT_TOO_LATE = 124,
	EXIT_FAILED = 255,
};

struct exit_code {
	int code;
	const char *meaning;
};
extern const struct exit_code exit_codes[];
extern const size_t exit_code_count;

#endif
