/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bar.h - amounts as bars of characters: what share of a whole is what.
 *
 *	[#######====........|.....]	in plain characters
 *	███████▒▒▒▒░░░░░░░░│░░░░░	if the locale can
 *
 * A part that is more than nothing takes at least one character, as long as there is space. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum bar_fill { BAR_FULL, BAR_HALF, BAR_EMPTY, BAR_FILLS };

struct bar_part {
	double share; /* of the whole: 0 to 1 */
	enum bar_fill fill;
	const char *colour; /* what switches it on; "" for none */
};

struct bar {
	size_t width;
	bool unicode;
	const char *plain; /* what switches colours off */
	const struct bar_part *parts;
	size_t count;
	double mark; /* a place to show, as a share of the whole; below 0: none */
};

void bar_put(const struct bar *bar, struct buf *to);

#endif
