/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/manual.c - the manual page of volcano.
 *
 * Commands and options come from the tables that the program itself reads its arguments by, so that page and
 * `--help` cannot differ; what is around them is said here. */
#include "programs/volcano/manual.h"

#include "base/roff.h"

#include "base/banned.h"

static const char description[] =
	".SH DESCRIPTION\n"
	"\\fBvolcano up\\fR makes this machine a cluster of its own: an API server that kubectl "
	"and \\fBvcctl\\fR(1) talk to, the scheduler, the controllers, and a node that runs pods "
	"as "
	"processes. No container engine and no privileges are needed; what a machine does not "
	"permit is told at the start.\n"
	".PP\n"
	"Pods outlive \\fBvolcano\\fR: it may be stopped, killed or upgraded, and finds them again "
	"when it comes back. \\fBvolcano down \\-\\-pods\\fR ends them as well.\n"
	".PP\n"
	"\\fBvolcano store\\fR is for an object that keeps it from starting. A \\fIKEY\\fR is "
	"\\fIgroup\\fR/\\fIplural\\fR/\\fInamespace\\fR/\\fIname\\fR, such as "
	"batch.volcano.sh/jobs/default/train, pods/default/p (the core has no group) or "
	"scheduling.volcano.sh/queues//q.\n";

static const char tail[] =
	".SH FILES\n"
	".TP\n\\fID\\fR/kubeconfig\nHow clients reach the server, with all rights.\n"
	".TP\n\\fID\\fR/volcano.log\nWhat it logs in the background.\n"
	".TP\n\\fID\\fR/lock\nThe number of the process that has the folder.\n"
	".TP\n\\fID\\fR/store\nEverything that it stores.\n"
	".TP\n\\fID\\fR/quarantine\nObjects that crashed a component. Twice, and the next start "
	"sets the object aside: no component sees it, but it can be read, changed and deleted; a "
	"change or "
	"\\fBvolcano store release\\fR brings it back.\n"
	".TP\n\\fID\\fR/pods/\\fIUID\\fR\nA pod: its volumes, its output, how its containers are.\n"
	".TP\n\\fID\\fR/images/\\fINAME\\fR\nImages for \\fB\\-\\-runtime crun\\fR.\n"
	".SH ENVIRONMENT\n"
	".TP\n\\fBVOLCANO_HOME\\fR\nThe folder \\fID\\fR, where \\fB\\-\\-data\\-dir\\fR does not "
	"name it (~/.volcano).\n"
	".SH EXIT STATUS\n"
	".TP\n\\fB0\\fR\nIt was done.\n"
	".TP\n\\fB1\\fR\nIt failed.\n"
	".TP\n\\fB2\\fR\nThe command line is wrong.\n"
	".TP\n\\fB3\\fR\n\\fBstatus\\fR: nothing runs there.\n"
	".SH EXAMPLES\n"
	".nf\n"
	"volcano up \\-d\n"
	"vsub \\-n 4 \\-\\-wait \\-\\- hostname\n"
	"volcano up \\-d \\-\\-nodes 4 \\-\\-node\\-resources nvidia.com/gpu=4\n"
	"volcano down \\-\\-pods\n"
	".fi\n"
	".SH SEE ALSO\n"
	"\\fBvcctl\\fR(1), \\fBvsub\\fR(1), \\fBvjobs\\fR(1), \\fBvqueues\\fR(1), "
	"\\fBkubectl\\fR(1)\n";

void manual_put(const struct manual_command *commands, size_t count, struct buf *to)
{
	buf_printf(to,
		   ".TH \"volcano\" \"1\" \"\" \"volcano %s\" \"Batch jobs\"\n"
		   ".SH NAME\nvolcano \\- a batch system for one machine, with a Kubernetes API\n"
		   ".SH SYNOPSIS\n\\fBvolcano\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n",
		   VOLCANO_VERSION);
	buf_puts(to, description);
	buf_puts(to, ".SH COMMANDS\n");
	for (size_t i = 0; i < count; i++) {
		buf_printf(to, ".SS volcano %s [\\fIoptions\\fR]\n", commands[i].name);
		roff_put(str_from(commands[i].about), to);
		buf_puts(to, ".\n");
		settings_print_manual(commands[i].command, to);
	}
	buf_puts(to, tail);
}
