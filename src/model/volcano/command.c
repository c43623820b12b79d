/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/command.c - the table of Command. It has neither spec nor status. The controller that it is
 * for deletes it before it acts, so that it acts at most once. */
#include "model/volcano/command.h"

#include "base/banned.h"

const char *const bus_action_names[BUS_ACTION_COUNT] = {
	[BUS_ACTION_NONE] = "",
	[BUS_ABORT_JOB] = "AbortJob",
	[BUS_RESTART_JOB] = "RestartJob",
	[BUS_RESTART_TASK] = "RestartTask",
	[BUS_RESTART_POD] = "RestartPod",
	[BUS_RESTART_PARTITION] = "RestartPartition",
	[BUS_TERMINATE_JOB] = "TerminateJob",
	[BUS_COMPLETE_JOB] = "CompleteJob",
	[BUS_RESUME_JOB] = "ResumeJob",
	[BUS_SYNC_JOB] = "SyncJob",
	[BUS_ENQUEUE_JOB] = "EnqueueJob",
	[BUS_SYNC_QUEUE] = "SyncQueue",
	[BUS_OPEN_QUEUE] = "OpenQueue",
	[BUS_CLOSE_QUEUE] = "CloseQueue",
};

const char *const bus_event_names[BUS_EVENT_COUNT] = {
	[BUS_EVENT_NONE] = "",
	[BUS_ANY] = "*",
	[BUS_POD_PENDING] = "PodPending",
	[BUS_POD_RUNNING] = "PodRunning",
	[BUS_POD_FAILED] = "PodFailed",
	[BUS_POD_EVICTED] = "PodEvicted",
	[BUS_JOB_UNKNOWN] = "Unknown",
	[BUS_TASK_COMPLETED] = "TaskCompleted",
	[BUS_OUT_OF_SYNC] = "OutOfSync",
	[BUS_COMMAND_ISSUED] = "CommandIssued",
	[BUS_JOB_UPDATED] = "JobUpdated",
	[BUS_TASK_FAILED] = "TaskFailed",
};

#define VIEW struct command
static const struct field command_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"action", F_ENUM(bus_action_names), AT(action), F_OPEN,
	 F_DOC("what the controller is to do with the target")},
	{"target", F_OBJECT(owner_reference), AT(target), F_DOC("the object that it is about")},
	{"reason", F_STR, AT(reason), F_DOC("why, in one word")},
	{"message", F_STR, AT(message), F_DOC("why, for people")},
};
#undef VIEW
const struct type command_type = {
	TYPE("Command", "v1alpha1", struct command, command_fields),
	.group = "sh.volcano.bus",
	.doc = "a one-shot message to a controller",
};
