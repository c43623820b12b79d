/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bar.c - see bar.h. Ends of parts are rounded from the sum so far, so that the whole never
 * grows with the number of parts. */
#include "cli/bar.h"

#include "base/banned.h"

static const char *const glyphs[][2] = {
	[BAR_FULL] = {"#", "█"},
	[BAR_HALF] = {"=", "▒"},
	[BAR_EMPTY] = {".", "░"},
};

static size_t place(double share, size_t width)
{
	double at = share * (double)width + 0.5;

	if (!(at > 0))
		return 0;
	return at >= (double)width ? width : (size_t)at;
}

static void put_cell(const struct bar *bar, enum bar_fill fill, size_t at, struct buf *to)
{
	size_t mark = bar->mark < 0 ? bar->width : place(bar->mark, bar->width);

	/* A mark at the very end stands on the last character. */
	if (bar->mark >= 0 && mark >= bar->width)
		mark = bar->width - 1;
	if (at == mark)
		buf_puts(to, bar->unicode ? "│" : "|");
	else
		buf_puts(to, glyphs[fill][bar->unicode]);
}

void bar_put(const struct bar *bar, struct buf *to)
{
	double sum = 0;
	size_t at = 0;

	if (!bar->unicode)
		buf_putc(to, '[');
	for (size_t i = 0; i < bar->count; i++) {
		const struct bar_part *part = &bar->parts[i];
		size_t end;

		if (!(part->share > 0))
			continue;
		sum += part->share;
		end = place(sum, bar->width);
		if (end == at && at < bar->width)
			end++;
		if (end > at)
			buf_puts(to, part->colour);
		for (; at < end; at++)
			put_cell(bar, part->fill, at, to);
		buf_puts(to, bar->plain);
	}
	for (; at < bar->width; at++)
		put_cell(bar, BAR_EMPTY, at, to);
	if (!bar->unicode)
		buf_putc(to, ']');
}
