/* SPDX-License-Identifier: Apache-2.0 */
/* Bars: shares, rounding, marks, colours. */
#include "cli/bar.h"

#include "tap.h"

#include "base/banned.h"

static const struct {
	double full, half, mark;
	const char *want;
} cases[] = {
	{0, 0, -1, "[..........]"},     {1, 0, -1, "[##########]"},
	{0.5, 0, -1, "[#####.....]"},   {0.5, 0.3, -1, "[#####===..]"},
	{0.001, 0, -1, "[#.........]"}, {0.999, 0.001, -1, "[##########]"},
	{2, 0, -1, "[##########]"},     {0.34, 0.33, -1, "[###====...]"},
	{0.2, 0, 0.5, "[##...|....]"},  {0.2, 0, 1, "[##.......|]"},
	{0.9, 0, 0, "[|########.]"},    {0, 0.04, -1, "[=.........]"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		const struct bar_part parts[] = {{cases[i].full, BAR_FULL, ""},
						 {cases[i].half, BAR_HALF, ""}};
		const struct bar bar = {.width = 10,
					.plain = "",
					.parts = parts,
					.count = 2,
					.mark = cases[i].mark};

		bar_put(&bar, &text);
		is(buf_text(&text), cases[i].want);
	}
	{
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		const struct bar_part parts[] = {{0.5, BAR_FULL, "<g>"}, {0.25, BAR_HALF, "<y>"}};
		const struct bar bar = {.width = 4,
					.unicode = true,
					.plain = "</>",
					.parts = parts,
					.count = 2,
					.mark = -1};

		bar_put(&bar, &text);
		is(buf_text(&text), "<g>██</><y>▒</>░");
	}
	return tap_done();
}
