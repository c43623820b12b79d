/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands.h - every command, one row each, in the file named like it; the trees are in
 * commands.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/str.h"
#include "cli/command.h"

/* The roots: vcctl, and the short ones. */
extern const struct command command_vcctl;
/* By the name that the program was called by ("/usr/bin/vjobs"); vcctl for any other. */
const struct command *commands_find(struct str called);

extern const struct command command_job_run, command_job_list, command_job_view,
	command_job_suspend, command_job_resume, command_job_delete, command_job_explain,
	command_job_logs, command_job_wait;
extern const struct command command_queue_create, command_queue_delete, command_queue_operate,
	command_queue_list, command_queue_get, command_queue_tree;
extern const struct command command_top, command_apply, command_delete;
extern const struct command command_jobflow_create, command_jobflow_delete, command_jobflow_list,
	command_jobflow_get, command_jobflow_describe;
extern const struct command command_jobtemplate_create, command_jobtemplate_delete,
	command_jobtemplate_list, command_jobtemplate_get, command_jobtemplate_describe;
extern const struct command command_pod_list;
extern const struct command command_version, command_help_command, command_completion,
	command_complete, command_manual;
extern const struct command command_vsub, command_vjobs, command_vqueues, command_vcancel,
	command_vsuspend, command_vresume;

/* What two commands share. */
struct cli;
struct err;
int job_list(struct cli *cli, struct err *err);
int job_view(struct cli *cli, struct str namespace, struct str name, struct err *err);
/* Ask for an action by a Command object that names a Job or a Queue. */
enum order_target { ORDER_JOB, ORDER_QUEUE };
int order_give(struct cli *cli, enum order_target target, struct str namespace, struct str name,
	       const char *action, struct err *err);
/* Create it; takes the job. Its name lives in the run's arena. */
struct json_doc;
int job_create(struct cli *cli, struct str namespace, struct json_doc *job, struct str *ret_name,
	       struct err *err);
/* May be none. */
struct str job_selector(const struct cli *cli);

#endif
