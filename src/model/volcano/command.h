/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/command.h - Command (bus.volcano.sh/v1alpha1): a one-shot message to a controller; and the
 * words of the bus, events and actions, which the policies of jobs use as well. */
#ifndef MODEL_COMMAND_H
#define MODEL_COMMAND_H

#include "base/str.h"
#include "model/core/meta.h"
#include "model/field/fields.h"

enum bus_action {
	BUS_ACTION_NONE,
	BUS_ABORT_JOB,
	BUS_RESTART_JOB,
	BUS_RESTART_TASK,
	BUS_RESTART_POD,
	BUS_RESTART_PARTITION,
	BUS_TERMINATE_JOB,
	BUS_COMPLETE_JOB,
	BUS_RESUME_JOB,
	BUS_SYNC_JOB, /* from here on: between components only, never from a user's policy */
	BUS_ENQUEUE_JOB,
	BUS_SYNC_QUEUE,
	BUS_OPEN_QUEUE,
	BUS_CLOSE_QUEUE,
	BUS_ACTION_COUNT /* a text that is none of these */
};
extern const char *const bus_action_names[BUS_ACTION_COUNT];

enum bus_event {
	BUS_EVENT_NONE,
	BUS_ANY,
	BUS_POD_PENDING,
	BUS_POD_RUNNING,
	BUS_POD_FAILED,
	BUS_POD_EVICTED,
	BUS_JOB_UNKNOWN,
	BUS_TASK_COMPLETED,
	BUS_OUT_OF_SYNC,
	BUS_COMMAND_ISSUED,
	BUS_JOB_UPDATED,
	BUS_TASK_FAILED,
	BUS_EVENT_COUNT
};
extern const char *const bus_event_names[BUS_EVENT_COUNT];

struct command {
	struct meta meta;
	enum bus_action action;
	const struct owner_reference *target;
	struct str reason;
	struct str message;
};
extern const struct type command_type;

#endif
