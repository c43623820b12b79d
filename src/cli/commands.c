/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands.c - the trees of commands. To add a command: its file, its row there, its name in
 * commands.h, and its place here. */
#include "cli/commands.h"

#include <stddef.h>

#include "base/macro.h"

#include "base/banned.h"

static const struct command *const job_commands[] = {
	&command_job_delete,  &command_job_explain,
	&command_job_list,    &command_job_logs,
	&command_job_resume,  &command_job_run,
	&command_job_suspend, &command_job_view,
	&command_job_wait,    NULL,
};
static const struct command *const queue_commands[] = {
	&command_queue_create,
	&command_queue_delete,
	&command_queue_get,
	&command_queue_list,
	&command_queue_operate,
	&command_queue_tree,
	NULL,
};
static const struct command *const flow_commands[] = {
	&command_jobflow_create, &command_jobflow_delete, &command_jobflow_describe,
	&command_jobflow_get,    &command_jobflow_list,   NULL,
};
static const struct command *const template_commands[] = {
	&command_jobtemplate_create, &command_jobtemplate_delete, &command_jobtemplate_describe,
	&command_jobtemplate_get,    &command_jobtemplate_list,   NULL,
};

static const struct command *const pod_commands[] = {&command_pod_list, NULL};

static const struct command group_job = {
	.name = "job", .about = "Work with jobs", .below = job_commands};
static const struct command group_pod = {
	.name = "pod", .about = "Look at the pods of jobs", .below = pod_commands};
static const struct command group_queue = {
	.name = "queue", .about = "Work with queues", .below = queue_commands};
static const struct command group_flow = {
	.name = "jobflow", .about = "Work with flows of jobs", .below = flow_commands};
static const struct command group_template = {
	.name = "jobtemplate", .about = "Work with templates of jobs", .below = template_commands};

static const struct command *const commands[] = {
	&command_apply,   &command_completion,
	&command_delete,  &command_help_command,
	&group_job,       &group_flow,
	&group_template,  &group_pod,
	&group_queue,     &command_top,
	&command_version, &command_complete,
	&command_manual,  NULL,
};

const struct command command_vcctl = {
	.name = "vcctl",
	.about = "Jobs, queues and flows of a Volcano system, from the command line",
	.below = commands,
};

static const struct command *const roots[] = {
	&command_vsub,    &command_vjobs,    &command_vqueues,
	&command_vcancel, &command_vsuspend, &command_vresume,
};

const struct command *commands_find(struct str called)
{
	ptrdiff_t slash = str_rfind_byte(called, '/');
	struct str name = str_skip(called, (size_t)(slash + 1));

	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		if (str_is(name, roots[i]->name))
			return roots[i];
	return &command_vcctl;
}
