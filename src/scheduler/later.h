/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/later.h - what may be told a little later: why pods and groups wait, how many of a group run,
 * and what queues hold.
 *
 * While a thousand pods of a gang arrive, every one of them waits for a moment, with another reason
 * in each cycle, and then they are all bound: nobody needs to read that. Such news is held back until
 * half a second has brought no more of it; what comes meanwhile about the same object takes its place,
 * and a pod that is bound has nothing to tell any more. A phase is not held back, and takes with it what was.
 * News with a time of its own (decision.not_before) waits for that.
 *
 * That a group is over can wait too: the group of a job goes with the job, in a moment, and then nobody has to
 * write it. What a queue holds changes with every pod: it is told at once, and then no more than ten times a
 * second. */
#ifndef SCHEDULER_LATER_H
#define SCHEDULER_LATER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/volcano/podgroup.h"
#include "sched/session/decisions.h"

struct later;
struct scheduler;

/* Why a pod waits. Texts are NULL where there is none. */
struct later_pod {
	char *key; /* "namespace/name" */
	char *namespace;
	char *name;
	char *uid;
	char *reason;
	char *message;
	char *also[ALSO_TOLD]; /* of events beside that */
	char *nominated;
	int64_t due; /* 0: with the others */
};

enum { LATER_CONDITIONS = 2 };

/* The status of a group, and the event that goes with it. */
struct later_group {
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
	} conditions[LATER_CONDITIONS];
	uint32_t session;
	char *event_reason; /* a Warning; NULL: none */
	char *event_message;
	char *also[ALSO_TOLD]; /* of events beside it */
	char *reasons;         /* of the annotation; "": take it away; NULL: leave it */
	int64_t due;           /* 0: with the others */
};

/* What a queue holds. */
struct later_queue {
	char *name;
	struct json_doc *patch; /* NULL: nothing is held back */
	int64_t told;           /* by loop_uptime() */
};

struct later *later_new(struct scheduler *scheduler) __attribute__((returns_nonnull));
/* What was held back is dropped. Takes NULL. */
void later_free(struct later *later);

void later_add_pod(struct later *later, const struct decision *decision);
/* It is bound, or gone: it has nothing to tell any more. */
void later_forget_pod(struct later *later, const struct task *task);
void later_add_group(struct later *later, const struct decision *decision, uint32_t session);
/* A Warning about a group; a later one, or later_forget_event(), takes its place. */
void later_add_event(struct later *later, const struct decision *decision);
void later_forget_event(struct later *later, const struct job *job);
/* The group is gone. */
void later_forget_group(struct later *later, struct str namespace, struct str name);
/* What a queue holds now; keeps a reference of the patch, if it cannot be told at once. */
void later_add_queue(struct later *later, struct str name, struct json_doc *patch);
/* Tell everything now. */
void later_tell_all(struct later *later);
/* Tell what is held back of a group now. */
void later_tell_group(struct later *later, const struct job *job);

#endif
