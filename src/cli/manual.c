/* SPDX-License-Identifier: Apache-2.0 */
/* cli/manual.c - `vcctl __manual PAGE`, which the build calls. */
#include "base/roff.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "flags/manual_page.h"

#include "base/banned.h"

static void put_tail(struct buf *to)
{
	buf_puts(to, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < exit_code_count; i++) {
		buf_printf(to, ".TP\n\\fB%d\\fR\n", exit_codes[i].code);
		roff_put(str_from(exit_codes[i].meaning), to);
		buf_puts(to, ".\n");
	}
	buf_puts(
		to,
		".TP\n\\fBother\\fR\n`vsub \\-\\-wait`: the highest exit code of the job's tasks.\n"
		".SH ENVIRONMENT\n"
		".TP\n\\fBKUBECONFIG\\fR\nFiles that say how the server is reached.\n"
		".TP\n\\fBVOLCANO_HOME\\fR\nThe data directory of volcano up on this machine "
		"(~/.volcano).\n"
		".TP\n\\fBNO_COLOR\\fR\nNo colours, also on a terminal.\n"
		".SH SEE ALSO\n"
		"\\fBvcctl\\fR(1), \\fBvsub\\fR(1), \\fBvjobs\\fR(1), \\fBvqueues\\fR(1), "
		"\\fBkubectl\\fR(1)\n");
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str page = cli->line.argument_count ? cli->line.arguments[0] : STR("vcctl");
	ptrdiff_t dash = str_find_byte(page, '-', 0);
	struct str path = dash < 0 ? str_none() : str_skip(page, (size_t)dash + 1);
	const struct command *root =
		commands_find(dash < 0 ? page : str_slice(page, 0, (size_t)dash));
	struct command_line line;
	AUTO(buf_done) struct buf tail = BUF_UNBOUNDED;

	if (command_find(root, &path, path.len ? 1 : 0, &line, err) < 0)
		return -1;
	put_tail(&tail);
	manual_page_put(root, &path, path.len ? 1 : 0,
			&(struct manual_text){.section = "1", .tail = buf_text(&tail)}, &cli->out);
	return 0;
}

const struct command command_manual = {.name = "__manual",
				       .about = "a manual page, in roff",
				       .arguments = "PAGE",
				       .run = run,
				       .no_common = true,
				       .hidden = true};
