/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands.c - the trees of commands, made of the lists in commands.h. */
#include "cli/commands.h"

#include <stddef.h>

#include "base/macro.h"
#include "cli/cli.h"

#include "base/banned.h"

#define COMMAND_ADDRESS(name) &command_##name,
#define GROUP(id, name_, about_, completes_, rows)  \
	const struct command command_group_##id = { \
		.name = (name_),                    \
		.about = (about_),                  \
		.completes = (completes_),          \
		.below = (const struct command *const[]){rows(COMMAND_ADDRESS) NULL}}

GROUP(job, "job", "Work with jobs", "jobs", JOB_COMMANDS);
GROUP(flow, "jobflow", "Work with flows of jobs", "jobflows", FLOW_COMMANDS);
GROUP(template, "jobtemplate", "Work with templates of jobs", "jobtemplates", TEMPLATE_COMMANDS);
GROUP(pod, "pod", "Look at the pods of jobs", NULL, POD_COMMANDS);
GROUP(queue, "queue", "Work with queues", "queues", QUEUE_COMMANDS);

const struct command command_vcctl = {
	.name = "vcctl",
	CLI_ROOT,
	.about = "Jobs, queues and flows of a Volcano system, from the command line",
	.below = (const struct command *const[]){TOP_COMMANDS(COMMAND_ADDRESS) NULL},
};

static const struct command *const programs[] = {PROGRAM_COMMANDS(COMMAND_ADDRESS)};

const struct command *commands_find(struct str called)
{
	ptrdiff_t slash = str_rfind_byte(called, '/');
	struct str name = str_skip(called, (size_t)(slash + 1));

	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (str_is(name, programs[i]->name))
			return programs[i];
	return &command_vcctl;
}
