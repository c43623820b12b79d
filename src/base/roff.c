/* SPDX-License-Identifier: Apache-2.0 */
/* base/roff.c - text for manual pages: characters with a meaning in roff are escaped. */
#include "base/roff.h"

#include <stdbool.h>

#include "base/banned.h"

void roff_put(struct str text, struct buf *to)
{
	bool first = true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (first && (c == '.' || c == '\''))
			buf_puts(to, "\\&");
		if (c == '\\')
			buf_puts(to, "\\e");
		else if (c == '-')
			buf_puts(to, "\\-");
		else
			buf_putc(to, c);
		first = c == '\n';
	}
}
