/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/status_writer.h - writes statuses that may be delayed: why pods and groups wait, how many of a group run,
 * and what queues use.
 *
 * While a thousand pods of a gang are created, every one of them is pending for a moment, with another reason
 * in each cycle, and then they are all bound: these states need no write. Such a status is delayed until
 * half a second has brought no change; a newer status of the same object replaces it, and a bound pod needs
 * none. A phase is written at once, with everything that was delayed for its object. A status with a time of its
 * own (decision.not_before) waits for that.
 *
 * That a group has ended is delayed too: the group of a job is usually deleted with the job a moment later. What a
 * queue uses changes with every pod: it is written at once, and then at most ten times per second. */
#ifndef SCHEDULER_STATUS_WRITER_H
#define SCHEDULER_STATUS_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/volcano/podgroup.h"
#include "sched/session/decisions.h"

struct status_writer;
struct scheduler;

/* Why a pod waits. Texts are NULL where there is none. */
struct status_pod {
	char *key; /* "namespace/name" */
	char *namespace;
	char *name;
	char *uid;
	char *reason;
	char *message;
	char *also[ALSO_MAX]; /* of additional events */
	char *nominated;
	int64_t due; /* 0: with the others */
};

enum { STATUS_CONDITIONS = 2 };

/* The status of a group, and the event that goes with it. */
struct status_group {
	char *key;
	char *namespace;
	char *name;
	char *uid;
	bool has_status;
	enum podgroup_phase phase;
	int32_t running, succeeded, failed;
	struct {
		char *type;
		char *reason;
		char *message;
	} conditions[STATUS_CONDITIONS];
	uint32_t session;
	char *event_reason; /* a Warning; NULL: none */
	char *event_message;
	char *also[ALSO_MAX]; /* of additional events */
	char *reasons;        /* of the annotation; "": take it away; NULL: leave it */
	int64_t due;          /* 0: with the others */
};

/* What a queue uses. */
struct status_queue {
	char *name;
	struct json_doc *patch; /* NULL: nothing is delayed */
	int64_t written;        /* by loop_uptime() */
};

struct status_writer *status_writer_new(struct scheduler *scheduler)
	__attribute__((returns_nonnull));
/* Drops what was delayed. Takes NULL. */
void status_writer_free(struct status_writer *writer);

void status_writer_add_pod(struct status_writer *writer, const struct decision *decision);
/* It is bound or deleted: drop what was delayed. */
void status_writer_forget_pod(struct status_writer *writer, const struct task *task);
void status_writer_add_group(struct status_writer *writer, const struct decision *decision,
			     uint32_t session);
/* A Warning about a group; a later one, or status_writer_forget_event(), takes its place. */
void status_writer_add_event(struct status_writer *writer, const struct decision *decision);
void status_writer_forget_event(struct status_writer *writer, const struct job *job);
/* The group was deleted. */
void status_writer_forget_group(struct status_writer *writer, struct str namespace,
				struct str name);
/* What a queue uses now; keeps a reference of the patch, if it cannot be written at once. */
void status_writer_add_queue(struct status_writer *writer, struct str name, struct json_doc *patch);
/* Write everything now. */
void status_writer_flush(struct status_writer *writer);
/* Write what was delayed of a group now. */
void status_writer_flush_group(struct status_writer *writer, const struct job *job);

#endif
