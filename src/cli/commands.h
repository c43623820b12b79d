/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands.h - every command: the lists, and what two commands share. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/macro.h"
#include "base/str.h"
#include "flags/command_line.h"

/* The roots: vcctl, and the short ones. */
extern const struct command command_vcctl;
/* By the name that the program was called by ("/usr/bin/vjobs"); vcctl for any other. */
const struct command *commands_find(struct str called);

/* All commands, by the group that they are in and in the order of help. To add one: its file with a
 * `const struct command command_<name>`, and its row here. A new group is a list here, a GROUP in commands.c
 * and its manual page in man/meson.build. */
#define JOB_COMMANDS(row) \
	ROWS( \
	row(job_delete) \
	row(job_explain) \
	row(job_list) \
	row(job_logs) \
	row(job_resume) \
	row(job_run) \
	row(job_suspend) \
	row(job_view) \
	row(job_wait))
#define QUEUE_COMMANDS(row) \
	ROWS( \
	row(queue_create) \
	row(queue_delete) \
	row(queue_explain) \
	row(queue_get) \
	row(queue_list) \
	row(queue_operate) \
	row(queue_tree))
#define FLOW_COMMANDS(row) \
	ROWS( \
	row(jobflow_create) \
	row(jobflow_delete) \
	row(jobflow_describe) \
	row(jobflow_get) \
	row(jobflow_list))
#define TEMPLATE_COMMANDS(row) \
	ROWS( \
	row(jobtemplate_create) \
	row(jobtemplate_delete) \
	row(jobtemplate_describe) \
	row(jobtemplate_get) \
	row(jobtemplate_list))
#define POD_COMMANDS(row) ROWS( \
	row(pod_explain) \
	row(pod_list))
/* Of vcctl itself; the groups are in commands.c. */
#define TOP_COMMANDS(row) \
	ROWS( \
	row(apply) \
	row(completion) \
	row(delete) \
	row(help_command) \
	row(group_job) \
	row(group_flow) \
	row(group_template) \
	row(group_pod) \
	row(group_queue) \
	row(top) \
	row(version) \
	row(complete) \
	row(manual))
/* Programs of their own: other names of vcctl. */
#define PROGRAM_COMMANDS(row) \
	ROWS( \
	row(vsub) \
	row(vjobs) \
	row(vqueues) \
	row(vcancel) \
	row(vsuspend) \
	row(vresume))

#define COMMAND_DECLARE(name) extern const struct command command_##name;
JOB_COMMANDS(COMMAND_DECLARE)
QUEUE_COMMANDS(COMMAND_DECLARE)
FLOW_COMMANDS(COMMAND_DECLARE)
TEMPLATE_COMMANDS(COMMAND_DECLARE)
POD_COMMANDS(COMMAND_DECLARE)
TOP_COMMANDS(COMMAND_DECLARE)
PROGRAM_COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* What two commands share. */
/* The flags of lists of jobs, after name and namespace (cli/object_list.h). */
#define JOB_LIST_FLAGS                                                                     \
	{.letter = 'q',                                                                    \
	 .name = "queue",                                                                  \
	 .about = "only jobs of this queue",                                               \
	 .noun = "NAME",                                                                   \
	 .completes = "queues"},                                                           \
		{.letter = 'S',                                                            \
		 .name = "scheduler",                                                      \
		 .about = "only jobs of this scheduler",                                   \
		 .noun = "NAME"},                                                          \
		{.name = "selector",                                                       \
		 .about = "only jobs with this in their name, or with these labels (a=b)", \
		 .noun = "TEXT"},                                                          \
		LISTING_FLAGS, LISTING_WATCH
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
